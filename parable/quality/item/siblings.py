"""Checks of a key beside those of the story's other items where they share it: none may give another away."""

from collections.abc import Iterator
from typing import ClassVar, Final

from parable.formats.records import MACHINE
from parable.quality.gates.base import ERROR, WARNING
from parable.quality.item import words
from parable.quality.item.base import Check, Finding, ItemView, SiblingView, option
from parable.sentences import gettext_noop as _

NEAR_KEY: Final = 0.6
"""So alike are two wordings of one moral that were hardly reworded; of 121 published pairs none is."""


class SiblingKey(Check):
    """A machine-style item has the very key of another item of the story."""

    id: ClassVar = "sibling_key"
    name: ClassVar = _("The key of another item")
    severity: ClassVar = ERROR
    trait: ClassVar = "exposed_by_story"
    says: ClassVar = _("Item %(item)s of this story has the same key.")
    looks_at: ClassVar = _(
        "Whether the key of a machine-style item is, but for width, case, white space and a closing stop,"
        " the key of another moral item of the story."
    )
    why: ClassVar = _(
        "The moral items of a story share their stem: an option that stands in two of them is the key of"
        " both, and can be chosen without reading."
    )
    mend: ClassVar = _("Word the key anew: another wording of the moral, or one of your own.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """One finding at the key, naming the first such item."""
        if item.style == MACHINE:
            for sibling in _same_key(item):
                yield self.at(_place(item), item=sibling.name)
                return


class SiblingKeyNear(Check):
    """The key is worded almost like that of another item of the story."""

    id: ClassVar = "sibling_key_near"
    name: ClassVar = _("Almost the key of another item")
    severity: ClassVar = WARNING
    trait: ClassVar = "exposed_by_story"
    says: ClassVar = _("Item %(item)s of this story has almost the same key: “%(key)s”.")
    looks_at: ClassVar = _(
        "Whether the key shares three fifths of its words with the key of another moral item of the story;"
        " in items of human style also whether both are the same."
    )
    why: ClassVar = _(
        "Whoever has met one item of the story knows the key of the next by its words, without understanding"
        " either."
    )
    mend: ClassVar = _("Say the moral in other words, or by another turn of the same thought.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """One finding at the key, naming the first such item; what is an error is left to its own check."""
        same = _same_key(item)
        if same and item.style == MACHINE:
            return
        for sibling in [*same, *_near_key(item)]:
            yield self.at(_place(item), item=sibling.name, key=sibling.key)
            return


def _same_key(item: ItemView) -> list[SiblingView]:
    if item.key is None:
        return []
    ours = words.bare(item.key.text)
    return [one for one in item.siblings if one.key and words.bare(one.key) == ours]


def _near_key(item: ItemView) -> list[SiblingView]:
    if item.key is None:
        return []
    ours = words.content(item.key.text)
    return [one for one in item.siblings if one.key and words.alike(ours, words.content(one.key), NEAR_KEY)]


def _place(item: ItemView) -> str:
    return option(next(number for number, one in enumerate(item.options, start=1) if one.is_key))
