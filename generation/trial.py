"""The prompt of a trial: the item with its options in an order that does not reveal the key. Pure."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass

from parable.formats.options import normalise_option
from parable.reading.question import fill_question, zero_shot


@dataclass(frozen=True, slots=True)
class Posed:
    """An item as a model sees it: `key` is a position in `options`, `words` a hash of the item."""

    prompt: str
    options: tuple[str, ...]
    key: int
    words: str


def pose(*, story: str, language: str, stem: str, options: Sequence[str], key: str) -> Posed:
    """Return the prompt of an item. Its options are shuffled by a seed that depends on the item alone."""
    shown = sorted({text.strip() for text in options})
    words = hashlib.sha256(
        json.dumps([story, stem.strip(), [normalise_option(text) for text in shown]]).encode()
    ).hexdigest()
    random.Random(words).shuffle(shown)  # noqa: S311 - repeatable on purpose
    prompt = fill_question(zero_shot(language), story=story, question=stem, options=shown)
    return Posed(prompt, tuple(shown), shown.index(key.strip()), words)
