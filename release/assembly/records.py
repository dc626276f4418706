"""Items on their way into a release: as they stand in the project, and frozen as they go out."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from parable.formats.records import IN, OUT, ItemRecord, ReleaseRecord
from parable.splits import TEST
from release.assembly.number_order import ascending
from release.assembly.pieces import AssemblyItem, Placed
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
ANONYMOUS: Final = "anonymous"
"""The name of a release that names nobody; no project has it, since ids must not look alike."""
_TUPLES: Final = ("choices", "types", "generators", "answers")
_LATER: Final[Mapping[str, Any]] = {"source_id": "", "domain": None, "answers": (), "own": None}
"""Fields that records of older releases lack."""


@dataclass(frozen=True, slots=True)
class Source:
    """An item of the project as it could be released; `item.id` is what an import knows it by, if any.

    `handle` and `revision` are the caller's; `positions` are the stored positions of the choices. `genre`:
    that of its story.
    """

    handle: int
    revision: int
    positions: tuple[int, ...]
    item: ItemRecord
    genre: str = ""

    def piece(self, *, keep_order: bool = False) -> AssemblyItem:
        """The item as the assembly sees it; with `keep_order`, options that are numbers stay in theirs."""
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
    """An item as it stands in a release. `record` has FROZEN_FIELDS, the key included.

    It has the `genre` of the story, too, where somebody has said it.
    """

    number: int
    public_id: str
    split: str
    record: Mapping[str, Any]

    def item(self) -> ItemRecord:
        """The record as files and gates take it."""
        kept = {**_LATER, **self.record}
        values = {name: kept[name] for name in FROZEN_FIELDS}
        values.update({name: tuple(values[name]) for name in _TUPLES})
        return ItemRecord(id=self.public_id, split=self.split, **values)


def domains(placed: Iterable[Placed]) -> dict[str, str]:
    """By story, whether those in dev or train are in a later split, too: in test, as a rule."""
    splits: dict[str, set[str]] = {}
    for one in placed:
        splits.setdefault(one.piece.story, set()).add(one.split)
    return {story: IN if len(found) > 1 else OUT for story, found in splits.items() if found != {TEST}}


def freeze(source: Source, placed: Placed, slug: str, domain: str | None = None) -> FrozenItem:
    """The item in its place, its options in released order; where nobody is named, without its source id."""
    item = replace(
        source.item,
        domain=domain if placed.split != TEST else None,
        source_id="" if slug == ANONYMOUS else source.item.source_id,
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


def public_id(slug: str, task: str, number: int) -> str:
    """The id that an item carries for good, such as `fables-m-000017`."""
    return f"{slug}-{task[0]}-{number:06d}"


def canary(slug: str, version: str) -> str:
    """The marker by which this version is known again in training data: the same for the same version."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"parable:{slug}:{version}"))


def content_hash(items: Iterable[FrozenItem]) -> str:
    """What follows from the words of the items, and from no key, order of options or name."""
    lines = sorted(
        json.dumps([one.record["story"], one.record["question"], sorted(one.record["choices"])])
        for one in items
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def seed_hash(seed: str) -> str:
    """What is published of a seed that is kept secret."""
    return hashlib.sha256(seed.encode()).hexdigest()


def release_records(items: Iterable[FrozenItem], *, recipe: Recipe, marker: str) -> tuple[ReleaseRecord, ...]:
    """The items as the writers of files take them; test items without key where that is withheld."""
    return tuple(
        ReleaseRecord(one.item(), one.split, marker, withheld=recipe.withhold_test and one.split == TEST)
        for one in items
    )
