"""Text units for checks: Chinese by character, other scripts by word, ignoring width and case."""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from parable.formats.options import is_blank as blank
from parable.formats.options import normalise_option

HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"

_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_UNIT: Final = re.compile(
    rf"[{HAN}]"
    r"|(?:(?<![0-9a-z])[-\u2212])?\d+(?:[.,:/]\d+)*[%‰°]?"
    rf"|[^\W\d_{HAN}]+(?:'[^\W\d_{HAN}]+)?"
    r"|[<>≤≥=×÷√$€£¥]|\+(?!\d)"
)
_HAN: Final = re.compile(f"[{HAN}]")
_OTHER_UNIT: Final = re.compile(rf"[^\W_{HAN}]|[<>≤≥=×÷√$€£¥+]")
_HAN_ALONE: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]*")
"""Text that is folded as it stands, and whose units are its characters."""
_WORD: Final = re.compile(r"\w+")
_APART: Final = "\x00"
_SENTENCE_END: Final = " .。;；,，、"

_PARTICLES: Final = frozenset("的了着呢吧啊呀嘛")
_ARTICLES: Final = frozenset({"a", "an", "the"})
_LEFT_OUT: Final = _PARTICLES | _ARTICLES
_NEGATIONS: Final = frozenset("不没未非莫勿错") | {
    "not",
    "no",
    "never",
    "without",
    "least",
    "except",
    "false",
}

_CACHED: Final = 2048  # the story and some twenty items, many times over; a text is a few kilobytes at most

_UNITS: Final = 16_384

Units = tuple[str, ...]

CHINESE: Final = "zh"
ENGLISH: Final = "en"
UNDETERMINED: Final = "und"
"""The code of ISO 639-2 and BCP 47 for a language that nobody has said."""

_NAMES: Final = {
    CHINESE: {"zh", "zho", "chi", "cmn", "chinese", "mandarin", "中文", "汉语", "漢語", "华语", "普通话"},
    ENGLISH: {"en", "eng", "english", "英语", "英文", "英語"},
}
_LANGUAGES: Final = {name: code for code, names in _NAMES.items() for name in names}


@lru_cache(_CACHED)
def language_named(text: str) -> str:
    """Return "zh" or "en" for a code or name of these languages, else the name, folded; "" for "".

    A code may name script and region: "zh-Hans-CN", "en_US".
    """
    folded = fold(text).strip()
    return _LANGUAGES.get(re.split(r"[-_ (（]", folded, maxsplit=1)[0], folded)


@lru_cache(_CACHED)
def same_form(text: str) -> str:
    """Return `normalise_option` of a text, cached; Chinese questions are returned early."""
    if text[-1:] == "？" and has_han_alone(text[:-1]):
        return text[:-1] + "?"
    return normalise_option(text)


is_blank = lru_cache(_CACHED)(blank)
"""Whether a text shows nothing, remembered."""


def has_han_alone(text: str) -> bool:
    """Return whether a text has only the usual Chinese characters."""
    return bool(_HAN_ALONE.fullmatch(text))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    if _HAN_ALONE.fullmatch(text):
        return text
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return folded if folded.isprintable() else _INVISIBLE.sub("", folded)


fold = lru_cache(_CACHED)(_folded)
"""The text by NFKC, without case and invisible marks, with plain apostrophes."""


def fold_all(texts: Sequence[str]) -> list[str]:
    """Return `fold` of many texts at once, joined by a control character that nothing folds across."""
    joined = _APART.join(texts)
    return _folded(joined).split(_APART) if joined.count(_APART) == len(texts) - 1 else [*map(_folded, texts)]


@lru_cache(maxsize=_CACHED)
def units(text: str) -> Units:
    """Return the units of a text: Chinese characters, words, numbers and arithmetic signs; no punctuation."""
    return tuple(text) if _HAN_ALONE.fullmatch(text) else tuple(_UNIT.findall(fold(text)))


units_of_folded = _UNIT.findall
"""The `units` of a folded text."""


def has_other_units(folded: str) -> bool:
    """Return whether a folded text has units other than Chinese characters."""
    return bool(_OTHER_UNIT.search(folded))


@lru_cache(maxsize=_CACHED)
def line(text: str) -> str:
    """Return the units with a space around each, so that sequences can be found as text."""
    return f" {' '.join(units(text))} "


@lru_cache(maxsize=_CACHED)
def folded_lines(texts: tuple[str, ...]) -> str:
    """Return the folded texts, each on its own line.

    A pattern that asks for no beginning, end or white space finds nothing there where it finds it in no text.
    """
    return "\n".join(map(fold, texts))


@lru_cache(maxsize=_CACHED)
def runs(texts: tuple[str, ...]) -> frozenset[str]:
    r"""Return the runs of letters and digits in the folded texts, where `\b` patterns may match."""
    return frozenset(_WORD.findall(folded_lines(texts)))


class Terms(NamedTuple):
    """A pattern that finds terms, and what tells cheaply that a text has none of them.

    `chinese` finds the Chinese ones whatever stands around them; `english` has a word of each English one.
    """

    pattern: re.Pattern[str]
    chinese: re.Pattern[str]
    english: frozenset[str]

    @classmethod
    def of(cls, pattern: str, chinese: str, english: str) -> "Terms":
        """Return the terms of two patterns, and of words with white space between them."""
        return cls(re.compile(pattern), re.compile(chinese), frozenset(english.split()))

    def may_be_in(self, texts: tuple[str, ...]) -> bool:
        """Return whether one of these texts may contain a term; a fast check, as most contain none."""
        lines = folded_lines(texts)
        is_said = bool(self.chinese.search(lines)) or not self.english.isdisjoint(runs(texts))
        return is_said and bool(self.pattern.search(lines))


@lru_cache(maxsize=_CACHED)
def bare(text: str) -> str:
    """Return the folded text as one line without surrounding white space and final stop."""
    if _HAN_ALONE.fullmatch(text):
        return text
    return " ".join(fold(text).split()).rstrip(_SENTENCE_END)


@lru_cache(maxsize=_CACHED)
def asked_form(text: str) -> str:
    """Return a form that is equal for stems that read the same: `bare` without a final question mark."""
    return bare(text).rstrip("? ")


@lru_cache(maxsize=_CACHED)
def content(text: str) -> Units:
    """Return the units without Chinese particles and English articles; "door A" keeps its letter."""
    found = units(text)
    if _LEFT_OUT.isdisjoint(found):
        return found
    last = len(found) - 1
    return tuple(
        unit
        for index, unit in enumerate(found)
        if unit not in _PARTICLES and (unit not in _ARTICLES or index == last)
    )


@lru_cache(maxsize=_UNITS)
def is_han(unit: str) -> bool:
    """Return whether a unit is a Chinese character."""
    return bool(_HAN.match(unit))


def is_chinese(text: str) -> bool:
    """Return whether a text has a Chinese character."""
    return bool(_HAN.search(text))


def weight(words: Sequence[str]) -> int:
    """Return the amount of text: a Chinese character counts one, a word of another script two."""
    return 2 * len(words) - len(_HAN.findall("".join(words)))


def length(text: str) -> int:
    """Return the number of visible characters, without surrounding white space and marks."""
    return len((text if text.isprintable() else _INVISIBLE.sub("", text)).strip())


def margin(key: int, others: Sequence[int]) -> int:
    """Return by how much a key is longer than each other option, negative if shorter than each; else 0."""
    return max(0, key - max(others)) + min(0, key - min(others))


def holds(text: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether these units occur side by side in those: "cat" is not in "catch"."""
    return bool(part) and part[0] in text and f" {' '.join(part)} " in f" {' '.join(text)} "


def negations(words: Sequence[str]) -> Counter[str]:
    """Return the units that negate a sentence, counted."""
    if _NEGATIONS.isdisjoint(words) and "n't" not in "".join(words):
        return Counter()
    return Counter(unit for unit in words if unit in _NEGATIONS or unit.endswith("n't"))


def numbers(words: Sequence[str]) -> Counter[str]:
    """Return the units that are numbers, counted."""
    said = "".join(words)
    if said.isalpha() or not any(map(str.isdigit, said)):
        return Counter()
    return Counter(unit for unit in words if any(char.isdigit() for char in unit))


def alike(one: Units, other: Units, least: float) -> bool:
    """Return whether two wordings are alike, by the mean over units and neighbours, from 0 to 1."""
    both = len(one) + len(other)
    if not one or not other or not _may_reach(2 * min(len(one), len(other)) / both, least):
        return False
    singles = 2 * len(_counted(one) & _counted(other)) / both
    if not _may_reach(singles, least):
        return False
    ours, theirs = _counted_pairs(one), _counted_pairs(other)
    return singles + 2 * len(ours & theirs) / (len(ours) + len(theirs)) >= 2 * least


def _may_reach(singles: float, least: float) -> bool:
    """Return whether neighbours could still raise the mean enough, which rules out most pairs cheaply."""
    return singles + 1 >= 2 * least


@lru_cache(maxsize=_CACHED)
def _counted(words: Units) -> frozenset[Hashable]:
    """Return the units of a wording, numbered by `_numbered`."""
    return _numbered(words)


@lru_cache(maxsize=_CACHED)
def _counted_pairs(words: Units) -> frozenset[Hashable]:
    """Return the pairs of neighbours of a wording, or its only unit, numbered by `_numbered`."""
    return _numbered([*pairwise(words)] or [words])


def _numbered(parts: Sequence[Hashable]) -> frozenset[Hashable]:
    """Yield repeated pieces with a number, so that sets of them can be compared like sequences."""
    found = frozenset(parts)
    if len(found) == len(parts):
        return found
    seen: Counter[Hashable] = Counter()
    numbered: list[Hashable] = []
    for part in parts:
        numbered.append((part, seen[part]) if part in seen else part)
        seen[part] += 1
    return frozenset(numbered)
