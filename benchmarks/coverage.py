"""How often tests reject a true hypothesis, and how often intervals cover the simulated value.

Each module `benchmarks/coverage_*.py` lists its cases in `CASES`. A case draws data sets from a generator and
returns for each whether the event of its metric occurred; the share of data sets with the event must be in
the case's range. `PARABLE_BENCH_DRAWS=4` makes four times as many draws.
"""

import os
import pkgutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.lines import Line, line

BENCH = "coverage"
SEED = 20261128


class Case(NamedTuple):
    """One row of the table.

    `metric` names an event, such as "rejected" or "covered". `draw` takes a generator and returns 1 or True
    if the event occurred, 0 or False if it did not, and None if the method returns no figure. It must be a
    module-level function, or a `functools.partial` of one, since cases run in other processes. `least` and
    `most` limit the share of events among draws with a figure; None means no limit.
    """

    name: str
    metric: str
    draw: Callable[[np.random.Generator], float | None]
    draws: int = 400
    least: float | None = None
    most: float | None = None


def cases() -> list[Case]:
    """Return every case of the modules `coverage_*`, in the order of their names."""
    here = str(Path(__file__).parent)
    modules = sorted(module.name for module in pkgutil.iter_modules([here]))
    return [
        case
        for name in modules
        if name.startswith("coverage_")
        for case in import_module(f"benchmarks.{name}").CASES
    ]


def measure() -> Iterator[Line]:
    """Yield the figures of every case, two at once; `none` is the share of draws without a figure."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read by the processes as they begin
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        for case, (value, none, draws) in zip(cases(), processes.map(_run, cases()), strict=True):
            # Without a figure in any draw nothing was promised that could be missed.
            limits = {} if none == 1 else {"least": case.least, "most": case.most}
            yield line(BENCH, case.name, case.metric, value, "share", **limits) | {
                "none": none,
                "draws": draws,
            }


def _run(case: Case) -> tuple[float, float, int]:
    """Return (share of draws with the event, share without a figure, number of draws)."""
    draws = max(1, int(case.draws * float(os.environ.get("PARABLE_BENCH_DRAWS", "1"))))
    generators = np.random.default_rng([SEED, *case.name.encode()]).spawn(draws)
    found = [case.draw(generator) for generator in generators]
    known = [float(one) for one in found if one is not None]
    return (
        round(sum(known) / len(known), 4) if known else 0.0,
        round(1 - len(known) / draws, 4),
        draws,
    )
