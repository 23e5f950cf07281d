"""What older PyTorches named and said differently: one table, read by version.

A history is a string of changes, `"0.3 MeanBackward1, 1.1 MeanBackward0"`: from which version on, what. From
1.0 on every entry was read off real PyTorches (1.0.0 to 1.10.2, and 2.13.0) on Linux; what stands before comes
from sources and notebooks. Between 1.10 and 2.13 nothing was run, so those versions are not offered. Where one
node had several names (`reshape`: AsStridedBackward up to 1.3, ReshapeAliasBackward0 in 1.10; `contiguous`,
`relu_`) it shows the commonest.
"""

Version = tuple[int, ...]

KNOWN = ("0.2.0 0.3.0 0.3.1 0.4.0 0.4.1 1.0.0 1.0.1 1.1.0 1.2.0 1.3.0 1.3.1 1.4.0 1.5.0 1.5.1 1.6.0 "
         "1.7.0 1.7.1 1.8.0 1.8.1 1.9.0 1.9.1 1.10.0 1.10.1 1.10.2 2.13.0").split()


def parsed(version: str) -> Version:
    """`"1.10.2"` as numbers, which compare."""
    return tuple(map(int, version.split(".")))


def entry_at(version: Version, history: str) -> str:
    """What a history says of a version: the last change that is not later."""
    changes = (change.split() for change in history.split(", "))
    return [name for since, name in changes if parsed(since) <= version][-1]


# ---- names of nodes, by today's name; after a space, what the name alone does not tell: that the
# other operand is a tensor (one of equal shape that needs no gradient passes for a number), that the
# norm is not the 2-norm, that what was copied into had no history (so `.grad` is made).
NAMES = {
    "AddBackward0":        "0.2 AddConstantBackward, 0.3 AddBackward0, 0.4.1 AddBackward, 1.0 AddBackward0",
    "AddBackward0 tensor": "0.2 AddBackward, 0.3 AddBackward1, 0.4.1 ThAddBackward, 1.0 AddBackward0",
    "SubBackward0":        "0.2 SubConstantBackward, 0.3 SubBackward0, 0.4.1 SubBackward, 1.0 SubBackward0",
    "SubBackward0 tensor": "0.2 SubBackward, 0.3 SubBackward1, 0.4.1 ThSubBackward, 1.0 SubBackward0",
    "MulBackward0":        "0.2 MulConstantBackward, 0.3 MulBackward0, 0.4.1 MulBackward, 1.0 MulBackward0",
    "MulBackward0 tensor": "0.2 MulBackward, 0.3 MulBackward1, 0.4.1 ThMulBackward, 1.0 MulBackward0",
    "DivBackward0":        "0.2 DivConstantBackward, 0.3 DivBackward0",
    "DivBackward0 tensor": "0.2 DivBackward, 0.3 DivBackward1, 1.0 DivBackward0",
    "PowBackward2":        "0.2 PowConstantBackward, 0.3 PowBackward1, 2.13 PowBackward2",
    "MeanBackward0":       "0.2 MeanBackward, 0.3 MeanBackward1, 1.1 MeanBackward0",
    "MeanBackward1":       "0.2 MeanBackward, 0.3 MeanBackward0, 1.1 MeanBackward2, 1.2 MeanBackward1",
    "SumBackward1":        "0.2 SumBackward, 0.3 SumBackward2, 1.2 SumBackward1",
    "StdBackward0":        "0.2 StdBackward, 0.3 StdBackward0, 1.9 StdBackward, 1.10 StdBackward0",
    "VarBackward0":        "0.2 VarBackward, 0.3 VarBackward0, 1.9 VarBackward, 1.10 VarBackward0",
    "CumsumBackward0":     "0.2 CumsumBackward, 0.3 CumsumBackward0, 1.2 CumsumBackward, 1.10 CumsumBackward0",
    "LinalgVectorNormBackward0":
        "0.2 NormBackward, 0.3 NormBackward0, 1.7 CopyBackwards, 2.13 LinalgVectorNormBackward0",
    "LinalgVectorNormBackward0 p":
        "0.2 NormBackward, 0.3 NormBackward0, 1.7 NormBackward1, 2.13 LinalgVectorNormBackward0",
    "BmmBackward0":        "0.2 BaddbmmBackward, 0.3 BmmBackward, 1.6 BmmBackward0",
    "TBackward1":          "0.2 TransposeBackward, 0.3 TBackward, 1.10 TBackward1",
    "SqueezeBackward4":    "0.2 SqueezeBackward, 0.3 SqueezeBackward3, 2.13 SqueezeBackward4",
    "ClampBackward1":      "0.2 ClampBackward, 1.9 ClampBackward1",
    "MaximumBackward0":    "0.2 CmaxBackward, 0.3 MaxBackward2, 1.7 MaximumBackward, 1.10 MaximumBackward0",
    "MinimumBackward0":    "0.2 CminBackward, 0.3 MinBackward2, 1.7 MinimumBackward, 1.10 MinimumBackward0",
    "WhereBackward0":      "0.2 SWhereBackward, 1.10 SWhereBackward0, 2.13 WhereBackward0",
    "ToCopyBackward0":     "0.2 TypeBackward, 0.3 CopyBackwards, 1.10 ToCopyBackward0",
    "FillBackward2":       "0.2 FillBackward, 0.3 FillBackward0, 2.13 FillBackward2",
    "CopyBackwards grad":  "0.2 CloneBackward, 1.6 CopyBackwards"}
# names that were another word in 0.2 alone; since then they follow the rule for digits
IN_0_2 = {
    "NegBackward0": "NegateBackward", "PowBackward0": "PowConstantBackward", "RsubBackward1": "SubConstantBackward",
    "MmBackward0": "AddmmBackward", "MvBackward0": "AddmvBackward", "TBackward0": "TransposeBackward",
    "SelectBackward0": "IndexBackward", "SliceBackward0": "IndexBackward", "CatBackward0": "ConcatBackward",
    "ReluBackward0": "ThresholdBackward"}

# ---- errors and warnings, by key: `(since, until, pattern, replacement)`, applied to today's text in the
# versions from `since` on and before `until`; a warning with nothing left was not given yet.

_FREED = ("Trying to backward through the graph a second time, but the {} have already been freed. "
          "Specify retain_graph=True when calling {} the first time.")
_WHOLE_TEXT = r"^.*$"

MESSAGES: dict[str, tuple[tuple[str, str, str, str], ...]] = {
    "freed": (
        ("0.2", "1.6", _WHOLE_TEXT, _FREED.format("buffers", "backward")),
        ("1.6", "1.8", _WHOLE_TEXT, _FREED.format("saved intermediate results", "backward")),
        ("1.8", "1.9", _WHOLE_TEXT, _FREED.format("saved intermediate results", ".backward() or autograd.grad()")),
        ("1.9", "1.10", "saved tensors", "saved variables")),
    "leaf_in_place": (("0.2", "1.5", "is being used", "has been used"),), "modified": (("0.2", "1.1", ": .*$", ""),),
    "hint": (("0.2", "2.13", ", check_nan=False", ""),),
    "unused_input": (("0.2", "2.13", "The differentiated Tensor at index .* appears",
                      "One of the differentiated Tensors appears"),),
    "gradient_shape": (
        ("0.2", "1.3", r"^.*output\[(\d+)\] has a shape of torch.Size\((.*)\) and .* of torch.Size\((.*)\)\.$",
         r"invalid gradient at index \1 - got \2 but expected shape compatible with \3"),),
    "grad_shape": (("0.2", "2.13", _WHOLE_TEXT, "assigned grad has data of a different size"),),
    "grad_kind": (("0.2", "1.10", r"^.*of type (\w+)$", r"expected Variable or None (got \1)"),
                  ("1.10", "2.13", "of type ", "of type")),
    "numpy_requires_grad": (("0.2", "1.6", r"on Tensor(.*)Use tensor\.", r"on Variable\1Use var."),),
    "ambiguous_bool": (("0.2", "1.6", "^Boolean", "bool"),), "float_only": (("0.2", "1.6", " and complex", ""),),
    "many_elements": (("0.2", "2.13", _WHOLE_TEXT, "only one element tensors can be converted to Python scalars"),),
    "deepcopy_of_non_leaf": (("0.2", "2.13", r"moment\..*$", "moment"),),
    "non_leaf_grad": (
        ("0.2", "1.5", _WHOLE_TEXT, ""),
        ("1.5", "1.9", r"want the \.grad field to be populated for(.*)\.$", r"want the gradient for\1s."),
        ("1.9", "1.10", r"want the \.grad field to be populated for", "want the gradient for")),
    "create_graph": (("0.2", "1.10", _WHOLE_TEXT, ""),), "t_of_other_ranks": (("0.2", "2.13", _WHOLE_TEXT, ""),),
    "step_too_early": (("0.2", "1.1", _WHOLE_TEXT, ""),)}

KINDS = {
    "many_elements": "0.2 ValueError, 2.13 RuntimeError", "grad_kind": "0.2 RuntimeError, 1.10 TypeError",
    "hook_kind": "0.2 TypeError, 1.5 RuntimeError, 1.7 TypeError"}

# ---- names that did not exist yet: `(since, owner, name)`
LATER_NAMES = (("1.2", "random", "seed"), ("1.2", "Tensor", "T"))
