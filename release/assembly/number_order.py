"""Ascending order of numeric options: `3 天, 5 天` can be ordered, `3 days, 5 days, a week` cannot."""

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

_DIGITS: Final = re.compile(r"-?\d+(?:[.,]\d+)?")
_CHINESE: Final = re.compile(r"[零〇一二两三四五六七八九十百千万]+")
_ONES: Final = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS: Final = {"十": 10, "百": 100, "千": 1000}


def ascending(options: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the options from the smallest number to the largest, or ().

    There is no order unless each option has exactly one number, the numbers differ, and the other text is
    equal.
    """
    read = [_read(unicodedata.normalize("NFKC", option).strip()) for option in options]
    found = [one for one in read if one is not None]
    if len(found) < max(len(options), 2) or len({around for _number, around in found}) > 1:
        return ()
    numbers = [number for number, _around in found]
    if len(set(numbers)) < len(numbers):
        return ()
    return tuple(sorted(range(len(numbers)), key=numbers.__getitem__))


def _read(option: str) -> tuple[Decimal, str] | None:
    """Return the number in an option, and the text around it without plural endings.

    Return None unless there is exactly one number.
    """
    for pattern in (_DIGITS, _CHINESE):
        places = pattern.findall(option)
        if len(places) == 1:
            number = _size(places[0])
            return number, pattern.sub("#", option).casefold().rstrip("s.。")
    return None


def _size(text: str) -> Decimal:
    if _CHINESE.fullmatch(text) is None:
        return Decimal(text.replace(",", "."))
    whole = part = digit = 0
    for sign in text:
        if sign == "万":
            whole, part, digit = (whole + part + digit) * 10_000, 0, 0
        elif sign in _TENS:
            part, digit = part + (digit or 1) * _TENS[sign], 0
        else:
            digit = _ONES[sign]
    return Decimal(whole + part + digit)
