"""Speed and accuracy of calibration, compared with girth and py-irt, each in its own environment.

All programs get the same simulated answers, take turns, and run as processes of their own; times exclude
imports and reading. Compared with girth, each has one thread and girth's tolerance, 0.001. py-irt runs a
number of epochs and has no tolerance; compared with it, ours has its usual one, which is a hundred times
finer.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from benchmarks.lines import Line, line, skipped
from parable.psychometrics.irt import Model
from tests.parable.response_matrices import simulate

BENCH = "calibrate"
BASE = Path(__file__).resolve().parent.parent
COMPARATORS = BASE / "benchmarks" / "comparators"
INSTALLING = 1500
GIRTH_TOLERANCE = 1e-3
OWN_TOLERANCE = 1e-5
SEEDS = 20
TIMES_GIRTH = 20
TIMES_PY_IRT = 50
EPOCHS = 2000
PY_IRT_TIME = 1500
MOST_MEGABYTES = 2000.0
LARGE, LARGE_TIME = "2pl_4000x5600_command", 60.0
WINDOWS, MOST_CROWDED = 5, 1.2
BUSY = "import numpy\nwhile True: numpy.ones((300, 300)) @ numpy.ones((300, 300))"
RECOVERED = ("difficulty", "discrimination", "ability")

Found = dict[str, Any]


def measure() -> Iterator[Line]:
    """Yield the figures of the large matrix, then those compared with girth, then with py-irt."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        yield from measure_size(place)
        yield from measure_command(place)
        yield from measure_crowd(place)
        yield from measure_girth(place)
        yield from measure_py_irt(place)


def measure_size(place: Path) -> Iterator[Line]:
    """Yield time and memory for 10,000 examinees and 1,000 items."""
    simulated = simulate(1, 10_000, 1_000)
    np.savez(place / "in.npz", cells=simulated.matrix.cells)
    found = ours(place, "2pl", OWN_TOLERANCE)
    yield line(BENCH, "2pl_10000x1000", "time", round(float(found["time"]), 1), "s")
    yield line(BENCH, "2pl_10000x1000", "peak_memory", round(float(found["peak"])), "MB", most=MOST_MEGABYTES)


def measure_command(place: Path) -> Iterator[Line]:
    """Yield the figures of the whole command on a file of 4,000 examinees and 5,600 items.

    They include reading, standard errors and printing.
    """
    table = place / "matrix.csv"
    rows = simulate(1, 4_000, 5_600).matrix.cells.astype(int)
    lines = (f"s{number}," + ",".join(map(str, row)) for number, row in enumerate(rows.tolist()))
    names = ",".join(f"i{number}" for number in range(rows.shape[1]))
    table.write_text("\n".join([f"subject,{names}", *lines]), encoding="utf-8")
    del rows
    begun = time.perf_counter()
    used = processor_time_of("calibrate", str(table), "--model", "2pl")
    took = time.perf_counter() - begun
    yield line(BENCH, LARGE, "time", round(took, 1), "s", most=LARGE_TIME)
    yield line(BENCH, LARGE, "processor_time", round(used.ru_utime + used.ru_stime, 1), "s")
    yield line(BENCH, LARGE, "peak_memory", round(used.ru_maxrss / 1000), "MB", most=MOST_MEGABYTES)


def processor_time_of(*arguments: str) -> resource.struct_rusage:
    """Return the resource usage of one of our commands, measured by its own process."""
    program = (
        "import resource, sys; from parable.__main__ import main; code = main(sys.argv[1:]);"
        " used = resource.getrusage(resource.RUSAGE_SELF);"
        " print(*used, file=sys.stderr); sys.exit(code)"
    )
    command = [sys.executable, "-c", program, *arguments]
    surroundings = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    found = subprocess.run(  # noqa: S603 - our own program
        command, check=True, capture_output=True, text=True, cwd=BASE, env=surroundings
    )
    return resource.struct_rusage(map(float, found.stderr.split()[-16:]))


def measure_crowd(place: Path) -> Iterator[Line]:
    """Yield the processor time beside twice as many busy processes as cores, and its ratio to a calm run."""
    np.savez(place / "in.npz", cells=simulate(1, 2_000, 1_000).matrix.cells)
    calm, crowded = [], []
    for _ in range(WINDOWS):
        calm.append(float(ours(place, "2pl", OWN_TOLERANCE, threads=1)["processor_time"]))
        busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2 * (os.cpu_count() or 1))]  # noqa: S603
        try:
            crowded.append(float(ours(place, "2pl", OWN_TOLERANCE, threads=1)["processor_time"]))
        finally:
            for one in busy:
                one.kill()
                one.wait()
    case, share = "2pl_2000x1000_crowded", median(crowded) / median(calm)
    yield line(BENCH, case, "processor_time", round(median(crowded), 2), "s", beside=round(median(calm), 2))
    yield line(BENCH, case, "times_calm", round(share, 2), "times", most=MOST_CROWDED)


def measure_girth(place: Path) -> Iterator[Line]:
    """Yield the figures for 1,000 examinees and 50 items, twenty times, compared with girth."""
    python = environment("girth")
    if python is None:
        yield skipped(BENCH, "girth", "girth could not be installed on this machine")
        return
    models: tuple[Model, ...] = ("2pl", "3pl")
    for model in models:
        mine, theirs = [], []
        for seed in range(SEEDS):
            simulated = simulate(300 + seed, 1000, 50, model)
            np.savez(place / "in.npz", cells=simulated.matrix.cells)
            own = ours(place, model, GIRTH_TOLERANCE, threads=1)
            other = run([python, COMPARATORS / "run_girth.py"], place, model, threads=1)
            if other is None:
                yield skipped(BENCH, f"girth_{model}", f"girth failed on seed {300 + seed}")
                continue
            mine.append({**own, **recovery(own, simulated)})
            theirs.append({**other, **recovery(other, simulated)})
        if mine:
            yield from compared(f"{model}_1000x50_beside_girth", mine, theirs, TIMES_GIRTH)


def measure_py_irt(place: Path) -> Iterator[Line]:
    """Yield the figures for 200 examinees and 1,000 items, compared with py-irt, once as it takes minutes."""
    case = "2pl_200x1000_beside_py_irt"
    python = environment("py_irt")
    if python is None:
        yield skipped(BENCH, case, "py-irt could not be installed on this machine")
        return
    simulated = simulate(1, 200, 1000)
    np.savez(place / "in.npz", cells=simulated.matrix.cells)
    own = ours(place, "2pl", OWN_TOLERANCE)
    other = run([python, COMPARATORS / "run_py_irt.py"], place, str(EPOCHS), limit=PY_IRT_TIME)
    if other is None:  # fewer epochs would not do: the first ones cost far more than the rest
        yield skipped(BENCH, case, f"py-irt did not finish {EPOCHS} epochs within {PY_IRT_TIME} seconds")
        return
    mine = {**own, **recovery(own, simulated)}
    yield from compared(case, [mine], [{**other, **recovery(other, simulated)}], TIMES_PY_IRT)


def compared(case: str, mine: list[Found], theirs: list[Found], times: int) -> Iterator[Line]:
    """Yield median times, which must be `times` faster than theirs, and mean correlations with the truth."""
    for name in ("time", "processor_time"):
        own, other = (median(float(one[name]) for one in all_of) for all_of in (mine, theirs))
        yield line(BENCH, case, name, round(own, 4), "s", beside=round(other, 4))
        yield line(BENCH, case, f"{name}_times_faster", round(other / own, 1), "times", least=times)
    for name in RECOVERED:
        own, other = (fmean(one[f"{name}_r"] for one in all_of) for all_of in (mine, theirs))
        yield line(
            BENCH, case, f"{name}_r", round(own, 4), "r", beside=round(other, 4), least=round(other - 0.01, 4)
        )


def recovery(found: Found, simulated: Any) -> Found:
    """Return the correlation of each estimate with the simulated values."""
    return {
        f"{name}_r": float(np.corrcoef(np.asarray(found[name]).ravel(), getattr(simulated, name))[0, 1])
        for name in RECOVERED
    }


def ours(place: Path, model: str, tolerance: float, *, threads: int | None = None) -> Found:
    """Return our own estimate from in.npz."""
    command = [Path(sys.executable), COMPARATORS / "run_ours.py"]
    found = run(command, place, model, str(tolerance), threads=threads)
    if found is None:
        raise RuntimeError("Our own calibration failed; the lines above say why.")
    return found


def run(
    command: list[Path], place: Path, *arguments: str, threads: int | None = None, limit: float = 600
) -> Found | None:
    """Return a program's estimate from in.npz, or None if it fails or takes too long."""
    surroundings = {**os.environ, "PYTHONPATH": str(BASE)}
    if threads is not None:
        surroundings |= {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    whole = [*map(str, command), str(place / "in.npz"), str(place / "out.npz"), *arguments]
    (place / "out.npz").unlink(missing_ok=True)
    try:
        subprocess.run(whole, env=surroundings, timeout=limit, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own files
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    with np.load(place / "out.npz") as found:
        return dict(found)


def environment(name: str) -> Path | None:
    """Return the Python of another program's environment, created if missing, or None if that fails."""
    folder = BASE / f".venv-{name}"
    python, done = folder / "bin" / "python", folder / "installed"
    if done.exists():
        return python
    uv = [sys.executable, "-m", "uv", "--quiet"]
    try:
        subprocess.run([*uv, "venv", "--clear", "--python", sys.executable, str(folder)], check=True)  # noqa: S603 - uv and a folder of ours
        wanted = ["--requirement", str(COMPARATORS / f"{name}.txt")]
        subprocess.run(  # noqa: S603 - uv and a list of ours
            [*uv, "pip", "install", "--python", str(python), *wanted], check=True, timeout=INSTALLING
        )
    except (OSError, subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    done.touch()
    return python
