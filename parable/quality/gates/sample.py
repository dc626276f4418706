"""A seeded sample of a large set: what a test needs no more of, and could not look at in reasonable time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from parable.formats.records import ItemRecord
from parable.kinds import codes_among
from parable.quality.gates.base import ItemSet, name_of, story_of
from parable.quality.gates.decision_rule import Measured

MOST: Final = 50_000
"""So many items are looked at by gates that read every text many times: an effect of two points shows."""
SEED: Final = 20_240_601


def sample(items: Sequence[ItemRecord], most: int = MOST) -> Sequence[ItemRecord]:
    """All items in their order where they are no more than `most`, else those of stories drawn from them."""
    if len(items) <= most:
        return items
    names = sorted({story_of(item) for item in items})  # so that the order of the items changes nothing
    numbers = {name: number for number, name in enumerate(names)}
    of_item = np.fromiter((numbers[story_of(item)] for item in items), np.int64, len(items))
    order = np.random.default_rng(SEED).permutation(len(numbers))
    counted = np.cumsum(np.bincount(of_item)[order])
    chosen = np.zeros(len(numbers), dtype=np.bool_)
    chosen[order[: max(int(np.searchsorted(counted, most, side="right")), 1)]] = True
    return [items[place] for place in np.flatnonzero(chosen[of_item]).tolist()]


def sample_set(items: ItemSet, most: int = MOST) -> ItemSet:
    """What gates that sample look at of a set: of the items of each task that are keyed, if there are any."""
    tasks = codes_among(item.task for item in items.items)
    of_task = (sample(items.keyed(task), most) or items.of_task(task)[:1] for task in tasks)
    chosen = tuple(item for own in of_task for item in own)
    typed = {name: items.as_typed[name] for name in map(name_of, chosen) if name in items.as_typed}
    return ItemSet(chosen, standard_stems=items.standard_stems, as_typed=typed)


def drawn_from(items: Sequence[ItemRecord], drawn: Sequence[ItemRecord]) -> Mapping[str, int]:
    """What a finding says where a sample was drawn: out of how many items."""
    return {"sample_of": len(items)} if len(drawn) < len(items) else {}


def say_sampled(measured: Iterable[Measured], whole: ItemSet, drawn: ItemSet) -> list[Measured]:
    """What a gate measured of a `sample_set`, as it would have said it of the whole."""
    return [
        replace(one, detail={**one.detail, **drawn_from(whole.keyed(one.task), drawn.keyed(one.task))})
        for one in measured
    ]
