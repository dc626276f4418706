"""A file as its readers share it: loaded, decoded or unpacked once, however many of them look at it."""

from functools import cached_property
from pathlib import Path

from parable.formats.json_reader import is_json
from parable.formats.sources import decode, is_spreadsheet, load
from parable.formats.xlsx_reader import Workbook


class SourceFile:
    """A file that several readers look at; what they have in common is kept as long as it is.

    All of it raises InputError where the file cannot be read: then as often as it is asked for.
    """

    def __init__(self, source: Path | bytes) -> None:
        self._source = source

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file."""
        return load(self._source)

    def refuse_unreadable(self) -> None:
        """Raise InputError where it cannot be opened, is empty, is too large, or is nothing that we read."""
        _loaded = self.data

    @property
    def is_spreadsheet(self) -> bool:
        """Whether it is an Excel file, new or old."""
        return is_spreadsheet(self.data)

    @cached_property
    def text(self) -> str:
        """The decoded text; a spreadsheet has none."""
        return decode(self.data)

    @cached_property
    def workbook(self) -> Workbook:
        """The spreadsheet, with the rows of each sheet once they were read."""
        return Workbook(self.data)

    @property
    def is_json(self) -> bool:
        """Whether it begins like a list or an object of JSON."""
        return not self.is_spreadsheet and is_json(self.text)


Readable = Path | bytes | SourceFile
"""What readers take: a file by its path, its bytes, or one that others look at too."""


def source_file(source: Readable) -> SourceFile:
    """Return the file, the same one where several readers share it already."""
    return source if isinstance(source, SourceFile) else SourceFile(source)
