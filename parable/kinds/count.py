"""Counts and means for tables of statistics."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence


def count_by_number(numbers: Iterable[int]) -> Mapping[int, int]:
    """Return the frequency of each number, in ascending order of numbers."""
    return dict(sorted(Counter(numbers).items()))


def count_by_name(names: Iterable[str], order: Sequence[str]) -> Mapping[str, int]:
    """Return the frequency of each name, in the given order; other names come last, alphabetically."""
    counts = Counter(names)
    known = [name for name in order if name in counts]
    return {name: counts[name] for name in (*known, *sorted(counts.keys() - set(known)))}


def mean(numbers: Collection[float]) -> float:
    """Return the mean; 0 if there are no numbers."""
    return sum(numbers) / (len(numbers) or 1)
