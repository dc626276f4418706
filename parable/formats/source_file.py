"""A file shared by several readers, so that it is loaded, decoded and unpacked only once."""

import re
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.format import Book, Content, Format, foreign_formats
from parable.formats.json_reader import is_json, read_json_values
from parable.formats.sources import (
    UNZIPPING,
    ZIP_MARK,
    decode_any,
    is_spreadsheet,
    kind_of_other_file,
    load_bytes,
)
from parable.formats.xlsx_reader import Workbook

_HEAD_BYTES: Final = 4096
_JSON: Final = re.compile(r"\s*[\[{]\s*[\"\[{\]}]")


class SourceFile:
    """A file that several readers share; its decoded and unpacked forms are cached.

    `head`, `parts`, `plain`, `content` and `first_value` serve to detect a format and do not raise InputError
    if the file can be opened. Everything else raises InputError, at each access, if the file cannot be read.
    """

    def __init__(self, source: Path | bytes) -> None:
        self._source = source

    @cached_property
    def _bytes(self) -> bytes:
        return load_bytes(self._source)

    @property
    def raw(self) -> bytes:
        """The bytes of the file, even if its kind is not supported."""
        return self._bytes

    @property
    def head(self) -> bytes:
        """The first bytes of the file."""
        return self._bytes[:_HEAD_BYTES]

    @cached_property
    def parts(self) -> frozenset[str]:
        """The names of the members of a ZIP archive; empty for any other file."""
        if not self._bytes.startswith(ZIP_MARK):
            return frozenset()
        try:
            with ZipFile(BytesIO(self._bytes)) as archive:
                return frozenset(archive.namelist())
        except UNZIPPING:
            return frozenset()

    @cached_property
    def plain(self) -> str:
        """The text of the file; "" if it is a spreadsheet or of a binary kind or cannot be decoded."""
        if is_spreadsheet(self._bytes) or kind_of_other_file(self._bytes) not in ("", "XML", "XML (Moodle)"):
            return ""
        try:
            return self._decoded[0]
        except InputError:
            return ""

    @cached_property
    def _decoded(self) -> tuple[str, str]:
        return decode_any(self._bytes)

    @cached_property
    def format(self) -> Format | None:
        """The foreign format that matches the file; None if none does."""
        asked = (one for one in foreign_formats() if self.content in one.contents)
        return next((one for one in asked if one.detect(self)), None)

    @property
    def content(self) -> Content:
        """The kind of content, by the beginning of the file; TEXT if nothing else fits."""
        if self.parts:
            return Content.ARCHIVE
        if not self.plain:
            return Content.BINARY
        if _JSON.match(self.plain):
            return Content.JSON
        return Content.MARKUP if self.plain.lstrip().startswith("<") else Content.TEXT

    @cached_property
    def first_value(self) -> object:
        """The first value of a JSON list, of JSON lines or of a single object; None if there is none."""
        return next((value for _row, value in read_json_values(self.plain, ErrorList(""))), None)

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file; raises InputError if its kind cannot be read."""
        kind = kind_of_other_file(self._bytes)
        if kind and self.format is None:
            raise InputError(ErrorCode.OTHER_FILE, field=FILE, kind=kind)
        return self._bytes

    def refuse_unreadable(self) -> None:
        """Raise InputError if the file cannot be opened, is empty, too large, or of an unreadable kind."""
        _loaded = self.data

    def refuse_other_than(self, said: Format) -> None:
        """Raise InputError if the file is not in the format `said`."""
        if self.format is not said:
            raise InputError(ErrorCode.NOT_OF_FORMAT, field=FILE, format=said.code)

    @property
    def is_spreadsheet(self) -> bool:
        """Whether the file is a spreadsheet: an Excel file, new or old, or in a format read as one."""
        return is_spreadsheet(self.data) or (self.format is not None and self.format.book is not None)

    @cached_property
    def text(self) -> str:
        """The decoded text; raises InputError for a spreadsheet."""
        self.refuse_unreadable()
        return self._decoded[0]

    def remark_encoding(self, errors: ErrorList) -> None:
        """Add a remark that names the encoding of a text file, if it is not UTF-8."""
        if self.plain and self._decoded[1] != "UTF-8":
            errors.remark(1, FILE, ErrorCode.ENCODING_READ, encoding=self._decoded[1])

    @cached_property
    def workbook(self) -> Book:
        """The opened spreadsheet, which caches the rows of each sheet."""
        opened = Workbook if self.format is None or self.format.book is None else self.format.book
        return opened(self.data)

    @property
    def is_json(self) -> bool:
        """Whether the text of the file begins like a JSON list or object."""
        return not self.is_spreadsheet and is_json(self.text)


Readable = Path | bytes | SourceFile
"""A file as readers accept it: a path, bytes, or a SourceFile that other readers share."""


def source_file(source: Readable) -> SourceFile:
    """Return the source as a SourceFile; a shared one is returned unchanged."""
    return source if isinstance(source, SourceFile) else SourceFile(source)
