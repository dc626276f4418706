"""The number by which addresses name a place: not that of its row.

Rows are numbered in the order they were made, and a practice item's is made when it is handed out: its number
would tell it from real places, which have long been there. In an address every number looks like any other.
"""

from functools import lru_cache
from hashlib import blake2b
from typing import Final

from django.conf import settings
from django.urls import register_converter
from django.urls.converters import IntConverter

HALF: Final = 26
"""Bits: both halves together stay below what every browser takes for a whole number."""
ROUNDS: Final = 4
_MASK: Final = (1 << HALF) - 1


@lru_cache(maxsize=1)
def _key(secret: str) -> bytes:
    return blake2b(secret.encode(), digest_size=32, person=b"places").digest()


def _mixed(half: int, turn: int) -> int:
    key = _key(settings.SECRET_KEY)
    digest = blake2b(half.to_bytes(4), digest_size=4, key=key, salt=bytes([turn])).digest()
    return int.from_bytes(digest) & _MASK


def shown_number(pk: int) -> int:
    """The number of a place or of a practice item in hand, as addresses show it."""
    left, right = pk >> HALF, pk & _MASK
    for turn in range(ROUNDS):
        left, right = right, left ^ _mixed(right, turn)
    return left << HALF | right


def row_number(shown: int) -> int:
    """What `shown_number` was made from."""
    left, right = shown >> HALF, shown & _MASK
    for turn in reversed(range(ROUNDS)):
        left, right = right ^ _mixed(left, turn), left
    return left << HALF | right


class PlaceNumber(IntConverter):
    """`<place:pk>` in a route: views get the row's number, addresses show the other."""

    def to_python(self, value: str) -> int:
        """The number of the row; none has one beyond two halves."""
        shown = int(value)
        if shown >> 2 * HALF:
            raise ValueError
        return row_number(shown)

    def to_url(self, value: int | str) -> str:
        """The number that is shown."""
        return str(shown_number(int(value)))


register_converter(PlaceNumber, "place")
