"""How often tests reject what is true, and how often intervals hold what was simulated.

Each module `benchmarks/coverage_*.py` lists its cases in `CASES`. A case draws data sets from a generator and
says of each whether the event of its metric occurred; the share of data sets in which it did is held against
the case's range.
`PARABLE_BENCH_DRAWS=4` makes four times as many draws.
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
    where the event occurred, 0 or False where it did not, and None where the method gives no figure. It must
    be a function of a module, or a `functools.partial` of one, since cases run in other processes. `least`
    and `most`: the range promised of the share among draws with a figure; None where nothing is promised.
    """

    name: str
    metric: str
    draw: Callable[[np.random.Generator], float | None]
    draws: int = 400
    least: float | None = None
    most: float | None = None


def cases() -> list[Case]:
    """Every case of the modules beside this one, in the order of their names."""
    here = str(Path(__file__).parent)
    modules = sorted(module.name for module in pkgutil.iter_modules([here]))
    return [
        case
        for name in modules
        if name.startswith("coverage_")
        for case in import_module(f"benchmarks.{name}").CASES
    ]


def measure() -> Iterator[Line]:
    """Every case, two at once; `none` is the share of draws without a figure."""
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
    """The share of draws with the event, the share without a figure, and the number of draws."""
    draws = max(1, int(case.draws * float(os.environ.get("PARABLE_BENCH_DRAWS", "1"))))
    generators = np.random.default_rng([SEED, *case.name.encode()]).spawn(draws)
    found = [case.draw(generator) for generator in generators]
    known = [float(one) for one in found if one is not None]
    return (
        round(sum(known) / len(known), 4) if known else 0.0,
        round(1 - len(known) / draws, 4),
        draws,
    )
