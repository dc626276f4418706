"""Checks of the key: that there is one, and that neither its length nor the stem tells it."""

from collections.abc import Iterator
from typing import ClassVar, Final

from parable.quality.gates.base import WARNING
from parable.quality.item import words
from parable.quality.item.base import KEY, STEM, Check, Finding, ItemView, Requirement, option
from parable.sentences import gettext_noop as _

TIMES_LONGER: Final = 1.25
"""From so many times the longest distractor on, the key stands out."""
LEAST_MORE_CHINESE: Final = 4
LEAST_MORE: Final = 10
"""And by so many characters at least: less is no clue in short options."""
LEAST_NAMED: Final = 2
"""A key of less weight (one Chinese character) is found in many stems by chance."""


class KeyMissing(Requirement):
    """No option is marked as the key."""

    id: ClassVar = "key_missing"
    name: ClassVar = _("No key")
    says: ClassVar = _("Mark the option that is the key.")
    looks_at: ClassVar = _("Whether one of the options is marked as the right one.")
    why: ClassVar = _("Without a key nobody can tell a right answer from a wrong one.")
    mend: ClassVar = _("Mark the option that is right.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """One finding where no option is the key, also while there are no options."""
        if not any(one.is_key for one in item.options):
            yield self.at(KEY)


class KeyDoubled(Requirement):
    """More than one option is marked as the key."""

    id: ClassVar = "key_doubled"
    name: ClassVar = _("More than one key")
    says: ClassVar = _("More than one option is marked as the key: %(numbers)s.")
    looks_at: ClassVar = _("Whether more than one option is marked as the right one.")
    why: ClassVar = _("A model that chooses the other right option would be counted as wrong.")
    mend: ClassVar = _("Leave one key. If two options are right, change one until it is wrong.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """One finding that names the numbers of the keys."""
        keys = [str(number) for number, one in enumerate(item.options, start=1) if one.is_key]
        if len(keys) > 1:
            yield self.at(KEY, numbers=", ".join(keys))


class KeyEmpty(Requirement):
    """The option that is marked as the key says nothing."""

    id: ClassVar = "key_empty"
    name: ClassVar = _("An empty key")
    says: ClassVar = _("The option marked as the key is empty.")
    looks_at: ClassVar = _("Whether the one option that is marked as the right one says anything.")
    why: ClassVar = _("An empty option is no option, so that the item has no key.")
    mend: ClassVar = _("Write the key, or mark another option.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """One finding where the only key shows nothing."""
        if sum(one.is_key for one in item.options) == 1 and item.key is None:
            yield self.at(KEY)


class LongestKey(Check):
    """The key is clearly the longest option."""

    id: ClassVar = "longest_key"
    name: ClassVar = _("A key that stands out by its length")
    severity: ClassVar = WARNING
    says: ClassVar = _(
        "The key has %(key)d characters, the longest wrong option %(other)d: it is longer by %(margin)d."
    )
    looks_at: ClassVar = _(
        "Whether the key is longer than every other option by a quarter or more, and by at least 4"
        " characters in Chinese or 10 in English."
    )
    why: ClassVar = _(
        "Writers tend to word the right answer with more care. “Always the longest” then answers many items"
        " without reading a story."
    )
    mend: ClassVar = _("Shorten the key, or give the wrong options as much detail as the key has.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """One finding at the key, with the lengths and the margin in characters."""
        margin = margin_of_key(item)
        key = words.length(item.key.text) if item.key else 0
        least = LEAST_MORE_CHINESE if item.is_chinese else LEAST_MORE
        if item.key and margin >= least and key >= TIMES_LONGER * (key - margin):
            number = item.options.index(item.key) + 1
            yield self.at(option(number), key=key, other=key - margin, margin=margin)


def margin_of_key(item: ItemView) -> int:
    """By how many characters the key alone is the longest option, below 0 the shortest; 0 without others."""
    if item.key is None or not item.distractors:
        return 0
    return words.margin(words.length(item.key.text), [words.length(one.text) for one in item.distractors])


class StemNamesKey(Check):
    """The stem holds the key's words, and those of no other option."""

    id: ClassVar = "stem_names_key"
    name: ClassVar = _("A stem that names the key")
    severity: ClassVar = WARNING
    says: ClassVar = _("The stem names the key (“%(key)s”) and no other option.")
    looks_at: ClassVar = _("Whether the words of the key, and of no other option, stand in the stem.")
    why: ClassVar = _("An option that the question repeats is chosen for that alone.")
    mend: ClassVar = _("Word the stem without the key, or name the other options in it as well.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """One finding at the stem."""
        if item.key is None or not item.distractors:
            return
        if _is_named(item.own_stem, item.key.text) and not any(
            _is_named(item.own_stem, one.text) for one in item.distractors
        ):
            yield self.at(STEM, key=item.key.text.strip())


def _is_named(stem: str, text: str) -> bool:
    said = words.content(text)
    return words.weight(said) >= LEAST_NAMED and words.holds(words.content(stem), said)
