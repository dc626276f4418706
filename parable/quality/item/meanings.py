"""Finds what an option says about the other options: all, none, or some of them together."""

import re
from functools import lru_cache
from typing import Final

from parable.quality.item import words
from parable.quality.item.batch import Batch, at_line_start

LONGEST_PHRASE: Final = 60
"""Most characters of an option that may refer to others; longer ones have content of their own."""

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
"""A quick test for options that refer to others, as most options do not."""
_DENIES: Final = re.compile(r"[不没非无未错]|除了|\b(?:none|neither|no|not|false|wrong|nothing)\b")
_PARTLY: Final = re.compile(r"\b(?:some|most|either)\b|^(?:one|two|three|four)\b|前[二两三四五六七2-7]")
_LETTERED: Final = re.compile(r"(?<![a-z])\(?[a-h]\)?(?![a-z])")


_SPEAKS: Final = at_line_start(_MAY_SPEAK)


@lru_cache(1)  # several checks ask for the same batch
def speaking(batch: Batch) -> frozenset[int]:
    """Return the items of a batch with an option that has a `meaning`."""
    likely = batch.options.having(_SPEAKS)
    return frozenset(index for index in likely if any(map(meaning, batch.items[index].texts)))


@lru_cache(2048)
def meaning(text: str) -> str:
    """Return what an option says about the others: all, none (or cannot be known), some; else ""."""
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
    """Return whether an option only says how many of the others are right, without naming them."""
    plain = words.bare(text)
    return (
        len(plain) <= LONGEST_PHRASE
        and bool(_MAY_SPEAK.match(plain))
        and bool(_SUMS_UP.fullmatch(plain.replace(" ", "")) or _SUMS_UP_ENGLISH.fullmatch(plain))
    )
