"""Checks of a key against the keys of the story's other items, for tasks whose items share keys."""

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, Final

from parable.formats.records import MACHINE
from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.item import words
from parable.quality.item.base import Check, ItemView, SiblingView, option
from parable.sentences import gettext_noop as _

NEAR_KEY: Final = 0.6
"""The likeness from which on two keys are hardly reworded; none of 121 published pairs is so alike."""


class SiblingKey(Check):
    """Find machine-style items with the same key as another item of the story."""

    id: ClassVar = "sibling_key"
    reveals_key: ClassVar = True
    name: ClassVar = _("Same key as another item")
    severity: ClassVar = ERROR
    trait: ClassVar = "exposed_by_story"
    says: ClassVar = _("Item %(item)s of this story has the same key.")
    looks_at: ClassVar = _(
        "The key of a machine-style item equals the key of another moral item of the"
        " story, apart from width, case, white space and a final full stop."
    )
    why: ClassVar = _("Moral items of a story share their stem: an option in two of them is the key of both.")
    fix: ClassVar = _("Reword the key: use a rewording of the moral, or your own.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the key, with the name of the first item with the same key."""
        if item.style == MACHINE:
            for sibling in _same_key(item):
                yield self.at(_place(item), item=sibling.name)
                return


class SiblingKeyNear(Check):
    """Find keys worded almost like the key of another item of the story."""

    id: ClassVar = "sibling_key_near"
    reveals_key: ClassVar = True
    name: ClassVar = _("Key similar to another item")
    severity: ClassVar = WARNING
    trait: ClassVar = "exposed_by_story"
    says: ClassVar = _("Item %(item)s of this story has almost the same key: “%(key)s”.")
    looks_at: ClassVar = _(
        "The key shares three fifths of its words with the key of another moral item of"
        " the story; in human-style items also whether both are equal."
    )
    why: ClassVar = _(
        "Someone who has seen one item can recognise the key of the next without understanding it."
    )
    fix: ClassVar = _("Reword the moral.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the key, with the name of the first item with a similar key.

        Equal keys of machine-style items have a check of their own.
        """
        same = _same_key(item)
        if same and item.style == MACHINE:
            return
        for sibling in chain(same, _near_key(item)):
            yield self.at(_place(item), item=sibling.name, key=sibling.key)
            return


def _same_key(item: ItemView) -> list[SiblingView]:
    if item.key is None:
        return []
    ours = words.bare(item.key.text)
    return [one for one in item.siblings if one.key and words.bare(one.key) == ours]


def _near_key(item: ItemView) -> Iterator[SiblingView]:
    if item.key is None:
        return
    ours = words.content(item.key.text)
    for one in item.siblings:
        if one.key and words.alike(ours, words.content(one.key), NEAR_KEY):
            yield one


def _place(item: ItemView) -> str:
    return option(next(number for number, one in enumerate(item.options, start=1) if one.is_key))
