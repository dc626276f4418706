"""The file that holds the state of a slice: columns of numbers, the records in packed blocks, and facts.

Columns are mapped into memory when they are used, so that the states of a set need not fit into it. The
file has no code in it (no pickles): it may come from another machine.
"""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from parable.formats.records import ItemRecord, Row

Array = npt.NDArray[Any]

SUFFIX: Final = ".slice"
AT_ONCE: Final = 64
"""The number of records in a block, which is unpacked as a whole."""
MOST_UNPACKED: Final = 1 << 30
"""The most bytes of an unpacked block, or of the facts: far above the size of real ones."""

_MAGIC: Final = b"PARABLE SLICE 1\n"
_TYPES: Final = frozenset({"<u8", "<i8", "<u4", "<i4", "<u2", "|u1"})
_FIELDS: Final = tuple(name for name in ItemRecord.__slots__ if name != "story")
_LISTED: Final = frozenset({"choices", "types", "generators", "answers"})


class StateError(Exception):
    """Raised for a file that is not the state of a slice, or is damaged or incomplete."""


class StateWriter:
    """Writes a state next to its place, and moves it there when it is complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f"{path.name}.part")
        self._file = self._part.open("wb")
        self._file.write(_MAGIC)
        self._index: dict[str, tuple[str, list[int], int]] = {}
        self._blocks: list[int] = []
        self._rows: list[Row[ItemRecord]] = []

    def add_rows(self, rows: Sequence[Row[ItemRecord]]) -> None:
        """Append records in the order of their positions."""
        self._rows += rows
        while len(self._rows) >= AT_ONCE:
            self._write_block(self._rows[:AT_ONCE])
            del self._rows[:AT_ONCE]

    def _write_block(self, rows: Sequence[Row[ItemRecord]]) -> None:
        stories: dict[str, int] = {}
        packed = [
            [
                stories.setdefault(row.record.story, len(stories)),
                row.row,
                list(row.typed),
                *(getattr(row.record, name) for name in _FIELDS),
            ]
            for row in rows
        ]
        self._blocks.append(self._file.tell())
        self._file.write(zlib.compress(_to_json([[*stories], packed]), 1))

    def add_column(self, name: str, parts: Sequence[Array]) -> None:
        """Write a column, given in parts; the rows of a table are stored column by column."""
        kind = parts[0].dtype.newbyteorder("<").str
        if kind not in _TYPES:
            raise TypeError(kind)
        self._file.write(bytes(-self._file.tell() % 16))
        shape = [sum(map(len, parts)), *parts[0].shape[1:]]
        self._index[name] = (kind, shape, self._file.tell())
        for column in range(*shape[1:]) if len(shape) > 1 else (0,):
            for part in parts:  # without another copy of the whole column
                chosen = part[:, column] if len(shape) > 1 else part
                self._file.write(np.ascontiguousarray(chosen, np.dtype(kind)).data)

    def finish(self, facts: Mapping[str, object]) -> None:
        """Write what is left and move the file to its place."""
        if self._rows:
            self._write_block(self._rows)
        self._blocks.append(self._file.tell())
        self.add_column("blocks", [np.array(self._blocks, np.int64)])
        index = zlib.compress(_to_json({"columns": self._index, "facts": facts}))
        self._file.write(index + len(index).to_bytes(8, "little"))
        self._file.close()
        self._part.replace(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove what was written, unless it is finished."""
        self._file.close()
        self._part.unlink(missing_ok=True)


class State:
    """A state that was written by `StateWriter`; columns and records are read when they are asked for.

    Raises StateError if the file is none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                if file.read(len(_MAGIC)) != _MAGIC:
                    raise StateError(path)
                file.seek(size - 8)
                length = int.from_bytes(file.read(8), "little")
                if not 0 < length <= size - 8 - len(_MAGIC):
                    raise StateError(path)
                file.seek(size - 8 - length)
                index = json.loads(_unpacked(file.read(length)))
            self._index: dict[str, tuple[str, list[int], int]] = index["columns"]
            self.facts: dict[str, Any] = index["facts"]
            self._end = size - 8 - length
            self._blocks = self.column("blocks")
        except (OSError, ValueError, KeyError, TypeError, zlib.error) as error:
            raise StateError(path) from error

    def column(self, name: str) -> Array:
        """Return a column, mapped into memory."""
        kind, shape, start = self._index[name]
        many = int(np.prod(shape))
        if kind not in _TYPES or min(shape, default=0) < 0 or start < 0:
            raise StateError(self.path)
        if start + many * np.dtype(kind).itemsize > self._end:
            raise StateError(self.path)
        if not many:
            return np.empty(shape, kind)
        flat = np.memmap(self.path, np.dtype(kind), "r", start, (many,))
        return flat.reshape(shape[::-1]).T

    def rows(self, places: Sequence[int]) -> Iterator[Row[ItemRecord]]:
        """Yield the records at these positions, which must be sorted."""
        block, found = -1, list[Row[ItemRecord]]()
        with self.path.open("rb") as file:
            for place in places:
                if place // AT_ONCE != block:
                    block = place // AT_ONCE
                    found = self._read_block(file, block)
                yield found[place % AT_ONCE]

    def _read_block(self, file: Any, block: int) -> list[Row[ItemRecord]]:
        start, end = int(self._blocks[block]), int(self._blocks[block + 1])
        if not 0 <= start < end <= self._end:
            raise StateError(self.path)
        file.seek(start)
        try:
            stories, packed = json.loads(_unpacked(file.read(end - start)))
            return [_row(stories[story], row, typed, fields) for story, row, typed, *fields in packed]
        except (ValueError, TypeError, IndexError, zlib.error) as error:
            raise StateError(self.path) from error


def _row(story: str, row: int, typed: Sequence[str], fields: Sequence[Any]) -> Row[ItemRecord]:
    values: dict[str, Any] = {
        name: tuple(value) if name in _LISTED else value for name, value in zip(_FIELDS, fields, strict=True)
    }
    return Row(row, ItemRecord(story=story, **values), tuple(typed))


def _to_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")


def _unpacked(packed: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    found = unpacking.decompress(packed, MOST_UNPACKED)
    if unpacking.unconsumed_tail or not unpacking.eof:
        raise ValueError(len(packed))
    return found
