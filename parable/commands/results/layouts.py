"""Formats tables as CSV, Markdown and LaTeX, and as texts for a page."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, cast

from parable.commands.results.numbers import NOTHING, decimal, p_value, percent
from parable.commands.results.words import word
from parable.formats import table_writer
from parable.psychometrics.results.tables import (
    PEOPLE,
    RANDOM,
    REVIEWERS,
    UNEQUAL,
    Cell,
    Column,
    Kind,
    Row,
    Table,
)
from parable.sentences import translate

CSV_DIGITS: Final = 4
MOST_NAMED: Final = 6
"""Maximum number of models that a sentence names."""
_SIGNED: Final = re.compile(r"[+-][0-9]+(\.[0-9]+)?")
_UNSIGNED: Final = ("spread", "distance", "least")
_WITH_INTERVAL: Final = (Kind.SHARE, Kind.POINTS)


@dataclass(frozen=True, slots=True)
class CellText:
    """The text of a cell: the value, and its interval if it has one."""

    text: str
    interval: str = ""
    is_number: bool = True

    def __str__(self) -> str:
        return f"{self.text} [{self.interval}]" if self.interval else self.text


def heading(column: Column, language: str) -> str:
    """Return the heading of a column, with its number of items if this differs between columns."""
    message = word(f"column_{column.code}", language)
    named = (
        message % {"of": word(column.of, language)}
        if "%(of)s" in message
        else (f"{message}: {word(column.of, language)}" if column.of else message)
    )
    return named if column.n is None else f"{named} (n = {column.n})"


def about(table: Table, language: str) -> str:
    """Return the sentences that describe a table."""
    said = [word(f"{table.code}_about", language) % table.params]
    if any(column.code == "score" for column in table.columns):
        said.append(word("score_about", language))
    if REVIEWERS in table.params:
        said.append(word("reviewers_about", language) % table.params[REVIEWERS])
    if table.params.get(UNEQUAL):
        said.append(_unequal(table, language))
    return " ".join(said)


def _unequal(table: Table, language: str) -> str:
    """Return a warning that values from different items are not comparable; it names the models."""
    named = [
        word("unequal_model", language)
        % {"task": word(task, language), "model": model, "asked": asked, "items": items}
        for task, model, asked, items in table.params[UNEQUAL]
    ]
    more = len(named) - MOST_NAMED
    models = word("list_separator", language).join(named[:MOST_NAMED]) + (" …" if more > 0 else "")
    return word("unequal_about", language) % {"models": models}


def cells(table: Table, row: Row, language: str) -> list[CellText]:
    """Return the cells of a row as texts; people, and examinees that drafted options, are marked."""
    marks = {name: _marks(table, row, name, language) for name in row.cells[:2] if isinstance(name, str)}
    return [
        _shown(column, cell, language, marks) for column, cell in zip(table.columns, row.cells, strict=True)
    ]


def _marks(table: Table, row: Row, name: str, language: str) -> str:
    """Return the suffix of an examinee's name, which marks people and drafters of options.

    If the rows compare two examinees, the table's parameters say which of them are marked.
    """
    is_pair = "drafters" in table.params
    are_people = name in table.params["people"] if is_pair else row.kind == PEOPLE
    has_drafted = name in table.params["drafters"] if is_pair else row.has_drafted
    return (word("people_mark", language) if are_people else "") + (
        word("drafted_mark", language) if has_drafted else ""
    )


def _shown(column: Column, cell: Cell, language: str, marks: Mapping[str, str]) -> CellText:
    if column.kind in {Kind.NAME, Kind.CODE}:
        is_own = column.kind == Kind.NAME and cell not in {RANDOM, REVIEWERS}
        named = str(cell) if is_own else word(str(cell), language)
        return CellText(named + (marks[str(cell)] if column.kind == Kind.NAME else ""), is_number=False)
    if column.kind == Kind.TEXT:
        return CellText(str(cell) or NOTHING)
    if column.kind == Kind.SENTENCE:
        return CellText(translate(str(cell), language) if cell else "", is_number=False)
    if isinstance(cell, tuple):
        value, low, high = cell
        if low is None or high is None:
            return CellText(_signed(column, value))
        return CellText(_signed(column, value), f"{percent(low)}, {percent(high)}")
    if cell is None:
        return CellText(NOTHING)
    if column.kind == Kind.COUNT or (column.kind == Kind.FIGURE and isinstance(cell, int)):
        return CellText(str(cell))
    number = cast("float", cell)
    return CellText(p_value(number) if column.kind == Kind.P_VALUE else decimal(number))


def _signed(column: Column, value: float | None) -> str:
    said = percent(value)
    is_difference = column.kind == Kind.POINTS and column.code not in _UNSIGNED
    return f"+{said}" if is_difference and value is not None and value > 0 and float(said) else said


def as_csv(table: Table, language: str) -> bytes:
    """Return the table as CSV, with shares in percent, and bounds in separate columns."""
    headings: list[str] = []
    for column in table.columns:
        said = heading(column, language)
        headings.append(said)
        if column.kind in _WITH_INTERVAL:
            headings += [word(end, language) % {"column": said} for end in ("low", "high")]
    rows = [list(_csv_row(table, row, language)) for row in table.rows]
    return table_writer.write_csv(table_writer.Sheet(table.code, headings, rows))


def _csv_row(table: Table, row: Row, language: str) -> Iterator[table_writer.Cell]:
    for column, cell, text in zip(table.columns, row.cells, cells(table, row, language), strict=True):
        if isinstance(cell, tuple):
            yield from (None if one is None else round(100 * one, CSV_DIGITS) for one in cell)
        elif column.kind in {Kind.NAME, Kind.CODE, Kind.SENTENCE}:
            yield text.text
        elif column.kind == Kind.TEXT:
            # a number with a sign would be defused as a formula
            yield float(str(cell)) if _SIGNED.fullmatch(str(cell)) else str(cell)
        else:
            yield round(cell, 6) if isinstance(cell, float) else cell


def as_markdown(table: Table, language: str) -> str:
    """Return the table as Markdown under its title and description."""
    texts = {Kind.NAME, Kind.CODE, Kind.SENTENCE}
    lines = [
        f"## {word(table.code, language)}",
        "",
        about(table, language),
        "",
        _markdown_row(heading(column, language) for column in table.columns),
        _markdown_row("---" if column.kind in texts else "---:" for column in table.columns),
        *(_markdown_row(_escaped(str(text)) for text in cells(table, row, language)) for row in table.rows),
    ]
    if table.has_drafters:
        lines += ["", _escaped(word("drafted_note", language))]
    return "\n".join(lines) + "\n"


def _markdown_row(texts: Any) -> str:
    return "| " + " | ".join(texts) + " |"


def _escaped(text: str) -> str:
    """Return a text with escapes for characters that end a Markdown cell or are markup."""
    for sign in ("\\", "|", "*", "_", "`", "<"):
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


_TEX: Final[Mapping[str, str]] = MappingProxyType(
    {
        "\\": r"\textbackslash{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "×": r"$\times$",
    }
)


def as_latex(table: Table, language: str) -> str:
    """Return a `table` with `booktabs` rules; Chinese text needs XeLaTeX or LuaLaTeX with ctex."""
    shape = "".join("l" if column.kind in {Kind.NAME, Kind.CODE} else "r" for column in table.columns)
    note = f" {word('drafted_note', language)}" if table.has_drafters else ""
    lines = [
        *(r"\begin{table}", r"\centering", r"\small", f"\\begin{{tabular}}{{{shape}}}", r"\toprule"),
        _latex_row(_tex(heading(column, language)) for column in table.columns),
        r"\midrule",
        *(_latex_row(_tex(str(text)) for text in cells(table, row, language)) for row in table.rows),
        *(r"\bottomrule", r"\end{tabular}"),
        f"\\caption{{{_tex(about(table, language) + note)}}}",
        *(f"\\label{{tab:{table.code}}}", r"\end{table}"),
    ]
    return "\n".join(lines) + "\n"


def _latex_row(texts: Any) -> str:
    return " & ".join(texts) + r" \\"


def _tex(text: str) -> str:
    return "".join(_TEX.get(char, char) for char in text)


Layout = Callable[[Table, str], bytes]
LAYOUTS: Final[Mapping[str, Layout]] = MappingProxyType(
    {
        "csv": as_csv,
        "md": lambda table, language: as_markdown(table, language).encode(),
        "tex": lambda table, language: as_latex(table, language).encode(),
    }
)
"""Functions that format a table, by file ending."""

__all__ = ["LAYOUTS", "CellText", "about", "as_csv", "as_latex", "as_markdown", "cells", "heading"]
