"""JSON values in a model's answer: alone, in a fence, or among other text."""

import json
from collections.abc import Mapping
from typing import Any, Final

LONGEST: Final = 200_000
"""Of a longer answer only so many characters are looked at."""
MOST_TRIES: Final = 200
"""Brackets at which a value is sought."""
_OPEN: Final[Mapping[type, str]] = {list: "[", dict: "{"}


def whole_json(text: str, wanted: type) -> Any | None:
    """Return the value if the text is nothing else and has the wanted type, or None."""
    try:
        found = json.loads(text[:LONGEST])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, wanted) else None


def find_json(text: str, wanted: type) -> Any | None:
    """Return the last value of the wanted type, since models think before they answer, or None.

    A value inside another one is not looked at.
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
