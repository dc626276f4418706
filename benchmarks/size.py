"""Audits of 10,000 to a million items, and near-equal texts found, compared with datasketch.

The command reads a file made here, in a process of its own; datasketch has an environment of its own. With
`PARABLE_BENCH_BEFORE=FOLDER`, another checkout, in which `make setup` has been run, audits the same files in
turns with this one, and their outputs are compared byte by byte.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import median
from subprocess import PIPE
from typing import NamedTuple

import numpy as np

from benchmarks.calibrate import BASE, COMPARATORS, environment
from benchmarks.lines import Line, line, skipped
from parable.formats.parable_jsonl import item_line
from parable.formats.records import ItemRecord, ReleaseRecord
from parable.quality.resemblance import near_pairs, share, shingles

BENCH = "size"
SIZES = (10_000, 100_000, 1_000_000)
MOST_SECONDS, MOST_MEGABYTES = 300.0, 3_000.0
TURNS = 3
MILLION = 1_000_000
LEAST_TIMES_FASTER, LEAST_TIMES_FASTER_OF_A_MILLION = 5.0, 4.0
MOST_MEGABYTES_OF_100_000 = 700.0
TEXTS, NEAR, LEAST = 20_000, 2_000, 0.5
SIGNS = 3_500
LOOK_SECONDS = 0.5
_POOL = 4_000_000


def measure() -> Iterator[Line]:
    """Yield the figures of near-equal texts, then of audits; `PARABLE_BENCH_SIZES` sets other sizes."""
    chosen = os.environ.get("PARABLE_BENCH_SIZES")
    sizes = [*map(int, chosen.split(","))] if chosen else SIZES
    with tempfile.TemporaryDirectory() as folder:
        if before := os.environ.get("PARABLE_BENCH_BEFORE"):
            for size in sizes:
                yield from compare_builds(Path(folder), size, Path(before))
            return
        if chosen is None:
            yield from measure_near_pairs(Path(folder))
        for size in sizes:
            yield from measure_audit(Path(folder), size)


class Audited(NamedTuple):
    """The seconds, processor seconds and peak memory (MB) of an audit's two processes, and its output."""

    seconds: float
    processor: float
    memory: float
    said: str


def measure_audit(folder: Path, size: int) -> Iterator[Line]:
    """Yield the figures of the whole command on one file: seconds, processor seconds, and memory."""
    found = _audit(_file_of(folder, size), BASE, Path(sys.executable))
    case = f"audit_{size}"
    yield line(BENCH, case, "time", round(found.seconds, 1), "s", most=MOST_SECONDS)
    yield line(BENCH, case, "processor_time", round(found.processor, 1), "s")
    yield line(BENCH, case, "peak_memory", round(found.memory), "MB", most=MOST_MEGABYTES)


def compare_builds(folder: Path, size: int, before: Path) -> Iterator[Line]:
    """Yield the medians of the same command of two checkouts, their ratio, and whether both agree."""
    file, case = _file_of(folder, size), f"audit_{size}"
    python = before / ".venv/bin/python"
    turns = [
        (_audit(file, before, python), _audit(file, BASE, Path(sys.executable)))
        for _turn in range(TURNS if size < MILLION else 1)
    ]
    for index, name in enumerate(("before", "now")):
        ran = [turn[index] for turn in turns]
        yield line(BENCH, case, f"time_{name}", round(median(one.seconds for one in ran), 1), "s")
        yield line(BENCH, case, f"processor_time_{name}", round(median(one.processor for one in ran), 1), "s")
    times = median(then.seconds for then, _now in turns) / median(now.seconds for _then, now in turns)
    least = LEAST_TIMES_FASTER if size < MILLION else LEAST_TIMES_FASTER_OF_A_MILLION
    yield line(BENCH, case, "times_faster", round(times, 2), "times", least=least)
    most = max(now.memory for _then, now in turns)
    limit = MOST_MEGABYTES_OF_100_000 if size < MILLION else MOST_MEGABYTES
    yield line(BENCH, case, "peak_memory", round(most), "MB", most=limit)
    differ = sum(then.said != now.said for then, now in turns)
    yield line(BENCH, case, "findings_that_differ", differ, "audits", most=0)


def _file_of(folder: Path, size: int) -> Path:
    file = folder / f"{size}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for item in made(size):
            out.write(item_line(ReleaseRecord(item, item.split or "", "")))
    return file


def _audit(file: Path, build: Path, python: Path) -> Audited:
    begun, before = time.perf_counter(), processor_use()
    command = [str(python), "-m", "parable", "audit", str(file), "--json"]
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, cwd=build) as program:  # noqa: S603 - ours
        watch = ThreadPoolExecutor(1).submit(most_memory, program)
        said, wrong = program.communicate()
    took, used, most = time.perf_counter() - begun, processor_use(), watch.result()
    if program.returncode not in {0, 1}:
        raise RuntimeError(wrong)
    processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return Audited(took, processor, most, said)


def most_memory(program: "subprocess.Popen[str]") -> float:
    """Return the peak memory in MB of a program and its children together; shared memory counts once."""
    most = 0.0
    while program.poll() is None:
        most = max(most, sum(map(_held, [program.pid, *_children(program.pid)])))
        time.sleep(LOOK_SECONDS)
    return most


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").glob("*/children"):
            found += map(int, thread.read_text(encoding="ascii").split())
    return found


def _held(pid: int) -> float:
    """Return a process's share of memory (PSS) in MB; 0 if it has ended."""
    with suppress(OSError):
        for said in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if said.startswith("Pss:"):
                return int(said.split()[1]) * 1024 / 1e6
    return 0.0


def processor_use() -> resource.struct_rusage:
    """Return what the programs that have ended have used."""
    return resource.getrusage(resource.RUSAGE_CHILDREN)


class _Writer:
    """Writer of Chinese text whose characters are as frequent as in books (law of Zipf and Mandelbrot)."""

    def __init__(self) -> None:
        self.draw = Random(7)  # noqa: S311 - nothing secret
        self._numbers = np.random.default_rng(7)
        shares = 1 / (np.arange(SIGNS) + 10.0)
        self._upto = np.cumsum(shares / shares.sum())
        self._pool, self._place = "", 0

    def say(self, least: int, most: int) -> str:
        """Return a new text of `least` to `most` characters."""
        size = self.draw.randint(least, most)
        if self._place + size > len(self._pool):
            ranks = np.searchsorted(self._upto, self._numbers.random(_POOL))
            self._pool, self._place = (ranks + 0x4E00).astype("<u4").tobytes().decode("utf-32-le"), 0
        self._place += size
        return self._pool[self._place - size : self._place]


def made(count: int) -> Iterator[ItemRecord]:
    """Yield items of the usual lengths, four per story, a fifth of the stories in dev, without artefacts."""
    writer = _Writer()
    story = ""
    for number in range(count):
        if number % 4 == 0:
            story = writer.say(250, 350)
        yield ItemRecord(
            id=f"i-{number}", task="commonsense" if number % 3 else "moral", story_id=f"s-{number // 4}",
            title=f"{number // 4}", story=story, question=writer.say(12, 24) + "？",
            choices=tuple(writer.say(6, 20) for _option in range(4)), answer=writer.draw.randrange(4),
            types=("social",), language="zh", split="dev" if number < count // 5 else "test",
        )  # fmt: skip


def measure_near_pairs(folder: Path) -> Iterator[Line]:
    """Yield the share of near-equal pairs that is found in texts with changed copies, and the time."""
    texts, pairs = near_texts()
    begun = time.process_time()
    ours = {pair[:2] for pair in near_pairs(texts, LEAST)}
    yield from _compared("ours", ours, pairs, time.process_time() - begun)
    python = environment("datasketch")
    if python is None:
        yield skipped(BENCH, "datasketch", "datasketch could not be installed on this machine")
        return
    (folder / "texts.json").write_text(json.dumps([texts, LEAST]), encoding="utf-8")
    program = [str(python), str(COMPARATORS / "run_datasketch.py"), str(folder / "texts.json")]
    surroundings = os.environ | {"PYTHONPATH": str(BASE)}
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=surroundings)  # noqa: S603
    output = json.loads(done.stdout)
    yield from _compared(
        "datasketch", {(one, other) for one, other in output["pairs"]}, pairs, output["time"]
    )


def near_texts() -> tuple[list[str], set[tuple[int, int]]]:
    """Return stories, changed copies of the first ones, and the pairs that share half of their pieces."""
    writer = _Writer()
    texts = [writer.say(250, 350) for _text in range(TEXTS - NEAR)]
    copies = []
    for text in texts[:NEAR]:
        signs = list(text)
        for place in writer.draw.sample(range(len(text)), writer.draw.randint(1, len(text) // 8)):
            signs[place] = writer.say(1, 1)
        copies.append("".join(signs))
    likely = ((place, TEXTS - NEAR + place) for place in range(NEAR))
    near = {pair for pair in likely if share(shingles(texts[pair[0]]), shingles(copies[pair[0]])) >= LEAST}
    return [*texts, *copies], near


def _compared(
    name: str, found: set[tuple[int, int]], pairs: set[tuple[int, int]], took: float
) -> Iterator[Line]:
    case = f"near_pairs_{TEXTS}_{name}"
    yield line(BENCH, case, "processor_time", round(took, 2), "s")
    yield line(BENCH, case, "recall", round(len(found & pairs) / len(pairs), 4), "share")
    yield line(BENCH, case, "precision", round(len(found & pairs) / max(len(found), 1), 4), "share")
