"""Items and stories of two splits that are nearly the same.

Stems that many items share are ignored.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from parable.formats.records import ItemRecord
from parable.kinds import codes
from parable.quality.gates.base import name_of, story_of
from parable.quality.item.words import same_form, units, weight
from parable.quality.resemblance import near_pairs, share, shingles

ALIKE: Final = 0.5
"""The proportion of common shingles from which on two items, and their options, are nearly the same."""
LEAST_SHINGLES: Final = 20
"""The fewest shingles of a text; shorter texts resemble others by accident."""
MANY_STORIES: Final = 5
SHORT: Final = 12
"""The highest weight of a short stem; a Chinese character counts one, a word two."""

_NUMBER: Final = re.compile(r"\d+")


def is_short(stem: str) -> bool:
    """Return whether a stem, as `same_form` returns it, is so short that other stories may well have it."""
    return weight(units(stem)) <= SHORT


def usual_stems(dev: Sequence[ItemRecord], test: Sequence[ItemRecord]) -> frozenset[str]:
    """Return the stems that many stories share, if they are short or several dev stories have them."""
    stems = [same_form(item.question) for item in (*dev, *test)]
    times = Counter(stems)
    in_dev, in_all = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for place, (item, stem) in enumerate(zip((*dev, *test), stems, strict=True)):
        if times[stem] >= MANY_STORIES:  # a set for every stem would double the run time
            in_all[stem].add(story_of(item))
            if place < len(dev):
                in_dev[stem].add(story_of(item))
    return frozenset(
        stem
        for stem, stories in in_all.items()
        if len(stories) >= MANY_STORIES and (len(in_dev[stem]) > 1 or is_short(stem))
    )


def resembling_items(
    dev: Sequence[ItemRecord], test: Sequence[ItemRecord], standard_stems: frozenset[str]
) -> set[tuple[str, str]]:
    """Return the names of test items that are nearly the same as an item of dev.

    Items with different numbers differ. Tasks whose items share their options are left out.
    """
    known, asked = _with_own_options(dev), _with_own_options(test)
    both = [*known, *asked]
    sides = [False] * len(known) + [True] * len(asked)
    texts = [text_of(item, standard_stems) for item in both]
    return {
        name_of(both[second])
        for first, second, _alike in near_pairs(texts, ALIKE, sides)
        if are_alike(both[first], both[second], standard_stems)
    }


def text_of(item: ItemRecord, standard_stems: frozenset[str]) -> str:
    """Return the text by which an item is compared: its stem, unless that is standard, and its options."""
    stem = () if item.question in standard_stems else (item.question,)
    return " ".join((*stem, *sorted(item.choices)))


def are_alike(one: ItemRecord, other: ItemRecord, standard_stems: frozenset[str]) -> bool:
    """Return whether two items with similar texts are nearly the same: long enough, with equal numbers."""
    texts = (text_of(one, standard_stems), text_of(other, standard_stems))
    return (
        _say_enough(*texts)
        and _NUMBER.findall(texts[0]) == _NUMBER.findall(texts[1])
        and _have_like_options(one, other)
    )


def _with_own_options(items: Iterable[ItemRecord]) -> list[ItemRecord]:
    tasks = frozenset(codes("has_own_options"))
    return [item for item in items if item.choices and item.task in tasks]


def _say_enough(*texts: str) -> bool:
    return all(len(shingles(text)) >= LEAST_SHINGLES for text in texts)


def _have_like_options(one: ItemRecord, other: ItemRecord) -> bool:
    """Return whether the options of two items are alike.

    Items whose options differ may share a long stem.
    """
    return share(*(shingles(" ".join(sorted(item.choices))) for item in (one, other))) >= ALIKE


def resembling_stories(dev: Iterable[ItemRecord], test: Sequence[ItemRecord]) -> set[tuple[str, str]]:
    """Return the names of test items whose story is nearly the same as a story of dev."""
    known = {item.story: None for item in dev if item.story}
    asked = [story for story in {item.story: None for item in test if item.story} if story not in known]
    texts = [*known, *asked]
    sides = [number >= len(known) for number in range(len(texts))]
    found = {
        texts[second]
        for first, second, _alike in near_pairs(texts, ALIKE, sides)
        if _say_enough(texts[first], texts[second])
    }
    return {name_of(item) for item in test if item.story in found}
