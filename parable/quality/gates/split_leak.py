"""A gate that finds stories, items and keys that two splits share although they must not."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import ClassVar, Final

import numpy as np

from parable.formats.records import IN, ItemRecord
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
)
from parable.quality.gates.duplicates import repeated_wordings
from parable.quality.gates.grams import Ints
from parable.quality.gates.split_likeness import (
    MANY_STORIES,
    resembling_items,
    resembling_stories,
    usual_stems,
)
from parable.quality.gates.unit_numbers import NONE, Columns, Mask, columns
from parable.quality.item.words import same_form
from parable.sentences import gettext_noop as _
from parable.sentences import ngettext_noop
from parable.splits import SPLITS

LONG_KEY: Final = 15
"""The length in characters from which a key in both splits is hardly a coincidence."""


class SplitLeak(Gate):
    """Find stories, items and keys that two splits share.

    A shared story, or stem and options together, is an error. Warnings are: a shared stem or long key; an
    item that resembles an item of dev; a story that is probably a version of a story of dev, until a person
    confirms or rejects this; and a story that a mixed split shares by design (`domain` of the dev item).
    """

    id: ClassVar = "split_leak"
    finds_repeats: ClassVar = True
    name: ClassVar = _("Stories and items in both splits")
    looks_at: ClassVar = _(
        "Test items whose story, or whose stem and options, are also in dev, word for word or nearly so."
        " Stories that a mixed split shares by order are counted, and only warn. With a train split, dev is"
        " compared with train, and test with both."
    )
    needs: ClassVar = _("It needs two splits, such as dev and test.")
    why: ClassVar = _(
        "A model tuned on dev has then seen stories of the test, so the test also tests memory."
    )
    fix: ClassVar = _(
        "Split by whole stories. Confirm or reject suggested story groups. Change or retire repeated items."
    )

    unit: ClassVar = ngettext_noop("%(n)d item in common", "%(n)d items in common")
    parts: ClassVar = ()
    reveals_keys: ClassVar = True  # such as a long key that dev has, too

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result for all tasks.

        The figure is the number of test items that share something with dev. With a train split, items of dev
        or test that share something with train count, too.
        """
        steps = _steps(items.items)
        met = [_met(items, earlier, later) for earlier, later in steps]
        if not met:
            return [GateResult(self.id, None, NOT_APPLICABLE, looked_at=len(items.items))]
        grave, slight, ordered = (set[Name]().union(*found) for found in zip(*met, strict=True))
        named, found = grave | slight, grave | slight | ordered
        later = (item for _before, places in steps for item in _at(items, places) if named)
        ids = tuple(item.id for item in later if name_of(item) in named)
        stories = _stories_in_both(items.once(columns), steps)
        return [split_result(len(items.items), len(grave), len(found), ids, stories)]


def split_result(items: int, grave: int, found: int, ids: tuple[str, ...], stories: int) -> GateResult:
    """Return the result for so many items, of which some are found, some of these leaked seriously."""
    return GateResult(
        SplitLeak.id,
        None,
        ERROR if grave else WARNING if found else OK,
        figure=found,
        threshold=0,
        items=ids,
        looked_at=items,
        detail={"stories": stories},
    )


Name = tuple[str, str]
Step = tuple[Ints, Ints]
"""The positions of the items of all earlier splits, and of the items of the next split."""


def _steps(items: Iterable[ItemRecord]) -> list[Step]:
    by_split: dict[str | None, list[int]] = {}
    for place, item in enumerate(items):
        by_split.setdefault(item.split, []).append(place)
    steps: list[Step] = []
    before = np.empty(0, np.int64)
    for split in SPLITS:
        later = np.array(by_split.get(split, ()), np.int64)
        if len(before) and len(later):
            steps.append((before, later))
        before = np.concatenate([before, later])
    return steps


def _at(items: ItemSet, places: Ints) -> list[ItemRecord]:
    return [items.items[place] for place in places.tolist()]


def _met(items: ItemSet, dev: Ints, test: Ints) -> tuple[set[Name], ...]:
    """Return three sets of names of test items: leaked seriously, slightly, or by design of a mixed split."""
    own, earlier, later = items.once(columns), _at(items, dev), _at(items, test)
    is_in = np.array([item.domain == IN for item in earlier], np.bool_)
    grave, ordered = set[Name](), set[Name]()
    for names, chosen in ((grave, dev[~is_in]), (ordered, dev[is_in])):
        by_text, by_id = (_met_before(stories, chosen, test) for stories in _by_story(own))
        names.update(name_of(item) for item in _at(items, test[by_text | by_id]))
    grave |= _same_wording(items, earlier, later)
    slight = _same_stem(items, dev, test) | _same_key(items, dev, test)
    slight |= resembling_items(earlier, later, items.standard_stems)
    outside = _at(items, dev[~is_in])
    if items.suspected is None:  # stories that are probably versions of stories of dev
        slight |= resembling_stories(outside, later)
    elif suspected := items.suspected:
        slight |= _shared(outside, later, lambda item: suspected.get(item.story_id or ""))
    return grave, slight, ordered


def _same_wording(items: ItemSet, dev: Sequence[ItemRecord], test: Sequence[ItemRecord]) -> set[Name]:
    """Return the names of test items with the same stem and options as an item of dev."""
    groups = [[items.items[place] for place in group] for group in items.once(repeated_wordings)]
    if not groups:
        return set()
    earlier, later = {item.split for item in dev}, {item.split for item in test}
    return {
        name_of(item)
        for group in groups
        if any(one.split in earlier for one in group)
        for item in group
        if item.split in later
    }


Look = Callable[[ItemRecord], Hashable | None]


def _shared(dev: Iterable[ItemRecord], test: Iterable[ItemRecord], look: Look) -> set[Name]:
    """Return the names of test items for which `look` returns the same value as for an item of dev."""
    seen = {value for item in dev if (value := look(item)) is not None}
    return {name_of(item) for item in test if look(item) in seen}


def _shared_at(items: ItemSet, values: Ints, dev: Ints, test: Ints, look: Look) -> set[Name]:
    """Return the result of `_shared`, faster: compare only items with equal `values`.

    Items for which `look` returns equal results must have equal `values`.
    """
    test = test[np.isin(values[test], values[dev])]
    dev = dev[np.isin(values[dev], values[test])]
    return _shared(_at(items, dev), _at(items, test), look)


def _by_story(own: Columns) -> tuple[Ints, Ints]:
    """Return two numbers of each item's story: by text (or else by id), and by id.

    Equal stories have equal numbers.
    """
    return np.where(own.texts == NONE, own.ids, own.texts), own.ids


def _stories_in_both(own: Columns, steps: Iterable[Step]) -> int:
    """Return the number of stories that a split shares with earlier splits.

    Stories are compared by text and by id; the larger number counts.
    """
    found = (
        [stories[test[_met_before(stories, dev, test)]] for dev, test in steps] for stories in _by_story(own)
    )
    return max(len(np.unique(np.concatenate(shared))) for shared in found)


def _met_before(stories: Ints, dev: Ints, test: Ints) -> Mask:
    """Return a mask of the items of test whose story also occurs in dev."""
    are_seen = np.zeros(int(stories.max()) + 2, np.bool_)
    are_seen[stories[dev]] = True
    are_seen[NONE] = False  # the last element: no story has this number
    return are_seen[stories[test]]


def _same_stem(items: ItemSet, dev: Ints, test: Ints) -> set[Name]:
    """Return the names of test items with the same stem as an item of dev, unless many stories share it."""
    stems = items.once(columns).stems
    _known, places, counts = np.unique(
        stems[np.concatenate([dev, test])], return_inverse=True, return_counts=True
    )
    are_often = (counts >= MANY_STORIES)[places]
    often = (part[are] for part, are in zip((dev, test), np.split(are_often, [len(dev)]), strict=True))
    exempt = items.standard_stems | usual_stems(*(_at(items, part) for part in often))
    return _shared_at(items, stems, dev, test, _stem(exempt))


def _stem(standard: frozenset[str]) -> Look:
    exempt = {same_form(stem) for stem in standard}

    def look(item: ItemRecord) -> Hashable | None:
        stem = same_form(item.question)
        is_shared = (
            not stem or stem in exempt or kind_of(item.task).has_right_order
        )  # such stems all ask the same
        return None if is_shared else stem

    return look


def _same_key(items: ItemSet, dev: Ints, test: Ints) -> set[Name]:
    """Return the names of test items whose key is long and also a key of dev."""
    own = items.once(columns)
    dev, test = dev[own.are_keyed[dev]], test[own.are_keyed[test]]
    keys = np.zeros(len(own.sizes), np.int64)
    keys[own.are_keyed] = own.forms[own.keys[own.are_keyed]]
    return _shared_at(items, keys, dev, test, _long_key)


def _long_key(item: ItemRecord) -> Hashable | None:
    if item.answer is None:
        return None
    key = same_form(item.choices[item.answer])
    return key if len(key) >= LONG_KEY else None
