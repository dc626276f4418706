"""Finds the option that an answer names by its letter, its number or its text."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from parable.formats import limits
from parable.formats.errors import ErrorCode, InputError
from parable.formats.fields import RowFields, json_excerpt
from parable.formats.option_marks import LETTERS, mark_of
from parable.formats.options import is_blank, normalise_option

_OPENING: Final = "([{【「『〔<“\"'‘《"
_CLOSING: Final = ")]}】」』〕>”\"'’》"
_BEFORE: Final = re.compile(
    r"(?:正确)?(?:答案|选项|选择|选|(?:the\s+)?(?:correct\s+)?(?:answer|option|choice|key))\s*(?:是|为|is\b|:)?\s*(?=\S)",
    re.IGNORECASE,
)
_AFTER: Final = " .、,:;)。项"
_LETTER: Final = re.compile("[A-Z]")
_NUMBER: Final = re.compile(r"([0-9]{1,3})(?:\.0+)?")
_SEVERAL_NUMBERS: Final = re.compile(r"[0-9]+(?:\.0+)?(?:[\s,、;/|&+和与及]+[0-9]+(?:\.0+)?)+")
_APART: Final = re.compile(r"[\s,、;/.|&+和与及]+|\band\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Key:
    """The key that an answer names: its 0-based position (or None), and whether the answer is its text.

    A reader may store a Key as the answer of a row: it is then used unchanged, as it cannot be ambiguous.
    """

    place: int | None
    by_words: bool = False


def plain_answer(value: object) -> str:
    """Return an answer without surrounding brackets or quotes, a leading “答案：” or a final full stop."""
    text = unicodedata.normalize("NFKC", str(value)).strip()
    while text:
        shorter = text.rstrip(_AFTER)
        if len(shorter) > 1 and shorter[0] in _OPENING and shorter[-1:] in _CLOSING:
            shorter = shorter[1:-1]
        elif shorter[:1] in _OPENING and text[-1:] in _CLOSING:
            shorter = text[1:-1]
        shorter = _BEFORE.sub("", shorter, count=1) if _BEFORE.match(shorter) else shorter
        shorter = shorter.strip()
        if shorter == text:
            break
        text = shorter
    return text


def number_of(value: object) -> int | None:
    """Return the whole number that an answer denotes, such as `1.0`, `(1)` or `[1]`.

    Return None for any other answer.
    """
    if isinstance(value, list) and len(value) == 1:
        return number_of(value[0])
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if not isinstance(value, str) or _is_enclosed(value):
        return None
    found = _NUMBER.fullmatch(unicodedata.normalize("NFKC", value).strip()) or _NUMBER.fullmatch(
        plain_answer(value)
    )
    return int(found[1]) if found else None


def _is_enclosed(text: str) -> bool:
    """Return whether the answer is one enclosed character such as ② or Ⓑ, which always counts from 1."""
    return len(text.strip()) == 1 and not text.strip().isascii() and mark_of(text) is not None


def read_key(value: object, options: Sequence[str], *, first: int | None, is_lettered: bool = False) -> Key:
    """Return the key that an answer names; `first` is the number of the first option, 0 or 1.

    Raises InputError if the answer names several options, a position after the last, or no option. Also
    raises it for an ambiguous answer, which is the letter or number of one option and the text of another;
    but where letters stand before the options (`is_lettered`), a letter is that of an option.
    """
    if isinstance(value, list):
        if len(value) > 1:
            raise InputError(ErrorCode.TWO_KEYS, found=json_excerpt(value))
        value = value[0] if value else None
    if value is None or (isinstance(value, str) and is_blank(value)):
        return Key(None)
    if isinstance(value, dict | bool) or (isinstance(value, float) and not value.is_integer()):
        raise InputError(ErrorCode.BAD_ANSWER, found=json_excerpt(value))
    excerpt = json_excerpt(value)
    same = _same_text(value, options)
    place = _place(value, first)
    if place is not None and 0 <= place < len(options):
        is_a_letter = is_lettered and number_of(value) is None
        _check_unambiguous(excerpt, place, [] if is_a_letter else same)
        return Key(place)
    if same:
        _check_unambiguous(excerpt, same[0], same)
        return Key(same[0], by_words=True)
    if place is not None:
        raise InputError(ErrorCode.KEY_OUTSIDE, found=excerpt, count=len(options))
    text = str(value)
    marked = mark_of(text)
    if marked is not None and 0 <= marked.place < len(options):  # “B. to sing”
        rest = _same_text(text[marked.end :], options)
        _check_unambiguous(excerpt, marked.place, rest)
        if rest:
            return Key(marked.place)
    code = ErrorCode.TWO_KEYS if _names_several(text, len(options)) else ErrorCode.BAD_ANSWER
    raise InputError(code, found=excerpt)


def _check_unambiguous(excerpt: str, place: int, same: Sequence[int]) -> None:
    """Raise InputError if an answer that names one position is also the text of another option."""
    if other := [one for one in same if one != place]:
        raise InputError(ErrorCode.AMBIGUOUS_KEY, found=excerpt, place=LETTERS[place], text=LETTERS[other[0]])


def _place(value: object, first: int | None) -> int | None:
    """Return the position that a letter or number names, even beyond the options; None for anything else."""
    number = number_of(value)
    if number is not None and first is None:
        raise InputError(ErrorCode.OPEN_NUMBERS)
    if number is not None and first is not None:
        return number - first
    text = str(value)
    if _is_enclosed(text):
        mark = mark_of(text)
        return mark.place if mark else None
    plain = plain_answer(text).upper()
    return LETTERS.index(plain) if _LETTER.fullmatch(plain) else None


def _same_text(value: object, options: Sequence[str]) -> list[int]:
    """Return the positions of the options whose text equals an answer."""
    number = number_of(value) if not isinstance(value, str) else None
    wanted = normalise_option(str(value if number is None else number))
    return [index for index, option in enumerate(options) if wanted and normalise_option(option) == wanted]


def _names_several(answer: str, count: int) -> bool:
    """Return whether an answer is several letters of options, separated or joined, or several numbers."""
    plain = plain_answer(answer).upper()
    if _SEVERAL_NUMBERS.fullmatch(plain):
        return True
    parts = [part for part in (plain_answer(one) for one in _APART.split(plain)) if part]
    if len(parts) == 1:
        return len(set(plain)) > 1 and set(plain) <= set(LETTERS[:count])
    return len(set(parts)) > 1 and all(_LETTER.fullmatch(part) for part in parts)


def numbers_in(value: object) -> list[int]:
    """Return the numbers that an answer consists of, one number or several separated ones.

    Return [] for any other answer.
    """
    if isinstance(value, list):
        return [number for one in value for number in numbers_in(one)]
    number = number_of(value)
    if number is not None:
        return [number]
    text = plain_answer(value) if isinstance(value, str) else ""
    found = re.findall(r"[0-9]+(?:\.0+)?", text) if _SEVERAL_NUMBERS.fullmatch(text) else []
    return [int(float(one)) for one in found]


@dataclass(frozen=True, slots=True)
class Numbers:
    """How a file numbers options: `first` is the number of the first option, None if undecided."""

    first: int | None


FROM_ZERO: Final = Numbers(0)
FROM_ONE: Final = Numbers(1)
_OPEN: Final = -1
_COUNT: Final = -2


def find_numbers(
    answers: Iterable[tuple[int, object, Sequence[str]]],
    *,
    given: int | None,
    named: int | None = None,
    is_judged_elsewhere: bool = False,
) -> Numbers:
    """Determine from all answers of a file whether numbers count options from 0 or from 1.

    `answers` yields row number, answer and options. An answer of 0 shows that the file counts from 0, an
    answer equal to the number of options that it counts from 1; numbers that are also the text of an option
    decide nothing. `given` is the user's decision, `named` the one that column names suggest. Raises
    InputError if the answers show both or neither, unless the file is only judged and most of its answers are
    no numbers: then `first` is None.
    """
    rows: dict[int, int] = {}
    lettered = 0
    for row, answer, options in answers:
        found = [number for number in numbers_in(answer) if 0 <= number <= len(options)]
        lettered += not found and bool(answer)
        for number in found:
            is_text = bool(_same_text(str(number), options))
            sign = _OPEN if is_text or 0 < number < len(options) else min(number, 1)
            rows.setdefault(sign, row)
            rows[_COUNT] = rows.get(_COUNT, 0) + 1
    if given is not None or not rows:
        return Numbers(given)
    if 0 in rows and 1 in rows:
        refused = InputError(
            ErrorCode.MIXED_NUMBERS, field="answer", row=rows[0], zero_row=rows[0], count_row=rows[1]
        )
    elif 0 in rows or 1 in rows or named is not None:
        return Numbers(0 if 0 in rows else 1 if 1 in rows else named)
    else:
        refused = InputError(ErrorCode.OPEN_NUMBERS, field="answer", row=rows[_OPEN])
    if is_judged_elsewhere and lettered > rows[_COUNT]:
        return Numbers(None)
    raise refused


def read_key_field(
    row: RowFields, options: Sequence[str], numbers: Numbers, *, field: str = "answer"
) -> int | None:
    """Return the position of the key that a row names, or None.

    An unusable key is reported as an error or a remark.
    """
    value = row.values.get(field)
    if isinstance(value, InputError):
        row.error(field, value.code, **value.params)
        return None
    if isinstance(value, str):
        value = row.line(field, limits.MAX_OPTION_CHARS)
    if not options:
        return None  # the options have their own errors
    key = value
    if not isinstance(key, Key):
        read = partial(read_key, value, options, first=numbers.first, is_lettered=row.is_lettered)
        key = row.attempt_key(field, read, Key(None))
    if key.place is None:
        return None
    if key.by_words:
        row.remark(field, ErrorCode.KEY_BY_WORDS, found=json_excerpt(value), letter=LETTERS[key.place])
    elif numbers_in(value):
        row.remark(
            field,
            ErrorCode.NUMBERS_FROM,
            first=numbers.first or 0,
            found=json_excerpt(value),
            letter=LETTERS[key.place],
        )
    return key.place
