"""Memory and processor time of the processes of a site, and of the servers and the people beside it."""

import os
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

TICK: Final = os.sysconf("SC_CLK_TCK")
EVERY: Final = 3.0
"""Seconds between two readings."""


class Reading(NamedTuple):
    """The memory of a process and of all it started, in MB, and the processor time in seconds."""

    megabytes: float
    seconds: float


class Meter:
    """The most memory of each named process, and of all together, while something runs."""

    def __init__(self, processes: Mapping[str, int], *, beside: Mapping[str, int]) -> None:
        """`processes` are the ids of the site; those of `beside` do not count in the sum."""
        self._named = {**processes, **beside}
        self._beside = set(beside)
        self.most = dict.fromkeys(self._named, 0.0)
        self.most_of_all = 0.0
        self.load = 0.0
        self.processor: dict[str, float] = {}
        """The processors that each has kept busy, on average."""
        self._seconds: dict[str, float] = {}

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure again and again until the context ends."""
        stop = threading.Event()
        self._read()
        before = dict(self._seconds)
        began = time.monotonic()

        def body() -> None:
            while not stop.wait(EVERY):
                self._read()

        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join(60)
            self._read()
            passed = time.monotonic() - began
            self.processor = {name: (self._seconds[name] - before[name]) / passed for name in before}

    def _read(self) -> None:
        found = {name: read(pid) for name, pid in self._named.items()}
        for name, reading in found.items():
            self.most[name] = max(self.most[name], reading.megabytes)
            self._seconds[name] = max(self._seconds.get(name, 0.0), reading.seconds)  # it may have ended
        of_site = sum(one.megabytes for name, one in found.items() if name not in self._beside)
        self.most_of_all = max(self.most_of_all, of_site)
        self.load = max(self.load, os.getloadavg()[0])


def read(pid: int) -> Reading:
    """Return what a process and all its descendants use; what they share counts once. Nothing if it ended."""
    megabytes = seconds = 0.0
    for each in family(pid):
        try:
            memory = Path(f"/proc/{each}/smaps_rollup").read_text(encoding="ascii")
            fields = Path(f"/proc/{each}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        except OSError:
            continue  # ended meanwhile
        if found := re.search(r"^Pss:\s+(\d+)", memory, re.MULTILINE):
            megabytes += int(found[1]) / 1024
        # with the time of children that have ended, such as connections of PostgreSQL
        seconds += sum(map(int, fields[11:15])) / TICK
    return Reading(megabytes, seconds)


def family(pid: int) -> list[int]:
    """Return the ids of a process and of all its descendants; [] if it ended."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [pid, *(one for child in children for one in family(int(child)))]
