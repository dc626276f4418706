"""Gates that test whether a classifier that never sees the story can guess keys."""

from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np

from parable.formats.records import ItemRecord, key_within
from parable.quality.gates.base import ItemSet, story_of
from parable.quality.gates.decision_rule import Measured, MeasuringGate, Trial
from parable.quality.gates.grams import read_options
from parable.quality.gates.naive_bayes import Guessed, Guesses, guess
from parable.quality.gates.sample import drawn_from, sample
from parable.quality.gates.stem_echo import try_echo
from parable.quality.gates.typed import without_letters
from parable.sentences import gettext_noop as _

_DIGITS: Final = 9
"""The number of digits by which leads are ordered; later digits depend on the order of addition."""


class _GuessingGate(MeasuringGate):
    """Base class of gates with a naive Bayes classifier over characters and character pairs.

    The classifier is tested on held-out stories.
    """

    trait: ClassVar = "has_options"
    learns: ClassVar[bool] = True
    samples: ClassVar[bool] = True
    reads_stem: ClassVar[bool] = False

    def measure(self, items: ItemSet) -> list[Measured]:
        """Return the measurements of each task: the trial of the classifier.

        With stems, there is also the trial of the option that repeats most of the stem (`try_echo`).
        """
        found: list[Measured] = []
        for task in self.tasks_in(items):
            keyed = items.keyed(task)
            if not keyed:
                found.append(Measured(self.id, task, 0))
                continue
            read, guesses = items.once(_guess, task)
            trials: list[Trial] = []
            if guesses is not None:
                trials.append(_trial(read, guesses.with_stem if self.reads_stem else guesses.alone))
            if self.reads_stem:
                echo = try_echo(read, items.standard_stems)
                if echo.spread:  # else options always tie
                    trials.append(echo)
            detail = drawn_from(keyed, read)
            found.append(Measured(self.id, task, len(read), tuple(trials), detail=detail))
        return found


def _guess(whole: ItemSet, task: str) -> tuple[Sequence[ItemRecord], Guesses | None]:
    """Return a sample of the task's keyed items, and the classifiers' guesses for these items.

    Items are sorted by content, so that folds and random draws do not depend on their order in a file.
    """
    items = sorted(
        sample(whole.keyed(task)),
        key=lambda item: (story_of(item), item.question, item.choices, key_within(item), item.id),
    )
    return items, guess(
        read_options(items, with_stem=True, typed=lambda item: without_letters(whole.typed(item)))
    )


class OptionsOnly(_GuessingGate):
    """Guess keys from the options, without stem and story."""

    id: ClassVar = "options_only"
    name: ClassVar = _("Keys guessed from options alone")
    looks_at: ClassVar = _(
        "How many keys a simple classifier guesses from the options, without story and stem."
    )
    why: ClassVar = _(
        "Items that can be answered without the story do not test story understanding, and"
        " models exploit such patterns."
    )
    fix: ClassVar = _(
        "Check the phrases that give keys away and the items listed here; use the"
        " phrases in distractors too, or reword the keys."
    )


class NoStory(_GuessingGate):
    """Guess keys from stem and options, without the story."""

    reads_stem: ClassVar = True
    id: ClassVar = "no_story"
    name: ClassVar = _("Keys guessed without the story")
    looks_at: ClassVar = _(
        "How many keys a simple classifier guesses from stem and options, and how many"
        " are found by choosing the option that repeats most of the stem."
    )
    why: ClassVar = _("A key that repeats its stem or sounds like a key can be found without the story.")
    fix: ClassVar = _(
        "In the items listed here, let distractors share as many words with the stem as"
        " the key does, and reword phrases that only keys use."
    )
    rules: ClassVar = {
        "naive_bayes": _("the guess of a classifier"),
        "most_repeated": _("the option that repeats most of the stem"),
    }


def _trial(items: Sequence[ItemRecord], found: Guessed) -> Trial:
    chance = sum(1 / len(item.choices) for item in items) / len(items)
    order = np.argsort(-found.leads.round(_DIGITS), kind="stable")
    worst = tuple(items[place].id for place in order if found.scores[place] == 1)
    return Trial(
        "naive_bayes", found.accuracy, found.low, found.high, chance, found.expected, found.spread, worst
    )
