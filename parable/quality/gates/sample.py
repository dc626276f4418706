"""A seeded sample of a large set, for tests that need no more and would take too long."""

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
    """Return all items in order if there are at most `most`, else those of stories drawn from them."""
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
    """Return the sample of a set that sampling gates read: of each task the keyed items, if any."""
    tasks = codes_among(item.task for item in items.items)
    of_task = (sample(items.keyed(task), most) or items.of_task(task)[:1] for task in tasks)
    chosen = tuple(item for own in of_task for item in own)
    typed = {name: items.as_typed[name] for name in map(name_of, chosen) if name in items.as_typed}
    return ItemSet(chosen, standard_stems=items.standard_stems, as_typed=typed)


def drawn_from(items: Sequence[ItemRecord], drawn: Sequence[ItemRecord]) -> Mapping[str, int]:
    """Return the number of items that a sample was drawn from, for a finding; {} if it has all."""
    return {"sample_of": len(items)} if len(drawn) < len(items) else {}


def say_sampled(measured: Iterable[Measured], whole: ItemSet, drawn: ItemSet) -> list[Measured]:
    """Return a gate's measurements of a `sample_set`, labelled as a sample of the whole."""
    return [
        replace(one, detail={**one.detail, **drawn_from(whole.keyed(one.task), drawn.keyed(one.task))})
        for one in measured
    ]
