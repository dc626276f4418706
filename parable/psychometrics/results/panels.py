"""Agreement of the people of a panel, over their choices and over right and wrong answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from parable.psychometrics.agreement import Estimate, panel_agreement
from parable.psychometrics.results.sheets import FAILED, OUTCOMES, PEOPLE, Items, Mask, ResponseColumns
from parable.psychometrics.results.tables import Cell, Column, Kind, Row, Table

LEAST_ITEMS: Final = 10
"""The fewest items in common for which a kappa is computed; the jackknife needs as many stories."""
MOST_PEOPLE: Final = 12
"""The most people who are compared, those with most answers: they make 66 pairs."""
CHOICES: Final = "choices"
CORRECTNESS: Final = "correctness"
COMPARED: Final = (CHOICES, CORRECTNESS)
"""What is compared: the options that people chose, or whether they were right."""


def panel_table(items: Items, sheets: Sequence[ResponseColumns], tasks: Sequence[str]) -> Table:
    """Return the table of agreement of each panel: of all its people, of the mean of pairs, and of each pair.

    Only tasks answered with one option are compared. That somebody could not decide is a choice of its own.
    """
    columns = (
        Column("examinee", Kind.NAME),
        Column("task", Kind.CODE),
        Column("compared", Kind.CODE),
        Column("coefficient", Kind.CODE),
        Column("persons", Kind.TEXT),
        Column("items", Kind.COUNT),
        Column("agree", Kind.SHARE),
        *(Column(code, Kind.NUMBER) for code in ("kappa", "kappa_low", "kappa_high")),
    )
    rows = [
        Row((sheet.name, task, compared, *cells), sheet.kind)
        for sheet in sheets
        if sheet.kind == PEOPLE
        for task in tasks
        for compared in COMPARED
        for cells in _rows(sheet, items, items.of_task(task) & items.is_one, compared)
    ]
    return Table("panel", columns, tuple(rows), {"people": MOST_PEOPLE, "least": LEAST_ITEMS})


def _rows(sheet: ResponseColumns, items: Items, chosen: Mask, compared: str) -> Iterator[tuple[Cell, ...]]:
    """Yield the cells after `compared` for all people, the mean of pairs, and each pair with common items."""
    people, choices, rows = _choices(sheet, items, chosen, compared)
    if len(people) < 2:
        return
    categories = 2 if compared == CORRECTNESS else int(items.options[rows].max()) + 1
    found = panel_agreement(choices, items.story[rows].tolist(), categories=categories, least=LEAST_ITEMS)
    if not found.pairs:
        return
    yield ("fleiss", str(len(people)), found.fleiss.n, *_figures(found.fleiss.raw, found.fleiss.kappa))
    if len(found.pairs) > 1:
        yield ("light", str(len(people)), found.light.n, *_figures(None, found.light))
    for (one, other), pair in found.pairs.items():
        yield ("cohen", f"{people[one]} · {people[other]}", pair.n, *_figures(pair.raw, pair.kappa))


def _figures(raw: Estimate | None, kappa: Estimate) -> tuple[Cell, ...]:
    share = (raw.value, raw.low, raw.high) if raw else (None, None, None)
    return share, kappa.value, kappa.low, kappa.high


def _choices(
    sheet: ResponseColumns, items: Items, chosen: Mask, compared: str
) -> tuple[list[int], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return (numbers of people, their categories by person and item or -1, rows of the items).

    A person is a repeat of the run. Only people who answered something are included.
    """
    came = chosen[sheet.item] & (sheet.outcome != OUTCOMES.index(FAILED))
    numbers, counts = np.unique(sheet.repeat[came], return_counts=True)
    kept = np.sort(numbers[np.argsort(-counts, kind="stable")[:MOST_PEOPLE]])
    came &= np.isin(sheet.repeat, kept)
    rows, columns = np.unique(sheet.item[came], return_inverse=True)
    undecided = items.options[sheet.item[came]]
    value = sheet.right[came].astype(np.int64)
    if compared == CHOICES:
        value = np.where(sheet.choice[came] >= 0, sheet.choice[came], undecided)
    table = np.full((len(kept), len(rows)), -1, dtype=np.int64)
    table[np.searchsorted(kept, sheet.repeat[came]), columns] = value
    return kept.tolist(), table, rows
