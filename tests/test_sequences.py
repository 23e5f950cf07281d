"""Recurrent layers, attention and containers of parameters: PyTorch's numbers, gradients, words and streams.

Each program runs here and in torch; without torch the losses that it once gave are compared.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import warnings

import numpy as np
import pytest

import minigrad
from minigrad.graph import read

torch = importlib.import_module("torch") if importlib.util.find_spec("torch") else None
RNN = [(kind, {"num_layers": n, "bidirectional": both, "batch_first": first, "bias": bias}, batch, given)
       for kind in ("RNN", "LSTM", "GRU") for n in (1, 2) for both in (False, True)
       for first, bias, batch, given in (
           (False, True, 1, 1), (True, True, 1, 0), (False, False, 0, 1), (True, True, 0, 0))]
RNN += [("LSTM", {"proj_size": 2, "num_layers": 2, "bidirectional": True}, 1, 1),
        ("RNN", {"nonlinearity": "relu"}, 1, 1), ("GRU", {"dropout": 0.5, "num_layers": 2}, 1, 0)]
CELLS = [(kind, {"bias": bool(bias)}, batch, given) for kind in ("RNNCell", "LSTMCell", "GRUCell")
         for bias, batch, given in itertools.product((0, 1), repeat=3)] + [("RNNCell", {"nonlinearity": "relu"}, 1, 1)]


def outcome(t, program, *args):
    """What a program gives, or the error that it ends in, with the generator at a fixed place."""
    t.manual_seed(3)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(flat(program(t, *args)))
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def flat(value):
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from flat(part)
    else:
        yield value.detach().numpy() if hasattr(value, "detach") else value


def differences(program, *args):
    """Where the outcome here and in torch are not the same: pairs of values."""
    ours, theirs = outcome(minigrad, program, *args), outcome(torch, program, *args)
    return [(a, b) for a, b in itertools.zip_longest(ours, theirs, fillvalue="missing") if not same(a, b)]


def same(ours, theirs):
    if not isinstance(theirs, np.ndarray):
        return type(ours) is type(theirs) and ours == theirs
    alike = isinstance(ours, np.ndarray) and (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    return alike and np.allclose(ours, theirs, rtol=1e-5, atol=3e-6 * max(1, np.abs(theirs).max(initial=0)))


def layer(t, kind, options, batch, given):
    m = getattr(t.nn, kind)(3, 4, **options)
    x = t.randn(*((5, 2, 3) if batch else (5, 3)), requires_grad=True)
    count = (1 + options.get("bidirectional", False)) * options.get("num_layers", 1)
    size = (count, 5 if options.get("batch_first") else 2) if batch else (count,)
    state = None
    if given:
        state = t.randn(*size, options.get("proj_size") or 4)
        state = (state, t.randn(*size, 4)) if kind == "LSTM" else state
    output, last = m(x, state)
    ((output**2).sum() + (last[0] if kind == "LSTM" else last).sum()).backward()
    return [repr(m), list(m.state_dict()), output, last, x.grad, [p.grad for p in m.parameters()]]


def cell(t, kind, options, batch, given):
    m, x = getattr(t.nn, kind)(3, 4, **options), t.randn(*((2, 3) if batch else (3,)))
    state = t.randn(*((2, 4) if batch else (4,))) if given else None
    if given and kind == "LSTMCell":
        state = state, t.zeros(*state.shape)
    result = m(x, state)
    hidden = result[0] if kind == "LSTMCell" else result
    hidden.sum().backward()
    return [repr(m), hidden.grad_fn.name(), result, [p.grad for p in m.parameters()]]


def attention(t, options, need, average, mask, padded, source, batch=True, train=True):
    m = t.nn.MultiheadAttention(8, 2, **options).train(train)

    def sequence(length, size):
        shape = (3, length, size) if options.get("batch_first") else (length, 3, size)
        return t.randn(*(shape if batch else (length, size)), requires_grad=True)

    q = sequence(5, 8)
    n = 5 if source == "self" else 4
    k = q if source == "self" else sequence(n, options.get("kdim", 8))
    v = k if source != "three" else sequence(n, options.get("vdim", 8))
    masks = {None: lambda: None, "bool": lambda: t.triu(t.ones(5, n), 1).bool(), "float": lambda: t.randn(5, n),
             "each": lambda: t.randn((3 if batch else 1) * 2, 5, n)}
    padding = t.zeros(*((3, n) if batch else (n,))).bool() if padded else None
    if padded:
        padding[..., -1] = True
    output, weights = m(q, k, v, key_padding_mask=padding, need_weights=need, attn_mask=masks[mask](),
                        average_attn_weights=average)
    (output**2).sum().backward()
    return [repr(m), list(m.state_dict()), output, weights, q.grad, [p.grad for p in m.parameters()]]


def encoder(t, options, train, mask, padded):
    m = t.nn.TransformerEncoderLayer(8, 2, 16, **options).train(train)
    x = t.randn(4, 5, 8, requires_grad=True) if options.get("batch_first") else t.randn(5, 4, 8, requires_grad=True)
    padding = t.zeros(4, 5).bool()
    padding[:, -1] = True
    output = m(x, t.triu(t.ones(5, 5), 1).bool() if mask else None, padding if padded else None)
    (output**3).sum().backward()
    return [repr(m), list(m.state_dict()), output, x.grad, [p.grad for p in m.parameters()]]


def containers(t):
    a = t.nn.ParameterList([t.randn(2, 3), t.nn.Parameter(t.ones(1)), "x"])
    a.append(t.zeros(2))
    a += [t.ones(1)]
    a[0] = t.zeros(1)
    b = t.nn.ParameterDict({"a": t.ones(2), "b": t.nn.Parameter(t.zeros(1, 2))})
    b["c"] = t.ones(3)
    b.update([("d", t.ones(1))])
    del b["a"]
    popped = b.pop("d")
    return [repr(a), repr(b), len(a), repr(a[1:3]), repr(t.nn.ParameterList([t.ones(2)])), list(b), list(b.keys()),
            "b" in b, popped, list(a.state_dict()), [n for n, _ in b.named_parameters()], list(b.values())]


MISTAKES = {
    "a list of a tensor": lambda t: t.nn.ParameterList(t.ones(3)),
    "a key that is no string": lambda t: t.nn.ParameterDict({1: t.ones(1)}),
    "a list that is called": lambda t: t.nn.ParameterList()(1),
    "behind the end": lambda t: t.nn.ParameterList([t.ones(1)])[3],
    "no such nonlinearity": lambda t: t.nn.RNN(3, 4, nonlinearity="x"),
    "bias 1": lambda t: t.nn.LSTM(3, 4, bias=1),
    "hidden 0": lambda t: t.nn.LSTM(3, 0),
    "no layers": lambda t: t.nn.LSTM(3, 4, num_layers=0),
    "proj for GRU": lambda t: t.nn.GRU(3, 4, proj_size=2),
    "dropout 2": lambda t: t.nn.LSTM(3, 4, dropout=2.0),
    "heads": lambda t: t.nn.MultiheadAttention(7, 2),
    "batched keys": lambda t: t.nn.MultiheadAttention(8, 2)(t.ones(3, 8), t.ones(3, 2, 8), t.ones(3, 2, 8)),
    "float64 input": lambda t: t.nn.RNN(3, 4)(t.randn(5, 2, 3, dtype=t.float64)),
    "nonlinearity": lambda t: t.nn.RNNCell(3, 4, nonlinearity="sin")(t.randn(2, 3)),
    "two masks": lambda t: t.nn.functional.scaled_dot_product_attention(
        *[t.ones(2, 3, 4)] * 3, t.ones(3, 3).bool(), is_causal=True),
    **{f"padding {size} {need}": lambda t, size=size, need=need: t.nn.MultiheadAttention(8, 2, batch_first=True)(
        *[t.ones(2, 5, 8)] * 3, key_padding_mask=t.ones(*size).bool(), need_weights=need)
       for size in ((2, 4), (3, 5), (5,)) for need in (True, False)},
    **{f"values {first}": lambda t, first=first: t.nn.MultiheadAttention(8, 2, batch_first=first)(
        t.ones(2, 5, 8), t.ones(2, 5, 8), t.ones(2, 5, 8)[:1]) for first in (True, False)},
    **{f"{kind}{size}": lambda t, kind=kind, size=size: getattr(t.nn, kind)(3, 4)(t.randn(*size))
       for kind in ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")
       for size in ((5,), (5, 4), (5, 2, 4), (5, 2, 3, 1))},
    **{f"{kind} state {size}": lambda t, kind=kind, size=size: getattr(t.nn, kind)(3, 4)(
        t.randn(5, 2, 3), (t.randn(*size), t.randn(*size)) if kind == "LSTM" else t.randn(*size))
       for kind in ("RNN", "LSTM", "GRU") for size in ((2, 2, 4), (1, 2, 5), (2, 4))},
}
live = pytest.mark.skipif(torch is None, reason="needs torch")


@live
@pytest.mark.parametrize("case", RNN, ids=str)
def test_a_recurrent_layer_is_torchs(case):
    assert differences(layer, *case) == []


@live
@pytest.mark.parametrize("case", CELLS, ids=str)
def test_a_cell_is_torchs(case):
    assert differences(cell, *case) == []


@live
@pytest.mark.parametrize("case", [
    ({"batch_first": first}, need, average, mask, padded, source)
    for first, need, average in ((0, 1, 1), (1, 1, 0), (1, 0, 1)) for mask in (None, "bool", "float", "each")
    for padded in (False, True) for source in ("self", "two", "three")] + [
    ({"bias": False}, 1, 1, None, 0, "three"), ({"kdim": 6, "vdim": 5}, 1, 1, None, 0, "three"),
    ({}, 1, 1, "bool", 1, "self", False), ({"dropout": 0.3}, 1, 1, None, 0, "self"),
    ({"dropout": 0.3}, 1, 1, None, 0, "self", True, False)], ids=str)
def test_attention_is_torchs(case):
    assert differences(attention, *case) == []


@live
@pytest.mark.parametrize("case", [({"batch_first": first, "norm_first": before, "dropout": 0.0}, train, mask, padded)
                                  for first, before, train, mask, padded in itertools.product((False, True), repeat=5)]
                         + [({"activation": "gelu", "dropout": 0.1}, True, False, False)], ids=str)
def test_an_encoder_layer_is_torchs(case):
    assert differences(encoder, *case) == []


@live
def test_containers_of_parameters_are_torchs():
    assert differences(containers) == []


@live
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_torchs_words(mistake):
    assert differences(MISTAKES[mistake]) == []


@pytest.mark.parametrize(("program", "case", "golden"), [
    (layer, ("LSTM", {"num_layers": 2, "bidirectional": True}, 1, 1), 141.307),
    (layer, ("GRU", {}, 1, 0), 71.4554),
    (attention, ({}, 1, 1, "bool", 1, "self"), 357.611),
    (encoder, ({"dropout": 0.0}, True, True, False), 3997.8),
], ids=["lstm", "gru", "attention", "encoder"])
def test_recorded_sums_are_torchs(program, case, golden):
    arrays = [value for value in outcome(minigrad, program, *case) if isinstance(value, np.ndarray)]

    assert sum(np.abs(a.astype(float)).sum() for a in arrays) == pytest.approx(golden, rel=1e-5)


def test_a_step_of_an_lstm_can_be_seen():
    output, _ = minigrad.nn.LSTM(2, 3)(minigrad.ones(2, 1, 2))
    names = [node.name for node in read(output).nodes]

    assert names.count("UnsafeSplitBackward0") == 2
    assert names.count("SigmoidBackward0") == 6


def multiplied_first(t, kind):
    """Which product of a cell is recorded first: that of its input (ih), or of its state (hh)."""
    x, h = (t.ones(1, 2, requires_grad=True) for _ in "xh")
    made = getattr(t.nn, kind)(2, 2)(x, (h, h) if kind == "LSTMCell" else h)
    todo, products = [(made[0] if kind == "LSTMCell" else made).grad_fn], {}
    while todo:
        node = todo.pop()
        behind = [n for n, _ in node.next_functions if n is not None]
        if node.name() == "AddmmBackward0":
            products[node._sequence_nr()] = "ih" if any(getattr(n, "variable", None) is x for n in behind) else "hh"
        todo += behind
    return [products[nr] for nr in sorted(products)]


@pytest.mark.parametrize(("kind", "order"), [("RNNCell", "hh ih"), ("LSTMCell", "hh ih"), ("GRUCell", "ih hh")])
def test_a_cell_multiplies_in_torch_s_order_so_backward_runs_in_it(kind, order):
    assert multiplied_first(minigrad, kind) == order.split()
    assert torch is None or multiplied_first(torch, kind) == order.split()
