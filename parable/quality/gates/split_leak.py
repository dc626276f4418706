"""Finds stories, items and keys that two splits share although they must not."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import ClassVar, Final

from parable.formats.records import IN, ItemRecord, one_line
from parable.kinds import kind_of
from parable.quality.gates.base import (
    ERROR,
    NOT_APPLICABLE,
    OK,
    WARNING,
    Gate,
    GateResult,
    ItemSet,
    name_of,
    repeated_wordings,
)
from parable.quality.gates.split_likeness import resembling_items, resembling_stories, usual_stems
from parable.quality.item.words import same_form
from parable.sentences import gettext_noop as _
from parable.sentences import ngettext_noop
from parable.splits import SPLITS

LONG_KEY: Final = 15
"""Length from which a key found in both splits is hardly a coincidence, in characters."""


class SplitLeak(Gate):
    """A shared story, or stem and options together, is an error; a shared stem or long key is a warning.

    So is an item that resembles one of dev, a story whose probable other wording is in the other split, until
    somebody has decided, and one of which dev items say themselves that it is in the test, too: it is shared
    by order.
    """

    id: ClassVar = "split_leak"
    name: ClassVar = _("Stories and items in both splits")
    looks_at: ClassVar = _(
        "Test items whose story, or whose stem and options, are also in dev, word for word or nearly so."
        " Stories that a mixed split shares by order are counted, and only warn. With a train split, dev is"
        " compared with train, and test with both."
    )
    why: ClassVar = _(
        "A model tuned on dev has then seen stories of the test, so the test also tests memory."
    )
    fix: ClassVar = _(
        "Split by whole stories. Confirm or reject suggested story groups. Change or retire repeated items."
    )

    unit: ClassVar = ngettext_noop("%(n)d item in common", "%(n)d items in common")
    parts: ClassVar = ()
    reveals_keys: ClassVar = True  # a long key that dev has, too

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result for all tasks; the figure counts test items that share something with dev.

        Where there is a train split, those of test that share something with train count, too, and those of
        dev that do.
        """
        met = [_met(items, earlier, later) for earlier, later in _steps(items.items)]
        if not met:
            return [GateResult(self.id, None, NOT_APPLICABLE, looked_at=len(items.items))]
        grave, slight, ordered = (set[Name]().union(*found) for found in zip(*met, strict=True))
        named, found = grave | slight, grave | slight | ordered
        steps = _steps(items.items)
        return [
            GateResult(
                self.id,
                None,
                ERROR if grave else WARNING if found else OK,
                figure=len(found),
                threshold=0,
                items=tuple(item.id for _before, later in steps for item in later if name_of(item) in named),
                looked_at=len(items.items),
                detail={"stories": max(_in_both(steps, look) for look in (_story, _story_id))},
            )
        ]


Name = tuple[str, str]
Step = tuple[Sequence[ItemRecord], Sequence[ItemRecord]]
"""The items of all earlier splits, and the items of the next split."""


def _steps(items: Iterable[ItemRecord]) -> list[Step]:
    by_split: dict[str | None, list[ItemRecord]] = {}
    for item in items:
        by_split.setdefault(item.split, []).append(item)
    steps: list[Step] = []
    before: list[ItemRecord] = []
    for split in SPLITS:
        later = by_split.get(split, [])
        if before and later:
            steps.append((before, later))
        before = [*before, *later]
    return steps


def _met(items: ItemSet, dev: Sequence[ItemRecord], test: Sequence[ItemRecord]) -> tuple[set[Name], ...]:
    """Return the names of test items that dev leaks seriously, slightly, and by design of a mixed split."""
    whole = [item for item in dev if item.domain != IN]
    grave = _same_story(whole, test) | _same_wording(items, dev, test)
    slight = _shared(dev, test, _stem(items.standard_stems | usual_stems(dev, test)))
    slight |= _shared(dev, test, _long_key) | resembling_items(dev, test, items.standard_stems)
    slight |= _other_wordings(whole, test, items.suspected)
    return grave, slight, _same_story([item for item in dev if item.domain == IN], test)


def _same_wording(items: ItemSet, dev: Sequence[ItemRecord], test: Sequence[ItemRecord]) -> set[Name]:
    """Return the names of test items whose stem and options dev has, too."""
    earlier, later = {item.split for item in dev}, {item.split for item in test}
    groups = ([items.items[place] for place in group] for group in items.once(repeated_wordings))
    return {
        name_of(item)
        for group in groups
        if any(one.split in earlier for one in group)
        for item in group
        if item.split in later
    }


def _other_wordings(
    dev: Sequence[ItemRecord], test: Sequence[ItemRecord], suspected: Mapping[str, str] | None
) -> set[tuple[str, str]]:
    """Return the test items whose story dev probably contains in another wording."""
    if suspected is None:
        return resembling_stories(dev, test)
    return _shared(dev, test, lambda item: suspected.get(item.story_id or ""))


Look = Callable[[ItemRecord], Hashable | None]


def _values(items: Iterable[ItemRecord], look: Look) -> set[Hashable]:
    return {value for item in items if (value := look(item)) is not None}


def _in_both(steps: Iterable[Step], look: Look) -> int:
    shared = (_values(before, look) & _values(later, look) for before, later in steps)
    return len(set[Hashable]().union(*shared))


def _shared(dev: Iterable[ItemRecord], test: Iterable[ItemRecord], look: Look) -> set[tuple[str, str]]:
    """Return the names of test items for which `look` gives the same value as for an item of dev."""
    seen = _values(dev, look)
    return {name_of(item) for item in test if look(item) in seen}


def _same_story(dev: Iterable[ItemRecord], test: Iterable[ItemRecord]) -> set[tuple[str, str]]:
    return _shared(dev, test, _story) | _shared(dev, test, _story_id)


def _story(item: ItemRecord) -> Hashable | None:
    return one_line(item.story) or item.story_id


def _story_id(item: ItemRecord) -> Hashable | None:
    return item.story_id or None


def _stem(standard: frozenset[str]) -> Look:
    exempt = {same_form(stem) for stem in standard}

    def look(item: ItemRecord) -> Hashable | None:
        stem = same_form(item.question)
        is_shared = (
            not stem or stem in exempt or kind_of(item.task).has_right_order
        )  # what they ask is one thing
        return None if is_shared else stem

    return look


def _long_key(item: ItemRecord) -> Hashable | None:
    if item.answer is None:
        return None
    key = same_form(item.choices[item.answer])
    return key if len(key) >= LONG_KEY else None
