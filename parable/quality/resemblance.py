"""Finds nearly equal texts by an index of minimal hashes, without comparing all pairs.

A text is reduced to the set of its overlapping shingles, and the set to 64 numbers, the least hash in each of
64 bins (one permutation hashing, Li, Owen and Zhang 2012; empty bins are filled as in Shrivastava and Li
2014). Texts whose numbers agree in one of 16 bands of four are candidates: nine of ten pairs that share two
thirds of their shingles are candidates. All steps use arrays.
"""

import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, pairwise
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

BINS: Final = 64
ROWS: Final = 4
WIDE: Final = 3
NARROW: Final = 5
"""Characters per shingle: `WIDE` for texts that are mostly Chinese, `NARROW` for others."""
MOST_CHARACTERS: Final = 20_000
"""The most characters that are read of each text; later differences have no effect."""
MOST_IN_A_BUCKET: Final = 40
"""If more texts than this agree in a band, only some of their pairs are compared."""

MOST_COMPARED: Final = 200_000
"""The most pairs whose shingles are compared; of more pairs, those with most equal hashes are chosen."""
MOST_SCREENED: Final = 64_000_000
"""The most agreeing pairs read from an index; further pairs are ignored."""
MOST_WHOLLY: Final = 200_000
"""All pairs are compared if the texts together have at most this many characters."""

_CHUNK: Final = 100_000
"""The number of characters, or pairs, processed at once, so that the arrays fit the processor's cache."""
_REMEMBERED: Final = 1024
_EMPTY: Final = np.uint32(0xFFFFFFFF)
_FIRST_WIDE: Final = 0x2E80
_UNKNOWN: Final = -2
_APART: Final = -1
_JOINING_JAMO: Final = frozenset(map(chr, range(0x1160, 0x1200)))
"""Vowels and finals of Hangul, which join the character before, although Unicode has them as letters."""
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)

Signatures = npt.NDArray[np.uint32]
Array = npt.NDArray[Any]
Pairs = npt.NDArray[np.int64]
"""An array with the indexes of two texts in each row."""


class SignatureTable(Protocol):
    """The signatures of texts, as an array that may lie on disk."""

    def __len__(self) -> int:
        """Return the number of texts."""

    def __getitem__(self, places: Any, /) -> Array:
        """Return the rows, or some values of one bin, at these places."""


def letters(text: str) -> str:
    """Remove spaces and punctuation from a text, and differences of width and case."""
    return "".join(char for char in _folded(text) if char.isalnum())


def shingles(text: str) -> set[str]:
    """Return the overlapping shingles of a text: three characters in mostly Chinese text, else five."""
    said = letters(text)
    wide = sum(char > "\u2e80" for char in said)
    size = WIDE if wide * 2 > len(said) else NARROW
    return {said[start : start + size] for start in range(max(len(said) - size + 1, 1))}


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:MOST_CHARACTERS]).casefold()


def share(one: set[str], other: set[str]) -> float:
    """Return the Jaccard similarity of two sets of shingles, from 0 to 1."""
    return len(one & other) / len(one | other) if one or other else 1.0


def near_pairs(
    texts: Sequence[str], least: float, sides: Sequence[bool] | None = None
) -> Iterator[tuple[int, int, float]]:
    """Yield (first, second, similarity) of the pairs with a similarity of at least `least`.

    With `sides`, only pairs of texts on different sides. In large sets, a few pairs may be missed.
    """
    if are_compared_wholly(len(texts), sum(map(len, texts))):
        yield from _all_pairs(texts, least, sides)
        return
    yield from indexed_pairs(texts.__getitem__, signatures(texts), least, sides)


def are_compared_wholly(texts: int, characters: int) -> bool:
    """Return whether `near_pairs` compares all pairs of so many texts, with so many characters together."""
    return texts * (texts - 1) // 2 <= MOST_COMPARED and characters <= MOST_WHOLLY


def indexed_pairs(
    text_of: Callable[[int], str],
    found: "Signatures | SignatureTable",
    least: float,
    sides: Sequence[bool] | Array | None = None,
) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs of `near_pairs` by the signatures of the texts; only texts of likely pairs are read."""
    likely = candidates(found, None if sides is None else np.array(sides))
    words_of = lru_cache(_REMEMBERED)(lambda place: shingles(text_of(place)))
    for one, other in _likeliest(found, likely).tolist():
        alike = share(words_of(one), words_of(other))
        if alike >= least:
            yield one, other, alike


def _all_pairs(
    texts: Sequence[str], least: float, sides: Sequence[bool] | None
) -> Iterator[tuple[int, int, float]]:
    sizes: list[int] = []
    texts_with: dict[str, list[int]] = {}
    for second, text in enumerate(texts):
        own = shingles(text)
        common: Counter[int] = Counter()
        for shingle in own:
            places = texts_with.setdefault(shingle, [])
            common.update(places)
            places.append(second)
        for first, both in common.items():
            alike = both / (sizes[first] + len(own) - both)
            if alike >= least and (sides is None or sides[first] != sides[second]):
                yield first, second, alike
        sizes.append(len(own))


def signatures(texts: Sequence[str]) -> Signatures:
    """Return the signature of each text, 64 hashes; all are `_EMPTY` for a text without letters."""
    found = np.full((len(texts), BINS), _EMPTY, dtype=np.uint32)
    for start, chunk in _chunks(texts):
        rows = found[start : start + len(chunk)]
        _sign(chunk, rows)
        # Empty bins are filled from the next filled bin, so that short texts agree as often as expected.
        bins = rows.T.copy()  # one row per bin, so that the numbers of a bin are adjacent
        for _round in range(2):  # the last bins are filled from the first ones
            for place in range(BINS - 1, -1, -1):
                np.copyto(bins[place], bins[(place + 1) % BINS], where=bins[place] == _EMPTY)
        rows[:] = bins.T
    return found


def _chunks(texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    chunk: list[str] = []
    start, size = 0, 0
    for index, text in enumerate(texts):
        chunk.append(text[:MOST_CHARACTERS])
        size += len(chunk[-1])
        if size >= _CHUNK:
            yield start, chunk
            start, chunk, size = index + 1, [], 0
    if chunk:
        yield start, chunk


@cache
def _known_letters() -> npt.NDArray[np.int32]:
    """Return an array that caches `_letter` by code point; `_UNKNOWN` for code points not yet computed."""
    return np.full(sys.maxunicode + 1, _UNKNOWN, dtype=np.int32)


def _letter(char: str) -> int:
    """Return the code point by which a character is compared; 0 for characters that `letters` removes.

    Return `_APART` if this depends on the whole text: the character becomes several, or may join the
    character before.
    """
    folded, first = _folded(char), unicodedata.normalize("NFKD", char)[0]
    if len(folded) > 1 or unicodedata.category(first)[0] == "M" or first in _JOINING_JAMO:
        return _APART
    return ord(folded) if folded.isalnum() else 0


def _letters_of(texts: Sequence[str]) -> tuple[Array, Array]:
    """Return the code points of the `letters` of all texts in order, and the text index of each."""
    known = _known_letters()
    points, owners = code_points(texts)
    found = known[points]
    if (least := found.min(initial=1)) == _UNKNOWN:
        unknown = np.unique(points[found == _UNKNOWN])
        known[unknown] = [_letter(chr(point)) for point in unknown.tolist()]
        found = known[points]
        least = found.min()
    if least > 0:
        return found, owners
    if least == _APART:
        apart = {*owners[found == _APART].tolist()}
        points, owners = code_points(
            [letters(text) if place in apart else text for place, text in enumerate(texts)]
        )
        found = np.where(np.isin(owners, [*apart]), points, known[points])
    said = found > 0
    return found[said], owners[said]


def code_points(texts: Sequence[str]) -> tuple[Array, Array]:
    """Return the code points of all texts in order, and the text index of each."""
    joined = "".join(texts).encode("utf-32-le", errors="surrogatepass")
    return np.frombuffer(joined, dtype=np.int32), np.repeat(np.arange(len(texts)), [*map(len, texts)])


def _sign(texts: Sequence[str], out: Signatures) -> None:
    """Write the minimal hashes of these texts into the rows of `out`."""
    points, owners = _letters_of(texts)
    points = points.astype(np.uint32)
    lengths = np.bincount(owners, minlength=len(texts))
    wide = np.bincount(owners[points > _FIRST_WIDE], minlength=len(texts))
    sizes = np.where(wide * 2 > lengths, WIDE, NARROW)
    for size in (WIDE, NARROW):
        are_short = lengths < size  # a text shorter than a shingle is one shingle
        _keep_least(*_of_texts((sizes == size) & ~are_short, points, owners), size, out)
        _keep_least(*_filled_up(*_of_texts((sizes == size) & are_short, points, owners), size), size, out)


def _of_texts(are_chosen: Array, points: Array, owners: Array) -> tuple[Array, Array]:
    """Return the characters of the texts that a mask selects, and the text index of each."""
    if are_chosen.all():
        return points, owners
    chosen = are_chosen[owners] if are_chosen.any() else slice(0)
    return points[chosen], owners[chosen]


def _filled_up(points: Array, owners: Array, size: int) -> tuple[Array, Array]:
    """Pad texts shorter than a shingle with zeros; return characters and the text index of each."""
    texts, starts, lengths = np.unique(owners, return_index=True, return_counts=True)
    found = np.zeros((len(texts), size), dtype=points.dtype)
    row = np.repeat(np.arange(len(texts)), lengths)
    found[row, np.arange(len(points)) - starts[row]] = points
    return found.ravel(), np.repeat(texts, size)


def _keep_least(points: Array, owners: Array, size: int, out: Signatures) -> None:
    """Hash the shingles of `size` characters, and store the least hash of each bin in `out`."""
    starts = max(len(points) - size + 1, 0)
    if not starts:
        return
    hashes = np.zeros(starts, dtype=np.uint64)
    for step in range(size):
        hashes ^= points[step : step + starts] + _MIX
        hashes = _mixed(hashes)
    bins = owners[:starts] * BINS + (hashes >> np.uint64(58)).astype(np.int64)
    least = hashes.astype(np.uint32)
    least[owners[:starts] != owners[size - 1 :]] = _EMPTY  # a shingle that extends into the next text
    np.minimum.at(out.reshape(-1), bins, least)


def _mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Mix the bits of each value in the array itself, as splitmix64 does."""
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values


def candidates(
    found: "Signatures | SignatureTable", sides: npt.NDArray[np.bool_] | None = None
) -> Iterator[Pairs]:
    """Yield pairs of texts that agree in a band, earlier text first; with `sides`, only across sides."""
    filled = np.flatnonzero(found[:, 0] != _EMPTY)
    if not len(filled):
        return
    for start in range(0, BINS, ROWS):
        keys = np.zeros(len(filled), dtype=np.uint64)
        for row in range(start, start + ROWS):
            keys ^= found[filled, row] + _MIX
            keys = _mixed(keys)
        # Only a few of many keys occur more than once, so only these are sorted.
        ordered = np.sort(keys)
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        agree = np.append(repeated, np.uint64(0))[np.searchsorted(repeated, keys)] == keys
        if agree.any():
            keys, texts = keys[agree], filled[agree]
            order = np.argsort(keys, kind="stable")
            yield from _pairs(keys[order], texts[order], sides)


def _pairs(keys: Array, texts: Array, sides: npt.NDArray[np.bool_] | None) -> Iterator[Pairs]:
    """Yield the pairs of texts with equal keys: adjacent texts first, then texts two apart, and so on.

    Large groups yield adjacent texts only; with `sides`, the pairs of `_across` instead.
    """
    ends = np.flatnonzero(np.diff(keys, append=~keys[-1:])) + 1
    sizes = np.diff(ends, prepend=0)
    last = np.repeat(ends, sizes)
    many = np.repeat(sizes > MOST_IN_A_BUCKET, sizes)
    if sides is not None:
        for end, size in zip(*(of[sizes > MOST_IN_A_BUCKET].tolist() for of in (ends, sizes)), strict=True):
            yield _across(texts[end - size : end], sides)
    here = np.flatnonzero(np.arange(len(texts)) + 1 < last)
    left = MOST_SCREENED * ROWS // BINS
    for step in range(1, MOST_IN_A_BUCKET):
        here = here[here + step < last[here]]
        if step == 2 or sides is not None:
            here = here[~many[here]]
        left -= len(here)
        if left < 0 or not len(here):
            return
        one, other = texts[here], texts[here + step]
        apart = slice(None) if sides is None else sides[one] != sides[other]
        yield np.column_stack([one[apart], other[apart]])


def _across(texts: Array, sides: npt.NDArray[np.bool_]) -> Pairs:
    """Return pairs of each text with the first text of the other side."""
    here, there = texts[sides[texts]], texts[~sides[texts]]
    if not len(here) or not len(there):
        return np.empty((0, 2), dtype=np.int64)
    first = np.concatenate([np.full(len(there), here[0]), np.full(len(here), there[0])])
    return np.sort(np.column_stack([first, np.concatenate([there, here])]), axis=1)


def _likeliest(found: "Signatures | SignatureTable", pairs: Iterable[Pairs]) -> Pairs:
    """Return the pairs without duplicates; if there are too many to compare, those with most equal hashes."""
    kept: list[Array] = []
    most = 8 * MOST_COMPARED
    least = 0
    for some in pairs:
        chosen = some if not least else some[_agreements(found, some) >= least]
        kept.append(chosen[:, 0] * np.int64(len(found)) + chosen[:, 1])
        if sum(map(len, kept)) > most:
            likeliest, least = _most_agreeing(found, np.unique(np.concatenate(kept)))
            kept = [likeliest]
    likeliest = np.unique(np.concatenate([*kept, np.empty(0, dtype=np.int64)]))
    if len(likeliest) > MOST_COMPARED:
        likeliest, least = _most_agreeing(found, likeliest)
    return np.column_stack(np.divmod(likeliest, len(found)))


def _most_agreeing(found: "Signatures | SignatureTable", pairs: Array) -> tuple[Array, int]:
    """Return as many pairs as can be compared, and the smallest number of equal bins of these pairs."""
    agree = _agreements(found, np.column_stack(np.divmod(pairs, len(found))))
    likeliest = np.argsort(-agree, kind="stable")[:MOST_COMPARED]
    return np.sort(pairs[likeliest]), int(agree[likeliest[-1]])


def _agreements(found: "Signatures | SignatureTable", pairs: Pairs) -> npt.NDArray[np.int8]:
    """Return the number of bins in which the two texts of each pair agree."""
    agree = np.empty(len(pairs), dtype=np.int8)
    for start in range(0, len(pairs), _CHUNK // BINS):
        one, other = pairs[start : start + _CHUNK // BINS].T
        agree[start : start + len(one)] = np.count_nonzero(found[one] == found[other], axis=1)
    return agree


def pairs_in(bucket: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield all pairs of a few texts; for many texts, only pairs of neighbours."""
    yield from combinations(bucket, 2) if len(bucket) <= MOST_IN_A_BUCKET else pairwise(bucket)
