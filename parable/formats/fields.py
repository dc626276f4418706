"""Reads and checks the fields of one row: texts are cleaned and limited, and errors name the field."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Final, TypeVar

from parable.formats import limits
from parable.formats.errors import ErrorCode, ErrorList, InputError, excerpt
from parable.formats.option_marks import (
    LETTERS,
    check_order,
    mark_of,
    may_be_marks,
    typed_marks,
    without_marks,
)
from parable.formats.options import equal_pair, is_blank, letter

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_LINE_BREAK: Final = re.compile(r"[\n\r\u2028\u2029]")

Value = TypeVar("Value")
Other = TypeVar("Other")


def code_point(char: str) -> str:
    """Return the code point of a character for a message, e.g. `U+0000`."""
    return f"U+{ord(char):04X}"


def json_excerpt(value: object) -> str:
    """Return a short excerpt of a value, written as JSON, for a message."""
    return excerpt(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def one_line_end(text: str) -> str:
    """Return the text with line feeds in place of all other line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def clean(text: str, limit: int, *, is_judged_elsewhere: bool = False) -> str:
    """Return the text without outer white space; raise InputError if too long or with forbidden characters.

    Control characters, which broken encodings leave behind, are allowed if `is_judged_elsewhere`.
    """
    if len(text) > limit and len(text.strip()) > limit:
        raise InputError(ErrorCode.TOO_LONG, length=len(text), limit=limit)
    stripped = one_line_end(text).strip()
    if stripped.isprintable():
        return stripped
    if match := _SURROGATE.search(text):
        raise InputError(ErrorCode.LONE_SURROGATE, character=code_point(match[0]))
    if not is_judged_elsewhere and (match := _CONTROL.search(stripped)):
        raise InputError(ErrorCode.CONTROL_CHARACTER, character=code_point(match[0]))
    return stripped


def refuse_unstorable(value: object, field: str) -> None:
    """Raise InputError for a NUL or a lone surrogate in the texts and names of a JSON value."""
    if isinstance(value, str):
        if not value.isprintable() and (match := _UNSTORABLE.search(value)):
            code = ErrorCode.LONE_SURROGATE if match[0] > "\0" else ErrorCode.CONTROL_CHARACTER
            raise InputError(code, field=field, character=code_point(match[0]))
    elif isinstance(value, dict | list):
        for one in (*value, *value.values()) if isinstance(value, dict) else value:
            refuse_unstorable(one, field)


class RowFields:
    """Reads the fields of one row; errors are added to a list, and reading continues.

    A value that is itself an InputError (a cell that could not be read) becomes its error. `shown` gives the
    name under which the file itself has a field (a Chinese column), for messages.
    """

    __slots__ = (
        "_errors", "_shown", "is_lettered", "remarks", "row", "rules", "sound", "trimmed", "typed",
        "unread", "values",
    )  # fmt: skip

    def __init__(
        self,
        row: int,
        values: Mapping[str, object],
        errors: ErrorList,
        shown: Mapping[str, str] | None = None,
        rules: limits.ItemRules = limits.OURS,
    ) -> None:
        self.row = row
        self.rules = rules
        self.values = values
        self._errors = errors
        self._shown = shown or {}
        self.sound = True
        """Whether the row has no error so far."""
        self.trimmed: list[str] = []
        """Fields whose text lost outer white space."""
        self.remarks: list[tuple[str, ErrorCode, Mapping[str, int | str], tuple[str, ...]]] = []
        """Remarks on values that are read differently than they are written."""
        self.unread: Sequence[str] = ()
        """Columns with a value in this row that are not read."""
        self.typed: tuple[str, ...] = ()
        """The options as the file has them, if letters or outer white space were removed from them."""
        self.is_lettered = False
        """Whether letters before the options were removed."""

    @property
    def place(self) -> str:
        """The id given to an item without one: the file's name without extension, and the row number."""
        return f"{PurePath(self._errors.file.replace(chr(92), '/')).stem}-{self.row}"[: limits.MAX_ID_CHARS]

    def error(self, field: str, code: ErrorCode, items: tuple[str, ...] = (), /, **params: int | str) -> None:
        """Add an error of this row; `items` are the ids of the items that it concerns."""
        self.sound = False
        self._errors.add(self.row, self._shown.get(field, field), code, items, **params)

    def remark(
        self, field: str, code: ErrorCode, items: tuple[str, ...] = (), /, **params: int | str
    ) -> None:
        """Add a remark that a field is read differently than it is written."""
        self.remarks.append((self._shown.get(field, field), code, params, items))

    def refuse_key(self, field: str, code: ErrorCode, **params: int | str) -> None:
        """Report an unusable key: as an error or, if the item is only checked, as a remark."""
        note = self.remark if self.rules.is_judged_elsewhere else self.error
        name = self.values.get("id")
        note(field, code, (str(name).strip() if isinstance(name, str | int) else "",), **params)

    def attempt_key(self, field: str, read: Callable[[], Value], otherwise: Other) -> Value | Other:
        """Return the result of `read`; on InputError, report an unusable key and return `otherwise`."""
        try:
            return read()
        except InputError as refused:
            self.refuse_key(field, refused.code, **refused.params)
            return otherwise

    def unmarked(self, field: str, options: Sequence[str]) -> tuple[str, ...]:
        """Remove letters or numbers before the options if they all match the positions.

        If the letters are in another order, add an error and return (), unless the file is only judged. If
        only some options have letters, keep them. Add a remark on letters removed or kept.
        """
        if self.rules.keeps_marks or len(options) < limits.MIN_OPTIONS:
            return tuple(options)
        if not self.rules.is_judged_elsewhere:
            try:
                check_order(options)
            except InputError as refused:
                self.error(field, refused.code, **refused.params)
                return ()
        texts = without_marks(options)
        changed = [index for index, text in enumerate(texts) if text != options[index].strip()]
        if changed:
            before = options[changed[0]].strip()
            typed = before[: len(before) - len(texts[changed[0]])].strip()
            mark = mark_of(before)
            self.is_lettered = mark is not None and not mark.is_number
            self.remark(field, ErrorCode.MARKS_REMOVED, found=excerpt(typed))
        elif marks := typed_marks(options) or may_be_marks(options):
            found = ", ".join(mark.text for mark in marks.values())
            self.remark(field, ErrorCode.MARKS_KEPT, found=excerpt(found))
        return texts

    def attempt(self, field: str, read: Callable[[], Value], otherwise: Other) -> Value | Other:
        """Return the result of `read`; if it raises InputError, add the error and return `otherwise`."""
        try:
            return read()
        except InputError as refused:
            self.error(field, refused.code, **refused.params)
            return otherwise

    def text(self, field: str, limit: int, *, required: bool = False) -> str:
        """Return the text of a field without surrounding white space, or "" if it is absent or invalid."""
        value = self.values.get(field)
        if isinstance(value, str) and len(value) <= limit and value.isprintable():
            shown = value.strip()  # the result of `clean`, but faster: most texts have nothing to refuse
            if len(shown) < len(value):
                self.trimmed.append(self._shown.get(field, field))
            if required and not shown:
                self.error(field, ErrorCode.MISSING)
            return shown
        if value is None:
            found: str | None = ""
        elif isinstance(value, str):
            found = self.attempt(field, lambda: self._clean(value, limit), otherwise=None)
            if found is not None and len(found) < len(one_line_end(value)):
                self.trimmed.append(self._shown.get(field, field))
        elif isinstance(value, InputError):
            self.error(field, value.code, **value.params)
            found = None
        else:
            self.error(field, ErrorCode.NOT_TEXT, found=json_excerpt(value))
            found = None
        if required and found is not None and is_blank(found):
            self.error(field, ErrorCode.MISSING)
        return found or ""

    def line(self, field: str, limit: int, *, required: bool = False) -> str:
        """Return the text of a field like `text`; line breaks and control characters are errors."""
        found = self.text(field, limit, required=required)
        if found.isprintable():
            return found
        if _LINE_BREAK.search(found):
            self.error(field, ErrorCode.LINE_BREAK)
            return ""
        if match := _CONTROL.search(found):
            self.error(field, ErrorCode.CONTROL_CHARACTER, character=code_point(match[0]))
            return ""
        return found

    def identifier(self, field: str, *, required: bool = False) -> str:
        """Return the id in a field; a whole number is converted to its digits."""
        value = self.values.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.line(field, limits.MAX_ID_CHARS, required=required)

    def one_of(self, field: str, allowed: Collection[str], otherwise: str | None) -> str | None:
        """Return the value of a field, or `otherwise` if it is absent; values not in `allowed` are errors."""
        found = self.line(field, limits.MAX_NAME_CHARS)
        if not found:
            return otherwise
        if found not in allowed:
            self.error(field, ErrorCode.UNKNOWN_VALUE, found=excerpt(found), allowed=", ".join(allowed))
        return found

    def entries(self, field: str) -> tuple[str, ...]:
        """Return the short names listed in a field, without repeats; () if it is absent or invalid."""
        value = self.values.get(field)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.error(field, ErrorCode.NOT_A_LIST, found=json_excerpt(value))
            return ()
        if len(value) > limits.MAX_ENTRIES:
            self.error(field, ErrorCode.TOO_MANY_ENTRIES, count=len(value), limit=limits.MAX_ENTRIES)
            return ()
        return without_repeats(self._texts(field, value, limits.MAX_NAME_CHARS, lambda place: str(place + 1)))

    def options(self, field: str) -> tuple[str, ...]:
        """Return the texts of an item's options in the order of the file, or () if one cannot be used.

        The value is a list, or an object whose names are the letters in order. The caller strips typed
        letters and compares the options.
        """
        value = self.values.get(field)
        if value is None:
            self.error(field, ErrorCode.MISSING)
            return ()
        if isinstance(value, dict) and len(value) > 1 and [*value] == [*LETTERS[: len(value)]]:
            value = [*value.values()]  # {"A": ..., "B": ...}
        if not isinstance(value, list):
            self.error(field, ErrorCode.NOT_A_LIST, found=json_excerpt(value))
            return ()
        if not limits.MIN_OPTIONS <= len(value) <= self.rules.most_options:
            count = len(value)
            if count < limits.MIN_OPTIONS:
                self.error(field, ErrorCode.TOO_FEW_OPTIONS, count=count, limit=limits.MIN_OPTIONS)
            else:
                self.error(field, ErrorCode.TOO_MANY_OPTIONS, count=count, limit=self.rules.most_options)
            return ()
        found = self._texts(field, value, limits.MAX_OPTION_CHARS, letter)
        self.keep_typed(value, found)
        return found

    def keep_typed(self, typed: Sequence[object], options: Sequence[str]) -> None:
        """Store the options as the file has them, if they differ from the options that are used."""
        if [*typed] == [*options]:
            return
        texts = tuple(one_line_end(text) for text in typed if isinstance(text, str))
        if len(texts) == len(options) and texts != tuple(options):
            self.typed = texts

    def check_options(self, field: str, options: Sequence[str]) -> None:
        """Add errors for blank options and for two equal ones.

        An item that is only checked gets no errors.
        """
        if self.rules.is_judged_elsewhere:
            return
        blank = [position for position, option in enumerate(options) if is_blank(option)]
        for position in blank:
            self.error(f"{field}[{letter(position)}]", ErrorCode.MISSING)
        if not blank and (pair := equal_pair(options)):
            self.error(field, ErrorCode.EQUAL_OPTIONS, first=letter(pair[0]), second=letter(pair[1]))

    def _texts(
        self, field: str, values: Sequence[object], limit: int, name: Callable[[int], str]
    ) -> tuple[str, ...]:
        """Return the texts of a list, or () after adding an error for each entry that is invalid."""
        texts = [
            self._entry(f"{field}[{name(position)}]", value, limit) for position, value in enumerate(values)
        ]
        return () if None in texts else tuple(text for text in texts if text is not None)

    def _entry(self, place: str, value: object, limit: int) -> str | None:
        if not isinstance(value, str):
            self.error(place, ErrorCode.NOT_TEXT, found=json_excerpt(value))
            return None
        if len(value) <= limit and value.isprintable():
            return value.strip()
        return self.attempt(place, lambda: self._clean(value, limit), otherwise=None)

    def _clean(self, text: str, limit: int) -> str:
        return clean(text, limit, is_judged_elsewhere=self.rules.is_judged_elsewhere)


def without_repeats(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values in order, without repeats and empty values."""
    return tuple(dict.fromkeys(value for value in values if value))
