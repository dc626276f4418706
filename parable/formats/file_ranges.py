"""Divides files of items into slices of about equal size, and reads one slice.

Files of our own lines are cut at line ends. Every other file is read whole, by the slice in which it begins.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from parable.formats import limits
from parable.formats.items import AUTO, PARABLE, read_items
from parable.formats.json_reader import line_parts
from parable.formats.limits import ANYBODYS

PART: Final = 4 * 1024 * 1024
"""The number of bytes of lines that are read together."""
_HEAD: Final = 65_536


@dataclass(frozen=True, slots=True)
class FileRange:
    """A file, or the lines between two bytes of it; `is_whole` if it was not cut."""

    path: Path
    start: int
    end: int
    is_whole: bool


def ranges_of(paths: Sequence[Path], number: int, of: int, code: str = AUTO) -> list[FileRange]:
    """Return what slice `number`, counted from 0, of so many slices of these files reads."""
    sizes = [path.stat().st_size if path.is_file() else 0 for path in paths]
    whole = sum(sizes)
    first, last = whole * number // of, whole * (number + 1) // of
    found: list[FileRange] = []
    for path, size, after in zip(paths, sizes, accumulate(sizes), strict=True):
        before = after - size
        if not are_lines(path, code):
            begins = first <= before < last or (before == last and number + 1 == of)
            if begins:
                found.append(FileRange(path, 0, size, is_whole=True))
            continue
        start, end = (_line_start(path, min(max(at - before, 0), size)) for at in (first, last))
        if start < end:
            found.append(FileRange(path, start, end, is_whole=False))
    return found


def are_lines(path: Path, code: str = AUTO) -> bool:
    """Return whether a file is a long one of our own lines, which can be cut."""
    if not path.is_file() or path.stat().st_size <= limits.LONG_FILE_BYTES or code not in {AUTO, PARABLE}:
        return False
    with path.open("rb") as file:
        head = b"".join(file.readlines(_HEAD))
    is_object = head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    return is_object and read_items(head, name=path.name, format=code, rules=ANYBODYS).format == PARABLE


def _line_start(path: Path, at: int) -> int:
    """Return where the first line begins that does not begin before a byte."""
    if not at:
        return 0
    with path.open("rb") as file:
        file.seek(at - 1)
        file.readline()
        return file.tell()


def lines_before(path: Path, end: int) -> int:
    """Return how many lines a file has before a byte."""
    lines = 0
    with path.open("rb") as file:
        while end > 0 and (read := file.read(min(end, PART))):
            lines += read.count(b"\n")
            end -= len(read)
    return lines


def parts_of(one: FileRange) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the parts in which the lines of a range are read."""
    yield from line_parts(one.path, PART, one.start, one.end)


def identity_of(paths: Sequence[Path]) -> list[list[object]]:
    """Return what distinguishes these files from others: size, and a hash of the first and last bytes."""
    found: list[list[object]] = []
    for path in paths:
        size = path.stat().st_size if path.is_file() else 0
        hashed = hashlib.sha256()
        if size:
            with path.open("rb") as file:
                hashed.update(file.read(_HEAD))
                file.seek(max(size - _HEAD, 0))
                hashed.update(file.read(_HEAD))
        found.append([path.name, size, hashed.hexdigest()])
    return found
