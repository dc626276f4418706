"""Selection of the items that get a second reviewer in a project with one review per item. Pure."""

from hashlib import blake2b
from typing import Final

LEAST_OVERLAP: Final = 200
OVERLAP_SHARE: Final = 0.1
ENOUGH_EXPECTED: Final = round(LEAST_OVERLAP / OVERLAP_SHARE)
"""With at least this many expected items, the share of items drawn for a second reviewer is constant."""


def wanted_overlap(items: int) -> int:
    """Return how many items two people must rate to measure agreement: a tenth, but at least 200 or all."""
    return min(items, max(LEAST_OVERLAP, round(OVERLAP_SHARE * items)))


def overlap_share(planned: int, submitted: int) -> float:
    """Return the probability that the `submitted`-th item of a project gets a second reviewer.

    Up to `planned` items, the share is constant. Beyond the plan, the share grows with the required overlap:
    1 up to `LEAST_OVERLAP` items, then 0 up to `ENOUGH_EXPECTED` items, then `OVERLAP_SHARE`.
    """
    if submitted <= planned:
        return wanted_overlap(planned) / planned
    if submitted <= LEAST_OVERLAP:
        return 1.0
    return OVERLAP_SHARE if submitted > ENOUGH_EXPECTED else 0.0


def is_drawn(project: int, item: int, share: float) -> bool:
    """Return whether an item gets a second reviewer if `share` of all items are to get one.

    A hash decides: it is unpredictable and stable, and a larger share draws all items of a smaller one, too.
    """
    digest = blake2b(f"{project}:{item}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) < share * 2**64
