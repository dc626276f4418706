"""Items at two stages of a release: as the project has them (`Source`), and frozen (`FrozenItem`)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from parable.formats.other_answers import letters_of
from parable.formats.records import IN, OUT, ItemRecord, ReleaseRecord
from parable.kinds import kind_of
from parable.splits import TEST
from release.assembly.assembly_items import AssemblyItem, KeyPosition, Placed
from release.assembly.identity import public_id, published_source_id
from release.assembly.number_order import ascending
from release.assembly.recipe import Recipe

FROZEN_FIELDS: Final = (
    "source_id",
    "task",
    "story_id",
    "title",
    "story",
    "question",
    "choices",
    "answer",
    "types",
    "style",
    "generators",
    "explanation",
    "language",
    "domain",
    "answers",
    "own",
)


_TUPLES: Final = ("choices", "types", "generators", "answers")
_LATER: Final[Mapping[str, Any]] = {"source_id": "", "domain": None, "answers": (), "own": None}
"""Fields that records of older releases do not have."""


@dataclass(frozen=True, slots=True)
class Source:
    """An item of the project that can be released; `item.id` is the id that it was imported with, if any.

    `handle` and `revision` are for the caller. `positions` are the stored positions of the choices. `genre`
    is the genre of the item's story.
    """

    handle: int
    revision: int
    positions: tuple[int, ...]
    item: ItemRecord
    genre: str = ""

    def assembly_item(self, *, keep_order: bool = False) -> AssemblyItem:
        """Return the item for the assembly; with `keep_order`, numeric options keep their ascending order."""
        item = self.item
        if not item.is_keyed or item.story_id is None:
            raise ValueError(f"Item {self.handle} has no key or no story.")
        return AssemblyItem(
            handle=self.handle,
            story=item.story_id,
            task=item.task,
            style=item.style,
            types=item.types,
            options=item.choices,
            answer=item.answer,
            words=(item.title, item.story, item.question),
            ties=(item.id, item.explanation or "", item.language, *item.generators),
            in_order=ascending(item.choices) if keep_order and item.answer is not None else (),
            answers=item.answers,
            own=json.dumps(item.own, sort_keys=True) if item.own else "",
            genre=self.genre,
        )


@dataclass(frozen=True, slots=True)
class FrozenItem:
    """An item frozen in a release.

    `record` has the fields in `FROZEN_FIELDS`, including the key, and the `genre` of the story, if stated.
    """

    number: int
    public_id: str
    split: str
    record: Mapping[str, Any]

    @property
    def key_position(self) -> KeyPosition:
        """The position of the key with task, split and number of options, for `count_positions`."""
        return self.record["task"], self.split, len(self.record["choices"]), self.record["answer"]

    def item(self) -> ItemRecord:
        """Return the record in the form that the file writers and gates need."""
        kept = {**_LATER, **self.record}
        values = {name: kept[name] for name in FROZEN_FIELDS}
        values.update({name: tuple(values[name]) for name in _TUPLES})
        return ItemRecord(id=self.public_id, split=self.split, **values)


class BuildItem(NamedTuple):
    """An item of a release that is being built, with the data that its database row stores.

    `order` has the stored positions of the choices, in released order; `source_id` is the id that the item
    was imported with.
    """

    handle: int
    revision: int
    order: tuple[int, ...]
    source_id: str
    item: FrozenItem


def domains(placed: Iterable[Placed]) -> dict[str, str]:
    """Return, for each story in dev or train, `IN` if it is also in a later split, else `OUT`."""
    splits: dict[str, set[str]] = {}
    for one in placed:
        splits.setdefault(one.item.story, set()).add(one.split)
    return {story: IN if len(found) > 1 else OUT for story, found in splits.items() if found != {TEST}}


def freeze(source: Source, placed: Placed, slug: str, domain: str | None = None) -> FrozenItem:
    """Return the item with its split, order and id; without source id if the release is anonymous."""
    item = replace(
        source.item,
        domain=domain if placed.split != TEST else None,
        source_id=published_source_id(source.item.source_id, slug),
        choices=tuple(source.item.choices[at] for at in placed.order),
        answer=placed.answer,
        answers=placed.answers,
    )
    record = {name: getattr(item, name) for name in FROZEN_FIELDS}
    record.update({name: list(record[name]) for name in _TUPLES})
    if source.genre:
        record["genre"] = source.genre
    return FrozenItem(
        number=placed.number,
        public_id=placed.public_id or public_id(slug, item.task, placed.number),
        split=placed.split,
        record=record,
    )


def release_records(items: Iterable[FrozenItem], *, recipe: Recipe, marker: str) -> tuple[ReleaseRecord, ...]:
    """Return the records for the file writers; test items whose answers are withheld have no key."""
    return tuple(
        ReleaseRecord(one.item(), one.split, marker, withheld=recipe.withhold_test and one.split == TEST)
        for one in items
    )


# --- The correct answer of a released item as letters and as text, for any task ---


def right_places(record: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the positions of the keys or, in a task of ordering, of all options in order; () if none."""
    if record.get("answers"):
        return tuple(record["answers"])
    answer = record.get("answer")
    return () if answer is None else (answer,)


def right_letters(record: Mapping[str, Any]) -> str:
    """Return the letters of the correct options."""
    return letters_of(right_places(record))


def right_words(record: Mapping[str, Any]) -> str:
    """Return the texts of the correct options."""
    places = right_places(record)
    if len(places) == 1:
        return str(record["choices"][places[0]])
    sign = " → " if kind_of(record["task"]).has_right_order else " / "
    return sign.join(record["choices"][place] for place in places)


def key_places(record: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the positions of the keys; () for a task of ordering."""
    return () if kind_of(record["task"]).has_right_order else right_places(record)
