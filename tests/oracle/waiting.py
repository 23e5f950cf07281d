"""What minigrad does not do yet, with the reason: the only such list of the tests.

A test fails as soon as something listed here agrees with torch, so that it is taken out.
"""

COMPLEX = "complex numbers wait"
FUSED = "torch runs one fused kernel here, minigrad shows the composition"
LINALG = "linear algebra beyond teaching waits"
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
    "torch.matrix_exp(x)": LINALG,
    "torch.renorm(x,2,0,1.)": LINALG,
    "F.scaled_dot_product_attention(b[None],b2[None],b[None])": FUSED,
}

SNIPPETS: dict[str, str] = {
    "functional: forward mode": "forward mode waits",
    "functional: torch.func": "torch.func waits",
    "functional: checkpoint": "torch.utils.checkpoint waits",
    "inplace: out=": "out= waits",
    "modes: inference mode": "torch writes into the inference tensor, then refuses; minigrad refuses first",
}
