"""Seeded samples of large sets, for tests that would take too long on all items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from parable.formats.records import ItemRecord
from parable.kinds import codes_among
from parable.quality.gates.base import ItemSet, name_of, story_of
from parable.quality.gates.decision_rule import Measured

MOST: Final = 50_000
"""The most items for gates that read each text many times; enough to detect an effect of two points."""
SEED: Final = 20_240_601


def sample(items: Sequence[ItemRecord], most: int = MOST) -> Sequence[ItemRecord]:
    """Return the items of randomly selected stories, in their order.

    Return all items if there are at most `most`.
    """
    if len(items) <= most:
        return items
    names = sorted({story_of(item) for item in items})  # makes the draw independent of the order of items
    numbers = {name: number for number, name in enumerate(names)}
    of_item = np.fromiter((numbers[story_of(item)] for item in items), np.int64, len(items))
    order = np.random.default_rng(SEED).permutation(len(numbers))
    counted = np.cumsum(np.bincount(of_item)[order])
    chosen = np.zeros(len(numbers), dtype=np.bool_)
    chosen[order[: max(int(np.searchsorted(counted, most, side="right")), 1)]] = True
    return [items[place] for place in np.flatnonzero(chosen[of_item]).tolist()]


def sample_set(items: ItemSet, most: int = MOST) -> ItemSet:
    """Return the sample that gates read: keyed items of each task, or one item of a task without keys."""
    tasks = codes_among(item.task for item in items.items)
    of_task = (sample(items.keyed(task), most) or items.of_task(task)[:1] for task in tasks)
    chosen = tuple(item for own in of_task for item in own)
    typed = {name: items.as_typed[name] for name in map(name_of, chosen) if name in items.as_typed}
    return ItemSet(chosen, standard_stems=items.standard_stems, as_typed=typed)


def drawn_from(items: Sequence[ItemRecord], drawn: Sequence[ItemRecord]) -> Mapping[str, int]:
    """Return the size of the set as detail of a result; {} if the sample has all items."""
    return {"sample_of": len(items)} if len(drawn) < len(items) else {}


def say_sampled(measured: Iterable[Measured], whole: ItemSet, drawn: ItemSet) -> list[Measured]:
    """Add the size of the whole set to the details of the measurements of a `sample_set`."""
    return [
        replace(one, detail={**one.detail, **drawn_from(whole.keyed(one.task), drawn.keyed(one.task))})
        for one in measured
    ]
