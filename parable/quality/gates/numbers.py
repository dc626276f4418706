"""Numbers in options: which is the largest, smallest or middle number, and which is out of order."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from parable.quality.item.words import fold

_DIGITS: Final = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS: Final = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
NUMERALS: Final = frozenset({*_DIGITS, *_UNITS})
"""Chinese characters that are numbers, or parts of numbers."""
_SIGNS: Final = "".join(sorted(NUMERALS))
_NUMBER: Final = re.compile(rf"(?<![\w.])[-\u2212]?\d+(?:,\d{{3}})*(?:\.\d+)?|\d+(?:\.\d+)?|[{_SIGNS}]+")
_WORDS: Final = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_WORD: Final = re.compile(rf"\b(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b")
_MAY_BE_NUMBER: Final = re.compile(rf"[\d{_SIGNS}]|{'|'.join(_WORDS)}")
_LONGEST: Final = 15
"""The most characters of a number that is compared; longer numbers are ignored."""

Numbers = tuple[float, ...]


def numbers_of(text: str) -> Numbers:
    """Return the numbers in a text: those in digits or, if there are none, those in words."""
    folded = fold(text)
    if not _MAY_BE_NUMBER.search(folded):
        return ()
    found = tuple(value for match in _NUMBER.finditer(folded) for value in _value(match[0]))
    return found or tuple(float(_WORDS[match[0]]) for match in _WORD.finditer(folded))


def _value(text: str) -> Iterator[float]:
    if len(text) > _LONGEST:
        return
    if text[-1].isascii():
        yield float(text.replace(",", "").replace("\u2212", "-"))
    elif text[-1] in _DIGITS or text[-1] in _UNITS:
        yield _chinese(text)


def _chinese(text: str) -> float:
    """Return the value of a Chinese numeral: digits in sequence, or with units."""
    if _UNITS.keys().isdisjoint(text):
        return float("".join(str(_DIGITS[sign]) for sign in text))
    total, digit = 0, 0
    for sign in text:
        if sign == "万":
            total, digit = (total + digit) * _UNITS[sign], 0
        elif sign in _UNITS:
            total, digit = total + (digit or 1) * _UNITS[sign], 0
        else:
            digit = _DIGITS[sign]
    return float(total + digit)


def ranks(options: Sequence[str]) -> list[set[str]]:
    """Return the features of each option's number: its rank in the item, and whether it is out of order.

    All sets are empty if an option has no number, or if numbers are not comparable.
    """
    values: list[Numbers] = []
    for option in options:
        values.append(numbers_of(option))
        if not values[-1] or len(values[-1]) != len(values[0]):
            return [set() for _option in options]
    if len(set(values)) < max(len(values) - 1, 1):
        return [set() for _option in options]
    most, least = max(values), min(values)
    found = [
        {"largest_number" if own == most else "smallest_number" if own == least else "middle_number"}
        for own in values
    ]
    if len(values) >= 4 and not _in_order(values):
        for place in range(len(values)):
            if _in_order([*values[:place], *values[place + 1 :]]):
                found[place].add("out_of_order")
    return found


def _in_order(values: Sequence[Numbers]) -> bool:
    return all(one <= other for one, other in pairwise(values)) or all(
        one >= other for one, other in pairwise(values)
    )
