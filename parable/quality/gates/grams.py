"""Counts characters and adjacent character pairs of options, in a sparse matrix with one row per option.

Texts are read as they were typed, white space, width and case included: what gives a key away may be no more.
Built with arrays and not text by text, so that 100,000 items take seconds.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.formats.records import ItemRecord, key_within
from parable.quality.gates.base import story_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Array = npt.NDArray[Any]

_SHIFT: Final = 21
"""Bits to shift the first code point of a pair by; a code point has at most 21 bits."""
_OVERLAP: Final = 3
_AT_ONCE: Final = 1 << 20
"""Most codes that are searched at once; an array of all codes of 100,000 items takes 40 MB."""
_MOST_CELLS: Final = 1 << 25
"""Most cells of a table of pairs, which suffice for 5,792 different characters."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of some items: in `rows`, their counts, with the options of an item in adjacent rows.

    `starts`: the first row of each item, `sizes`: how many it has, `keys`: which of them is its key,
    `stories`: a number for each item's story, `ids`: the items' ids.
    """

    rows: Any
    starts: Ints
    sizes: Ints
    keys: Ints
    stories: Ints
    ids: tuple[str, ...]

    @property
    def items(self) -> Ints:
        """The index of the item to which each row belongs."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def read_options(
    items: Sequence[ItemRecord],
    *,
    with_stem: bool = False,
    typed: Callable[[ItemRecord], Sequence[str]] = attrgetter("choices"),
) -> Options:
    """Return the counts of keyed items' options; with the stem, also how much of it each option repeats."""
    texts = [choice for item in items for choice in typed(item)]
    sizes = np.array([len(item.choices) for item in items], dtype=np.int64)
    known, columns, owners = _numbered(texts)
    rows = _counts(owners, columns, len(texts), len(known))
    if with_stem:
        of_item = np.repeat(np.arange(len(items)), sizes)
        in_stem = _said_in_stem(known, columns, owners, of_item, [item.question for item in items])
        is_pair = (known >= 1 << _SHIFT)[columns]
        rows = scipy.sparse.hstack([rows, _overlap(is_pair, owners, in_stem, len(texts))], format="csr")
    names = [story_of(item) for item in items]
    return Options(
        rows,
        starts=np.cumsum(sizes) - sizes,
        sizes=sizes,
        keys=np.array([key_within(item) for item in items], dtype=np.int64),
        stories=np.unique(np.array(names, dtype=object), return_inverse=True)[1].astype(np.int64),
        ids=tuple(item.id for item in items),
    )


def _codes(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """Return each character and adjacent pair of the texts as a code, and the index of its text."""
    joined = "".join(texts).encode("utf-32-le", errors="surrogatepass")
    points = np.frombuffer(joined, dtype=np.uint32).astype(np.int64) + 1
    owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    inside = owners[1:] == owners[:-1]
    pairs = ((points[:-1] << _SHIFT) | points[1:])[inside]
    return np.concatenate([points, pairs]), np.concatenate([owners, owners[:-1][inside]])


def _numbered(texts: Sequence[str]) -> tuple[Ints, Array, Array]:
    """Return the sorted codes, and for each character and pair the index of its code and of its text.

    Numbers are looked up in tables: to sort the codes would take longer, and three times the memory.
    """
    points = np.frombuffer("".join(texts).encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    owners = np.repeat(np.arange(len(texts), dtype=np.int32), [len(text) for text in texts])
    inside = owners[1:] == owners[:-1]
    signs, ranks = _ranked(points, sys.maxunicode + 1)
    size = len(signs)
    pairs = (ranks[:-1].astype(np.int64) * size + ranks[1:])[inside]
    if size**2 <= _MOST_CELLS:
        cells, columns = _ranked(pairs, size**2)
    else:
        cells, columns = np.unique(pairs, return_inverse=True)
    known = np.concatenate(
        [signs + 1, (signs[cells // max(size, 1)] + 1 << _SHIFT) | signs[cells % max(size, 1)] + 1]
    )
    columns = np.concatenate([ranks, columns.astype(np.int32) + np.int32(size)])
    return known, columns, np.concatenate([owners, owners[:-1][inside]])


def _ranked(values: Array, width: int) -> tuple[Ints, Array]:
    """Return the sorted distinct values, all below `width`, and the index of each value among them."""
    has = np.zeros(width, dtype=np.bool_)
    has[values] = True
    places = np.cumsum(has, dtype=np.int32)
    return np.flatnonzero(has), places[values] - np.int32(1)


def _counts(owners: Ints, columns: Ints, height: int, width: int) -> Any:
    ones = np.ones(len(owners), dtype=np.float32)
    found = scipy.sparse.csr_matrix(
        (ones, (owners.astype(np.int32), columns.astype(np.int32))), shape=(height, width)
    )
    found.sum_duplicates()
    return found


def _said_in_stem(
    known: Ints, columns: Array, texts: Array, of_text: Ints, stems: Sequence[str]
) -> npt.NDArray[np.bool_]:
    """Return, for each character and pair of the options, whether the stem of the item contains it."""
    codes, owners = _codes(stems)
    places = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    is_known = known[places] == codes
    size = np.int64(len(known))
    theirs = np.sort(owners[is_known] * size + places[is_known])
    if not len(theirs):
        return np.zeros(len(columns), dtype=np.bool_)
    found = np.empty(len(columns), dtype=np.bool_)
    for start in range(0, len(columns), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        mine = of_text[texts[part]] * size + columns[part]
        found[part] = theirs[np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)] == mine
    return found


def _overlap(
    is_pair: npt.NDArray[np.bool_], owners: Ints, in_stem: npt.NDArray[np.bool_], height: int
) -> Any:
    """Return counts in three columns: characters in the stem, pairs in the stem, characters not in it."""
    kind = np.where(is_pair, np.int8(1), np.where(in_stem, np.int8(0), np.int8(2)))
    counted = in_stem | ~is_pair
    return _counts(owners[counted], kind[counted], height, _OVERLAP)
