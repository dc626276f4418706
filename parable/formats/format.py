"""Defines `Format`, which describes a format of items, and `ItemFile`, a file of items that a format reads.

Each module in `parable/formats/foreign` defines one format of another tool, which all commands, forms and
pages then offer. Our own formats are in the list of `items.py`.
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
"""Contents that a format may be unable to hold: fields of an item, and line breaks within stems and options.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """How a file of a format is written; `suffix` is the extension of its name, with the dot.

    `parts` yields the bytes of a file. Callers pass only items that have a key, that are of one of the
    `kinds` and for which `takes` is true. `holds` are the entries of `LOSABLE` that the format preserves; it
    always preserves stem, options and key.
    """

    suffix: str
    parts: Callable[[Iterable[ItemRecord]], Iterator[bytes]]
    kinds: Callable[[Kind], bool]
    takes: Callable[[ItemRecord], bool] = lambda _item: True
    holds: frozenset[str] = frozenset()

    def whole(self, items: Iterable[ItemRecord]) -> bytes:
        """Return a whole file; raise ValueError for an item that the format cannot hold."""
        return joined(self.parts(items))


def joined(parts: Iterable[bytes]) -> bytes:
    """Return the parts of a file as one.

    Unlike `bytes.join`, which first makes a list of the parts, this needs no second copy of the file in
    memory.
    """
    whole = BytesIO()
    whole.writelines(parts)
    return whole.getvalue()


class Content(Enum):
    """The kind of content of a file, determined by its bytes and not by its name."""

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

    The last paragraph there names the tool that makes such files, and the version with which this was tried.

    Exactly one of three functions reads a file. `read` makes items. `rows` makes rows of values by name, to
    which a mapping of columns is applied; names in `MAPPED_FIELDS` need not be guessed. `book` opens a
    spreadsheet, whose rows are then read like those of an Excel file, stories included. `sheet_rows` is
    `rows` of the sheet that a user chose, for files with several; `rows` reads the usual one.

    `detect` is called for files with one of these `contents`. It must be certain and quick: it may use
    `SourceFile.head`, `parts`, `plain` or `first_value`, none of which raises. Our own formats have no
    `detect`: they are recognised by the names of their fields. An `is_loose` format may match files of other
    formats, so it is tried last. `writer` writes files of items; None if the format can only be read.
    `has_items` is False if its files hold answers alone, and are refused as items.
    """

    code: str
    label: str
    label_zh: str
    contents: frozenset[Content] = frozenset()
    detect: Callable[[SourceFile], bool] = lambda _file: False
    is_loose: bool = False
    read: Callable[[ItemFile], None] | None = None
    rows: Callable[[SourceFile, ErrorList], Rows] | None = None
    sheet_rows: Callable[[SourceFile, ErrorList, str], Rows] | None = None
    book: Callable[[bytes], Book] | None = None
    writer: Writer | None = None
    has_items: bool = True

    def label_in(self, language: str) -> str:
        """Return the Chinese label if the language is Chinese, else the English one."""
        return self.label_zh if language.startswith("zh") else self.label


@cache
def foreign_formats() -> tuple[Format, ...]:
    """Return the formats that `parable/formats/foreign` defines, sorted by module name.

    Formats with `is_loose` come last.
    """
    package = import_module("parable.formats.foreign")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    found: list[Format] = [import_module(f"{package.__name__}.{name}").FORMAT for name in names]
    return tuple(sorted(found, key=lambda one: one.is_loose))


def foreign_labels() -> str:
    """Return the labels of the formats of other tools, joined for use in a sentence."""
    return ", ".join(one.label for one in foreign_formats())


Begin = Callable[..., Callable[[], Any]]
"""Starts work that another process may do: `begin(work, *values)` returns a function that returns its result.

`work` is called with the state that the other process keeps, followed by the values.
"""


@dataclass(slots=True)
class ItemFile:
    """A file of items, the settings for reading it, and the collectors of its items and errors.

    `types` maps every name of a commonsense type to its code; None if any code is allowed. `long` is the path
    of a file that is read line by line; if `begin` is given, another process may read parts of it. For the
    other settings, see `read_items`.
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
    task: str = ""

    def json_rows(self, errors: ErrorList) -> Iterator[JsonRow]:
        """Return the rows of a JSON file.

        A long file is read line by line, and repeated texts are shared.
        """
        known: dict[str, str] = {}
        rows = (
            read_json_rows(self.file.text, errors)
            if self.long is None
            else read_long_lines(self.long, errors)
        )
        return ((row, with_known_texts(values, known)) for row, values in rows)
