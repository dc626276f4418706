"""Texts and their units as numbers, for gates that compare them as arrays.

Texts of items are compared by hashes. Hashes differ from process to process, so that files and results must
not contain them.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from parable.formats.records import ItemRecord, key_within, one_line
from parable.quality.gates.base import ItemSet
from parable.quality.gates.grams import Array, Ints
from parable.quality.item import words
from parable.quality.item.words import has_han_alone, length, same_form, same_forms
from parable.quality.resemblance import code_points

Mask = npt.NDArray[np.bool_]

NONE: Final = -1
"""The number of a missing text."""
NO_KEY: Final = np.iinfo(np.int64).min
_AT_ONCE: Final = 50
"""The number of items whose texts are processed together, as nearly all are in normal form."""
_NUMBER: Final = re.compile(
    r"(?:第 ?\d{1,4} ?[题問问][.、:)]?|(?:question|item|no|q)[. ]{0,2}\d{1,4}[.:)]?(?!\w)"
    r"|\(\d{1,3}\)|\d{1,3}[.、)](?!\d)) ?"
)
"""The number of an item before its stem, in a text in `same_form`; not "3.5 kg" or "1984:"."""
_DIGIT_OR_SPACE: Final = re.compile(r"[\d ]")
_FIRST: Final = 1 << 21
"""The lowest number of units other than Chinese characters; above all code points."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Items as columns: one number per item or, in `forms` and `lengths`, one per option, item by item.

    `texts` and `ids`: the number of the item's story by text and by id; equal values mean equal texts or ids,
    and `NONE` means no story; `stories`: the story by id, or else by text, in alphabetical order. `stems`:
    hashes of `asked`. `starts`: the index of the first option of each item; `sizes`: its number of options;
    `answers`: the position of its key. `are_han`: whether its options consist of common Chinese characters
    only. `forms`: hashes of the options in `same_form`; `lengths`: the number of their visible characters.
    """

    texts: Ints
    ids: Ints
    stories: Ints
    stems: Ints
    starts: Ints
    sizes: Ints
    answers: Ints
    are_han: Mask
    forms: Ints
    lengths: Ints

    @property
    def are_keyed(self) -> Mask:
        """A mask of the items that have a key."""
        return np.asarray(self.answers != NO_KEY)

    @property
    def keys(self) -> Ints:
        """The index of each item's key among all options; all items must have a key."""
        return self.starts + self.answers

    def of_items(self, places: Ints) -> "Columns":
        """Return the columns of the items at these positions, in this order."""
        sizes = self.sizes[places]
        starts = np.cumsum(sizes) - sizes
        options = np.repeat(self.starts[places] - starts, sizes) + np.arange(int(sizes.sum()))
        return Columns(
            self.texts[places],
            self.ids[places],
            self.stories[places],
            self.stems[places],
            starts,
            sizes,
            self.answers[places],
            self.are_han[places],
            self.forms[options],
            self.lengths[options],
        )

    def ends(self, extreme: np.ufunc, values: Ints) -> Ints:
        """Return the largest (or smallest) value among the options of each item.

        `extreme` is `np.maximum` or `np.minimum`. All items must have options.
        """
        return np.asarray(extreme.reduceat(values, self.starts))

    def count(self, are: Mask) -> Ints:
        """Count the true values among the options of each item; all items must have options."""
        return np.asarray(np.add.reduceat(are.astype(np.int64), self.starts))


def columns(items: ItemSet) -> Columns:
    """Return the columns of a set's items; `items.once(columns)` caches them."""
    texts, ids, stories = _number_stories(items.items)
    stems, starts, sizes, answers, are_han, forms, lengths = text_columns(items.items, _hashes)
    return Columns(texts, ids, stories, stems, starts, sizes, answers, are_han, forms, lengths)


Numbered = Callable[[Sequence[str]], Ints]
"""A function that returns a number for each text, equal for equal texts."""


def _hashes(texts: Sequence[str]) -> Ints:
    return np.array([*map(hash, texts)], np.int64)


def text_columns(
    records: Sequence[ItemRecord], number: Numbered
) -> tuple[Ints, Ints, Ints, Ints, Mask, Ints, Ints]:
    """Return the columns from `stems` to `lengths` of items, whose texts `number` replaces by numbers."""
    sizes = np.fromiter((len(item.choices) for item in records), np.int64, len(records))
    starts = np.cumsum(sizes) - sizes
    answers = (NO_KEY if item.answer is None else item.answer for item in records)
    forms, lengths = (np.empty(int(sizes.sum()), np.int64) for _column in range(2))
    stems = np.empty(len(records), np.int64)
    are_han = np.empty(len(records), np.bool_)
    for first in range(0, len(records), _AT_ONCE):
        chunk = records[first : first + _AT_ONCE]
        last, before = first + len(chunk), int(starts[first])
        stems[first:last] = number(asked(tuple(item.question for item in chunk)))
        options = [*chain.from_iterable(item.choices for item in chunk)]
        after = before + len(options)
        if has_han_alone("".join(options)):
            are_han[first:last] = True
            forms[before:after] = number(options)
            lengths[before:after] = [*map(len, options)]
        else:
            are_han[first:last] = [has_han_alone("".join(item.choices)) for item in chunk]
            forms[before:after] = number([*map(same_form, options)])
            lengths[before:after] = [*map(length, options)]
    found = np.fromiter(answers, np.int64, len(records))
    return stems, starts, sizes, found, are_han, forms, lengths


def keyed_columns(items: ItemSet, task: str) -> Columns:
    """Return the columns of the items of a task whose key is known.

    Raise ValueError if a key is not the position of an option.
    """
    places = items.once(_places_of, task)
    found = items.once(columns).of_items(places)
    for place in np.flatnonzero((found.answers < 0) | (found.answers >= found.sizes)).tolist():
        key_within(items.items[places[place]])
    return found


def _places_of(items: ItemSet, task: str) -> Ints:
    """Return the positions of the items of a task whose key is known."""
    of_task = np.fromiter((item.task == task for item in items.items), np.bool_, len(items.items))
    return np.flatnonzero(of_task & items.once(columns).are_keyed)


def asked(stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stems in `same_form`, without the number of the item and without white space."""
    forms = same_forms(stems)
    if not _DIGIT_OR_SPACE.search("".join(forms)):
        return forms
    return tuple(_NUMBER.sub("", form).replace(" ", "") for form in forms)


def _number_stories(items: Sequence[ItemRecord]) -> tuple[Ints, Ints, Ints]:
    """Return the columns `texts`, `ids` and `stories` of items."""
    numbers: dict[str, int] = {}
    texts, ids = (
        np.fromiter(
            (numbers.setdefault(name, len(numbers)) if name else NONE for name in names), np.int64, len(items)
        )
        for names in ((one_line(item.story) for item in items), (item.story_id for item in items))
    )
    stories = np.where(ids == NONE, texts, ids)
    names = ["", *numbers]
    used, places = np.unique(stories, return_inverse=True)
    in_order = sorted(range(len(used)), key=[names[number + 1] for number in used.tolist()].__getitem__)
    ranks = np.empty(len(used), np.int64)
    ranks[in_order] = np.arange(len(used))
    return texts, ids, ranks[places]


class UnitNumbers(dict[str, int]):
    """The number of each unit: the code point of a Chinese character, else the next unused number."""

    def __init__(self) -> None:
        super().__init__()
        self.width = _FIRST
        """The lowest unused number; all numbers are below it."""

    def _learn(self, units: Iterable[str]) -> None:
        """Assign a number to each unit without a number."""
        for unit in dict.fromkeys(units):
            if unit not in self:
                if len(unit) == 1 and words.is_han(unit):
                    self[unit] = ord(unit)
                else:
                    self[unit] = self.width
                    self.width += 1

    def of(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the numbers of the units of all texts in order, and the index of each unit's text."""
        folded = words.fold_all(texts)
        are_worded = words.has_other_units("".join(folded))
        worded = [place for place, text in enumerate(folded) if are_worded and words.has_other_units(text)]
        units = [words.units_of_folded(folded[place]) for place in worded]
        said = [*chain.from_iterable(units)]
        self._learn(said)
        numbers = np.fromiter(map(self.__getitem__, said), np.int64, len(said))
        owners = np.repeat(np.array(worded, dtype=np.int64), [*map(len, units)])
        if len(worded) == len(texts):
            return numbers, owners
        for place in worded:
            folded[place] = ""
        points, of_text = code_points(folded)
        are_said = _are_han(points)
        numbers = np.concatenate([numbers, points[are_said].astype(np.int64)])
        owners = np.concatenate([owners, of_text[are_said]])
        if worded:
            order = np.argsort(owners, kind="stable")
            numbers, owners = numbers[order], owners[order]
        return numbers, owners


def pair_up(numbers: Ints, owners: Ints, width: int) -> tuple[Ints, Ints]:
    """Return the pairs of adjacent units of each text as numbers, and the index of each pair's text."""
    inside = owners[1:] == owners[:-1]
    return (numbers[:-1] * width + numbers[1:])[inside], owners[:-1][inside]


def _are_han(points: Array) -> Array:
    """Return a mask of the code points that are Chinese characters (`words.HAN`)."""
    found: Array = (
        ((points >= 0x4E00) & (points <= 0x9FFF))
        | ((points >= 0x3400) & (points <= 0x4DBF))
        | ((points >= 0x20000) & (points <= 0x3FFFF))
        | (points == 0x3005)
        | (points == 0x3007)
    )
    return found
