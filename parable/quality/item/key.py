"""Checks of the key: an item must have a key, and neither its length nor the stem may reveal it."""

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import ClassVar, Final

from parable.kinds import codes
from parable.quality.finding import WARNING, Finding
from parable.quality.item import words
from parable.quality.item.base import (
    KEY,
    OPTIONS,
    STEM,
    Check,
    ItemView,
    OptionView,
    Requirement,
    option,
)
from parable.quality.item.batch import Batch
from parable.sentences import gettext_noop as _

TIMES_LONGER: Final = 1.25
"""A key that is this many times as long as the longest distractor stands out."""
LEAST_MORE_CHINESE: Final = 4
LEAST_MORE: Final = 10
"""The fewest characters by which the key must be longer; a smaller difference is no clue in short options."""
LEAST_NAMED: Final = 2
"""The lowest weight (`words.weight`) of an option that is searched for in the stem."""


class KeyMissing(Requirement):
    """Find items without a key."""

    id: ClassVar = "key_missing"
    name: ClassVar = _("No key")
    says: ClassVar = _("Mark the key.")
    looks_at: ClassVar = _("One option is marked as the key.")
    why: ClassVar = _("Without a key, answers cannot be scored.")
    fix: ClassVar = _("Mark the correct option.")
    trait: ClassVar = "has_keys"

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items that do not have exactly one key."""
        return batch.where(lambda item: item.key is None)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding if no option is the key, even if there are no options."""
        if not any(one.is_key for one in item.options):
            yield self.at(KEY)


class KeyDoubled(Requirement):
    """Find items with more than one key in tasks that allow only one."""

    id: ClassVar = "key_doubled"
    fails_sets: ClassVar = True
    name: ClassVar = _("More than one key")
    says: ClassVar = _("More than one option is marked as the key: %(numbers)s.")
    looks_at: ClassVar = _("Not more than one option is marked as the key.")
    why: ClassVar = _("A model that chooses the other correct option would be counted as wrong.")
    fix: ClassVar = _("Keep one key. If two options are correct, change one of them.")
    trait: ClassVar = "has_one_key"

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items that do not have exactly one key."""
        return batch.where(lambda item: item.key is None)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding with the numbers of the keys, if there are several."""
        keys = [str(number) for number, one in enumerate(item.options, start=1) if one.is_key]
        if len(keys) > 1:
            yield self.at(KEY, numbers=", ".join(keys))


class AllKeys(Requirement):
    """Find items whose options are all keys."""

    id: ClassVar = "all_keys"
    name: ClassVar = _("Every option is a key")
    says: ClassVar = _("Every option is marked as correct.")
    looks_at: ClassVar = _("At least one option is not marked as correct.")
    why: ClassVar = _("Where everything is correct, there is nothing to tell apart.")
    fix: ClassVar = _("Add a distractor, or unmark an option.")
    trait: ClassVar = "has_several_keys"

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding if all options that are not blank are keys."""
        filled = item.filled
        if len(filled) > 1 and all(one.is_key for _number, one in filled):
            yield self.at(KEY)


class RanksMissing(Requirement):
    """Find items whose ranks of options are not the numbers from 1, each once."""

    id: ClassVar = "ranks_missing"
    name: ClassVar = _("Order of the options")
    says: ClassVar = _("Give each option its own place in the correct order, from 1 to %(count)d.")
    looks_at: ClassVar = _("Each option of an ordering item has a place from 1 on, and no two have the same.")
    why: ClassVar = _("Without an order, answers cannot be scored.")
    fix: ClassVar = _("Number the options in the correct order.")
    trait: ClassVar = "has_right_order"

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options, if their ranks are incomplete."""
        ranks = [one.rank for _number, one in item.filled]
        if sorted(rank or 0 for rank in ranks) != list(range(1, len(ranks) + 1)):
            yield self.at(OPTIONS, count=len(ranks))


class KeyEmpty(Requirement):
    """Find keys that are blank."""

    id: ClassVar = "key_empty"
    fails_sets: ClassVar = True
    name: ClassVar = _("Empty key")
    says: ClassVar = _("The option marked as the key is empty.")
    looks_at: ClassVar = _("The option marked as the key has text.")
    why: ClassVar = _("An empty option does not count, so the item has no key.")
    fix: ClassVar = _("Write the key, or mark another option.")
    trait: ClassVar = "has_keys"

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with blank options."""
        return batch.where(lambda item: len(item.filled) < len(item.options))

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding if the only key, or one of several allowed keys, is blank."""
        if len(item.filled) == len(item.options):
            return
        keys = [one for one in item.options if one.is_key]
        is_several = item.task in codes("has_several_keys")
        if (is_several or len(keys) == 1) and any(words.is_blank(one.text) for one in keys):
            yield self.at(KEY)


class LongestKey(Check):
    """Find keys that are clearly the longest option."""

    id: ClassVar = "longest_key"
    reveals_key: ClassVar = True
    name: ClassVar = _("Key length stands out")
    severity: ClassVar = WARNING
    says: ClassVar = _("The key has %(key)d characters, the longest distractor %(other)d: %(margin)d more.")
    looks_at: ClassVar = _(
        "The key is longer than every other option by a quarter or more, and by at"
        " least 4 characters in Chinese or 10 in English."
    )
    why: ClassVar = _(
        "Keys are often worded with more care. “Always the longest” then answers many items without reading."
    )
    fix: ClassVar = _("Shorten the key, or give the distractors as much detail.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items in which one option is longer than all others."""
        return [
            index
            for index, lengths in enumerate(map(sorted, batch.lengths))
            if len(lengths) > 1 and lengths[-1] - lengths[-2] >= LEAST_MORE_CHINESE
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the key, with the lengths and the margin in characters."""
        margin = margin_of_key(item)
        key = words.length(item.key.text) if item.key else 0
        least = LEAST_MORE_CHINESE if item.is_chinese else LEAST_MORE
        if item.key and margin >= least and key >= TIMES_LONGER * (key - margin):
            number = item.options.index(item.key) + 1
            yield self.at(option(number), key=key, other=key - margin, margin=margin)


def margin_of_key(item: ItemView) -> int:
    """Return by how many characters the key is longer than every distractor.

    Negative if the key is shorter than every distractor; 0 if neither, or unless there is exactly one key.
    """
    if item.key is None or not item.distractors:
        return 0
    return words.margin(words.length(item.key.text), [words.length(one.text) for one in item.distractors])


class StemNamesKey(Check):
    """Find stems that contain the text of the key, and of no other option."""

    id: ClassVar = "stem_names_key"
    reveals_key: ClassVar = True
    name: ClassVar = _("Stem names the key")
    severity: ClassVar = WARNING
    says: ClassVar = _("The stem contains the key (“%(key)s”) and no other option.")
    looks_at: ClassVar = _("The text of the key, and of no other option, is in the stem.")
    why: ClassVar = _("An option repeated in the stem is chosen for that reason alone.")
    fix: ClassVar = _("Remove the key from the stem, or mention the other options too.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose stems contain the words of exactly one option."""
        return named_in(batch).keys()

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, if it contains the key."""
        alone = named_alone(item)
        if alone is not None and alone is item.key:
            yield self.at(STEM, key=alone.text.strip())


def named_alone(item: ItemView) -> OptionView | None:
    """Return the option whose words the stem contains; None unless there is exactly one.

    Return None also if the item does not have exactly one key.
    """
    if item.key is None or not item.distractors:
        return None
    stem = words.content(item.own_stem)
    named: list[OptionView] = []
    for _number, one in item.filled:
        terms = words.content(one.text)
        if words.holds(stem, terms) and words.weight(terms) >= LEAST_NAMED:
            named.append(one)
    return named[0] if len(named) == 1 else None


@lru_cache(1)  # several checks ask for the same batch
def named_in(batch: Batch) -> dict[int, OptionView]:
    """Return the results of `named_alone` by index in the batch, without items whose result is None."""
    named = (
        (index, named_alone(batch.items[index]))
        for index, (stem, texts) in enumerate(zip(batch.stems, batch.bare, strict=True))
        if any(words.may_hold(stem, text) for text in texts)
    )
    return {index: option for index, option in named if option is not None}
