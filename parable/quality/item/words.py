"""Units of texts for checks: Chinese characters and words of other scripts; width and case are ignored."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from parable.formats.options import HAN_ALONE, normalise_option
from parable.formats.options import is_blank as blank

if TYPE_CHECKING:
    from parable.quality.item.batch import Batch

HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"

_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_UNIT: Final = re.compile(
    rf"[^\W\d_{HAN}]+(?:'[^\W\d_{HAN}]+)?"  # first, as most units of texts that are searched are words
    rf"|[{HAN}]"
    r"|(?:(?<![0-9a-z])[-\u2212])?\d+(?:[.,:/]\d+)*[%‰°]?"
    r"|[<>≤≥=×÷√$€£¥]|\+(?!\d)"
)
_HAN: Final = re.compile(f"[{HAN}]")
_HAN_RUN: Final = re.compile(f"[{HAN}]+")
_NAMING: Final = re.compile(f"[a-z]{{4,}}|[{HAN}]")
OTHER_UNIT: Final = re.compile(rf"[^\W_{HAN}]|[<>≤≥=×÷√$€£¥+]")
_WORD: Final = re.compile(r"\w+")
_APART: Final = "\x00"
_SENTENCE_END: Final = " .。;；,，、"

PARTICLES: Final = frozenset("的了着呢吧啊呀嘛")
_ARTICLES: Final = frozenset({"a", "an", "the"})
LEFT_OUT: Final = PARTICLES | _ARTICLES
"""Units without content."""
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
"""The ISO 639-2 and BCP 47 code for a language that is not stated."""

_NAMES: Final = {
    CHINESE: {"zh", "zho", "chi", "cmn", "chinese", "mandarin", "中文", "汉语", "漢語", "华语", "普通话"},
    ENGLISH: {"en", "eng", "english", "英语", "英文", "英語"},
}
_LANGUAGES: Final = {name: code for code, names in _NAMES.items() for name in names}


@lru_cache(_CACHED)
def language_named(text: str) -> str:
    """Return "zh" or "en" for a code or name of Chinese or English; for others, the folded text.

    A code may include script and region: "zh-Hans-CN", "en_US".
    """
    folded = fold(text).strip()
    return _LANGUAGES.get(re.split(r"[-_ (（]", folded, maxsplit=1)[0], folded)


@lru_cache(_CACHED)
def same_form(text: str) -> str:
    """Return `normalise_option` of a text, cached; Chinese questions take a faster path."""
    if text[-1:] == "？" and has_han_alone(text[:-1]):
        return text[:-1] + "?"
    return normalise_option(text)


def same_forms(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return `same_form` of each text; Chinese texts are handled all together, which is faster."""
    joined = "".join(texts)
    if has_han_alone(joined):
        return texts
    if "？" in joined and has_han_alone(joined.replace("？", "")):
        return tuple(text.replace("？", "?") for text in texts)
    return tuple(map(same_form, texts))


is_blank = lru_cache(_CACHED)(blank)
"""A function that returns whether a text has no visible character, cached."""


def has_han_alone(text: str) -> bool:
    """Return whether a text consists of common Chinese characters only."""
    return bool(HAN_ALONE.fullmatch(text))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    if HAN_ALONE.fullmatch(text):
        return text
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return folded if folded.isprintable() else _INVISIBLE.sub("", folded)


fold = lru_cache(_CACHED)(_folded)
"""A function that returns a text in NFKC form without case and invisible characters, cached."""


def fold_all(texts: Sequence[str]) -> list[str]:
    """Return `fold` of each text, computed at once on the joined texts."""
    joined = _APART.join(texts)
    return _folded(joined).split(_APART) if joined.count(_APART) == len(texts) - 1 else [*map(_folded, texts)]


@lru_cache(maxsize=_CACHED)
def units(text: str) -> Units:
    """Split a text into units: Chinese characters, words, numbers and arithmetic signs; no punctuation."""
    if HAN_ALONE.fullmatch(text):
        return tuple(text)
    folded = fold(text)
    return tuple(_UNIT.findall(folded) if has_other_units(folded) else signs(folded))


units_of_folded = _UNIT.findall
"""A function that returns the `units` of a text that is already folded."""


def has_other_units(folded: str) -> bool:
    """Return whether a folded text has units other than Chinese characters."""
    return bool(OTHER_UNIT.search(folded))


def signs(text: str) -> str:
    """Return the Chinese characters of a text."""
    return text if HAN_ALONE.fullmatch(text) else "".join(_HAN_RUN.findall(text))


@lru_cache(maxsize=_CACHED)
def line(text: str) -> str:
    """Return the units of a text with a space around each, so that `in` finds a sequence of units."""
    return f" {' '.join(units(text))} "


@lru_cache(maxsize=_CACHED)
def folded_lines(texts: tuple[str, ...]) -> str:
    """Return the folded texts, each on its own line.

    A pattern without anchors and white space matches these lines exactly if it matches one of the texts.
    """
    return "\n".join(map(fold, texts))


@lru_cache(maxsize=_CACHED)
def runs(texts: tuple[str, ...]) -> frozenset[str]:
    r"""Return the runs of letters and digits in the folded texts.

    Words that a pattern encloses in `\b` can only match such runs.
    """
    return runs_of_folded(folded_lines(texts))


def runs_of_folded(lines: str) -> frozenset[str]:
    """Return the `runs` of texts that are already folded."""
    return frozenset(_WORD.findall(lines))


class Terms(NamedTuple):
    """A pattern for terms, and fast checks that rule out texts without terms.

    `chinese` matches all Chinese terms, and maybe more; `english` has one word of each English term.
    """

    pattern: re.Pattern[str]
    chinese: re.Pattern[str]
    english: frozenset[str]

    @classmethod
    def of(cls, pattern: str, chinese: str, english: str) -> "Terms":
        """Return terms from two patterns, and a string of English words separated by white space."""
        return cls(re.compile(pattern), re.compile(chinese), frozenset(english.split()))

    def candidates(self, batch: "Batch") -> Collection[int]:
        """Return the indexes of items whose options may contain a term."""
        said = (index for index, own in enumerate(batch.runs) if not self.english.isdisjoint(own))
        return batch.options.having(self.chinese).union(said)

    def may_be_in(self, texts: tuple[str, ...]) -> bool:
        """Return whether a text may contain a term; a fast check, as most texts contain none."""
        lines = folded_lines(texts)
        is_said = bool(self.chinese.search(lines)) or not self.english.isdisjoint(runs(texts))
        return is_said and bool(self.pattern.search(lines))


@lru_cache(maxsize=_CACHED)
def bare(text: str) -> str:
    """Return the folded text on one line, without outer white space and final punctuation."""
    if HAN_ALONE.fullmatch(text):
        return text
    return bare_of_folded(fold(text))


def bare_of_folded(folded: str) -> str:
    """Return `bare` of a text that is already folded."""
    return " ".join(folded.split()).rstrip(_SENTENCE_END)


@lru_cache(maxsize=_CACHED)
def asked_form(text: str) -> str:
    """Return a stem in normal form for comparison: `bare`, without a final question mark."""
    return bare(text).rstrip("? ")


@lru_cache(maxsize=_CACHED)
def content(text: str) -> Units:
    """Return the units without Chinese particles and English articles, except an article at the end.

    In "door A", the "A" is not an article.
    """
    found = units(text)
    if LEFT_OUT.isdisjoint(found):
        return found
    last = len(found) - 1
    return tuple(
        unit
        for index, unit in enumerate(found)
        if unit not in PARTICLES and (unit not in _ARTICLES or index == last)
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
    """Return the number of visible characters, without outer white space."""
    return len((text if text.isprintable() else _INVISIBLE.sub("", text)).strip())


def margin(key: int, others: Sequence[int]) -> int:
    """Return how much longer the key is than all others; negative if shorter than all; otherwise 0."""
    return max(0, key - max(others)) + min(0, key - min(others))


def holds(text: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether the units of `part` occur in sequence in `text`: "cat" does not occur in "catch"."""
    return bool(part) and part[0] in text and f" {' '.join(part)} " in f" {' '.join(text)} "


def may_hold(folded: str, part: str) -> bool:
    """Return whether `holds` may be true of a folded text and the content of `part`; a fast check.

    The check searches for Chinese characters and for words that are too long to be articles.
    """
    return all(found[0] in folded or found[0] in PARTICLES for found in _NAMING.finditer(part))


def negations(words: Sequence[str]) -> Counter[str]:
    """Count the units that negate a sentence."""
    if _NEGATIONS.isdisjoint(words) and "n't" not in "".join(words):
        return Counter()
    return Counter(unit for unit in words if unit in _NEGATIONS or unit.endswith("n't"))


def numbers(words: Sequence[str]) -> Counter[str]:
    """Count the units that are numbers."""
    said = "".join(words)
    if said.isalpha() or not any(map(str.isdigit, said)):
        return Counter()
    return Counter(unit for unit in words if any(char.isdigit() for char in unit))


def alike(one: Units, other: Units, least: float) -> bool:
    """Return whether the likeness of two texts, the mean over units and over pairs, is at least `least`."""
    both = len(one) + len(other)
    if not one or not other or not may_reach(2 * min(len(one), len(other)) / both, least):
        return False
    singles = 2 * len(_counted(one) & _counted(other)) / both
    if not may_reach(singles, least):
        return False
    ours, theirs = _counted_pairs(one), _counted_pairs(other)
    return singles + 2 * len(ours & theirs) / (len(ours) + len(theirs)) >= 2 * least


def may_reach(singles: float, least: float) -> bool:
    """Return whether pairs of units could raise the mean to `least`; a fast check before counting pairs."""
    return singles + 1 >= 2 * least


@lru_cache(maxsize=_CACHED)
def _counted(words: Units) -> frozenset[Hashable]:
    """Return the units of a text as a set; repeated units are numbered."""
    return _numbered(words)


@lru_cache(maxsize=_CACHED)
def _counted_pairs(words: Units) -> frozenset[Hashable]:
    """Return the pairs of adjacent units, or the only unit, as a set; repeated pairs are numbered."""
    return _numbered([*pairwise(words)] or [words])


def _numbered(parts: Sequence[Hashable]) -> frozenset[Hashable]:
    """Return the parts as a set; repeated parts are numbered, so that sets compare like sequences."""
    found = frozenset(parts)
    if len(found) == len(parts):
        return found
    seen: Counter[Hashable] = Counter()
    numbered: list[Hashable] = []
    for part in parts:
        numbered.append((part, seen[part]) if part in seen else part)
        seen[part] += 1
    return frozenset(numbered)
