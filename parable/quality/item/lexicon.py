"""English words by their grammatical role, for checks of the form of options; selected for Parable.

Each list is a text file in `word_lists`, with words separated by white space.
"""

from importlib.resources import files
from typing import Final

_FOLDER: Final = files(__package__) / "word_lists"


def _read(name: str) -> str:
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def _words(name: str) -> frozenset[str]:
    return frozenset(_read(name).split())


FUNCTION_WORDS: Final = _words("function_words")
"""Words with little content; options that share them with the stem give no clue."""
FUNCTION_SIGNS: Final = frozenset(_read("function_signs").strip())
"""Chinese characters with little content."""

VERBS: Final = _words("verbs")
ALSO_NOUNS: Final = _words("also_nouns")
"""Verbs that are also common as nouns: "a walk", "the rest"."""
ADJECTIVES: Final = _words("adjectives")
PRONOUNS: Final = _words("pronouns")
FINITE: Final = _words("finite")
PREPOSITIONS: Final = _words("prepositions")
DETERMINERS: Final = _words("determiners")
PAST: Final = _words("past")
PARTICLES: Final = _words("particles")
INTENSIFIERS: Final = _words("intensifiers")
