"""The correct answer of a released item as letters and as text, for any task."""

from collections.abc import Mapping
from typing import Any

from parable.formats.other_answers import letters_of
from parable.kinds import kind_of


def right_places(record: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the positions of the keys or, in a task of ordering, of all options in order; () if none."""
    if record.get("answers"):
        return tuple(record["answers"])
    answer = record.get("answer")
    return () if answer is None else (answer,)


def right_letters(record: Mapping[str, Any]) -> str:
    """Return the letters of the correct options."""
    return letters_of(right_places(record))


def right_words(record: Mapping[str, Any]) -> str:
    """Return the texts of the correct options."""
    places = right_places(record)
    if len(places) == 1:
        return str(record["choices"][places[0]])
    sign = " → " if kind_of(record["task"]).has_right_order else " / "
    return sign.join(record["choices"][place] for place in places)


def key_places(record: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the positions of the keys; () for a task of ordering."""
    return () if kind_of(record["task"]).has_right_order else right_places(record)
