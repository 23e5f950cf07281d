"""A call or two for every differentiable row of the table, small enough for gradcheck.

`SAMPLES[row]` lists functions of `torch` that return `(args, kwargs)` for the row's callable.
Numbers are float64, distinct, and away from kinks.
"""

from collections.abc import Callable
from typing import Any


def real(*sizes: int, low: float = 0.5, high: float = 1.5, turn: float = 0.0) -> Callable:
    """A leaf of distinct numbers in `[low, high)`; `turn` gives others."""
    count = 1
    for n in sizes:
        count *= n
    values = [low + (high - low) * ((0.618034 * (k + 1) + turn) % 1) for k in range(count)]

    def make(torch: Any) -> Any:
        return torch.tensor(values, dtype=torch.float64).reshape(sizes).requires_grad_()

    return make


def whole(values: Any) -> Callable:
    """A constant: indices, or a mask."""
    return lambda torch: torch.tensor(values)


def fixed(values: Any) -> Callable:
    """A constant of numbers."""
    return lambda torch: torch.tensor(values, dtype=torch.float64)


def array(values: Any) -> Callable:
    """An option of a row: numbers that no tensor holds."""
    return lambda torch: fixed(values)(torch).numpy()


def square(n: int, symmetric: bool = False, turn: float = 0.0) -> Callable:
    """A well-conditioned matrix that requires grad; its gradient may move it out of symmetry."""
    values = [[(2.0 + i if i == j else 0.0) + 0.3 * ((0.618034 * (n * i + j + 1) + turn) % 1)
               for j in range(n)] for i in range(n)]
    if symmetric:
        values = [[(values[i][j] + values[j][i]) / 2 for j in range(n)] for i in range(n)]
    return lambda torch: torch.tensor(values, dtype=torch.float64).requires_grad_()


def on(*args: Any, **options: Any) -> Callable:
    """A sample: functions among the arguments (and in lists) make tensors, the rest is passed on."""

    def made(value: Any, torch: Any) -> Any:
        if isinstance(value, list | tuple) and any(callable(v) for v in value):
            return type(value)(made(v, torch) for v in value)
        return value(torch) if callable(value) else value

    return lambda torch: (tuple(made(a, torch) for a in args), {n: made(v, torch) for n, v in options.items()})


X, Y = real(2, 3), real(2, 3, turn=0.3)
ROW, ONE, SIGNED = real(3, turn=0.7), real(), real(2, 3, low=-1.3, high=1.1)
UNIT = real(2, 3, low=-0.8, high=0.7)
M, N, B, C = real(2, 3), real(3, 4), real(2, 2, 3), real(2, 3, 2)
AT, PICK, MASK = whole([[0, 1, 0], [1, 0, 1]]), whole([1, 0, 1]), whole([[True, False, True], [False, True, True]])

UNARY = {
    SIGNED: "neg exp exp2 expm1 sin cos tan sinh cosh tanh sigmoid relu asinh abs sign sgn floor ceil trunc "
            "round frac sinc atan nan_to_num t alias squeeze clone sum mean max min median amax amin trace "
            "zero",
    X: "reciprocal sqrt rsqrt log log2 log10 log1p prod",
    UNIT: "asin acos atanh",
    real(2, 3, low=1.3, high=2.7): "acosh",
}
BINARY = "add sub rsub mul div pow logaddexp xlogy atan2 hypot maximum minimum fmax fmin remainder fmod".split()

SAMPLES: dict[str, list[Callable]] = {
    **{name: [on(x)] for x, names in UNARY.items() for name in names.split()},
    **{name: [on(X, Y), on(X, ROW)] for name in BINARY},
    # ---- pointwise
    "add_scaled": [on(X, Y, 3.0)],
    "sub_scaled": [on(X, Y, 3.0)],
    "rsub_number": [on(X, 2.0)],
    "mul_scalar": [on(X, 2.0)],
    "div_scalar": [on(X, 2.0)],
    "div_rounded": [on(X, Y, "floor"), on(X, Y, "trunc")],
    "remainder_number": [on(X, 0.7)],
    "fmod_number": [on(X, 0.7)],
    "pow_number": [on(X, 3), on(X, 0.5), on(X, 0)],
    "pow_base": [on(X, 2.0)],
    "round_decimals": [on(X, 1)],
    "tanh_backward": [on(X, UNIT)],
    "sigmoid_backward": [on(X, real(2, 3, low=0.1, high=0.9))],
    "relu_backward": [on(X, whole([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]]))],
    "clamp_numbers": [on(SIGNED, -0.4, 0.6), on(SIGNED, None, 0.6)],
    "clamp_min": [on(SIGNED, 0.1)],
    "clamp_min_tensor": [on(SIGNED, X)],
    "clamp_max_tensor": [on(SIGNED, ROW)],
    "clamp_max": [on(SIGNED, 0.1)],
    "clamp_tensors": [on(real(2, 3, low=0.0, high=3.0), X, real(2, 3, low=1.6, high=2.0))],
    "where": [on(MASK, X, Y), on(MASK, X, ROW)],
    "masked_fill": [on(X, MASK, 0.0)],
    "masked_fill_tensor": [on(X, MASK, ONE)],
    "lerp": [on(X, Y, 0.3)],
    "lerp_tensor": [on(X, Y, real(2, 3, turn=0.6))],
    "addcmul": [on(X, Y, ROW), on(X, Y, ROW, 2.0)],
    "addcdiv": [on(X, Y, ROW), on(X, Y, ROW, 2.0)],
    # ---- reductions
    "sum_dim": [on(X, (0,)), on(X, (0, 1), True), on(ONE, (0,))],
    "sum_as": [on(X, "float64")],
    "mean_dim": [on(X, (1,), False), on(X, (0, 1), True)],
    "renorm": [on(SIGNED, p, 1, 0.8) for p in (1.0, 2, 3.0)],
    "linalg_vector_norm": [on(SIGNED, p, d) for p in (1.0, 2, 3.0, 0.5, float("inf")) for d in (None, (1,))],
    "prod": [on(X), on(whole_with_zero := lambda torch: torch.tensor(
        [2.0, 0.0, 3.0], dtype=torch.float64, requires_grad=True))],
    "prod_dim": [on(X, 1), on(X, 0, True), on(whole_with_zero, 0)],
    "nansum": [on(X, None), on(X, (1,), True)],
    "logsumexp": [on(SIGNED, (0,)), on(SIGNED, (0, 1), True)],
    "amax": [on(SIGNED, (1,)), on(SIGNED, (), True)],
    "amin": [on(SIGNED, (1,)), on(SIGNED, (), True)],
    "aminmax": [on(SIGNED), on(SIGNED, 1)],
    **{name: [on(SIGNED, 1), on(SIGNED, 0, True), on(ONE, 0)] for name in ("max_dim", "min_dim", "median_dim")},
    "kthvalue": [on(SIGNED, 2), on(SIGNED, 1, 0, True)],
    "mode": [on(SIGNED, 1), on(SIGNED, 0, True)],
    "sort": [on(SIGNED), on(SIGNED, 0, True)],
    "sort_stable": [on(SIGNED), on(SIGNED, 0, True)],
    "topk": [on(SIGNED, 2), on(SIGNED, 1, 0, False)],
    **{name: [on(SIGNED), on(SIGNED, (1,), 0, True), on(SIGNED, (0,), 1)]
       for name in ("var", "std", "var_mean", "std_mean")},
    "cumsum": [on(SIGNED, 1), on(ONE, 0)],
    "cumprod": [on(X, 1), on(whole_with_zero, 0)],
    "logcumsumexp": [on(SIGNED, 1)],
    "cummax": [on(SIGNED, 1)],
    "cummin": [on(SIGNED, 0)],
    "dist": [on(X, Y), on(X, Y, 3.0)],
    "cdist": [on(X, real(4, 3, turn=0.2)), on(X, Y, 1.0)],
    # ---- shape
    "view": [on(X, (3, 2))],
    "reshape_alias": [on(X, (3, 2))],
    "contiguous_copy": [on(X)],
    "unsafe_view": [on(X, (6,))],
    "transpose": [on(B, 0, -1)],
    "permute": [on(B, (2, 0, 1))],
    "unsqueeze": [on(X, 1)],
    "squeeze_dim": [on(real(2, 1), 1)],
    "squeeze_dims": [on(real(1, 2, 1), (0, 2))],
    "expand": [on(ROW, (2, 3))],
    "select": [on(X, 1, -1)],
    "slice": [on(X, 1, 0, 3, 2)],
    "diagonal": [on(X, 1)],
    "unfold": [on(X, 1, 2, 1)],
    "split": [on(X, 2, 1)],
    "unsafe_split": [on(X, 2, 1)],
    "split_with_sizes": [on(X, (1, 2), 1)],
    "unbind": [on(X, 1)],
    "as_strided": [on(X, (2, 2), (1, 2), 0, ((2, 3), (3, 1), 0), ((2, 2), (1, 2), 0))],
    "cat": [on([X, Y], 1), on([X, real(1, 3)])],
    "stack": [on([X, Y], 1)],
    "block_diag": [on([X, ROW, ONE])],
    "copy": [on(X, Y), on(X, ROW)],
    "to_copy": [on(X, "float64")],
    "repeat": [on(X, (2, 1, 2))],
    "flip": [on(X, (1,))],
    "roll": [on(X, (1,), (1,)), on(X, (2,), ())],
    "rot90": [on(X, 1, (0, 1))],
    "tril": [on(X), on(X, -1)],
    "triu": [on(X), on(X, 1)],
    "diagonal_copy": [on(X, -1)],
    "diag_embed": [on(X, 1)],
    "diagonal_scatter": [on(X, real(2, turn=0.4))],
    "constant_pad_nd": [on(X, (1, 0, 0, 2)), on(X, (-1, 1), 5.0)],
    "select_back": [on(ROW, (2, 3), 0, 1)],
    "slice_back": [on(ROW, (4,), 0, 0, 3, 1)],
    "diagonal_back": [on(real(2), (2, 3), 0, 0, 1)],
    "unfold_back": [on(real(2, 2), (3,), 0, 2, 1)],
    "repeat_back": [on(real(4, 3), (2, 1), (2, 3))],
    "take_part": [on(X, ((2, 3), (3, 1), 0), ((3,), (1,), 3))],
    "add_part": [on(ROW, ((2, 3), (3, 1), 0), ((3,), (1,), 3)), on(X, ((3,), (1,), 0), ((2, 3), (0, 1), 0))],
    "put_part": [on(X, ROW, ((2, 3), (3, 1), 0), ((3,), (1,), 3))],
    "sum_to": [on(B, (2, 1))],
    "fill": [on(X, 2.0)],
    "fill_tensor": [on(X, ONE)],
    # ---- products and linear algebra
    "mm": [on(M, N)],
    "mv": [on(M, ROW)],
    "dot": [on(ROW, real(3))], "vdot": [on(ROW, real(3))],
    "bmm": [on(B, C)],
    "addmm": [on(real(2, 4), M, N), on(real(4), M, N, 0.5, 2.0)],
    "addmv": [on(real(2), M, ROW, 0.5, 2.0)],
    "addr": [on(X, real(2, turn=0.1), ROW, 0.5, 2.0)],
    "baddbmm": [on(real(2, 2, 2), B, C, 0.5, 2.0)],
    "addbmm": [on(real(2, 2), B, C, 0.5, 2.0)],
    "linalg_cross": [on(X, Y), on(ROW, real(3), 0)],
    "linalg_inv_ex": [on(square(3))],
    "linalg_matrix_exp": [on(square(3)), on(real(2, 2, 2))],
    "linalg_det": [on(square(3)), on(real(2, 2, 2))],
    "linalg_slogdet": [on(square(3))],
    "linalg_solve_ex": [on(square(3), real(3, 2)), on(square(3), ROW), on(square(3), real(2, 3), False)],
    "linalg_pinv": [on(real(2, 3)), on(real(3, 2))],
    "linalg_lstsq": [on(real(3, 2), real(3, 2, turn=0.2))],
    "linalg_cholesky_ex": [on(square(2, symmetric=True))],
    "linalg_eigh": [on(square(3, symmetric=True))],
    "linalg_svd": [on(square(3), False), on(real(2, 3), False)],
    "linalg_qr": [on(square(3)), on(real(3, 2)), on(real(2, 3))],
    # ---- indexing
    "index": [on(X, (PICK,)), on(X, (None, PICK)), on(X, (MASK,))],
    "index_back": [on(real(3, 3), (PICK,), (2, 3))],
    "index_put": [on(X, real(2, 3, turn=0.9), (whole([1, 0]),), False), on(X, real(3, 3), (PICK,), True)],
    "gather": [on(X, AT, 0), on(X, whole([[2, 0]]), 1)],
    "scatter": [on(X, AT, Y, 0), on(X, whole([[2, 0]]), real(1, 2), 1)],
    "scatter_value": [on(X, AT, 0, 2.0)],
    "scatter_add": [on(X, whole([[0, 0, 1], [1, 0, 1]]), Y, 0)],
    "index_select": [on(X, PICK, 0)],
    "index_add": [on(X, whole([1, 1]), Y, 0), on(X, whole([0, 1]), Y, 0, 2.0)],
    "index_copy": [on(X, whole([1, 0]), Y, 0)],
    "index_fill": [on(X, whole([1]), 0, 2.0)],
    "index_fill_tensor": [on(X, whole([1]), ONE, 0)],
    "masked_select": [on(X, MASK), on(X, whole([True, False, True]))],
    "masked_scatter": [on(X, MASK, Y)],
    "take": [on(X, whole([0, 5, 0]))],
    "put": [on(X, whole([0, 5]), real(2), False), on(X, whole([0, 0]), real(2), True)],
    "select_scatter": [on(X, ROW, 0, 1)],
    "slice_scatter": [on(X, real(2, 2), 1, 0, 2)],
}


IMAGE, KERNEL, BIAS = real(1, 2, 4, 4), real(2, 2, 2, 2), real(2, turn=0.4)
CLASSES, COUNTS = whole([2, 0]), whole([[0, 2], [1, 1]])
WIDE = real(2, 3, low=-2.3, high=2.1)

SAMPLES |= {
    # ---- activations and special functions
    **{name: [on(WIDE)] for name in ("hardsigmoid", "hardswish", "silu", "mish", "erf", "erfc", "log_sigmoid")},
    "leaky_relu": [on(SIGNED, 0.1)],
    "prelu_kernel": [on(SIGNED, real(1, 3))],
    "rrelu_with_noise": [on(SIGNED, fixed([[0.2] * 3] * 2), 0.1, 0.3, True)],
    "threshold": [on(SIGNED, 0.1, 2.0)],
    "hardtanh": [on(SIGNED, -0.4, 0.6)],
    "tied": [on(X, Y)],
    "hardshrink": [on(SIGNED, 0.3)],
    "softshrink": [on(SIGNED, 0.3)],
    "elu": [on(SIGNED, 1.5, 1, 1)],
    "celu": [on(SIGNED, 1.5)],
    "gelu": [on(SIGNED, "none"), on(SIGNED, "tanh")],
    "softplus": [on(SIGNED, 1, 20), on(SIGNED, 2, 1)],
    "glu": [on(real(2, 4), -1)],
    "softmax": [on(SIGNED, 1), on(SIGNED, 0)],
    "log_softmax": [on(SIGNED, 1), on(SIGNED, 0)],
    "logit": [on(real(2, 3, low=0.1, high=0.9), None)],
    "erfinv": [on(UNIT)],
    "lgamma": [on(X)],
    "digamma": [on(X)],
    "polygamma": [on(X, 1)],
    "add_scalar": [on(X, 2.0)],
    "sub_scalar": [on(X, 2.0)],
    "norm_dim": [on(SIGNED, 2.0, (1,), False), on(SIGNED, 3.0, (1,), True)],
    "leaky_relu_written": [on(SIGNED, 0.1)],
    "elu_written": [on(SIGNED, 1.5, 1, 1)],
    "celu_written": [on(SIGNED, 1.5)],
    "threshold_written": [on(SIGNED, 0.1, 2.0)],
    "rrelu_written": [on(SIGNED, fixed([[0.2] * 3] * 2), 0.1, 0.3, True)],
    "safe_softmax": [on(SIGNED, 1)],
    # ---- comparisons in place
    **{f"{name}_{kind}_": [on(X, other)] for name in "eq ne lt le gt ge".split()
       for kind, other in (("number", 0.9), ("tensor", Y))},
    # ---- losses
    "nll_loss": [on(SIGNED, CLASSES, None, r, -100) for r in (0, 1, 2)],
    "nll_loss2d": [on(real(1, 3, 2, 2), whole([[[0, 2], [1, 1]]]), None, r, -100) for r in (0, 1, 2)],
    "nll_loss_backward": [on(ONE, X, CLASSES, None, fixed(2.0), 1, -100)],
    "mse_loss": [on(X, Y, r) for r in (0, 1, 2)],
    "soft_margin_loss": [on(X, fixed([[1, -1, 1], [-1, -1, 1]]), r) for r in (0, 1, 2)],
    "smooth_l1_loss": [on(X, real(2, 3, low=-1, turn=0.2), r, 0.7) for r in (0, 1)],
    "huber_loss": [on(X, real(2, 3, low=-1, turn=0.2), r, 0.7) for r in (0, 1)],
    "binary_cross_entropy": [on(real(2, 3, low=0.1, high=0.9), real(2, 3, low=0.2, high=0.8), None, r)
                             for r in (0, 1)],
    "binary_cross_entropy_with_logits": [on(SIGNED, real(2, 3, low=0.2, high=0.8), None, None, r) for r in (0, 1)],
    # ---- convolutions, pools, paddings
    "convolution": [on(IMAGE, KERNEL, BIAS, (1, 1), (0, 0), (1, 1), False, (0, 0), 1, (2,)),
                    on(IMAGE, KERNEL, None, (2, 1), (1, 0), (1, 2), False, (0, 0), 1, (0,)),
                    on(real(1, 2, 2, 2), KERNEL, None, (2, 2), (0, 0), (1, 1), True, (0, 0), 1, (0,))],
    "convolution_input": [on(real(1, 2, 3, 3), KERNEL, (1, 2, 4, 4), (1, 1), (0, 0), (1, 1), 1)],
    "convolution_weight": [on(real(1, 2, 3, 3), IMAGE, (2, 2, 2, 2), (1, 1), (0, 0), (1, 1), 1)],
    "trilinear": [on(X, real(2, 3, 3), Y)],
    "max_pool2d_with_indices": [on(IMAGE, (2, 2), (2, 2), (0, 0), (1, 1), False)],
    "adaptive_max_pool2d": [on(IMAGE, (2, 1))],
    "avg_pool2d": [on(IMAGE, (2, 2), (), (1, 1), False, True, None)],
    "avg_pool2d_backward": [on(real(1, 2, 2, 2), IMAGE, (2, 2), (), (0, 0), False, True, None)],
    **{name: [on(IMAGE, array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]), array([[0.25] * 4]))]
       for name in ("two_sided", "adaptive_avg_pool2d")},
    "upsample_nearest1d": [on(real(1, 2, 3), (6,), None)],
    "upsample_nearest2d": [on(real(1, 1, 2, 2), (4, 4), None, None)],
    "upsample_linear1d": [on(real(1, 2, 3), (5,), True, None)],
    "upsample_bilinear2d": [on(real(1, 1, 2, 2), (4, 3), False, 2.0, None)],
    **{f"{kind}_pad1d": [on(real(2, 4), (1, 2))] for kind in ("reflection", "replication")},
    **{f"{kind}_pad2d": [on(IMAGE, (1, 2, 0, 1))] for kind in ("reflection", "replication")},
    # ---- norms and embeddings
    "native_layer_norm": [on(X, ROW, real(3), (3,), 1e-5), on(X, None, None, (3,), 1e-5)],
    "native_batch_norm": [on(real(4, 2), BIAS, real(2), None, None, True, 0.1, 1e-5)],
    "native_group_norm": [on(real(2, 4), real(4, turn=0.2), real(4), 2, 4, 1, 2, 1e-5)],
    "embedding": [on(X, whole([[0, 1], [1, 1]]), -1, False, False)],
    "embedding_backward": [on(real(2, 2, 3), whole([[0, 1], [1, 1]]), 2, -1, False)],
}

# Rows without a sample, and why; rows that torch differentiates only once.
NO_SAMPLE = {
    "floor_divide": "has no derivative: backward says so",
    "heaviside": "has no derivative: backward says so",
    "scatter_reduced": "has no derivative: backward says so",
    "_unique2": "torch does not differentiate unique",
    "cdist_back": "torch differentiates cdist once only",
    "hardsigmoid_backward": "torch differentiates hardsigmoid once only",
    **dict.fromkeys("normal uniform random_between random_below bernoulli bernoulli_values normal_mean normal_std "
                    "normal_both".split(),
                    "draws new numbers at every call"),
    **dict.fromkeys("acosh_ asinh_ atanh_".split(), "torch does not differentiate it in place"),
}
ONCE = {name: f"torch differentiates {name} once only" for name in ("cdist", "hardsigmoid")}
