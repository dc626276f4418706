"""A file as its readers share it: loaded, decoded or unpacked once, however many of them look at it."""

from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.format import Book, Format, foreign_formats
from parable.formats.json_reader import is_json
from parable.formats.sources import ZIP_MARK, decode_any, is_spreadsheet, kind_of_other_file, load_bytes
from parable.formats.xlsx_reader import Workbook

_HEAD_BYTES: Final = 4096


class SourceFile:
    """A file that several readers look at; what they share is cached.

    `head`, `parts` and `plain` serve to detect a format and never raise where the file can be opened. All
    else raises InputError where the file cannot be read: then as often as it is asked for.
    """

    def __init__(self, source: Path | bytes) -> None:
        self._source = source

    @cached_property
    def _bytes(self) -> bytes:
        return load_bytes(self._source)

    @property
    def raw(self) -> bytes:
        """The bytes of the file, of whatever kind it is."""
        return self._bytes

    @property
    def head(self) -> bytes:
        """The first bytes of the file."""
        return self._bytes[:_HEAD_BYTES]

    @cached_property
    def parts(self) -> frozenset[str]:
        """The names of the parts of an archive; none where it is no archive."""
        if not self._bytes.startswith(ZIP_MARK):
            return frozenset()
        try:
            with ZipFile(BytesIO(self._bytes)) as archive:
                return frozenset(archive.namelist())
        except (BadZipFile, OSError, ValueError):
            return frozenset()

    @cached_property
    def plain(self) -> str:
        """The text of a file that is neither a table by cells nor of a kind that is no text; else ""."""
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
        """The format of another tool that the file has; None where it is ours, or has names of columns."""
        return next((one for one in foreign_formats() if one.detect(self)), None)

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file."""
        kind = kind_of_other_file(self._bytes)
        if kind and self.format is None:
            raise InputError(ErrorCode.OTHER_FILE, field=FILE, kind=kind)
        return self._bytes

    def refuse_unreadable(self) -> None:
        """Raise InputError where it cannot be opened, is empty, is too large, or is nothing that we read."""
        _loaded = self.data

    def refuse_other_than(self, said: Format) -> None:
        """Raise InputError where the file is not of the format that is `said`."""
        if self.format is not said:
            raise InputError(ErrorCode.NOT_OF_FORMAT, field=FILE, format=said.code)

    @property
    def is_spreadsheet(self) -> bool:
        """Whether it is a spreadsheet: an Excel file, new or old, or one of a format that opens as one."""
        return is_spreadsheet(self.data) or (self.format is not None and self.format.book is not None)

    @cached_property
    def text(self) -> str:
        """The decoded text; a spreadsheet has none."""
        self.refuse_unreadable()
        return self._decoded[0]

    def remark_encoding(self, errors: ErrorList) -> None:
        """Say of a text in which encoding it is read, where that is not UTF-8."""
        if self.plain and self._decoded[1] != "UTF-8":
            errors.remark(1, FILE, ErrorCode.ENCODING_READ, encoding=self._decoded[1])

    @cached_property
    def workbook(self) -> Book:
        """The spreadsheet, with the rows of each sheet once they were read."""
        opened = Workbook if self.format is None or self.format.book is None else self.format.book
        return opened(self.data)

    @property
    def is_json(self) -> bool:
        """Whether it begins like a list or an object of JSON."""
        return not self.is_spreadsheet and is_json(self.text)


Readable = Path | bytes | SourceFile
"""What readers take: a file by its path, its bytes, or one that others look at too."""


def source_file(source: Readable) -> SourceFile:
    """Return the file, the same one where several readers share it already."""
    return source if isinstance(source, SourceFile) else SourceFile(source)
