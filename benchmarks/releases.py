"""Releases built by this build and by an earlier one, in turns, at equal sizes, of the same items.

Each turn is a process with a site of its own, filled in the same way, that finishes an ordered release as the
job does: every gate runs, and none stops the build. `PARABLE_BENCH_BEFORE` names the earlier commit,
`PARABLE_BENCH_RELEASES` the sizes. Times are processor time of Python and PostgreSQL together, by step of the
build; `placing` draws splits and keys and runs the gates.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.items import BASE, BEFORE, run_in, unpack
from benchmarks.lines import Line, line

BENCH = "releases"
SIZES = (20_000, 100_000)
LEAST_TIMES_FASTER = 3.0
MOST_MEGABYTES = 700.0
OF_ITEMS = (".jsonl", ".json")


def measure() -> Iterator[Line]:
    """Yield the seconds of both builds by step, their ratio, the memory, and whether the files are equal."""
    chosen = os.environ.get("PARABLE_BENCH_RELEASES", "")
    with tempfile.TemporaryDirectory() as folder:
        former = Path(folder)
        unpack(os.environ.get("PARABLE_BENCH_BEFORE", BEFORE), former)
        for size in [*map(int, chosen.split(","))] if chosen else SIZES:
            was, now = (run_in(tree, "run_release.py", str(size)) for tree in (former, BASE))
            yield from _lines(f"release_{size}", was, now)


def _lines(case: str, was: dict[str, Any], now: dict[str, Any]) -> Iterator[Line]:
    for step, seconds in now["steps"].items():
        before = round(was["steps"][step], 2)
        yield line(BENCH, case, f"processor_time_{step}", round(seconds, 2), "s", beside=before)
    before, after = (sum(found["steps"].values()) for found in (was, now))
    yield line(BENCH, case, "processor_time", round(after, 1), "s", beside=round(before, 1))
    yield line(BENCH, case, "times_faster", round(before / after, 2), "times", least=LEAST_TIMES_FASTER)
    yield line(
        BENCH, case, "peak_memory", round(now["megabytes"]), "MB",
        beside=round(was["megabytes"]), most=MOST_MEGABYTES,
    )  # fmt: skip
    # programs and card are those of their build; what items are written to stays
    names = {name for name in was["files"] | now["files"] if "/" in name and name.endswith(OF_ITEMS)}
    differ = sum(was["files"].get(name) != now["files"].get(name) for name in names)
    yield line(BENCH, case, "files_that_differ", differ, "files", most=0)
