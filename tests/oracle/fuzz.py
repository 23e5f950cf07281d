"""`python -m tests.oracle.fuzz --from 0 --count 10000`: search for differences, 2500 a level.

Runs each seed's program in torch and in minigrad and prints the first programs whose transcripts
differ, cut down to the statements that matter, with both outputs.
"""

import argparse
import importlib
import sys
import time
from types import ModuleType

from .programs import LEVELS, differ, program, run
from .transcript import statements


def disagree(source: str, torch: ModuleType, other: ModuleType) -> bool:
    return differ(source, run(source, torch), run(source, other))


def minimised(source: str, torch: ModuleType, other: ModuleType) -> str:
    """Leave out statements, in ever smaller groups, while the transcripts still differ."""
    lines = statements(source)
    size = len(lines) // 2
    while size:
        start = 0
        while start < len(lines):
            shorter = lines[:start] + lines[start + size :]
            if disagree("\n".join(shorter), torch, other):
                lines = shorter
            else:
                start += size
        size //= 2
    return "\n".join(lines)


def report(source: str, torch: ModuleType, other: ModuleType) -> str:
    """Both transcripts as one text: shared lines once, torch's with `-`, the other's with `+`."""
    import difflib

    sides = (run(source, module) for module in (torch, other))
    return "\n".join(line for line in difflib.ndiff(*sides) if not line.startswith("?"))


def main(argv: list[str] | None = None) -> int:
    options = parser().parse_args(argv)
    torch, other = (importlib.import_module(name) for name in ("torch", options.against))
    seeds = range(options.first, options.first + options.count // len(options.level))
    return sum(search(seeds, level, torch, other, options.show) for level in options.level) > 0


def search(seeds: range, level: int, torch: ModuleType, other: ModuleType, show: int) -> int:
    """Run one level's programs, print the first that differ, return how many do."""
    found, begin = 0, time.perf_counter()
    for seed in seeds:
        source = program(seed, level)
        if disagree(source, torch, other):
            found += 1
            if found <= show:
                print(f"\n=== seed {seed}, level {level}")
                print(report(minimised(source, torch, other), torch, other))
    seconds = time.perf_counter() - begin
    print(f"{len(seeds)} programs of level {level}, {found} differ, {seconds:.0f} s", flush=True)
    return found


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=10_000, help="programs, in all levels")
    parser.add_argument("--level", type=int, nargs="+", default=LEVELS, choices=LEVELS)
    parser.add_argument("--show", type=int, default=5, help="how many differences to print")
    parser.add_argument("--against", default="minigrad", help="the module to compare with torch")
    return parser


if __name__ == "__main__":
    sys.exit(main())
