"""Tables of the precision of a future evaluation, computed from present answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from parable.psychometrics.plans.components import Askings, components, story_sizes
from parable.psychometrics.plans.precision import design_of, least_difference, stories_needed
from parable.psychometrics.results.sheets import MODEL, Floats, Ints, Items, Mask, ResponseColumns
from parable.psychometrics.results.tables import Cell, Column, Kind, Row, Table, bare

VARIANCES: Final = ("model", "story", "item", "model_story", "model_item", "repeat")
_FEWEST_SHARED: Final = 0.5
"""The least share of items in common with the model that answered most; other models are left out."""


def askings(sheets: Sequence[ResponseColumns], items: Items, chosen: Mask) -> tuple[list[str], Askings]:
    """Return names and answers of the models that answered enough of the same items.

    A model must have answered at least `_FEWEST_SHARED` of the items of the model that answered most.
    """
    n = len(items.facts)
    found: dict[str, tuple[Floats, Ints]] = {}
    for sheet in sheets:
        if sheet.kind == MODEL:
            counted = np.bincount(sheet.item, weights=sheet.right.astype(np.float64), minlength=n)
            counts = np.bincount(sheet.item, minlength=n)[chosen].astype(np.int64)
            found[sheet.name] = counted[chosen].astype(np.float64), counts
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


def variance_table(items: Items, sheets: Sequence[ResponseColumns], tasks: Sequence[str]) -> Table:
    """Return the table of variance components, as shares of the variance, with a row per task.

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
            variances = [getattr(found, code) for code in VARIANCES]
            shares = [bare(None if one is None else one / found.total) for one in variances]
            rows.append(Row((task, *counts, *shares, found.total)))
            kept[task] = {"variances": found.as_json(), "sizes": story_sizes(shared), "models": len(names)}
    return Table("variance", columns, tuple(rows), {"of": kept})


def neighbour_table(items: Items, sheets: Sequence[ResponseColumns], tasks: Sequence[str]) -> Table:
    """Return the table of models adjacent by accuracy: the difference, and the items needed to detect it.

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
    common = (given.asked > 0).all(axis=0)
    if not common.any():  # models without a common item cannot be ordered
        return
    asked = given.asked * common
    accuracies = (given.share * asked).sum(axis=1) / np.maximum(asked.sum(axis=1), 1)
    order = np.argsort(-accuracies, kind="stable").tolist()
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
        needed = stories_needed(found, design, apart)
        yield (
            names[first],
            names[second],
            task,
            design.stories,
            bare(apart),
            bare(least_difference(found, design)),
            needed,
            None if needed is None else design.with_stories(needed).items,
        )
