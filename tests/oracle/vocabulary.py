"""The phrases that random programs are made of: templates, with the shape that results.

`{t}` and `{u}` are tensors (`u` broadcasts to `t`), `{k}` a number, `{leaf}` a leaf, `{h}` half of
the first length. A phrase that keeps the shape stands in a plain list; where the shape changes, a
function of the shape stands beside the phrase.
"""

import re
from math import prod


def phrases(text: str) -> list[str]:
    """Phrases are separated by ` | `, lines by nothing but taste."""
    return re.split(r"\s+\|\s+", text.strip())


NUMBERS = phrases("2 | -1 | 0.5 | 3 | 1.5 | -0.25 | 0.125 | 1")

POINTWISE = phrases("""
    -{t} | {t}.abs() | {t}.relu() | {t} ** 2 | {t}.square() | {t} * {k} | {k} * {t} | {t} + {k} |
    {k} - {t} | {t} - {k} | {t} / 2 | {t} * {t} | {t}.clamp(-1, 1) | {t}.clone() | {t} ** 3 |
    torch.ones_like({t}) | F.relu({t}) | {t}.clamp(min=0.5) | {t}.double() | {t} / 0.25
""")

ARITHMETIC = phrases("""
    {t} + {u} | {t} - {u} | {t} * {u} | torch.maximum({t}, {u}) | torch.mul({t}, {u}) |
    {t} * {u} + {t} | {t}.add({u}, alpha=2)
""")

TRANSCENDENTAL = phrases("""
    {t}.exp() | {t}.sin() | {t}.tanh() | {t}.sigmoid() | ({t}.abs() + 1).log() | {t}.cos() |
    ({t} * {t} + 1).sqrt() | {t} / ({u} ** 2 + 1) | F.softmax({t}.reshape(-1), 0).sum() * {t} |
    {t}.norm() * {u} | ({t}.abs() + 1) ** {u} | F.softplus({t}) | 2 ** {t} |
    ({t} + 20).reciprocal() | F.gelu({t}) | F.silu({t})
""")

# what makes the numbers of a program depend on the last place
INEXACT = re.compile(
    r"exp|log|sin|cos|tanh|sigmoid|sqrt|softmax|softplus|gelu|silu|norm|2 \*\* t|\*\* t|/ \(|recip"
)

RESHAPED = {
    "{t}.view(-1)": lambda s: (prod(s),),
    "{t}.reshape(-1)": lambda s: (prod(s),),
    "{t}.flatten()": lambda s: (prod(s),),
    "{t}[None]": lambda s: (1, *s),
    "{t}.unsqueeze(-1)": lambda s: (*s, 1),
    "{t}.expand(2, *{t}.shape)": lambda s: (2, *s),
    "{t}.squeeze()": lambda s: tuple(n for n in s if n != 1),
}
TURNED = {
    "{t}.transpose(-1, -2)": lambda s: (*s[:-2], s[-1], s[-2]),
    "{t}.mT": lambda s: (*s[:-2], s[-1], s[-2]),
    "{t}.permute(*reversed(range({t}.dim())))": lambda s: s[::-1],
    "{t}.view({t}.shape[1], -1)": lambda s: (s[1], prod(s) // s[1]),
    "{t}.reshape({t}.shape[1], -1)": lambda s: (s[1], prod(s) // s[1]),
}
TURNED_MATRIX = {"{t}.t()": lambda s: s[::-1], "{t}.T": lambda s: s[::-1]}

# of tensors whose lengths are two or more
PARTS = {
    "{t}[0]": lambda s: s[1:],
    "{t}[-1]": lambda s: s[1:],
    "{t}[{h}:]": lambda s: (s[0] // 2, *s[1:]),
    "{t}[:{h}]": lambda s: (s[0] // 2, *s[1:]),
    "{t}[::2]": lambda s: (s[0] // 2, *s[1:]),
    "{t}[...]": lambda s: s,
    "{t}[:]": lambda s: s,
    "{t}[..., 0]": lambda s: s[:-1],
    "{t}.narrow(0, 0, {h})": lambda s: (s[0] // 2, *s[1:]),
    "{t}.select(0, 1)": lambda s: s[1:],
}
MATRIX_PARTS = {
    "{t}[:, 0]": lambda s: s[:1] + s[2:],
    "{t}[:, ::2]": lambda s: (s[0], s[1] // 2, *s[2:]),
    "{t}[0, 1]": lambda s: s[2:],
    "{t}.diagonal()": lambda s: (*s[2:], min(s[:2])),
}
SEVERAL = {
    "{t}.unbind()": lambda s: s[1:],
    "{t}.split(1)": lambda s: (1, *s[1:]),
    "{t}.chunk(2)": lambda s: (1, *s[1:]),
}
GATHERED = {
    "{t}[[1, 0]]": lambda s: (2, *s[1:]),
    "{t}[torch.tensor([0, 0, 1, 1])]": lambda s: (4, *s[1:]),
    "torch.cat([{t}, {t}])": lambda s: (2 * s[0], *s[1:]),
    "torch.stack([{t}, {t}], -1)": lambda s: (*s, 2),
    "torch.where({t} > 0, {t}, {t} * 2)": lambda s: s,
    "{t}.masked_fill({t} > 0, 0.5)": lambda s: s,
    "{t}.flip(0)": lambda s: s,
    "{t}.cumsum(0)": lambda s: s,
    "{t}.sort(0)[0]": lambda s: s,
    "{t}.roll(1, 0)": lambda s: s,
    "{t}.round()": lambda s: s,
    "({t} > 0) * {t}": lambda s: s,
    "{t}.float()": lambda s: s,
    "{t}.gather(0, torch.zeros_like({t}, dtype=torch.int64))": lambda s: s,
    "{t}.index_select(0, torch.tensor([1, 1]))": lambda s: (2, *s[1:]),
    "{t}.max(0)[0]": lambda s: s[1:],
    "{t}.prod(0)": lambda s: s[1:],
    "{t}.tile(2)": lambda s: (*s[:-1], 2 * s[-1]),
    "{t}.as_strided((2,), (1,))": lambda s: (2,),
    "{t}.unfold(0, 2, 2)": lambda s: (s[0] // 2, *s[1:], 2),
    "F.pad({t}, (1, 1))": lambda s: (*s[:-1], s[-1] + 2),
}

SHOWN = phrases("""
    {t} | {t}, {t}._version | walk({t}) | {t}.grad | {t}.is_leaf, {t}.requires_grad | {t}.grad_fn |
    {t}.shape, {t}.dtype, {t}.stride() | {t}.tolist() | {t}.retains_grad, {t}.output_nr
""")
SHOWN_OF_VIEWS = phrases("""
    {t}._version, {u}._version | {t}._base is {u} | {t}._is_view() | walk({t}) |
    {t}.data_ptr() == {u}.data_ptr() | {t}.is_contiguous()
""")
DETACHED = phrases("{t}.detach() | {t}.data | {t}.detach().clone().requires_grad_() | {t}.detach()")

CHANGES = phrases("""
    {t}.add_({u}) | {t}.mul_({u}) | {t}.mul_({k}) | {t}.sub_({u}) | {t} += {u} | {t} *= {k} |
    {t}.neg_() | {t}.relu_() | {t}.zero_() | {t}.fill_({k}) | {t}.copy_({u}) | {t}.pow_(2) |
    {t}.clamp_(-1, 1) | {t}.div_(2) | {t} -= {k} | {t}.add_({k}) | {t}[...] = {k} | {t}.abs_() |
    {t}.square_()
""")
MORE_CHANGES = phrases("""
    {t}.exp_() | {t}.tanh_() | {t}[{t} > 0] = 0 | {t}[[1, 0]] = {u} | {t}.masked_fill_({t} > 0, 1) |
    {t}.data.mul_(2) | {t}.detach_() | {t}.fill_({u}.sum()) | {t}[{t} > 0] *= 2 | {t}.sigmoid_() |
    {t}.requires_grad_(False) | {t}.unsqueeze_(0).squeeze_(0) | {t}.data = {t}.data * 2 |
    {t}.index_add_(0, torch.tensor([0]), {t}[:1] * 2)
""")

HOOKS = phrases("""
    register_hook(lambda g: print('{t}', g)) | register_hook(lambda g: g * 2) |
    register_hook(lambda g: g + 1) | register_hook(lambda g: print('{t} again', g)) |
    register_post_accumulate_grad_hook(lambda p: print('{t} got', p.grad)) |
    grad_fn.register_prehook(lambda gs: print('{t} pre', gs)) |
    grad_fn.register_hook(lambda gi, go: print('{t} post', gi, go)) |
    grad_fn.register_prehook(lambda gs: tuple(None if g is None else g * 3 for g in gs))
""")
PACKING = phrases("""
    lambda s: print('pack', s) or s, lambda s: print('unpack', s) or s |
    lambda s: s.detach().clone(), lambda s: s
""")
BACKWARD = phrases("""
    create_graph=True | inputs=[{u}] | retain_graph=True | inputs=[{leaf}], retain_graph=True
""")
SECOND = phrases("""
    ({g} * {g}).sum().backward() | {g}.sum().backward(retain_graph=True) |
    torch.autograd.grad({g}.sum(), {leaf}, allow_unused=True) |
    torch.autograd.grad(({g} * {t}).sum(), {leaf}, allow_unused=True)
""")

FUNCTION = """class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return {forward}
    @staticmethod
    def backward(ctx, g): {backward}"""
FORWARD = phrases("x * 2 | x * x | x.clone() | x")
FUNCTION_BACKWARD = phrases("""
    return g * 2 | x, = ctx.saved_tensors; return g * x |
    print(ctx.needs_input_grad, g); return g | return None
""")
