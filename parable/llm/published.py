"""Settings of published evaluations, to be repeated exactly, and the published rule for reading answers.

A published prompt is an experimental parameter: it is quoted to the letter, its punctuation included. The
CRMUS paper does not say how options are laid out; they are filled in one a line after their letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from parable.llm.presentation import RELEASED, Order
from parable.reading.answers import AMBIGUOUS, CHOSEN, LONGEST, UNPARSED, Reading
from parable.reading.option_texts import mask_options, read_option_texts
from parable.sentences import gettext_noop

CRMUS_SOURCE: Final = "CRMUS, CCL 2024, https://github.com/SXU-YaxinGuo/CRMU"
CRMUS_PROMPT: Final = (
    "根据故事回答下面的单项选择题，只给出答案即可：\n故事{story}:\n问题{question}:\n选项{options}:\n答案:"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One way of asking: prompt, repeats of each item, order of options; `source` is its citation."""

    id: str
    name: str
    source: str
    prompt: str
    repeats: int
    order: str = RELEASED


CONDITIONS: Final = (
    Condition("crmus", gettext_noop("CRMUS, zero-shot"), CRMUS_SOURCE, CRMUS_PROMPT, 1),
    # inconsistency is the share of items whose two answers differ
    Condition("crmus-repeated", gettext_noop("CRMUS, answers repeated"), CRMUS_SOURCE, CRMUS_PROMPT, 2),
)


def find_condition(name: str) -> Condition | None:
    """The condition of this id, or none."""
    return next((one for one in CONDITIONS if one.id == name), None)


def condition_of(*, prompt: str, repeats: int, order: str) -> Condition | None:
    """The published condition that these settings are, to the letter; none where anything differs."""
    wanted = (prompt, repeats, order)
    return next((one for one in CONDITIONS if (one.prompt, one.repeats, one.order) == wanted), None)


_LETTER: Final = re.compile(r"(?<![A-Za-z])[A-H](?![A-Za-z])")


def read_by_filter(text: str, options: Sequence[str]) -> Reading:
    """Read an answer by the filter of CRMUS: it names one candidate, by letter or by its words, and no other.

    Unlike `read_answer` it looks at no context: a candidate that is named to be ruled out counts as named.
    """
    said = unicodedata.normalize("NFKC", text[-LONGEST:])
    letters = {ord(found) - ord("A") for found in _LETTER.findall(mask_options(said, options))}
    in_range = {place for place in letters if place < len(options)}
    named = tuple(sorted(in_range | read_option_texts(said, options)))
    if len(named) == 1:
        return Reading(CHOSEN, named[0], named)
    return Reading(AMBIGUOUS if named else UNPARSED, None, named)


def read_put_by_filter(text: str, *, choices: Sequence[str], order: Order) -> tuple[str, int | None]:
    """The outcome, and the released position chosen, of an answer to options shown in `order`."""
    read = read_by_filter(text, [choices[place] for place in order])
    return read.outcome, None if read.choice is None else order[read.choice]
