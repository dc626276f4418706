"""Rule on options that are numbers: they must be in order."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar, Final, NamedTuple

from parable.quality.finding import Finding
from parable.quality.item import words
from parable.quality.item.base import OPTIONS, ItemView, RuleCheck
from parable.quality.item.batch import Batch
from parable.quality.item.meanings import meaning, speaking
from parable.sentences import gettext_noop as _

LONGEST_BEHIND: Final = 8
"""Most characters after a number in an option; longer ones are phrases, compared only if all are equal."""

_LETTER: Final = re.compile(r"^\(?[a-h][).、]\s*(?=\S)")
_NUMBER: Final = re.compile(r"(?<![\w.^{])[-\u2212]?\d*\.?\d+(?:/\d+(?:\.\d+)?)?")
_HAN_NUMBER: Final = re.compile("[〇零一二两三四五六七八九十百千万半]+")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_FRACTION: Final = re.compile(r"(?<=\d)\s*/\s*(?=\d)")
_ANY_NUMBER: Final = re.compile(r"[\d〇零一二两三四五六七八九十百千万半]")
_DIGITS: Final = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS: Final = {"十": 10, "百": 100, "千": 1000}

_MEASURES: Final[dict[str, dict[float, str]]] = {
    "time": {
        1: "s sec secs second seconds 秒 秒钟",
        60: "min mins minute minutes 分钟 分",
        3600: "h hr hrs hour hours 小时 个小时 钟头 个钟头",
        86_400: "day days 天 日",
        604_800: "week weeks 周 星期 个星期",
        2_629_800: "month months 月 个月",
        31_557_600: "year years 年",
        3_155_760_000: "century centuries 世纪 个世纪",
    },
    "length": {
        0.001: "mm millimetre millimetres millimeter millimeters 毫米",
        0.01: "cm centimetre centimetres centimeter centimeters 厘米",
        0.0254: "in inch inches 英寸",
        0.1: "dm 分米",
        0.3048: "ft foot feet 英尺",
        0.9144: "yd yard yards 码",
        1: "m metre metres meter meters 米",
        500: "里",
        1000: "km kilometre kilometres kilometer kilometers 千米 公里",
        1609.344: "mi mile miles 英里",
    },
    "weight": {
        0.001: "mg 毫克",
        1: "g gram grams 克",
        28.35: "oz ounce ounces 盎司",
        50: "两",
        453.6: "lb lbs pound pounds 磅",
        500: "斤",
        1000: "kg kilogram kilograms kilo kilos 千克 公斤",
        1_000_000: "t ton tons tonne tonnes 吨",
    },
    "volume": {0.001: "ml 毫升", 1: "l litre litres liter liters 升"},
}
_UNITS: Final = {
    unit: (dimension, size)
    for dimension, units in _MEASURES.items()
    for size, names in units.items()
    for unit in names.split()
}
"""The dimension and the size of each unit, as "3 minutes" is more than "20 seconds"."""


class Amount(NamedTuple):
    """A number with the text before and after it."""

    value: float
    before: str
    after: str


class UnorderedOptions(RuleCheck):
    """Options that are numbers but not in order."""

    id: ClassVar = "unordered_options"
    reads_words: ClassVar = False
    rule: ClassVar = "ordered_options"
    name: ClassVar = _("Numbers out of order")
    says: ClassVar = _("The options are numbers, but not in ascending order.")
    looks_at: ClassVar = _("Options that are numbers, quantities, or one phrase with different numbers.")
    why: ClassVar = _(
        "Readers look for the number they have in mind; disorder slows them down and tests nothing."
    )
    fix: ClassVar = _("Sort the options from smallest to largest.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with numbers in all options, apart from those that refer to others."""
        speaking_items = speaking(batch)
        return [
            index
            for index in batch.options.having(_ANY_NUMBER)
            if index in speaking_items or all(map(_ANY_NUMBER.search, batch.bare[index]))
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about all options together; options like “none of them” may be anywhere."""
        amounts: list[Amount] = []
        for text in item.texts:
            found = amount(text)
            if meaning(text):
                continue
            if found is None:
                return
            amounts.append(found)
        if len(amounts) > 1 and not _ascend(_comparable(amounts)):
            yield self.at(OPTIONS)


def _ascend(values: Sequence[float]) -> bool:
    return all(one <= other for one, other in pairwise(values))


def _comparable(amounts: Sequence[Amount]) -> list[float]:
    """Return the values converted to one unit; [] if they cannot be compared."""
    if _are_alike(amounts):
        return [value for value, _before, _after in amounts]
    measured = [_UNITS.get(after.replace(" ", "")) for _value, _before, after in amounts]
    known = [one for one in measured if one is not None]
    if len(known) < len(amounts) or len({dimension for dimension, _size in known}) > 1:
        return []
    return [one.value * size for one, (_dimension, size) in zip(amounts, known, strict=True)]


def _are_alike(amounts: Sequence[Amount]) -> bool:
    """Return whether options differ only in numbers, or also in a stray word that is not a unit."""
    before = {one.before for one in amounts}
    after = [one.after for one in amounts]
    if len(before) > 1 or len(set(after)) == 1:
        return len(before) == 1
    return not any(one in _UNITS for one in after) and max(map(len, after)) <= LONGEST_BEHIND


@lru_cache(2048)
def amount(text: str) -> Amount | None:
    """Return the only number of an option, with the text around it; None if there is none, or several."""
    if not _ANY_NUMBER.search(words.bare(text)):
        return None
    if words.has_han_alone(text):
        return _amount_in(text, [*_HAN_NUMBER.finditer(text)])
    plain = _THOUSANDS.sub("", _LETTER.sub("", words.bare(text))).replace("$", "").replace(r"\%", "%")
    plain = _FRACTION.sub("/", plain)
    return _amount_in(plain, [*_NUMBER.finditer(plain)] or [*_HAN_NUMBER.finditer(plain)])


def _amount_in(plain: str, found: Sequence[re.Match[str]]) -> Amount | None:
    if len(found) != 1 or (value := _value(found[0][0])) is None:
        return None
    return Amount(value, plain[: found[0].start()].strip(), plain[found[0].end() :].strip())


def _value(text: str) -> float | None:
    if text[-1].isdigit() and text[-1].isascii():
        top, _slash, bottom = text.replace("\u2212", "-").partition("/")
        return float(top) / (float(bottom) or 1.0) if bottom else float(top)
    return _han_value(text)


def _han_value(text: str) -> float | None:
    """Return the value of a Chinese number below ten thousand; None if the text is no such number."""
    if text == "半":
        return 0.5
    total, digit = 0, 0
    for sign in text:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _TENS:
            total, digit = total + (digit or 1) * _TENS[sign], 0
        else:
            return None
    return float(total + digit)
