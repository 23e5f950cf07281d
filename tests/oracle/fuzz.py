"""`python -m tests.oracle.fuzz --from 0 --count 1000 --level 4`: search for differences.

Runs each seed's program in torch and in minigrad and prints the first programs whose transcripts
differ, cut down to the statements that matter, with both outputs.
"""

import argparse
import importlib
import sys
import time
from types import ModuleType

from .programs import differ, program, run
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
    found, begin = 0, time.perf_counter()
    for seed in range(options.first, options.first + options.count):
        source = program(seed, options.level)
        if disagree(source, torch, other):
            found += 1
            if found <= options.show:
                print(f"\n=== seed {seed}, level {options.level}")
                print(report(minimised(source, torch, other), torch, other))
    seconds = time.perf_counter() - begin
    print(f"{options.count} programs of level {options.level}, {found} differ, {seconds:.0f} s")
    return bool(found)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--level", type=int, default=4, choices=(1, 2, 3, 4))
    parser.add_argument("--show", type=int, default=5, help="how many differences to print")
    parser.add_argument("--against", default="minigrad", help="the module to compare with torch")
    return parser


if __name__ == "__main__":
    sys.exit(main())
