"""Counts tokens: those that servers report, and estimates for texts that are good enough for a budget."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Self

# Rule of thumb, compared with the tokenizers of current chat models: one token for a Han character, kana or
# hangul syllable (newer ones need 0.6 to 0.8, older ones 1.2), one for four characters of Latin script and
# other ASCII (English prose: 4 to 4.7), one for two characters of anything else.
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_LATIN = re.compile(r"[\x00-\u024f]")
_PER_MESSAGE = 4


@dataclass(frozen=True, slots=True)
class Tokens:
    """Paid tokens that a server reported: of prompts, and of replies including reasoning."""

    prompt: int = 0
    completion: int = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(self.prompt + other.prompt, self.completion + other.completion)

    @property
    def total(self) -> int:
        """The tokens of prompts and replies together."""
        return self.prompt + self.completion


NO_TOKENS = Tokens()


def estimate_tokens(text: str) -> int:
    """Return an estimate of the tokens of a Chinese or English text; it tends to be too high."""
    wide = len(_WIDE.findall(text))
    latin = len(_LATIN.findall(text))
    other = len(text) - wide - latin
    return math.ceil(wide + latin / 4 + other / 2)


def estimate_prompt_tokens(*texts: str) -> int:
    """Return an estimate of the tokens of a prompt, including the overhead of each message."""
    return sum(estimate_tokens(text) + _PER_MESSAGE for text in texts)
