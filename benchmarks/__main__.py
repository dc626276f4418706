"""Run every bench, or the one that is named: each module here with a function `measure` that yields lines."""

import pkgutil
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.lines import show

NOT_BENCHES = {"__main__", "comparators", "hands", "history", "lines", "seeding", "site"}
PARTS = "coverage_"
"""Modules that begin so are parts of the bench `coverage`."""


def names() -> list[str]:
    """Every bench by its module's name."""
    here = str(Path(__file__).parent)
    found = {module.name for module in pkgutil.iter_modules([here])} - NOT_BENCHES
    return sorted(name for name in found if not name.startswith(PARTS))


def main(arguments: list[str]) -> int:
    """Run what was asked for; 1 where a promise was missed, 2 where there is no such bench."""
    unknown = [name for name in arguments if name not in names()]
    if unknown:
        print(f"There is no bench {unknown[0]!r}; there are: {', '.join(names())}.", file=sys.stderr)
        return 2
    missed = False
    for name in arguments or names():
        for found in import_module(f"benchmarks.{name}").measure():
            show(found)
            missed |= bool(found.get("missed"))
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
