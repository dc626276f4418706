"""Statistics over a writer's items that single items do not show, such as how often the key is longest."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from parable.quality.item import WARNING, ItemView, judge, words
from parable.quality.item.key import margin_of_key

FEWEST_ITEMS: Final = 5
"""The fewest items of a writer for which shares are displayed."""
COUNTED: Final = WARNING
"""The severity of findings that are counted; items with errors cannot be submitted."""


@dataclass(frozen=True, slots=True)
class Share:
    """The number of items with a property, the number of all items, and the number expected by chance."""

    count: int = 0
    items: int = 0
    expected: float = 0.0


@dataclass(frozen=True, slots=True)
class Shares:
    """Statistics over one writer's items, without items that have no key or only one option.

    `longest_key`, `shortest_key`: items whose key is longer (shorter) than every other option. `types`: the
    number of items by commonsense type. `findings`: the number of items with a warning, by check.
    """

    items: int
    longest_key: Share
    shortest_key: Share
    types: Mapping[str, int] = field(default_factory=dict)
    findings: Mapping[str, int] = field(default_factory=dict)


def shares(items: Iterable[ItemView]) -> Shares:
    """Return the statistics of a writer's items, in any order."""
    whole = [item for item in items if item.key is not None and item.distractors]
    warned = Counter(
        check for item in whole for check in {one.check for one in judge(item) if one.severity == COUNTED}
    )
    return Shares(
        items=len(whole),
        longest_key=_extreme_key(whole, max),
        shortest_key=_extreme_key(whole, min),
        types=dict(Counter(code for item in whole for code in set(item.types))),
        findings=dict(warned),
    )


def longest_keys(items: Iterable[ItemView]) -> Share:
    """Return the share of items whose key is the only longest option; faster than `shares`."""
    return _extreme_key([item for item in items if item.key is not None and item.distractors], max)


def _extreme_key(items: Sequence[ItemView], extreme: Callable[[Iterable[int]], int]) -> Share:
    """Return how often the key is the only longest (shortest) option, and how often by chance."""
    sign = 1 if extreme is max else -1
    count = sum(margin_of_key(item) * sign > 0 for item in items)
    lengths = [[words.length(one.text) for _number, one in item.filled] for item in items]
    expected = sum(1 / len(long) for long in lengths if long.count(extreme(long)) == 1)
    return Share(count, len(items), expected)
