"""Likeness of the options of an item by common words and adjacent character pairs, computed with arrays.

A few thousand items are computed at a time. Sums are added in the order in which a loop over the options of
an item would add them, so that results are identical floats.
"""

from collections.abc import Iterator, Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np

from parable.formats.limits import MAX_OPTIONS
from parable.quality.gates.grams import Floats, Ints
from parable.quality.gates.unit_numbers import UnitNumbers
from parable.quality.item import words
from parable.quality.resemblance import Array, code_points

AT_ONCE: Final = 2_000
"""The number of items that are computed together, so that their arrays fit the processor's cache."""
_BITS: Final = 21
"""The most bits of a code point."""


class Terms(NamedTuple):
    """The distinct terms of some options, as arrays: option, number of the term, and frequency in the option.

    The terms are ordered by option, then by first occurrence in the option.
    """

    options: Ints
    terms: Ints
    times: Ints


class Likeness(NamedTuple):
    """For each option of all items, how much it has in common with the other options of its item.

    `words` is the number of common words, `share` their proportion, `pairs` the likeness by character pairs;
    each is a sum over the other options.
    """

    words: Floats
    share: Floats
    pairs: Floats


def likeness(items: Sequence[Sequence[str]], at_once: int = AT_ONCE) -> Likeness:
    """Return, for each option, how much it has in common with the other options of its item.

    The measures are the number of common words, their proportion, and common character pairs weighted by
    rarity. `items` has the options of each item.
    """
    chunks = [items[start : start + at_once] for start in range(0, len(items), at_once)]
    known = UnitNumbers()
    paired = [_pairs([option for own in chunk for option in own]) for chunk in chunks]
    weights = _rarity([one.terms for one in paired], sum(map(len, items)))
    found: list[Likeness] = []
    for chunk, pairs, weight in zip(chunks, paired, weights, strict=True):
        sizes = np.array([len(own) for own in chunk], dtype=np.int64)
        terms, owners = known.of([option for own in chunk for option in own])
        found.append(_of_chunk(sizes, _counted(owners, terms, known.width), pairs, weight))
    return Likeness(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _pairs(options: Sequence[str]) -> Terms:
    points, owners = code_points(words.fold_all(options))
    inside = owners[1:] == owners[:-1]
    codes = ((points[:-1].astype(np.int64) << _BITS) | points[1:])[inside]
    return _counted(owners[:-1][inside], codes, 1 << 2 * _BITS)


def _counted(owners: Ints, terms: Ints, width: int) -> Terms:
    """Count the repeated terms of each option; `terms` are numbers below `width`."""
    keys, first, times = np.unique(owners * np.int64(width) + terms, return_index=True, return_counts=True)
    order = np.argsort(first)
    options, found = np.divmod(keys[order], np.int64(width))
    return Terms(options.astype(np.int32), found, times[order].astype(np.int32))


def _rarity(parts: Sequence[Ints], options: int) -> Iterator[Floats]:
    """Yield the weights of each part's character pairs; pairs that occur in fewer options weigh more."""
    # Each part is sorted alone: sorting all pairs at once would take several times their memory.
    distinct = [np.unique(part, return_inverse=True, return_counts=True) for part in parts]
    _known, numbers = np.unique(
        np.concatenate([pairs for pairs, _of, _times in distinct]), return_inverse=True
    )
    having = np.bincount(numbers, weights=np.concatenate([times for _pairs, _of, times in distinct]))
    counts, of_pair = np.unique(having, return_inverse=True)
    weights = np.array([log(1 + options / times) for times in counts.tolist()])[of_pair][numbers]
    start = 0
    for pairs, of_part, _times in distinct:
        yield weights[start : start + len(pairs)][of_part]
        start += len(pairs)


def _of_chunk(sizes: Ints, terms: Terms, pairs: Terms, weights: Floats) -> Likeness:
    """Return the likeness of options to the other options of their item, for some adjacent items."""
    number, wide = int(sizes.sum()), int(sizes.max())
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = np.arange(number * wide) // wide

    def slots(one: Ints, other: Ints) -> Ints:
        """Return indexes of pairs of options of one item, in an array with `wide` entries per option."""
        return one * np.int64(wide) + (other - starts[other])

    def slots_with(common: Array) -> tuple[Ints, Ints]:
        """Return the pairs of options with true entries in `common`, as two arrays of option numbers."""
        first, place = np.divmod(np.flatnonzero(common), wide)
        return first, place + starts[first]

    one, other = _common(terms, starts)
    shared = np.bincount(slots(terms.options[one], terms.options[other]), minlength=number * wide)
    first, second = slots_with(shared)
    here = slots(first, second)
    different = np.bincount(terms.options, minlength=number)
    share = np.zeros(number * wide)
    share[here] = shared[here] / (different[first] + different[second] - shared[here])

    heavy = np.bincount(pairs.options, weights=weights * pairs.times, minlength=number)
    one, other = _common(pairs, starts)
    earlier = one < other  # each pair is summed once, in the order of the earlier option
    one, other = one[earlier], other[earlier]
    order = np.argsort(one, kind="stable")
    one, other = one[order], other[order]
    least = weights[one] * np.minimum(pairs.times[one], pairs.times[other])
    dice = np.bincount(
        slots(pairs.options[one], pairs.options[other]), weights=least, minlength=number * wide
    )
    first, second = slots_with(dice)
    here = slots(first, second)
    dice[here] = 2 * dice[here] / (heavy[first] + heavy[second])
    dice[slots(second, first)] = dice[here]
    added = (np.bincount(places, weights=common, minlength=number) for common in (shared, share, dice))
    return Likeness(*(values.astype(np.float64) for values in added))


def _common(terms: Terms, starts: Ints) -> tuple[Ints, Ints]:
    """Return the indexes of equal terms in two options of one item, as two arrays.

    Each pair of terms is in both orders.
    """
    keys = starts[terms.options] * (terms.terms.max(initial=0) + 1) + terms.terms
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    here = np.arange(len(keys))
    ones, others = [here[:0]], [here[:0]]
    for step in range(1, MAX_OPTIONS):
        here = here[: np.searchsorted(here, len(keys) - step)]
        here = here[keys[here] == keys[here + step]]
        ones += [order[here], order[here + step]]
        others += [order[here + step], order[here]]
    return np.concatenate(ones), np.concatenate(others)
