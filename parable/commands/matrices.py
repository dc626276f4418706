"""Reads response matrices from files: CSV with a row per examinee, or JSON lines of py-irt."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from parable.formats.sources import is_spreadsheet, kind_of_other_file
from parable.psychometrics.responses import ResponseMatrix

MOST_BYTES: Final = 512 * 1024 * 1024
_NONE: Final = 2
_BYTES: Final = {
    **dict.fromkeys(("1", "1.0", "true"), 1),
    **dict.fromkeys(("0", "0.0", "false"), 0),
    **dict.fromkeys(("", "na", "n/a", "nan", "none", "null"), _NONE),
}
_SEPARATORS: Final = ",;\t"


class UnusableMatrixError(Exception):
    """Raised if a file is not a response matrix; the message names the file and, if known, line and field."""


def read_matrix(path: Path) -> ResponseMatrix:
    """Return a matrix from a CSV or JSON lines file; empty cells and NA are missing responses.

    Raise UnusableMatrixError if the file is not a response matrix.
    """
    text = text_of(path)
    lines = text.lstrip().startswith("{")
    names, rows = _from_json_lines(path, text) if lines else _from_csv(path, text)
    if not rows or not names:
        raise UnusableMatrixError(f"{path}: this file holds no responses.")
    cells = np.full((len(rows), len(names)), np.nan)
    for number, answers in enumerate(rows.values()):
        given = np.frombuffer(answers, dtype=np.uint8)
        cells[number, : len(given)] = np.where(given == _NONE, np.nan, given)
    return ResponseMatrix(tuple(rows), names, cells)


Rows = dict[str, bytes]
"""Answers by examinee, one byte per item (0, 1 or missing); a row may lack items that only later rows have.
"""


def text_of(path: Path) -> str:
    """Return the text of a file; raise UnusableMatrixError if it cannot be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UnusableMatrixError(f"{path}: larger than {MOST_BYTES // 2**20} MB.")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnusableMatrixError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        data = path.read_bytes()
        kind = kind_of_other_file(data) or ("Excel (XLSX)" if is_spreadsheet(data) else "")
        message = (
            f"is of the kind {kind}; save it as CSV" if kind else f"is not UTF-8 text (byte {error.start})"
        )
        raise UnusableMatrixError(f"{path}: {message}.") from error


def _from_csv(path: Path, text: str) -> tuple[tuple[str, ...], Rows]:
    lines = csv_lines(path, text)
    line, header = next(lines, (1, []))
    names = tuple(cell.strip() for cell in header[1:])
    _check_names(path, line, names)
    rows: Rows = {}
    for line, cells in lines:
        if len(cells) != len(header):
            raise UnusableMatrixError(
                f"{path}, line {line}: {len(cells)} cells, where the first line has {len(header)}."
            )
        answers = _values(cells[1:], names, f"{path}, line {line}")
        _add(rows, cells[0].strip(), answers, f"{path}, line {line}")
    return names, rows


def csv_lines(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each non-empty line with its number, split at the most frequent separator of the first line."""
    first = text.lstrip("\r\n").partition("\n")[0]
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=max(_SEPARATORS, key=first.count), strict=True
    )
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise UnusableMatrixError(f"{path}, line {reader.line_num}: broken CSV ({error}).") from error


def _check_names(path: Path, line: int, names: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for column, name in enumerate(names, start=2):
        if not name:
            raise UnusableMatrixError(f"{path}, line {line}, column {column}: the item has no name.")
        if name in seen:
            raise UnusableMatrixError(f"{path}, line {line}, column {column}: item {name!r} stands twice.")
        seen.add(name)


def _from_json_lines(path: Path, text: str) -> tuple[tuple[str, ...], Rows]:
    items: dict[str, int] = {}
    rows: Rows = {}
    for line, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        place = f"{path}, line {line}"
        subject, responses = _subject(written, place)
        values = _values(
            ["" if given is None else str(given) for given in responses.values()], tuple(responses), place
        )
        numbers = [items.setdefault(item, len(items)) for item in responses]
        answers = bytearray([_NONE]) * len(items)
        for number, value in zip(numbers, values, strict=True):
            answers[number] = value
        _add(rows, subject, bytes(answers), place)
    return tuple(items), rows


def _subject(written: str, place: str) -> tuple[str, dict[str, object]]:
    try:
        found = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise UnusableMatrixError(f"{place}: is not JSON ({error}).") from error
    if not isinstance(found, dict):
        raise UnusableMatrixError(f"{place}: is not an object.")
    subject, responses = found.get("subject_id"), found.get("responses")
    if not isinstance(subject, str | int) or isinstance(subject, bool):
        raise UnusableMatrixError(f"{place}, subject_id: names no examinee.")
    if not isinstance(responses, dict):
        raise UnusableMatrixError(f"{place}, responses: is not an object of items and 0 or 1.")
    return str(subject).strip(), responses


def _values(cells: Sequence[str], names: Sequence[str], place: str) -> bytes:
    """Return one byte for each cell; raise UnusableMatrixError for invalid values."""
    try:
        return bytes([_BYTES[cell] for cell in cells])
    except KeyError:  # in another notation
        plain = [cell.strip() for cell in cells]
    for cell, name in zip(plain, names, strict=True):
        if cell.lower() not in _BYTES:
            raise UnusableMatrixError(f"{place}, {name}: {cell[:40]!r} is neither 1, nor 0, nor empty.")
    return bytes([_BYTES[cell.lower()] for cell in plain])


def _add(rows: Rows, examinee: str, answers: bytes, place: str) -> None:
    if not examinee:
        raise UnusableMatrixError(f"{place}: the examinee has no name.")
    if examinee in rows:
        raise UnusableMatrixError(f"{place}: examinee {examinee!r} stands twice.")
    rows[examinee] = answers
