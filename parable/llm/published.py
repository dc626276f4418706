"""Reads answers by the filter of the CRMUS paper, as an alternative to Parable's own rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from parable.llm.presentation import Order
from parable.reading.answers import AMBIGUOUS, CHOSEN, LONGEST, UNPARSED, Reading
from parable.reading.option_texts import mask_options, read_option_texts

_LETTER: Final = re.compile(r"(?<![A-Za-z])[A-H](?![A-Za-z])")


def read_by_filter(text: str, options: Sequence[str]) -> Reading:
    """Read an answer by the filter of CRMUS, which requires exactly one option by letter or by text.

    Unlike `read_answer`, it ignores context: an option that the answer rules out counts as named.
    """
    said = unicodedata.normalize("NFKC", text[-LONGEST:])
    letters = {ord(found) - ord("A") for found in _LETTER.findall(mask_options(said, options))}
    in_range = {place for place in letters if place < len(options)}
    named = tuple(sorted(in_range | read_option_texts(said, options)))
    if len(named) == 1:
        return Reading(CHOSEN, named[0], named)
    return Reading(AMBIGUOUS if named else UNPARSED, None, named)


def read_put_by_filter(text: str, *, choices: Sequence[str], order: Order) -> tuple[str, int | None]:
    """Return the outcome and the released position chosen, for options displayed in `order`."""
    read = read_by_filter(text, [choices[place] for place in order])
    return read.outcome, None if read.choice is None else order[read.choice]
