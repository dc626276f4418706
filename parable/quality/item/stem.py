"""Checks of the stem: it must ask something, and no other item of the story may ask the same.

More checks here are about negative, bare, long or interrupted stems.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple

from parable.formats.errors import excerpt
from parable.kinds import kind_of
from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.item import words
from parable.quality.item.asked import BEGINS_TO_ASK, SAYS, WH, asked, buries_question
from parable.quality.item.base import (
    STEM,
    Check,
    ItemView,
    Requirement,
    RuleCheck,
    SiblingView,
    is_standard,
    option,
)
from parable.quality.item.batch import Batch, by_lines, on_a_line
from parable.sentences import gettext_noop as _

SAME_STEM: Final = 0.8
SAME_OPTION: Final = 0.8

_BLANKS: Final = re.compile(r"[_＿]{2,}|[(（]\s*[)）]")
_BLANK: Final = r"_{2,}|[(（]\s*[)）]|…$|\.{3}$|—{2,}$"
_ASKS_CHINESE: Final = (
    "什么|哪|谁|怎|为何|如何|何时|何处|何地|多少|几|吗$|呢$|是否|能否|可否|多[大长高远重久深快宽厚]"
    "|[是为有像于指到成作在][:：]?$"
)
_HELPERS: Final = "is|are|was|were|do|does|did|can|could|will|would|may|might|should|must|has|have|had"
_ASKS_ENGLISH: Final = (
    r"(?:^|[.;:,] )(?:(?:and|but|then|so) )?(?:(?:for|to|of|in|at|by|with|from|on) )?"
    r"(?:what|which|whose|why|how)\b(?!ever)"
    rf"|(?:^|[.;:] )(?:(?:who|whom|where|when) (?:{_HELPERS})|who \w+)\b"
    r"|\b(?:is|are|was|were|be|because|by|to|of|that|than|with|for|in|at|from|would|will|could|might|may"
    r"|should|as|the|an?)$"
)
_ORDERS: Final = (
    r"(?:选出|选择|指出|找出|判断|挑出|说出|补全|完成)"
    r"|(?:^|[.;:,] )(?:please )?(?:choose|select|pick|name|find|identify|complete|mark|decide)\b"
)
_OPEN: Final = re.compile(rf"[?]|{_BLANK}|{_ORDERS}|[:：]$")
_ASKS: Final = re.compile(rf"{_ASKS_CHINESE}|{_ASKS_ENGLISH}")

_FRAME: Final = re.compile(
    "(?:这个|这则|本)?(?:故事|文章|寓言|短文)(?:里面?|当?中|内)?|文中|下列|以下|下面|根据|结合|请问|选项"
    "|哪一?[个项种件些]|什么|最?有?可能|最|关于|有关|说法|描述|叙述|判断|正确|错误|合理|一项"
    "|会|是|在|有|为(?!什么|何)|吗"
    r"|\b(?:in|according to|from|of|based on) (?:the|this) (?:story|fable|text|passage)\b"
    r"|\b(?:which|what) (?:of the following|one)\b|\b(?:of )?the following\b"
    r"|\b(?:what|which|most|likely|probably|possibly|perhaps|best|might|may|could|would|will|can"
    r"|is|are|was|were|be|it|that|do|does|did|to|of|in|statements?|options?|true|false|correct|right)\b"
)
_FRAMED: Final = frozenset(words.units(_FRAME.pattern)) | words.LEFT_OUT
"""Units that may be part of a standard frame, such as "which of the following", or have no content.

No other Chinese character is part of a frame.
"""
_KINDS: Final = frozenset("谁怎多几哪何为") | {"why", "where", "when", "who", "whom", "whose", "how"}
_FALSE: Final = re.compile("错误|false|incorrect")


class StemMissing(Requirement):
    """Find items without a stem."""

    id: ClassVar = "stem_missing"
    trait: ClassVar = "has_stem"
    name: ClassVar = _("No stem")
    says: ClassVar = _("The stem is empty.")
    looks_at: ClassVar = _("The stem has text.")
    why: ClassVar = _("Options without a question have no correct answer.")
    fix: ClassVar = _("Write the question.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose stems do not begin with a letter."""
        return batch.where(lambda item: not item.stem[:1].isalnum())

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding if the stem is blank."""
        if words.is_blank(item.stem):
            yield self.at(STEM)


class BlankMissing(Requirement):
    """Find stems with no blank, or more than one."""

    id: ClassVar = "blank_missing"
    name: ClassVar = _("Not one blank")
    trait: ClassVar = "requires_blank"
    says: ClassVar = _("The stem has %(count)d blanks; it needs one, such as ____.")
    looks_at: ClassVar = _(
        "The stem of a cloze item has one blank: two or more underscores, or empty brackets."
    )
    why: ClassVar = _("The options fill the blank, so readers must see where they go.")
    fix: ClassVar = _("Mark the blank with ____.")

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, with the number of its blanks, unless it has one."""
        count = len(_BLANKS.findall(item.stem))
        if count != 1 and not words.is_blank(item.stem):
            yield self.at(STEM, count=count)


class StemWithoutQuestion(Check):
    """Find stems that ask nothing."""

    id: ClassVar = "stem_without_question"
    reads_words: ClassVar = True
    trait: ClassVar = "asks"
    name: ClassVar = _("Stem without a question")
    severity: ClassVar = WARNING
    says: ClassVar = _("The stem has no question, no blank and no open end.")
    looks_at: ClassVar = _(
        "The stem has a question mark, a question word, a blank, an open end (“……的是”,"
        " “because”) or asks to choose."
    )
    why: ClassVar = _("An unclear question tests guessing.")
    fix: ClassVar = _("End the stem with a question, or leave a blank for the options.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose stems have no question mark."""
        return [index for index, stem in enumerate(batch.stems) if "?" not in stem]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, if it asks nothing."""
        if not item.own_stem:
            return
        stem = " ".join(words.fold(item.own_stem).split())
        if _OPEN.search(stem):
            return
        if stem.endswith((".", "。", "!")) or not _ASKS.search(stem):
            yield self.at(STEM)


class NearDuplicate(Check):
    """Find items that ask almost the same as another item of the story."""

    id: ClassVar = "near_duplicate"
    name: ClassVar = _("Similar to another item")
    severity: ClassVar = WARNING
    trait: ClassVar = "has_keys"  # items that ask for an order may have the same stem
    says: ClassVar = _("Another item of this story is almost the same: “%(stem)s”.")
    looks_at: ClassVar = _(
        "Other items of the story with almost the same stem; for standard stems such as"
        " “which is right”, items that share half of the options."
    )
    why: ClassVar = _("Two items with the same question count one piece of knowledge twice.")
    fix: ClassVar = _("Ask about something else in the story, or discard this item.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with siblings."""
        return batch.where(lambda item: item.siblings)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the first similar item; `other` is its number among the siblings."""
        if words.is_blank(item.stem) or not item.siblings:
            return
        for number, sibling in enumerate(item.siblings, start=1):
            if _repeats(item, sibling):
                yield self.at(STEM, stem=excerpt(sibling.stem.strip()), other=number)
                return


def _repeats(item: ItemView, sibling: SiblingView) -> bool:
    stem = "" if is_standard(sibling.stem, item.standard_stem) else sibling.stem
    if not _may_be_alike(item.own_stem, stem):
        return False
    ours, theirs = _question(item.own_stem), _question(stem)
    if ours.units and theirs.units:
        # the same words in another order change the meaning
        is_turned_round = ours.units != theirs.units and sorted(ours.units) == sorted(theirs.units)
        is_alike = ours.kept == theirs.kept and words.alike(ours.units, theirs.units, SAME_STEM)
        return is_alike and not is_turned_round
    return not ours.units and not theirs.units and _shares_options(item, sibling)


def _may_be_alike(one: str, other: str) -> bool:
    """Return whether the contents of two stems may be alike; a fast check, as most stems are not.

    Units that are certainly content of one stem and do not occur in the other lower the likeness.
    """
    count, sure = _sure_units(one)
    other_count, other_sure = _sure_units(other)
    both = count + other_count
    apart = len(sure.difference(words.units(other))) + len(other_sure.difference(words.units(one)))
    return not apart or words.may_reach(1 - apart / both, SAME_STEM)


@lru_cache(maxsize=1024)
def _sure_units(stem: str) -> tuple[int, frozenset[str]]:
    """Return the number of units of a stem, and the units that certainly are content, not a frame."""
    found = words.units(stem)
    sure = frozenset(found).difference(_FRAMED)
    if words.has_other_units(words.fold(stem)):
        sure = frozenset(filter(_is_unframed, sure))
    return len(found), sure


@lru_cache(maxsize=16_384)
def _is_unframed(unit: str) -> bool:
    return unit.isalpha() and not _FRAME.search(unit)


class _Question(NamedTuple):
    """The content of a stem without its standard frame, and features that a rewording cannot change.

    `kept` has the question words, the numbers, the number of negations, and how often the stem asks for
    something false.
    """

    units: words.Units
    kept: tuple[frozenset[str], tuple[str, ...], int, int]


@lru_cache(maxsize=1024)
def _question(stem: str) -> _Question:
    """Return the content of a stem; `units` is empty if the stem is only a standard frame."""
    folded = words.fold(stem)
    units = words.content(_FRAME.sub(" ", folded))
    negations = words.negations(words.units(stem)).total()
    numbers = tuple(sorted(words.numbers(units).elements()))
    kept = _KINDS.intersection(units), numbers, negations, len(_FALSE.findall(folded))
    return _Question(units, kept)


def _shares_options(item: ItemView, sibling: SiblingView) -> bool:
    ours = [words.content(one.text) for _number, one in item.filled]
    theirs = [words.content(text) for text in sibling.options]
    shared = sum(any(words.alike(one, other, SAME_OPTION) for other in theirs) for one in ours)
    return shared >= 2 and 2 * shared >= len(ours)


# --- Checks of stems: no blank in the middle, and one clear question that is understood without options ---

_BLANK_WITHIN: Final = re.compile(
    r"(?<![\w{\\$])[_＿]+(?![{\d])|[_＿]{3,}|[(（]\s*[)）]|[\[【]\s*(?:blank)?\s*[\]】]"
    r"|(?<=[+\-−×x*÷/=]) ?\? ?(?=[+\-−×x*÷/=\])])|(?<=[+\-−×*÷/]) \?|\? (?=[+\-−×*÷/])"
)
_MAY_BE_BLANK: Final = re.compile(r"[_＿(（\[【]|[+\-−×x*÷/=] ?\?|\? ?[+\-−×x*÷/=\])]")
"""A fast check that matches every blank, and few stems without a blank."""

_ORDERS_WITHIN: Final = re.compile(
    r"(?:please )?(?:choose|select|pick|find|name|identify|calculate|estimate|determine|describe|explain"
    r"|decide"
    r"|complete|match|solve|simplify|evaluate|give|state)\b"
    "|.*(?:选出|选择|指出|找出|判断|挑出|说出|补全|完成|计算|求)"
)
_OPENING: Final = re.compile(
    rf"^(?!.*\b{WH}\b).*\b(?:is|are|was|were|be|to|of|by|in|from|into|at|than|with|for|the|an?) ?\?$"
)
"""An unfinished sentence with a question mark: "the rate of interest is?"."""
_POINTS_NOWHERE: Final = re.compile(r"(?<!\bdo )\b(?:this|that)\?$")
_EXCEPT: Final = re.compile(r"\bexcept(?: for)?$")
_NUMBERED: Final = re.compile(r"\b(?:statement|scenario|premise|sentence) (?:\d|i+)\b")
_ASKS_WITHIN: Final = re.compile(
    "什么|哪|谁|怎|为何|如何|何时|何处|何地|何人|多少|几|吗|呢|是否|能否|可否|多[大长高远重久深快宽厚]|[是为有像于指到成作在]$"
)
_ENDS: Final = (".", ":", ")", "]", "!", "。", "：")
SHORTEST: Final = 5
"""A question, or an unfinished sentence, of at most this many words leaves the problem to the options."""
LONGEST: Final = 60
"""The most words (or half the Chinese characters) of a stem; a question does not need more."""


class BlankInStem(RuleCheck):
    """Find blanks before the end of the stem."""

    id: ClassVar = "blank_in_stem"
    rule: ClassVar = "no_fill_in_blank"
    name: ClassVar = _("Blank in the middle of the stem")
    says: ClassVar = _("The stem has a blank before its end.")
    looks_at: ClassVar = _(
        "A blank (underscores, empty brackets, a question mark in a formula) that is followed by more text."
    )
    why: ClassVar = _("Readers must remember the gap while they read on, which tests memory.")
    fix: ClassVar = _("Ask a question, or move the blank to the end.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose stems may have a blank."""
        return batch.stems.having(_MAY_BE_BLANK)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, except in cloze items, which need a blank."""
        if kind_of(item.task).requires_blank:
            return
        plain = words.fold(item.own_stem)
        if not _MAY_BE_BLANK.search(plain):
            return
        if any(SAYS.search(plain, match.end()) for match in _BLANK_WITHIN.finditer(plain)):
            yield self.at(STEM)


class BareStem(RuleCheck):
    """Find stems that do not state the question, so that only the options show it."""

    id: ClassVar = "stem_without_problem"
    rule: ClassVar = "problem_in_stem"
    name: ClassVar = _("Stem without a problem")
    says: ClassVar = _("The stem does not say what is asked; only the options show it.")
    looks_at: ClassVar = _(
        "Stems without a question or an instruction, questions of five words or fewer, and “what”"
        " in place of a word (“have a what?”)."
    )
    why: ClassVar = _("A good stem can be answered before the options are read.")
    fix: ClassVar = _("Ask a complete question.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with stems that are not Chinese or have no question mark."""
        return [
            index for index, stem in enumerate(batch.stems) if "?" not in stem or not words.is_chinese(stem)
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, if it does not state the question."""
        stem = words.fold(item.own_stem)
        if not stem:
            return
        if words.is_chinese(stem):
            if (
                "?" not in stem
                and not _ASKS_WITHIN.search(words.bare(stem))
                and not _ORDERS_WITHIN.match(stem)
            ):
                yield self.at(STEM)
        elif _lacks_problem(stem, asked(item.own_stem)):
            yield self.at(STEM)


def _lacks_problem(stem: str, last: str) -> bool:
    if "?" not in last:
        return not _is_order(stem, last)
    if len(stem.split()) <= SHORTEST or buries_question(last):
        return True
    return bool(_POINTS_NOWHERE.search(last) or _OPENING.match(last))


def _is_order(stem: str, last: str) -> bool:
    return bool(_ORDERS_WITHIN.match(last) or re.search(r"true or false", stem))


class UnfocusedStem(RuleCheck):
    """Find stems that are not one clear question."""

    id: ClassVar = "unfocused_stem"
    rule: ClassVar = "focused_stem"
    name: ClassVar = _("Unfocused stem")
    says: ClassVar = _("The stem is not one clear question.")
    looks_at: ClassVar = _(
        "Unfinished sentences without a colon, questions without a question mark, plain"
        " sentences, “what” in place of a word, and questions that end in “this” or “that”."
    )
    why: ClassVar = _("If readers must guess what is asked, the item tests guessing.")
    fix: ClassVar = _("Ask one complete question, with a question mark.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with stems that are not Chinese or do not end with a question mark."""
        return [
            index
            for index, stem in enumerate(batch.stems)
            if not (stem.endswith("?") and words.is_chinese(stem))
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, if it is not one clear question."""
        stem = words.fold(item.own_stem).strip()
        if (stem and not words.is_chinese(stem) and _is_unfocused(stem, asked(item.own_stem))) or (
            stem and words.is_chinese(stem) and _UNFINISHED_CHINESE.search(stem)
        ):
            yield self.at(STEM)


_UNFINISHED_CHINESE: Final = re.compile("(?:[,，、；;]|的|和|与|因为|但是|如果)$")


def _is_unfocused(stem: str, last: str) -> bool:
    if "?" in last:
        return buries_question(last) or bool(_POINTS_NOWHERE.search(last) or _OPENING.match(last))
    if stem.endswith(":") or _EXCEPT.search(stem):
        return False
    if not stem.endswith(_ENDS) or BEGINS_TO_ASK.match(last) or _NUMBERED.search(stem):
        return True
    return stem.endswith(".") and not _is_order(stem, last) and not _BLANK_WITHIN.search(stem)


class ExtraneousStem(RuleCheck):
    """Find stems with more text than the question needs."""

    id: ClassVar = "extraneous_stem"
    rule: ClassVar = "no_extraneous_info"
    name: ClassVar = _("Stem too long")
    says: ClassVar = _("The stem has %(words)d words.")
    looks_at: ClassVar = _("Stems of more than 60 words, or 120 Chinese characters.")
    why: ClassVar = _("Text that is not needed for the answer takes time and tests reading instead.")
    fix: ClassVar = _("Remove what the question does not need.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose stems have more characters than `LONGEST`."""
        return [index for index, stem in enumerate(batch.stems) if len(stem) > LONGEST]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, if it has more than `LONGEST` words."""
        terms = words.weight(words.units(item.own_stem)) // 2
        if terms > LONGEST:
            yield self.at(STEM, words=terms)


# --- Checks for leftovers: placeholders in options and stems, and stems that break off ---

# The "TODO" and "lorem ipsum" below are words that these checks look for in items, not notes on the code.
_PLACEHOLDER: Final = re.compile(
    r"(?:(?:wrong|incorrect|correct|right|false|true) )?(?:option|choice|answer|distractor)"
    r"(?: ?(?:#?\d{1,2}|[a-h]|text|here|goes here|to be (?:added|written)))"
    r"|(?:wrong|incorrect|correct) (?:option|answer)|(?:insert|your|enter|add|type) (?:an? "
    r"|the )?(?:option|answer|text)(?: here)?"
    r"|(?:错误|正确)?(?:选项|答案|干扰项|备选项)(?:[a-h\d一二三四五六七八]{1,2}|内容|文字|待定|待写)|(?:错误|正确)(?:选项|答案)|干扰项"
    r"|to ?do|t\.?b\.?[ad]\.?|fixme|lorem ipsum.*|placeholder.*|asdf+\w*|qwerty\w*|xxx+|待补充?|待定|待写"
    r"|未填写?"
    r"|占位.*"
)
_ON_A_LINE: Final = on_a_line(_PLACEHOLDER)
_SIGNS_ONLY: Final = re.compile(r"(?:[\s.…。、，,;；:：_]|-{2,}|—+|[?？]+|[!！]+)+")
_UNWRITTEN: Final = re.compile(
    r"\b(?:lorem ipsum|xxx+|(?:insert|enter|write|type) (?:the |your )?(?:question|stem|text) here"
    r"|placeholder)\b"
    r"|待补充|待完善|此处(?:填写|插入|补充)|题干(?:内容|待定|\d)|占位符"
)
_LEFT_TO_DO: Final = re.compile(r"\b(?:TODO|FIXME|TBD)\b|^(?:todo|fixme|tbd)\b(?: ?:|$)")
"""Abbreviations that programmers write for unfinished text; inside a sentence, only in capitals."""
_LEFT_IN_LINES: Final = by_lines(_LEFT_TO_DO)
_BREAKS_OFF: Final = re.compile(
    rf"^(?:(?:in|to|at|on|from|for|by|with|of) )?(?:what|which|who|whom|whose|why|(?:how|when"
    rf"|where) (?:\w+ )?(?:{_HELPERS}))\b[^?]*"
    r" (?:the|a|an|his|her|its|their|my|your|our|did|does|if|because)$"
    r"|[(（\[【“‘、]$"
    r"|(?:什么|哪|谁|怎|为何|如何).*(?:[会要把被从给跟让使很也都就才又将]|[,，;；]|因为|如果|虽然|但是|以及|或者|并且|而且|和|与)$"
)
_BARE_QUESTION: Final = re.compile(
    r"(?:what|which|who|why|how|where|when|question|stem)(?: ?\d*)"
    r"|(?:什么|为什么|为何|怎么样?|谁|哪[个里]?|问题|题目|题干|多少)[\d一二三四五六七八九]*(?:呢|吗)?"
)


class PlaceholderOption(Check):
    """Find options that are placeholders for options not yet written."""

    id: ClassVar = "placeholder_option"
    fails_sets: ClassVar = True
    name: ClassVar = _("Placeholder as an option")
    severity: ClassVar = ERROR
    says: ClassVar = _("Option %(number)d is a placeholder.")
    looks_at: ClassVar = _("Options that say only “option 1”, “TODO”, “xxx”, “...” or similar.")
    why: ClassVar = _("No one chooses it, so the key is easier to guess.")
    fix: ClassVar = _("Write the option, or remove it.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items with a placeholder, or with an option that begins with punctuation."""
        signs = batch.where(lambda item: not all(text[0].isalnum() for text in item.texts))
        return batch.options.having(_ON_A_LINE).union(signs)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each placeholder; punctuation is accepted if all options are punctuation."""
        signs = [bool(_SIGNS_ONLY.fullmatch(one.text)) for _number, one in item.filled]
        for (number, one), is_sign in zip(item.filled, signs, strict=True):
            if (is_sign and not all(signs)) or _PLACEHOLDER.fullmatch(words.bare(one.text)):
                yield self.at(option(number), number=number)


class UnfinishedStem(Check):
    """Find stems that break off, or were never written."""

    id: ClassVar = "unfinished_stem"
    reads_words: ClassVar = True
    fails_sets: ClassVar = True
    name: ClassVar = _("Unfinished stem")
    severity: ClassVar = ERROR
    says: ClassVar = _("The stem is unfinished.")
    looks_at: ClassVar = _(
        "A stem that is only a question word, contains “TODO” or similar, or breaks off in"
        " mid-sentence (“Why did the”)."
    )
    why: ClassVar = _("A stem that breaks off has no correct answer.")
    fix: ClassVar = _("Finish the stem.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the indexes of items whose stem has a placeholder, or does not end with a question mark."""
        found = batch.stems.having(_UNWRITTEN) | batch.typed_stems.having(_LEFT_IN_LINES)
        return found.union(index for index, stem in enumerate(batch.stems) if stem and not stem.endswith("?"))

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, if it is unfinished."""
        plain = " ".join(words.fold(item.own_stem).split())
        bare = not plain.endswith("?") and _BARE_QUESTION.fullmatch(words.bare(plain))
        unwritten = _UNWRITTEN.search(plain) or _LEFT_TO_DO.search(item.own_stem)
        if plain and (bare or _BREAKS_OFF.search(plain) or unwritten):
            yield self.at(STEM)
