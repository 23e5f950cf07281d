"""Layers' larger operations: convolution, pooling, normalisation, embedding, resizing.

A convolution is three linear maps that are each other's derivatives: result from input and weight,
input's gradient from result's and weight, weight's gradient from result's and input.
"""

from ...array.backend import xp
from ...core.op import op
from ...text.tex import SYMBOLS, Symbol, gains, over, phrase, shared
from ..kernels import conv as kernels
from ..kernels.shape import pairs_of

# ---- convolution

convolution = op("convolution", kernels.convolution, keeps=("transposed", "output_padding", "bias_sym_sizes_opt"),
    input  = lambda F, grad, input, weight, stride, padding, dilation, groups: F.convolution_input(
        grad, weight, F.sizes(input), stride, padding, dilation, groups),
    weight = lambda F, grad, input, weight, stride, padding, dilation, groups: F.convolution_weight(
        grad, input, F.sizes(weight), stride, padding, dilation, groups),
    bias   = lambda F, grad: F.per_channel(grad))
convolution_input = op("convolution_input", kernels.conv_input, grad_fn="ConvolutionBackwardBackward0",
    tex=phrase(r"{0:4} \star {1:4}^{{\leftarrow}}", 1),
    grad_output = lambda F, grad, weight, stride, padding, dilation, groups: F.convolve(
        grad, weight, stride, padding, dilation, groups),
    weight      = lambda F, grad, grad_output, weight, stride, padding, dilation, groups: F.convolution_weight(
        grad_output, grad, F.sizes(weight), stride, padding, dilation, groups))
convolution_weight = op("convolution_weight", kernels.conv_weight, grad_fn="ConvolutionBackwardBackward0",
    tex=phrase(r"{1:4} \star {0:4}", 1),
    grad_output = lambda F, grad, input, stride, padding, dilation, groups: F.convolve(
        input, grad, stride, padding, dilation, groups),
    input       = lambda F, grad, grad_output, input, stride, padding, dilation, groups: F.convolution_input(
        grad_output, grad, F.sizes(input), stride, padding, dilation, groups))

# ---- bilinear forms

trilinear = op("trilinear", lambda i1, i2, i3: xp.einsum("bi,kij,bj->bk", i1, i2, i3),
    letters={"i1": "u", "i2": "W", "i3": "v"},
    i1 = lambda F, grad, i2, i3: F.mixed(grad, i2, i3, False),
    i2 = lambda F, grad, i1, i3: F.outer_sum(grad, i1, i3),
    i3 = lambda F, grad, i1, i2: F.mixed(grad, i2, i1, True))

# ---- pooling

max_pool2d_of = op("max_pool2d_with_indices", kernels.max_pool, outputs=("result0", "result1"),
    keeps=("kernel_size", "stride", "padding", "dilation", "ceil_mode"), letters={"result1": "i"},
    self = lambda F, grad, self, result1: F.to_places(grad, self, result1))
adaptive_max_pool2d_of = op("adaptive_max_pool2d", kernels.adaptive_max_pool, outputs=("result0", "result1"),
    letters={"result1": "i"}, **max_pool2d_of.row.derivatives)
avg_pool2d_of = op("avg_pool2d", kernels.avg_pool,
    tex=over(r"\frac{{\mathrm{{sum}}\left({0:4}[\mathrm{{windows}}]\right)}}{{{1}}}"),
    self = lambda F, grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override:
        F.avg_pool2d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
avg_pool2d_backward = op("avg_pool2d_backward", kernels.avg_pool_back, grad_fn="AvgPool2DBackwardBackward0",
    tex=over(r"\sum_{{\mathrm{{windows}}}} \frac{{{0}}}{{{1}}}"),
    grad_output = lambda F, grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override:
        F.avg_pool2d(grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override),
    self = lambda F, grad, self_sym_sizes: F.zeros_as(grad, self_sym_sizes))
two_sided = op("two_sided", kernels.two_sided, self=lambda F, grad, left, right: F.turned_back(grad, left, right))
adaptive_avg_pool2d_of = op("adaptive_avg_pool2d", kernels.adaptive_avg_pool, hidden=("left", "right"),
    self = lambda F, grad, self, left, right: F.tied(F.turned_back(grad, left, right), self))
upsample_nearest1d = op("upsample_nearest1d", lambda self, output_size, scales: kernels.upsampled(
        self, output_size, scales), keeps=("output_size",),
    self = lambda F, grad, self_sym_sizes, scales: F.upsample_back(grad, self_sym_sizes, scales))
upsample_nearest2d = op("upsample_nearest2d", lambda self, output_size, scales_h, scales_w: kernels.upsampled(
        self, output_size, scales_h, scales_w), keeps=("output_size",),
    self = lambda F, grad, self_sym_sizes, scales_h, scales_w: F.upsample_back(
        grad, self_sym_sizes, scales_h, scales_w))
upsample_linear1d = op("upsample_linear1d", lambda self, output_size, align_corners, scales: kernels.resampled(
        self, output_size, align_corners, scales), keeps=("output_size",),
    self = lambda F, grad, self_sym_sizes, align_corners, scales: F.resample_back(
        grad, self_sym_sizes, align_corners, scales))
upsample_bilinear2d = op("upsample_bilinear2d", lambda self, output_size, align_corners, scales_h, scales_w:
        kernels.resampled(self, output_size, align_corners, scales_h, scales_w), keeps=("output_size",),
    self = lambda F, grad, self_sym_sizes, align_corners, scales_h, scales_w: F.resample_back(
        grad, self_sym_sizes, align_corners, scales_h, scales_w))

# ---- normalisation

NORM = {"outputs": ("result0", "result1", "result2"), "keeps": ("weight", "result1", "result2")}
native_layer_norm = op("native_layer_norm", kernels.layer_norm, **NORM, hidden=("eps",), scalars=("eps",),
    input  = lambda F, grad, input, weight, result1, result2, normalized_shape, eps: F.standardized_back(
        F.weighted(grad, weight), input, F.last_dims(normalized_shape), eps, 0, result1, result2),
    weight = lambda F, grad, input, result1, result2, normalized_shape, eps: F.to_last(grad * F.standardized(
        input, F.last_dims(normalized_shape), eps, 0, result1, result2), normalized_shape),
    bias   = lambda F, grad, bias, normalized_shape: F.to_last(grad, normalized_shape))
native_batch_norm = op("native_batch_norm", kernels.batch_norm, **NORM,
    fixed=("running_mean", "running_var"), scalars=("momentum", "eps"),
    input  = lambda F, grad, input, weight, running_var, result1, result2, training, eps: F.batch_norm_back(
        F.scaled_by(grad, weight, input), input, running_var, training, eps, result1, result2),
    weight = lambda F, grad, input, running_mean, running_var, result1, result2, training, eps: F.per_channel(
        grad * F.batch_norm_hat(input, running_mean, running_var, training, eps, result1, result2)),
    bias   = lambda F, grad: F.per_channel(grad))
native_group_norm = op("native_group_norm", kernels.group_norm, scalars=("eps",),
    outputs=("result0", "result1", "result2"), keeps=("weight", "N", "C", "HxW", "result1", "result2"),
    input  = lambda F, grad, input, weight, group, eps: F.standardized_back(
        F.scaled_by(grad, weight, input), input, (2,), eps, group),
    weight = lambda F, grad, input, group, eps: F.per_channel(grad * F.standardized(input, (2,), eps, group)),
    bias   = lambda F, grad: F.per_channel(grad))

# ---- embedding

embedding_of = op("embedding", kernels.embedding, fixed=("indices",), keeps=("sparse",), tex="{0:4}[{1}]",
    weight = lambda F, grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq: F.embedding_backward(
        grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq))
embedding_backward = op("embedding_backward", kernels.embedding_back, fixed=("indices",),
    grad_fn="EmbeddingDenseBackwardBackward0",
    tex=lambda g, i, _count, pad, often: gains(Symbol(f"0[{i}]"), shared(SYMBOLS.without_padding(g, i, pad), i, often)),
    grad_output = lambda F, grad, indices, padding_idx: F.without_padding(F.embedding(
        grad, indices, padding_idx, False, False), indices, padding_idx))

# ---- padding by what is there

reflection_pad1d = op("reflection_pad1d", lambda self, padding: xp.pad(self, pairs_of(padding, self.ndim), "reflect"),
    self = lambda F, grad, self, padding: F.pad_back(grad, self, padding, "reflect"))
reflection_pad2d = op("reflection_pad2d", reflection_pad1d.row.forward, **reflection_pad1d.row.derivatives)
replication_pad1d = op("replication_pad1d", lambda self, padding: xp.pad(self, pairs_of(padding, self.ndim), "edge"),
    self = lambda F, grad, self, padding: F.pad_back(grad, self, padding, "edge"))
replication_pad2d = op("replication_pad2d", replication_pad1d.row.forward, **replication_pad1d.row.derivatives)
