"""Tables of the precision of a future evaluation, computed from present answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from parable.psychometrics.plans.components import Askings, Components, components, story_sizes
from parable.psychometrics.plans.precision import Design, design_of, least_difference, stories_needed
from parable.psychometrics.results.sheets import MODEL, Floats, Ints, Items, Mask, ResponseColumns
from parable.psychometrics.results.tables import Cell, Column, Kind, Row, Table, bare

VARIANCES: Final = ("model", "story", "item", "model_story", "model_item", "repeat")
_FEWEST_SHARED: Final = 0.5
"""Least share of items in common with the model that was asked most; other models are left out."""


def askings(sheets: Sequence[ResponseColumns], items: Items, chosen: Mask) -> tuple[list[str], Askings]:
    """Return the names of models that share enough items (`_FEWEST_SHARED`), and their answers as rows."""
    found = {sheet.name: _of_items(sheet, items, chosen) for sheet in sheets if sheet.kind == MODEL}
    most = max((asked > 0 for _right, asked in found.values()), key=np.count_nonzero, default=chosen[:0])
    least = max(_FEWEST_SHARED * most.sum(), 1)
    filtered = {name: one for name, one in found.items() if (most & (one[1] > 0)).sum() >= least}
    asked = (
        np.stack([asked for _right, asked in filtered.values()])
        if filtered
        else np.zeros((0, 0), dtype=np.int64)
    )
    right = np.stack([right for right, _asked in filtered.values()]) if filtered else np.zeros((0, 0))
    return list(filtered), Askings(right / np.maximum(asked, 1), asked, items.story[chosen])


def _of_items(sheet: ResponseColumns, items: Items, chosen: Mask) -> tuple[Floats, Ints]:
    n = len(items.facts)
    right = np.bincount(sheet.item, weights=sheet.right.astype(np.float64), minlength=n)
    return right[chosen].astype(np.float64), np.bincount(sheet.item, minlength=n)[chosen].astype(np.int64)


def variance_table(items: Items, sheets: Sequence[ResponseColumns], tasks: Sequence[str]) -> Table:
    """Return a table with a row per task: each source's share of the variance.

    The parameter `of` has the variances themselves, by task, with the sizes of stories.
    """
    columns = (
        Column("task", Kind.CODE),
        *(Column(code, Kind.COUNT) for code in ("models", "items", "stories")),
        *(Column("variance", Kind.SHARE, code) for code in VARIANCES),
        Column("variance_whole", Kind.NUMBER),
    )
    rows, kept = [], {}
    for task in tasks:
        names, given = askings(sheets, items, items.of_task(task))
        found = components(given)
        if found is not None and found.total > 0:
            shared = given.stories[(given.asked > 0).all(axis=0)]
            counts = (len(names), len(shared), len(np.unique(shared)))
            rows.append(Row((task, *counts, *_shares(found), found.total)))
            kept[task] = {"variances": found.as_json(), "sizes": story_sizes(shared), "models": len(names)}
    return Table("variance", columns, tuple(rows), {"of": kept})


def _shares(found: Components) -> Iterator[Cell]:
    for code in VARIANCES:
        value = getattr(found, code)
        yield bare(None if value is None else value / found.total)


def neighbour_table(items: Items, sheets: Sequence[ResponseColumns], tasks: Sequence[str]) -> Table:
    """Return a table of models adjacent by accuracy: their difference, and what is needed to detect it.

    The parameters name the examinees that drafted options.
    """
    columns = (
        Column("first", Kind.NAME),
        Column("second", Kind.NAME),
        Column("task", Kind.CODE),
        Column("stories", Kind.COUNT),
        Column("distance", Kind.POINTS),
        Column("least", Kind.POINTS),
        Column("stories_needed", Kind.COUNT),
        Column("items_needed", Kind.COUNT),
    )
    rows = [Row(row) for task in tasks for row in _neighbours(items, sheets, task)]
    drafters = sorted({sheet.name for sheet in sheets if sheet.has_drafted})
    return Table("neighbours", columns, tuple(rows), {"drafters": drafters, "people": []})


def _neighbours(items: Items, sheets: Sequence[ResponseColumns], task: str) -> Iterator[tuple[Cell, ...]]:
    names, given = askings(sheets, items, items.of_task(task))
    if not (given.asked > 0).all(axis=0).any():  # models without a common item cannot be ordered
        return
    order = np.argsort(-_accuracies(given), kind="stable").tolist()
    for first, second in pairwise(order):
        pair = given.of_models([first, second])
        found = components(pair)
        if found is None:
            continue
        shared = (pair.asked > 0).all(axis=0)
        apart = float((pair.share[0] - pair.share[1])[shared].mean())
        design = design_of(
            story_sizes(pair.stories[shared]), max(1, round(float(pair.asked[:, shared].mean())))
        )
        yield (names[first], names[second], task, design.stories, bare(apart), *_needs(found, design, apart))


def _accuracies(given: Askings) -> Floats:
    """Return the accuracy of each model, over all answers, on the items that all models were asked."""
    asked = given.asked * (given.asked > 0).all(axis=0)
    return np.asarray((given.share * asked).sum(axis=1) / np.maximum(asked.sum(axis=1), 1), dtype=np.float64)


def _needs(found: Components, design: Design, apart: float) -> tuple[Cell, ...]:
    stories = stories_needed(found, design, apart)
    return (
        bare(least_difference(found, design)),
        stories,
        None if stories is None else design.with_stories(stories).items,
    )
