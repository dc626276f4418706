"""A seeded sample of a large set: what a test needs no more of, and could not look at in reasonable time."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from parable.formats.records import ItemRecord
from parable.quality.gates.base import story_of

MOST: Final = 50_000
"""So many items are looked at by gates that read every text many times: an effect of two points shows."""
SEED: Final = 20_240_601


def sample(items: Sequence[ItemRecord], most: int = MOST) -> Sequence[ItemRecord]:
    """All items in their order where they are no more than `most`, else those of stories drawn from them."""
    if len(items) <= most:
        return items
    numbers: dict[str, int] = {}
    of_item = np.fromiter(
        (numbers.setdefault(story_of(item), len(numbers)) for item in items), np.int64, len(items)
    )
    order = np.random.default_rng(SEED).permutation(len(numbers))
    counted = np.cumsum(np.bincount(of_item)[order])
    chosen = np.zeros(len(numbers), dtype=np.bool_)
    chosen[order[: max(int(np.searchsorted(counted, most, side="right")), 1)]] = True
    return [items[place] for place in np.flatnonzero(chosen[of_item]).tolist()]


def drawn_from(items: Sequence[ItemRecord], drawn: Sequence[ItemRecord]) -> Mapping[str, int]:
    """What a finding says where a sample was drawn: out of how many items."""
    return {"sample_of": len(items)} if len(drawn) < len(items) else {}
