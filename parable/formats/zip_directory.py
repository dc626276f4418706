"""Reads archives with very many members; `zipfile` would need an object for each, 130 MB for 200,000."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile

from parable.extras import require

ZSTANDARD: Final = 93
_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64: Final = struct.Struct("<4sLQL")
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL_NAMES: Final = struct.Struct("<2H")
_LOCAL_NAMES_AT: Final = 26
_LONGEST_COMMENT: Final = (1 << 16) - 1
_ELSEWHERE: Final = 0xFFFFFFFF
"""Placeholder for a size or offset that needs 64 bits, and is in the extra field."""
_EXTRA_64: Final = 1
_ENCRYPTED: Final = 1


@dataclass(frozen=True, slots=True)
class Member:
    """A member, as the directory of the archive describes it."""

    name: str
    numbers: tuple[int, ...]
    """Flags, method, checksum, packed size, size, and the offset of the member's own header."""


def size_of(numbers: tuple[int, ...]) -> int:
    """Return the unpacked size of a member in bytes, from its `numbers`."""
    return numbers[4]


def read_directory(file: BinaryIO) -> Iterator[Member]:
    """Yield the members that the directory lists; raise BadZipFile if the file is no archive."""
    count, start = _end(file)
    file.seek(start)
    for _number in range(count):
        fields = _ENTRY.unpack(_exactly(file, _ENTRY.size))
        mark, _made, _needed, flags, method, _time, _date, checksum, packed, size, *lengths = fields
        if mark != b"PK\x01\x02":
            raise BadZipFile("Bad magic number for central directory")
        name, extra = _exactly(file, lengths[0]), _exactly(file, lengths[1])
        file.seek(lengths[2], 1)
        text = name.decode("utf-8" if flags & 0x800 else "cp437")
        size, packed, offset = _long(extra, (size, packed, fields[-1]))
        yield Member(text, (flags, method, checksum, packed, size, offset))


def _end(file: BinaryIO) -> tuple[int, int]:
    """Return the number of members that the directory lists, and the offset of the directory."""
    length = file.seek(0, 2)
    file.seek(max(0, length - _END.size - _LONGEST_COMMENT))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise BadZipFile("File is not a zip file")
    *_rest, count, _size, start, _comment = _END.unpack_from(tail, at)
    if at >= _LOCATOR_64.size:
        mark, _disk, place, _disks = _LOCATOR_64.unpack_from(tail, at - _LOCATOR_64.size)
        if mark == b"PK\x06\x07":
            file.seek(place)
            found = _END_64.unpack(_exactly(file, _END_64.size))
            count, start = found[7], found[9]
    return count, start


def _long(extra: bytes, numbers: tuple[int, ...]) -> Iterator[int]:
    """Yield the numbers, with those that need 64 bits read from the extra field."""
    longer: Iterator[int] = iter(())
    at = 0
    while at + 4 <= len(extra):
        kind, size = _LOCAL_NAMES.unpack_from(extra, at)
        if kind == _EXTRA_64:
            data = extra[at + 4 : at + 4 + size]
            longer = iter(struct.unpack(f"<{len(data) // 8}Q", data[: len(data) // 8 * 8]))
        at += 4 + size
    for number in numbers:
        yield next(longer, number) if number == _ELSEWHERE else number


def read_member(file: BinaryIO, numbers: tuple[int, ...], limit: int) -> bytes:
    """Return the unpacked bytes of a member.

    Raise BadZipFile if the member is encrypted, has more than `limit` bytes, or does not match its checksum;
    also for compression other than Deflate and Zstandard. The latter needs the package `zstandard`, as
    `zipfile` supports it only from Python 3.14 on.
    """
    flags, method, checksum, packed, _size, offset = numbers
    if flags & _ENCRYPTED:
        raise BadZipFile("The member is encrypted.")
    file.seek(offset + _LOCAL_NAMES_AT)
    # The lengths in the member's own header, which may differ from those in the directory.
    name, extra = _LOCAL_NAMES.unpack(_exactly(file, _LOCAL_NAMES.size))
    file.seek(name + extra, 1)
    data = _unpacked(method, _exactly(file, packed), limit)
    if len(data) > limit or zlib.crc32(data) != checksum:
        raise BadZipFile("Bad CRC-32")
    return data


def _unpacked(method: int, data: bytes, limit: int) -> bytes:
    if method == ZIP_STORED:
        return data
    if method == ZIP_DEFLATED:
        try:
            return zlib.decompressobj(-15).decompress(data, limit + 1)
        except zlib.error as error:
            raise BadZipFile(str(error)) from error
    if method != ZSTANDARD:
        raise BadZipFile("That compression method is not supported")
    require("zstandard")
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            found: bytes = reader.read(limit + 1)
    except zstandard.ZstdError as error:
        raise BadZipFile(str(error)) from error
    return found


def _exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise BadZipFile("Truncated file")
    return data
