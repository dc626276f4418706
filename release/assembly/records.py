"""Items frozen in a release, and their correct answers as letters and text."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from parable.formats.other_answers import letters_of
from parable.formats.records import IN, OUT, ItemRecord, ReleaseRecord
from parable.kinds import kind_of
from parable.splits import TEST
from release.assembly.assembly_items import KeyPosition, Placed
from release.assembly.identity import public_id, published_source_id
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
class FrozenItem:
    """An item frozen in a release.

    `record` has the fields in `FROZEN_FIELDS`, including the key, and the `genre` of the story, if stated.
    `handle` is the item's id in its project. `revision`, `order` (the stored positions of the choices, in
    released order) and `source_id` (the id from the item's import, even if the release is anonymous) are set
    only while the release is built.
    """

    number: int
    public_id: str
    split: str
    record: Mapping[str, Any]
    handle: int = 0
    revision: int = 0
    order: tuple[int, ...] = ()
    source_id: str = ""

    @property
    def key_position(self) -> KeyPosition:
        """The task, split, number of options and position of the key, for `count_positions`."""
        return self.record["task"], self.split, len(self.record["choices"]), self.record["answer"]

    def item(self) -> ItemRecord:
        """Return the record as an `ItemRecord` for file writers and gates."""
        kept = {**_LATER, **self.record}
        values = {name: kept[name] for name in FROZEN_FIELDS}
        values.update({name: tuple(values[name]) for name in _TUPLES})
        return ItemRecord(id=self.public_id, split=self.split, **values)


def domains(placed: Iterable[Placed]) -> dict[str, str]:
    """Return {story id: domain} of the stories in dev or train: `IN` if also in another split, else `OUT`."""
    splits: dict[str, set[str]] = {}
    for one in placed:
        splits.setdefault(one.item.story, set()).add(one.split)
    return {story: IN if len(found) > 1 else OUT for story, found in splits.items() if found != {TEST}}


def freeze(placed: Placed, slug: str, domain: str | None = None) -> FrozenItem:
    """Return an assembled item as frozen. If the release is anonymous, the record has no source id."""
    source = placed.item
    item = replace(
        source.record,
        domain=domain if placed.split != TEST else None,
        source_id=published_source_id(source.record.source_id, slug),
        choices=tuple(source.record.choices[at] for at in placed.order),
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
        handle=source.handle,
        revision=source.revision,
        order=tuple(source.positions[at] for at in placed.order),
        source_id=source.record.id,
    )


def release_records(items: Iterable[FrozenItem], *, recipe: Recipe, marker: str) -> tuple[ReleaseRecord, ...]:
    """Return the records for the file writers, with test answers withheld if the recipe says so."""
    return tuple(
        ReleaseRecord(one.item(), one.split, marker, withheld=recipe.withhold_test and one.split == TEST)
        for one in items
    )


# --- The correct answer of a released item as letters and as text, for any task ---


def right_places(record: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the positions of the keys or, in an ordering task, of all options in order; () if none."""
    if record.get("answers"):
        return tuple(record["answers"])
    answer = record.get("answer")
    return () if answer is None else (answer,)


def right_letters(record: Mapping[str, Any]) -> str:
    """Return the letters of the keys, or of all options in correct order in an ordering task."""
    return letters_of(right_places(record))


def right_words(record: Mapping[str, Any]) -> str:
    """Return the texts of the keys, or of all options in correct order in an ordering task."""
    places = right_places(record)
    if len(places) == 1:
        return str(record["choices"][places[0]])
    sign = " → " if kind_of(record["task"]).has_right_order else " / "
    return sign.join(record["choices"][place] for place in places)


def key_places(record: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the positions of the keys; () in an ordering task."""
    return () if kind_of(record["task"]).has_right_order else right_places(record)
