"""`python -m tests.oracle.signatures`: writes `minigrad/text/signatures.txt`, what PyTorch's functions take.

The signatures stand as text in PyTorch's own library, one list for functions and methods. Which of them belong to
`torch.NAME` is told by their first parameter, and their order by PyTorch itself, where it lists them in a complaint.
"""

import re
from collections import defaultdict
from pathlib import Path
from types import BuiltinFunctionType, MethodDescriptorType

FILE = Path(__file__).parent.parent.parent / "minigrad" / "text" / "signatures.txt"
SIGNATURE = re.compile(rb"\x00([a-z_]\w*\([^\x00\n]*\)(?:\|deprecated)?)(?=\x00)")
WORDS = {"Scalar": "Number", "int64_t": "int", "SymInt": "int", "double": "float", "ScalarType": "torch.dtype",
         "Layout": "torch.layout", "Device": "torch.device", "MemoryFormat": "torch.memory_format",
         "Generator": "torch.Generator", "string_view": "str", "string": "str", "IntArrayRef": "tuple of ints",
         "SymIntArrayRef": "tuple of ints", "ArrayRef<double>": "tuple of floats", "TensorList": "tuple of Tensors",
         "List<::std::optional<Tensor>>": "tuple of Tensors",
         "ScalarList": "tuple of Scalars", "PyObject*": "object", "Storage": "torch.Storage"}
# functions that those of `torch.nn.functional` call, or are
OF_NETWORKS = """adaptive_avg_pool2d avg_pool2d batch_norm binary_cross_entropy_with_logits cosine_embedding_loss
    cross_entropy_loss dropout elu elu_ embedding gelu glu hardtanh hardtanh_ hinge_embedding_loss kl_div layer_norm
    leaky_relu leaky_relu_ linear log_sigmoid margin_ranking_loss nll_loss_nd one_hot pad poisson_nll_loss
    scaled_dot_product_attention soft_margin_loss softplus softshrink triplet_margin_loss"""
PARAMETER = re.compile(r"\*|(?:std::|c10::)*([\w<>*:]+)(\[\d\])?(\?)? (\w+)(=.*)?")


def in_torchs_words(signature: str) -> str:
    """A signature as messages print it, but for `[1]` and `?`."""
    def parameter(text: str) -> str:
        if text == "*":
            return text
        kind, alone, nullable, word, default = PARAMETER.fullmatch(text).groups("")
        return f"{WORDS.get(kind, kind)}{alone}{nullable} {word}{default.replace('=', ' = ', 1)}"

    name, old = signature.partition("(")[0], signature.rpartition(")")[2]
    return f"{name}({', '.join(map(parameter, parameters_of(signature)))}){old}"


def parameters_of(signature: str) -> list[str]:
    return [part for part in signature[signature.index("(") + 1 : signature.rindex(")")].split(", ") if part]


def bare(signature: str) -> str:
    """A signature's parameters as messages print them."""
    return re.sub(r"\[\d\]|\?", "", signature[signature.index("(") : signature.rindex(")") + 1])


def listed(call) -> list[str]:
    """The parameters of the signatures that torch lists, in its order, where nothing fits; `()` where it takes none."""
    try:
        call(*[object()] * 30)
    except TypeError as error:
        return re.findall(r"^ \* (\(.*\))$", str(error), re.M) or ["()"] * str(error).startswith("Tensor.")
    return []


def written(torch, ours) -> str:
    """The file, for the functions and the methods that are torch's and `ours`."""
    found = defaultdict(list)
    library = Path(torch.__file__).parent / "lib" / "libtorch_python.so"
    for text in SIGNATURE.findall(library.read_bytes()):
        signature = text.decode()
        if all(PARAMETER.fullmatch(part) for part in parameters_of(signature)):
            found[signature.partition("(")[0]].append(in_torchs_words(signature))
    lines = []
    for home, theirs, mine, kind in (("torch", torch, ours, BuiltinFunctionType),
                                     ("Tensor", torch.Tensor, ours.Tensor, MethodDescriptorType)):
        of_networks = {name: getattr(torch._C._nn, name, None) or getattr(torch, name)
                       for name in OF_NETWORKS.split() if home == "torch"} | {
            f"linalg_{name}": call for name, call in vars(torch.linalg).items()
            if home == "torch" and isinstance(call, BuiltinFunctionType) and name in dir(ours.linalg)}
        called = {name: getattr(theirs if home == "torch" else torch.ones(2), name) for name in dir(mine)
                  if name[0] != "_" and isinstance(getattr(theirs, name, None), kind)}
        for name, call in sorted((called | of_networks).items()):
            order = listed(call)
            of_functions = [s for s in found[name] if "Tensor input" in s]
            own = (home == "torch" and of_functions) or [
                s for s in found[name] if s not in of_functions and "torch.Storage" not in s]
            if order == ["()"]:
                own = [f"{name}()"]
            elif order:
                own = sorted((s for s in found[name] if bare(s) in order), key=lambda s: order.index(bare(s))) + [
                    s for s in own if s.endswith("deprecated")]
            lines += [f"{home}.{signature}" for signature in own]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    import torch

    import minigrad

    FILE.write_text(written(torch, minigrad), "utf-8")
