"""What learners and teachers draw: programs for which no rule of the pictures was written.

`run(name, library)` runs one; each ends with its root, or roots. `{lib}` is the library's name.
"""

# ruff: noqa: E501

import importlib
import linecache
from typing import Any

PROGRAMS: dict[str, str] = {
    "gan step": """G = nn.Linear(2, 3); D = nn.Linear(3, 1); z = torch.tensor([[.5, -1.], [2., .25]]); real = torch.ones(2, 3)
fake = G(z)
d_loss = F.softplus(-D(real)).mean() + F.softplus(D(fake.detach())).mean()
d_loss.backward()
D.zero_grad()
g_loss = F.softplus(-D(fake)).mean()
d_loss, g_loss""",
    "siamese": """class Twin(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    def forward(self, a, b):
        return F.pairwise_distance(self.body(a), self.body(b))
net = Twin(); a = torch.tensor([[1., 2., 3.], [0., 1., 0.]]); b = torch.tensor([[1., 0., 3.], [2., 1., 0.]])
d = net(a, b); same = torch.tensor([1., 0.])
loss = (same * d ** 2 + (1 - same) * F.relu(2 - d) ** 2).mean()
loss""",
    "vae": """class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.mu, self.logvar, self.dec = nn.Linear(4, 3), nn.Linear(3, 2), nn.Linear(3, 2), nn.Linear(2, 4)
    def forward(self, x):
        h = torch.tanh(self.enc(x)); mu, logvar = self.mu(h), self.logvar(h)
        eps = torch.tensor([[.5, -.5]])
        z = mu + eps * torch.exp(.5 * logvar)
        return torch.sigmoid(self.dec(z)), mu, logvar
net = VAE(); x = torch.tensor([[.1, .9, .3, .7]]); out, mu, logvar = net(x)
rec = F.binary_cross_entropy(out, x); kl = -.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
loss = rec + kl
loss""",
    "tied embeddings": """class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(5, 3); self.out = nn.Linear(3, 5, bias=False); self.out.weight = self.emb.weight
    def forward(self, i):
        return self.out(torch.tanh(self.emb(i)))
net = LM(); i = torch.tensor([1, 3]); loss = F.cross_entropy(net(i), torch.tensor([2, 4]))
loss""",
    "gated residual": """class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.f, self.g = nn.Linear(3, 3), nn.Linear(3, 3); self.alpha = nn.Parameter(torch.tensor(0.5))
    def forward(self, x):
        g = torch.sigmoid(self.g(x))
        return x + self.alpha * g * torch.relu(self.f(x)) + (1 - g) * x
net = Gate(); x = torch.tensor([[1., -2., .5]], requires_grad=True); y = net(x); loss = (y * y).sum()
loss""",
    "gradient penalty": """D = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
x = torch.tensor([[1., 2.], [.5, -1.]], requires_grad=True)
score = D(x)
g, = torch.autograd.grad(score.sum(), x, create_graph=True)
pen = ((g.pow(2).sum(1).sqrt() - 1) ** 2).mean()
loss = score.mean() + 10 * pen
loss""",
    "truncated bptt": """cell = nn.RNNCell(2, 3); h = torch.zeros(1, 3); xs = torch.arange(12.).view(6, 1, 2) / 10
total = torch.zeros(())
for t in range(6):
    h = cell(xs[t], h)
    total = total + h.sum()
    if t % 3 == 2:
        h = h.detach()
total""",
    "teacher student": """teacher = nn.Linear(3, 2); student = nn.Linear(3, 2); x = torch.tensor([[1., 2., 3.]])
with torch.no_grad():
    soft = F.softmax(teacher(x) / 2, dim=1)
logp = F.log_softmax(student(x) / 2, dim=1)
loss = F.kl_div(logp, soft, reduction='batchmean') * 4
loss""",
    "weight norm": """v = torch.tensor([[3., 4.], [1., 0.]], requires_grad=True); g = torch.tensor([[2.], [1.]], requires_grad=True)
w = g * v / v.norm(dim=1, keepdim=True)
x = torch.tensor([[1., -1.]]); y = x @ w.T; loss = y.square().sum()
loss""",
    "bn and dropout eval": """net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Dropout(.5), nn.ReLU())
x = torch.tensor([[1., 2., 3.], [-1., 0., 4.]])
a = net(x)
net.eval()
b = net(x)
loss = a.sum() + b.sum()
loss""",
    "accumulation": """w = torch.tensor([1., -2.], requires_grad=True)
for batch in (torch.tensor([1., 2.]), torch.tensor([3., 4.])):
    loss = ((w * batch).sum() - 1) ** 2 / 2
    loss.backward()
xb = torch.tensor([5., 6.]); loss = ((w * xb).sum() - 1) ** 2 / 2
loss""",
    "masked attention": """q = torch.arange(6.).view(3, 2).requires_grad_(); k = torch.ones(3, 2, requires_grad=True)
v = torch.eye(3, 2).requires_grad_()
mask = torch.tril(torch.ones(3, 3)) == 0
scores = (q @ k.T / 2 ** .5).masked_fill(mask, float('-inf'))
att = scores.softmax(-1)
out = att @ v
loss = out.sum()
loss""",
    "inplace relu": """lin = nn.Linear(2, 3); act = nn.ReLU(inplace=True); x = torch.tensor([[1., 2.]])
h = lin(x)
y = act(h)
loss = y.sum() + h.mean()
loss""",
    "index writes": """src = torch.tensor([1., 2., 3.], requires_grad=True); buf = torch.zeros(2, 3)
buf[0] = src * 2
buf[1, ::2] = src[:2]
buf[0, 1] += src[2]
loss = (buf * buf).sum()
loss""",
    "two output function": """class MinMax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k, flag):
        ctx.save_for_backward(x); ctx.k = k
        ctx.set_materialize_grads(False)
        return x.max() * k, x.min() * k
    @staticmethod
    def backward(ctx, ga, gb):
        x, = ctx.saved_tensors
        g = torch.zeros_like(x)
        if ga is not None: g = g + (x == x.max()) * ga * ctx.k
        if gb is not None: g = g + (x == x.min()) * gb * ctx.k
        return g, None, None
x = torch.tensor([1., 5., 3.], requires_grad=True); hi, lo = MinMax.apply(x, 3., True); y = hi * 2
y""",
    "hooks everywhere": """w = torch.tensor([1., 2.], requires_grad=True); w.register_hook(lambda g: g * 3)
h = w * 4; h.register_hook(lambda g: g.clamp(max=1)); h.retain_grad()
h.grad_fn.register_prehook(lambda gs: (gs[0] * 10,))
e = h.exp(); e.grad_fn.register_hook(lambda gi, go: (gi[0] / 2,))
loss = e.sum() + h.sum()
loss""",
    "func grad": """def f(w, x): return ((w * x).sin()).sum()
w = torch.tensor([1., 2.], requires_grad=True); x = torch.tensor([.5, .25])
g = torch.func.grad(f)(w, x)
loss = (g * w).sum()
loss""",
    "checkpoint": """from {lib}.utils.checkpoint import checkpoint
w = torch.tensor([1., 2., 3.], requires_grad=True)
def block(t): return (t.sin() * t).exp()
h = checkpoint(block, w * 2, use_reentrant=False)
loss = h.sum()
loss""",
    "lstm": """net = nn.LSTM(2, 3); head = nn.Linear(3, 1); x = torch.arange(8.).view(4, 1, 2) / 8
out, (hn, cn) = net(x)
loss = head(out[-1]).sum() + cn.pow(2).mean()
loss""",
    "parameter list": """class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.ws = nn.ParameterList([nn.Parameter(torch.tensor([float(k), 1.])) for k in range(3)])
        self.scale = nn.ParameterDict({'a': nn.Parameter(torch.tensor(2.))})
    def forward(self, x):
        for w in self.ws: x = x * w + 1
        return x * self.scale['a']
m = Mix(); y = m(torch.tensor([1., 2.])).sum()
y""",
    "called twice": """lin = nn.Linear(2, 2); x = torch.tensor([[1., 2.]]); h = lin(x); y = lin(h); z = lin(h + y)
loss = (h + y + z).sum()
loss""",
    "loop of changing length": """w = torch.tensor(1.5, requires_grad=True); seqs = [[1., 2.], [3.], [4., 5., 6.]]; losses = []
for seq in seqs:
    s = torch.tensor(0.)
    for v in seq:
        s = torch.tanh(s + w * v)
    losses.append(s)
loss = torch.stack(losses).mean()
loss""",
    "closure": """def make(p):
    def f(t): return t * p + p
    return f
a = torch.tensor(2., requires_grad=True); f = make(a); g = lambda t: f(f(t))
y = g(torch.tensor(3.))
y""",
    "dict tensors": """params = {'w': torch.tensor([1., 2.], requires_grad=True), 'b': torch.tensor(0.5, requires_grad=True)}
acts = {}
acts['h'] = params['w'] * 2 + params['b']
acts['out'] = acts['h'].sum()
loss = acts['out'] ** 2
loss""",
    "chinese and long": """学习率 = torch.tensor(0.1, requires_grad=True); 一个非常非常长的中文变量名称用来检查图片里的卡片会不会溢出 = 学习率 * 3
a_really_long_variable_name_that_goes_on_and_on_and_never_seems_to_end_at_all = 一个非常非常长的中文变量名称用来检查图片里的卡片会不会溢出 ** 2 + 学习率
a_really_long_variable_name_that_goes_on_and_on_and_never_seems_to_end_at_all""",
    "sizes": """s = torch.tensor(2., requires_grad=True); one = torch.ones(1, 1, requires_grad=True)
none = torch.zeros(0, 4, requires_grad=True)
big = torch.ones(300, 400, requires_grad=True)
loss = s * one.sum() + none.sum() + (big * s).mean()
loss""",
    "ints and bools": """x = torch.tensor([1., -2., 3.], requires_grad=True); n = torch.tensor([1, 2, 3]); keep = x > 0
idx = torch.argsort(x)
y = x * n; z = y[keep]; u = x[idx] ** 2; loss = z.sum() + u.mean() + x.long().sum()
loss""",
    "nan inside": """x = torch.tensor([1., 0., 4.], requires_grad=True); y = x - 1; z = y.sqrt()
w = torch.where(y < 0, torch.zeros_like(y), z); loss = w.sum()
loss""",
    "inf from data": """data = torch.tensor([1., float('inf')]); x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; z = y / data
q = z * data; loss = q.sum()
loss""",
    "detach then requires": """a = torch.tensor([1., 2.], requires_grad=True); h = a * 3; b = h.detach().requires_grad_(); y = (b ** 2).sum()
y.backward()
loss = (h * b).sum()
loss""",
    "views of views written": """base = torch.arange(6.).requires_grad_(); m = base * 1; v = m.view(2, 3); row = v[1]; part = row[1:]
part.mul_(10)
row[0] = -1.
loss = (m * m).sum() + v[0].sum()
loss""",
    "roots with gradient": """x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; z = x ** 2
y, z""",
    "frozen": """body = nn.Sequential(nn.Linear(2, 3), nn.ReLU()); head = nn.Linear(3, 1)
for p in body.parameters(): p.requires_grad_(False)
body[0].bias.requires_grad_(True)
x = torch.tensor([[1., 2.]]); loss = head(body(x)).pow(2).sum()
loss""",
    "twelve uses": """w = torch.tensor([0.5, -1.], requires_grad=True); acc = torch.zeros(2)
for k in range(12): acc = acc + w * float(k + 1)
loss = acc.prod()
loss""",
    "stale": """w = torch.tensor([1., 2.], requires_grad=True); h = w * 3; y = h * h; h.add_(1); z = y.sum() + h.sum()
z""",
    "retain and second": """x = torch.tensor([2., 3.], requires_grad=True); y = x * x; y.retain_grad(); z = y.exp().sum() / 1000
z.backward(retain_graph=True)
z""",
    "topk gather scatter": """x = torch.tensor([[3., 1., 2.], [0., 5., 4.]], requires_grad=True); v, i = x.topk(2, dim=1)
out = torch.zeros(2, 3).scatter(1, i, v * 2); c = x.gather(1, i[:, :1]); s, order = x.sort(dim=1)
loss = out.sum() + c.prod() + s[:, 0].sum()
loss""",
    "conv pool": """net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(1), nn.Linear(8, 2))
x = torch.arange(36.).view(1, 1, 6, 6) / 36; loss = F.nll_loss(F.log_softmax(net(x), 1), torch.tensor([1]))
loss""",
    "unused branch": """a = torch.tensor(1., requires_grad=True); b = torch.tensor(2., requires_grad=True); dead = b * 5
y = a * 3; m = torch.maximum(y, b); s = m if m.item() > 2.5 else m * 2
s""",
    "split and cat": """x = torch.arange(8.).requires_grad_(); a, b = x.chunk(2); c, d, e = x.split([1, 3, 4])
s = torch.cat([b, a]) * torch.cat([c, d, e])
y = torch.stack([s, x]).max(0).values.sum()
y""",
    "einsum bilinear": """A = torch.arange(4.).view(2, 2).requires_grad_(); u = torch.tensor([1., 2.], requires_grad=True)
q = torch.einsum('i,ij,j->', u, A, u); r = torch.outer(u, u).trace(); loss = q.log() + r
loss""",
    "complex names reuse": """x = torch.tensor(2., requires_grad=True)
x1 = x
y = x; y = y * 3; y = y + x1; t = y; y = t.exp(); del t
y""",
    "optimizer loop": """w = torch.tensor([1., -1.], requires_grad=True); opt = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    opt.zero_grad(); loss = (w ** 2).sum(); loss.backward(); opt.step()
loss = (w ** 2).sum() + w[0]
loss""",
    "mha layer": """layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0., batch_first=True)
x = torch.arange(12.).view(1, 3, 4) / 10
y = layer(x); loss = y.pow(2).mean()
loss""",
    "custom no ctx": """class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_non_differentiable(b := x > y)
        ctx.save_for_backward(b)
        return torch.maximum(x, y), b
    @staticmethod
    def backward(ctx, g, _):
        b, = ctx.saved_tensors
        return g * b, None
p = torch.tensor([1., 4.], requires_grad=True); q = torch.tensor([2., 3.], requires_grad=True)
o, mask = Clip.apply(p, q)
loss = (o * q).sum()
loss""",
    "physics informed": """net = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1)); t = torch.linspace(0, 1, 3).view(-1, 1).requires_grad_()
u = net(t)
du, = torch.autograd.grad(u.sum(), t, create_graph=True)
ddu, = torch.autograd.grad(du.sum(), t, create_graph=True)
res = (ddu + 4 * u).pow(2).mean(); ic = (u[0] - 1).pow(2).sum()
loss = res + ic
loss""",
    "siamese of cosines": """enc = nn.Sequential(nn.Linear(4, 3), nn.Tanh()); a = torch.ones(2, 4); b = torch.zeros(2, 4)
ea, eb = enc(a), enc(b)
sim = F.cosine_similarity(ea, eb)
loss = (1 - sim).clamp(min=0).mean()
loss""",
    "gru by hand": """Wz, Wr, Wn = (torch.full((3, 2), .1 * k, requires_grad=True) for k in (1, 2, 3))
Uz, Ur, Un = (torch.full((2, 2), .1 * k, requires_grad=True) for k in (1, 2, 3))
x = torch.tensor([[1., 2., 3.]]); h = torch.tensor([[.5, -.5]])
z = torch.sigmoid(x @ Wz + h @ Uz); r = torch.sigmoid(x @ Wr + h @ Ur)
n = torch.tanh(x @ Wn + r * (h @ Un))
h2 = (1 - z) * n + z * h
loss = h2.pow(2).sum()
loss""",
    "coupling flow": """class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__(); self.flip = flip; self.net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 4))
    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip: a, b = b, a
        s, t = self.net(a).chunk(2, 1); s = torch.tanh(s); b = b * torch.exp(s) + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.sum(1)
layers = nn.ModuleList([Coupling(False), Coupling(True), Coupling(False)])
z = torch.arange(8.).view(2, 4) / 4; logdet = torch.zeros(2)
for l in layers:
    z, ld = l(z)
    logdet = logdet + ld
nll = (0.5 * z.pow(2).sum(1) - logdet).mean()
nll""",
    "gram schmidt": """A = torch.tensor([[1., 2., 0.], [0., 1., 1.], [2., 0., 1.]], requires_grad=True)
q = []
for i in range(3):
    v = A[:, i]
    for u in q:
        v = v - (u @ v) * u
    q.append(v / v.norm())
Q = torch.stack(q, 1)
loss = (Q.t() @ A).diagonal().sum()
loss""",
    "batches first": """net = nn.GRU(2, 3, batch_first=True); x = torch.arange(8.).view(2, 2, 2) / 8; out, hn = net(x)
loss = out.pow(2).sum() + hn.sum()
loss""",
}


def run(name: str, library: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The roots of one program, and its names."""
    torch = importlib.import_module(library)
    *body, last = PROGRAMS[name].replace("{lib}", library).splitlines()
    importlib.import_module(f"{library}.func")
    names: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    torch.manual_seed(0)
    source, file = "\n".join(body), f"<{name}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), names)
    roots = tuple(names[name.strip()] for name in last.split(","))
    found = {k: v for k, v in names.items() if k != "nn" and (hasattr(v, "grad_fn") or hasattr(type(v), "parameters"))}
    return roots, found
