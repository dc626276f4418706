"""Which texts are nearly the same, found without comparing all with all: an index of least hashes.

A text is the set of its overlapping pieces; the set becomes 64 numbers, the least hash in each of 64 bins
(one permutation hashing, Li, Owen and Zhang 2012, empty bins filled as Shrivastava and Li 2014 do). Texts
whose numbers agree in one of 16 bands of four are candidates: that finds nine in ten of those that share two
thirds of their pieces. All of it is done by arrays, some million characters at a time.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

BINS: Final = 64
ROWS: Final = 4
WIDE: Final = 3
NARROW: Final = 5
"""Characters of a piece where the text is mostly Chinese, and elsewhere."""
MOST_CHARACTERS: Final = 20_000
"""Of each text; what differs after that many is not seen."""
MOST_IN_A_BUCKET: Final = 40
"""Of more texts that agree in a band each is compared with its neighbours only: a thousand alike are a
thousand pairs then, not half a million."""

MOST_COMPARED: Final = 200_000
"""Pairs whose pieces are compared: what an index finds beyond them is not looked at."""
MOST_WHOLLY: Final = 200_000
"""Characters in all, up to which texts are compared all with all."""

_CHUNK: Final = 2_000_000
_EMPTY: Final = np.uint32(0xFFFFFFFF)
_FIRST_WIDE: Final = 0x2E80
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)

Signatures = npt.NDArray[np.uint32]
Array = npt.NDArray[Any]


def letters(text: str) -> str:
    """The text as far as it says something: no spaces, punctuation, width or case."""
    return "".join(char for char in _folded(text) if char.isalnum())


def pieces(text: str) -> set[str]:
    """Overlapping pieces: of three characters where the text is mostly Chinese, else of five."""
    said = letters(text)
    wide = sum(char > "\u2e80" for char in said)
    size = WIDE if wide * 2 > len(said) else NARROW
    return {said[start : start + size] for start in range(max(len(said) - size + 1, 1))}


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:MOST_CHARACTERS]).casefold()


def share(one: set[str], other: set[str]) -> float:
    """The share of the pieces of two texts that both have (Jaccard), from 0 to 1."""
    return len(one & other) / len(one | other) if one or other else 1.0


def near_pairs(
    texts: Sequence[str], least: float, sides: Sequence[bool] | None = None
) -> Iterator[tuple[int, int, float]]:
    """The pairs that share at least `least` of their pieces, each once; with `sides` one from each side."""
    pairs = len(texts) * (len(texts) - 1) // 2
    if pairs <= MOST_COMPARED and sum(map(len, texts)) <= MOST_WHOLLY:
        return _all_pairs(texts, least, sides)
    return _likely_pairs(texts, least, sides)


def _all_pairs(
    texts: Sequence[str], least: float, sides: Sequence[bool] | None
) -> Iterator[tuple[int, int, float]]:
    sizes: list[int] = []
    texts_with: dict[str, list[int]] = {}
    for second, text in enumerate(texts):
        own = pieces(text)
        common: Counter[int] = Counter()
        for piece in own:
            places = texts_with.setdefault(piece, [])
            common.update(places)
            places.append(second)
        for first, both in common.items():
            alike = both / (sizes[first] + len(own) - both)
            if alike >= least and (sides is None or sides[first] != sides[second]):
                yield first, second, alike
        sizes.append(len(own))


def _likely_pairs(
    texts: Sequence[str], least: float, sides: Sequence[bool] | None
) -> Iterator[tuple[int, int, float]]:
    seen: set[tuple[int, int]] = set()
    for one, other in candidates(signatures(texts), None if sides is None else np.array(sides)):
        pair = min(one, other), max(one, other)
        if pair in seen:
            continue
        if len(seen) >= MOST_COMPARED:
            return
        seen.add(pair)
        alike = share(pieces(texts[one]), pieces(texts[other]))
        if alike >= least:
            yield *pair, alike


def signatures(texts: Sequence[str]) -> Signatures:
    """The 64 numbers of each text; all `_EMPTY` where it says nothing."""
    found = np.full((len(texts), BINS), _EMPTY, dtype=np.uint32)
    for start, chunk in _chunks(texts):
        _sign(chunk, found[start : start + len(chunk)])
    _fill(found)
    return found


def _chunks(texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    chunk: list[str] = []
    start, size = 0, 0
    for place, text in enumerate(texts):
        folded = _folded(text)
        chunk.append(folded)
        size += len(folded)
        if size >= _CHUNK:
            yield start, chunk
            start, chunk, size = place + 1, [], 0
    if chunk:
        yield start, chunk


@cache
def _alphanumeric() -> npt.NDArray[np.bool_]:
    """Whether each code point is a letter or a number."""
    return np.fromiter((chr(code).isalnum() for code in range(0x110000)), np.bool_, 0x110000)


def _sign(folded: Sequence[str], out: Signatures) -> None:
    """Write the least hashes of some texts into their rows."""
    points = np.frombuffer("".join(folded).encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    owners = np.repeat(np.arange(len(folded)), [len(text) for text in folded])
    said = _alphanumeric()[points]
    points, owners = points[said], owners[said]
    lengths = np.bincount(owners, minlength=len(folded))
    wide = np.bincount(owners, weights=points > _FIRST_WIDE, minlength=len(folded))
    sizes = np.where(wide * 2 > lengths, WIDE, NARROW)
    within = np.arange(len(points)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    for size in (WIDE, NARROW):
        starts = (sizes == size)[owners] & (within < np.maximum(lengths - size + 1, 1)[owners])
        _keep_least(points, owners, np.flatnonzero(starts), size, lengths, within, out)


def _keep_least(
    points: Array, owners: Array, starts: Array, size: int, lengths: Array, within: Array, out: Signatures
) -> None:
    """Hash the pieces of so many characters that begin at these places; each bin keeps the least hash."""
    hashes = np.zeros(len(starts), dtype=np.uint64)
    for step in range(size):
        at = np.minimum(starts + step, len(points) - 1)
        inside = within[starts] + step < lengths[owners[starts]]  # a text shorter than a piece is one piece
        hashes = _mixed(hashes ^ (np.where(inside, points[at], 0).astype(np.uint64) + _MIX))
    bins = owners[starts] * BINS + (hashes >> np.uint64(58)).astype(np.int64)
    np.minimum.at(out.reshape(-1), bins, hashes.astype(np.uint32))


def _mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Spread the bits of each value over all (the end of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _fill(found: Signatures) -> None:
    """An empty bin borrows from the next that is not, so that short texts agree as often as they should."""
    for _round in range(2):  # what the last bins borrow stands in the first
        for place in range(BINS - 1, -1, -1):
            empty = found[:, place] == _EMPTY
            found[empty, place] = found[empty, (place + 1) % BINS]


def candidates(found: Signatures, sides: npt.NDArray[np.bool_] | None = None) -> Iterator[tuple[int, int]]:
    """Pairs of texts that agree in a band, some of them several times; with `sides` one from each side."""
    filled = np.flatnonzero(found[:, 0] != _EMPTY)
    for start in range(0, BINS, ROWS):
        keys = np.zeros(len(filled), dtype=np.uint64)
        for row in range(start, start + ROWS):
            keys = _mixed(keys ^ (found[filled, row].astype(np.uint64) + _MIX))
        for bucket in _buckets(keys):
            yield from _pairs(filled[bucket].tolist(), sides)


def _buckets(keys: npt.NDArray[np.uint64]) -> Iterator[Array]:
    """The places of equal keys, where there are two at least."""
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    starts = np.r_[0, ends]
    sizes = np.diff(np.r_[starts, len(keys)])
    for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        yield order[start : start + size]


def _pairs(bucket: list[int], sides: npt.NDArray[np.bool_] | None) -> Iterator[tuple[int, int]]:
    if sides is None:
        yield from pairs_in(bucket)
        return
    here = [place for place in bucket if sides[place]]
    there = [place for place in bucket if not sides[place]]
    if not here or not there:
        return
    if len(bucket) <= MOST_IN_A_BUCKET:
        yield from ((one, other) for one in here for other in there)
    else:
        yield from ((here[0], other) for other in there)
        yield from ((one, there[0]) for one in here)


def pairs_in(bucket: Sequence[int]) -> Iterator[tuple[int, int]]:
    """All pairs of a few texts; of many each with its neighbours."""
    yield from combinations(bucket, 2) if len(bucket) <= MOST_IN_A_BUCKET else pairwise(bucket)
