r"""The local rule of a step as TeX: `∂loss/∂w = ∂loss/∂p \odot x`, and with numbers put in; and sums.

The right side is the row's own derivative, run on symbols that are spelled as the learner's names
or as the values of the moment; nothing is written by hand.
"""

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..array.backend import xp
from ..core.carriers import RAW
from ..core.row import Row
from ..text.numbers import honest, plus, summed
from ..text.tex import Symbol, tex_of
from .preview import FULL, cells, exactly, full, in_full, preview, shown, told, type_name, with_brackets
from .snapshot import NodeRecord, Saved, is_layout
from .symbols import NamedValue, Symbols, tex_name

OPEN_END = str(2**63 - 1)  # the end that `x[1:]` saves
MOST_ROOM = 40  # characters of a sum that a picture has room for
MOST_NUMBERS = 13  # more numbers than this make a line that no callout has room for
MOST_CELLS = 64  # and, of matrices, more than this
KTH = re.compile(r"(\\text\{[^{}]*\})|\bk(?=\])")  # names, and the place of one of several
WORD, LETTER = re.compile(r"\\(text|mathrm)\{[^{}]*\}|\\[a-zA-Z]+"), re.compile(r"\b[a-zA-Z]\b")


@dataclass(frozen=True, slots=True)
class Rule:
    """What leaves through `slot`: the rule, the same with values filled in ("" where they are too many).

    `word` and `operands` (name, text) say what was put in; `exact` is the result with all its digits.
    """

    slot: int
    tex: str
    filled_in: str
    result: str
    exact: str = ""
    word: str = ""
    operands: tuple[tuple[str, str], ...] = ()
    symbols: tuple[NamedValue, ...] = ()  # what its left side says the value of, then what stands on the right


def rule(names: Symbols, node: NodeRecord, row: Row | None, slot: int, incoming: tuple[Any, ...], result: Any,
         saved: Mapping[str, Any], sent: NamedValue) -> Rule | None:
    """The rule of one slot; None for a node that no row describes, such as a custom Function.

    `incoming` and `result` are arrays, `saved` are values as the formula takes them, `sent` is what leaves. Of a
    write into a part of a tensor the row tells what becomes of that part of the gradient; the rest passes by.
    """
    several = row is not None and row.inputs[0] == "tensors"
    if row is None or (slot >= len(row.differentiable) and not several):
        return None
    word = row.differentiable[0 if several else slot]
    came = [names.at((node.id, nr), "" if g is None else told(g)) for nr, g in enumerate(incoming)]
    formula, (letters, used) = row.derivatives[word], spelling(names, node, row, saved)
    together: Any = came[0].tex if len(came) == 1 else tuple(
        "0" if g is None else s.tex for g, s in zip(incoming, came, strict=True))
    grad = rf"{together}[\mathrm{{part}}]" if node.name == "CopySlices" else together
    given = Symbol(grad, rank=len(incoming[0].shape)) if len(incoming) == 1 else grad
    letters = row.letters | letters | {"grad": given}
    one = [field for field, s in used.items() if len(s.en) == 1 and field in letters]
    blank = {field: Symbol(r"\text{}", rank=letters[field].rank) for field in one}
    own = LETTER.findall(WORD.sub("", tex_of(formula, letters | blank))) if blank else []
    for field in (field for field in blank if used[field].en in own):  # the learner's `i` is not that of `x[i]`
        used[field] = replace(used[field], en=(other := names.field(node, field)), zh=other)
        letters[field] = Symbol(used[field].tex, rank=letters[field].rank)
    made = tex_of(formula, letters)
    if grad != together and slot == 0:  # what is not written passes by
        made = together if made == grad else rf"{grad} \leftarrow {made}"
    whole, text = with_signs(f"{sent.tex} = {made}"), full(result)
    filled_in, operands = with_values(node, row, word, incoming, result, saved)
    if several:
        whole, filled_in = (KTH.sub(lambda found: found[1] or str(slot), tex) for tex in (whole, filled_in))
    if len(incoming) == 1 and "[" not in preview(incoming[0]) + text:  # between single numbers a product is just one
        whole, filled_in = (tex.replace(r"\odot", r"\cdot") for tex in (whole, filled_in))
    shown = [used[name] for name in row.uses[word] if name in used]
    return Rule(slot, whole, filled_in, text, exactly(result), word, operands, (sent, *came, *shown))


def spelling(names: Symbols, node: NodeRecord, row: Row,
             saved: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, NamedValue]]:
    """How what a node saved is written in its rules, and the tensors among it."""
    letters: dict[str, str | None] = {}
    tensors: dict[str, NamedValue] = {}
    for kept in (s for field in row.saved for s in node.saved if s.field == field):  # of others the table's letter
        known = as_tex(kept.text) if is_given(kept) else None
        if not kept.is_tensor:
            letters[kept.field] = tex_name(kept.text) if known == "" else known
        elif kept.tensor is None and known != "":
            letters[kept.field] = known  # a constant without a name is its value
        else:
            named = kept.tensor and not replaced(names, kept, saved) and names.labels[kept.tensor]
            name = named or names.field(node, kept.field)
            letters[kept.field] = tex_name(name)
            if hasattr(value := saved.get(kept.field), "reshape"):
                tensors[kept.field] = NamedValue(name, name, told(value))
    ranks = {field: len(value.shape) for field, value in saved.items() if hasattr(value, "shape")}
    return {field: tex and Symbol(tex, rank=ranks.get(field)) for field, tex in letters.items() if tex != ""}, tensors


def replaced(names: Symbols, kept: Saved, saved: Mapping[str, Any]) -> bool:
    """Whether a hook of `saved_tensors_hooks` gave back another value than the tensor has."""
    value, known = saved.get(kept.field), kept.tensor and names.graph.tensor(kept.tensor).value
    return bool(known) and hasattr(value, "reshape") and preview(value) != known


def with_values(node: NodeRecord, row: Row, word: str, incoming: tuple[Any, ...], result: Any,
                saved: Mapping[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The values in place of the names, or only the result where something is too long, or cannot be true."""
    end = as_tex(full(result))
    alone = f"= {end}" if end else ""
    used = [name for name in row.uses[word] if name != "F"]
    values = {name: incoming[0] if name == "grad" else saved.get(name) for name in used}
    arrays: dict[str, Any] = {name: v for name, v in values.items() if hasattr(v, "reshape")}
    options = {s.field: as_tex(s.text) if is_given(s) else None for s in node.saved if s.field not in arrays}
    if (not end or len(incoming) != 1 or node.name == "CopySlices" or not all(map(in_full, (*arrays.values(), result)))
            or any(options.get(name, "") == "" for name in used if name not in arrays and not is_layout(name))):
        return alone, ()
    def found(parts: list[list[Any]]) -> list[Any] | None:
        made = computed(row, word, values | {n: as_array(p, arrays[n]) for n, p in zip(arrays, parts, strict=True)})
        return None if made is None else list(made.reshape(-1).tolist())

    if (written := honest(found, [cells(v) for v in arrays.values()], cells(result))) is None:
        return alone, ()
    texts = {name: with_brackets(t, v) for (name, v), t in zip(arrays.items(), written.operands, strict=True)}
    spelled = {name: Symbol(as_tex(t), rank=len(arrays[name].shape)) for name, t in texts.items()}
    if not all(one.tex for one in spelled.values()):  # ∞, which no formula takes
        return alone, ()
    put_in = tex_of(row.derivatives[word], row.letters | options | spelled)
    by_zero = [as_tex(t) for name, t in texts.items() if any(v == 0 for v in cells(arrays[name]))]
    if any(f"}}{{{t}}}" in put_in or f"/ {t}" in put_in for t in by_zero) and all(map(math.isfinite, cells(result))):
        return alone, ()  # what the row does where its quotient is not defined is not written in it
    most = MOST_CELLS if "[[" in end and "[[[" not in put_in + end else MOST_NUMBERS
    worded = re.search("standardized|windows", put_in)  # what the digits beside it do not say
    if put_in in (end, "0") or worded or len(re.findall(r"[\d.]+", put_in + end)) > most:
        return alone, ()
    sign = r"\to" if put_in == as_tex(texts.get("grad", "")) else written.sign.replace("≈", r"\approx")
    return f"= {with_signs(put_in)} {sign} {end}", tuple(texts.items())  # expanded: the same number, more often


def with_signs(tex: str) -> str:
    """Matrix products with `@`: between words and lists a gap says little; behind `+=` it is no product."""
    return re.sub(r"(?<!=\})(?<!,)\\, ", r" \\; @ \\; ", tex)


def computed(row: Row, word: str, values: Mapping[str, Any], at: int | None = None) -> Any:
    """What the row's own formula makes of these values, as an array; None where it cannot. `at`: which of several."""
    try:
        with warnings.catch_warnings(action="ignore"), xp.errstate(all="ignore"):
            made = row.derivatives[word](**values, **({"F": RAW} if "F" in row.uses[word] else {}))
            return xp.asarray(made if at is None else made[at])
    except Exception:  # a formula that takes more than numbers, or refuses these
        return None


def as_array(numbers: Any, like: Any) -> Any:
    """Numbers in the shape of an array; in its type where that is exact, else in double precision."""
    kind = type_name(like.dtype)
    return xp.array(numbers, dtype="float64" if "float" in kind else kind).reshape(like.shape)


def sum_of(terms: Sequence[Any], total: Any, together: bool = False, each: Callable[[Any], list[Any]] = shown) -> str:
    """`0.71 + 0.78 = 1.49`, of arrays in one shape; "" where it could not be written truly. `each`: their numbers."""
    alike = all(t.shape == total.shape for t in terms)
    if not alike or (written := summed([each(t) for t in terms], each(total), together)) is None:
        return ""
    words = [with_brackets(texts, total) for texts in (*written.operands, written.result)]
    return f"{plus(words[:-1])} {written.sign} {words[-1]}"


def whole(terms: Sequence[Any], total: Any) -> str:
    """The sum of `terms`, or `total` alone, with all entries of a matrix that a preview cuts short; else ""."""
    if not in_full(total) or not FULL < total.size <= MOST_CELLS / (len(terms) + 1):
        return ""
    return sum_of(terms, total, each=cells) if terms else full(total)


def sum_back(before: Any, after: Any) -> str:
    """The sum over what broadcasting stretched, slice by slice; "" where the slices are too many to write out."""
    count, size = max(1, math.prod(after.shape)), math.prod(before.shape)
    # of a single slice nothing is added
    if not count < size <= FULL * count <= FULL * FULL or size * (count > 1) + count > MOST_NUMBERS:
        return ""
    target = (1,) * (len(before.shape) - len(after.shape)) + tuple(after.shape)
    goes_to = xp.broadcast_to(xp.arange(count).reshape(target), before.shape)  # element by element of the sum
    slices = before.reshape(-1)[goes_to.reshape(-1).argsort(kind="stable")].reshape(count, -1).T
    return sum_of([one.reshape(after.shape) for one in slices], after, together=True)


# ---- spelling


def is_given(saved: Saved) -> bool:
    """Whether a saved option is there, and not the end of an open slice."""
    return saved.text not in ("None", OPEN_END)


def as_tex(text: str) -> str:
    """A preview as TeX; "" if it is cut short, or is no number at all."""
    if not text or set(re.sub("True|False", "", text)) - set("0123456789.,e[]() −-"):
        return ""
    text = re.sub("True|False", r"\\text{\g<0>}", text)
    tex = re.sub(r"e(-?)0*(\d+)", r" \\cdot 10^{\1\2}", re.sub(r"^\((.*),\)$", r"\1", text.replace("−", "-")))
    return re.sub(r"-[^],]+", r"{\g<0>}", tex) if "[" in tex else tex  # in braces a sign is close to its number
