"""Long lists of values in a temporary file, so that memory does not grow with their number."""

from __future__ import annotations

import pickle
from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import Any, Final, TypeVar, overload
from weakref import finalize

_IN_MEMORY_BYTES: Final = 4 * 1024 * 1024
"""Maximum size of the data in memory, in bytes; larger data are written to a file. About 6,000 items."""

Value = TypeVar("Value")


class _Lazy(Sequence[Value]):
    """A sequence that creates each value when it is accessed."""

    @abstractmethod
    def _at(self, index: int) -> Value:
        """Return the value at an index that is within the sequence."""

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        places = range(len(self))[index]
        return self._at(places) if isinstance(places, int) else [self._at(place) for place in places]

    def __iter__(self) -> Iterator[Value]:
        return (self._at(index) for index in range(len(self)))


class Spool(_Lazy[Value]):
    """A list of values in a temporary file; each access returns a new, equal object.

    The file has no name, and only this process writes its pickles.
    """

    def __init__(self, values: Iterable[Value] = ()) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 - closed by the next line
        finalize(self, self._file.close)
        self._starts = array("q")
        self._sizes = array("q")
        self._place = self._end = 0
        for value in values:
            self.append(value)

    def __len__(self) -> int:
        return len(self._starts)

    def append(self, value: Value) -> None:
        """Add a value at the end."""
        start, size = self._write(value)
        self._starts.append(start)
        self._sizes.append(size)

    def replace(self, index: int, value: Value) -> None:
        """Replace the value at an index; the file grows by the new value."""
        self._starts[index], self._sizes[index] = self._write(value)

    def _write(self, value: Value) -> tuple[int, int]:
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        start = self._end
        self._seek(start)
        self._file.write(data)
        self._place = self._end = start + len(data)
        return start, len(data)

    def _at(self, index: int) -> Value:
        start, size = self._starts[index], self._sizes[index]
        self._seek(start)
        self._place = start + size
        value: Value = pickle.loads(self._file.read(size))  # noqa: S301 - written by this process
        return value

    def _seek(self, place: int) -> None:
        if place != self._place:  # each seek flushes the buffer
            self._file.seek(place)


class Mapped(_Lazy[Value]):
    """The values of another sequence, each converted by `get` when it is accessed."""

    def __init__(self, get: Callable[[Any], Value], values: Sequence[Any]) -> None:
        self._get = get
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def _at(self, index: int) -> Value:
        return self._get(self._values[index])

    def __iter__(self) -> Iterator[Value]:
        return map(self._get, self._values)
