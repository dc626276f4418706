"""Reads and writes answers that are not one option: several positions, or an object of the task's own form.

Several positions are all right options, or all options in their right order. In our JSON lines, `answers` has
the 0-based positions and `answer_letters` their letters; in a table the answer is letters, such as "AC" or
"B, D, A, C". An answer with a form of its own is in the object `own`, together with other material shown with
the story, such as the second text of a pair, which is never withheld.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from parable.formats import limits
from parable.formats.errors import ErrorCode, InputError, excerpt
from parable.formats.fields import RowFields, json_excerpt, refuse_unstorable
from parable.formats.keys import Numbers
from parable.formats.option_marks import LETTERS
from parable.formats.options import letter
from parable.formats.records import ItemRecord, released
from parable.kinds import KINDS, kind_of

OWN: Final = "own"
ANSWERS: Final = "answers"
ANSWER_LETTERS: Final = "answer_letters"
ONE: Final = "one"
ORDER: Final = "order"
_SEPARATORS: Final = re.compile(r"[\s,、;/.|&+\[\]()\"'>→-]+")


def letters_of(positions: Sequence[int]) -> str:
    """Return the letters of these positions as one string."""
    return "".join(map(letter, positions))


def has_one_answer(task: str) -> bool:
    """Return whether items of the task have one key; True for an unknown task."""
    try:
        return kind_of(task).answer == ONE
    except KeyError:
        return True


def read_answers_fields(row: RowFields, task: str, count: int) -> tuple[int, ...]:
    """Return the positions that `answers` and `answer_letters` name among `count` choices.

    Return () if unusable or withheld.
    """
    value = row.values.get(ANSWERS)
    text, lettered = row.line(ANSWER_LETTERS, limits.MAX_ANSWER_CHARS), tuple[int, ...]()
    if text and count:
        lettered = row.attempt_key(
            ANSWER_LETTERS, lambda: positions_of_letters(text, task, count), otherwise=()
        )
    if value is None or value == []:
        return lettered
    if not isinstance(value, list) or any(type(one) is not int for one in value):
        row.refuse_key(ANSWERS, ErrorCode.NOT_A_LIST, found=json_excerpt(value))
        return ()
    if not count:
        return ()  # the choices are invalid and have their own errors
    found = row.attempt_key(ANSWERS, lambda: _checked(value, task, count, json_excerpt(value)), otherwise=())
    if lettered and found and lettered != found:
        row.error(ANSWER_LETTERS, ErrorCode.ANSWER_MISMATCH, found=letters_of(lettered))
    return found


def read_several(
    row: RowFields, field: str, text: str, task: str, count: int, numbers: Numbers
) -> tuple[int, ...]:
    """Return the positions that a text of letters or numbers names.

    Add an error or remark for any other text.
    """
    first = 1 if numbers.first is None else numbers.first
    found = row.attempt_key(field, lambda: positions_of_letters(text, task, count, first), otherwise=())
    if found and any(char.isdigit() for char in text):
        named = unicodedata.normalize("NFKC", text)
        row.remark(field, ErrorCode.NUMBERS_FROM, first=first, found=excerpt(named), letter=letters_of(found))
    return found


def positions_of_letters(text: str, task: str, count: int, first: int = 1) -> tuple[int, ...]:
    """Return the positions named by letters, or by separate numbers counted from `first`; () if blank."""
    plain = _SEPARATORS.sub(" ", unicodedata.normalize("NFKC", text)).strip().upper()
    words = plain.split()
    if words and all(word.isascii() and word.isdigit() for word in words):
        found = [int(word[:3]) - first for word in words]
    elif all("A" <= char <= "Z" for char in "".join(words)):
        found = [LETTERS.index(char) for char in "".join(words)]
    else:
        raise InputError(ErrorCode.BAD_ANSWERS, found=excerpt(text))
    return _checked(found, task, count, excerpt(text)) if found else ()


def positions_given(value: object, task: str, count: int) -> tuple[int, ...]:
    """Return the positions that a JSON value names: a list counted from 0, or letters as text.

    Raises InputError for any other value, and for an answer that the task does not allow.
    """
    if isinstance(value, str):
        return positions_of_letters(value, task, count)
    if not isinstance(value, list) or any(type(one) is not int for one in value):
        raise InputError(ErrorCode.NOT_A_LIST, found=json_excerpt(value))
    return _checked(value, task, count, json_excerpt(value))


def _checked(positions: Sequence[int], task: str, count: int, found: str) -> tuple[int, ...]:
    """Return the positions as a record stores them; raise InputError if the task does not allow them."""
    if any(not 0 <= position < count for position in positions):
        raise InputError(ErrorCode.KEY_OUTSIDE, found=found, count=count)
    if kind_of(task).answer == ORDER:
        if sorted(positions) != list(range(count)):
            wanted = ", ".join(LETTERS[:count])
            raise InputError(ErrorCode.BAD_ORDER, found=found, wanted=wanted)
        return tuple(positions)
    if len(set(positions)) < len(positions):
        raise InputError(ErrorCode.BAD_ANSWERS, found=found)
    return tuple(sorted(positions))


def has_own_answer(task: str) -> bool:
    """Return whether items of the task have their own form of answer; False for an unknown task."""
    return task in KINDS and KINDS[task].answer == OWN


def read_own_field(row: RowFields) -> Mapping[str, Any] | None:
    """Return the object in the row's `own` field; None if it is absent or invalid."""
    value = row.values.get(OWN)
    if value is not None and not isinstance(value, dict):
        row.error(OWN, ErrorCode.NOT_AN_OBJECT, found=json_excerpt(value))
        return None
    row.attempt(OWN, lambda: refuse_unstorable(value, OWN), otherwise=None)
    return value


def own_fields(item: ItemRecord, *, withheld: bool = False) -> dict[str, object]:
    """Return an item's `own` field in a fixed order of names; if `withheld`, without the answer."""
    shown = kind_of(item.task).question.asked_of(released(item)) if withheld else item.own or {}
    return {OWN: _in_order(shown)}


def _in_order(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _in_order(value[name]) for name in sorted(value)}
    return list(map(_in_order, value)) if isinstance(value, list | tuple) else value
