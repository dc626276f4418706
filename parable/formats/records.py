"""Records that readers return and writers take: plain values without behaviour.

A `Collector` gathers the records of one file while it is read, and finds ids that occur twice.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from parable.formats import limits
from parable.formats.errors import ErrorCode, ErrorList, RowError, excerpt
from parable.formats.fields import RowFields
from parable.formats.spool import Spool
from parable.kinds import kind_of

HUMAN: Final = "human"
MACHINE: Final = "machine"
STYLES: Final = (HUMAN, MACHINE)

IN: Final = "in"
OUT: Final = "out"
DOMAINS: Final = (IN, OUT)
"""The `domain` of a dev item: whether its story also occurs in the test split (IN) or not (OUT)."""

WITHHELD: Final = -1
"""The `answer` of a record whose key is withheld."""

Record = TypeVar("Record")


FURTHER_FIELDS: Final[Mapping[str, str]] = MappingProxyType({"genre": "体裁"})
"""Further fields of a story, each with its Chinese heading: one line of at most `MAX_NAME_CHARS` characters.

Readers, writers, tables, forms and pages take them from here. A new one needs its name here and in
`StoryRecord`, a column of this name in `corpus.models.Story`, and nothing else.
"""


@dataclass(frozen=True, slots=True)
class StoryRecord:
    """A story, read from a file or to be created.

    `id`, `title`, `language`, `source` and the `FURTHER_FIELDS` are "" if they are not stated.
    """

    id: str
    title: str
    text: str
    moral: str | None = None
    language: str = ""
    source: str = ""
    rights: str | None = None
    genre: str = ""


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """An item read from a file.

    `answer` is the 0-based position of the key, None if it has none. `answers` are the positions of all
    right options, or of all options in their right order, in tasks that need several; () if unknown. `own`
    is the JSON object that tasks without options have in place of options and key. `story` is "" if only
    `story_id` names the story, `language` "" if the file does not name it; items of a table may also lack
    `id`, `question` and `choices`. `source_id` is the id that the item had before it was released, "" if it
    had none.
    """

    id: str
    task: str
    story_id: str | None
    title: str
    story: str
    question: str
    choices: tuple[str, ...]
    answer: int | None
    types: tuple[str, ...] = ()
    style: str = HUMAN
    generators: tuple[str, ...] = ()
    explanation: str | None = None
    language: str = ""
    split: str | None = None
    domain: str | None = None
    source_id: str = ""
    answers: tuple[int, ...] = ()
    own: Mapping[str, Any] | None = None

    def __reduce__(self) -> tuple[type["ItemRecord"], tuple[Any, ...]]:
        """Return the values by position: pickling then takes a third less time than by name."""
        return ItemRecord, _VALUES(self)

    @property
    def is_keyed(self) -> bool:
        """Whether the item has a right answer."""
        if self.answer is not None or self.answers:
            return True
        return self.own is not None and kind_of(self.task).question.right(released(self)) is not None


_VALUES: Final = attrgetter(*ItemRecord.__slots__)


def released(item: ItemRecord) -> dict[str, object]:
    """Return the fields of an item by name, the form in which questions of `parable.kinds` take items."""
    return {name: getattr(item, name) for name in ItemRecord.__slots__}


@lru_cache(256)
def one_line(text: str) -> str:
    """Return a text with single spaces; cached, as items of a story are usually adjacent."""
    line = " ".join(text.split())
    return text if line == text else line


def key_within(item: ItemRecord) -> int:
    """Return the position of an item's key.

    Raise ValueError if the item has no key or the key is no option.
    """
    if item.answer is None or not 0 <= item.answer < len(item.choices):
        raise ValueError(f"The key of item {item.id!r} is none of its options: {item.answer}.")
    return item.answer


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """An item in a split of a release.

    If `withheld`, it is written without key, letter and explanation.
    """

    item: ItemRecord
    split: str
    canary: str
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Row(Generic[Record]):
    """A record and the number of its row, from 1.

    A row is a line, an entry of a JSON list, or a row of a spreadsheet. `typed`: the options as they are in
    the file, with letters and outer white space; () if the record's options are the same.
    """

    row: int
    record: Record
    typed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading(Generic[Record]):
    """The result of reading one file: valid records, errors, the format, and the names of unused fields.

    `rows` is empty if they were added to a spool.
    `trimmed`: rows and fields whose text lost outer white space. `remarks`: what else is read differently
    than written, or not read at all.
    """

    name: str
    format: str
    rows: Sequence[Row[Record]]
    errors: tuple[RowError, ...]
    ignored: tuple[str, ...] = ()
    trimmed: tuple[tuple[int, str], ...] = ()
    remarks: tuple[RowError, ...] = ()

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in the order of the file."""
        return tuple(row.record for row in self.rows)


class Collector(Generic[Record]):
    """Collects the valid records of a file.

    Different records with the same `key` are an error, unless the key is None. If a spool is given, the
    records are appended to it instead of being held in memory.
    """

    def __init__(
        self,
        errors: ErrorList,
        key: Callable[[Record], Hashable | None],
        spool: Spool[Row[Record]] | None = None,
    ) -> None:
        self._errors = errors
        self._key = key
        self._rows: list[Row[Record]] | Spool[Row[Record]] = [] if spool is None else spool
        self._start = len(self._rows)
        self._first: dict[Hashable, int] = {}
        self._ignored: dict[str, int] = {}
        self._trimmed: list[tuple[int, str]] = []

    def add(self, fields: RowFields, record: Record) -> None:
        """Add the record if its row is valid; a repeated id is an error unless the records are equal."""
        if not fields.sound:
            return
        row = Row(fields.row, record, fields.typed)
        key = self._key(record)
        place = len(self._rows)
        at = place if key is None else self._first.setdefault(key, place)
        first = row if at == place else self._rows[at]
        if first is row or first.record == record:
            self._rows.append(row)
            if fields.trimmed:
                self._trimmed += [(row.row, field) for field in fields.trimmed]
            for field, code, params, items in fields.remarks:
                self._errors.remark(row.row, field, code, items, **params)
        else:
            fields.error("id", ErrorCode.DUPLICATE_ID, first_row=first.row)

    @property
    def is_empty(self) -> bool:
        """Whether no valid row was added so far."""
        return len(self._rows) == self._start

    def ignore(self, names: Iterable[str], *, cells: int = 1) -> None:
        """Add the names of unused fields of the file.

        `cells` is the number of cells with a value in each of them.
        """
        for name in map(excerpt, sorted(names)):
            if name in self._ignored or len(self._ignored) < limits.MAX_COLUMNS:
                self._ignored[name] = self._ignored.get(name, 0) + cells

    def reading(self, format_read: str) -> Reading[Record]:
        """Return the reading of the file: the records collected so far, its format, errors and remarks."""
        for field, cells in self._ignored.items():
            if cells:
                self._errors.remark(1, field, ErrorCode.UNREAD_COLUMN, cells=cells)
        return Reading(
            name=self._errors.file,
            format=format_read,
            rows=tuple(self._rows) if isinstance(self._rows, list) else (),
            errors=self._errors.in_order(),
            ignored=tuple(self._ignored),
            trimmed=tuple(self._trimmed),
            remarks=self._errors.remarks,
        )
