"""Reads CSV files with two columns, a name and its label, such as an examinee and their group."""

import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from parable.commands.matrices import UnusableMatrixError, csv_lines, text_of

_NAMED: Final = 8
"""Maximum number of names without a label that a message lists."""


def read_labels(path: Path, columns: tuple[str, str], known: Collection[str], named: str) -> dict[str, str]:
    """Return the label of each name in the file; raise UnusableMatrixError for unknown or repeated names.

    `columns` are the headings of name and label; `named` is the noun for a name in messages. Names of `known`
    without a label are reported on standard error.
    """
    lines = csv_lines(path, text_of(path))
    line, header = next(lines, (1, []))
    places = _places(path, line, [cell.strip().lower() for cell in header], columns)
    found: dict[str, str] = {}
    for line, cells in lines:
        if len(cells) != len(header):
            raise UnusableMatrixError(
                f"{path}, line {line}: {len(cells)} cells, where the first line has {len(header)}."
            )
        name, label = (cells[place].strip() for place in places)
        if problem := _problem(name, label, known, found, columns, named):
            raise UnusableMatrixError(f"{path}, line {line}, {problem}")
        found[name] = label
    if not found:
        raise UnusableMatrixError(f"{path}: this file names no {named}.")
    if missing := [name for name in known if name not in found]:
        some = ", ".join(sorted(missing)[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
        count = f"{len(missing)} of {len(known)} {named}s have no {columns[1]}"
        print(f"{path}: {count} in this file: {some}.", file=sys.stderr)
    return found


def _places(path: Path, line: int, header: list[str], columns: tuple[str, str]) -> list[int]:
    for name in columns:
        if header.count(name) != 1:
            both = " and ".join(columns)
            raise UnusableMatrixError(
                f"{path}, line {line}, {name}: the first line names the columns {both}, each once."
            )
    return [header.index(name) for name in columns]


def _problem(
    name: str,
    label: str,
    known: Collection[str],
    found: Mapping[str, str],
    columns: tuple[str, str],
    named: str,
) -> str:
    """Return the error in one line, beginning with its column; "" if there is none."""
    of_name, of_label = columns
    if not name:
        return f"{of_name}: the {named} has no name."
    if name not in known:
        return f"{of_name}: {named} {name[:40]!r} does not stand in the matrix."
    if name in found:
        return f"{of_name}: {named} {name[:40]!r} stands twice."
    return "" if label else f"{of_label}: the {named} has no {of_label}."
