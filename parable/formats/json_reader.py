"""Reads JSON rows from a list or from lines, one by one, so that an invalid row does not hide later ones.

A scan that counts brackets splits a list into its elements before anything is parsed: so the nesting depth is
checked before the recursive parser runs, and each element gets its own error.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final, NoReturn, TypeVar

import orjson

from parable.formats import limits
from parable.formats.errors import FILE, ROW, ErrorCode, ErrorList, InputError, excerpt
from parable.formats.fields import code_point, json_excerpt
from parable.formats.sources import first_stray

JsonRow = tuple[int, Mapping[str, object]]
Parsed = TypeVar("Parsed")

# A string, or the escapes after a quotation mark that is never closed: if each of their quotation marks were
# tried as the beginning of a string, a line of them would take quadratic time.
_STRING: Final = r'"(?:[^"\\\n]++|\\.)*+"|(?:\\.)++'
# A string, or a quotation mark that is not closed on its line, or a bracket or comma of the list.
_TOKEN: Final = re.compile(_STRING + r'|["\[\]{},]')
_KEY_TOKEN: Final = re.compile(_STRING + r"|[\[\]{}:]")
_BRACKET: Final = re.compile(_STRING + r"|([\[\]{}])")
_BARE: Final = {
    ErrorCode.NOT_A_NUMBER: re.compile(_STRING + "|(NaN|-?Infinity)"),
    ErrorCode.NUMBER_TOO_LONG: re.compile(_STRING + rf"|(\d{{{limits.MAX_DIGITS},}})"),
}
"""Patterns, by error code, of values that the parser rejects without giving a position."""
_TEXTS_ALONE: Final = frozenset({str})
_FLAT_TYPES: Final = frozenset({str, list, int, bool, type(None)})
_SPACE: Final = " \t\r\n"
_MARK_AND_SPACE: Final = _SPACE + "\ufeff"
_NEAR_CHARS: Final = 20
_REPEATED: Final = frozenset(
    {"story", "story_id", "title", "task", "split", "domain", "language", "style", "types", "generators"}
)
"""Fields that often have the same value in many rows."""


def is_json_list(text: str) -> bool:
    """Return whether a text begins like a JSON list."""
    return text.lstrip(_SPACE).startswith("[")


def is_json(text: str) -> bool:
    """Return whether a text begins like a JSON list or object."""
    return text.lstrip(_SPACE).startswith(("[", "{"))


def is_too_deep(text: str) -> bool:
    """Return whether lists and objects nest deeper than allowed, determined without recursion."""
    return _locate(text)[1]


def has_more_values(text: str, most: int) -> bool:
    """Return whether a JSON text has more than `most` values and names, counted without parsing it."""
    if text.count(",") + text.count("[") + text.count("{") <= most:
        return False
    values = 0
    for token in _TOKEN.finditer(text):
        values += text[token.start()] in "[{,"
        if values > most:
            return True
    return False


def read_json_rows(text: str, errors: ErrorList) -> Iterator[JsonRow]:
    """Return an iterator of pairs of row and object; the row is the position in a list, or the line.

    Invalid values are added to the errors and skipped.
    """
    return _read_list(text, errors, _as_object) if is_json_list(text) else _read_lines(text, errors)


def read_json_values(text: str, errors: ErrorList) -> Iterator[tuple[int, object]]:
    """Yield each valid value with its row, like `read_json_rows`; a single object has row 1."""
    if is_json_list(text):
        yield from _read_list(text, errors, lambda value: value)
    elif _is_one_object(text):
        try:
            yield 1, _parse_whole(text)
        except InputError as refused:
            errors.refuse(refused)
    else:
        yield from _read_lines(text, errors)


def _is_one_object(text: str) -> bool:
    lines = (line for _, line in _lines(text))
    first, second = next(lines, ""), next(lines, "")
    return first.startswith("{") and not (first.endswith("}") and second.startswith("{"))


def _parse_whole(text: str) -> object:
    if has_more_values(text, limits.MAX_VALUES_PER_ROW):
        raise InputError(ErrorCode.TOO_MANY_VALUES, limit=limits.MAX_VALUES_PER_ROW)
    if is_too_deep(text):
        raise InputError(ErrorCode.TOO_DEEP, limit=limits.MAX_NESTING)
    try:
        return _parse(text.strip(_MARK_AND_SPACE))
    except json.JSONDecodeError as error:
        _refuse_syntax(text, error, error.lineno, error.colno)


def _read_list(
    text: str, errors: ErrorList, parse: Callable[[object], Parsed]
) -> Iterator[tuple[int, Parsed]]:
    row = 0
    try:
        for row, (start, end, depth) in enumerate(_elements(text), start=1):
            _check_number_of_rows(row, limits.MAX_ROWS)
            try:
                yield row, parse(_decode_element(text, start, end, depth))
            except InputError as refused:
                errors.add(row, refused.field, refused.code, **refused.params)
            if errors.full:
                return
    except InputError as refused:
        errors.add(row + 1, refused.field, refused.code, **refused.params)


def _elements(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, nesting depth) of the elements of a JSON list, split at commas.

    Raise InputError if the list does not end properly.
    """
    opening = text.index("[")
    depth, deepest, parts, start, is_first = 0, 0, 0, opening + 1, True
    for token in _TOKEN.finditer(text, opening):
        position, mark = token.start(), text[token.start()]
        depth += (mark in "[{") - (mark in "]}")
        deepest, parts = max(deepest, depth), parts + 1
        if parts > limits.MAX_VALUES_PER_ROW:
            raise InputError(ErrorCode.TOO_MANY_VALUES, limit=limits.MAX_VALUES_PER_ROW)
        if depth > 1 or (depth == 1 and mark != ","):
            continue
        is_empty_list = depth == 0 and is_first and not text[start:position].strip(_SPACE)
        if not is_empty_list:
            yield start, position, deepest - 1
        if depth == 0:
            if rest := text[position + 1 :].lstrip(_SPACE):
                line = text.count("\n", 0, len(text) - len(rest)) + 1
                raise InputError(ErrorCode.TEXT_AFTER_LIST, field=FILE, line=line)
            return
        deepest, parts, start, is_first = 1, 0, position + 1, False
    if deepest > limits.MAX_NESTING:
        raise InputError(ErrorCode.TOO_DEEP, limit=limits.MAX_NESTING)
    raise InputError(ErrorCode.UNCLOSED_LIST, field=FILE, line=text.count("\n") + 1)


def _decode_element(text: str, start: int, end: int, depth: int) -> object:
    fragment = text[start:end]
    if depth > limits.MAX_NESTING:
        raise InputError(ErrorCode.TOO_DEEP, field=_locate(fragment)[0], limit=limits.MAX_NESTING)
    try:
        return _decode(fragment)
    except json.JSONDecodeError as error:
        position = start + error.pos
        line = text.count("\n", 0, position) + 1
        _refuse_syntax(fragment, error, line, position - text.rfind("\n", 0, position))


def read_long_lines(path: Path, errors: ErrorList) -> Iterator[JsonRow]:
    """Yield the rows of a file that begins with an object, read line by line."""
    with path.open("rb") as file:
        lines = iter(partial(file.readline, limits.MAX_FILE_BYTES), b"")
        texts = (line.decode("utf-8", errors="surrogateescape").strip(_MARK_AND_SPACE) for line in lines)
        numbered = ((row, text) for row, text in enumerate(texts, start=1) if text)
        yield from _read_each(numbered, errors, limits.MAX_LONG_ROWS, is_json=True)


def read_lines_between(path: Path, start: int, end: int, before: int, errors: ErrorList) -> Iterator[JsonRow]:
    """Yield the rows of the lines between two bytes of a file, before which there are `before` lines."""
    with path.open("rb") as file:
        file.seek(start)
        lines = file.read(end - start).removesuffix(b"\n").split(b"\n")
    texts = (line.decode("utf-8", errors="surrogateescape").strip(_MARK_AND_SPACE) for line in lines)
    numbered = ((row, text) for row, text in enumerate(texts, start=before + 1) if text)
    yield from _read_each(numbered, errors, limits.MAX_LONG_ROWS, is_json=True)


def line_parts(path: Path, size: int, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Split a file at line ends into parts of about `size` bytes; return the start and end of each.

    With `start` and `end`, which are ends of lines, only the lines between them are split.
    """
    last = path.stat().st_size if end is None else end
    ends = [start]
    with path.open("rb") as file:
        while file.seek(ends[-1] + size) < last:
            file.readline()
            ends.append(file.tell())
    ends.append(last)
    return [part for part in pairwise(ends) if part[0] < part[1]]


def read_flat_lines(path: Path, start: int, end: int) -> Iterator[tuple[int, dict[str, object] | None]]:
    """Yield the line number and the object of each line of a part.

    Numbers begin at 1. The object is None if the line is no flat object, {} if the line is empty. For flat
    objects see `_flat_object`.
    """
    with path.open("rb") as file:
        file.seek(start)
        lines = file.read(end - start).removesuffix(b"\n").split(b"\n")
    for number, line in enumerate(lines, start=1):
        text = line.decode("utf-8", errors="surrogateescape").strip(_MARK_AND_SPACE)
        yield number, _flat_object(text) if text else {}


def with_known_texts(values: Mapping[str, object], known: dict[str, str]) -> dict[str, object]:
    """Copy a row's values, reusing the text objects of earlier rows."""
    found = dict(values)
    for name in _REPEATED:
        value = found.get(name)
        if isinstance(value, str):
            found[name] = known.setdefault(value, value)
        elif isinstance(value, list):
            found[name] = [known.setdefault(one, one) if isinstance(one, str) else one for one in value]
    return found


def _read_lines(text: str, errors: ErrorList) -> Iterator[JsonRow]:
    lines = (line for _, line in _lines(text))
    first, second = next(lines, ""), next(lines, "")
    if first.startswith("{") and not first.endswith("}") and second and not second.startswith("{"):
        errors.refuse(InputError(ErrorCode.WRONG_SHAPE, field=FILE))  # a single object over several lines
        return
    is_json = text.lstrip(_MARK_AND_SPACE).startswith("{")
    yield from _read_each(_lines(text), errors, limits.MAX_ROWS, is_json=is_json)


def _read_each(
    lines: Iterable[tuple[int, str]], errors: ErrorList, most_rows: int, *, is_json: bool
) -> Iterator[JsonRow]:
    sound = 0
    broken: list[tuple[int, InputError]] = []
    try:
        for row, line in lines:
            try:
                found = _parse_line(line, row)
            except InputError as refused:
                broken.append((row, refused))
            else:
                sound += 1
                _check_number_of_rows(sound, most_rows)
                yield row, found
            if errors.full or len(broken) > limits.MAX_ERRORS:
                break
    except InputError as refused:
        errors.refuse(refused)
    # Of a file that does not consist of lines of JSON at all, only the first line is reported.
    has_json = sound or is_json or any(error.code != ErrorCode.NOT_JSON for _, error in broken)
    for row, error in broken if has_json else broken[:1]:
        errors.add(row, error.field, error.code, **error.params)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers; only a line feed ends a line."""
    start, row = 0, 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        row += 1
        line = text[start:end].strip(_MARK_AND_SPACE)
        if line:
            yield row, line
        start = end + 1


def _check_number_of_rows(rows: int, most: int) -> None:
    if rows > most:
        raise InputError(ErrorCode.TOO_MANY_ROWS, field=FILE, limit=most)


def _parse_line(line: str, row: int) -> Mapping[str, object]:
    brackets = line.count("[") + line.count("{")
    if brackets + line.count(",") > limits.MAX_VALUES_PER_ROW:
        raise InputError(ErrorCode.TOO_MANY_VALUES, limit=limits.MAX_VALUES_PER_ROW)
    if brackets > limits.MAX_NESTING and not _is_shallow(line):
        field, is_too_deep = _locate(line)
        if is_too_deep:
            raise InputError(ErrorCode.TOO_DEEP, field=field, limit=limits.MAX_NESTING)
    try:
        return _parse(line)
    except json.JSONDecodeError as error:
        _refuse_syntax(line, error, row, error.colno)


def _parse(fragment: str) -> Mapping[str, object]:
    return _as_object(_decode(fragment))


def _as_object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise InputError(ErrorCode.NOT_AN_OBJECT, found=json_excerpt(value))
    return value


def _decode(fragment: str) -> object:
    flat = _flat_object(fragment)
    if flat is not None:
        return flat
    if stray := first_stray(fragment):
        position, byte = stray
        raise InputError(ErrorCode.NOT_UTF8, field=_locate(fragment, position)[0], byte=byte)
    try:
        value: object = _DECODER.decode(fragment)
    except InputError as refused:
        if bare := _BARE.get(refused.code):
            position = next((token.start() for token in bare.finditer(fragment) if token[1]), 0)
            refused.field = _locate(fragment, position)[0]
        raise
    return value


def _flat_object(fragment: str) -> dict[str, object] | None:
    """Parse a flat JSON object; return None for anything else.

    A flat object has only texts, whole numbers, truth values, nulls and lists of texts. Nearly all rows are
    of this form, and orjson reads them several times as fast as `json`. It rejects the same input as `json`
    and `_DECODER`, except that it takes the last of two members with the same name: then the text has more
    quotation marks than its names and texts account for, and the result is None. Whole numbers too long for
    orjson become floats, which also give None.
    """
    try:
        found = orjson.loads(fragment)
    except ValueError:
        return None
    if type(found) is not dict:
        return None
    kinds = [*map(type, found.values())]
    if not _FLAT_TYPES.issuperset(kinds):
        return None
    texts = len(found) + kinds.count(str)
    if list in kinds:
        for value in found.values():
            if type(value) is list:
                if not _TEXTS_ALONE.issuperset(map(type, value)):
                    return None
                texts += len(value)
    marks = fragment.count('"')
    if "\\" in fragment:
        if "\\\\" in fragment:  # a backslash before a quotation mark may belong to the text
            return None
        marks -= fragment.count('\\"')
    return found if marks == 2 * texts else None


def _refuse_syntax(fragment: str, error: json.JSONDecodeError, line: int, column: int) -> NoReturn:
    """Raise InputError for a syntax error of the JSON parser, with the field in which it occurred."""
    field, _ = _locate(fragment, error.pos)
    char = fragment[error.pos : error.pos + 1]
    if error.msg.startswith("Invalid control character") and char not in _SPACE:
        raise InputError(ErrorCode.CONTROL_CHARACTER, field=field, character=code_point(char)) from error
    rest_of_line = fragment[error.pos :].lstrip(_SPACE).partition("\n")[0]
    near = excerpt(rest_of_line[:_NEAR_CHARS].strip())
    raise InputError(ErrorCode.NOT_JSON, field=field, line=line, column=column, near=near) from error


def _is_shallow(fragment: str) -> bool:
    """Return whether brackets nest no deeper than `MAX_NESTING`; faster than `_locate`."""
    brackets = "".join(_BRACKET.findall(fragment))
    for _level in range(limits.MAX_NESTING):
        if not brackets:
            break
        brackets = brackets.replace("[]", "").replace("{}", "")
    return not brackets


def _locate(fragment: str, end: int | None = None) -> tuple[str, bool]:
    """Return the field that contains position `end`, and whether brackets before it nest too deep."""
    depth, string, field = 0, "", ROW
    for token in _KEY_TOKEN.finditer(fragment, 0, len(fragment) if end is None else end):
        mark = fragment[token.start()]
        depth += (mark in "[{") - (mark in "]}")
        if depth > limits.MAX_NESTING:
            return field, True
        if depth == 1 and mark == '"':
            string = token[0][1:-1]
        elif depth == 1 and mark == ":":
            field = excerpt(string) or ROW
    return field, False


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the pairs as an object; raise InputError if a field occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise InputError(ErrorCode.DUPLICATE_FIELD, field=excerpt(name) or ROW)
            seen.add(name)
    return found


def _whole_number(digits: str) -> int:
    if len(digits) > limits.MAX_DIGITS:
        raise InputError(ErrorCode.NUMBER_TOO_LONG, limit=limits.MAX_DIGITS)
    return int(digits)


def _no_number(name: str) -> NoReturn:
    raise InputError(ErrorCode.NOT_A_NUMBER, found=name)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole_number, parse_constant=_no_number
)
