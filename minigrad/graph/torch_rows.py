"""Rows of nodes that torch alone has: nothing records them; their rules are read where they give what torch gave."""

from typing import Any

from ..core.row import TABLE, Row


def scaled(F: Any, x: Any, query: Any, scale: Any) -> Any:
    """By what was asked for, else by the root of the number of features."""
    return x / F.sqrt(F.count(F.sizes(query), -1)) if scale is None else x * scale


def weights(F: Any, query: Any, key: Any, logsumexp: Any, is_causal: Any, attn_mask: Any, scale: Any) -> Any:
    """How much each query attends to each key."""
    scores = scaled(F, query @ F.mT(key), query, scale)
    shares = F.exp((scores if attn_mask is None else scores + attn_mask) - F.unsqueeze(logsumexp, -1))
    return F.tril(shares, 0) if "True" in f"{is_causal}" else shares


def slope(F: Any, grad: Any, value: Any, output: Any, *scores: Any) -> Any:
    """The gradient of what softmax is given."""
    return weights(F, *scores) * (grad @ F.mT(value) - F.sum_dim(grad * output, -1, True))


ROWS = [
    Row("scaled_dot_product_flash_attention_for_cpu", lambda query, key, value: None,
        query = lambda F, grad, query, key, value, output, logsumexp, is_causal, attn_mask, scale: scaled(F, slope(
            F, grad, value, output, query, key, logsumexp, is_causal, attn_mask, scale) @ key, query, scale),
        key   = lambda F, grad, query, key, value, output, logsumexp, is_causal, attn_mask, scale: scaled(F, F.mT(slope(
            F, grad, value, output, query, key, logsumexp, is_causal, attn_mask, scale)) @ query, query, scale),
        value = lambda F, grad, query, key, logsumexp, is_causal, attn_mask, scale: F.mT(weights(
            F, query, key, logsumexp, is_causal, attn_mask, scale)) @ grad),
    Row("convolution", lambda input, weight, bias: None, grad_fn="ConvolutionBackward0Transposed",  # one run backward
        input=TABLE["convolution_input"].derivatives["grad_output"], bias=TABLE["convolution"].derivatives["bias"],
        weight = lambda F, grad, input, weight, stride, padding, dilation, groups: F.convolution_weight(
            input, grad, F.sizes(weight), stride, padding, dilation, groups)),
    Row("mse_loss_backward", lambda grad_output, self, target: None, letters=TABLE["mse_loss"].letters,
        grad_output = lambda F, grad, self, target, reduction: F.sum(
            2 * (self - target) * F.reduced(grad, self, reduction)),
        self   = lambda F, grad, grad_output, self, reduction: 2 * F.reduced(grad_output, self, reduction) * grad,
        target = lambda F, grad, grad_output, self, reduction: -2 * F.reduced(grad_output, self, reduction) * grad),
    Row("sparse_addmm", lambda self, mat1, mat2: None, self=lambda grad: grad,
        mat1 = lambda F, grad, mat1, mat2: F.where(mat1 != 0, grad @ F.mT(mat2), 0.0),
        mat2 = lambda F, grad, mat1: F.mT(mat1) @ grad),
    Row("weight_norm_interface", lambda v, g, dim: None,
        v = lambda F, grad, v, g, result1: g / result1 * (grad - v * F.sum_to(grad * v, F.sizes(g)) / result1 ** 2),
        g = lambda F, grad, v, g, result1: F.sum_to(grad * v, F.sizes(g)) / result1),
    Row("softmax_backward_data", lambda grad_output, output: None,
        grad_output = lambda F, grad, output, dim: output * (grad - F.sum_dim(grad * output, dim, True)),
        output = lambda F, grad, grad_output, output, dim: grad * (grad_output - F.sum_dim(
            grad_output * output, dim, True)) - grad_output * F.sum_dim(grad * output, dim, True)),
    Row("log_softmax_backward_data", lambda grad_output, output: None,
        grad_output = lambda F, grad, output, dim: grad - F.sum_dim(grad * F.exp(output), dim, True),
        output = lambda F, grad, grad_output, output, dim: -grad * F.exp(output) * F.sum_dim(grad_output, dim, True)),
    Row("threshold_backward", lambda grad_output, output: None, output=lambda F, grad: F.zeros_like(grad),
        grad_output=TABLE["threshold"].derivatives["self"]),
    Row("elu_backward", lambda grad_output, self_or_result: None,
        grad_output = lambda F, grad, self_or_result, alpha, scale, input_scale: F.where(self_or_result <= 0, grad * (
            input_scale * alpha * scale) * F.exp(F.below(self_or_result) * input_scale), grad * scale),
        self_or_result = lambda F, grad, grad_output, self_or_result, alpha, scale, input_scale: F.where(
            self_or_result < 0, grad * grad_output * (input_scale * input_scale * alpha * scale) * F.exp(
                F.below(self_or_result) * input_scale), 0.0)),
    Row("native_layer_norm_backward", lambda grad_out: None,
        grad_out = lambda F, grad, input, weight, mean, rstd, normalized_shape, eps: F.weighted(F.standardized_back(
            grad, input, F.last_dims(normalized_shape), eps, 0, mean, rstd), weight)),
    *(Row(f"{name}_backward", lambda grad_output, self: None, grad_output=TABLE[name].derivatives["self"],
          self=lambda F, grad: F.zeros_like(grad)) for name in ("leaky_relu", "hardtanh", "softshrink"))]
