"""Reads JSON logs one part at a time: the lines of a file, or the members of one large object.

Numbers that JSON does not allow (`NaN`), which tools write for scores, are read. A part has at most 4 MB, so
that memory is bounded for files of any size.
"""

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

import orjson

from parable.formats import limits
from parable.formats.errors import ErrorCode, InputError

LONGEST_PART: Final = 4 * 1024 * 1024
"""Maximum size of a line in bytes, and of a member or an element in characters."""
_CHUNK: Final = 1024 * 1024
_NO_SPACE: Final = re.compile(r"[^ \t\r\n]")
_NEAR_CHARS: Final = 20
_LONGEST_WORD: Final = 16
"""Maximum length of a word such as `-Infinity`, or of a pair of Unicode escapes, in characters."""


def log_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the line number and the object of each line of a JSON lines file; empty lines are skipped.

    Raise InputError, with the line, if a line is no object, is nested too deeply or is too long.
    """
    with path.open("rb") as file:
        for row, line in enumerate(iter(lambda: file.readline(LONGEST_PART + 1), b""), start=1):
            if len(line) > LONGEST_PART:
                raise InputError(ErrorCode.TOO_LONG, row=row, length=len(line), limit=LONGEST_PART)
            text = line.removeprefix(codecs.BOM_UTF8) if row == 1 else line
            if not text.strip():
                continue
            value = _line(text, row)
            if not isinstance(value, dict):
                raise InputError(ErrorCode.NOT_AN_OBJECT, row=row, found=str(value)[:_NEAR_CHARS])
            yield row, value


def _line(data: bytes, row: int) -> object:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass  # NaN and lone surrogates: Python's reader accepts them
    try:
        return json.loads(data.rstrip(b"\r\n"))
    except RecursionError as error:
        raise InputError(ErrorCode.TOO_DEEP, row=row, limit=limits.MAX_NESTING) from error
    except UnicodeDecodeError as error:
        raise InputError(ErrorCode.NOT_UTF8, row=row, byte=f"{data[error.start]:02X}") from error
    except ValueError as error:  # without a place where a number has more digits than Python converts
        near = data[:_NEAR_CHARS].decode("utf-8", "replace")
        column = error.colno if isinstance(error, json.JSONDecodeError) else 1
        raise InputError(ErrorCode.NOT_JSON, row=row, line=row, column=column, near=near) from error


def as_object(value: object) -> Mapping[str, Any]:
    """Return the value if it is an object, else {}."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return the value if it is a list, else []."""
    return value if isinstance(value, list) else []


def log_members(path: Path, *, each_of: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each member of a file's object.

    The elements of the list `each_of` are yielded one by one. Raise InputError if a member is not valid
    JSON, nested too deeply or too long; its `row` is one more than the number of values read before.
    """
    with path.open("rb") as file:
        text = _Text(file)
        text.take("{")
        more = not text.has("}")
        while more:
            name = text.name()
            if name == each_of and text.has("["):
                yield from ((name, one) for one in _elements(text))
            else:
                yield name, text.value()
            more = text.has(",")
            if not more:
                text.take("}")
        text.finish()


def log_elements(path: Path) -> Iterator[Any]:
    """Yield the elements of the list that a file consists of; raise InputError like `log_members`."""
    with path.open("rb") as file:
        text = _Text(file)
        text.take("[")
        yield from _elements(text)
        text.finish()


def _elements(text: "_Text") -> Iterator[Any]:
    """Yield the elements of a list whose opening bracket has been consumed."""
    more = not text.has("]")
    while more:
        yield text.value()
        more = text.has(",")
        if not more:
            text.take("]")


class _Text:
    """The text of a file, consumed from the start; only an unread part of it is in memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
        self._text = ""
        self._at = 0
        self._lines = 0
        """The number of line feeds in the file before `_text`."""
        self._before = 0
        """The number of characters before `_text` in the line in which it starts."""
        self._whole = False
        self._rows = 0
        self._parse = json.JSONDecoder().raw_decode

    def has(self, sign: str) -> bool:
        """Consume the character `sign` if it comes next, and return whether it did."""
        self._pass_space()
        if not self._text.startswith(sign, self._at):
            return False
        self._at += 1
        return True

    def take(self, sign: str) -> None:
        """Consume the character `sign`; raise InputError if another one comes next."""
        if not self.has(sign):
            self.refuse()

    def name(self) -> str:
        """Consume the name of a member and the colon after it, and return the name."""
        self._pass_space()
        if not self._text.startswith('"', self._at):
            self.refuse()
        name: str = self._parsed()
        self.take(":")
        return name

    def value(self) -> Any:
        """Consume and return the next value."""
        self._pass_space()
        found = self._parsed()
        self._rows += 1
        return found

    def _parsed(self) -> Any:
        while True:
            try:
                found, end = self._parse(self._text, self._at)
            except RecursionError as error:
                raise InputError(ErrorCode.TOO_DEEP, row=self._rows + 1, limit=limits.MAX_NESTING) from error
            except json.JSONDecodeError as error:
                # An error at the end of the loaded text may come from its end, before that of the file.
                is_at_end = error.pos > len(self._text) - _LONGEST_WORD
                if self._whole or not (is_at_end or error.msg.startswith("Unterminated string")):
                    self.refuse(error.pos)
            except ValueError:  # a number with more digits than Python converts
                self.refuse()
            else:
                if end < len(self._text) or self._whole:  # a number may go on in the next part
                    self._at = end
                    return found
            self._read_on()

    def finish(self) -> None:
        """Raise InputError if anything but white space is left."""
        self._pass_space()
        if self._at < len(self._text):
            self.refuse()

    def refuse(self, at: int | None = None) -> NoReturn:
        """Raise InputError for invalid JSON at position `at`, by default the current one."""
        at = self._at if at is None else at
        raise InputError(
            ErrorCode.NOT_JSON,
            row=self._rows + 1,
            line=self._lines + self._text.count("\n", 0, at) + 1,
            column=self._before_in_line(at) + 1,
            near=self._text[at : at + _NEAR_CHARS],
        )

    def _before_in_line(self, at: int) -> int:
        """Return the number of characters before position `at` in its line."""
        feed = self._text.rfind("\n", 0, at)
        return at - feed - 1 if feed >= 0 else self._before + at

    def _pass_space(self) -> None:
        while True:
            found = _NO_SPACE.search(self._text, self._at)
            self._at = found.start() if found else len(self._text)
            if self._at < len(self._text) or self._whole:
                return
            self._read_on()

    def _read_on(self) -> None:
        """Discard the consumed text and read at least as much as is left.

        Raise InputError if more than `LONGEST_PART` characters are left, as a value is then too long.
        """
        held = len(self._text) - self._at
        if held > LONGEST_PART:
            raise InputError(ErrorCode.TOO_LONG, row=self._rows + 1, length=held, limit=LONGEST_PART)
        self._before = self._before_in_line(self._at)
        self._lines += self._text.count("\n", 0, self._at)
        data = self._file.read(max(_CHUNK, held))
        self._whole = not data
        try:
            more = self._decoder.decode(data, final=self._whole)
        except UnicodeDecodeError as error:
            byte = error.object[error.start : error.start + 1].hex().upper()
            raise InputError(ErrorCode.NOT_UTF8, row=self._rows + 1, byte=byte) from error
        self._text = self._text[self._at :] + more
        self._at = 0
