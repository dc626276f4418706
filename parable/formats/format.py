"""Describes formats of items: `Format`, which the module of a format defines, and `ItemFile`, which it reads.

The formats of other tools are the modules of `parable/formats/foreign`: a module there is a format of every
command, form and page without a line elsewhere. Our own are in the list of `items.py`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from parable.formats.json_reader import JsonRow, read_json_rows, read_long_lines, with_known_texts
from parable.formats.limits import OURS, ItemRules

if TYPE_CHECKING:
    from parable.formats.errors import ErrorList
    from parable.formats.labels import TypeCodes
    from parable.formats.mapping import ItemMapping
    from parable.formats.records import Collector, ItemRecord
    from parable.formats.source_file import SourceFile
    from parable.formats.tables import Columns
    from parable.formats.xlsx_reader import Worksheet
    from parable.kinds.base import Kind

Values = Mapping[str, object]
Rows = Iterable[tuple[int, Values]]
"""Pairs of a row's number in the file, from 1, and its values by name."""


LINES: Final = "lines"
LOSABLE: Final = (
    *("id", "task", "story_id", "title", "story", "types", "style", "generators"),
    *("explanation", "language", "split", LINES),
)
"""What a format may lack of an item: fields, and the line breaks within a stem or an option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """How a file of a format is written; `suffix` ends its name, with the dot.

    `parts` yields the bytes of a file of items that have a key, are of one of the `kinds`, and which the
    format `takes`. `holds`: what of `LOSABLE` is read back as it was, beside stem, options and key.
    """

    suffix: str
    parts: Callable[[Iterable[ItemRecord]], Iterator[bytes]]
    kinds: Callable[[Kind], bool]
    takes: Callable[[ItemRecord], bool] = lambda _item: True
    holds: frozenset[str] = frozenset()

    def whole(self, items: Iterable[ItemRecord]) -> bytes:
        """Return a whole file; raise ValueError for an item that it cannot hold."""
        return joined(self.parts(items))


def joined(parts: Iterable[bytes]) -> bytes:
    """Return the parts of a file as one; a list of them, as `join` makes, would be a second copy of it."""
    whole = BytesIO()
    whole.writelines(parts)
    return whole.getvalue()


class Content(Enum):
    """What the bytes of a file are, whatever its name says."""

    ARCHIVE = auto()  # ZIP
    JSON = auto()
    MARKUP = auto()  # XML or HTML
    TEXT = auto()
    BINARY = auto()


class Book(Protocol):
    """The interface of a spreadsheet, for formats whose files are tables."""

    def read(self, knows: Callable[[str], bool], most: int | None, sheet: str) -> Worksheet:
        """Return the rows of the chosen sheet, at most `most`; `knows` tests for known column names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format of items; its section of docs/formats.md is its module's docstring.

    The last paragraph there says what makes such a file and with which version of it this was tried.

    Exactly one of these says how it is read: `read` makes items; `rows` makes rows by name, which pass the
    mapping of columns, where names of `MAPPED_FIELDS` need no guess; `book` opens a spreadsheet, whose rows
    are read like those of any other, stories too.

    `detect` is asked of files with one of these `contents`. It must be certain and quick: it looks at
    `SourceFile.head`, `parts`, `plain` or `first_value`, none of which raises. Ours are detected by the names
    of fields, together, and have none. A format that is `is_loose` may find itself in files of others: it is
    asked last. `writer` writes files of items; None where they are only read. `has_items` is false where a
    file holds answers alone, and is refused in these words.
    """

    code: str
    label: str
    label_zh: str
    contents: frozenset[Content] = frozenset()
    detect: Callable[[SourceFile], bool] = lambda _file: False
    is_loose: bool = False
    read: Callable[[ItemFile], None] | None = None
    rows: Callable[[SourceFile, ErrorList], Rows] | None = None
    book: Callable[[bytes], Book] | None = None
    writer: Writer | None = None
    has_items: bool = True

    def label_in(self, language: str) -> str:
        """Return the Chinese label if the language is Chinese, else the English one."""
        return self.label_zh if language.startswith("zh") else self.label


@cache
def foreign_formats() -> tuple[Format, ...]:
    """Return the formats that `parable/formats/foreign` defines, by module name, loose ones last."""
    package = import_module("parable.formats.foreign")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    found: list[Format] = [import_module(f"{package.__name__}.{name}").FORMAT for name in names]
    return tuple(sorted(found, key=lambda one: one.is_loose))


def foreign_labels() -> str:
    """Return the labels of the formats of other tools, for a sentence."""
    return ", ".join(one.label for one in foreign_formats())


Begin = Callable[..., Callable[[], Any]]
"""Begins work that another process may do: `begin(work, *values)` returns a callable for its result.

The work is called with what that process holds, and the values.
"""


@dataclass(slots=True)
class ItemFile:
    """A file of items, the settings for reading it, and the collectors of its items and errors.

    `types` are the codes of the commonsense types by all their names, None where any code is taken. `long` is
    the path of a file that is read line by line; where there is `begin`, parts of it may be read by another
    process. The others are those of `read_items`.
    """

    file: SourceFile
    errors: ErrorList
    items: Collector[ItemRecord]
    codes: TypeCodes
    types: TypeCodes | None = None
    columns: Columns | None = None
    rules: ItemRules = OURS
    numbers: int | None = None
    sheet: str = ""
    mapping: str | ItemMapping = ""
    long: Path | None = None
    begin: Begin | None = None

    def json_rows(self, errors: ErrorList) -> Iterator[JsonRow]:
        """Return the rows of a JSON file; a long file is read line by line, and repeated texts are shared."""
        known: dict[str, str] = {}
        rows = (
            read_json_rows(self.file.text, errors)
            if self.long is None
            else read_long_lines(self.long, errors)
        )
        return ((row, with_known_texts(values, known)) for row, values in rows)
