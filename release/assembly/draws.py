"""Reproducible random draws that depend only on the seed and the purpose of the draw.

`random.Random` is not used: its shuffles may change with the version of Python, and its later output can be
computed from its earlier output. The published keys of one split would then reveal the withheld keys of
another. Here each purpose has its own stream, and no stream reveals another.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

_WORD_BYTES: Final = 8
_WORD_SPAN: Final = 1 << (8 * _WORD_BYTES)

Thing = TypeVar("Thing")


class Draw:
    """A random stream for one purpose: HMAC-SHA256 of a counter, keyed by the seed."""

    def __init__(self, seed: str, purpose: str) -> None:
        self._words = _words(seed.encode(), purpose.encode())

    def below(self, bound: int) -> int:
        """Return a uniform random integer from 0 to `bound` - 1. Raise `ValueError` if `bound` is below 1."""
        if bound < 1:
            raise ValueError(bound)
        fair = _WORD_SPAN - _WORD_SPAN % bound
        word = next(self._words)
        while word >= fair:
            word = next(self._words)
        return word % bound

    def shuffled(self, things: Sequence[Thing]) -> list[Thing]:
        """Return the elements in a uniformly random order."""
        mixed = list(things)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed


def _words(seed: bytes, purpose: bytes) -> Iterator[int]:
    key = hmac.digest(hashlib.sha256(seed).digest(), purpose, "sha256")
    counter = 0
    while True:
        block = hmac.digest(key, counter.to_bytes(8, "big"), "sha256")
        for start in range(0, len(block), _WORD_BYTES):
            yield int.from_bytes(block[start : start + _WORD_BYTES], "big")
        counter += 1
