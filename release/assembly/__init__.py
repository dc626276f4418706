"""Assembly of a release. All functions are pure: the same items and seed give the same release."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from release.assembly.apportionment import NO_COUNTS
from release.assembly.assembly_items import (
    AssemblyItem,
    Cells,
    Placed,
    by_content,
    count_positions,
)
from release.assembly.extension import unchanged_order
from release.assembly.positions import draw_orders
from release.assembly.records import FrozenItem
from release.assembly.splits import BY_ITEM, BY_STORY, IN_THREE, MIXED, NO_TRAIN, RULES, SHARING, draw_splits

__all__ = [
    "BY_ITEM",
    "BY_STORY",
    "IN_THREE",
    "MIXED",
    "RULES",
    "SHARING",
    "AssemblyItem",
    "Cells",
    "Placed",
    "assemble",
    "count_positions",
]


NOTHING: Final[Mapping[int, FrozenItem]] = {}


def assemble(
    assembly_items: Iterable[AssemblyItem],
    *,
    rule: str,
    share: Fraction,
    seed: str,
    unchanged: Mapping[int, FrozenItem] = NOTHING,
    last_number: int = 0,
    dev_items: Mapping[str, int] = NO_COUNTS,
    out_stories: int = 0,
    train: Fraction = NO_TRAIN,
) -> list[Placed]:
    """Return every item with its number, its split and the order of its options, sorted by number.

    The same items and seed give the same result, in whatever order the items are given. New items are
    numbered in content order, after `last_number`. `unchanged` has the items of an earlier release by handle:
    they keep their number, id, split and order. For `dev_items`, `out_stories` and `train`, see
    `draw_splits`.
    """
    ordered = by_content(assembly_items)
    known = {index: unchanged[item.handle] for index, item in enumerate(ordered) if item.handle in unchanged}
    sides = {index: place.split for index, place in known.items()}
    splits = draw_splits(
        ordered,
        rule=rule,
        share=share,
        seed=seed,
        unchanged=sides,
        dev_items=dev_items,
        out_stories=out_stories,
        train=train,
    )
    stayed = {index: unchanged_order(ordered[index], place, seed) for index, place in known.items()}
    orders = draw_orders(
        ordered, splits, seed, {index: order for index, order in stayed.items() if order is not None}
    )
    placed = []
    for index, item in enumerate(ordered):
        place = known.get(index)
        if place is None:
            last_number += 1
        number, public_id = (place.number, place.public_id) if place else (last_number, "")
        placed.append(Placed(item, number, splits[index], orders[index], public_id))
    return sorted(placed, key=lambda one: one.number)
