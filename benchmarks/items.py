"""Import of items and stories by this build and by an earlier build, in turns, at equal sizes.

Each turn is a process with a site of its own: both builds read the same file and import it by the function
that the command calls. `PARABLE_BENCH_BEFORE` names the earlier commit, `PARABLE_BENCH_IMPORTS` the sizes;
the largest size is imported by this build only, as the earlier build would take long. Rates are rows per
second of processor time, of Python and PostgreSQL together, which depends little on the machine's load.

Label Studio imports as many tasks with the same texts, by its own client, on a PostgreSQL with the same
settings; this comparison uses rows per second of elapsed time.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from typing import Any

from benchmarks.calibrate import environment
from benchmarks.lines import Line, line, skipped

BENCH = "items"
BASE = Path(__file__).parents[1]
BEFORE = "aec84d17361a"
SIZES = (10_000, 100_000)
PROMISES = {"verified": 6.5, "in_review": 12.0, "stories": 5.0}
"""The least ratio of the present rate to the earlier build's, by kind of rows."""
TIMES_LABEL_STUDIO = {"items": 1.0, "stories": 2.0}
LEAST_SHARE = 0.8
"""The least ratio of the rate at the largest size to that at the smaller size."""
MOST_MEGABYTES = 400.0


def measure() -> Iterator[Line]:
    """Yield the rates of both builds by kind, then the largest size and its memory."""
    before = os.environ.get("PARABLE_BENCH_BEFORE", BEFORE)
    chosen = os.environ.get("PARABLE_BENCH_IMPORTS", "")
    sizes = [*map(int, chosen.split(","))] if chosen else SIZES
    with tempfile.TemporaryDirectory() as folder:
        former = Path(folder) / "before"
        former.mkdir()
        unpack(before, former)
        small, large = sizes[0], sizes[-1]
        peer = _Peer()
        for kind, promise in PROMISES.items():
            was, now = _import(former, kind, small), _import(BASE, kind, small)
            times = now["rows"] / was["rows"]
            case = f"{kind}_{small}"
            yield line(BENCH, case, "rows_per_second_before", round(was["rows"]), "rows/s")
            yield line(BENCH, case, "rows_per_second", round(now["rows"]), "rows/s")
            yield line(BENCH, case, "times_before", round(times, 2), "times", least=promise)
            yield from peer.beside(kind, small, now["by_clock"])
            if large > small:
                yield from _large(kind, large, now, peer)


class _Peer:
    """Label Studio, measured once for each kind and number of tasks."""

    def __init__(self) -> None:
        self._python = environment("label_studio")
        self._rates: dict[tuple[str, int], float] = {}

    def beside(self, kind: str, size: int, by_clock: float) -> Iterator[Line]:
        """Yield the rate per second of elapsed time, compared with that of Label Studio."""
        of = "stories" if kind == "stories" else "items"
        case = f"{kind}_{size}"
        if self._python is None:
            yield skipped(BENCH, case, "Label Studio could not be installed on this machine")
            return
        if (of, size) not in self._rates:
            found = run_in(BASE, "start_label_studio.py", str(self._python), of, str(size))
            self._rates[of, size] = found["by_clock"]
        rate, least = self._rates[of, size], TIMES_LABEL_STUDIO[of]
        unit = "rows_per_second_by_the_clock"
        yield line(BENCH, case, unit, round(by_clock), "rows/s", beside=round(rate))
        yield line(BENCH, case, "times_label_studio", round(by_clock / rate, 2), "times", least=least)


def _large(kind: str, size: int, small: dict[str, float], peer: _Peer) -> Iterator[Line]:
    now = _import(BASE, kind, size)
    case, share = f"{kind}_{size}", now["rows"] / small["rows"]
    yield line(BENCH, case, "rows_per_second", round(now["rows"]), "rows/s")
    yield from peer.beside(kind, size, now["by_clock"])
    yield line(BENCH, case, "share_of_smaller", round(share, 2), "share", least=LEAST_SHARE)
    yield line(BENCH, case, "peak_memory", round(now["megabytes"]), "MB", most=MOST_MEGABYTES)


def unpack(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder; the working copy is not changed."""
    with subprocess.Popen(["git", "archive", commit], stdout=PIPE, cwd=BASE) as archive:  # noqa: S603, S607 - ours
        subprocess.run(["tar", "-x", "-C", str(folder)], stdin=archive.stdout, check=True)  # noqa: S603, S607 - ours
    if archive.returncode:
        raise RuntimeError(commit)


def _import(tree: Path, kind: str, size: int) -> dict[str, float]:
    """Run one import in a process of its own with the code in `tree`, and return its figures."""
    found: dict[str, float] = run_in(tree, "run_import.py", kind, str(size))
    return found


def run_in(tree: Path, program: str, *arguments: str) -> Any:
    """Run one of the comparators with the code in `tree`, and return the JSON in its last line."""
    command = [sys.executable, str(BASE / "benchmarks" / "comparators" / program), *arguments]
    surroundings = os.environ | {"PYTHONPATH": str(tree)}
    done = subprocess.run(  # noqa: S603 - a program of ours
        command, check=False, capture_output=True, text=True, env=surroundings, cwd=tree
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])
