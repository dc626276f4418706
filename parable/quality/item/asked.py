"""The last question of a stem, and whether its question word is inside instead of first."""

import re
from functools import lru_cache
from typing import Final

from parable.quality.item import words

LONGEST_QUESTION: Final = 400
"""The most characters of a question that are read; of longer questions, the end is read."""
WH: Final = "(?:what|which|who|whom|whose|where|when|why|how)"
BEFORE: Final = "(?:in|to|at|on|from|for|by|with|of|about|under|and|or|but|so|then)"

_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?;])(?<!\b[a-z]\.)(?<!\b(?:mr|ms|dr|st|vs|no)\.)(?<!\bmrs\.)\s+(?=\S)|\n+"
    rf"|(?<=[。！？；!?])(?=[^\s!?。]{{0,20}}[{words.HAN}])"
)
SAYS: Final = re.compile(r"\w")
BEGINS_TO_ASK: Final = re.compile(
    rf"(?:{BEFORE} )*{WH}\b|.*[,:;(] (?:{BEFORE} )*{WH}\b"
    r"|(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had)\b"
)
MAY_BURY: Final = re.compile("what")
"""A fast check that matches every stem with the question word inside its question."""
_BURIED: Final = re.compile(r"\bwhats?\b")
_QUOTES: Final = re.compile(r"[\"“”‘]|\b(?:know|see|say|tell|explain|show|decide|wonder|matter) what\b")


@lru_cache(2048)
def asked(stem: str) -> str:
    """Return the last question of a stem, or its last sentence if it has no question; folded."""
    sentences = [one for one in _SENTENCE_END.split(words.fold(stem).strip()) if SAYS.search(one)]
    asking = [one for one in sentences if "?" in one]
    return (asking or sentences or [""])[-1].strip()[-LONGEST_QUESTION:]


def buries_question(last: str) -> bool:
    """Return whether "what" is inside a question in place of a word: "do what with them?"."""
    return bool(_BURIED.search(last)) and not BEGINS_TO_ASK.match(last) and not _QUOTES.search(last)
