"""Gathers the records of one file while it is read, and holds rows against each other."""

from collections.abc import Callable, Hashable, Iterable
from typing import Final, Generic

from parable.formats import limits
from parable.formats.errors import ErrorCode, ErrorList, excerpt
from parable.formats.fields import RowFields
from parable.formats.records import Reading, Record, Row

_MAX_IGNORED: Final = limits.MAX_COLUMNS


class Collector(Generic[Record]):
    """The sound records of a file; two different ones must not share a `key`, where it is not None."""

    def __init__(self, errors: ErrorList, key: Callable[[Record], Hashable | None]) -> None:
        self._errors = errors
        self._key = key
        self._rows: list[Row[Record]] = []
        self._first: dict[Hashable, Row[Record]] = {}
        self._ignored: dict[str, int] = {}
        self._trimmed: list[tuple[int, str]] = []

    def add(self, fields: RowFields, record: Record) -> None:
        """Keep the record where its row is sound; a repeated id is an error unless the rows are the same."""
        if not fields.sound:
            return
        row = Row(fields.row, record, fields.typed)
        key = self._key(record)
        first = row if key is None else self._first.setdefault(key, row)
        if first.record == record:
            self._rows.append(row)
            self._trimmed += [(row.row, field) for field in fields.trimmed]
            for field, code, params, items in fields.remarks:
                self._errors.remark(row.row, field, code, items, **params)
        else:
            fields.error("id", ErrorCode.DUPLICATE_ID, first_row=first.row)

    @property
    def is_empty(self) -> bool:
        """Whether no row was sound so far."""
        return not self._rows

    def ignore(self, names: Iterable[str], *, cells: int = 1) -> None:
        """Note fields that the file has and nobody reads, and in how many `cells` more they have a value."""
        for name in map(excerpt, sorted(names)):
            if name in self._ignored or len(self._ignored) < _MAX_IGNORED:
                self._ignored[name] = self._ignored.get(name, 0) + cells

    def reading(self, format_read: str) -> Reading[Record]:
        """All that was read, and in which format."""
        for field, cells in self._ignored.items():
            if cells:
                self._errors.remark(1, field, ErrorCode.UNREAD_COLUMN, cells=cells)
        return Reading(
            name=self._errors.file,
            format=format_read,
            rows=tuple(self._rows),
            errors=self._errors.in_order(),
            ignored=tuple(self._ignored),
            trimmed=tuple(self._trimmed),
            remarks=self._errors.remarks,
        )
