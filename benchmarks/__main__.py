"""Runs all benchmarks, or the named ones: each module here with a function `measure` that yields lines.

Each benchmark ends with a table of its figures and the promised limits. With `--write`, its lines are stored
in `benchmarks/figures/`, and its table in docs/ is written again from them.
"""

import pkgutil
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.documents import keep, write_tables
from benchmarks.lines import is_promise, show, table

NOT_BENCHES = {"__main__", "comparators", "documents", "hands", "history", "lines", "seeding", "site"}
PARTS = "coverage_"
"""The prefix of modules that are parts of the benchmark `coverage`."""
WRITE = "--write"


def names() -> list[str]:
    """Return the module names of all benchmarks."""
    here = str(Path(__file__).parent)
    found = {module.name for module in pkgutil.iter_modules([here])} - NOT_BENCHES
    return sorted(name for name in found if not name.startswith(PARTS))


def main(arguments: list[str]) -> int:
    """Run the named benchmarks; return 1 if one missed a limit, 2 if a name is unknown, otherwise 0."""
    wanted = [name for name in arguments if name != WRITE]
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        print(f"There is no bench {unknown[0]!r}; there are: {', '.join(names())}.", file=sys.stderr)
        return 2
    missed = [name for name in wanted or names() if _misses(name, is_kept=WRITE in arguments)]
    if missed:
        print(f"Promises were missed by: {', '.join(missed)}.", file=sys.stderr)
    return int(bool(missed))


def _misses(name: str, *, is_kept: bool) -> bool:
    """Run one benchmark and return whether a figure missed its limit."""
    lines = []
    for found in import_module(f"benchmarks.{name}").measure():
        show(found)
        lines.append(found)
    print(f"\n{name}\n\n{table(one for one in lines if is_promise(one) or 'skipped' in one)}\n", flush=True)
    if is_kept:
        keep(name, lines)
        write_tables()
    return any(one.get("missed") for one in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
