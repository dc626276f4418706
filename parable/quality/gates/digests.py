"""Hashes of texts that are the same in every process, unlike those of `hash`."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

import numpy as np
import numpy.typing as npt

Digests = npt.NDArray[np.uint64]

NONE: Final = np.uint64(0)
"""The digest of an empty text, which stands for a missing one."""
_BYTES: Final = 8


def digest(text: str) -> int:
    """Return a hash of 64 bits; 0 for an empty text."""
    return int.from_bytes(_hashed(text), "little") if text else 0


def digests(texts: Iterable[str]) -> Digests:
    """Return the digest of each text; equal texts that follow each other are hashed once."""
    found: list[bytes] = []
    last, hashed = "", bytes(_BYTES)
    for text in texts:
        if text != last:
            last, hashed = text, _hashed(text) if text else bytes(_BYTES)
        found.append(hashed)
    return np.frombuffer(b"".join(found), dtype="<u8").astype(np.uint64)


def _hashed(text: str) -> bytes:
    return blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=_BYTES).digest()
