"""Layers that read a sequence step by step: RNN, LSTM, GRU, and the cells that take one step.

Each is written in the operations that PyTorch's own CPU code composes, so that the picture shows what a step does,
and why a hundred of them make a long chain. Weights have PyTorch's names and order, and are drawn from its stream.
"""

import math
from collections.abc import Callable
from functools import partialmethod
from typing import Any

from ..creation import zeros
from ..ops.table.pointwise import relu, sigmoid, tanh
from ..ops.table.shape import cat, stack, unsafe_split
from ..text.presentation import need, require, warn
from . import functional, init
from .layers import _OwnInit, _shown_options, _Weighted

State = tuple[Any, ...]  # what a step hands to the next: the hidden values, of an LSTM the cell's too


# ---- one step: what came in, multiplied by its weights once it is asked for (`arrived`), and the state before

def simple_step(activation: Callable) -> Callable:
    """h' = activation(W_hh h + b_hh + arrived)."""
    return lambda arrived, state, weights: (activation(functional.linear(state[0], *weights) + arrived()),)


def lstm_step(arrived: Callable, state: State, weights: tuple) -> State:
    """Four gates: what to take in, what to forget, the candidate, what to show."""
    hidden, cell = state
    gates = functional.linear(hidden, *weights[:2]) + arrived()
    take, forget, candidate, show = unsafe_split(gates, gates.shape[1] // 4, 1)
    take, forget, candidate, show = sigmoid(take), sigmoid(forget), tanh(candidate), sigmoid(show)
    cell = forget * cell + take * candidate
    hidden = show * tanh(cell)
    return (functional.linear(hidden, weights[2]) if len(weights) > 2 else hidden), cell


def gru_step(arrived: Callable, state: State, weights: tuple) -> State:
    """Two gates, how much of the old state the candidate sees, and how much of it stays."""
    hidden, = state
    size = hidden.shape[1]
    reset_in, update_in, new_in = unsafe_split(arrived(), size, 1)
    reset, update, new = unsafe_split(functional.linear(hidden, *weights), size, 1)
    reset, update = sigmoid(reset + reset_in), sigmoid(update + update_in)
    new = tanh(new_in.add(new * reset))
    return ((hidden - new) * update + new,)


# the step, how many gates it has, how many tensors its state has
STEPS: dict[str, tuple[Callable, int, int]] = {"RNN_TANH": (simple_step(tanh), 1, 1), "LSTM": (lstm_step, 4, 2),
                                               "RNN_RELU": (simple_step(relu), 1, 1), "GRU": (gru_step, 3, 1)}


class _Recurrent(_Weighted):
    """What layers and cells share: weights by name, all drawn evenly within 1 / sqrt(hidden_size)."""

    hidden_size: int

    def reset_parameters(self) -> None:
        """Draw all weights anew. Source: torch.nn.RNNBase.reset_parameters."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)


# ---- cells

class RNNCellBase(_OwnInit, _Recurrent):
    """One step of a recurrent layer. Input `(N, input_size)` or `(input_size,)`, state alike with hidden_size."""

    mode = "RNN_TANH"

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device=None, dtype=None) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = STEPS[self.mode][1] * hidden_size
        self._start(device, dtype, weight_ih=(rows, input_size), weight_hh=(rows, hidden_size),
                    bias_ih=bias and (rows,), bias_hh=bias and (rows,))

    def forward(self, input, hx=None):
        """The state after this step; without `hx` the state before is zero. Raises: RuntimeError, ValueError."""
        require(self.mode in STEPS, f"Unknown nonlinearity: {vars(self).get('nonlinearity')}")
        kind, (step, _, several) = type(self).__name__, STEPS[self.mode]
        given = () if hx is None else hx if several > 1 else (hx,)
        named = {f"hx[{i}]" if several > 1 else "hidden": h for i, h in enumerate(given)}
        for name, t in {"input": input, **named}.items():
            require(t.dim() in (1, 2), f"{kind}: Expected {name} to be 1D or 2D, got {t.dim()}D instead", ValueError)
        alone = input.dim() == 1
        need(alone or several == 1 or not hasattr(hx, "dim"), "cell_state")
        input = input.unsqueeze(0) if alone else input
        state = tuple(h.unsqueeze(0) if alone else h for h in given) or (
            zeros(input.shape[0], self.hidden_size, dtype=input.dtype, device=input.device),) * several
        self._check(input, state)
        state = step(lambda: functional.linear(input, self.weight_ih, self.bias_ih), state,
                     (self.weight_hh, self.bias_hh))
        state = tuple(h.squeeze(0) for h in state) if alone else state
        return state if several > 1 else state[0]

    def _check(self, input, state: State) -> None:
        need(input.shape[1] == self.input_size, "cell_input", input.shape[1], self.input_size)
        for nr, h in enumerate(state):
            need(h.shape[0] == input.shape[0], "cell_batch", input.shape[0], nr, h.shape[0])
            need(h.shape[1] == self.hidden_size, "cell_hidden", nr, h.shape[1], self.hidden_size)

    extra_repr = partialmethod(_shown_options, "-input_size -hidden_size", bias=True)


class RNNCell(RNNCellBase):
    """tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of it."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
                 device=None, dtype=None) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    mode: Any = property(lambda self: f"RNN_{vars(self).get('nonlinearity', 'tanh').upper()}", doc="Its step.")

    extra_repr = partialmethod(_shown_options, "-input_size -hidden_size", bias=True, nonlinearity="tanh")


class LSTMCell(RNNCellBase):
    """One step of an LSTM: from `(h, c)` to `(h', c')`."""

    mode = "LSTM"


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    mode = "GRU"


# ---- layers

class RNNBase(_Recurrent):
    """A recurrent layer: `num_layers` steps above each other, in one direction or both, through the sequence.

    Input `(L, N, input_size)`, `(N, L, input_size)` with `batch_first`, or `(L, input_size)`. Returns all outputs of
    the last layer, and the states after the last step `(num_layers * directions, N, hidden_size)`.
    """

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device=None, dtype=None) -> None:
        super().__init__()
        need(not isinstance(dropout, bool) and 0 <= dropout <= 1, "recurrent_dropout")
        if dropout > 0 and num_layers == 1:
            warn("recurrent_dropout_layers", dropout, num_layers)
        for name, flag in (("bias", bias), ("batch_first", batch_first)):
            require(isinstance(flag, bool), f"{name} should be of type bool, got: {type(flag).__name__}", TypeError)
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            require(isinstance(size, int), f"{name} should be of type int, got: {type(size).__name__}", TypeError)
            require(size > 0, f"{name} must be greater than zero", ValueError)
        require(num_layers > 0, "num_layers must be greater than zero", ValueError)
        require(proj_size >= 0, "proj_size should be a positive integer or zero to disable projections", ValueError)
        require(proj_size < hidden_size, "proj_size has to be smaller than hidden_size", ValueError)
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        rows, shown = STEPS[mode][1] * hidden_size, proj_size or hidden_size
        below = shown * (1 + bidirectional)
        sizes: dict[str, tuple] = {}
        for layer, end in self._walks():
            sizes |= {f"weight_ih_{end}": (rows, below if layer else input_size), f"weight_hh_{end}": (rows, shown)}
            sizes |= {f"bias_ih_{end}": (rows,), f"bias_hh_{end}": (rows,)} if bias else {}
            sizes |= {f"weight_hr_{end}": (proj_size, hidden_size)} if proj_size else {}
        self._start(device, dtype, **sizes)

    def flatten_parameters(self) -> None:
        """Changes nothing on a CPU: the weights need not lie in one piece."""

    def _walks(self) -> list[tuple[int, str]]:
        """Each walk through the sequence: its layer, and how its weights end, `l0` or `l0_reverse`."""
        ends = ("", "_reverse")[: 1 + self.bidirectional]
        return [(layer, f"l{layer}{end}") for layer in range(self.num_layers) for end in ends]

    def forward(self, input, hx=None):
        """All outputs, and the states at the end. Raises: ValueError, RuntimeError for shapes that do not fit."""
        alone, several = input.dim() == 2, STEPS[self.mode][2]
        state = self._first_state(input, hx, alone, several)
        input = input.unsqueeze(1) if alone else input.transpose(0, 1) if self.batch_first else input
        self._check(input, state)
        ends: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for end in [end for at, end in self._walks() if at == layer]:
                output, last = self._through(input, tuple(h[len(ends)] for h in state), end)
                outputs.append(output)
                ends.append(last)
            input = cat(outputs, 2) if len(outputs) > 1 else outputs[0]
            if self.dropout and self.training and layer < self.num_layers - 1:
                input = functional.dropout(input, self.dropout)
        states = tuple(stack(part, 0) for part in zip(*ends, strict=True))
        if alone:
            input, states = input.squeeze(1), tuple(h.squeeze(1) for h in states)
        elif self.batch_first:
            input.transpose_(0, 1)
        return input, states if several > 1 else states[0]

    def _through(self, input, state: State, end: str) -> tuple[Any, State]:
        """One walk through the sequence: the outputs of all steps, and the last state."""
        weights = [getattr(self, f"{name}_{end}", None) for name in ("weight_ih", "bias_ih", "weight_hh", "bias_hh")]
        own = (*weights[2:], getattr(self, f"weight_hr_{end}")) if self.proj_size else tuple(weights[2:])
        arrived, backwards = functional.linear(input, *weights[:2]).unbind(0), end.endswith("reverse")
        outputs = []
        for now in reversed(arrived) if backwards else arrived:
            state = STEPS[self.mode][0](lambda now=now: now, state, own)
            outputs.append(state[0])
        return stack(outputs[::-1] if backwards else outputs, 0), state

    def _first_state(self, input, hx, alone: bool, several: int) -> State:
        """The states before the first step, `(num_layers * directions, N, size)` each: given, else zero."""
        kind, dims = type(self).__name__, input.dim()
        word = "D tensor" if kind == "RNN" else "D"
        require(dims in (2, 3), f"{kind}: Expected input to be 2D or 3D, got {dims}{word} instead", ValueError)
        if hx is None:
            batch = 1 if alone else input.shape[0 if self.batch_first else 1]
            sizes = [self.proj_size or self.hidden_size, self.hidden_size][:several]
            return tuple(zeros(len(self._walks()), batch, n, dtype=input.dtype, device=input.device) for n in sizes)
        state = hx if several > 1 else (hx,)
        if any(h.dim() != dims for h in state):
            said = (f"hx should also be {dims}-D but got {hx.dim()}-D tensor" if several == 1 else
                    f"hx and cx should also be {dims}-D but got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors")
            raise RuntimeError(f"For {'un' * alone}batched {dims}-D input, {said}")
        return tuple(h.unsqueeze(1) for h in state) if alone else state

    def _check(self, input, state: State) -> None:
        kind = self.weight_ih_l0.dtype
        need(input.dtype == kind, "recurrent_dtype", input.dtype, kind, kind, input.dtype)
        need(input.shape[-1] == self.input_size, "recurrent_input", self.input_size, input.shape[-1])
        for nr, h in enumerate(state):
            name = f"hidden[{nr}]" if len(state) > 1 else "hidden"
            size = (len(self._walks()), input.shape[1], self.hidden_size if nr else self.proj_size or self.hidden_size)
            require(tuple(h.shape) == size, f"Expected {name} size {size}, got {list(h.shape)}")

    extra_repr = partialmethod(_shown_options, "-input_size -hidden_size", proj_size=0, num_layers=1, bias=True,
                               batch_first=False, dropout=0.0, bidirectional=False)


class RNN(RNNBase):
    """A recurrent layer of plain steps: tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of it."""

    def __init__(self, *args, **options) -> None:
        require("proj_size" not in options, "proj_size argument is only supported for LSTM, not RNN or GRU", ValueError)
        nonlinearity = args[3] if len(args) > 3 else options.pop("nonlinearity", "tanh")
        need(nonlinearity in ("tanh", "relu"), "recurrent_nonlinearity", nonlinearity)
        super().__init__(f"RNN_{nonlinearity.upper()}", *args[:3], *args[4:], **options)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory; its state is `(h, c)`."""

    def __init__(self, *args, **options) -> None:
        super().__init__("LSTM", *args, **options)


class GRU(RNNBase):
    """Gated recurrent unit."""

    def __init__(self, *args, **options) -> None:
        require("proj_size" not in options, "proj_size argument is only supported for LSTM, not RNN or GRU", ValueError)
        super().__init__("GRU", *args, **options)
