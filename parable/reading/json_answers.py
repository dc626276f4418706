"""Finds JSON values in a model's answer: alone, in a fence, or among other text."""

import json
from collections.abc import Mapping
from typing import Any, Final

LONGEST: Final = 200_000
"""Maximum number of characters of an answer that are read."""
MOST_TRIES: Final = 200
"""Maximum number of brackets at which a JSON value is tried."""
_OPEN: Final[Mapping[type, str]] = {list: "[", dict: "{"}


def whole_json(text: str, wanted: type) -> Any | None:
    """Return the JSON value if it is the whole text and has the wanted type, else None."""
    try:
        found = json.loads(text[:LONGEST])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, wanted) else None


def find_json(text: str, wanted: type) -> Any | None:
    """Return the last JSON value of the wanted type in a text, or None.

    The last value counts, as models reason before they answer. Values inside other values are ignored.
    """
    looked_at, decoder = text[:LONGEST], json.JSONDecoder()
    last, place = None, looked_at.find(_OPEN[wanted])
    for _try in range(MOST_TRIES):
        if place < 0:
            break
        try:
            found, end = decoder.raw_decode(looked_at, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            last = found if isinstance(found, wanted) else last
        place = looked_at.find(_OPEN[wanted], end)
    return last
