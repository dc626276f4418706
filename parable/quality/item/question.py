"""Rules on stems: no blank in the middle, and one clear question that is understood without options."""

import re
from collections.abc import Collection, Iterator
from typing import ClassVar, Final

from parable.kinds import kind_of
from parable.quality.finding import Finding
from parable.quality.item import words
from parable.quality.item.asked import BEGINS_TO_ASK, SAYS, WH, asked, buries_question
from parable.quality.item.base import STEM, ItemView, RuleCheck
from parable.quality.item.batch import Batch
from parable.sentences import gettext_noop as _

_BLANK: Final = re.compile(
    r"(?<![\w{\\$])[_＿]+(?![{\d])|[_＿]{3,}|[(（]\s*[)）]|[\[【]\s*(?:blank)?\s*[\]】]"
    r"|(?<=[+\-−×x*÷/=]) ?\? ?(?=[+\-−×x*÷/=\])])|(?<=[+\-−×*÷/]) \?|\? (?=[+\-−×*÷/])"
)
_MAY_BE_BLANK: Final = re.compile(r"[_＿(（\[【]|[+\-−×x*÷/=] ?\?|\? ?[+\-−×x*÷/=\])]")
"""A quick test that every blank passes; a stem that merely asks fails it."""

_ORDERS: Final = re.compile(
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
_ASKS_CHINESE: Final = re.compile(
    "什么|哪|谁|怎|为何|如何|何时|何处|何地|何人|多少|几|吗|呢|是否|能否|可否|多[大长高远重久深快宽厚]|[是为有像于指到成作在]$"
)
_ENDS: Final = (".", ":", ")", "]", "!", "。", "：")
SHORTEST: Final = 5
"""Most words of a question, or an unfinished sentence, that leaves the problem to the options."""
LONGEST: Final = 60
"""Most words (or half the Chinese characters) of a stem; longer ones have more than a question needs."""


class BlankInStem(RuleCheck):
    """A blank before the end of the stem."""

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
        """Return the items whose stems may have a blank."""
        return batch.stems.having(_MAY_BE_BLANK)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem, except in cloze items, which need a blank."""
        if kind_of(item.task).requires_blank:
            return
        plain = words.fold(item.own_stem)
        if not _MAY_BE_BLANK.search(plain):
            return
        if any(SAYS.search(plain, match.end()) for match in _BLANK.finditer(plain)):
            yield self.at(STEM)


class BareStem(RuleCheck):
    """A stem whose question is shown only by the options."""

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
        """Return the items with stems that are not Chinese or have no question mark."""
        return [
            index for index, stem in enumerate(batch.stems) if "?" not in stem or not words.is_chinese(stem)
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem."""
        stem = words.fold(item.own_stem)
        if not stem:
            return
        if words.is_chinese(stem):
            if "?" not in stem and not _ASKS_CHINESE.search(words.bare(stem)) and not _ORDERS.match(stem):
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
    return bool(_ORDERS.match(last) or re.search(r"true or false", stem))


class UnfocusedStem(RuleCheck):
    """A stem that is not one clear question."""

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
        """Return the items with stems that are not Chinese or do not end with a question mark."""
        return [
            index
            for index, stem in enumerate(batch.stems)
            if not (stem.endswith("?") and words.is_chinese(stem))
        ]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem."""
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
    return stem.endswith(".") and not _is_order(stem, last) and not _BLANK.search(stem)


class ExtraneousStem(RuleCheck):
    """A stem that has more text than the question needs."""

    id: ClassVar = "extraneous_stem"
    rule: ClassVar = "no_extraneous_info"
    name: ClassVar = _("Stem too long")
    says: ClassVar = _("The stem has %(words)d words.")
    looks_at: ClassVar = _("Stems of more than 60 words, or 120 Chinese characters.")
    why: ClassVar = _("Text that is not needed for the answer takes time and tests reading instead.")
    fix: ClassVar = _("Remove what the question does not need.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with stems of more characters than words are allowed."""
        return [index for index, stem in enumerate(batch.stems) if len(stem) > LONGEST]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem."""
        terms = words.weight(words.units(item.own_stem)) // 2
        if terms > LONGEST:
            yield self.at(STEM, words=terms)
