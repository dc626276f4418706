"""Counts and means that tables of statistics share."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence


def count_by_number(numbers: Iterable[int]) -> Mapping[int, int]:
    """How often each number occurs, from the lowest to the highest."""
    return dict(sorted(Counter(numbers).items()))


def count_by_name(names: Iterable[str], order: Sequence[str]) -> Mapping[str, int]:
    """How often each name occurs, in this order; names that it does not have come last, by alphabet."""
    counts = Counter(names)
    known = [name for name in order if name in counts]
    return {name: counts[name] for name in (*known, *sorted(counts.keys() - set(known)))}


def mean(numbers: Collection[float]) -> float:
    """The mean; 0 where there is nothing to be averaged."""
    return sum(numbers) / (len(numbers) or 1)
