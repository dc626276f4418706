"""Rules on wording and on the number of right options, as far as the form of texts shows violations."""

import re
from collections.abc import Collection, Iterator
from operator import eq
from typing import ClassVar, Final

from parable.quality.finding import Finding
from parable.quality.item import words
from parable.quality.item.asked import MAY_BURY, asked, buries_question
from parable.quality.item.base import STEM, ItemView, RuleCheck, option
from parable.quality.item.batch import Batch
from parable.sentences import gettext_noop as _

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
    # The boundary is asked for last, as a pattern that begins with a letter is found faster.
    r"a(?<=\ba) (?=[aeio][a-z]{2})|an(?<=\ban) (?=[bcdfgjklmnpqrstvwxyz][a-z])"
)
_RUN: Final = re.compile(r"\w+")
_SLIPS_CHINESE: Final = re.compile(
    r"(?<![目真的])的的(?!士|确)|了了(?!解|结)|是是(?!非)|(?<!实)在在|和和(?!气)|被被|把把(?!关)|[？?]{2,}|[，,]{2,}|[。，、；：]{2,}|[，。？][,.?]"
)
_MAY_BE_CHINESE: Final = re.compile("[的了是在和被把？?，,。、；：](?=[的了是在和被把？?，,。、；：.])")
_LATIN: Final = re.compile("[a-z ]")
"""A quick test: every English error matches this."""
_POSSIBLY: Final = re.compile("could|might|may|can")
_MAY: Final = re.compile(rf"\b(?:{_POSSIBLY.pattern})\b")
_MOST: Final = re.compile(r"\b(?:most|best)\b")


class UnclearWording(RuleCheck):
    """An error of spelling or grammar, or markup left in the text."""

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
        """Return the items with English words, or with an error that needs none."""
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
                yield self.at(place, slip=_shown(match[0]))
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


def _shown(slip: str) -> str:
    """Return an error in printable form, with code points for unprintable characters."""
    return "".join(sign if sign.isprintable() else f"U+{ord(sign):04X}" for sign in slip).strip()


class SeveralKeys(RuleCheck):
    """More than one option that can be defended as right."""

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
        """Return the items whose stems may ask what is possible."""
        return batch.stems.having(_POSSIBLY)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem."""
        question = asked(item.own_stem)
        if _MAY.search(question) and not (_MOST.search(question) or words.is_chinese(question)):
            yield self.at(STEM)
