"""Reads XML and archives of other tools within limits, and extracts their texts.

An archive is never unpacked to disk. XML with a document type declaration is always refused, because the
declaration can define entities.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from html import escape
from typing import Final
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, excerpt
from parable.formats.html_text import text_of_html
from parable.formats.sources import UNZIPPING

MAX_ELEMENTS: Final = 1_000_000
"""Maximum number of elements in one XML text; a question has about thirty."""
MAX_DEPTH: Final = 100
_LONGEST_PART: Final = 16 * 1024 * 1024


def parse_xml(text: str | bytes) -> Element:
    """Return the root element of an XML text; names of elements and attributes lose their prefixes.

    Raises InputError if the text cannot be parsed, has a document type, or is too large or too deep.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate("utf-8" if isinstance(text, str) else None)
    depth = count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > MAX_DEPTH:
            raise InputError(ErrorCode.TOO_DEEP, field=FILE, limit=MAX_DEPTH)
        if count > MAX_ELEMENTS:
            raise InputError(ErrorCode.TOO_MANY_VALUES, field=FILE, limit=MAX_ELEMENTS)
        builder.start(_bare(name), {_bare(one): value for one, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_bare(name))

    def refuse(*_named: object) -> None:
        raise InputError(ErrorCode.XML_DOCTYPE, field=FILE)

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    try:
        parser.Parse(data, True)  # in one piece: expat before 2.6 needs quadratic time for long tags in parts
    except expat.ExpatError as error:
        place = {"line": error.lineno, "column": error.offset + 1}
        raise InputError(ErrorCode.NOT_XML, field=FILE, **place) from error
    except (LookupError, ValueError) as error:  # an unknown encoding
        raise InputError(ErrorCode.NOT_XML, field=FILE, line=1, column=1) from error
    return builder.close()


def _bare(name: str) -> str:
    return name.rpartition(":")[2]


def root_name(text: str) -> str:
    """Return the name of the root element without its prefix.

    Return "" if the text does not look like XML.
    """
    found = re.match(
        r"\s*(?:<\?xml[^>]*\?>)?\s*(?:<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<(?:[\w.-]+:)?([\w.-]+)",
        text[:4000],
        re.DOTALL,
    )
    return found[1] if found else ""


class Parts:
    """Reads the parts of a ZIP archive by name, within the limits of spreadsheets."""

    def __init__(self, data: bytes) -> None:
        try:
            self._archive = ZipFile(io.BytesIO(data))
            self._parts = {
                part.filename: part for part in self._archive.infolist() if not part.filename.endswith("/")
            }
        except UNZIPPING as error:
            raise InputError(ErrorCode.NOT_ZIP, field=FILE) from error
        if len(self._parts) > limits.MAX_ROWS:
            raise InputError(ErrorCode.TOO_MANY_ROWS, field=FILE, limit=limits.MAX_ROWS)
        self._left = min(
            limits.MAX_UNPACKED_BYTES,
            max(limits.LEAST_UNPACKED_BYTES, limits.MAX_UNPACKED_TIMES * len(data)),
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def read(self, name: str, most: int = _LONGEST_PART) -> bytes:
        """Return the bytes of a part; raise InputError if it is too large or cannot be unpacked."""
        part = self._parts.get(name)
        if part is None or part.compress_type not in {ZIP_STORED, ZIP_DEFLATED} or part.flag_bits & 1:
            raise InputError(ErrorCode.NOT_ZIP, field=FILE)
        most = min(self._left, most)
        try:
            with self._archive.open(part) as file:
                data = file.read(most + 1)
        except UNZIPPING as error:
            raise InputError(ErrorCode.NOT_ZIP, field=FILE) from error
        if len(data) > most:
            raise InputError(ErrorCode.ZIP_TOO_LARGE, field=FILE, limit=most)
        self._left -= len(data)
        return data


def inner_html(element: Element) -> str:
    """Return the content of an element as HTML, without the tail after it."""
    parts = [escape(element.text or "")]
    for child in element:
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in child.attrib.items())
        parts.append(f"<{child.tag}{attributes}>{inner_html(child)}</{child.tag}>{escape(child.tail or '')}")
    return "".join(parts)


def as_html(text: str) -> str:
    """Return a plain text as HTML that preserves its lines and repeated spaces."""
    return escape(text).replace("  ", " &#160;").replace("\n", "<br>")


def score_of(text: str) -> float:
    """Return the score that an attribute or element holds; 0 if it holds no number."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def remark_kind(errors: ErrorList, row: int, kind: str) -> None:
    """Add a remark that questions of this kind are not read.

    Each kind has its own remark, which lists the rows.
    """
    shown = excerpt(kind or "?")
    errors.remark(row, shown, ErrorCode.KIND_NOT_READ, kind=shown)


def remark_missing(errors: ErrorList, row: int, name: str, place: str) -> None:
    """Add a remark that the part `name`, to which the part `place` refers, is missing."""
    shown = excerpt(name or "?")
    errors.remark(row, shown, ErrorCode.PART_MISSING, found=shown, place=excerpt(place))


class MarkedTexts:
    """Converts the texts of one row to plain text, and adds remarks on the elements that are lost."""

    def __init__(self, errors: ErrorList, row: int) -> None:
        self._errors, self._row = errors, row

    def __call__(self, field: str, html: str, *, is_html: bool = True) -> str:
        """Return the plain text of a field; add a remark if elements are lost."""
        if not is_html:
            return html.replace("\r\n", "\n").strip()
        text, lost = text_of_html(html)
        if lost:
            self._errors.remark(self._row, field, ErrorCode.MARKUP_LOST, found=", ".join(lost))
        return text
