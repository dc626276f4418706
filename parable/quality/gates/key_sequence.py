"""A gate that tests whether key letters can be predicted from earlier letters, position, type or style."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final

import numpy as np

from parable.formats.records import ItemRecord
from parable.quality.gates.base import ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial, share_test
from parable.quality.gates.grams import Ints
from parable.quality.gates.letter_tables import Keys, numbered, read_keys, try_guess, try_table
from parable.quality.gates.sample import SEED, drawn_from
from parable.sentences import gettext_noop as _

MOST: Final = 100_000
"""The most items that are read; of a larger set, this many consecutive items."""
BACK: Final = range(1, 9)
"""Distances at which a letter may repeat: runs, and patterns of up to eight letters."""
CYCLES: Final = range(2, 9)
LAST_PLACE: Final = 11
"""The position within a story from which on all later items count as one position."""
WEIGHTS: Final = {"place": 3.0, "place_forward": 1.0, "type": 4.0}
"""The number of tests that each of these rules counts as; each position or type has few items to learn
from."""
NUMBERED: Final[Mapping[str, str]] = {
    "same": _("the letter of the key %(n)d places before"),
    "cycle": _("the usual letter at that place of a cycle of %(n)d"),
}


class KeySequence(MeasuringGate):
    """Predict the letter of each key without reading the item."""

    id: ClassVar = "key_sequence"
    trait: ClassVar = "has_options"
    name: ClassVar = _("Sequence of the keys")
    looks_at: ClassVar = _(
        "How many keys are foreseen by the letters of the keys before them, by their place in the file or in"
        " their story, by the type or by the style of the item."
    )
    why: ClassVar = _(
        "Keys that run in a cycle, or that depend on place or type, can be guessed without reading, and"
        " models learn such patterns from examples."
    )
    fix: ClassVar = _("Draw the position of each key at random; releases of Parable do so.")
    parts: ClassVar = ()
    has_remedy: ClassVar = False
    rules: ClassVar = {
        "up": _("the letter after that of the last key"),
        "down": _("the letter before that of the last key"),
        "after": _("the letter that usually follows that of the last key"),
        "after_two": _("the letter that usually follows those of the last two keys"),
        "forward": _("the letters A, B, C, ... in turn"),
        "backward": _("the letters ..., C, B, A in turn"),
        "place": _("the usual letter at that place among the items of a story"),
        "place_forward": _("the letters A, B, C, ... in turn within each story"),
        "type": _("the usual letter of items of that type"),
        "style": _("the usual letter of items of that style"),
    }

    def rule_words(self, rule: str, say: Callable[[str], str]) -> str:
        """Return the translated description of a rule's prediction, with its distance or cycle length."""
        name, _part, number = rule.rpartition("_")
        return say(NUMBERED[name]) % {"n": int(number)} if name in NUMBERED else super().rule_words(rule, say)

    def measure(self, items: ItemSet) -> list[Measured]:
        """Return the measurements of each task, without items whose options have a fixed order."""
        found: list[Measured] = []
        for task in self.tasks_in(items):
            keyed = [item for item in items.keyed(task) if item.id not in items.in_order]
            found.append(letters_of(task, len(keyed), keyed[window(len(keyed))]))
        return found


def window(keyed: int) -> slice:
    """Return which of so many keyed items are read: all or, of many, consecutive ones."""
    if keyed <= MOST:
        return slice(keyed)
    start = int(np.random.default_rng(SEED).integers(keyed - MOST))
    return slice(start, start + MOST)


def letters_of(task: str, keyed: int, read: Sequence[ItemRecord]) -> Measured:
    """Return the measurements of the keyed items of a task that are read, of so many in the set."""
    trials = try_all(read_keys(read)) if read else ()
    return Measured(KeySequence.id, task, len(read), trials, detail=drawn_from(range(keyed), read))


def try_all(keys: Keys) -> tuple[Trial, ...]:
    """Return the trials of all rules.

    Rules of order share one test; position in the story and type are tests of their own.
    """
    places = _places(keys.stories)
    tables = {
        "place": np.minimum(places, LAST_PLACE),
        "type": numbered(["\n".join(sorted(item.types)) for item in keys.items]),
        "style": numbered([item.style for item in keys.items]),
    }
    tried = [try_table(name, known, keys) for name, known in tables.items() if known.max() > 0]
    if places.max() > 0:
        tried.append(_best_turn("place_forward", places, 1, keys))
    by_order = [*_by_order(keys), *(one for one in tried if one.rule not in WEIGHTS)]
    own = (replace(one, weight=WEIGHTS[one.rule]) for one in tried if one.rule in WEIGHTS)
    return (*share_test(by_order), *own)


def _by_order(keys: Keys) -> Iterator[Trial]:
    """Yield the trials that predict a letter from the letters before it, or by letters in turn."""
    for back in BACK:
        yield try_guess(f"same_{back}", _before(back, keys), keys)
    last = _before(1, keys)
    for name, step in (("up", 1), ("down", -1)):
        yield try_guess(name, np.where(last < 0, last, (last + step) % keys.sizes), keys)
    yield try_table("after", last, keys)
    yield try_table("after_two", last * (int(keys.sizes.max()) + 1) + _before(2, keys), keys)
    places = np.arange(len(keys.letters))
    yield _best_turn("forward", places, 1, keys)
    yield _best_turn("backward", places, -1, keys)
    for length in CYCLES:
        yield try_table(f"cycle_{length}", places % length, keys)


def _before(back: int, keys: Keys) -> Ints:
    """Return the letter of the key `back` items earlier, for each item; -1 if there is none."""
    found = np.full(len(keys.letters), -1, dtype=np.int64)
    found[back:] = keys.letters[:-back]
    return found


def _best_turn(rule: str, places: Ints, step: int, keys: Keys) -> Trial:
    """Return the trial that predicts letters in turn, starting from the letter that fits best."""
    most = int(keys.sizes.max())
    turns = (step * places[:, None] + np.arange(most)) % keys.sizes[:, None]
    best = int((turns == keys.letters[:, None]).sum(axis=0).argmax())
    return try_guess(rule, turns[:, best], keys, tries=most)


def _places(stories: Ints) -> Ints:
    """Return the position of each item among the items of its story, from 0."""
    order = np.argsort(stories, kind="stable")
    starts = np.r_[0, np.flatnonzero(np.diff(stories[order])) + 1]
    sizes = np.diff(np.r_[starts, len(stories)])
    found = np.empty(len(stories), dtype=np.int64)
    found[order] = np.arange(len(stories)) - np.repeat(starts, sizes)
    return found
