"""Seeded samples of large sets, for tests that would take too long on all items."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from typing import Final

import numpy as np

from parable.formats.records import ItemRecord
from parable.kinds import codes_among
from parable.quality.gates.base import ItemSet, name_of, story_of
from parable.quality.gates.decision_rule import Measured
from parable.quality.gates.digests import Digests, digests
from parable.quality.gates.grams import Ints

MOST: Final = 50_000
"""The most items for gates that read each text many times; enough to detect an effect of two points."""
SEED: Final = 20_240_601


def sample(items: Sequence[ItemRecord], most: int = MOST) -> Sequence[ItemRecord]:
    """Return the items of randomly selected stories, in their order.

    Return all items if there are at most `most`.
    """
    if len(items) <= most:
        return items
    return [items[place] for place in draw(digests(map(story_of, items)), most).tolist()]


def draw(stories: Digests, most: int = MOST) -> Ints:
    """Return the positions of the items to read, given the digest of each item's story.

    Stories are taken by their digests, which are as good as random. The draw depends neither on the order of
    the items nor on where they are read, so that a set in slices gives the same sample.
    """
    if len(stories) <= most:
        return np.arange(len(stories))
    _names, of_item, counts = np.unique(stories, return_inverse=True, return_counts=True)
    taken = max(int(np.searchsorted(np.cumsum(counts), most, side="right")), 1)
    return np.flatnonzero(of_item < taken)


def sample_set(items: ItemSet, most: int = MOST) -> ItemSet:
    """Return the sample that gates read: keyed items of each task, or one item of a task without keys."""
    tasks = codes_among(item.task for item in items.items)
    of_task = (sample(items.keyed(task), most) or items.of_task(task)[:1] for task in tasks)
    chosen = tuple(item for own in of_task for item in own)
    typed = {name: items.as_typed[name] for name in map(name_of, chosen) if name in items.as_typed}
    return ItemSet(chosen, standard_stems=items.standard_stems, as_typed=typed)


def drawn_from(items: Sized, drawn: Sized) -> Mapping[str, int]:
    """Return the size of the set as detail of a result; {} if the sample has all items."""
    return {"sample_of": len(items)} if len(drawn) < len(items) else {}


def say_sampled(measured: Iterable[Measured], keyed: Mapping[str, int], drawn: ItemSet) -> list[Measured]:
    """Add the size of the whole set to the details of the measurements of a `sample_set`.

    `keyed` is the number of keyed items of each task in the whole set.
    """
    return [
        replace(
            one, detail={**one.detail, **drawn_from(range(keyed.get(one.task, 0)), drawn.keyed(one.task))}
        )
        for one in measured
    ]
