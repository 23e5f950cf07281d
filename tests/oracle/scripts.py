"""What people train first, small: each program yields its losses, and runs in PyTorch and here alike.

`losses(torch, name, kind, steps)` runs one of `SCRIPTS` from seed 0, in "float32" or "float64".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

TEXT = "the quick brown fox jumps over the lazy dog and the dog looks at the quick fox "
SCRIPTS: dict[str, Callable[[Any], Iterator[Any]]] = {}
SPANS = {"float64": 50, "float32": 10}  # steps that are compared
TOLERANCES = {"float64": 1e-9, "float32": 1e-5}


def losses(torch: ModuleType, name: str, kind: str) -> list[float]:
    """The losses of one program; the library's switches are put back."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, kind))
    torch.manual_seed(0)
    program = SCRIPTS[name](torch)
    try:
        return [next(program).item() for _ in range(SPANS[kind])]
    finally:
        program.close()
        torch.set_default_dtype(before)


def script(program: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    SCRIPTS[program.__name__] = program
    return program


@script
def linear_regression(torch):
    x = torch.linspace(-1, 1, 20).unsqueeze(1)
    y = 3 * x - 1 + 0.1 * torch.randn(20, 1)
    w, b = torch.zeros(1, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
    while True:
        loss = ((x @ w + b - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.1 * p.grad
                p.grad.zero_()
        yield loss


@script
def logistic_regression(torch):
    x = torch.cat([torch.randn(15, 2) + 1, torch.randn(15, 2) - 1])
    y = torch.cat([torch.ones(15), torch.zeros(15)])
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9, weight_decay=1e-3)
    while True:
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        loss.backward()
        optimizer.step()
        yield loss


@script
def mlp_through_a_dataloader(torch):
    nn, data = torch.nn, torch.utils.data
    x = torch.randn(40, 5)
    loader = data.DataLoader(data.TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long()), batch_size=16, shuffle=True)
    model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5)
    while True:
        for features, labels in loader:
            loss = nn.functional.cross_entropy(model(features), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss
        schedule.step()


@script
def lenet(torch):
    nn, F = torch.nn, torch.nn.functional

    class LeNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 3, 5, padding=2), nn.Conv2d(3, 6, 3)
            self.fc1, self.fc2 = nn.Linear(6 * 2 * 2, 12), nn.Linear(12, 3)

        def forward(self, x):
            x = F.max_pool2d(torch.tanh(self.conv1(x)), 2)
            x = F.avg_pool2d(F.relu(self.conv2(x)), 2)
            return F.log_softmax(self.fc2(F.relu(self.fc1(x.flatten(1)))), dim=1)

    pictures, labels = torch.randn(6, 1, 12, 12), torch.tensor([0, 1, 2, 0, 1, 2])
    model = LeNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    while True:
        loss = F.nll_loss(model(pictures), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


def letters(torch):
    """How many letters there are, and the text as their numbers."""
    known = sorted(set(TEXT))
    return len(known), torch.tensor([known.index(c) for c in TEXT])


@script
def char_rnn_by_hand(torch):
    size, text = letters(torch)
    shapes = [(size, 12), (12, 12), (12,), (12, size), (size,)]
    params = [(0.2 * torch.randn(*shape)).requires_grad_() for shape in shapes]
    wxh, whh, bh, why, by = params
    memory = [torch.zeros_like(p) for p in params]
    hidden, start = torch.zeros(1, 12), 0
    while True:
        loss, h = 0, hidden
        for t in range(start, start + 10):
            h = torch.tanh(wxh[text[t]] + h @ whh + bh)
            logits = h @ why + by
            loss = loss - torch.log_softmax(logits, 1)[0, text[t + 1]]
        for p in params:
            p.grad = None
        loss.backward()
        with torch.no_grad():  # Adagrad, gradients clipped
            for p, m in zip(params, memory, strict=True):
                g = p.grad.clamp(-5, 5)
                m += g * g
                p -= 0.1 * g / (m + 1e-8).sqrt()
        hidden, start = h.detach(), (start + 10) % 60
        yield loss


@script
def char_rnn_with_lstm(torch):
    nn = torch.nn
    size, text = letters(torch)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm = nn.Embedding(size, 6), nn.LSTM(6, 10, num_layers=2, batch_first=True)
            self.head = nn.Linear(10, size)

        def forward(self, x, state=None):
            out, state = self.lstm(self.embed(x), state)
            return self.head(out), state

    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    x, y = text[:60].view(4, 15), text[1:61].view(4, 15)
    while True:
        logits, _state = model(x)
        loss = nn.functional.cross_entropy(logits.reshape(-1, size), y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        yield loss


@script
def autoencoder(torch):
    nn = torch.nn
    x = torch.rand(12, 8)
    encoder = nn.Sequential(nn.Linear(8, 6), nn.GELU(), nn.Linear(6, 2))
    decoder = nn.Sequential(nn.Linear(2, 6), nn.SiLU(), nn.Linear(6, 8), nn.Sigmoid())
    optimizer = torch.optim.RMSprop([*encoder.parameters(), *decoder.parameters()], lr=0.005)
    while True:
        loss = nn.functional.mse_loss(decoder(encoder(x)), x)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        yield loss


@script
def vae(torch):
    nn, F = torch.nn, torch.nn.functional
    x = torch.rand(10, 8)
    body, mean, spread, decoder = nn.Linear(8, 10), nn.Linear(10, 2), nn.Linear(10, 2), nn.Linear(2, 8)
    params = [p for part in (body, mean, spread, decoder) for p in part.parameters()]
    optimizer = torch.optim.Adam(params, lr=0.01)
    while True:
        h = F.elu(body(x))
        mu, logvar = mean(h), spread(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        rebuilt = F.binary_cross_entropy(torch.sigmoid(decoder(z)), x, reduction="sum")
        loss = rebuilt - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


@script
def gan(torch):
    nn = torch.nn
    real = torch.randn(16, 2) * 0.5 + torch.tensor([2.0, -1.0])
    make = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 2))
    judge = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    criterion, optimizers = nn.BCEWithLogitsLoss(), [torch.optim.Adam(m.parameters(), lr=0.01, betas=(0.5, 0.999))
                                                     for m in (make, judge)]
    while True:
        fake = make(torch.randn(16, 3))
        told_apart = criterion(judge(real), torch.ones(16, 1)) + criterion(judge(fake.detach()), torch.zeros(16, 1))
        optimizers[1].zero_grad()
        told_apart.backward()
        optimizers[1].step()
        fooled = criterion(judge(fake), torch.ones(16, 1))
        optimizers[0].zero_grad()
        fooled.backward()
        optimizers[0].step()
        yield told_apart + fooled


@script
def word2vec(torch):
    words = TEXT.split()
    known = sorted(set(words))
    ids = [known.index(w) for w in words]
    pairs = torch.tensor([(ids[i], ids[j]) for i in range(len(ids)) for j in range(max(0, i - 2), min(len(ids), i + 3))
                          if i != j])
    centre, context = torch.nn.Embedding(len(known), 5), torch.nn.Embedding(len(known), 5)
    optimizer = torch.optim.SGD([*centre.parameters(), *context.parameters()], lr=0.5)
    while True:
        chosen = pairs[torch.randint(0, len(pairs), (16,))]
        wrong = torch.randint(0, len(known), (16, 3))
        v, u, n = centre(chosen[:, 0]), context(chosen[:, 1]), context(wrong)
        near = torch.nn.functional.logsigmoid((v * u).sum(1))
        far = torch.nn.functional.logsigmoid(-torch.bmm(n, v.unsqueeze(2)).squeeze(2)).sum(1)
        loss = -(near + far).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


@script
def transformer_block_by_hand(torch):
    nn, F = torch.nn, torch.nn.functional
    size, text = letters(torch)

    class Attention(nn.Module):
        def __init__(self, width, heads, length):
            super().__init__()
            self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
            self.register_buffer("mask", torch.tril(torch.ones(length, length)))

        def forward(self, x):
            n, t, c = x.shape
            q, k, v = (part.view(n, t, self.heads, -1).transpose(1, 2) for part in self.qkv(x).split(c, dim=2))
            scores = q @ k.transpose(-2, -1) / math.sqrt(c // self.heads)
            weights = scores.masked_fill(self.mask[:t, :t] == 0, float("-inf")).softmax(-1)
            return self.out((weights @ v).transpose(1, 2).contiguous().view(n, t, c))

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.ln1, self.attn, self.ln2 = nn.LayerNorm(width), Attention(width, 2, 8), nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

        def forward(self, x):
            x = x + self.attn(self.ln1(x))
            return x + self.mlp(self.ln2(x))

    token, place, block, head = nn.Embedding(size, 12), nn.Embedding(8, 12), Block(12), nn.Linear(12, size, bias=False)
    optimizer = torch.optim.AdamW([p for m in (token, place, block, head) for p in m.parameters()], lr=0.01)
    x, y = text[:24].view(3, 8), text[1:25].view(3, 8)
    while True:
        logits = head(block(token(x) + place(torch.arange(8))))
        loss = F.cross_entropy(logits.view(-1, size), y.view(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


@script
def transformer_block_by_layer(torch):
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True, norm_first=True)
    head = nn.Linear(8, 1)
    x = torch.randn(4, 5, 8)
    y = x.cumsum(1).mean(2, keepdim=True)
    mask = torch.triu(torch.ones(5, 5), 1).bool()
    optimizer = torch.optim.Adam([*layer.parameters(), *head.parameters()], lr=0.01)
    while True:
        loss = nn.functional.smooth_l1_loss(head(layer(x, mask)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


@script
def reinforce_by_hand(torch):
    """A walk on nine places from the middle: right at the end pays, left does not."""
    policy = torch.nn.Sequential(torch.nn.Linear(9, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    optimizer, places = torch.optim.Adam(policy.parameters(), lr=0.02), torch.eye(9)
    while True:
        terms = []
        for _ in range(2):
            place, chosen, rewards = 4, [], []
            while 0 < place < 8 and len(rewards) < 12:
                p = torch.softmax(policy(places[place]), dim=-1)
                action = torch.multinomial(p, 1).item()
                chosen.append(torch.log(p[action]))
                place += 1 if action else -1
                rewards.append(1.0 if place == 8 else -0.05)
            returns, total = [], 0.0
            for reward in reversed(rewards):
                total = reward + 0.9 * total
                returns.insert(0, total)
            weights = torch.tensor(returns)
            weights = (weights - weights.mean()) / (weights.std() + 1e-6)
            terms.append(-(torch.stack(chosen) * weights).sum())
        loss = sum(terms)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


@script
def neural_ode_with_newton(torch):
    """y' = f(y), by the implicit midpoint rule; each of its equations is solved by Newton's method."""
    w1, w2 = (0.5 * torch.randn(2, 5)).requires_grad_(), (0.5 * torch.randn(5, 2)).requires_grad_()
    start, target = torch.tensor([1.0, 0.0]), torch.tensor([-0.5, 0.8])

    def slope(y):
        return torch.tanh(y @ w1) @ w2

    def step(y, h):
        new = y + h * slope(y)
        for _ in range(2):
            wrong = new - y - h * slope((y + new) / 2)
            rows = [torch.autograd.grad(part, new, create_graph=True)[0] for part in wrong]
            new = new - torch.linalg.solve(torch.stack(rows), wrong)
        return new

    while True:
        y = start.clone().requires_grad_()
        for _ in range(3):
            y = step(y, 0.4)
        loss = (y - target).square().sum()
        grads = torch.autograd.grad(loss, (w1, w2))
        with torch.no_grad():
            for p, g in zip((w1, w2), grads, strict=True):
                p.sub_(0.1 * g)
        yield loss


@script
def input_optimisation(torch):
    """A picture that excites one filter, kept smooth: the weights stay."""
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.Softplus(), torch.nn.AdaptiveAvgPool2d(1))
    net.requires_grad_(False)
    picture = (0.1 * torch.randn(1, 1, 8, 8)).requires_grad_()
    optimizer = torch.optim.Adam([picture], lr=0.05)
    while True:
        optimizer.zero_grad()
        rough = (picture[..., 1:, :] - picture[..., :-1, :]).abs().mean() + picture.diff(dim=3).pow(2).mean()
        loss = 0.1 * rough + 1e-2 * picture.norm() - net(picture)[0, 0, 0, 0]
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            picture.clamp_(-1, 1)
        yield loss


@script
def maml(torch):
    F = torch.nn.functional
    shapes = [(1, 10), (10,), (10, 1), (1,)]
    params = [(torch.randn(*shape) * 0.3).requires_grad_() for shape in shapes]
    optimizer = torch.optim.Adam(params, lr=0.01)

    def net(x, w1, b1, w2, b2):
        return torch.sin(x @ w1 + b1) @ w2 + b2

    while True:
        optimizer.zero_grad()
        total = 0
        for _ in range(2):
            height, phase = torch.rand(1) * 4 + 1, torch.rand(1) * 3
            x = torch.rand(10, 1) * 10 - 5
            y = height * torch.sin(x + phase)
            inner = F.mse_loss(net(x[:5], *params), y[:5])
            grads = torch.autograd.grad(inner, params, create_graph=True)
            fast = [p - 0.01 * g for p, g in zip(params, grads, strict=True)]
            total = total + F.mse_loss(net(x[5:], *fast), y[5:])
        total.backward()
        optimizer.step()
        yield total
