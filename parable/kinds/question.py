"""Questions: prompts for items of a release, outside the site, and the parsing of answers.

An answer is a JSON value: the position of an option, a list of positions, or a value defined by the kind.
Positions are those in the release, even if options were displayed in another order.
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
"""An answer as a JSON value; None if there is none."""
Released = Mapping[str, Any]
"""An item of a release: the fields of its line, including the key."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A parsed answer: its outcome, and its value by lenient (`given`) and by strict parsing (`strict`)."""

    outcome: str
    given: Given = None
    strict: Given = None


class Question(ABC):
    """Base class of questions, which build the prompt of an item and parse answers; has no state."""

    templates: ClassVar[Mapping[str, str]]
    """The zero-shot prompts by language, with {story}, {question} and {options}."""
    wanted: ClassVar[tuple[str, ...]] = ("{question}", "{options}")
    """Variables that a prompt must contain."""
    is_one_option: ClassVar[bool] = False
    """Whether an answer is one option, so that statistics of option positions make sense."""

    def template(self, language: str) -> str:
        """Return the zero-shot prompt for stories in this language."""
        return zero_shot(language, self.templates)

    def put(self, template: str, item: Released, order: Sequence[int]) -> str:
        """Return the prompt; `order` has the released positions of the options in display order."""
        options = [item["choices"][place] for place in order]
        return fill_question(template, story=item["story"], question=item["question"], options=options)

    @abstractmethod
    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Parse a model's answer, leniently and strictly."""

    def read_as_ended(self, text: str, item: Released, order: Sequence[int], finish_reason: str) -> Answered:
        """Parse an answer; if it was cut off at the token limit, use `read_cut_off`."""
        return (
            self.read_cut_off(text, item, order)
            if is_cut_off(finish_reason)
            else self.read(text, item, order)
        )

    def read_cut_off(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Parse an answer that was cut off; subclasses reject answers that the missing end could change."""
        return self.read(text, item, order)

    @abstractmethod
    def right(self, item: Released) -> Given:
        """Return the right answer, or None if it is withheld."""

    def words(self, item: Released) -> str:
        """Return the right answer as a model should write it; "" if it is withheld or too long."""
        del item
        return ""

    @abstractmethod
    def is_answer(self, given: Given, item: Released) -> bool:
        """Return whether a value is a valid answer to the item."""

    @abstractmethod
    def chance(self, item: Released) -> float:
        """Return the probability of a right answer by guessing."""

    def in_released_order(self, given: Given, order: Sequence[int]) -> Given:
        """Convert an answer from displayed positions to released positions."""
        return order[given]

    def asked_of(self, item: Released) -> Mapping[str, Any]:
        """Return further values for the prompt, by name; {} if it has only story, stem and options."""
        del item
        return {}

    def answer_lines(self, given: Given) -> tuple[str, ...]:
        """Return lines of text that display an answer; () if the answer is a choice of options."""
        del given
        return ()


class OneOption(Question):
    """Questions with one right option."""

    templates: ClassVar[Mapping[str, str]] = ZERO_SHOT
    is_one_option: ClassVar[bool] = True

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Parse the one option that an answer names."""
        lenient = read_answer(text, [item["choices"][place] for place in order])
        strict = read_strictly(text, len(order))
        given = None if lenient.choice is None else order[lenient.choice]
        # If a letter is both the text of one option and the letter of another, neither reading counts.
        return Answered(lenient.outcome, given, given if strict.choice == lenient.choice else None)

    def read_cut_off(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Parse a cut-off answer; the option that it names counts only if the answer states it first."""
        read = self.read(text, item, order)
        kept = read_cut_off(text, [item["choices"][place] for place in order])
        return read if kept.outcome == read.outcome else Answered(kept.outcome)

    def right(self, item: Released) -> Given:
        """Return the position of the key; None if the key is withheld."""
        return None if item["answer"] in (None, -1) else item["answer"]

    def words(self, item: Released) -> str:
        """Return the letter of the key; "" if the key is withheld."""
        right = self.right(item)
        return "" if right is None else LETTERS[right]

    def is_answer(self, given: Given, item: Released) -> bool:
        """Return whether the value is the position of an option."""
        return type(given) is int and 0 <= given < len(item["choices"])

    def chance(self, item: Released) -> float:
        """Return 1 divided by the number of options."""
        return 1 / len(item["choices"])


class _Positions(Question):
    """Questions whose answers are several positions."""

    def right(self, item: Released) -> Given:
        """Return the right positions; None if they are withheld."""
        return list(item["answers"]) or None

    def words(self, item: Released) -> str:
        """Return the letters of the right positions as one string; "" if they are withheld."""
        return "".join(LETTERS[place] for place in self.right(item) or ())

    def in_released_order(self, given: Given, order: Sequence[int]) -> Given:
        """Convert displayed positions to released positions."""
        return self._kept([order[place] for place in given])

    def _kept(self, positions: Sequence[int]) -> list[int]:
        return list(positions)

    def _answered(self, lenient: SeveralReading, strict: SeveralReading, order: Sequence[int]) -> Answered:
        return Answered(
            lenient.outcome,
            self.in_released_order(lenient.choices, order) if lenient.outcome == CHOSEN else None,
            self.in_released_order(strict.choices, order) if strict.outcome == CHOSEN else None,
        )


class SeveralOptions(_Positions):
    """Questions with one or more right options; a right answer names exactly these options."""

    templates: ClassVar[Mapping[str, str]] = SEVERAL_ANSWERS

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Parse the options that an answer names."""
        options = [item["choices"][place] for place in order]
        return self._answered(read_several(text, options), read_several_strictly(text, len(options)), order)

    def read_cut_off(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Return no answer if the cut-off text names options, as more options may have followed."""
        read = self.read(text, item, order)
        return NO_ANSWER if read.outcome == CHOSEN else read

    def _kept(self, positions: Sequence[int]) -> list[int]:
        return sorted(positions)

    def is_answer(self, given: Given, item: Released) -> bool:
        """Return whether the value has one or more positions, without duplicates, in ascending order."""
        return _are_places(given, item) and sorted(set(given)) == given and bool(given)

    def chance(self, item: Released) -> float:
        """Return 1 divided by the number of non-empty subsets of the options."""
        sets: int = 2 ** len(item["choices"]) - 1
        return 1 / sets


class RightOrder(_Positions):
    """Questions whose options have a right order; an answer must put all options in order."""

    templates: ClassVar[Mapping[str, str]] = RIGHT_ORDER

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Parse the order of options that an answer gives."""
        options = [item["choices"][place] for place in order]
        return self._answered(read_order(text, options), read_order_strictly(text, len(options)), order)

    def is_answer(self, given: Given, item: Released) -> bool:
        """Return whether the value contains the position of each option exactly once."""
        return _are_places(given, item) and sorted(given) == list(range(len(item["choices"])))

    def chance(self, item: Released) -> float:
        """Return 1 divided by the number of orders of the options."""
        return 1 / math.factorial(len(item["choices"]))


class OwnAnswer(Question):
    """Base class of questions whose form of answer is defined by their kind."""

    templates: ClassVar[Mapping[str, str]] = ZERO_SHOT
    wanted: ClassVar[tuple[str, ...]] = ("{story}",)
    asked: ClassVar[tuple[str, ...]] = ()
    """The names of `own` fields that are part of the prompt; the other `own` fields are the answer."""

    def put(self, template: str, item: Released, order: Sequence[int]) -> str:
        """Return the prompt with the story, the stem if there is one, and the `asked` fields."""
        del order
        more = {name: str(value).strip() for name, value in self.asked_of(item).items()}
        return fill_question(template, story=item["story"], question=item["question"], options=(), more=more)

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Return no answer; subclasses override this to parse their own form."""
        del text, item, order
        return NO_ANSWER

    def right(self, item: Released) -> Given:
        """Return the `own` fields that form the answer; None if there are none."""
        own = item.get("own") or {}
        return {name: value for name, value in own.items() if name not in self.asked} or None

    def asked_of(self, item: Released) -> Mapping[str, Any]:
        """Return the `own` fields that are part of the prompt."""
        own = item.get("own") or {}
        return {name: own[name] for name in self.asked if name in own}

    def is_answer(self, given: Given, item: Released) -> bool:
        """Return whether the value is a mapping, the type of all such answers."""
        del item
        return isinstance(given, Mapping)

    def chance(self, item: Released) -> float:
        """Return 0, as such answers cannot be guessed."""
        del item
        return 0.0

    def answer_lines(self, given: Given) -> tuple[str, ...]:
        """Return one line per field of the answer: its name and value."""
        members = given.items() if isinstance(given, Mapping) else ()
        return tuple(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in members)

    def in_released_order(self, given: Given, order: Sequence[int]) -> Given:
        """Return the answer unchanged, as it names no options."""
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
