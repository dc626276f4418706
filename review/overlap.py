"""Which items two people review where a project asks for one review an item. Pure."""

from hashlib import blake2b
from typing import Final

LEAST_OVERLAP: Final = 200
OVERLAP_SHARE: Final = 0.1
ENOUGH_EXPECTED: Final = round(LEAST_OVERLAP / OVERLAP_SHARE)
"""With so many items expected or more, the share drawn stays the same."""


def wanted_overlap(items: int) -> int:
    """How many items two people must rate before agreement can be judged: a tenth, at least 200."""
    return min(items, max(LEAST_OVERLAP, round(OVERLAP_SHARE * items)))


def overlap_share(planned: int, submitted: int) -> float:
    """How likely the item just submitted is drawn for a second reviewer; it is the `submitted`-th.

    While the plan holds, the same share of all. Beyond it every item more adds as much as it adds to what is
    wanted: all up to 200, then none until a tenth of them is more than 200, then a tenth.
    """
    if submitted <= planned:
        return wanted_overlap(planned) / planned
    if submitted <= LEAST_OVERLAP:
        return 1.0
    return OVERLAP_SHARE if submitted > ENOUGH_EXPECTED else 0.0


def is_drawn(project: int, item: int, share: float) -> bool:
    """Whether an item is among the share of its project's items that two people review.

    By a hash, so that nobody can guess it, the same item is always in or out, and a larger share takes
    in all that a smaller one did.
    """
    digest = blake2b(f"{project}:{item}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) < share * 2**64
