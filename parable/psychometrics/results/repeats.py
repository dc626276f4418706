"""Consistency of an examinee's repeated answers."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from parable.psychometrics.results.clusters import share
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.sheets import FAILED, OUTCOMES, Floats, Ints, Items, Mask, ResponseColumns


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Inconsistency as shares of items, clustered by story, among items answered at least twice.

    `differ`: the probability that two askings of an item get different choices; `any_differ`: items with more
    than one choice; `flips`: items answered both right and wrong; `first_two`: items whose first two askings
    differ. Choices are compared by option, not by position; ambiguous, contradicting, unparsed and refused
    answers each count as a choice. `askings` is the mean number per item; `orders_vary` says whether an
    item's options were shown in different orders.
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

    With `same_order`, only askings with the options in the same order are compared, so that an item counts
    once for each order.
    """
    came = chosen[sheet.item] & (sheet.outcome != OUTCOMES.index(FAILED))
    order = np.argsort(sheet.repeat[came], kind="stable")  # within a repeat, rows are in the order asked
    item, turn = sheet.item[came][order], sheet.turn[came][order]
    categories = _categories(sheet)[came][order]
    groups = np.unique(np.stack([item, turn if same_order else 0 * turn]), axis=1, return_inverse=True)[1]
    found = _by_group(groups.ravel(), item, categories, sheet.right[came][order])
    if not len(found.item):
        return None
    stories = items.story[found.item]
    return Inconsistency(
        items=len(np.unique(found.item)),
        askings=float(found.askings.mean()),
        orders_vary=not same_order
        and (len(np.unique(np.stack([item, turn]), axis=1).T) > len(np.unique(item))),
        differ=share(found.differ, stories),
        any_differ=share((found.differ > 0).astype(np.float64), stories),
        flips=share(found.flips.astype(np.float64), stories),
        first_two=share(found.first_two.astype(np.float64), stories),
    )


def _categories(sheet: ResponseColumns) -> Ints:
    """Return a number for each option, and one for each outcome without a choice."""
    return np.where(sheet.choice >= 0, sheet.choice, -1 - sheet.outcome)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups of at least two answers, shape (groups,)."""

    item: Ints
    askings: Ints
    differ: Floats
    flips: Mask
    first_two: Mask


def _by_group(groups: Ints, item: Ints, categories: Ints, right: npt.NDArray[np.bool_]) -> _Groups:
    """Return how answers differ within each group of two or more; rows are in the order asked.

    `differ` is 1 - sum n(n-1) / (k(k-1)), where n of the group's k answers agree.
    """
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups) if len(groups) else np.zeros(0, dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    agree = _agreeing_pairs(groups, categories, len(sizes))
    rights = np.bincount(groups, weights=right, minlength=len(sizes))
    many = sizes > 1
    first = order[starts[many]]
    second = order[starts[many] + 1]
    k = sizes[many].astype(np.float64)
    return _Groups(
        item=item[first],
        askings=sizes[many],
        differ=1 - agree[many] / (k * (k - 1)),
        flips=np.asarray((rights[many] > 0) & (rights[many] < k)),
        first_two=np.asarray(categories[first] != categories[second]),
    )


def _agreeing_pairs(groups: Ints, categories: Ints, number: int) -> Floats:
    """Return the sum of n(n-1) over the choices of each group."""
    if not len(groups):
        return np.zeros(number)
    (owners, _choices), counts = np.unique(np.stack([groups, categories]), axis=1, return_counts=True)
    pairs = (counts * (counts - 1)).astype(np.float64)
    return np.bincount(owners, weights=pairs, minlength=number).astype(np.float64)
