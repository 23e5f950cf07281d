"""Attention: each place of a sequence looks at all others. MultiheadAttention, and the encoder layer around it.

Written in the operations that PyTorch's own `multi_head_attention_forward` composes, in its order.
"""

import math
from collections.abc import Callable
from typing import Any

from ..creation import zeros_like
from ..text.presentation import need, require, warn
from . import functional, init
from .layers import Dropout, LayerNorm, Linear, _Weighted
from .module import Module


def float_mask(mask: Any, name: str, dtype: Any, other: Any = None, other_name: str = "") -> Any:
    """A mask that is added to the scores: of booleans, True (leave out) becomes minus infinity. None stays None."""
    if mask is None:
        return None
    boolean = str(mask.dtype) == "torch.bool"
    need(boolean or mask.is_floating_point(), "mask_type", name)
    if other is not None and mask.dtype != other.dtype:
        warn("mask_types", name, other_name)
    return zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf) if boolean else mask


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear; the name is what PyTorch prints for the last layer of an attention."""


class MultiheadAttention(_Weighted):
    """Scaled dot-product attention in `num_heads` parts of `embed_dim`, projected in before and out after.

    `query (L, N, E)`, `key` and `value (S, N, ...)`; with `batch_first` N comes first; without N for one sequence.
    Returns the output, shaped as the query, and the weights `(N, L, S)`, or None with `need_weights=False`.
    Source: torch.nn.MultiheadAttention.
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, *,
                 kdim: int | None = None, vdim: int | None = None, batch_first: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        need(embed_dim > 0 and num_heads > 0, "attention_sizes", embed_dim, num_heads)
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim, self.head_dim = kdim or embed_dim, vdim or embed_dim, embed_dim // num_heads
        require(self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads", AssertionError)
        together = self.kdim == self.vdim == embed_dim
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        self._start(device, dtype, in_proj_weight=together and (3 * embed_dim, embed_dim),
                    q_proj_weight=not together and (embed_dim, embed_dim),
                    k_proj_weight=not together and (embed_dim, self.kdim),
                    v_proj_weight=not together and (embed_dim, self.vdim), in_proj_bias=bias and (3 * embed_dim,))

    def reset_parameters(self) -> None:
        """Draw the weights anew, as PyTorch does; the biases are zero."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)

    def forward(self, query: Any, key: Any, value: Any, key_padding_mask: Any = None, need_weights: bool = True,
                attn_mask: Any = None, average_attn_weights: bool = True, is_causal: bool = False) -> Any:
        """The output and the weights. Masks: True, or what is added to the scores, where nobody may look."""
        batched = self._check(query, key, value, key_padding_mask, attn_mask)
        if not batched:
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        # what is one tensor stays one: then one product projects all three
        given = {id(t): t for t in (query, key, value)}
        moved = {i: t.unsqueeze(1) if not batched else t.transpose(1, 0) if self.batch_first else t
                 for i, t in given.items()}
        query, key, value = (moved[id(t)] for t in (query, key, value))
        length, count, size = query.shape
        need(self.in_proj_weight is None or key.shape == value.shape, "attention_value", key.shape, value.shape)
        need(size == self.embed_dim, "attention_embedding", self.embed_dim, size)
        need(not is_causal or attn_mask is not None, "attention_causal")
        padding = float_mask(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
        causal = is_causal and padding is None and not need_weights
        mask = None if causal else self._mask(float_mask(attn_mask, "attn_mask", query.dtype), padding, query, key)
        q, k, v = (t.view(t.shape[0], count * self.num_heads, self.head_dim).transpose(0, 1)
                   for t in self._project(query, key, value))
        output, weights = (self._weighed if need_weights else self._fused)(q, k, v, mask, causal, count)
        output = functional.linear(output, self.out_proj.weight, self.out_proj.bias).view(length, count, size)
        if weights is not None:
            weights = weights.view(count, self.num_heads, length, k.shape[1])
            weights = weights.mean(dim=1) if average_attn_weights else weights
        if not batched:
            return output.squeeze(1), None if weights is None else weights.squeeze(0)
        return output.transpose(1, 0) if self.batch_first else output, weights

    def _check(self, query: Any, key: Any, value: Any, padding: Any, mask: Any) -> bool:
        """Whether there is a batch. Raises: AssertionError, as PyTorch does, where dimensions do not fit."""
        dims = query.dim()
        need(dims in (2, 3), "attention_query", dims)
        given = "batched (3-D)" if dims == 3 else "unbatched (2-D)"
        need(key.dim() == value.dim() == dims, "attention_key", given, dims, key.dim(), value.dim())
        for name, m, ranks in (("padding", padding, (dims - 1,)), ("mask", mask, (2, 3))):
            need(m is None or m.dim() in ranks, f"attention_{name}", given, dims - 1, m is not None and m.dim())
        return bool(dims == 3)

    def _project(self, query: Any, key: Any, value: Any) -> tuple:
        """Queries, keys and values, by one product where one tensor is all three."""
        weight, bias, size = self.in_proj_weight, self.in_proj_bias, self.embed_dim
        if weight is not None and query is key is value:
            return _taken_apart(functional.linear(query, weight, bias), 3)
        if weight is not None and key is value:
            first, rest = weight.split([size, 2 * size])
            biases = (None, None) if bias is None else bias.split([size, 2 * size])
            both = functional.linear(key, rest, biases[1])
            return functional.linear(query, first, biases[0]), *_taken_apart(both, 2)
        weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight) if weight is None else weight.chunk(3)
        biases = (None,) * 3 if bias is None else bias.chunk(3)
        return tuple(map(functional.linear, (query, key, value), weights, biases))

    def _mask(self, mask: Any, padding: Any, query: Any, key: Any) -> Any:
        """Both masks as one that fits `(N * num_heads, L, S)`, or None."""
        (length, count), source = query.shape[:2], key.shape[0]
        if mask is not None:
            right = (length, source) if mask.dim() == 2 else (count * self.num_heads, length, source)
            need(tuple(mask.shape) == right, "attention_mask_shape", mask.dim(), mask.shape, right)
            mask = mask.unsqueeze(0) if mask.dim() == 2 else mask
        if padding is not None:
            for dim, n in enumerate((count, source)):
                need(padding.shape[dim] == n, "padding_shape", dim, n, padding.shape[dim])
            padding = padding.view(count, 1, 1, source).expand(-1, self.num_heads, -1, -1)
            padding = padding.reshape(count * self.num_heads, 1, source)
            mask = padding if mask is None else mask + padding
        return mask

    def _weighed(self, q: Any, k: Any, v: Any, mask: Any, causal: bool, count: int) -> tuple[Any, Any]:
        """Step by step, so that the weights can be shown."""
        scaled = q * math.sqrt(1 / q.shape[-1])
        scores = scaled.bmm(k.transpose(-2, -1)) if mask is None else mask.baddbmm(scaled, k.transpose(-2, -1))
        weights = functional.softmax(scores, dim=-1)
        weights = functional.dropout(weights, self.dropout) if self.training and self.dropout else weights
        return weights.bmm(v).transpose(0, 1).reshape(q.shape[1] * count, self.embed_dim), weights

    def _fused(self, q: Any, k: Any, v: Any, mask: Any, causal: bool, count: int) -> tuple[Any, None]:
        """By `scaled_dot_product_attention`, without weights."""
        if mask is not None:
            mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(count, self.num_heads, -1, k.shape[1])
        q, k, v = (t.view(count, self.num_heads, t.shape[1], self.head_dim) for t in (q, k, v))
        output = functional.scaled_dot_product_attention(q, k, v, mask, self.dropout if self.training else 0.0, causal)
        return output.permute(2, 0, 1, 3).reshape(count * q.shape[2], self.embed_dim), None


def _taken_apart(packed: Any, count: int) -> tuple:
    """What one product has projected, as `count` tensors."""
    parts = packed.unflatten(-1, (count, -1)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple(parts[i] for i in range(count))


class TransformerEncoderLayer(Module):
    """Self-attention, then two linear layers; around each a residual and a layer norm.

    Source: torch.nn.TransformerEncoderLayer; its fast path for evaluation computes the same numbers.
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: str | Callable = functional.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **made)
        self.norm_first = norm_first
        self.norm1, self.norm2 = (LayerNorm(d_model, layer_norm_eps, bias=bias, **made) for _ in range(2))
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        known = {"relu": functional.relu, "gelu": functional.gelu}
        require(callable(activation) or activation in known, f"activation should be relu/gelu, not {activation}")
        self.activation = activation if callable(activation) else known[activation]

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """The sequence, as it came in, seen by itself: `src (L, N, d_model)`, with `batch_first (N, L, d_model)`."""
        padding = float_mask(src_key_padding_mask, "src_key_padding_mask", src.dtype, src_mask, "src_mask")
        mask = float_mask(src_mask, "src_mask", src.dtype)
        if self.norm_first:
            src = src + self._attend(self.norm1(src), mask, padding, is_causal)
            return src + self._feed(self.norm2(src))
        src = self.norm1(src + self._attend(src, mask, padding, is_causal))
        return self.norm2(src + self._feed(src))

    def _attend(self, x: Any, mask: Any, padding: Any, is_causal: bool) -> Any:
        out = self.self_attn(x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal)
        return self.dropout1(out[0])

    def _feed(self, x: Any) -> Any:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))
