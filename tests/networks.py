"""Forty programs whose graphs a picture must be able to hold; each ends with its root, or roots.

`run(name, torch)` runs one with minigrad or with torch.
"""

import linecache
from types import ModuleType
from typing import Any

import minigrad
from minigrad.graph import Graph, read

LINES: dict[str, str] = {
    "tutorial": """x = torch.tensor([1., -2.]); w = torch.tensor([0.5, 0.25], requires_grad=True)
b = torch.tensor(0.1, requires_grad=True); p = x * w; z = p + b; z.retain_grad()
z.register_hook(lambda g: g.clamp(max=0.78)); h = torch.tanh(z); loss = h.sum()
loss""",
    "diamond": "x = torch.tensor(3., requires_grad=True); h = x ** 2; y = h * 2 + h * 5\ny",
    "square": "x = torch.tensor([3., 4.], requires_grad=True); y = x * x\ny",
    "fan in": """w = torch.tensor([-3.25, 0.5], requires_grad=True); a = torch.tensor([-6.8, 1.]); p = w * a
q = w ** 2; loss = (p + q).sum()
loss""",
    "mlp": """net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)); x = torch.ones(5, 4)
y = torch.tensor([0, 1, 2, 1, 0]); loss = F.cross_entropy(net(x), y)
loss""",
    "deep mlp": """net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))
x = torch.ones(5, 4); y = torch.tensor([0, 1, 2, 1, 0]); loss = F.cross_entropy(net(x), y)
loss""",
    "shared mlp": """l = nn.Linear(4, 4); h = torch.ones(2, 4)
for i in range(4): h = torch.tanh(l(h))
loss = h.pow(2).mean()
loss""",
    "lenet": """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5),
                                      nn.ReLU(), nn.MaxPool2d(2))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(256, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                                        nn.Linear(84, 10))
    def forward(self, x):
        return self.classifier(self.features(x))
net = Net(); x = torch.ones(2, 1, 28, 28); y = torch.tensor([1, 2]); loss = F.cross_entropy(net(x), y)
loss""",
    "attention": """class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))
        self.h = h
    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (m(x).view(b, t, self.h, d // self.h).transpose(1, 2) for m in (self.q, self.k, self.v))
        w = (torch.matmul(q, k.transpose(-2, -1)) / (d // self.h) ** 0.5).softmax(-1)
        return self.out(torch.matmul(w, v).transpose(1, 2).reshape(b, t, d))
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.attn, self.ln2 = nn.LayerNorm(16), Attention(16, 2), nn.LayerNorm(16)
        self.mlp = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16))
    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))
net = Block(); x = torch.ones(2, 6, 16); y = torch.zeros(2, 6, 16); z = net(x); loss = F.mse_loss(z, y)
loss""",
    "residual": """x = torch.tensor([1., 2.], requires_grad=True); w = torch.tensor([.5, 1.], requires_grad=True)
y = x * w; u = y.exp() + y; loss = (u.sin() + y).sum()
loss""",
    "detach": """w = torch.tensor([1., 2.], requires_grad=True); h = w * 2; k = h.detach(); loss = (h * k).sum()
loss""",
    "no_grad": """w = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad(): m = w.mean()
loss = (w - m).pow(2).sum()
loss""",
    "in place": "x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; y.add_(1); z = y.exp()\nz",
    "views": "x = torch.ones(4, 3, requires_grad=True); y = x.t()[1:].reshape(-1); z = y.view(2, 4).sum()\nz",
    "copy slices": """a = torch.tensor([1., 2., 3.], requires_grad=True); y = a * 2; s = y ** 2; v = y[:2]; v.mul_(10)
total = s.sum()
total, v""",
    "hooks": """x = torch.tensor([1., 2.], requires_grad=True); b = torch.tensor(0.5, requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: None); x.register_hook(lambda g: g.clone()); y = x * 2; y.retain_grad()
y.register_hook(lambda g: None); y.register_hook(lambda g: None); y.grad_fn.register_hook(lambda a, b: None)
y.grad_fn.register_prehook(lambda g: None); z = (y ** 2 + b).sum()
z""",
    "unbind": "x = torch.ones(3, requires_grad=True); a, b, c = x.unbind(); b.register_hook(lambda g: g); y = a * c\ny",
    "topk": "x = torch.tensor([3., 1., 2.], requires_grad=True); v, i = x.topk(2); y = v.sum()\ny",
    "freed": "x = torch.tensor([1., 2.], requires_grad=True); y = (x * x).exp().sum(); y.backward()\ny",
    "with .grad": """x = torch.tensor([1., 2.], requires_grad=True); (x * 2).sum().backward(); y = (x ** 2).sum()
y""",
    "double backward": """x = torch.tensor([1., 2.], requires_grad=True); y = (x ** 3).sum()
g, = torch.autograd.grad(y, x, create_graph=True); z = (g * g).sum()
z""",
    "custom function": """class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x
    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0] ** 2 * g
x = torch.tensor([1., 2.], requires_grad=True); y = Cube.apply(x)
y""",
    "gather": """x = torch.ones(2, 3, requires_grad=True); i = torch.tensor([[0, 2], [1, 1]]); y = x.gather(1, i).sum()
y""",
    "while loop": """x = torch.tensor(1., requires_grad=True); y = x * 2
while y < 50: y = y * 1.5
y""",
    "two losses": """x = torch.ones(2, requires_grad=True); h = x.exp(); a = h.sum(); b = (h * 2).mean()
a, b""",
    "nan": "x = torch.tensor([0., -1., 4.], requires_grad=True); y = x.log(); z = y.sqrt().sum()\nz",
    "0-d": "x = torch.tensor(2., requires_grad=True); y = x.exp()\ny",
    "empty": "x = torch.zeros(0, 3, requires_grad=True); y = (x * 2).sum()\ny",
    "a million": "x = torch.ones(1000, 1000, requires_grad=True); y = (x * x).mean()\ny",
    "a leaf alone": "x = torch.tensor([1., 2.], requires_grad=True)\nx",
    "a constant alone": "x = torch.tensor([1., 2.])\nx",
    "chinese": "权重 = torch.ones(2, requires_grad=True); 输出 = 权重 * 权重; 损失 = 输出.sum()\n损失",
    "long names": """the_weight_of_the_very_first_layer_of_the_network = torch.ones(2, 2, requires_grad=True)
the_result_of_the_multiplication = the_weight_of_the_very_first_layer_of_the_network * 2
the_result_of_the_multiplication""",
    "many inputs": """xs = [torch.ones(2, requires_grad=True) for _ in range(9)]; y = torch.cat(xs)
z = torch.stack([y, y * 2, y * 3]).sum()
z""",
    "tied": """w = torch.ones(3, 4, requires_grad=True); x = torch.ones(5, 3); h = torch.tanh(x @ w)
loss = ((torch.tanh(h @ w.t()) @ w) ** 2).mean()
loss""",
    "broadcast": """b = torch.zeros(3, requires_grad=True); s = torch.tensor(2., requires_grad=True)
y = ((torch.ones(4, 3) + b) * s + s).logsumexp(0).sum()
y""",
    "stretched beside a constant": """x = torch.tensor([-1.0, 0.5]); w = torch.tensor([0.5, -0.5], requires_grad=True)
a = (w @ x).exp() * 2
loss = (a * x).sum() + (w * x).sum()
loss""",
    "norms": """bn = nn.BatchNorm1d(4); ln = nn.LayerNorm(4); x = torch.arange(12.).view(3, 4)
loss = (bn(x) * ln(x)).sum()
loss""",
}
# programs for which no rule of the pictures was written
OTHERS: dict[str, str] = {
    "dropout": """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2, self.drop = nn.Linear(4, 16), nn.Linear(16, 3), nn.Dropout(0.)
    def forward(self, x):
        return self.l2(self.drop(F.relu(self.l1(x))))
net = Net(); x = torch.ones(5, 4); y = torch.tensor([0, 1, 2, 1, 0]); loss = F.cross_entropy(net(x), y)
loss""",
    "resnet": """class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c1, self.b1, self.c2, self.b2 = (layer for _ in range(2) for layer in
                                              (nn.Conv2d(c, c, 3, padding=1), nn.BatchNorm2d(c)))
    def forward(self, x):
        return F.relu(x + self.b2(self.c2(F.relu(self.b1(self.c1(x))))))
net = nn.Sequential(nn.Conv2d(1, 4, 3), Block(4), Block(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
x = torch.ones(2, 1, 8, 8); loss = F.cross_entropy(net(x), torch.tensor([0, 1]))
loss""",
    "autoencoder": """enc = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 2))
dec = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 8)); x = torch.ones(3, 8)
loss = F.mse_loss(dec(enc(x)), x)
loss""",
    "embedding": """emb = nn.Embedding(10, 4); head = nn.Linear(4, 3); i = torch.tensor([[1, 2], [3, 4]])
loss = F.cross_entropy(head(emb(i).mean(1)), torch.tensor([0, 2]))
loss""",
    "gan": """G = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 3)); z = torch.ones(5, 2)
real = torch.zeros(5, 3)
D = nn.Sequential(nn.Linear(3, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1)); judge = F.binary_cross_entropy_with_logits
fake = G(z); loss = judge(D(real), torch.ones(5, 1)) + judge(D(fake), torch.zeros(5, 1))
loss""",
    "shared layer": """lin = nn.Linear(4, 4); x = torch.ones(2, 4); h = lin(torch.relu(lin(x)))
loss = h.sum() + lin.weight.pow(2).sum()
loss""",
    "where": """x = torch.ones(3, 2, requires_grad=True); y = torch.where(x > 0, x.clamp(max=2) ** 2, x.abs().sqrt())
z = torch.einsum('ij,kj->ik', y, y); loss = z.logsumexp(1).sum() + y.std() - y.norm()
loss""",
    "penalty": """w = torch.full((2, 2), 0.5, requires_grad=True); x = torch.tensor([[1., 2.]], requires_grad=True)
out = torch.tanh(x @ w).sum(); g, = torch.autograd.grad(out, x, create_graph=True)
loss = ((g.norm(dim=1) - 1) ** 2).mean()
loss""",
    "siamese": """f = nn.Sequential(nn.Linear(3, 4), nn.Tanh()); a = torch.ones(2, 3); b = torch.zeros(2, 3); c = -a
near = (f(a) - f(b)).pow(2).sum(1); far = (f(a) - f(c)).pow(2).sum(1); loss = F.relu(near - far + 1).mean()
loss""",
    "variational": """mu = torch.zeros(2, 3, requires_grad=True); s = torch.zeros(2, 3, requires_grad=True)
e = torch.ones(2, 3)
z = mu + (s / 2).exp() * e; kl = -0.5 * (1 + s - mu ** 2 - s.exp()).sum(); loss = ((z - 1) ** 2).sum() + kl
loss""",
    "written parts": """a = torch.zeros(4, 4); r = torch.ones(4, requires_grad=True); a[0] = r; a[:, 1] = r * 2
a[2, 2] = r.sum(); d = a.detach(); loss = (a @ a).diagonal().sum() + (a * d).mean()
loss""",
    "loops from leaves": """x = torch.ones(4, requires_grad=True); h = x; y = x
for _ in range(20): h = h + torch.tanh(h * 0.5)
for _ in range(20): y = torch.tanh(y) * x
loss = (h * y).sum()
loss""",
    "losses of a loop": """cell = nn.RNNCell(3, 4); head = nn.Linear(4, 2); h = torch.zeros(2, 4); total = 0
y = torch.tensor([0, 1])
for t in range(100):
    h = cell(torch.ones(2, 3), h); total = total + F.cross_entropy(head(h), y)
total""",
    "outputs of a loop": """cell = nn.RNNCell(3, 4); head = nn.Linear(4, 2); h = torch.zeros(2, 4); made = []
losses = []
for t in range(20): h = cell(torch.ones(2, 3), h); made.append(head(h)); losses.append((h ** 2).mean())
loss = torch.stack(made).sum() + sum(losses) / 20
loss""",
    "meta learning": """w = torch.ones(3, requires_grad=True); x = torch.eye(3); y = torch.ones(3); meta = 0
for task in range(4):
    fast = w
    for k in range(3):
        g, = torch.autograd.grad(((x @ fast - y) ** 2).mean(), fast, create_graph=True); fast = fast - 0.1 * g
    meta = meta + ((x @ fast - y) ** 2).mean()
meta""",
    "choices": """pi = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)); x = torch.ones(4); kept = []
for t in range(12): p = F.log_softmax(pi(x), 0); kept.append(p[t % 2])
loss = sum(-p * 2 for p in kept)
loss""",
    "six blocks": """net = nn.Sequential(*(m for _ in range(6) for m in (nn.Linear(64, 64), nn.ReLU())),
                    nn.Linear(64, 3)); x = torch.ones(5, 64)
loss = F.cross_entropy(net(x), torch.tensor([0, 1, 2, 1, 0]))
loss""",
    "gpt": """class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.qkv, self.proj, self.h = nn.Linear(d, 3 * d), nn.Linear(d, d), h
    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (p.view(b, t, self.h, d // self.h).transpose(1, 2) for p in self.qkv(x).split(d, dim=2))
        w = (q @ k.transpose(-2, -1)) / (d // self.h) ** 0.5
        w = w.masked_fill(torch.tril(torch.ones(t, t)) == 0, float('-inf')).softmax(-1)
        return self.proj((w @ v).transpose(1, 2).reshape(b, t, d))
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ln1, self.attn, self.ln2 = nn.LayerNorm(d), Attention(d, 2), nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))
class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(10, 16), nn.Embedding(6, 16)
        self.blocks = nn.ModuleList([Block(16) for _ in range(4)])
        self.ln, self.head = nn.LayerNorm(16), nn.Linear(16, 10, bias=False)
        self.head.weight = self.tok.weight
    def forward(self, i):
        x = self.tok(i) + self.pos(torch.arange(i.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln(x))
net = GPT(); i = torch.tensor([[1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6, 7]])
loss = F.cross_entropy(net(i).view(-1, 10), i.view(-1))
loss""",
    "stages of blocks": """class Block(nn.Module):
    def __init__(self, c, d, stride=1):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(c, d, 3, stride, 1, bias=False), nn.BatchNorm2d(d)
        self.c2, self.b2 = nn.Conv2d(d, d, 3, 1, 1, bias=False), nn.BatchNorm2d(d)
        self.short = nn.Sequential()
        if stride > 1:
            self.short = nn.Sequential(nn.Conv2d(c, d, 1, stride, bias=False), nn.BatchNorm2d(d))
    def forward(self, x):
        y = F.relu(self.b1(self.c1(x)))
        return F.relu(self.b2(self.c2(y)) + self.short(x))
class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3, padding=1)
        self.stage1 = nn.Sequential(*[Block(4, 4) for _ in range(4)])
        self.stage2 = nn.Sequential(Block(4, 8, 2), *[Block(8, 8) for _ in range(3)])
        self.stage3 = nn.Sequential(Block(8, 16, 2), *[Block(16, 16) for _ in range(3)])
        self.head = nn.Linear(16, 3)
    def forward(self, x):
        x = self.stage3(self.stage2(self.stage1(F.relu(self.stem(x)))))
        return self.head(x.mean((2, 3)))
net = ResNet(); x = torch.ones(2, 1, 8, 8); loss = F.cross_entropy(net(x), torch.tensor([0, 1]))
loss""",
    "layers of a loop": """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 16)
        self.layers = nn.ModuleList([nn.Linear(16, 16) for _ in range(5)])
        self.last = nn.Linear(16, 2)
    def forward(self, x):
        x = torch.relu(self.first(x))
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.last(x)
net = Net(); x = torch.ones(3, 4); loss = F.mse_loss(net(x), torch.zeros(3, 2))
loss""",
    "a cut outside": """G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
z = torch.ones(5, 2); real = torch.zeros(5, 3); fake = G(z)
judge = F.binary_cross_entropy_with_logits
d_loss = judge(D(real), torch.ones(5, 1)) + judge(D(fake.detach()), torch.zeros(5, 1))
d_loss""",
    "a cut without a name": """w = torch.tensor([1., 2.], requires_grad=True); h = w * 2
loss = (h * h.detach() + h.detach().exp()).sum()
loss""",
    "four wide leaves": """shape = 20, 30
weights_a = torch.ones(shape, requires_grad=True); weights_b = torch.ones(shape, requires_grad=True)
weights_c = torch.ones(shape, requires_grad=True); weights_d = torch.ones(shape, requires_grad=True)
u = weights_a * weights_b + weights_c * weights_d; v = weights_a + weights_b + weights_c + weights_d
loss = (u * v).mean()
loss""",
    "vae": """class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(8, 6), nn.ReLU())
        self.mu, self.logvar = nn.Linear(6, 2), nn.Linear(6, 2)
        self.dec = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 8), nn.Sigmoid())
    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn(3, 2) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar
net = VAE(); x = torch.ones(3, 8) * 0.5
y, mu, logvar = net(x)
bce = F.binary_cross_entropy(y, x, reduction='sum')
kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum()
loss = bce + kl
loss""",
    "throw": """v0 = torch.tensor([3., 4.], requires_grad=True); g = torch.tensor([0., -9.8])
pos, vel = torch.tensor([0., 1.]), v0
while pos[1] > 0:
    acc = g - 0.1 * vel * vel.norm()
    vel = vel + acc * 0.2
    pos = pos + vel * 0.2
loss = (pos[0] - 2.5) ** 2
loss""",
    "episode": """pi = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)); x = torch.ones(1, 4)
kept, losses = [], []
for t in range(5):
    p = F.softmax(pi(x), 1)
    kept.append(torch.log(p[:, t % 2]))
for p, r in zip(kept, (1., -2., 3., .5, -1.)): losses.append(-p * r)
loss = torch.cat(losses).sum()
loss""",
    "weight decay": """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 2))
    def forward(self, x):
        return self.head(self.body(x).detach())
net = Net(); x = torch.arange(9.).view(3, 3) / 9; y = torch.tensor([0, 1, 1])
l2 = sum(p.pow(2).sum() for p in net.head.parameters())
loss = F.cross_entropy(net(x), y) + 0.01 * l2
loss""",
    "flows": """class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(nn.Linear(1, 3), nn.Tanh(), nn.Linear(3, 1))
        self.t = nn.Sequential(nn.Linear(1, 3), nn.Tanh(), nn.Linear(3, 1))
    def forward(self, x):
        a, b = x[:, :1], x[:, 1:]
        return torch.cat([b * self.s(a).exp() + self.t(a), a], 1)
class Model(nn.Module):
    def __init__(self): super().__init__(); self.flows = nn.ModuleList([Flow() for _ in range(3)])
    def forward(self, x):
        for flow in self.flows: x = flow.forward(x)
        return x
model = Model(); x = torch.arange(8.).view(4, 2) / 8; loss = model(x).pow(2).sum()
loss""",
    "experts": """class MoE(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 4)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
                                      for _ in range(4)])
    def forward(self, x):
        weights = self.gate(x).softmax(-1)
        outs = torch.stack([expert(x) for expert in self.experts], 1)
        return (weights.unsqueeze(-1) * outs).sum(1)
net = MoE(); x = torch.ones(2, 4); loss = F.cross_entropy(net(x), torch.tensor([0, 2]))
loss""",
    "gram-schmidt": """Q = []
A = torch.tensor([[1., 1., 0., 2.], [0., 1., 1., 1.], [1., 0., 1., 0.], [2., 1., 0., 1.]], requires_grad=True)
for k in range(4):
    v = A[k]
    for q in Q: v = v - (q @ A[k]) * q
    Q.append(v / v.norm())
loss = (torch.stack(Q).sum(0) * torch.tensor([1., 2., 3., 4.])).sum()
loss""",
    "contrastive": """enc = nn.Sequential(nn.Linear(6, 8), nn.ReLU()); head = nn.Linear(8, 4)
a, b = torch.ones(3, 6), torch.ones(3, 6) * 0.5
za, zb = F.normalize(head(enc(a)), dim=1), F.normalize(head(enc(b)), dim=1)
sim = za @ zb.t() / 0.1; y = torch.arange(3)
loss = (F.cross_entropy(sim, y) + F.cross_entropy(sim.t(), y)) / 2
loss""",
    "lstm": """x = torch.ones(2, 5, 3); o, (hn, cn) = nn.LSTM(3, 4, batch_first=True)(x); loss = o[:, -1].sum()
loss""",
    "attention layer": """mha = nn.MultiheadAttention(4, 2, batch_first=True); x = torch.arange(24.).view(2, 3, 4) / 24
y, w = mha(x, x, x); loss = y.pow(2).mean()
loss""",
    "encoder layer": """x = torch.arange(24.).view(2, 3, 4) / 24
layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
loss = layer(x).pow(2).sum()
loss""",
    "recurrence by hand": """class Mixer(nn.Module):
    def __init__(self): super().__init__(); self.w = nn.Parameter(torch.eye(3)); self.b = nn.Parameter(torch.ones(3))
    def forward(self, x):
        h = torch.zeros_like(x)
        for t in range(6):
            h = torch.tanh(x + h @ self.w + self.b)
        return h
m = Mixer(); x = torch.ones(2, 3); loss = m(x).sum()
loss""",
    "matrices": """w = torch.arange(6.).view(2, 3).requires_grad_(); v = torch.arange(40.).requires_grad_()
m = w @ w.t(); q = (m / 0).sum() + v.log().sum(); loss = q * 1e-9
loss""",
    "cuts by an index": """x = torch.tensor([1., 5., 2.], requires_grad=True); y = x * 2; k = int(y.argmax()); m = y > 3
w = torch.where(y > 3, y, y.exp())
z = y[k] * y[m].sum() * x[x.argmin()] * w.sum()
z""",
    "cuts by a block": """q = nn.Linear(3, 2); s = torch.ones(4, 3); a = torch.tensor([[0], [1], [1], [0]])
with torch.no_grad():
    target = q(s).max(1).values
    old = q.weight * 0.5
scale = q.weight.detach().norm(); top = q.bias.max().item()
loss = F.smooth_l1_loss(q(s).gather(1, a)[:, 0] * scale, target) + ((q.weight - old) ** 2).sum() / top
loss""",
}
OTHERS["straight through"] = """class Round(nn.Module):
    def __init__(self): super().__init__(); self.f = nn.Linear(4, 4)
    def forward(self, x):
        h = torch.tanh(self.f(x))
        kept = h.detach()
        return (h + (h * 4).round().detach() / 4 - kept).relu() * kept, kept
class Net(nn.Module):
    def __init__(self): super().__init__(); self.a = Round(); self.b = Round(); self.c = nn.Linear(4, 4)
    def forward(self, x):
        y, kept = self.a(x)
        return (self.b(self.c(y))[0] * kept).sum()
net = Net(); loss = net(torch.ones(2, 4))
loss"""
# Without modules, and too high unless lines of code are folded
CODE: dict[str, str] = {
    "attention with a cache": """Wq, Wk, Wv, Wo = (torch.full((4, 4), k / 9, requires_grad=True) for k in (1, 2, 3, 4))
keys, values, outs = [], [], []
for t in range(5):
    x = torch.full((1, 4), 0.5 * t + 0.1)
    q = x @ Wq
    keys.append(x @ Wk)
    values.append(x @ Wv)
    K, V = torch.cat(keys), torch.cat(values)
    a = torch.softmax(q @ K.T / 2, -1)
    outs.append(a @ V @ Wo)
loss = (torch.cat(outs) ** 2).mean()
loss""",
    "orthogonal": """A = torch.tensor([[1., 1., 0.], [0., 1., 1.], [1., 0., 1.]], requires_grad=True)
Q = []
for i in range(3):
    v = A[:, i]
    for q in Q:
        v = v - (q @ A[:, i]) * q
    v = v / v.norm()
    Q.append(v)
loss = (torch.stack(Q) @ A).trace()
loss""",
    "inner loops": """w = torch.tensor([[1.], [2.], [3.]], requires_grad=True); b = torch.zeros(1, requires_grad=True)
total = 0
for k in range(3):
    x = torch.full((5, 3), 0.1 * k + 0.2); y = torch.ones(5, 1)
    inner = ((x @ w + b - y) ** 2).mean()
    gw, gb = torch.autograd.grad(inner, [w, b], create_graph=True)
    w2 = w - 0.1 * gw
    b2 = b - 0.1 * gb
    outer = ((x @ w2 + b2 - y) ** 2).mean()
    total = total + outer
total""",
    "highway": """Ws, Ts, bs = ([torch.ones(s, requires_grad=True) for _ in "abcd"] for s in ((6, 6), (6, 6), (6,)))
h = torch.ones(3, 6)
for W, T, b in zip(Ws, Ts, bs):
    t = torch.sigmoid(h @ T + b)
    c = torch.relu(h @ W)
    h = t * c + (1 - t) * h
loss = h.pow(2).mean()
loss""",
    "block by hand": """W = [torch.full((8, 8), 0.1, requires_grad=True) for k in range(6)]
g = torch.ones(8, requires_grad=True); x = torch.arange(40.).reshape(5, 8) / 40
mu = x.mean(-1, keepdim=True)
xn = (x - mu) / torch.sqrt(((x - mu) ** 2).mean(-1, keepdim=True) + 1e-5) * g
q, k, v = xn @ W[0], xn @ W[1], xn @ W[2]
s = q @ k.T / 8 ** 0.5
a = torch.softmax(s, -1)
h = x + a @ v @ W[3]
mu = h.mean(-1, keepdim=True)
hn = (h - mu) / torch.sqrt(((h - mu) ** 2).mean(-1, keepdim=True) + 1e-5) * g
out = h + torch.relu(hn @ W[4]) @ W[5]
loss = (out ** 2).mean()
loss""",
    "two heads": """enc = nn.Linear(8, 6); mean = nn.Linear(6, 2); spread = nn.Linear(6, 2)
dec = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 8))
x = torch.full((3, 8), 0.5)
h = F.relu(enc(x))
mu, lv = mean(h), spread(h)
z = mu + torch.exp(0.5 * lv) * torch.ones(3, 2)
r = torch.sigmoid(dec(z))
rec = F.binary_cross_entropy(r, x, reduction="sum")
kl = -0.5 * (1 + lv - mu ** 2 - lv.exp()).sum()
loss = rec + kl
loss""",
}
for steps in (3, 10, 100):
    LINES[f"rnn {steps}"] = f"""Wx = torch.ones(3, 4, requires_grad=True); Wh = torch.eye(4).requires_grad_()
b = torch.zeros(4, requires_grad=True); h = torch.zeros(2, 4); xs = torch.ones({steps}, 2, 3)
for t in range({steps}): h = torch.tanh(xs[t] @ Wx + h @ Wh + b)
loss = h.sum()
loss"""


def run(name: str, torch: ModuleType, read: Any = None) -> tuple[Any, dict[str, Any]]:
    """The roots and the names of one program; with `read` what that makes of them while the modules live."""
    return execute((LINES | OTHERS | CODE)[name], f"<{name}>", torch, read)


def execute(program: str, file: str, torch: ModuleType, read: Any = None) -> tuple[Any, dict[str, Any]]:
    """The same of any program, whose last line names its roots, under the name of a file."""
    *body, last = program.strip().splitlines()
    names: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    torch.manual_seed(0)
    source = "\n".join(body)
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file  # as a notebook's cell has it
    exec(compile(source, file, "exec"), names)
    found = {k: v for k, v in names.items() if hasattr(type(v), "grad_fn")}
    for k, v in names.items():
        if hasattr(type(v), "named_parameters"):
            found |= {f"{k}.{path}": p for path, p in v.named_parameters()}
    roots = tuple(names[name.strip()] for name in last.split(","))
    return (read(*roots, names=found), roots) if read else (roots, found)


def graph(name: str) -> tuple[Graph, tuple[Any, ...]]:
    """What minigrad reads of one program, and its roots."""
    return run(name, minigrad, read)
