"""Programs with their types: mypy and pyright check what `assert_type` says, and a test that it is so when it runs."""

from collections.abc import Iterator
from typing import Any, assert_type

import minigrad as torch
import minigrad.nn.functional as F
from minigrad import Size, Tensor, nn, optim

# ---- from nothing

x = assert_type(torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), Tensor)
y = assert_type(torch.ones(2, 2), Tensor)
v = assert_type(torch.arange(3), Tensor)
assert_type(torch.zeros((2, 3), dtype=torch.float64), Tensor)
assert_type(torch.full((2, 2), 0.5), Tensor)
assert_type(torch.eye(3, dtype=torch.float32), Tensor)
assert_type(torch.linspace(0, 1, 5), Tensor)
assert_type(torch.logspace(0, 1, 3), Tensor)
assert_type(torch.empty(2, dtype=torch.int64), Tensor)
assert_type(torch.rand(2, 3), Tensor)
assert_type(torch.randn(3, requires_grad=True), Tensor)
assert_type(torch.randint(0, 5, (3,)), Tensor)
assert_type(torch.randperm(4), Tensor)
assert_type(torch.ones_like(y, dtype=torch.float64), Tensor)
assert_type(torch.rand_like(y), Tensor)
assert_type(torch.from_numpy(y.numpy()), Tensor)
assert_type(torch.as_tensor([1, 2]), Tensor)
assert_type(torch.FloatTensor([0.1, 1.0]), Tensor)
assert_type(torch.is_tensor(y), bool)
torch.manual_seed(0)

# ---- what a tensor says of itself

assert_type(x.shape, Size)
assert_type(x.shape[0], int)
assert_type(x.size(), Size)
assert_type(x.size(0), int)
assert_type(x.stride(), tuple[int, ...])
assert_type(x.stride(-1), int)
assert_type(x.dim(), int)
assert_type(x.ndim, int)
assert_type(x.numel(), int)
assert_type(x.shape.numel(), int)
assert_type(x.dtype, torch.dtype)
assert_type(x.device, torch.device)
assert_type(x.requires_grad, bool)
assert_type(x.is_leaf, bool)
assert_type(x.is_contiguous(), bool)
assert_type(x.is_floating_point(), bool)
assert_type(x.type(), str)
assert_type(x.type(torch.float64), Tensor)
assert_type(len(x), int)
assert_type(float(y.sum()), float)
assert_type(int(v[1]), int)
assert_type(bool(y[0, 0] > 0), bool)
assert_type(x.storage_offset(), int)
assert_type(x.element_size(), int)
assert_type(torch.equal(y, y), bool)
assert_type(torch.allclose(y, y, atol=1e-6), bool)
assert_type(y.sum().item(), Any)
assert_type(y.tolist(), Any)

# ---- arithmetic

assert_type(x + y, Tensor)
assert_type(2 * x, Tensor)
assert_type(x - 1.5, Tensor)
assert_type(1 - x, Tensor)
assert_type(x / y, Tensor)
assert_type(1 / x, Tensor)
assert_type(x // 2, Tensor)
assert_type(x % 2, Tensor)
assert_type(x**2, Tensor)
assert_type(2**x, Tensor)
assert_type(-x, Tensor)
assert_type(abs(x), Tensor)
assert_type(x @ y, Tensor)
assert_type(x > 0, Tensor)
assert_type(x == y, Tensor)
assert_type(x != 0, Tensor)
assert_type((x > 0) & (y <= 1), Tensor)
assert_type(~(x > 0), Tensor)
assert_type(torch.add(x, y, alpha=2), Tensor)
assert_type(torch.mul(x, 3), Tensor)
assert_type(x.div(y, rounding_mode="floor"), Tensor)
assert_type(torch.pow(2, x), Tensor)
assert_type(x.addcmul(y, y, value=0.5), Tensor)
assert_type(x.lerp(y, 0.5), Tensor)
assert_type(torch.maximum(x, y), Tensor)
assert_type(x.clamp(min=0.0, max=1.0), Tensor)
assert_type(x.clamp_min(0), Tensor)
assert_type(torch.where(x > 1, x, 0.0), Tensor)
assert_type(torch.where(x > 1), tuple[Tensor, ...])

# ---- functions of each element

for function in (torch.exp, torch.sin, torch.cos, torch.tan, torch.tanh, torch.sigmoid, torch.relu, torch.abs):
    assert_type(function(x), Tensor)
assert_type(x.exp().log().sqrt().square(), Tensor)
assert_type(x.tanh(), Tensor)
assert_type(x.reciprocal(), Tensor)
assert_type(torch.rsqrt(x), Tensor)
assert_type(torch.round(x, decimals=1), Tensor)
assert_type(x.floor().ceil().trunc(), Tensor)
assert_type(torch.erf(x), Tensor)
assert_type(torch.nan_to_num(x, nan=0.0), Tensor)
assert_type(x.isnan().any(), Tensor)
assert_type(torch.isclose(x, y), Tensor)
assert_type(x.softmax(-1), Tensor)
assert_type(torch.log_softmax(x, dim=1), Tensor)
assert_type(torch.logaddexp(x, y), Tensor)

# ---- reductions

assert_type(x.sum(), Tensor)
assert_type(x.sum(0), Tensor)
assert_type(x.sum(dim=(0, 1), keepdim=True), Tensor)
assert_type(torch.sum(x, [0, 1]), Tensor)
assert_type(x.sum(dtype=torch.float64), Tensor)
assert_type(x.mean(1), Tensor)
assert_type(x.max(), Tensor)
assert_type(x.max(dim=0).values, Tensor)
assert_type(torch.max(x, 0)[1], Tensor)
assert_type(torch.max(x, y), Tensor)
assert_type(x.min(1).indices, Tensor)
assert_type(x.median(), Tensor)
assert_type(x.amax((0, 1)), Tensor)
assert_type(x.argmax(), Tensor)
assert_type(x.prod(0), Tensor)
assert_type(x.std(0, unbiased=False), Tensor)
assert_type(x.var(correction=0), Tensor)
assert_type(torch.var_mean(x), tuple[Tensor, ...])
assert_type(x.norm(), Tensor)
assert_type(x.norm(2, dim=1), Tensor)
assert_type(x.logsumexp(0), Tensor)
assert_type(x.cumsum(0), Tensor)
assert_type(x.all(), Tensor)
assert_type(torch.quantile(x, 0.5), Tensor)
assert_type(torch.unique(v), Tensor)
assert_type(torch.unique(v, return_counts=True), tuple[Tensor, ...])
values, indices = x.sort(descending=True)
assert_type(values, Tensor)
assert_type(x.topk(1).indices, Tensor)
assert_type(x.kthvalue(1)[0], Tensor)
assert_type(torch.bincount(v), Tensor)

# ---- shapes and parts

assert_type(x.view(4), Tensor)
assert_type(x.view(-1, 1), Tensor)
assert_type(x.view((2, 2)), Tensor)
assert_type(x.reshape(x.shape), Tensor)
assert_type(torch.reshape(x, (4,)), Tensor)
assert_type(x.flatten(), Tensor)
assert_type(x.t(), Tensor)
assert_type(x.T, Tensor)
assert_type(x.mT, Tensor)
assert_type(x.transpose(0, 1), Tensor)
assert_type(x.permute(1, 0), Tensor)
assert_type(x.permute((1, 0)), Tensor)
assert_type(x.unsqueeze(0).squeeze(), Tensor)
assert_type(x.squeeze((0, 1)), Tensor)
assert_type(x.expand(3, 2, 2), Tensor)
assert_type(x.expand(3, *x.shape), Tensor)
assert_type(x.repeat(2, 1), Tensor)
assert_type(x.flip(0), Tensor)
assert_type(x.roll(1, 0), Tensor)
assert_type(x.narrow(0, 0, 1), Tensor)
assert_type(x.select(0, 1), Tensor)
assert_type(x.split(1), tuple[Tensor, ...])
assert_type(torch.chunk(x, 2, dim=1), tuple[Tensor, ...])
first, second = x.unbind()
assert_type(first, Tensor)
assert_type(torch.cat([x, y], dim=1), Tensor)
assert_type(torch.stack((x, y)), Tensor)
assert_type(torch.vstack([x, y]), Tensor)
assert_type(torch.einsum("ij,jk->ik", x, y), Tensor)
assert_type(torch.tensordot(x, y, 1), Tensor)
assert_type(torch.meshgrid(v, v, indexing="ij")[0], Tensor)
assert_type(torch.broadcast_tensors(x, y)[0], Tensor)
assert_type(x[0], Tensor)
assert_type(x[:, 1:], Tensor)
assert_type(x[..., None], Tensor)
assert_type(x[x > 1], Tensor)
assert_type(x[[0, 1], 1], Tensor)
assert_type(x.gather(1, torch.tensor([[0], [1]])), Tensor)
assert_type(x.index_select(0, torch.tensor([0])), Tensor)
assert_type(x.masked_fill(x > 2, 0.0), Tensor)
assert_type(x.tril(), Tensor)
assert_type(x.diagonal(), Tensor)
rows: Iterator[Tensor] = iter(x)
assert_type(next(rows), Tensor)

# ---- types, copies, in place

assert_type(x.double(), Tensor)
assert_type(x.to(torch.float64), Tensor)
assert_type(x.to("cpu"), Tensor)
assert_type(x.long().float(), Tensor)
assert_type(x.clone().detach(), Tensor)
assert_type(x.data, Tensor)
assert_type(torch.promote_types(torch.int64, torch.float32), torch.dtype)
z = x.clone()
assert_type(z.add_(1), Tensor)
assert_type(z.mul_(y), Tensor)
assert_type(z.clamp_(0, 1), Tensor)
assert_type(z.fill_(0.5), Tensor)
assert_type(z.copy_(y), Tensor)
assert_type(z.zero_(), Tensor)
z[0] = 1.0
z[:, 1] = torch.zeros(2)
z += 1
z *= y
assert_type(z, Tensor)

# ---- linear algebra

m = torch.eye(2) * 2 + 1
assert_type(torch.mm(x, y), Tensor)
assert_type(x.mv(y[0]), Tensor)
assert_type(torch.dot(y[0], y[1]), Tensor)
assert_type(torch.matmul(x, y), Tensor)
assert_type(torch.outer(y[0], y[1]), Tensor)
assert_type(m.inverse(), Tensor)
assert_type(torch.det(m), Tensor)
assert_type(torch.linalg.norm(m), Tensor)
assert_type(torch.linalg.solve(m, y), Tensor)
assert_type(torch.linalg.eigh(m).eigenvalues, Tensor)
assert_type(torch.linalg.svd(m)[1], Tensor)
assert_type(torch.special.expit(x), Tensor)

# ---- gradients

loss = (x * y).sum()
assert_type(loss, Tensor)
loss.backward(retain_graph=True)
print(x.grad.sum(), loss.grad_fn.name())
(gradient,) = torch.autograd.grad(loss, x, create_graph=True)
torch.autograd.backward([loss], [torch.tensor(1.0)])
assert_type(x.requires_grad_(), Tensor)
x.grad = None
handle = x.register_hook(lambda grad: grad * 2)
handle.remove()
assert_type(torch.autograd.Variable(y).data.norm() < 1000, Tensor)
with torch.no_grad(), torch.set_grad_enabled(False):
    assert_type(x * 2, Tensor)
assert_type(torch.is_grad_enabled(), bool)


@torch.no_grad()
def evaluate(model: nn.Module, batch: Tensor) -> float:
    return float(model(batch).sum())


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        x: Tensor = ctx.saved_tensors[0]
        return grad * 3 * x**2


print(Cube.apply(x).sum())

# ---- networks


class Net(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, width)
        self.drop = nn.Dropout(0.5)
        self.norm = nn.LayerNorm(width)
        self.last = nn.Linear(width, 1, bias=False)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.drop(F.relu(self.norm(self.first(x))))
        return self.last(hidden) * self.scale


net = Net(4)
print(net(x), sum(p.numel() for p in net.parameters()), evaluate(net, x))
assert_type(nn.Linear(2, 3)(x), Tensor)
assert_type(nn.ReLU()(x), Tensor)
assert_type(nn.Conv2d(1, 2, 3, padding=1)(torch.ones(1, 1, 4, 4)), Tensor)
assert_type(nn.Sequential(nn.Linear(2, 2), nn.Tanh())(x), Tensor)
assert_type(nn.MSELoss()(x, y), Tensor)
assert_type(nn.CrossEntropyLoss()(x, torch.tensor([0, 1])), Tensor)
assert_type(F.cross_entropy(x, torch.tensor([0, 1]), reduction="sum"), Tensor)
assert_type(F.softmax(x, dim=-1), Tensor)
assert_type(F.linear(x, y), Tensor)
assert_type(F.dropout(x, 0.5, training=False), Tensor)
assert_type(F.mse_loss(x, y), Tensor)
assert_type(F.max_pool2d(torch.ones(1, 1, 4, 4), 2), Tensor)
assert_type(F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2)), Tensor)
assert_type(torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0), Tensor)
nn.init.zeros_(net.first.bias)
optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for _ in range(2):
    optimizer.zero_grad()
    error = F.mse_loss(net(x), torch.zeros(2, 1))
    error.backward()
    optimizer.step()
optim.Adam(net.parameters()).step()
state = net.state_dict()
net.load_state_dict(state)

# ---- pictures

print(torch.draw(loss), torch.why(x), torch.why(net), torch.__version__)
