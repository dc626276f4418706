"""A spreadsheet file as parts of XML: found by their relationships, and read in pieces within bounds.

A part is what a relationship says it is, whatever its name. Each that is read passes the same parser, which
refuses document types, and stops at the limits.
"""

from __future__ import annotations

import io
import posixpath
from collections.abc import Callable, Mapping
from typing import Final
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, InputError

Start = Callable[[str, Mapping[str, str]], None]
"""Called with an element's name, without its prefix, and its attributes."""
End = Callable[[str], None]
Chars = Callable[[str], None]

_CHUNK_BYTES: Final = 64 * 1024
_LONGEST_TAG: Final = 512 * 1024
"""Bytes of one tag or comment: an expat before 2.6 reads an unfinished one again with every chunk."""
_DEEPEST: Final = 64
_BOOK: Final = "officeDocument"

has_slow_parser: Final = expat.version_info < (2, 6, 0)
"""Whether the XML parser of this Python needs quadratic time for long tokens that come in pieces."""


class Package:
    """The parts of a spreadsheet file. Raises InputError, or an exception of zipfile, where it is none."""

    def __init__(self, data: bytes) -> None:
        self._archive = ZipFile(io.BytesIO(data))
        found = self._archive.infolist()
        if len(found) > limits.MAX_PARTS:
            raise InputError(ErrorCode.XLSX_TOO_MANY_PARTS, field=FILE, limit=limits.MAX_PARTS)
        self._parts = {_plain(part.filename): part for part in found}
        if len(self._parts) < len(found):
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)  # two parts of one name: which is meant?
        self._dense = max(limits.LEAST_UNPACKED_BYTES, limits.MAX_UNPACKED_TIMES * len(data))
        self._unpacked = 0
        self._counted: set[str] = set()
        books = [name for kind, name in self.related("").values() if kind == _BOOK]
        if not books:
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)
        self.book: Final = books[0]

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """The relationships of a part by their ids: what each is ("worksheet"), and the part it leads to."""
        folder, file = posixpath.split(name)
        found: dict[str, tuple[str, str]] = {}

        def start(element: str, attributes: Mapping[str, str]) -> None:
            if element == "Relationship" and attributes.get("TargetMode") != "External":
                kind = attributes["Type"].rpartition("/")[2]
                found[attributes["Id"]] = kind, _plain(posixpath.join("/", folder, attributes["Target"]))

        relationships = posixpath.join(folder, "_rels", f"{file}.rels")
        if relationships in self._parts:
            self.read(relationships, start)
        return found

    def read(
        self, name: str, start: Start, end: End = lambda _name: None, chars: Chars = lambda _text: None
    ) -> None:
        """Call these with what a part holds, in its order."""
        part = self._parts.get(name)
        if part is None or part.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)
        if name not in self._counted:
            self._count(part.file_size)
            self._counted.add(name)  # behind it: who reads the file again is refused again
        parser = _parser(start, end, chars)
        with self._archive.open(part) as file:
            fed = 0
            while chunk := file.read(_CHUNK_BYTES):
                parser.Parse(chunk, False)
                fed += len(chunk)
                if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                    raise InputError(ErrorCode.XLSX_LONG_TAG, field=FILE, limit=_LONGEST_TAG)
            parser.Parse(b"", True)

    def _count(self, size: int) -> None:
        """Refuse parts that unpack to too much; more than it says no part unpacks to."""
        self._unpacked += size
        if self._unpacked > limits.MAX_UNPACKED_BYTES:
            raise InputError(ErrorCode.XLSX_TOO_LARGE, field=FILE, limit=limits.MAX_UNPACKED_BYTES)
        if self._unpacked > self._dense:
            raise InputError(ErrorCode.XLSX_TOO_DENSE, field=FILE, limit=self._dense)


def _plain(name: str) -> str:
    """A part's name as it is compared: without its first slash, in one case, with slashes alone."""
    return posixpath.normpath(name.replace("\\", "/")).lstrip("/").lower()


def _parser(start: Start, end: End, chars: Chars) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    depth = 0

    def open_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise InputError(ErrorCode.NOT_XLSX, field=FILE)
        if ":" in name:
            name = name.rpartition(":")[2]
        start(name, attributes)

    def close_element(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name.rpartition(":")[2] if ":" in name else name)

    def refuse(*_named: object) -> None:
        raise InputError(ErrorCode.NOT_XLSX, field=FILE)

    parser.buffer_text = True
    parser.StartElementHandler = open_element
    parser.EndElementHandler = close_element
    parser.CharacterDataHandler = chars
    parser.StartDoctypeDeclHandler = refuse
    return parser
