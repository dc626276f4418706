"""What is in a release, counted from its frozen items."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parable.formats.options import LETTERS
from release.assembly.number_order import ascending
from release.assembly.pieces import DEV, SPLITS, TEST
from release.assembly.recipe import Recipe
from release.assembly.records import FrozenItem
from release.assembly.right import key_places

Counts = dict[str, dict[str, int]]
Keys = dict[str, dict[str, dict[str, int]]]


@dataclass(frozen=True, slots=True)
class CountRow:
    """A line of a table: what is counted, and how many of it there are."""

    name: tuple[str, ...]
    dev: int
    test: int

    @property
    def all(self) -> int:
        """In both splits."""
        return self.dev + self.test


def by_task(items: Iterable[FrozenItem]) -> Counts:
    """Items by task and split."""
    counted = Counter((one.record["task"], one.split) for one in items)
    tasks = sorted({task for task, _split in counted})
    return {task: {split: counted[task, split] for split in SPLITS} for task in tasks}


def by_key(items: Iterable[FrozenItem]) -> Keys:
    """Keys by task, split and letter; every letter that an item of the cell has is there.

    Of an item with several answers each counts; of tasks whose answers are an order there is nothing.
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


def by_style(items: Iterable[FrozenItem]) -> list[CountRow]:
    """Items by task and style."""
    return _lines(((one.record["task"], one.record["style"]), one.split) for one in items)


def by_type(items: Iterable[FrozenItem], codes: Sequence[str]) -> list[CountRow]:
    """Items by commonsense type, in the project's order; an item of two types counts in both."""
    found = _lines(((code,), one.split) for one in items for code in one.record["types"])
    places = {code: place for place, code in enumerate(codes)}
    return sorted(found, key=lambda line: (places.get(line.name[0], len(places)), line.name))


def _lines(features: Iterable[tuple[tuple[str, ...], str]]) -> list[CountRow]:
    counted = Counter(features)
    names = sorted({name for name, _split in counted})
    return [CountRow(name, counted[name, DEV], counted[name, TEST]) for name in names]


def stories_in(items: Iterable[FrozenItem], *splits: str) -> set[str]:
    """The ids of the stories that have items in these splits, or in any."""
    return {one.record["story_id"] for one in items if not splits or one.split in splits}


def sharing_a_story(items: Sequence[FrozenItem]) -> int:
    """How many test items share their story with a dev item."""
    dev = stories_in(items, DEV)
    return sum(one.split == TEST and one.record["story_id"] in dev for one in items)


def standing_in_order(items: Iterable[FrozenItem], recipe: Recipe) -> list[FrozenItem]:
    """The items whose options stay in the order of their size; none where the recipe does not say so."""
    if not recipe.keep_order:
        return []
    return [one for one in items if one.record["answer"] is not None and ascending(one.record["choices"])]


def generators_in(items: Iterable[FrozenItem]) -> list[str]:
    """The models that had a part in an option, by name."""
    return sorted({generator for one in items for generator in one.record["generators"]})
