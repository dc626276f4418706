"""Compare published results with Parable's; without these, test whether a percentage is possible.

A percentage is possible if a whole number of right answers gives it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from parable.psychometrics.results.tables import RANDOM, Column, Kind, Row, Table

MOST_ASKINGS: Final = 9
"""The most answers per item that are tried when searching for the count behind a percentage."""
EQUAL: Final = "equal"
DIFFERS: Final = "differs"
POSSIBLE: Final = "possible"
MISSING: Final = "no_figure"
LEFT_OUT: Final = ("pairs", "replication")
"""Codes of tables that have no values to compare: their rows are pairs, or values of other tables."""
_EXACT: Final = 10
_PERCENTS: Final = (Kind.SHARE, Kind.POINTS)

Key = tuple[str, str, str, str]
"""The key of a value: table, row, task ("" if the table has none) and column."""


@dataclass(frozen=True, slots=True)
class Published:
    """A published value as printed, with its decimals; `n` is the number of items, if known."""

    table: str
    row: str
    task: str
    column: str
    printed: str
    n: int | None = None

    @property
    def key(self) -> Key:
        """The key of the value's cell."""
        return self.table, self.row, self.task, self.column

    @property
    def digits(self) -> int:
        """The number of decimals printed."""
        return len(self.printed.partition(".")[2])


@dataclass(frozen=True, slots=True)
class Compared:
    """A published value, and our value rounded to the same decimals; "" if we have no value.

    `count`: (right answers, all answers) that give the printed percentage; None if no count does, or if the
    number of items is unknown.
    """

    published: Published
    ours: str
    count: tuple[int, int] | None

    @property
    def result(self) -> str:
        """The code of the result: equal or different; without our value, possible or missing."""
        if not self.ours:
            return POSSIBLE if self.count else MISSING
        return EQUAL if Decimal(self.ours) == Decimal(self.published.printed) else DIFFERS

    @property
    def difference(self) -> str:
        """Our value minus the published value; "" if we have no value."""
        if not self.ours:
            return ""
        apart = Decimal(self.ours) - Decimal(self.published.printed)
        return f"{apart:+}" if apart else "0"


def compare(published: Iterable[Published], tables: Iterable[Table]) -> list[Compared]:
    """Compare each published value with ours; the case of row names is ignored."""
    ours = {folded(key): value for key, value in figures(tables).items()}
    compared: list[Compared] = []
    for one in published:
        value = ours.get(folded(one.key))
        count = whole_count(one.printed, one.n) if one.n else None
        compared.append(Compared(one, "" if value is None else as_printed(value, one.digits), count))
    return compared


def folded(key: Key) -> Key:
    """Return a key for look-ups, with the name of the row in case-folded form."""
    table, row, task, column = key
    return table, row.casefold(), task, column


def figures(tables: Iterable[Table]) -> dict[Key, float | None]:
    """Return all values of our tables by key, proportions in per cent; of equal keys, the first counts."""
    found: dict[Key, float | None] = {}
    for table in tables:
        for row in table.rows:
            for key, column, cell in zip(keys_of(table, row), table.columns, row.cells, strict=True):
                if key is not None:
                    found.setdefault(key, _value(column, cell))
    return found


def whole_count(printed: str, n: int) -> tuple[int, int] | None:
    """Return (right answers, all answers) that give a printed percentage of `n` items; None if impossible."""
    digits = len(printed.partition(".")[2])
    for askings in range(1, MOST_ASKINGS + 1):
        asked = n * askings
        count = round(float(printed) * asked / 100)
        if as_printed(100 * count / asked, digits) == as_printed(float(printed), digits):
            return count, asked
    return None


def as_printed(value: float, digits: int) -> str:
    """Round a value to this many decimals, halves up as in printed papers."""
    step = Decimal(1).scaleb(-digits)
    rounded = Decimal(repr(round(value, _EXACT))).quantize(step, ROUND_HALF_UP)
    return str(rounded or abs(rounded))


def replication_table(compared: Sequence[Compared]) -> Table:
    """Return the table that compares published values with ours."""
    columns = (
        *(Column(code, Kind.CODE) for code in ("in_table", "in_row", "in_task", "in_column")),
        *(Column(code, Kind.TEXT) for code in ("published", "ours", "apart", "whole_count")),
        Column("result", Kind.CODE),
    )
    codes = (EQUAL, DIFFERS, POSSIBLE, MISSING)
    counts = {code: sum(one.result == code for one in compared) for code in codes}
    rows: list[Row] = []
    for one in compared:
        # not as 5/8, which spreadsheets take for a date
        count = f"{one.count[0]} (n = {one.count[1]})" if one.count else ""
        rows.append(
            Row((*one.published.key, one.published.printed, one.ours, one.difference, count, one.result))
        )
    return Table("replication", columns, tuple(rows), {"figures": len(compared), **counts})


def keys_of(table: Table, row: Row) -> list[Key | None]:
    """Return the key of each cell of a row in published results; None for cells that are not comparable."""
    if table.code in LEFT_OUT or row.kind == RANDOM:
        return [None] * len(row.cells)
    codes = [column.code for column in table.columns]
    task = str(row.cells[codes.index("task")]) if "task" in codes[1:] else ""
    return [
        None
        if column.kind in {Kind.NAME, Kind.CODE, Kind.TEXT}
        else (table.code, str(row.cells[0]), task, name_of(column))
        for column in table.columns
    ]


def _value(column: Column, cell: object) -> float | None:
    value = cell[0] if isinstance(cell, tuple) else cell
    if not isinstance(value, int | float):
        return None
    return 100 * value if column.kind in _PERCENTS else value


def name_of(column: Column) -> str:
    """Return the name of a column in files of published results, such as `accuracy:moral`."""
    return f"{column.code}:{column.of}" if column.of else column.code
