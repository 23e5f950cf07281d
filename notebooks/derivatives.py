"""The page of derivatives: the rule of every row of the table, printed by the formula that runs.

Knows which file of `ops/table` a row stands in, and what Markdown would take for its own in TeX; the rules
are the rows' (`minigrad/core/carriers.py` says how they are written). Nothing but the header is
written by hand.

    python -m notebooks.derivatives             write DERIVATIVES.md
    python -m notebooks.derivatives --check     change nothing; exit 1 if the page would change
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import minigrad
from minigrad.core.row import TABLE
from minigrad.text import table
from minigrad.text.tex import SYMBOLS, symbol
from notebooks.conformance import keep

HERE = Path(__file__).resolve().parent
PAGE = HERE / "DERIVATIVES.md"
OPS = Path(minigrad.__file__).resolve().parent / "ops"
FILES = ("pointwise", "reduce", "shape", "index", "linalg", "activation", "loss", "conv")  # to read in this order
REFUSED = SYMBOLS.refuse().tex

HEADER = """# Derivatives · 导数表

Written by `make notebooks` from the table; do not edit. 由 `make notebooks` 根据导数表生成，请勿手改。

**The rule printed here is the program that runs.** A row of the table holds its derivatives as Python. The engine
runs them on arrays, under `create_graph=True` on tensors, and this page ran them on symbols, which print themselves.
Only parts that ask for a shape, or that compute one thing in several ways, say by hand how they are written.

**这里印出的法则就是实际运行的程序。** 表中每一行的导数都是 Python。引擎在数组上运行它们，
`create_graph=True` 时在张量上运行；本页在符号上运行它们，符号把自己印出来。
只有要询问形状、或用几种算法计算同一结果的部分，才手写其记法。

{rules} rules of {rows} operations. The engine sums back what was broadcast after the rule has run; this is not written.
A weight that is not given counts as 1. Losses are printed for `reduction="mean"`,
`gelu` for `approximate="none"`, norms for a finite order.

{rows} 个操作的 {rules} 条法则。被广播的部分由引擎在法则运行之后求和还原，这里不写。
未给出的权重按 1 计。损失按 `reduction="mean"` 印出，`gelu` 按 `approximate="none"`，范数按有限的阶。

| written · 记号 | meaning · 含义 |
|---|---|
{legend}
"""
LEGEND = (
    (r"$y$, $\bar y$", r"the result and its incoming gradient; $\bar y_{0}$, $\bar y_{1}$ if there are several",
     r"结果及其传入梯度；有多个结果时为 $\bar y_{0}$、$\bar y_{1}$"),
    ("$x$, $b$, $w$, $A$ …", "inputs, listed after the name of the operation", "输入，列在操作名之后"),
    (r"$\mathrm{dim}$, $\mathrm{min}$ …", "upright: options and functions, as PyTorch calls them",
     "正体：选项和函数，用 PyTorch 的名称"),
    (r"$x \odot b$, $A B$, $A^{\top}$", "product element by element, product of matrices, transpose",
     "逐元素乘积、矩阵乘积、转置"),
    ("$[x > 0]$", "1 where it holds, 0 elsewhere", "成立处为 1，否则为 0"),
    (r"$\bar y[i]$", "what stands where the operation's index, dim and sizes point to",
     "操作的索引、dim 与尺寸所指之处的值"),
    (r"$\bar y[i] \leftarrow 0$", "a copy with 0 written there", "一份拷贝，在该处写入 0"),
    (r"$0[i] \thinspace \text{+=}\thinspace \bar y$", r"zeros with $\bar y$ added there, twice if it is named twice",
     r"全零，在该处加上 $\bar y$；被指到两次就加两次"),
    (r"$\sum_{j \ge i}$", "for element $i$ along dim: from it to the end", "对沿 dim 的元素 $i$：从它到末尾"),
    ("$n$, $k$", "how many elements were averaged; how many share one gradient",
     "求平均的元素个数；分享一个梯度的元素个数"),
    (r"$\sigma$, $\Phi$, $\phi$, $\psi$", "sigmoid, normal distribution, its density, digamma",
     "sigmoid、正态分布、其密度、digamma"),
    (r"$\mathrm{standardized}\left(x\right)$", "$x$ minus its mean, divided by its standard deviation",
     "$x$ 减去均值，再除以标准差"),
    (r"$x \star w$, $w^{\leftarrow}$", "sliding product, as `conv2d`; $w$ turned round",
     "滑动乘积，即 `conv2d`；翻转的 $w$"),
    ("$A^{+}$", "pseudo-inverse", "伪逆"),
    (r"$\mathrm{sym} M$, $\mathrm{skew} M$", r"$\frac{1}{2} \left(M + M^{\top}\right)$, $M - M^{\top}$",
     "对称部分、反对称部分"),
)
COLUMNS = ("operation · 操作", "`grad_fn`", "input · 输入", "rule · 法则")


def file_of(row: Any) -> str:
    """The chapter of the table in which a row stands; "" for a row from elsewhere. Kernels are in chapters alike."""
    written = [row.forward, *row.derivatives.values()]
    paths = [Path(f.__code__.co_filename) for f in written if hasattr(f, "__code__")]
    return next((path.stem for path in paths if path.parent.parent == OPS), "")


def math(tex: str) -> str:
    r"""TeX between dollars; words for `\\` and `\,`, whose backslash Markdown would take."""
    return "$" + re.sub(r"\\, ?", r"\\thinspace ", tex.replace(r"\\ ", r"\cr ")) + "$"


def letter(row: Any, name: str) -> str:
    return (table("names")["letters"] | row.letters).get(name) or symbol(name).tex


def lines_of(row: Any) -> list[str]:
    """The lines of one operation, one for each input that has a derivative."""
    rules = [row.tex(name) for name in row.differentiable]
    used = {n for n in set().union(*row.uses.values()) if any(letter(row, n) in rule for rule in rules)}
    inputs = ", ".join(letter(row, n) for n in row.inputs if n in row.tensors or n in used)
    cells = [f"`{row.name}` {math(inputs)}", f"`{row.grad_fn}`"]
    lines = []
    for name, rule in zip(row.differentiable, rules, strict=True):
        lines.append([*cells, f"`{name}` {math(letter(row, name))}", math(rule)])
        cells = ["", ""]
    return ["| " + " | ".join(line) + " |" for line in lines]


def section(file: str, rows: list[Any]) -> str:
    head = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines = [f"## [`{file}.py`](../minigrad/ops/table/{file}.py)", "", *head]
    for row in rows:
        lines += [] if silent(row) else lines_of(row)
    without = [f"`{row.name}`" for row in rows if not row.differentiable]
    refused = [f"`{row.name}`" for row in rows if row.differentiable and silent(row)]
    if without:
        lines += ["", "Not differentiable · 不可导: " + ", ".join(without)]
    if refused:
        lines += ["", "Recorded, but backward raises · 会记录，但反向传播时报错: " + ", ".join(refused)]
    return "\n".join([*lines, ""])


def silent(row: Any) -> bool:
    return all(row.tex(name) == REFUSED for name in row.differentiable)


def page() -> str:
    rows = [row for row in TABLE.values() if file_of(row)]
    printed = [row for row in rows if not silent(row)]
    rules = sum(len(row.differentiable) for row in printed)
    legend = "\n".join(f"| {written} | {english} · {chinese} |" for written, english, chinese in LEGEND)
    header = HEADER.format(rules=rules, rows=len(printed), legend=legend)
    return "\n".join([header, *(section(f, [row for row in rows if file_of(row) == f]) for f in FILES)])


if __name__ == "__main__":
    sys.exit(keep(PAGE, page, __doc__ or ""))
