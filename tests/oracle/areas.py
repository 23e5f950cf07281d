"""Random programs of twenty areas: `python -m tests.oracle.areas [AREA ...] --count 500`.

An area is a grammar, `areas/NAME.txt`: a rule's name, a colon, its alternatives with ` | ` or a new line between
them; `program` is where it begins. In an alternative, `\n` ends a statement and a `$` asks for a rule: `$rule` is one
of its alternatives; `$rule#1` the same one again within a group of statements, `$rule#a` within the program;
`$?rule` none to three of them as further arguments, `$!rule` as the only ones; `$*rule` one to four groups.
What is in `shared.txt` belongs to every area. Where programs may differ, and why, says `causes.txt`.
"""

import argparse
import importlib
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

from .programs import TOLERANCE, TORCH_FAULTS, close, frame
from .transcript import NUMBER, transcript

FOLDER = Path(__file__).parent / "areas"
AREAS = [file.stem for file in sorted(FOLDER.glob("*.txt")) if file.stem not in ("shared", "causes")]
SYMBOL = re.compile(r"\$([?!*])?(?:(\w+)|\{(\w+)\})(#\w)?")
PRELUDE = "import io, copy, numpy as np; nn, optim, data = torch.nn, torch.optim, torch.utils.data\n"
GOAL = 0.96  # of an area's programs show exactly what torch shows


@cache
def grammar(area: str) -> dict[str, list[str]]:
    rules: dict[str, list[str]] = {}
    for name in ("shared", area):
        for line in (FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
            head, colon, rest = line.partition(":")
            if not line.strip() or line[0] == "#":
                continue
            if line[0] != " ":
                assert colon, line
                rules[head], line = (alternatives := []), rest
            if line.strip():
                alternatives += [part.strip() for part in re.split(r" \|(?= |$)", line)]
    return rules


@cache
def causes() -> list[tuple[str, re.Pattern, str]]:
    """Areas, a pattern of what differs first, and a sentence that says why, three lines each."""
    lines = [line for line in (FOLDER / "causes.txt").read_text("utf-8").splitlines() if line.strip()]
    return [(areas, re.compile(pattern, re.M), why)
            for areas, pattern, why in zip(lines[::3], lines[1::3], lines[2::3], strict=True)]


def program(area: str, seed: int) -> str:
    """The text of one program; the same for the same area and seed, for ever."""
    choose, rules, kept = random.Random(f"{area} {seed}"), grammar(area), {}

    def expand(text: str, local: dict) -> str:
        return SYMBOL.sub(lambda found: symbol(*found.groups(), local), text)

    def symbol(how: str | None, name: str | None, braced: str | None, mark: str | None, local: dict) -> str:
        alternatives = rules[name or braced]
        if how == "*":
            return "\n".join(expand(choose.choice(alternatives), {}) for _ in range(choose.randint(1, 4)))
        if how:
            count = min(choose.choice((0, 0, 1, 1, 2, 3)), len(alternatives))
            options = [expand(option, local) for option in choose.sample(alternatives, count)]
            # one without a name at most, and first
            options = {option.partition("=")[0] if "=" in option.split(",")[0] else "": option for option in options}
            options = [options[name] for name in sorted(options, key=bool)]
            return ", ".join(["", *options] if how == "?" else options)
        memory = local if (mark or "#1")[1].isdigit() else kept
        key = name or braced, mark
        if mark is None or key not in memory:
            memory[key] = expand(choose.choice(alternatives), local)
        return memory[key]

    return PRELUDE + expand(choose.choice(rules["program"]), {}).replace(r"\n", "\n") + "\n"


def difference(area: str, source: str, expected: list[str], got: list[str]) -> str | None:
    """The first statement that shows something else, and what both transcripts show: torch's lines begin with `-`."""
    tolerance = 3e-3 if re.search("float16|half", source) else 1.1 * TOLERANCE  # a last printed digit at least
    for one, two in zip(blocks(expected), blocks(got), strict=True):
        if any(fault in line for line in one for fault in TORCH_FAULTS):
            return None
        if one != two and ("exact" in grammar(area) or not alike("\n".join(one), "\n".join(two), tolerance)):
            said = len([line for line in one if line.startswith("...")])
            return "\n".join([*one[:said + 1], *(f"- {line}" for line in one[said + 1:]),
                              *(f"+ {line}" for line in two[said + 1:])])
    return None


def blocks(lines: list[str]) -> list[list[str]]:
    """A transcript, statement by statement."""
    found: list[list[str]] = []
    for line in lines:
        if line.startswith(">>> "):
            found.append([])
        found[-1].append(line)
    return found


def alike(one: str, two: str, tolerance: float) -> bool:
    """Equal but for last digits."""
    pairs = zip(NUMBER.finditer(one), NUMBER.finditer(two), strict=False)
    return frame(one) == frame(two) and all(
        close(a.group().rstrip("."), b.group().rstrip("."), tolerance) for a, b in pairs)


def cause(area: str, difference: str) -> str | None:
    """The sentence for a known difference."""
    return next((why for areas, pattern, why in causes()
                 if (areas == "*" or area in areas.split()) and pattern.search(difference)), None)


def differences(area: str, seeds: range, torch: ModuleType, other: ModuleType) -> Iterator[tuple[int, str]]:
    for seed in seeds:
        source = program(area, seed)
        found = difference(area, source, transcript(source, torch), transcript(source, other))
        if found is not None:
            yield seed, found


def signature(difference: str) -> str:
    """What differences of one cause may share: torch's last line and the other's, without numbers."""
    lines = difference.split("\n")
    return " ~ ".join(re.sub(r"\d+", "#", next((line for line in reversed(lines) if line.startswith(sign)), sign))[:75]
                      for sign in "-+")


def report(area: str, seeds: range, torch: ModuleType, other: ModuleType, show: int) -> bool:
    """Print an area's share of equal programs, then the others by cause; whether each cause is known."""
    begin, known, unknown = time.perf_counter(), Counter(), defaultdict(list)
    for seed, difference in differences(area, seeds, torch, other):
        why = cause(area, difference)
        if why:
            known[why] += 1
        else:
            unknown[signature(difference)].append((seed, difference))
    new = sum(map(len, unknown.values()))
    equal = 1 - (known.total() + new) / len(seeds)
    print(f"{area:12} {equal:6.1%} of {len(seeds)} equal, {known.total()} by a known cause, {new} not: "
          f"{time.perf_counter() - begin:.0f} s{', below the goal' * (equal < GOAL)}", flush=True)
    for why, times in known.most_common():
        print(f"    {times:3}  {why}")
    for found in sorted(unknown.values(), key=len, reverse=True)[:show]:
        print(f"    {len(found):3}  seeds {' '.join(str(seed) for seed, _ in found[:6])}")
        print("\n".join(f"         {line}"[:240] for line in found[0][1].split("\n")[:14]))
    return not new


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)}; all without")
    parser.add_argument("--from", dest="first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=500, help="programs an area")
    parser.add_argument("--show", type=int, default=12, help="how many groups of unknown differences to print")
    parser.add_argument("--seed", type=int, help="print this one program and what both show first differently")
    options = parser.parse_args(argv)
    torch, other = map(importlib.import_module, ("torch", "minigrad"))
    if options.seed is not None:
        found = [*differences(options.areas[0], range(options.seed, options.seed + 1), torch, other)]
        print(program(options.areas[0], options.seed), *found[0][1:] if found else ["equal"], sep="\n")
        return 0
    seeds = range(options.first, options.first + options.count)
    return sum(not report(area, seeds, torch, other, options.show) for area in options.areas or AREAS) > 0


if __name__ == "__main__":
    sys.exit(main())
