"""`python -m tests.oracle.saved`: let torch save one value of each kind, write tests/data/saved.pt."""

from collections import OrderedDict
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "data" / "saved.pt"
DTYPES = "float64 float32 float16 int64 int32 int16 int8 uint8 bool".split()


def trained(torch: Any, make: Any) -> tuple[Any, Any]:
    """A model and its optimizer after two steps; all numbers are such that every machine gets the same."""
    model = torch.nn.Linear(2, 1)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[0.5, -1.0]]))
        model.bias.fill_(0.25)
    optimizer = make(torch.optim, model.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.tensor([[1.0, 2.0]])).sum().backward()
        optimizer.step()
    return model, optimizer


OPTIMIZERS = {
    "sgd": lambda optim, params: optim.SGD(params, lr=0.5, momentum=0.5),
    "adam": lambda optim, params: optim.Adam(params, lr=0.5),
}


def sample(torch: Any) -> dict:
    """Tensors of each type, views of one storage, states, and the plain values that may stand beside them."""
    x = torch.arange(6.0).reshape(2, 3)
    model, sgd = trained(torch, OPTIMIZERS["sgd"])
    _, adam = trained(torch, OPTIMIZERS["adam"])
    cycle: list = [1]
    cycle.append(cycle)
    return {
        "x": x, "view": x.t()[1:], "expanded": torch.ones(1, 2).expand(3, 2), "empty": torch.empty(0, 3),
        "scalar": torch.tensor(3), "leaf": torch.ones(2, requires_grad=True),
        "result": torch.ones(2, requires_grad=True) * 3, "parameter": torch.nn.Parameter(torch.ones(2)),
        "frozen": torch.nn.Parameter(x, requires_grad=False), "tied": [model.weight, model.weight],
        "dtypes": {name: torch.tensor([1, 0, 1]).to(getattr(torch, name)) for name in DTYPES},
        "model": OrderedDict(model.state_dict()), "sgd": sgd.state_dict(), "adam": adam.state_dict(),
        "size": torch.Size([2, 3]), "dtype": torch.float64, "bytes": b"ab\xff", "bytearray": bytearray(b"xy"),
        "numbers": [1, 300, 2**40, -3, 2**200, -(2**70), 1.5, float("inf"), 1 + 2j, True, None],
        "text": "h\u4e2d", "set": {1, 2}, "nested": ((), [], {}, ((1, 2), (3,))), 3: "number", (1, 2): "pair",
        "cycle": cycle, "device": torch.device("cuda", 1),
    }


if __name__ == "__main__":
    import torch

    torch.save(sample(torch), FILE)
