"""The queue of this build compared with that of another checkout, in turns, as a machine's load varies.

`PARABLE_BENCH_BEFORE` names the other checkout, in which `make setup` has been run. Each turn is a whole run
of a checkout's own queue benchmark by its own pages, so that what a reviewer gets is compared.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from benchmarks.lines import Line, line

TURNS: Final = 3
LEAST_TIMES_FASTER: Final = 0.9
MOST_TIMES_SLOWER: Final = 1.15
"""The maximum ratio to the earlier build: 1, plus the usual difference between medians of three turns."""
HERE: Final = Path(__file__).resolve().parents[2]


class Figure(NamedTuple):
    """A figure of a run to compare: the case (without its size) and the metric of its line."""

    case: str
    metric: str
    unit: str
    limit: float


FIGURES: Final = (
    Figure("http", "rate", "cycles/s", LEAST_TIMES_FASTER),
    Figure("services", "rate", "cycles/s", LEAST_TIMES_FASTER),
    Figure("http", "p95", "ms", MOST_TIMES_SLOWER),
    Figure("http", "next_item_alone", "ms", MOST_TIMES_SLOWER),
)


def compare(before: str, sizes: Sequence[int]) -> Iterator[Line]:
    """Yield the figures of this checkout compared with those of the one in `before`, with limits."""
    builds = (Path(before), HERE)
    turns = [[_run(build, sizes) for build in builds] for _turn in range(TURNS)]
    for size in sizes:
        for figure in FIGURES:
            key = (f"{figure.case}_{size}", figure.metric)
            then, now = (median(turn[build][key] for turn in turns) for build in (0, 1))
            name, limit = f"{figure.metric}_now", round(then * figure.limit, 4)
            limits = {"least" if figure.metric == "rate" else "most": limit}
            yield line("queue", key[0], name, now, figure.unit, beside=then, **limits)


def _run(build: Path, sizes: Sequence[int]) -> dict[tuple[str, str], float]:
    """Run the benchmark of a checkout, and return its figures by case and metric."""
    environment = {name: value for name, value in os.environ.items() if name != "PARABLE_BENCH_BEFORE"}
    ran = subprocess.run(  # noqa: S603 - the same program of ours, of two ages
        [str(build / ".venv/bin/python"), "-m", "benchmarks", "queue"],
        cwd=build,
        env=environment | {"PARABLE_BENCH_SIZES": ",".join(map(str, sizes))},
        stdout=subprocess.PIPE,
        text=True,
        check=False,  # 1 says that a promise was missed, which its own run tells
    )
    print(f"{build}: {ran.returncode}", file=sys.stderr, flush=True)
    lines = [json.loads(printed) for printed in ran.stdout.splitlines() if printed.startswith("{")]
    return {(found["case"], found["metric"]): float(found["value"]) for found in lines}
