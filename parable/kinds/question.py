"""How an item of a release is put to a model or a person outside, and how the answer is read and counts.

An answer is what JSON can hold: the position of an option, positions of several, or what a kind says. Where
options were shown in another order than they are released in, it still names released positions.
"""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from parable.reading.answers import (
    CHOSEN,
    UNPARSED,
    is_cut_off,
    read_answer,
    read_cut_off,
    read_strictly,
)
from parable.reading.question import RIGHT_ORDER, SEVERAL_ANSWERS, ZERO_SHOT, fill_question, zero_shot
from parable.reading.several import (
    SeveralReading,
    read_order,
    read_order_strictly,
    read_several,
    read_several_strictly,
)

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Given = Any
"""An answer, as JSON holds it; None where there is none."""
Released = Mapping[str, Any]
"""An item as a release holds it: the fields of its line, the key included."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What was read of an answer: its outcome, and the answer by the lenient and by the strict reading."""

    outcome: str
    given: Given = None
    strict: Given = None


class Question(ABC):
    """How items of a kind are asked and answered outside the site. It has no state."""

    templates: ClassVar[Mapping[str, str]]
    """The zero-shot prompt by language, with {story}, {question} and {options}."""
    wanted: ClassVar[tuple[str, ...]] = ("{question}", "{options}")
    """What a prompt must contain."""
    is_one_option: ClassVar[bool] = False
    """Whether an answer is one option, so that it has a place and figures of options say something."""

    def template(self, language: str) -> str:
        """The zero-shot prompt for stories in this language."""
        return zero_shot(language, self.templates)

    def put(self, template: str, item: Released, order: Sequence[int]) -> str:
        """The exact prompt; `order`: the released positions of the options in the order shown."""
        options = [item["choices"][place] for place in order]
        return fill_question(template, story=item["story"], question=item["question"], options=options)

    @abstractmethod
    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """What a model said, read leniently and strictly."""

    def read_as_ended(self, text: str, item: Released, order: Sequence[int], finish_reason: str) -> Answered:
        """Read an answer that ended so: one that was cut off at its limit of tokens may lack its end."""
        return (
            self.read_cut_off(text, item, order)
            if is_cut_off(finish_reason)
            else self.read(text, item, order)
        )

    def read_cut_off(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Read what was cut off: as it stands, unless the end of an answer could change it."""
        return self.read(text, item, order)

    @abstractmethod
    def right(self, item: Released) -> Given:
        """The right answer; None where it is withheld."""

    def words(self, item: Released) -> str:
        """The right answer as a model is to say it; "" where it is withheld, or no few words say it."""
        del item
        return ""

    @abstractmethod
    def is_answer(self, given: Given, item: Released) -> bool:
        """Whether this can be an answer at all."""

    @abstractmethod
    def chance(self, item: Released) -> float:
        """How likely blind guessing is right."""

    def shown(self, given: Given, order: Sequence[int]) -> Given:
        """An answer of positions as shown, as an answer of released positions."""
        return order[given]

    def asked_of(self, item: Released) -> Mapping[str, Any]:
        """What is shown beside story, stem and options."""
        del item
        return {}

    def said(self, given: Given) -> tuple[str, ...]:
        """An answer that names no options, line by line, to be read."""
        del given
        return ()


class OneOption(Question):
    """One option is right."""

    templates: ClassVar[Mapping[str, str]] = ZERO_SHOT
    is_one_option: ClassVar[bool] = True

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """The one option named."""
        lenient = read_answer(text, [item["choices"][place] for place in order])
        strict = read_strictly(text, len(order))
        given = None if lenient.choice is None else order[lenient.choice]
        # Where one letter is the words of one option and the letter of another, neither reading decides.
        return Answered(lenient.outcome, given, given if strict.choice == lenient.choice else None)

    def read_cut_off(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """The option named, where it was said first."""
        read = self.read(text, item, order)
        kept = read_cut_off(text, [item["choices"][place] for place in order])
        return read if kept.outcome == read.outcome else Answered(kept.outcome)

    def right(self, item: Released) -> Given:
        """The position of the key."""
        return None if item["answer"] in (None, -1) else item["answer"]

    def words(self, item: Released) -> str:
        """The letter of the key."""
        right = self.right(item)
        return "" if right is None else LETTERS[right]

    def is_answer(self, given: Given, item: Released) -> bool:
        """Whether it is the position of an option."""
        return type(given) is int and 0 <= given < len(item["choices"])

    def chance(self, item: Released) -> float:
        """One in as many as there are options."""
        return 1 / len(item["choices"])


class _Positions(Question):
    """Answers of several positions."""

    def right(self, item: Released) -> Given:
        """The positions that the item names."""
        return list(item["answers"]) or None

    def words(self, item: Released) -> str:
        """The letters, one after the other."""
        return "".join(LETTERS[place] for place in self.right(item) or ())

    def shown(self, given: Given, order: Sequence[int]) -> Given:
        """Each position."""
        return self._kept([order[place] for place in given])

    def _kept(self, positions: Sequence[int]) -> list[int]:
        return list(positions)

    def _answered(self, lenient: SeveralReading, strict: SeveralReading, order: Sequence[int]) -> Answered:
        return Answered(
            lenient.outcome,
            self.shown(lenient.choices, order) if lenient.outcome == CHOSEN else None,
            self.shown(strict.choices, order) if strict.outcome == CHOSEN else None,
        )


class SeveralOptions(_Positions):
    """One or more options are right: an answer is right where it names just these."""

    templates: ClassVar[Mapping[str, str]] = SEVERAL_ANSWERS

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """The options named."""
        options = [item["choices"][place] for place in order]
        return self._answered(read_several(text, options), read_several_strictly(text, len(options)), order)

    def read_cut_off(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Nothing that is chosen: more options may have followed."""
        read = self.read(text, item, order)
        return NO_ANSWER if read.outcome == CHOSEN else read

    def _kept(self, positions: Sequence[int]) -> list[int]:
        return sorted(positions)

    def is_answer(self, given: Given, item: Released) -> bool:
        """Whether it names one or more options, each once, in ascending order."""
        return _are_places(given, item) and sorted(set(given)) == given and bool(given)

    def chance(self, item: Released) -> float:
        """One in as many as there are sets of options, the empty one aside."""
        sets: int = 2 ** len(item["choices"]) - 1
        return 1 / sets


class RightOrder(_Positions):
    """The options have a right order: an answer is right where it is that order."""

    templates: ClassVar[Mapping[str, str]] = RIGHT_ORDER

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """The order named."""
        options = [item["choices"][place] for place in order]
        return self._answered(read_order(text, options), read_order_strictly(text, len(options)), order)

    def is_answer(self, given: Given, item: Released) -> bool:
        """Whether it names every option once."""
        return _are_places(given, item) and sorted(given) == list(range(len(item["choices"])))

    def chance(self, item: Released) -> float:
        """One in as many as there are orders."""
        return 1 / math.factorial(len(item["choices"]))


class OwnAnswer(Question):
    """An answer in a form of its kind's own, which the kind alone can read: it extends this."""

    templates: ClassVar[Mapping[str, str]] = ZERO_SHOT
    wanted: ClassVar[tuple[str, ...]] = ("{story}",)
    asked: ClassVar[tuple[str, ...]] = ()
    """The members of `own` that are shown with the story; the others are the answer."""

    def put(self, template: str, item: Released, order: Sequence[int]) -> str:
        """The prompt with the story, the stem if there is one, and what else is shown, by its names."""
        del order
        more = {name: str(value).strip() for name, value in self.asked_of(item).items()}
        return fill_question(template, story=item["story"], question=item["question"], options=(), more=more)

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Nothing: the kind reads its answers itself."""
        del text, item, order
        return NO_ANSWER

    def right(self, item: Released) -> Given:
        """What the kind has in place of options, without what is asked; None where that is all there is."""
        own = item.get("own") or {}
        return {name: value for name, value in own.items() if name not in self.asked} or None

    def asked_of(self, item: Released) -> Mapping[str, Any]:
        """The members that are shown."""
        own = item.get("own") or {}
        return {name: own[name] for name in self.asked if name in own}

    def is_answer(self, given: Given, item: Released) -> bool:
        """Whether it is of the shape of all such answers."""
        del item
        return isinstance(given, Mapping)

    def chance(self, item: Released) -> float:
        """Nobody guesses such an answer."""
        del item
        return 0.0

    def said(self, given: Given) -> tuple[str, ...]:
        """Each member by its name."""
        members = given.items() if isinstance(given, Mapping) else ()
        return tuple(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in members)

    def shown(self, given: Given, order: Sequence[int]) -> Given:
        """The answer itself, which names no options."""
        del order
        return given


def _are_places(given: Given, item: Released) -> bool:
    count = len(item["choices"])
    return isinstance(given, list) and all(type(one) is int and 0 <= one < count for one in given)


ONE_OPTION: Final = OneOption()
SEVERAL_OPTIONS: Final = SeveralOptions()
RIGHT_ORDER_OF_ALL: Final = RightOrder()
NO_ANSWER: Final = Answered(UNPARSED)
OWN_ANSWER: Final = OwnAnswer()
