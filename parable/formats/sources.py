"""Loads files and decodes bytes to text, checking size, encoding and kind of file."""

import io
import re
import zlib
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, InputError
from parable.formats.zip_parts import zip_parts

ZIP_MARK: Final = b"PK\x03\x04"
OLE_MARK: Final = b"\xd0\xcf\x11\xe0"
"""The first bytes of old Excel files, and of those with a password."""

_KINDS: Final = (
    (b"PAR1", "Parquet"),
    (b"%PDF", "PDF"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"ARROW1", "Arrow"),
    (b"SQLite format 3", "SQLite"),
    (b"7z\xbc\xaf", "7-Zip"),
    (b"Rar!", "RAR"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"{\\rtf", "RTF"),
    (b"<?xml", "XML"),
    (b"<quiz", "XML (Moodle)"),
    (b"<!doctype html", "HTML"),
    (b"<html", "HTML"),
)
"""The first bytes of kinds of files that cannot be read, with the names of the kinds."""
UNZIPPING: Final = (BadZipFile, zlib.error, OSError, ValueError, EOFError, RuntimeError)
"""Exceptions of zipfile for an archive that is broken, or needs a newer reader (NotImplementedError)."""
_PARTS: Final = (
    ("word/", "Word (DOCX)"),
    ("ppt/", "PowerPoint (PPTX)"),
    ("xl/", "Excel (XLSB)"),
    ("collection.anki2", "Anki (APKG)"),
    ("content.xml", "OpenDocument (ODS, ODT)"),
    ("imsmanifest.xml", "QTI / IMS (ZIP)"),
)
"""Members of an archive that identify its kind, with the names of the kinds."""
_OF_FOLDERS: Final = frozenset({".ann"})
"""Extensions of files whose folder can be read like its archive.

brat stores a text and its marks in two files.
"""
CARD: Final = "README.md"
_CARD_HEADER: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*---[ \t]*[\r\n]+(.*?)[\r\n]+---[ \t]*(?:[\r\n]|$)", re.DOTALL
)
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_HEAD_BYTES: Final = 512
_FIRST_BYTES: Final = 200_000
_UNDECODED: Final = re.compile(r"[\udc80-\udcff]")
_LOW: Final = 0xDC00
_CHINESE: Final = re.compile(r"[\u2010-\u2027\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
_OTHERS: Final = ("gb18030", "utf-16", "utf-16-le", "utf-16-be")
_LOOKED_AT: Final = 4096
_MOSTLY: Final = 0.9
_FEW_STRAYS: Final = 20


def is_plain_path(name: str) -> bool:
    """Return whether a name from a file or archive is a path that stays below its folder.

    Only `/` separates parts; no part is empty, `.`, `..` or longer than file systems allow.
    """
    parts = name.split("/")
    return (
        name.isprintable()
        and "\\" not in name
        and ":" not in parts[0]
        and len(name) <= limits.MAX_PATH_CHARS
        and not any(part in ("", ".", "..") or len(part.encode()) > limits.MAX_NAME_BYTES for part in parts)
    )


def load(source: Path | bytes, *, otherwise: ErrorCode = ErrorCode.OTHER_FILE) -> bytes:
    """Return the bytes of a file; raise InputError if it cannot be opened, is empty or is too large.

    An unsupported kind of file is refused with the code `otherwise`, whose sentence says what is expected.
    """
    data = load_bytes(source)
    if kind := kind_of_other_file(data):
        raise InputError(otherwise, field=FILE, kind=kind)
    return data


def load_bytes(source: Path | bytes) -> bytes:
    """Return the bytes of a file of any kind.

    Raise InputError if it cannot be opened, is empty or is too large.
    """
    if isinstance(source, bytes):
        size, data = len(source), source
    else:
        size, data = _load_path(source)
    if size > limits.MAX_FILE_BYTES:
        raise InputError(ErrorCode.FILE_TOO_LARGE, field=FILE, size=size, limit=limits.MAX_FILE_BYTES)
    if not data.strip():
        raise InputError(ErrorCode.EMPTY_FILE, field=FILE)
    return data


def kind_of_other_file(data: bytes) -> str:
    """Return the kind of an unsupported file, by its first bytes or archive members.

    Return "" if it is supported.
    """
    if data.startswith(ZIP_MARK):
        return _kind_of_archive(data)
    head = data[:_HEAD_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((kind for mark, kind in _KINDS if head[: len(mark)].lower() == mark.lower()), "")


def _kind_of_archive(data: bytes) -> str:
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except UNZIPPING:
        return ""  # the reader of spreadsheets reports its errors
    if any(name.startswith("xl/") and name.endswith(".xml") for name in names):
        return ""
    for part, kind in _PARTS:
        if any(name.startswith(part) for name in names):
            return kind
    return "" if "[Content_Types].xml" in names or not names else "ZIP"


def first_lines(source: Path | bytes) -> bytes | None:
    """Return the first lines of a long file of JSON lines; None for any other file."""
    try:
        if isinstance(source, bytes) or not (
            limits.LONG_FILE_BYTES < source.stat().st_size <= limits.MAX_LONG_FILE_BYTES
        ):
            return None
        with source.open("rb") as file:
            head = b"".join(file.readlines(_FIRST_BYTES))
    except (OSError, ValueError):
        return None  # errors of the file are reported when it is loaded
    return head if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") else None


def _load_path(path: Path) -> tuple[int, bytes]:
    """Return the size and the bytes of a file.

    A folder that can be read is packed into an archive.
    """
    try:
        if path.is_dir():
            card = path / CARD  # a folder of data with a card is read like its archive
            has_header = card.is_file() and card_header(card.read_bytes()) is not None
            if has_header or any(name.suffix in _OF_FOLDERS for name in path.rglob("*")):
                return _packed(path)
        with path.open("rb") as file:
            data = file.read(limits.MAX_FILE_BYTES + 1)
            return max(len(data), path.stat().st_size), data
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(ErrorCode.UNREADABLE_FILE, field=FILE, reason=reason) from error


def card_header(card: bytes) -> bytes | None:
    """Return the YAML at the top of a data set's card, or None if it has none."""
    found = _CARD_HEADER.match(card)
    return None if found is None else found[1]


def _packed(folder: Path) -> tuple[int, bytes]:
    """Return the size of the files below a folder, and an archive of them unless they are too large.

    Hidden files are left out: the `.git` of a clone has every file once more.
    """
    names = sorted(
        name
        for name in folder.rglob("*")
        if name.is_file() and not any(part.startswith(".") for part in name.relative_to(folder).parts)
    )
    size = sum(name.stat().st_size for name in names)
    if size > limits.MAX_FILE_BYTES:
        return size, b""
    archive = b"".join(
        zip_parts((name.relative_to(folder).as_posix(), [name.read_bytes()]) for name in names)
    )
    return len(archive), archive


def is_spreadsheet(data: bytes) -> bool:
    """Return whether the first bytes may be those of an Excel file, new or old."""
    return data.startswith((ZIP_MARK, OLE_MARK))


def decode(data: bytes) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark.

    A stray byte that is not UTF-8 becomes a surrogate, which `first_stray` reports in its row. Raises
    InputError for a spreadsheet, for UTF-16 and UTF-32, and if most characters beyond ASCII are not UTF-8.
    """
    if is_spreadsheet(data):
        raise InputError(ErrorCode.IS_SPREADSHEET, field=FILE)
    if data.startswith(_UTF16_MARKS) or _looks_like_utf16(data[:_HEAD_BYTES]):
        raise InputError(ErrorCode.UTF16, field=FILE)
    text = data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
    strays = len(_UNDECODED.findall(text))
    if strays > _FEW_STRAYS and strays > sum(char > "\x7f" for char in text) / 2:
        refuse_stray(text)
    return text


def decode_any(data: bytes) -> tuple[str, str]:
    """Return the text and encoding of a file: "UTF-8", or "UTF-16" or "GB18030", which spreadsheets write.

    An encoding other than UTF-8 is used only if every byte fits it and, for GB18030, if nearly all characters
    beyond ASCII are Chinese. Otherwise raises InputError like `decode`.
    """
    try:
        return decode(data), "UTF-8"
    except InputError as refused:
        if refused.code not in {ErrorCode.UTF16, ErrorCode.NOT_UTF8}:
            raise
        for encoding in _OTHERS[: 2 if data.startswith(_UTF16_MARKS) else None]:
            try:
                found = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            is_text = bool(found.strip("\ufeff \r\n\t")) and "\0" not in found[:_HEAD_BYTES]
            if refused.code == ErrorCode.UTF16 and encoding.startswith("utf-16") and is_text:
                return found.removeprefix("\ufeff"), "UTF-16"
            if refused.code == ErrorCode.NOT_UTF8 and _is_chinese(found):
                return found, "GB18030" if encoding == "gb18030" else "UTF-16"
        raise


def _is_chinese(text: str) -> bool:
    """Return whether nearly all characters beyond ASCII are Chinese, and some characters are ASCII."""
    head = text[:_LOOKED_AT]
    others = [char for char in head if char > "\x7f"]
    chinese = len(_CHINESE.findall("".join(others)))
    return _FEW_STRAYS < len(others) < len(head) and chinese >= _MOSTLY * len(others)


def refuse_stray(text: str) -> None:
    """Raise InputError with the line of the first byte that was not UTF-8, if there is one."""
    if stray := first_stray(text):
        position, byte = stray
        line = text.count("\n", 0, position) + 1
        raise InputError(ErrorCode.NOT_UTF8, field=FILE, row=line, byte=byte)


def first_stray(text: str) -> tuple[int, str] | None:
    """Return the position and hexadecimal value of the first byte that was not UTF-8; None if all were."""
    match = None if text.isprintable() else _UNDECODED.search(text)
    return (match.start(), f"{ord(match[0]) - _LOW:02X}") if match else None


def _looks_like_utf16(head: bytes) -> bool:
    """Return whether every other byte at the start is mostly NUL, as in UTF-16 without a byte order mark."""
    half = len(head) // 2
    fewer, more = sorted([head[0::2].count(0), head[1::2].count(0)])
    return half > 1 and more > half * 0.4 and more - fewer > half * 0.3
