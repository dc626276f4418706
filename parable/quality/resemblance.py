"""Which texts of many are nearly the same: pieces of a few characters, MinHash, bands. Pure, bounded.

Each text becomes the set of its overlapping pieces, and the set 64 numbers (the least hash in each of 64
bins, one pass over the text). Texts whose numbers agree in one of 16 bands of four are compared by their
pieces; that finds nine in ten of those that share two thirds of them, without comparing all with all. A few
hundred short texts are compared all with all, so that none is missed.
"""

import unicodedata
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final, NamedTuple

LEAST: Final = 0.5
"""Texts that share less than half of their pieces are not reported."""
SAME_TITLE: Final = 0.1
"""Of two texts with one title so much is enough: a fable told anew shares more than two fables do."""
MOST_PAIRS: Final = 1000
MOST_CHARACTERS: Final = 20_000
"""Of each text; what differs after that many is not seen."""

_BINS: Final = 64
_ROWS: Final = 4
_MOST_IN_A_BUCKET: Final = 40
"""Of more texts that agree in a band each is compared with its neighbours only: a thousand alike are a
thousand pairs then, not half a million."""
_MOST_COMPARED: Final = 200_000
_MOST_WHOLLY: Final = 200_000
"""Characters in all, up to which texts are compared all with all."""
_EMPTY: Final = 0xFFFFFFFF


class Pair(NamedTuple):
    """Two texts by their places in the sequence, and the share of pieces that they have in common.

    `same_title` is known of stories only.
    """

    first: int
    second: int
    similarity: float
    same_title: bool = False


def similarity(one: str, other: str) -> float:
    """The share of the pieces of both texts that both have, from 0 to 1."""
    return _shared(_pieces(one), _pieces(other))


def similar_pairs(texts: Sequence[str], *, least: float = LEAST, most: int = MOST_PAIRS) -> list[Pair]:
    """The pairs that share at least `least` of their pieces, most alike first, at most `most` of them."""
    found = (_all_pairs if _are_few(texts) else _likely_pairs)(texts, least)
    return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))[:most]


def similar_stories(titles: Sequence[str], texts: Sequence[str]) -> list[Pair]:
    """The pairs that are probably wordings of one story, most alike first, at most `MOST_PAIRS`.

    Their texts are nearly the same, or their titles are the same and their texts at all alike.
    """
    names = [_letters(title) for title in titles]
    found = {
        pair[:2]: pair._replace(
            same_title=bool(names[pair.first]) and names[pair.first] == names[pair.second]
        )
        for pair in similar_pairs(texts)
    }
    for first, second in _of_one_title(names):
        if (first, second) not in found and len(found) < 2 * MOST_PAIRS:
            share = similarity(texts[first], texts[second])
            if share >= SAME_TITLE:
                found[first, second] = Pair(first, second, round(share, 3), same_title=True)
    return sorted(found.values(), key=lambda pair: (-pair.similarity, pair.first, pair.second))[:MOST_PAIRS]


def _of_one_title(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        if name:
            places.setdefault(name, []).append(place)
    for some in places.values():
        yield from _pairs_in(some)


def _are_few(texts: Sequence[str]) -> bool:
    pairs = len(texts) * (len(texts) - 1) // 2
    return pairs <= _MOST_COMPARED and sum(map(len, texts)) <= _MOST_WHOLLY


def _all_pairs(texts: Sequence[str], least: float) -> Iterator[Pair]:
    sizes: list[int] = []
    texts_with: dict[str, list[int]] = {}
    for second, text in enumerate(texts):
        pieces = _pieces(text)
        common: Counter[int] = Counter()
        for piece in pieces:
            places = texts_with.setdefault(piece, [])
            common.update(places)
            places.append(second)
        for first, both in common.items():
            share = both / (sizes[first] + len(pieces) - both)
            if share >= least:
                yield Pair(first, second, round(share, 3))
        sizes.append(len(pieces))


def _likely_pairs(texts: Sequence[str], least: float) -> Iterator[Pair]:
    for first, second in _candidates([_signature(text) for text in texts]):
        share = similarity(texts[first], texts[second])
        if share >= least:
            yield Pair(first, second, round(share, 3))


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def _letters(text: str) -> str:
    """The text as far as it says something: no spaces, punctuation, width or case."""
    folded = unicodedata.normalize("NFKC", text[:MOST_CHARACTERS]).casefold()
    return "".join(char for char in folded if char.isalnum())


def _pieces(text: str) -> set[str]:
    """Overlapping pieces: of three characters where the text is mostly Chinese, else of five."""
    letters = _letters(text)
    wide = sum(char > "\u2e80" for char in letters)
    size = 3 if wide * 2 > len(letters) else 5
    return {letters[start : start + size] for start in range(max(len(letters) - size + 1, 1))}


def _signature(text: str) -> "array[int]":
    bins = array("L", [_EMPTY]) * _BINS
    for piece in _pieces(text):
        value = zlib.crc32(piece.encode())
        place = value % _BINS
        bins[place] = min(bins[place], value)
    # an empty bin borrows from the next that is not, so that short texts agree as often as they should
    filled = [value for value in bins if value != _EMPTY]
    if filled:
        last = next(value for value in bins if value != _EMPTY)
        for place in range(_BINS - 1, -1, -1):
            if bins[place] == _EMPTY:
                bins[place] = last
            last = bins[place]
    return bins


def _candidates(signatures: "Sequence[array[int]]") -> Iterator[tuple[int, int]]:
    """Pairs that agree in a band, each once."""
    seen: set[tuple[int, int]] = set()
    for start in range(0, _BINS, _ROWS):
        buckets: dict[bytes, list[int]] = {}
        for place, signature in enumerate(signatures):
            buckets.setdefault(signature[start : start + _ROWS].tobytes(), []).append(place)
        for bucket in buckets.values():
            for pair in _pairs_in(bucket):
                if pair in seen:
                    continue
                if len(seen) >= _MOST_COMPARED:
                    return
                seen.add(pair)
                yield pair


def _pairs_in(bucket: Sequence[int]) -> Iterator[tuple[int, int]]:
    if len(bucket) <= _MOST_IN_A_BUCKET:
        yield from combinations(bucket, 2)
    else:
        yield from pairwise(bucket)
