"""A writer's own figures that only a set of items shows: "your key is the longest in 14 of 30"."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from parable.quality.item import WARNING, ItemView, judge, words
from parable.quality.item.key import margin_of_key

FEWEST_ITEMS: Final = 5
"""A writer with fewer items is shown no share."""
COUNTED: Final = WARNING
"""Findings of this severity are counted: errors never get as far as a set."""


@dataclass(frozen=True, slots=True)
class Share:
    """In how many items something holds, of how many, and how many chance alone would give."""

    count: int = 0
    items: int = 0
    expected: float = 0.0


@dataclass(frozen=True, slots=True)
class Shares:
    """Figures over many items of one writer; items without one key or with one option are left out.

    `longest_key`, `shortest_key`: the key is longer (shorter) than every other option. `types`:
    items by commonsense type. `findings`: by check, the items in which it warned.
    """

    items: int
    longest_key: Share
    shortest_key: Share
    types: Mapping[str, int] = field(default_factory=dict)
    findings: Mapping[str, int] = field(default_factory=dict)


def shares(items: Iterable[ItemView]) -> Shares:
    """Count over a writer's items; the order of items does not matter."""
    whole = [item for item in items if item.key is not None and item.distractors]
    return Shares(
        items=len(whole),
        longest_key=_extreme_key(whole, max),
        shortest_key=_extreme_key(whole, min),
        types=dict(Counter(code for item in whole for code in set(item.types))),
        findings=_warnings(whole),
    )


def longest_keys(items: Iterable[ItemView]) -> Share:
    """Return how many of these items have the key as the only longest option; quicker than `shares`."""
    return _extreme_key([item for item in items if item.key is not None and item.distractors], max)


def _extreme_key(items: Sequence[ItemView], extreme: Callable[[Iterable[int]], int]) -> Share:
    """Return how often the key alone has the extreme length, and how often by chance."""
    sign = 1 if extreme is max else -1
    count = sum(margin_of_key(item) * sign > 0 for item in items)
    lengths = [[words.length(one.text) for _number, one in item.filled] for item in items]
    expected = sum(1 / len(long) for long in lengths if long.count(extreme(long)) == 1)
    return Share(count, len(items), expected)


def _warnings(items: Iterable[ItemView]) -> dict[str, int]:
    """Return, by check, in how many items it warned; checks that never did are absent."""
    found: Counter[str] = Counter()
    for item in items:
        found.update({one.check for one in judge(item) if one.severity == COUNTED})
    return dict(found)
