"""Formats numbers as a spreadsheet displays them, from the value and its number format.

Formats follow ECMA-376, Part 1, 18.8.31. If the display depends on settings of the user that are not in the
file (names of months, default currency, order of dates), the result is None.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

GENERAL: Final = "General"
_OF_COUNTRY: Final = "[of the country]"
BUILT_IN: Final[Mapping[int, str]] = MappingProxyType(
    dict.fromkeys((*range(5, 9), *range(41, 45)), f"{_OF_COUNTRY}0")
    | dict.fromkeys((14, 22, *range(27, 37), *range(50, 59)), f"{_OF_COUNTRY}d")
    | {0: GENERAL, 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00"}
    | {12: "# ?/?", 13: "# ??/??", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy"}
    | {18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss"}
    | dict.fromkeys((37, 38), "#,##0_);(#,##0)")
    | dict.fromkeys((39, 40), "#,##0.00_);(#,##0.00)")
    | {45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@"}
)
"""The built-in number formats of spreadsheets, by number."""

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|(?P<space>_.|\*.)|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]'
    r"|(?P<elapsed>\[(?:h+|m+|s+)\])|(?P<bracket>\[[^\]]*\]?)|(?P<bare>.)",
    re.IGNORECASE | re.DOTALL,
)
_DATE: Final = re.compile(r"y+|m+|d+|h+|s+|e+|am/pm|a/p|general|.", re.IGNORECASE | re.DOTALL)
_UNSURE: Final = re.compile(r"[<>=]|DBNum|of the country", re.IGNORECASE)
_FRACTION: Final = re.compile(r"(?P<whole>[#0?]+ +)?[#0?]+/(?P<under>[#?0]+|\d+)")
_SCIENTIFIC: Final = re.compile(r"0(?:\.(?P<decimals>0+))?E(?P<sign>[+-])(?P<digits>0+)", re.IGNORECASE)
_MOST_DIGITS: Final = 20
_LONGEST: Final = 250
"""Maximum length of a number format, in characters; Excel allows fewer."""
_DAY: Final = dt.timedelta(days=1)


class _Mark(NamedTuple):
    """A token of a number format: a character with a special meaning, or literal text."""

    text: str
    is_literal: bool


def is_date(code: str) -> bool:
    """Return whether a number format displays dates or times."""
    tokens = _tokens(_sections(code)[0])
    bare = "".join(token.text for token in tokens if not token.is_literal).lower()
    return bare != GENERAL.lower() and "general" not in bare and bool(re.search(r"[dmyhs]|e(?![+-])", bare))


def displayed(value: float, code: str, *, since_1904: bool = False) -> str | None:
    """Return a number as this format displays it.

    Return None if the display depends on settings outside the file.
    """
    if len(code) > _LONGEST:
        return None
    if code.endswith("通用格式"):  # as Chinese programs call it: "G/通用格式"
        code = GENERAL
    if code.lower() in {"general", "@", ""}:
        return plain(value)
    sections = _sections(code)
    if any(_UNSURE.search(section) for section in sections):
        return None
    if is_date(code):
        return _date_text(value, _tokens(sections[0]), since_1904=since_1904)
    if value < 0 and len(sections) > 1:
        return _number_text(-value, sections[1])
    if value == 0 and len(sections) > 2:
        return _number_text(value, sections[2])
    found = _number_text(abs(value), sections[0])
    return f"-{found}" if found and value < 0 and any(mark in found for mark in "123456789") else found


def plain(value: float) -> str:
    """Return a number without a format, with the fifteen digits that spreadsheets keep."""
    return str(int(value)) if value.is_integer() else f"{value:.15g}"


def _sections(code: str) -> list[str]:
    """Return the sections of a number format: for positive and negative numbers, zero and text."""
    found, start = [], 0
    for token in _TOKEN.finditer(code):
        if token["bare"] == ";":
            found.append(code[start : token.start()])
            start = token.end()
    return [*found, code[start:]]


def _tokens(section: str) -> list[_Mark]:
    found = []
    for token in _TOKEN.finditer(section):
        literal = token["quoted"] or token["escaped"] or token["currency"]
        if literal:
            found.append(_Mark(literal, is_literal=True))
        elif marks := token["elapsed"] or token["bare"]:
            found.append(_Mark(marks, is_literal=False))
    return found


def _number_text(value: float, section: str) -> str | None:
    tokens = _tokens(section)
    bare = "".join(token.text for token in tokens if not token.is_literal)
    number = Decimal(f"{value:.15g}")
    if bare.strip().lower() == GENERAL.lower():
        joined = _joined(tokens)
        return "".join(
            token.text if token.is_literal else plain(value) for token in joined if token.text.strip()
        )
    if found := _FRACTION.fullmatch(bare.strip()):
        return _shown_fraction(number, found["under"], has_whole=bool(found["whole"]))
    if found := _SCIENTIFIC.fullmatch(bare.strip()):
        mantissa, _, exponent = f"{number:.{len(found['decimals'] or '')}E}".partition("E")
        power = int(exponent)
        before = "-" if power < 0 else "+" if found["sign"] == "+" else ""
        return f"{mantissa}E{before}{abs(power):0{len(found['digits'])}d}"
    if "/" in bare or "e" in bare.lower() or number.adjusted() > _MOST_DIGITS:
        return None
    return _filled(number, tokens)


def _filled(number: Decimal, tokens: list[_Mark]) -> str:
    """Return a number with its digits in the placeholders of its format, filled outwards from the point."""
    marks = [place for place, token in enumerate(tokens) if not token.is_literal and token.text in "0#?"]
    if not marks:
        return "".join(token.text for token in tokens)
    point = next((n for n, token in enumerate(tokens) if token == _Mark(".", is_literal=False)), len(tokens))
    commas = [n for n, token in enumerate(tokens) if token == _Mark(",", is_literal=False)]
    whole_marks = [place for place in marks if place < point]
    decimal_marks = [place for place in marks if place > point]
    last = max((place for place in whole_marks), default=point)
    grouped = any(marks[0] < place < last for place in commas)
    number *= Decimal(100) ** sum(token == _Mark("%", is_literal=False) for token in tokens)
    number /= Decimal(1000) ** sum(marks[-1] < place or last < place < point for place in commas)
    rounded = number.quantize(Decimal(1).scaleb(-len(decimal_marks)), ROUND_HALF_UP)
    whole, _, decimals = f"{rounded:f}".partition(".")
    filled = dict.fromkeys(commas, "")
    filled |= _whole_digits("" if whole == "0" else whole, whole_marks, tokens, grouped=grouped)
    filled |= zip(decimal_marks, decimals, strict=True)
    for place in reversed(decimal_marks):
        if tokens[place].text == "0" or filled[place] != "0":
            break
        filled[place] = ""  # a final zero is kept only where the format has "0"
    return "".join(filled.get(place, token.text) for place, token in enumerate(tokens)).strip()


def _whole_digits(digits: str, marks: list[int], tokens: list[_Mark], *, grouped: bool) -> dict[int, str]:
    """Return the digits of the placeholders before the point; the first one takes all remaining digits."""
    found: dict[int, str] = {}
    count = 0
    for place in reversed(marks):
        taken = len(digits) if place == marks[0] else 1
        here = digits[-taken:] if digits else "0" if tokens[place].text == "0" else ""
        digits = digits[: len(digits) - len(here)] if digits else ""
        text = ""
        for digit in reversed(here):
            text = digit + ("," if grouped and count and count % 3 == 0 else "") + text
            count += 1
        found[place] = text
    return found


def _shown_fraction(number: Decimal, under: str, *, has_whole: bool) -> str:
    whole = int(number) if has_whole else 0
    rest = Fraction(number) - whole
    if under.isdigit() and int(under):
        over, below = round(rest * int(under)), int(under)
    else:
        near = rest.limit_denominator(10 ** min(len(under), 5) - 1)
        over, below = near.numerator, near.denominator
    if has_whole and over == below:
        whole, over = whole + 1, 0
    parts = [str(whole)] if whole or not over else []
    return " ".join([*parts, *([f"{over}/{below}"] if over or not has_whole else [])])


def _date_text(value: float, tokens: list[_Mark], *, since_1904: bool) -> str | None:
    """Return a date or time in digits; None if the format displays names of months or days."""
    marks: list[_Mark] = []
    for token in _joined(tokens):
        if token.is_literal or token.text.startswith("["):
            marks.append(token)
            continue
        for part in _DATE.findall(token.text):
            is_mark = re.fullmatch(r"[ymdhse]+|am/pm|a/p|general", part, re.IGNORECASE)
            marks.append(_Mark(part, is_literal=not is_mark))
    lowered = [mark.text.lower() for mark in marks if not mark.is_literal]
    if value < 0 or any(mark in {"mmm", "mmmm", "mmmmm", "ddd", "dddd", "general"} for mark in lowered):
        return None
    # Before March 1900, spreadsheets count a nonexistent 29 February.
    first = (1904, 1, 1) if since_1904 else (1899, 12, 30 if value >= 61 else 31)
    try:
        seconds = round(value * 86_400)
        moment = dt.datetime(*first) + dt.timedelta(seconds=seconds)  # noqa: DTZ001 - a spreadsheet knows no zones
    except OverflowError:
        return None
    has_halves = any(mark in {"am/pm", "a/p"} for mark in lowered)
    words = []
    for number, mark in enumerate(marks):
        word = (
            mark.text
            if mark.is_literal
            else _date_word(number, marks, moment, seconds, has_halves=has_halves)
        )
        if word is None:
            return None
        words.append(word)
    return "".join(words).strip()


def _joined(tokens: list[_Mark]) -> list[_Mark]:
    """Return the tokens; merge adjacent tokens that are not literal, except elapsed time such as `[h]`."""
    found: list[_Mark] = []
    for token in tokens:
        if found and not (token.is_literal or found[-1].is_literal or "[" in token.text + found[-1].text):
            found[-1] = _Mark(found[-1].text + token.text, is_literal=False)
        else:
            found.append(token)
    return found


def _date_word(
    number: int, marks: list[_Mark], moment: dt.datetime, seconds: int, *, has_halves: bool
) -> str | None:
    mark = marks[number].text.lower()
    if mark in {"am/pm", "a/p"}:
        half = "AM" if moment.hour < 12 else "PM"
        return half if mark == "am/pm" else half[0]
    hour = (moment.hour - 1) % 12 + 1 if has_halves else moment.hour
    is_minutes = mark in {"m", "mm"} and _stands_by_time(number, marks)
    if mark[0] in "ye":
        return str(moment.year) if mark[0] == "e" or len(mark) > 2 else f"{moment.year % 100:02d}"
    values = {
        "m": moment.minute if is_minutes else moment.month,
        "d": moment.day,
        "h": hour,
        "s": moment.second,
        "[h": seconds // 3600,
        "[m": seconds // 60,
        "[s": seconds,
    }
    value = values[mark[:2] if mark[0] == "[" else mark[0]]
    width = len(mark.strip("[]"))
    return f"{value:0{width}d}" if width <= 2 else None


def _stands_by_time(number: int, marks: list[_Mark]) -> bool:
    """Return whether an "m" means minutes: it follows hours or precedes seconds."""
    before = next((mark.text for mark in reversed(marks[:number]) if not mark.is_literal), "")
    after = next((mark.text for mark in marks[number + 1 :] if not mark.is_literal), "")
    return before.lower().lstrip("[").startswith("h") or after.lower().startswith("s")
