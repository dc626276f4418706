"""Grams (characters and character pairs) of options as numbers, and which of them occur in the stem.

Texts are read as typed, including white space, width and case, as any of these may reveal a key. Texts are
processed together as arrays, so that 100,000 items take seconds.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from parable.formats.records import ItemRecord, key_within
from parable.quality.gates.base import story_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Array = npt.NDArray[Any]

OVERLAPS: Final = 3
"""Columns of `Options.overlap`: characters in the stem, pairs in the stem, characters not in the stem."""
_AT_ONCE: Final = 500
"""The number of items whose stems are searched together, so that their grams fit the processor's cache."""
_MOST_CELLS: Final = 1 << 25
"""The most cells of a table of pairs (64 MB), enough for 5,792 different characters."""
_BLOCK: Final = 1 << 12
"""The cells of a table whose entries are counted together, so that 16 bits suffice for each count."""


class Grams(NamedTuple):
    """The characters and character pairs of texts as numbers, text by text.

    `bounds` has the index in `numbers` at which each text begins, and at the end the total.
    """

    numbers: Array
    bounds: Array

    def of_texts(self, order: Ints) -> "Grams":
        """Return the grams of the texts with these indexes, in this order."""
        lengths = np.diff(self.bounds)[order]
        bounds = np.append(np.int32(0), np.cumsum(lengths, dtype=np.int32))
        places = np.repeat(self.bounds[order] - bounds[:-1], lengths)
        places += np.arange(len(places), dtype=np.int32)
        return Grams(self.numbers[places], bounds)

    def chosen(self, are_chosen: Array) -> "Grams":
        """Return the texts with only the grams that a mask selects."""
        others = np.flatnonzero(~are_chosen)
        bounds = self.bounds - np.searchsorted(others, self.bounds)
        return Grams(self.numbers[are_chosen], bounds.astype(np.int32))

    def between(self, first: int, last: int) -> tuple[Array, Ints]:
        """Return the grams of texts `first` to `last` - 1, and the text of each gram, counted from 0."""
        bounds = self.bounds[first : last + 1]
        return self.numbers[bounds[0] : bounds[-1]], np.repeat(np.arange(last - first), np.diff(bounds))


@dataclass(frozen=True, slots=True)
class Options:
    """The options of all items, one after another, with their grams.

    The numbers of grams are below `width`. `overlap`, shape (options, `OVERLAPS` or 0), counts how much of
    its stem each option repeats. By item: `starts` is the index of the first option, `sizes` the number of
    options, `keys` the position of the key, and `stories` the number of the story.
    """

    grams: Grams
    width: int
    overlap: Array
    starts: Ints
    sizes: Ints
    keys: Ints
    stories: Ints

    def of_items(self, order: Ints) -> "Options":
        """Return the options of the items with these indexes, in this order."""
        sizes = self.sizes[order]
        starts = np.cumsum(sizes) - sizes
        texts = np.repeat(self.starts[order] - starts, sizes) + np.arange(sizes.sum())
        return Options(
            self.grams.of_texts(texts),
            self.width,
            self.overlap[texts],
            starts,
            sizes,
            self.keys[order],
            self.stories[order],
        )


def read_options(
    items: Sequence[ItemRecord],
    *,
    with_stem: bool = False,
    typed: Callable[[ItemRecord], Sequence[str]] = attrgetter("choices"),
) -> Options:
    """Return the options of keyed items with their grams.

    With `with_stem`, also count how much of its stem each option repeats. `typed` returns the options to
    read.
    """
    texts = [choice for item in items for choice in typed(item)]
    sizes = np.array([len(item.choices) for item in items], dtype=np.int64)
    names = [story_of(item) for item in items]
    stories = {name: number for number, name in enumerate(sorted(set(names)))}
    numbers = _GramNumbers(texts)
    own = numbers.of(texts)
    stems = numbers.of([item.question for item in items] if with_stem else [])
    return Options(
        own,
        numbers.width,
        _overlap(own, stems, sizes, numbers) if with_stem else np.zeros((len(texts), 0), dtype=np.int32),
        starts=np.cumsum(sizes) - sizes,
        sizes=sizes,
        keys=np.array([key_within(item) for item in items], dtype=np.int64),
        stories=np.array([stories[name] for name in names], dtype=np.int64),
    )


class _GramNumbers:
    """The numbers of the grams of some texts: characters have the lowest numbers, then pairs."""

    def __init__(self, texts: Sequence[str]) -> None:
        points, ends = _points(texts)
        self._signs = _Ranks(points, sys.maxunicode + 2)
        self._pairs = _Ranks(self._codes(self._signs.of(points), ends), (self._signs.count + 1) ** 2)

    @property
    def signs(self) -> int:
        """The number of different characters; the numbers of pairs start here."""
        return self._signs.count

    @property
    def width(self) -> int:
        """The number of different grams; all gram numbers are lower."""
        return self._signs.count + self._pairs.count

    def of(self, texts: Sequence[str]) -> "Grams":
        """Return the grams of texts; grams without a number are left out."""
        points, ends = _points(texts)
        ranks = np.zeros((len(points), 2), dtype=np.int32)
        ranks[:, 0] = self._signs.of(points)
        ranks[:, 1] = self._pairs.of(self._codes(ranks[:, 0], ends))
        ranks[ranks[:, 1] > 0, 1] += self.signs
        ranks -= 1
        return Grams(ranks.reshape(-1), 2 * np.append(0, ends)).chosen(ranks.reshape(-1) >= 0)

    def _codes(self, signs: Array, ends: Ints) -> Array:
        """Return a positive code for each pair of adjacent characters of a text; 0 if one has no number."""
        width = self.signs + 1
        codes: Array = np.zeros(len(signs), dtype=np.int32 if width**2 < 1 << 31 else np.int64)
        pairs = signs[:-1].astype(codes.dtype) * width + signs[1:]
        codes[:-1] = np.where((signs[:-1] > 0) & (signs[1:] > 0), pairs, 0)
        codes[ends[ends > 0] - 1] = 0
        return codes


class _Ranks:
    """Ranks of the distinct positive values of an array, from 1 for the smallest; other values have rank 0.

    Values of a small range are ranked by a table, as sorting takes longer and needs three times the memory.
    """

    def __init__(self, values: Array, width: int) -> None:
        """Rank values below `width`."""
        self._is_tabled = width <= _MOST_CELLS
        if not self._is_tabled:
            self._known = np.unique(np.append(values, 0))
            self.count = len(self._known) - 1
            return
        has = np.zeros(width, dtype=np.bool_)
        has[values] = True
        has[0] = False
        known = np.flatnonzero(has)
        self.count = len(known)
        self._before = np.searchsorted(known, np.arange(0, width, _BLOCK)).astype(np.int32)
        self._within = np.zeros(width, dtype=np.uint16)
        self._within[known] = np.arange(1, len(known) + 1) - self._before[known // _BLOCK]

    def of(self, values: Array) -> Array:
        """Return the rank of each value."""
        if not self._is_tabled:
            places = np.minimum(np.searchsorted(self._known, values), self.count)
            return np.asarray(np.where(self._known[places] == values, places, 0), dtype=np.int32)
        within: Array = self._within[values]
        found: Array = np.where(within > 0, self._before[values // _BLOCK] + within, 0)
        return found.astype(np.int32, copy=False)


def _points(texts: Sequence[str]) -> tuple[Array, Ints]:
    """Return the code points of all texts plus 1 (0 means no character), and the end of each text."""
    joined = "".join(texts).encode("utf-32-le", errors="surrogatepass")
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    return np.frombuffer(joined, dtype=np.int32) + np.int32(1), ends


def _overlap(own: "Grams", stems: "Grams", sizes: Ints, numbers: _GramNumbers) -> Array:
    """Return how much of its item's stem each option repeats, in the three columns of `OVERLAPS`."""
    starts = np.append(0, np.cumsum(sizes))
    found = np.empty((len(own.bounds) - 1, OVERLAPS), dtype=np.int32)
    for first in range(0, len(sizes), _AT_ONCE):
        last = min(first + _AT_ONCE, len(sizes))
        ours, options = own.between(starts[first], starts[last])
        theirs, where = stems.between(first, last)
        of_option = np.repeat(np.arange(last - first), sizes[first:last])
        are_said = are_in(of_option[options] * numbers.width + ours, where * numbers.width + theirs)
        kinds = 4 * options + 2 * ~are_said + (ours >= numbers.signs)
        counts = np.bincount(kinds, minlength=4 * len(of_option)).reshape(-1, 4)
        found[starts[first] : starts[last]] = counts[:, :OVERLAPS]
    return found


def are_in(ours: Array, theirs: Array) -> Array:
    """Return a mask of the elements of `ours` that occur in `theirs`."""
    if not len(theirs):
        return np.zeros(len(ours), dtype=np.bool_)
    known = np.sort(theirs)
    found: Array = known[np.minimum(np.searchsorted(known, ours), len(known) - 1)] == ours
    return found
