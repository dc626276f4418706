"""Tokens: how many a server says it used, and how many a text will be, near enough for a budget."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Self

# Rule of thumb, held against the tokenizers of current chat models: one token for a Han character, kana or
# hangul syllable (newer ones need 0.6 to 0.8, older ones 1.2), one for four characters of Latin script and
# other ASCII (English prose: 4 to 4.7), one for two characters of anything else.
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_LATIN = re.compile(r"[\x00-\u024f]")
_PER_MESSAGE = 4


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens that a server says it used, and is paid for: of prompts and of replies, thinking included."""

    prompt: int = 0
    completion: int = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(self.prompt + other.prompt, self.completion + other.completion)

    @property
    def total(self) -> int:
        """Both together."""
        return self.prompt + self.completion


NO_TOKENS = Tokens()


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text in Chinese, English or both, rather too many than too few."""
    wide = len(_WIDE.findall(text))
    latin = len(_LATIN.findall(text))
    other = len(text) - wide - latin
    return math.ceil(wide + latin / 4 + other / 2)


def estimate_prompt_tokens(*texts: str) -> int:
    """Estimate the tokens of a prompt of several messages, including the overhead of each message."""
    return sum(estimate_tokens(text) + _PER_MESSAGE for text in texts)
