"""A set in slices: processor time, memory and state of each slice, and of the merge, beside one audit of all.

`PARABLE_BENCH_SIZES=1000000` sets another number of items, `PARABLE_BENCH_SLICES=10` of slices;
`PARABLE_BENCH_WHOLE=no` leaves out the audit of all items. Each slice is read by a command of its own, as on
another machine, one after the other; so what ten machines take at once is the longest slice and the merge.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE

from benchmarks.calibrate import BASE
from benchmarks.lines import Line, line
from benchmarks.size import Audited, made, most_memory, processor_use
from parable.formats.parable_jsonl import item_line
from parable.formats.records import ReleaseRecord

BENCH = "slices"
SIZE, SLICES = 300_000, 10
MEGABYTE = 1_000_000
MOST_MEGABYTES_OF_SLICE = 500.0


def measure() -> Iterator[Line]:
    """Yield the figures of all slices, of the merge, and of one audit of all items."""
    size = int(os.environ.get("PARABLE_BENCH_SIZES") or SIZE)
    slices = int(os.environ.get("PARABLE_BENCH_SLICES") or SLICES)
    with tempfile.TemporaryDirectory() as made_in:
        folder = Path(made_in)
        files = _files(folder, size, slices)
        states = folder / "states"
        wanted = ["--slices", str(slices), "--states", str(states)]
        case = f"{size}_in_{slices}"
        read = [_audit([*files, *wanted, "--slice", str(number)]) for number in range(1, slices + 1)]
        yield line(BENCH, case, "slice: time, longest", round(max(one.seconds for one in read), 1), "s")
        yield line(
            BENCH, case, "slice: processor, mean", round(sum(one.processor for one in read) / slices, 1), "s"
        )
        memory = round(max(one.memory for one in read))
        yield line(BENCH, case, "slice: memory", memory, "MB", most=MOST_MEGABYTES_OF_SLICE)
        stored = sum(path.stat().st_size for path in states.iterdir()) / MEGABYTE
        yield line(BENCH, case, "states", round(stored), "MB")
        merged = _audit([*files, *wanted, "--json"])
        yield line(BENCH, case, "merge: time", round(merged.seconds, 1), "s")
        yield line(BENCH, case, "merge: processor", round(merged.processor, 1), "s")
        yield line(BENCH, case, "merge: memory", round(merged.memory), "MB")
        if os.environ.get("PARABLE_BENCH_WHOLE") == "no":
            return
        whole = _audit([*files, "--json"])
        yield line(BENCH, case, "whole: time", round(whole.seconds, 1), "s")
        yield line(BENCH, case, "whole: processor", round(whole.processor, 1), "s")
        yield line(BENCH, case, "whole: memory", round(whole.memory), "MB")
        differ = _findings(merged) != _findings(whole)
        yield line(BENCH, case, "findings that differ", int(differ), "audits", most=0)


def _files(folder: Path, size: int, files: int) -> list[str]:
    """Write the items to several files, as one may hold at most two million items when it is read whole."""
    found: list[str] = []
    items = made(size)
    for number in range(files):
        path = folder / f"{number:03}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for _item, item in zip(range(size // files), items, strict=False):
                file.write(item_line(ReleaseRecord(item, item.split or "", "")))
        found.append(str(path))
    return found


def _audit(arguments: list[str]) -> Audited:
    """Run the command; return what it takes, and what it says."""
    began, before = time.perf_counter(), processor_use()
    command = [sys.executable, "-m", "parable", "audit", *arguments]
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, cwd=BASE) as program:  # noqa: S603 - ours
        watch = ThreadPoolExecutor(1).submit(most_memory, program)
        said, wrong = program.communicate()
    used = processor_use()
    if program.returncode not in {0, 1}:
        raise RuntimeError(wrong)
    processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return Audited(time.perf_counter() - began, processor, watch.result(), said)


def _findings(one: Audited) -> dict[str, object]:
    found: dict[str, object] = json.loads(one.said.splitlines()[-1])
    return found | {"remarks": []}
