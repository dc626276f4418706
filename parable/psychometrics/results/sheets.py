"""Items and answers as arrays: a sheet per examinee, with a row for each answer to an item."""

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from sys import intern
from typing import Final

import numpy as np
import numpy.typing as npt

from parable.formats import limits
from parable.formats.records import ItemRecord, released
from parable.kinds import kind_of
from parable.kinds.question import Given
from parable.psychometrics.results import tables
from parable.reading.answers import AMBIGUOUS, CHOSEN, CONTRADICTING, REFUSED, UNPARSED

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

FAILED: Final = "failed"
"""The outcome of an answer that was never received."""
OUTCOMES: Final = (CHOSEN, AMBIGUOUS, CONTRADICTING, UNPARSED, REFUSED, FAILED)
NONE: Final = -1

MODEL: Final = "model"
PEOPLE: Final = tables.PEOPLE

Order = tuple[int, ...]
Asked = tuple[str, int, int]
"""An answer to expect: id of the item, number of the repeat, and number of the rotation of options."""
_MOST_NUMBER: Final = 1 << 20
"""A number above any repeat or rotation."""
_NUMBERS: Final = 8
"""The number of integer columns in `AnswerColumns`."""


@dataclass(frozen=True, slots=True)
class ItemFact:
    """The properties of an item that tables need; `key` and answers are numbers from `code_of`.

    `chance`: the probability of guessing right; None means one divided by the number of options. `is_one`:
    whether answers are positions of released options.
    """

    id: str
    task: str
    story: str
    key: int
    options: int
    types: tuple[str, ...] = ()
    style: str = ""
    generators: tuple[str, ...] = ()
    chance: float | None = None
    is_one: bool = True


def code_of(given: Given) -> int:
    """Return a number for an answer, equal for equal answers.

    The number is a position, a hash above all positions, or `NONE`.
    """
    if given is None:
        return NONE
    if type(given) is int:
        return given
    digest = sha256(json.dumps(given, ensure_ascii=False, sort_keys=True).encode()).digest()
    return limits.MAX_OPTIONS + int.from_bytes(digest[:6])


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its outcome, and the option chosen by lenient and by strict parsing.

    `score`: partial credit, for tasks that give it. `order`: the released positions in display order; None
    means the released order.
    """

    item: str
    outcome: str
    choice: int | None = None
    strict_choice: int | None = None
    repeat: int = 1
    rotation: int = 0
    order: Order | None = None
    score: float | None = None


class Items:
    """The items of a release or split as columns; an item's row is its index in `facts`."""

    def __init__(self, facts: Iterable[ItemFact]) -> None:
        self.facts = tuple(facts)
        self.row = {fact.id: row for row, fact in enumerate(self.facts)}
        if len(self.row) < len(self.facts):
            raise ValueError("Two items share an id.")
        stories = {name: number for number, name in enumerate(dict.fromkeys(one.story for one in self.facts))}
        self.story: Ints = np.array([stories[one.story] for one in self.facts], dtype=np.int64)
        self.key: Ints = np.array([one.key for one in self.facts], dtype=np.int64)
        self.options: Ints = np.array([one.options for one in self.facts], dtype=np.int64)
        self.chance: Floats = np.array(
            [1 / one.options if one.chance is None else one.chance for one in self.facts], dtype=np.float64
        )
        self.is_one: Mask = np.array([one.is_one for one in self.facts], dtype=np.bool_)
        self.tasks = tuple(dict.fromkeys(one.task for one in self.facts))

    def of_task(self, task: str) -> Mask:
        """Return a mask of the items of a task."""
        return np.array([one.task == task for one in self.facts], dtype=np.bool_)

    def of_type(self, kind: str) -> Mask:
        """Return a mask of the items of a type; an item of two types is in both."""
        return np.array([kind in one.types for one in self.facts], dtype=np.bool_)

    def of_style(self, style: str) -> Mask:
        """Return a mask of the items of a style."""
        return np.array([one.style == style for one in self.facts], dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class ResponseColumns:
    """All answers of one examinee, as columns of equal length.

    `item`: rows of `Items`; `outcome`: indexes of `OUTCOMES`; `choice` and `strict`: released positions;
    `shown` and `key_shown`: displayed positions of choice and key; all four are `NONE` if missing. `turn`: a
    number for the order of options. `score`: partial credit, 1 if right. `has_drafted`: whether this examinee
    drafted options of the set.
    """

    name: str
    kind: str
    has_drafted: bool
    item: Ints
    repeat: Ints
    turn: Ints
    outcome: Ints
    choice: Ints
    strict: Ints
    shown: Ints
    key_shown: Ints
    right: Mask
    strictly_right: Mask
    score: Floats

    def __len__(self) -> int:
        return len(self.item)


def item_fact(item: ItemRecord) -> ItemFact:
    """Return the properties of a released item. Raise ValueError if its key is withheld."""
    question, known = kind_of(item.task).question, released(item)
    right = question.right(known)
    if right is None:
        raise ValueError(f"The key of item {item.id!r} is not known.")
    return ItemFact(
        id=item.id,
        task=item.task,
        story=intern(item.story_id or item.story),
        key=code_of(right),
        options=len(item.choices),
        types=item.types,
        style=intern(item.style),
        generators=item.generators,
        chance=question.chance(known),
        is_one=question.is_one_option,
    )


def make_sheet(
    name: str,
    items: Items,
    answers: Iterable[Answer],
    *,
    asked: Iterable[Asked] | None = None,
    kind: str = MODEL,
    also_named: Sequence[str] = (),
) -> ResponseColumns:
    """Return answers as columns; an answer in `asked` that was not received counts as failed.

    If `asked` is None, the received answers are all, ordered by repeat and rotation. `also_named`: other
    names under which items may list the examinee as generator of options. Answers to items that are not in
    `items` are left out.
    """
    sheet = AnswerColumns(name, items)
    for one in answers:
        sheet.add(one)
    return sheet.columns(asked, kind=kind, also_named=also_named)


class AnswerColumns:
    """The answers of one examinee, collected one by one in compact columns to save memory."""

    def __init__(self, name: str, items: Items) -> None:
        self._name = name
        self._items = items
        self._place: dict[int, int] = {}
        """Where in the columns each answer is, by `_key`: a tuple for each would take twice the memory."""
        self._whole = array("q")
        """The columns of whole numbers, one answer after the other."""
        self._score = array("d")

    def __contains__(self, one: Asked) -> bool:
        """Return whether an answer to this item, repeat and rotation was added."""
        row = self._items.row.get(one[0])
        return row is not None and _key(row, *one[1:]) in self._place

    @property
    def rows(self) -> set[int]:
        """The rows of the items that were answered in any repeat."""
        return {key // _MOST_NUMBER**2 for key in self._place}

    @property
    def repeats(self) -> list[int]:
        """The repeats in which any item was answered, in order."""
        return sorted({key // _MOST_NUMBER % _MOST_NUMBER for key in self._place})

    @property
    def is_rotated(self) -> bool:
        """Whether any item was answered with rotated options."""
        return any(key % _MOST_NUMBER for key in self._place)

    def add(self, one: Answer) -> None:
        """Add an answer, or replace an earlier one; ignore an answer to an unknown item."""
        row = self._items.row.get(one.item)
        if row is not None:
            self._add(row, one)

    def _add(self, row: int, one: Answer) -> None:
        fact = self._items.facts[row]
        choice = NONE if one.choice is None else one.choice
        strict = NONE if one.strict_choice is None else one.strict_choice
        order = one.order or _as_released(fact.options)
        shown, key_shown = _place(order, choice), _place(order, fact.key)
        numbers = row, one.repeat, _turn(order), OUTCOMES.index(one.outcome), choice, strict, shown
        score = float(choice == fact.key) if one.score is None else one.score
        at = self._place.setdefault(_key(row, one.repeat, one.rotation), len(self._score))
        self._whole[at * _NUMBERS : (at + 1) * _NUMBERS] = array("q", (*numbers, key_shown))
        self._score[at : at + 1] = array("d", (score,))

    def columns(
        self, asked: Iterable[Asked] | None, *, kind: str = MODEL, also_named: Sequence[str] = ()
    ) -> ResponseColumns:
        """Return the answers in `asked`, or all answers, as `make_sheet` does."""
        chosen = np.fromiter(self._chosen(asked), np.int64)
        whole = np.array(self._whole, np.int64).reshape(-1, _NUMBERS)[chosen].T.copy()
        item, repeat, turn, outcome, choice, strict, shown, key_shown = whole
        key = self._items.key[item]
        return ResponseColumns(
            name=self._name,
            kind=kind,
            has_drafted=has_drafted((self._name, *also_named), self._items.facts),
            item=item,
            repeat=repeat,
            turn=turn,
            outcome=outcome,
            choice=choice,
            strict=strict,
            shown=shown,
            key_shown=key_shown,
            right=np.asarray(choice == key),
            strictly_right=np.asarray(strict == key),
            score=np.array(self._score, np.float64)[chosen],
        )

    def _chosen(self, asked: Iterable[Asked] | None) -> Iterator[int]:
        """Yield the index of each answer in `asked`, once; a missing answer is added as failed."""
        if asked is None:
            by_turn = sorted(self._place, key=lambda key: key % _MOST_NUMBER**2)  # by repeat and rotation
            yield from (self._place[key] for key in by_turn)
            return
        taken = bytearray(len(self._score))
        for name, repeat, rotation in asked:
            if (row := self._items.row.get(name)) is None:
                continue
            at = self._place.get(_key(row, repeat, rotation))
            if at is None:
                at = len(taken)
                taken.append(0)
                self._add(row, Answer(name, FAILED, repeat=repeat, rotation=rotation))
            if not taken[at]:
                taken[at] = True
                yield at


def has_drafted(names: Sequence[str], facts: Iterable[ItemFact]) -> bool:
    """Return whether any item lists one of these names as a generator of its options."""
    own = {_folded(name) for name in names if name.strip()}
    return any(_folded(generator) in own for fact in facts for generator in fact.generators)


def asked_of(
    items: Items, *, repeats: Iterable[int], rotations: Mapping[str, int] | None = None
) -> Iterator[Asked]:
    """Yield every item in every repeat and rotation; `rotations` is their number by item id (default 1)."""
    turns = rotations or {}
    return (
        (fact.id, repeat, turn)
        for repeat in repeats
        for fact in items.facts
        for turn in range(turns.get(fact.id, 1))
    )


_TURN_BYTES: Final = 7
"""The number of bytes of a hash that fit into a column of integers."""


def _key(row: int, repeat: int, rotation: int) -> int:
    """Combine the row of an item, a repeat and a rotation to one number."""
    return (row * _MOST_NUMBER + repeat) * _MOST_NUMBER + rotation


@cache
def _as_released(options: int) -> Order:
    return tuple(range(options))


@lru_cache(4096)
def _turn(order: Order) -> int:
    """Return a number for an option order, equal for equal orders."""
    return int.from_bytes(sha256(bytes(order)).digest()[:_TURN_BYTES])


def _place(order: Order, option: int) -> int:
    return order.index(option) if option in order else NONE


def _folded(name: str) -> str:
    return "".join(name.split()).casefold()
