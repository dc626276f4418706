"""Checks of the key: the key must not repeat the stem, nor combine parts of the other options.

More checks here are about unclear wording, several right options, and options about other options.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import eq
from typing import ClassVar, Final

from parable.quality.finding import Finding
from parable.quality.item import words
from parable.quality.item.asked import MAY_BURY, asked, buries_question
from parable.quality.item.base import KEY, STEM, ItemView, RuleCheck, option
from parable.quality.item.batch import Batch, at_line_start
from parable.quality.item.lexicon import FUNCTION_SIGNS, FUNCTION_WORDS
from parable.sentences import gettext_noop as _

LEAST_SHARE: Final = 0.15
"""The lowest proportion of the key's content that must repeat the stem for a finding."""
LEAST_MORE_CHINESE: Final = 2
"""How many more character pairs of the stem the key must repeat than any other option, at least."""
LEAST_RECURRING: Final = 3
"""The fewest units of the key that must recur in half of the distractors for a finding."""

_ENDINGS: Final = ("ingly", "edly", "ings", "ing", "ies", "ied", "es", "ed", "ly", "'s", "s")

_LAST: Final = ("s", "g", "d", "y")
"""The last letters of all `_ENDINGS`, for a fast check."""

Parts = frozenset[str]


class KeyRepeatsStem(RuleCheck):
    """Find keys that repeat more words of the stem than any other option."""

    id: ClassVar = "key_repeats_stem"
    reveals_key: ClassVar = True
    rule: ClassVar = "avoid_repetition"
    name: ClassVar = _("Key repeats the stem")
    says: ClassVar = _("The key repeats more of the stem than any other option: %(words)s.")
    looks_at: ClassVar = _(
        "Content words that the key shares with the stem, compared with each other option."
    )
    why: ClassVar = _("An option that repeats the stem is chosen for that reason.")
    fix: ClassVar = _("Use other words in the key, or use the same words in other options too.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the key, if it repeats the stem."""
        if item.key is None or not item.distractors or not item.own_stem:
            return
        least = LEAST_MORE_CHINESE if item.is_chinese else 1
        if least > 1 and not words.has_other_units(folded := words.fold(item.key.text)):
            signs = frozenset(words.signs(folded)).intersection(words.fold(item.own_stem))
            if len(signs) < 2:  # fewer characters than a shared pair has
                return
        stem, key = parts(item.own_stem), parts(item.key.text)
        shared = key & stem
        if len(shared) < least:
            return
        most = max(len(parts(one.text) & stem) for one in item.distractors)
        if len(shared) - most >= least and len(shared) >= LEAST_SHARE * len(key):
            yield self.at(KEY, words=", ".join(sorted(shared)[:4]))


class KeyGathersOptions(RuleCheck):
    """Find keys with several parts that recur in at least half, but not all, of the distractors."""

    id: ClassVar = "key_gathers_options"
    reveals_key: ClassVar = True
    rule: ClassVar = "no_convergence_cues"
    name: ClassVar = _("Key combines what the options share")
    says: ClassVar = _("%(count)d parts of the key recur in at least half of the distractors.")
    looks_at: ClassVar = _("Words of the key that are in at least half of the distractors, but not in all.")
    why: ClassVar = _("If distractors are variations of the key, counting what recurs reveals it.")
    fix: ClassVar = _("Vary the distractors so that another option shares as much with the rest.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the key, if it combines parts of the distractors."""
        texts = [one.text for one in item.distractors if not meaning(one.text)]
        if item.key is None or len(texts) < 2 or not _may_gather(item.key.text, texts):
            return
        others = [content_units(text) for text in texts]
        counts = Counter(part for other in others for part in other)
        key = content_units(item.key.text)
        recurring = sum(len(others) <= 2 * counts[part] and counts[part] < len(others) for part in key)
        if recurring >= LEAST_RECURRING:
            yield self.at(KEY, count=recurring)


def _may_gather(key: str, others: Sequence[str]) -> bool:
    """Return whether the key may have three parts that recur in the other options; a fast check.

    Three parts contain at least two different characters or words, unless one of these is repeated.
    """
    folded = words.fold(key)
    is_han = not words.has_other_units(folded)
    units = words.signs(folded) if is_han else words.units(key)
    said = frozenset(units)
    if len(said) < len(units) and any(map(eq, units, units[1:])):
        return True
    if is_han:
        return 2 * sum(len(said.intersection(words.fold(other))) > 1 for other in others) >= len(others)
    if any(map(words.is_han, said)):
        return True
    stems = [stem for _unit, stem in _stems(key)]
    if len(frozenset(stems)) < len(stems):
        return True
    theirs = [{stem for _unit, stem in _stems(other)} for other in others]
    return sum(2 * sum(stem in own for own in theirs) >= len(others) for stem in stems) > 1


@lru_cache(2048)
def parts(text: str) -> Parts:
    """Return the content units of a text: stemmed English words, or pairs of Chinese characters."""
    said = (stem for unit, stem in _stems(text) if len(unit) > 2 and unit[0].isalpha())
    return frozenset(said) | _han_pairs(text)


@lru_cache(2048)
def content_units(text: str) -> Parts:
    """Return the units of `parts`, and also numbers, short words and pairs of words."""
    said = [stem for _unit, stem in _stems(text)]
    return frozenset(said) | {f"{one} {other}" for one, other in pairwise(said)} | _han_pairs(text)


@lru_cache(2048)
def _stems(text: str) -> tuple[tuple[str, str], ...]:
    """Return the content words and numbers of a text, each with its stem."""
    if words.has_han_alone(text):
        return ()
    found = words.units(text)
    return tuple(
        (unit, stem) for unit, stem in zip(found, map(_stem, found), strict=True) if stem is not None
    )


@lru_cache(32_768)
def _stem(unit: str) -> str | None:
    """Return the stem of a content word or number; None for other units."""
    if unit in FUNCTION_WORDS or words.is_han(unit) or (len(unit) == 1 and unit.isalpha()):
        return None
    return stemmed(unit)


def _han_pairs(text: str) -> Parts:
    if text.isascii():
        return frozenset()
    if words.has_han_alone(text):
        pairs = pairwise(text)
        return frozenset([f"{one}{other}" for one, other in pairs if not FUNCTION_SIGNS & {one, other}])
    terms = map(_sign, words.units(text))
    return frozenset(one + other for one, other in pairwise(terms) if one and other)


@lru_cache(16_384)
def _sign(unit: str) -> str:
    """Return the unit if it is a Chinese character with content, else ""."""
    return unit if words.is_han(unit) and unit not in FUNCTION_SIGNS else ""


def stemmed(word: str) -> str:
    """Remove the ending of an English word, so that "catches", "catching" and "catch" are equal."""
    if not word.endswith(_LAST):
        return word.rstrip("e") if len(word) > 4 else word
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3:
            base += "y" if ending in {"ies", "ied"} else ""
            doubled = ending in {"ing", "ed"} and len(base) > 3 and base[-1] == base[-2]
            return (base[:-1] if doubled else base).rstrip("e")
    return word.rstrip("e") if len(word) > 4 else word


# --- Checks of wording and of the number of right options, as far as the form of texts shows faults ---

_UNPRINTABLE: Final = r"�\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_MARKUP: Final = re.compile(rf"&(?:\w{{2,8}}|#\d+);|\[\w+\]|\{{\w+\}}|</?\w+>|[{_UNPRINTABLE}]")
_MAY_BE_MARKUP: Final = re.compile(rf"[&\[{{<{_UNPRINTABLE}]")
_MISSPELT: Final = (
    "alot|recieve|recieved|seperate|definately|occured|untill|wich|thier|enviroment|goverment|begining|beleive"
    "|neccessary|tommorow|existance|teh|becuase|dont|doesnt|didnt|isnt|wont|cant"
)
_ARE_MISSPELT: Final = frozenset(_MISSPELT.split("|"))
_SLIPS: Final = re.compile(
    r"\b(?!that that\b|had had\b)([a-z]{2,}) \1\b"
    r"|\ba (?=[aeio][a-z]{2})(?!one\b|once\b|eu)|\ban (?=[bcdfgjklmnpqrstvwxyz][a-z])"
    r"|[a-z]{2}[,;?!][a-z]{2}|[a-z]{3}\.[A-Z][a-z]|\w {2,}\w"
    rf"|\b(?:{_MISSPELT})\b"
    r"|\bwhat have\b|\b[2-9] (?:man|woman|child)\b|\b(?:he|she|it) (?:have|do|are)\b|\bthey (?:is|was|has)\b"
)
_ONE: Final = "man|woman|child"
_PLURAL: Final = "have|do|are"
_SINGULAR: Final = "is|was|has"
_MAY_DISAGREE: Final = re.compile(
    rf" (?:(?<=what )have|(?<=[2-9] )(?:{_ONE})|(?<=he )(?:{_PLURAL})|(?<=it )(?:{_PLURAL})"
    rf"|(?<=they )(?:{_SINGULAR}))\b"
)
_DISAGREEING: Final = frozenset(f"{_ONE}|{_PLURAL}|{_SINGULAR}".split("|"))
_MAY_BE_RUN_ON: Final = re.compile(r"[,;?!.](?=[A-Za-z])")
_ARTICLES: Final = re.compile(
    # The boundary is tested last, as patterns that begin with a letter are found faster.
    r"a(?<=\ba) (?=[aeio][a-z]{2})|an(?<=\ban) (?=[bcdfgjklmnpqrstvwxyz][a-z])"
)
_RUN: Final = re.compile(r"\w+")
_SLIPS_CHINESE: Final = re.compile(
    r"(?<![目真的])的的(?!士|确)|了了(?!解|结)|是是(?!非)|(?<!实)在在|和和(?!气)|被被|把把(?!关)|[？?]{2,}|[，,]{2,}|[。，、；：]{2,}|[，。？][,.?]"
)
_MAY_BE_CHINESE: Final = re.compile("[的了是在和被把？?，,。、；：](?=[的了是在和被把？?，,。、；：.])")
_LATIN: Final = re.compile("[a-z ]")
"""A fast check: every text with an English error matches this."""
_POSSIBLY: Final = re.compile("could|might|may|can")
_MAY: Final = re.compile(rf"\b(?:{_POSSIBLY.pattern})\b")
_MOST: Final = re.compile(r"\b(?:most|best)\b")


class UnclearWording(RuleCheck):
    """Find errors of spelling or grammar, and markup."""

    id: ClassVar = "unclear_wording"
    rule: ClassVar = "clear_language"
    name: ClassVar = _("Unclear wording")
    says: ClassVar = _("Possible error in this text: “%(slip)s”.")
    looks_at: ClassVar = _(
        "Repeated words, “a” before a vowel, common misspellings, missing spaces, markup,"
        " repeated punctuation, and “what” in place of a word."
    )
    why: ClassVar = _("Unclear wording tests whether readers can guess what was meant.")
    fix: ClassVar = _("Correct the text.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with English words, or with errors that need no English words."""
        slips = batch.typed.having(_MAY_BE_MARKUP, _MAY_BE_CHINESE, _LATIN)
        return slips | batch.stems.having(MAY_BURY)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each text with such an error."""
        if not _may_slip("\n".join((item.own_stem, *item.texts))):
            if buries_question(asked(item.own_stem)):
                yield self.at(STEM, slip="what")
            return
        for place, text in [(STEM, item.own_stem), *((option(n), one.text) for n, one in item.filled)]:
            if match := _MARKUP.search(text) or _SLIPS.search(text) or _SLIPS_CHINESE.search(text):
                printable = (sign if sign.isprintable() else f"U+{ord(sign):04X}" for sign in match[0])
                yield self.at(place, slip="".join(printable).strip())
            elif place == STEM and buries_question(asked(text)):
                yield self.at(place, slip="what")


def _may_slip(texts: str) -> bool:
    """Return whether one of these lines may have an error; no pattern spans two lines."""
    is_latin = bool(_LATIN.search(texts)) and _may_slip_in_english(texts) and bool(_SLIPS.search(texts))
    is_chinese = bool(_MAY_BE_CHINESE.search(texts)) and bool(_SLIPS_CHINESE.search(texts))
    return is_latin or is_chinese or bool(_MAY_BE_MARKUP.search(texts) and _MARKUP.search(texts))


def _may_slip_in_english(texts: str) -> bool:
    """Return whether an English error is possible; a fast check that rules out most texts."""
    runs = _RUN.findall(texts)
    said = frozenset(runs)
    return (
        bool("  " in texts or _MAY_BE_RUN_ON.search(texts) or _ARTICLES.search(texts))
        or (not _DISAGREEING.isdisjoint(said) and bool(_MAY_DISAGREE.search(texts)))
        or not _ARE_MISSPELT.isdisjoint(said)
        or (len(said) < len(runs) and any(map(eq, runs, runs[1:])))
    )


class SeveralKeys(RuleCheck):
    """Find items of which more than one option may be right."""

    id: ClassVar = "several_keys"
    rule: ClassVar = "single_best_answer"
    trait: ClassVar = "has_one_key"
    name: ClassVar = _("More than one answer may be right")
    says: ClassVar = _("The stem asks what is possible, and more than one option may be.")
    looks_at: ClassVar = _(
        "English stems that ask what could, may or might be, without “most likely” or “best”."
    )
    why: ClassVar = _("A model that chooses the other correct option would be counted as wrong.")
    fix: ClassVar = _("Ask for what is most likely, or make the other options impossible.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose stems may ask for a possibility."""
        return batch.stems.having(_POSSIBLY)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, if it asks for a possibility."""
        question = asked(item.own_stem)
        if _MAY.search(question) and not (_MOST.search(question) or words.is_chinese(question)):
            yield self.at(STEM)


# --- Options that refer to other options: all, none, or some of them together ---

LONGEST_PHRASE: Final = 60
"""The most characters of an option that may refer to other options; longer options have content."""

ALL: Final = "all"
NONE: Final = "none"
SOME: Final = "some"

_NOUN: Final = "选项|答案|说法|情况|原因|内容|描述"
_RIGHT: Final = "[都全部皆均无一没有并非不会是可以能对错误正确准合理符成立发生行的]+"
_REFERS: Final = re.compile(
    rf"(?:以上|上述|上面|前述|前面)[的所有各几这那一二两三四五六七八\d个项种者]*(?:{_NOUN})?{_RIGHT}"
    rf"|前[二两三四五六七2-7][个项种者](?:{_NOUN})?{_RIGHT}"
    rf"|(?:没有|并非|不是|除了|不属于)(?:以上|上述)(?:各项|任何一[个项种]|所有|全部)?(?:{_NOUN})?"
    rf"|(?:以上|上述)(?:(?:各项|任何一[个项种]|所有|全部)(?:{_NOUN})?|{_NOUN})"
    rf"|(?:选项)?[a-h](?:[选项]*[和与及跟、,/或]?(?:选项)?[a-h])+[选项两三]*{_RIGHT}"
)
_CORRECT: Final = "(?:correct|right|true|false|wrong|possible)"
_REFERS_ENGLISH: Final = re.compile(
    r"(?:(?:all|none|any|each|some|most|both|either|neither|one|two|three)(?: of)?(?: the)?"
    r"(?: options| answers| choices| statements| ones)?(?: two| three| four)?|the)"
    r" (?:above|foregoing|aforementioned|(?:preceding|previous) (?:options|answers|choices))"
    rf"(?: options| answers| choices| statements| ones)?(?: is| are)?(?: all| both| not)?(?: {_CORRECT})?"
    r"|(?:both|neither|either|options?|answers?|all of) \(?[a-h]\)?"
    r"(?:,? (?:and|or|nor|&)(?: option| answer)? |, )\(?[a-h]\)?(?:,? (?:and|or|nor) \(?[a-h]\)?)?"
    rf"(?: are)?(?: only| {_CORRECT})?"
    rf"|[a-h],? (?:and|&) [a-h] (?:only|are (?:both )?{_CORRECT})"
)

_SUMS_UP: Final = re.compile(
    rf"(?:其他|其它|其余|所有|全部|这些|哪个|每个|一个|没有一个)?的?(?:{_NOUN})?"
    r"[都全均皆]+[有不没会]*(?:是|对|错|正确|错误|可能|符合|成立|合理|可以)的?"
    r"|(?:没有|无)(?:一[个项])?(?:正确|合适|符合|对)?的?(?:选项|答案)(?:是?正确|符合)?的?"
    r"|全部(?:正确|错误)|全对|全错|皆可|都行"
)
_WHAT: Final = "(?:options?|answers?|choices?)"
_SUMS_UP_ENGLISH: Final = re.compile(
    rf"(?:all|none|both|neither|any|either)(?: of (?:them|these|those|the (?:others|{_WHAT})))?"
    rf"(?: (?:is|are) {_CORRECT})?"
    rf"|(?:all|no|the other|all other|both) (?:correct |right |other )?{_WHAT}(?: (?:is|are) {_CORRECT})?"
)

_SUMS_UP_MORE: Final = re.compile(
    r"(?:all|none|neither|both)(?: of)?(?: the| these| those)?(?: two| three| four| five)?"
    rf"(?: {_WHAT}| statements?| reasons?| factors?)?(?: (?:given|listed|offered|here|above|below|shown))*"
    rf"(?: (?:is|are|apply|applies)(?: all| both)?(?: {_CORRECT})?)?"
    r"|(?:everything|nothing) (?:above|here|listed)"
)
"""Phrases for the item-writing rules only; checks that run while typing ignore them."""
_UNANSWERED: Final = re.compile(
    r"(?:无法|不能|难以|没法)(?:判断|确定|得知|回答|推断|知道|计算|比较)(?:的|出来)?"
    r"|(?:信息|条件|资料|数据)(?:不足|不够)(?:[,，]?(?:无法|不能)(?:判断|确定|回答|推断))?"
    r"|(?:文中|故事中?|原文)?(?:没有|未|没)(?:提到|提及|说明|说)|不确定|不清楚"
)
_UNANSWERED_ENGLISH: Final = re.compile(
    r"(?:it )?(?:cannot|can not|can't|could not|is impossible to|impossible to|not possible to)"
    r"(?: be)? (?:determined?|told|tell|known?|decided?|say|said|inferred|answer(?:ed)?|calculated?)"
    r"(?: (?:from|with|by|on) .{1,40})?"
    r"|(?:there is )?(?:not enough|insufficient|too little) (?:information|data|evidence)(?: .{1,30})?"
    r"|(?:the story does not say|not (?:given|stated|mentioned|specified)|inconclusive)"
)
_MAY_SPEAK: Final = re.compile(
    "[无不难没信条资数文故原未以上前并除选其所全这哪每一的答说情内描都均皆]"
    r"|[a-h].*[都全部皆均无一没有并非不会是可以能对错误正确准合理符成立发生行的]"
    r"|(?:it|can(?:not|'t)?|could|is|impossible|not|there|insufficient|too|the|inconclusive|all|none|any|each"
    r"|some|most|both|either|neither|one|two|three|options?|answers?|no|everything|nothing|[a-h])\b"
)
"""A fast check for options that refer to other options; most options do not match."""
_DENIES: Final = re.compile(r"[不没非无未错]|除了|\b(?:none|neither|no|not|false|wrong|nothing)\b")
_PARTLY: Final = re.compile(r"\b(?:some|most|either)\b|^(?:one|two|three|four)\b|前[二两三四五六七2-7]")
_LETTERED: Final = re.compile(r"(?<![a-z])\(?[a-h]\)?(?![a-z])")


_SPEAKS: Final = at_line_start(_MAY_SPEAK)


@lru_cache(1)  # several checks ask for the same batch
def speaking(batch: Batch) -> frozenset[int]:
    """Return the indexes of items with an option for which `meaning` is not ""."""
    likely = batch.options.having(_SPEAKS)
    return frozenset(index for index in likely if any(map(meaning, batch.items[index].texts)))


@lru_cache(2048)
def meaning(text: str) -> str:
    """Return how many other options an option declares right: `ALL`, `NONE` (or unknown), `SOME`; else ""."""
    plain = words.bare(text)
    if len(plain) > LONGEST_PHRASE or not _MAY_SPEAK.match(plain):
        return ""
    flat = plain.replace(" ", "")
    if _UNANSWERED.fullmatch(flat) or _UNANSWERED_ENGLISH.fullmatch(plain):
        return NONE
    if not (refers(text) or sums_up(text) or _SUMS_UP_MORE.fullmatch(plain)):
        return ""
    if _LETTERED.search(plain):
        return SOME
    if _DENIES.search(plain) and not plain.startswith("all "):
        return NONE
    return SOME if _PARTLY.search(plain) else ALL


def refers(text: str) -> bool:
    """Return whether an option refers to other options by position or letter."""
    plain = words.bare(text)
    return (
        len(plain) <= LONGEST_PHRASE
        and bool(_MAY_SPEAK.match(plain))
        and bool(_REFERS.fullmatch(plain.replace(" ", "")) or _REFERS_ENGLISH.fullmatch(plain))
    )


def sums_up(text: str) -> bool:
    """Return whether an option only says how many of the other options are right, without naming any."""
    plain = words.bare(text)
    return (
        len(plain) <= LONGEST_PHRASE
        and bool(_MAY_SPEAK.match(plain))
        and bool(_SUMS_UP.fullmatch(plain.replace(" ", "")) or _SUMS_UP_ENGLISH.fullmatch(plain))
    )
