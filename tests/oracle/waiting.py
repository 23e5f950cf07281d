"""What minigrad does not do yet, with the reason: the only such list of the tests.

A test fails as soon as something listed here agrees with torch, so that it is taken out.
"""

COMPLEX = "complex numbers wait"
FUSED = "torch runs one fused kernel here, minigrad shows the composition"
SVD = "works; the libraries' SVDs differ in the last place, and the second derivative shows it"
BFLOAT16 = "NumPy has no bfloat16"

EXPRESSIONS = {
    "torch.polar(x,y)": COMPLEX,
    "torch.complex(x,y)": COMPLEX,
    "torch.view_as_real(torch.complex(x,y))": COMPLEX,
    "torch.view_as_complex(x)": COMPLEX,
    "torch.fft.fft(v)": COMPLEX,
    "torch.linalg.pinv(x)": SVD,
    "x.bfloat16()": BFLOAT16,
    "F.scaled_dot_product_attention(b[None],b2[None],b[None])": FUSED,
}

SNIPPETS: dict[str, str] = {
    "inplace: out=": "out= waits",
    "modes: inference mode": "torch writes into the inference tensor, then refuses; minigrad refuses first",
}

MODES = "padding in three dimensions, and resizing by other modes than nearest, wait"
OPTIONS = "options of linear algebra that no lesson needs wait"
EQUAL = "of equal elements another one is named; which one is nowhere promised"
EXACT = "torch's own result is right to 9 digits only (polygamma, digamma) or uses 1/6 in single precision"
SIGNS = "the signs of singular and eigenvectors are free, and the libraries' differ"
RARE = "a form of call, or a sample without elements or dimensions, that no learner meets"

# Operations of which some sample of PyTorch's own (tests/oracle/opinfo.py) differs, and why.
OPINFO = {name: reason for reason, names in {
    MODES: """nn.functional.pad.reflect nn.functional.pad.replicate nn.functional.pad.replicate_negative
        nn.functional.pad.circular nn.functional.interpolate.nearest nn.functional.interpolate.nearest-exact
        nn.functional.interpolate.bicubic nn.functional.interpolate.trilinear
        nn.functional.interpolate.area""",
    OPTIONS: """linalg.lstsq linalg.lstsq.grad_oriented linalg.matrix_rank linalg.matrix_rank.hermitian linalg.pinv
        linalg.pinv.singular linalg.pinv.hermitian""",
    EQUAL: "kthvalue topk mode",
    EXACT: """nn.functional.hardsigmoid digamma polygamma.polygamma_n_0 polygamma.polygamma_n_1
        polygamma.polygamma_n_2 polygamma.polygamma_n_3 polygamma.polygamma_n_4
        special.polygamma.special_polygamma_n_0""",
    SIGNS: "linalg.eigh linalg.svd",
    FUSED: "nn.functional.scaled_dot_product_attention cdist",
    RARE: """addbmm quantile to sgn __rmod__ __rpow__ rsub tensordot
        linalg.norm linalg.norm.subgradients_at_zero""",
}.items() for name in names.split()}
