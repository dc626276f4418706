"""An item in the form that the assembly needs, and the order of items by content."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parable.kinds import kind_of

KeyPosition = tuple[str, str, int, int | None]
"""An item's task, split, number of options, and the position of its only key, if it has one."""


@dataclass(frozen=True, slots=True)
class AssemblyItem:
    """An item as plain values.

    `handle` is an opaque value of the caller. `words` are the displayed texts besides the options (title,
    story, stem), `ties` further fields that distinguish items (import id, explanation, ...). `options` may be
    in any order. `answer` is the position of the key among them, or None; then `answers` are the positions of
    several keys or, in a task of ordering, of all options in their correct order. `in_order`: the positions
    in an order to keep, if any. `own`: the part of the content specific to the kind, as one text. `genre`:
    the genre of its story, "" if not stated.
    """

    handle: int
    story: str
    task: str
    style: str
    types: tuple[str, ...]
    options: tuple[str, ...]
    answer: int | None
    words: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    in_order: tuple[int, ...] = ()
    answers: tuple[int, ...] = ()
    own: str = ""
    genre: str = ""

    @property
    def key(self) -> str:
        """Return the text of the key, or of all correct options, with the kind's own part."""
        if self.answer is not None:
            return self.options[self.answer]
        texts = [self.options[position] for position in self.answers]
        return "\x1f".join([*(texts if self.has_right_order else sorted(texts)), self.own])

    @property
    def has_right_order(self) -> bool:
        """Whether the task is to put the options into their correct order."""
        return kind_of(self.task).has_right_order

    @property
    def distractors(self) -> tuple[int, ...]:
        """The positions of the options other than the key, sorted by text to hide the writer's order."""
        others = [position for position in range(len(self.options)) if position != self.answer]
        return tuple(sorted(others, key=self.options.__getitem__))


def by_content(assembly_items: Iterable[AssemblyItem]) -> list[AssemblyItem]:
    """Return the items sorted by content (code points), whatever the order in which they are stored."""
    return sorted(assembly_items, key=_content)


def _content(item: AssemblyItem) -> tuple[object, ...]:
    return (
        item.task,
        item.words,
        item.story,
        tuple(sorted(item.options)),
        item.ties,
        item.style,
        tuple(sorted(item.types)),
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
        return None if self.item.answer is None else self.order.index(self.item.answer)

    @property
    def key_position(self) -> KeyPosition:
        """The position of the key with task, split and number of options, for `count_positions`."""
        return self.item.task, self.split, len(self.order), self.answer

    @property
    def answers(self) -> tuple[int, ...]:
        """The released positions of several keys, ascending; in a task of ordering, of all options."""
        places = [self.order.index(position) for position in self.item.answers]
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
