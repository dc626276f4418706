"""Reads rankings: for each narrative, proverbs by how well they fit, as an examinee says.

A row names a narrative, a proverb, and its rank (1 is best) or score (a log-probability: the highest is
best). In JSON, a row may have all proverbs of a narrative instead, best first, as the list `ranked`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from parable.formats import limits
from parable.formats.csv_reader import read_csv_rows
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, RowError, excerpt, listed
from parable.formats.json_reader import is_json, read_json_rows
from parable.formats.sources import decode, load

NARRATIVE: Final = "narrative"
PROVERB: Final = "proverb"
RANK: Final = "rank"
SCORE: Final = "score"
RANKED: Final = "ranked"
COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {name: name for name in (NARRATIVE, PROVERB, RANK, SCORE, RANKED)}
    | dict.fromkeys(("narrative_id", "pk", "id", "item_id"), NARRATIVE)
    | dict.fromkeys(("proverb_id", "quote", "quote_id"), PROVERB)
    | dict.fromkeys(("logprob", "log_probability", "probability"), SCORE)
)
"""The field that each column fills, by its name in lower case."""
MOST_ROWS: Final = 1_000_000
"""The most rows of a file: 2,500 narratives by 250 proverbs are 625,000."""


@dataclass(frozen=True, slots=True)
class Rankings:
    """The proverbs of each narrative, best first, by the names that the file gives them; {} if it has errors.

    `rows`: the row in which each narrative comes first.
    """

    ranked: Mapping[str, Sequence[str]]
    rows: Mapping[str, int]
    errors: tuple[RowError, ...] = ()


@dataclass(slots=True)
class _Found:
    """What the rows say so far: (place, proverb) by narrative, where a lower place is better."""

    placed: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)


def read_rankings(source: Path | bytes, *, name: str) -> Rankings:
    """Return the rankings of a CSV or JSON file.

    Of proverbs with equal places, the earlier row comes first.
    """
    errors, found = ErrorList(name), _Found()
    try:
        text = decode(load(source))
        for number, (row, values) in enumerate(_rows(text, errors), start=1):
            if number > MOST_ROWS:
                errors.replace_all(1, FILE, ErrorCode.TOO_MANY_ROWS, limit=MOST_ROWS)
            if number > MOST_ROWS or errors.full:
                break
            _take(row, values, found, errors)
    except InputError as refused:
        errors.refuse(refused)
    if not (found.placed or len(errors)):
        errors.add(1, FILE, ErrorCode.NO_ROWS)
    if len(errors):
        return Rankings({}, {}, errors.in_order())
    in_order = {
        one: tuple(proverb for _place, proverb in sorted(placed, key=lambda pair: pair[0]))
        for one, placed in found.placed.items()
    }
    return Rankings(in_order, found.rows)


def _rows(text: str, errors: ErrorList) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield each row with its number, and its values by field."""
    if is_json(text):
        for row, values in read_json_rows(text, errors):
            yield (
                row,
                {COLUMNS[name.lower()]: value for name, value in values.items() if name.lower() in COLUMNS},
            )
        return
    rows = read_csv_rows(text, errors, lambda column: column.strip().lower() in COLUMNS)
    _line, header = next(rows, (1, ()))
    names = [cell.strip() for cell in header if isinstance(cell, str)]
    fields = [COLUMNS.get(name.lower(), "") for name in names]
    for needed, others in ((NARRATIVE, ()), (PROVERB, ()), (SCORE, (RANK,))):
        if needed not in fields and not set(others) & set(fields):
            raise InputError(ErrorCode.MISSING_COLUMN, field=needed, column=needed, found=listed(names))
    for row, cells in rows:
        if len(cells) > len(fields):
            errors.add(row, FILE, ErrorCode.EXTRA_CELLS)
            continue
        values = dict(zip(fields, cells, strict=False))
        yield row, {name: cell for name, cell in values.items() if name and isinstance(cell, str)}


def _take(row: int, values: Mapping[str, object], found: _Found, errors: ErrorList) -> None:
    """Add what a row says, or its error."""
    try:
        narrative = _name(values.get(NARRATIVE), NARRATIVE)
        listing = values.get(RANKED)
        if isinstance(listing, list):
            given = [(float(place), _name(one, RANKED)) for place, one in enumerate(listing, start=1)]
        else:
            given = [(_place(values), _name(values.get(PROVERB), PROVERB))]
    except InputError as refused:
        errors.add(row, refused.field, refused.code, **refused.params)
        return
    found.rows.setdefault(narrative, row)
    found.placed.setdefault(narrative, []).extend(given)


def _name(value: object, name: str) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not text:
        raise InputError(ErrorCode.MISSING, field=name)
    if len(text) > limits.MAX_STEM_CHARS:
        raise InputError(ErrorCode.TOO_LONG, field=name, length=len(text), limit=limits.MAX_STEM_CHARS)
    return text


def _place(values: Mapping[str, object]) -> float:
    """Return the place of a proverb: its rank, or its score with the sign changed."""
    for name, sign in ((RANK, 1.0), (SCORE, -1.0)):
        value = values.get(name)
        if value is None or value == "":
            continue
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if isinstance(value, bool) or math.isnan(number):
            raise InputError(ErrorCode.NOT_DECIMAL, field=name, found=excerpt(str(value)))
        return sign * number
    raise InputError(ErrorCode.MISSING, field=SCORE)
