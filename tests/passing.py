"""Records which source files a piece of work runs, and how often it calls from one file into another."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from tests.architecture import BASE, OUR_FOLDERS

OURS = tuple(f"{BASE / folder}/" for folder in OUR_FOLDERS if folder != "tests")


@dataclass
class Passage:
    """The files whose functions were called, and the number of calls from one of our files into another."""

    files: set[str] = field(default_factory=set)
    switches: int = 0


@contextmanager
def passage() -> Iterator[Passage]:
    """Record the calls of this thread between our own functions.

    A call that reaches our code through a library counts as made by our last function before it. Module
    bodies and the code of test modules are not counted.
    """
    passed = Passage()

    def profile(frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or not (entered := _file(frame)):
            return
        passed.files.add(entered)
        caller = frame.f_back
        while caller is not None and not (file := _file(caller)):
            caller = caller.f_back
        if caller is not None and file != entered:
            passed.switches += 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield passed
    finally:
        sys.setprofile(before)


def _file(frame: FrameType) -> str | None:
    """Return the path of a frame's file below the repository, or None if it is not one of ours."""
    code = frame.f_code
    if code.co_name == "<module>" or not code.co_filename.startswith(OURS):
        return None
    return Path(code.co_filename).relative_to(BASE).as_posix()
