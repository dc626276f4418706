"""Accuracy with two intervals: for the same items answered again, and for other possible stories.

The accuracy is the same for both; its interval depends on the question. For the items of this benchmark, only
the model's variation between repeats is uncertain; for all stories that might have been written, the
selection of stories is uncertain, too. Source of the distinction: NIST AI 800-3, Expanding the AI Evaluation
Toolbox with Statistical Models (2026).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from parable.psychometrics.bootstrap import wilson_interval
from parable.psychometrics.results.accuracy import accuracy
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.sheets import Items, Mask, ResponseColumns
from parable.psychometrics.results.tables import Column, Kind, Row, Table, figure

_LEAST: Final = 1e-12


def benchmark_accuracy(sheet: ResponseColumns, items: Items, chosen: Mask) -> Estimate:
    """Return the accuracy on these items, with the interval for repeating the same items.

    This is Wilson's interval, with the effective number of answers derived from the variance between repeats
    of an item. There is no interval if an item has only one answer, or if no item has both right and wrong
    answers.
    """
    rows = chosen[sheet.item]
    if not rows.any():
        return Estimate(None)
    right = sheet.right[rows].astype(np.float64)
    of_item = np.unique(sheet.item[rows], return_inverse=True)[1]
    askings = np.bincount(of_item).astype(np.float64)
    share = np.bincount(of_item, weights=right) / askings
    value = float(right.mean())
    if askings.min() < 2:
        return Estimate(value)
    # (askings / all)^2 times the variance of an item's mean, s^2 / askings
    variance = float(np.sum(askings**2 / (askings - 1) * share * (1 - share))) / len(right) ** 2
    if variance < _LEAST:
        return Estimate(value)
    effective = value * (1 - value) / variance
    return Estimate(value, *wilson_interval(value * effective, effective))


def generality_table(items: Items, sheets: Sequence[ResponseColumns], tasks: Sequence[str]) -> Table:
    """Return the table of accuracies with both intervals and sample sizes, by examinee and task."""
    columns = (
        Column("examinee", Kind.NAME),
        Column("task", Kind.CODE),
        *(Column(code, Kind.COUNT) for code in ("items", "stories")),
        Column("askings", Kind.NUMBER),
        *(Column(code, Kind.SHARE) for code in ("benchmark", "generalised")),
    )
    rows = []
    for sheet in sheets:
        for task in tasks:
            chosen = items.of_task(task)
            found = accuracy(sheet, items, chosen)
            if found.asked:
                here = figure(benchmark_accuracy(sheet, items, chosen))
                counts = (found.items, found.stories, found.asked / found.items)
                cells = (sheet.name, task, *counts, here, figure(found.accuracy))
                rows.append(Row(cells, sheet.kind, sheet.has_drafted))
    return Table("generality", columns, tuple(rows))
