"""Counts of the frozen items of a release."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parable.formats.option_marks import LETTERS
from parable.splits import DEV, TEST, TRAIN, splits_among
from release.assembly.number_order import ascending
from release.assembly.recipe import Recipe
from release.assembly.records import FrozenItem, key_places

Counts = dict[str, dict[str, int]]
Keys = dict[str, dict[str, dict[str, int]]]


@dataclass(frozen=True, slots=True)
class CountRow:
    """A row of a table of counts: the name of the row, and the number of items in each split."""

    name: tuple[str, ...]
    of_split: Mapping[str, int]

    @property
    def all(self) -> int:
        """The number of items in all splits together."""
        return sum(self.of_split.values())


def by_task(items: Sequence[FrozenItem]) -> Counts:
    """Return the number of items by task, then by split."""
    found = _lines(items, lambda record: [(record["task"],)])
    return {line.name[0]: dict(line.of_split) for line in found}


def by_key(items: Iterable[FrozenItem]) -> Keys:
    """Return the number of keys by task, split and letter; letters that are never a key count as 0.

    If an item has several keys, each key counts. Ordering tasks are omitted.
    """
    found: Keys = {}
    keyed = [one for one in items if key_places(one.record)]
    for one in sorted(keyed, key=lambda one: (one.record["task"], one.split)):
        cell = found.setdefault(one.record["task"], {}).setdefault(one.split, {})
        for letter in LETTERS[: len(one.record["choices"])]:
            cell.setdefault(letter, 0)
        for place in key_places(one.record):
            cell[LETTERS[place]] += 1
    return {
        task: {split: dict(sorted(cell.items())) for split, cell in splits.items()}
        for task, splits in found.items()
    }


def by_style(items: Sequence[FrozenItem]) -> list[CountRow]:
    """Return the number of items for each task and style, as rows."""
    return _lines(items, lambda record: [(record["task"], record["style"])])


def by_type(items: Sequence[FrozenItem], codes: Sequence[str]) -> list[CountRow]:
    """Return the number of items for each commonsense type, as rows in the order of `codes`.

    An item of two types counts for both types.
    """
    found = _lines(items, lambda record: [(code,) for code in record["types"]])
    places = {code: index for index, code in enumerate(codes)}
    return sorted(found, key=lambda line: (places.get(line.name[0], len(places)), line.name))


Names = Callable[[Mapping[str, Any]], Iterable[tuple[str, ...]]]
"""A function that returns the names under which a record is counted."""


def _lines(items: Sequence[FrozenItem], names_of: Names) -> list[CountRow]:
    counted = Counter((name, one.split) for one in items for name in names_of(one.record))
    names = sorted({name for name, _split in counted})
    splits = splits_in(items)
    return [CountRow(name, {split: counted[name, split] for split in splits}) for name in names]


def splits_in(items: Iterable[FrozenItem]) -> tuple[str, ...]:
    """Return the splits of these items, in the order of `SPLITS`."""
    return splits_among(one.split for one in items)


def by_genre(items: Sequence[FrozenItem]) -> list[CountRow]:
    """Return the number of stories for each genre, "" if not stated; [] if no story has a genre."""
    stories: dict[tuple[str, str], FrozenItem] = {}
    for one in items:
        stories.setdefault((one.record["story_id"], one.split), one)
    if not any(one.record.get("genre") for one in stories.values()):
        return []
    return _lines(list(stories.values()), lambda record: [(record.get("genre", ""),)])


def stories_in(items: Iterable[FrozenItem], *splits: str) -> set[str]:
    """Return the ids of the stories that have items in these splits, or in any split if none is given."""
    return {one.record["story_id"] for one in items if not splits or one.split in splits}


def sharing_a_story(items: Sequence[FrozenItem]) -> int:
    """Return the number of test items whose story also has items in another split."""
    others = stories_in(items, TRAIN, DEV)
    return sum(one.split == TEST and one.record["story_id"] in others for one in items)


def standing_in_order(items: Iterable[FrozenItem], recipe: Recipe) -> list[FrozenItem]:
    """Return the items whose options are in ascending order by rule; [] if the recipe lacks `keep_order`."""
    if not recipe.keep_order:
        return []
    return [one for one in items if one.record["answer"] is not None and ascending(one.record["choices"])]


def generators_in(items: Iterable[FrozenItem]) -> list[str]:
    """Return the names of the LLMs that contributed to an option, sorted."""
    return sorted({generator for one in items for generator in one.record["generators"]})
