"""Inconsistency of an examinee's repeated answers to the same item."""

from dataclasses import dataclass

import numpy as np

from parable.psychometrics.results.clusters import share
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.sheets import FAILED, OUTCOMES, Items, Mask, ResponseColumns


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Inconsistency of repeated answers, as proportions of the items answered at least twice.

    `differ`: the probability that two answers to an item have different choices; `any_differ`: items with
    more than one choice; `flips`: items answered both right and wrong; `first_two`: items whose first two
    answers differ. Intervals are clustered by story. Choices are compared by option, not by position;
    ambiguous, contradicting, unparsed and refused answers each count as a choice. `askings` is the mean
    number of answers per item; `orders_vary` is whether an item's options were displayed in different orders.
    """

    items: int
    askings: float
    orders_vary: bool
    differ: Estimate
    any_differ: Estimate
    flips: Estimate
    first_two: Estimate


def inconsistency(
    sheet: ResponseColumns, items: Items, chosen: Mask, *, same_order: bool = False
) -> Inconsistency | None:
    """Return how much an examinee's repeated answers vary; None if no item was answered twice.

    With `same_order`, only answers with the options in the same order are compared, so that an item counts
    once for each order.
    """
    came = chosen[sheet.item] & (sheet.outcome != OUTCOMES.index(FAILED))
    order = np.argsort(sheet.repeat[came], kind="stable")  # within a repeat, rows are in the order asked
    item, turn = sheet.item[came][order], sheet.turn[came][order]
    # a number for each option, and one for each outcome without a choice
    categories = np.where(sheet.choice >= 0, sheet.choice, -1 - sheet.outcome)[came][order]
    compared = np.stack([item, turn if same_order else 0 * turn])
    groups = np.unique(compared, axis=1, return_inverse=True)[1].ravel()
    sizes = np.bincount(groups) if len(groups) else np.zeros(0, dtype=np.int64)
    many = sizes > 1
    if not many.any():
        return None
    k = sizes[many].astype(np.float64)
    # the first and second answer of each group
    by_group, starts = np.argsort(groups, kind="stable"), (np.cumsum(sizes) - sizes)[many]
    first, second = by_group[starts], by_group[starts + 1]
    # Of the k(k-1) ordered pairs of a group's answers, n(n-1) agree for each category chosen n times.
    (owners, _categories), n = np.unique(np.stack([groups, categories]), axis=1, return_counts=True)
    agree = np.bincount(owners, weights=(n * (n - 1)).astype(np.float64), minlength=len(sizes))[many]
    differ = (1 - agree / (k * (k - 1))).astype(np.float64)
    rights = np.bincount(groups, weights=sheet.right[came][order], minlength=len(sizes))[many]
    stories = items.story[item[first]]
    return Inconsistency(
        items=len(np.unique(item[first])),
        askings=float(sizes[many].mean()),
        orders_vary=not same_order
        and (len(np.unique(np.stack([item, turn]), axis=1).T) > len(np.unique(item))),
        differ=share(differ, stories),
        any_differ=share((differ > 0).astype(np.float64), stories),
        flips=share(((rights > 0) & (rights < k)).astype(np.float64), stories),
        first_two=share((categories[first] != categories[second]).astype(np.float64), stories),
    )
