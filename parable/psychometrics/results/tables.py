"""Tables as plain values, with codes for columns; names and number formats are added for display."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

from parable.psychometrics.results.estimates import Estimate


class Kind(StrEnum):
    """Types of a column's values, which determine their format."""

    NAME = "name"
    CODE = "code"
    COUNT = "count"
    SHARE = "share"
    POINTS = "points"
    NUMBER = "number"
    P_VALUE = "p_value"
    TEXT = "text"
    SENTENCE = "sentence"
    FIGURE = "figure"


PEOPLE: Final = "people"
"""The `kind` of rows about people."""
REVIEWERS: Final = "reviewers"
"""The name in the row of people who answered in review, before the release."""
RANDOM: Final = "random"
"""The `kind` of the row of blind guessing, and the name in this row."""
UNEQUAL: Final = "unequal"
"""The key in `Table.params` for models that got different items."""

Cell = str | int | float | None | tuple[float | None, float | None, float | None]
"""A name or code, a number, or a value with the lower and upper end of its interval."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its code, the type of its values, its subject, and the number of items.

    `of` is the subject: the task, type, style or letter that the column is about, or "".
    """

    code: str
    kind: str
    of: str = ""
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row about one or two examinees; `kind` is model, people or random."""

    cells: tuple[Cell, ...]
    kind: str = "model"
    has_drafted: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its code, columns and rows; `params` are values for its description."""

    code: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    params: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Return the table as plain values, as stored in JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Table":
        """Return the table from its stored form, the inverse of `as_json`."""
        rows: list[Row] = []
        for row in stored["rows"]:
            cells = tuple(tuple(cell) if isinstance(cell, list) else cell for cell in row["cells"])
            rows.append(Row(cells, row["kind"], row["has_drafted"]))
        return cls(
            code=stored["code"],
            columns=tuple(Column(**column) for column in stored["columns"]),
            rows=tuple(rows),
            params=stored.get("params", stored.get("told", {})),  # older rows say `told`
        )

    def column(self, code: str, of: str = "") -> int:
        """Return the index of a column. Raise ValueError if there is none."""
        return [(one.code, one.of) for one in self.columns].index((code, of))

    @property
    def has_drafters(self) -> bool:
        """Whether any row is about an examinee that drafted options of the set."""
        return any(row.has_drafted for row in self.rows)


def figure(found: Estimate) -> Cell:
    """Return a cell with an estimate's value and interval."""
    return found.value, found.low, found.high


def bare(value: float | None) -> Cell:
    """Return a cell with a value but no interval."""
    return value, None, None
