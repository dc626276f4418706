"""Items of a project as input of a release, and their order by content."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parable.formats.records import ItemRecord
from parable.kinds import kind_of

KeyPosition = tuple[str, str, int, int | None]
"""(task, split, number of options, position of the only key or None) of an item."""


@dataclass(frozen=True, slots=True)
class AssemblyItem:
    """An item of the project that can be released. `record.id` is the id from its import, if any.

    `handle` and `revision` identify the item for the caller. `positions`: the stored positions of the
    choices. `genre`: the genre of the story, or "". `in_order`: the order of the choices if it is fixed, else
    (). Raise `ValueError` if the record has no key or no story.
    """

    handle: int
    record: ItemRecord
    revision: int = 0
    positions: tuple[int, ...] = ()
    genre: str = ""
    in_order: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Raise `ValueError` for an item without a key or a story."""
        if not self.record.is_keyed or self.record.story_id is None:
            raise ValueError(f"Item {self.handle} has no key or no story.")

    @property
    def story(self) -> str:
        """The id of the item's story."""
        return self.record.story_id or ""

    @property
    def key(self) -> str:
        """The text of the key, or of all correct options together with the data of the item's kind."""
        record = self.record
        if record.answer is not None:
            return record.choices[record.answer]
        texts = [record.choices[position] for position in record.answers]
        own = json.dumps(record.own, sort_keys=True) if record.own else ""
        return "\x1f".join([*(texts if self.has_right_order else sorted(texts)), own])

    @property
    def has_right_order(self) -> bool:
        """Whether the task is to put the options into the correct order."""
        return kind_of(self.record.task).has_right_order

    @property
    def distractors(self) -> tuple[int, ...]:
        """The positions of the options other than the key, sorted by text to hide the writer's order."""
        choices, answer = self.record.choices, self.record.answer
        others = [position for position in range(len(choices)) if position != answer]
        return tuple(sorted(others, key=choices.__getitem__))


def by_content(assembly_items: Iterable[AssemblyItem]) -> list[AssemblyItem]:
    """Return the items sorted by content (by code points), in whatever order they are given."""
    return sorted(assembly_items, key=_content)


def _content(item: AssemblyItem) -> tuple[object, ...]:
    record = item.record
    return (
        record.task,
        (record.title, record.story, record.question),
        item.story,
        tuple(sorted(record.choices)),
        (record.id, record.explanation or "", record.language, *record.generators),
        record.style,
        tuple(sorted(record.types)),
        item.key,
    )


@dataclass(frozen=True, slots=True)
class Placed:
    """An item with its number (from 1), its split, and the positions of its options in released order.

    `public_id` is its id from an earlier release, or "".
    """

    item: AssemblyItem
    number: int
    split: str
    order: tuple[int, ...]
    public_id: str = ""

    @property
    def answer(self) -> int | None:
        """The released position of the key, or None if there is no single key."""
        answer = self.item.record.answer
        return None if answer is None else self.order.index(answer)

    @property
    def key_position(self) -> KeyPosition:
        """The task, split, number of options and position of the key, for `count_positions`."""
        return self.item.record.task, self.split, len(self.order), self.answer

    @property
    def answers(self) -> tuple[int, ...]:
        """The released positions of several keys, ascending; in an ordering task, in correct order."""
        places = [self.order.index(position) for position in self.item.record.answers]
        return tuple(places if self.item.has_right_order else sorted(places))


Cells = Mapping[tuple[str, str, int], Sequence[int]]
"""The number of keys at each position, by task, split and number of options."""


def count_positions(keys: Iterable[KeyPosition]) -> Cells:
    """Return the number of keys at each position, by task, split and number of options.

    Items without a single key are ignored.
    """
    cells: dict[tuple[str, str, int], list[int]] = {}
    for task, split, choices, answer in keys:
        if answer is not None:
            cells.setdefault((task, split, choices), [0] * choices)[answer] += 1
    return dict(sorted(cells.items()))
