"""What a model is asked when it tries an item: the words, in an order that reveals nothing. Pure."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass

from parable.formats.options import normalise_option
from parable.reading.question import fill_question, zero_shot


@dataclass(frozen=True, slots=True)
class Posed:
    """An item as a model sees it; `key` is a place among `options`, `words` recognises the same item."""

    prompt: str
    options: tuple[str, ...]
    key: int
    words: str


def pose(*, story: str, language: str, stem: str, options: Sequence[str], key: str) -> Posed:
    """Put the item to a model: its options shuffled by their own words, whatever order they were typed in."""
    shown = sorted({text.strip() for text in options})
    words = hashlib.sha256(
        json.dumps([story, stem.strip(), [normalise_option(text) for text in shown]]).encode()
    ).hexdigest()
    random.Random(words).shuffle(shown)  # noqa: S311 - repeatable on purpose
    prompt = fill_question(zero_shot(language), story=story, question=stem, options=shown)
    return Posed(prompt, tuple(shown), shown.index(key.strip()), words)
