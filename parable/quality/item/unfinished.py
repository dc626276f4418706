"""Checks for leftovers: placeholders in options and stems, and stems that break off."""

import re
from collections.abc import Collection, Iterator
from typing import ClassVar, Final

from parable.quality.finding import ERROR, Finding
from parable.quality.item import words
from parable.quality.item.base import STEM, Check, ItemView, option
from parable.quality.item.batch import Batch, by_lines, on_a_line
from parable.sentences import gettext_noop as _

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
_HELPER: Final = "(?:is|are|was|were|do|does|did|can|could|will|would|may|might|should|must|has|have|had)"
_LEFT_TO_DO: Final = re.compile(r"\b(?:TODO|FIXME|TBD)\b|^(?:todo|fixme|tbd)\b(?: ?:|$)")
"""Abbreviations as programmers write them; in small letters within a sentence they may be words."""
_LEFT_IN_LINES: Final = by_lines(_LEFT_TO_DO)
_BREAKS_OFF: Final = re.compile(
    rf"^(?:(?:in|to|at|on|from|for|by|with|of) )?(?:what|which|who|whom|whose|why|(?:how|when"
    rf"|where) (?:\w+ )?{_HELPER})\b[^?]*"
    r" (?:the|a|an|his|her|its|their|my|your|our|did|does|if|because)$"
    r"|[(（\[【“‘、]$"
    r"|(?:什么|哪|谁|怎|为何|如何).*(?:[会要把被从给跟让使很也都就才又将]|[,，;；]|因为|如果|虽然|但是|以及|或者|并且|而且|和|与)$"
)
_BARE_QUESTION: Final = re.compile(
    r"(?:what|which|who|why|how|where|when|question|stem)(?: ?\d*)"
    r"|(?:什么|为什么|为何|怎么样?|谁|哪[个里]?|问题|题目|题干|多少)[\d一二三四五六七八九]*(?:呢|吗)?"
)


class PlaceholderOption(Check):
    """An option that is a placeholder for one not yet written."""

    id: ClassVar = "placeholder_option"
    fails_sets: ClassVar = True
    name: ClassVar = _("Placeholder as an option")
    severity: ClassVar = ERROR
    says: ClassVar = _("Option %(number)d is a placeholder.")
    looks_at: ClassVar = _("Options that say only “option 1”, “TODO”, “xxx”, “...” or similar.")
    why: ClassVar = _("No one chooses it, so the key is easier to guess.")
    fix: ClassVar = _("Write the option, or remove it.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with a placeholder on a line, or with an option that begins with a sign."""
        signs = batch.where(lambda item: not all(text[0].isalnum() for text in item.texts))
        return batch.options.having(_ON_A_LINE).union(signs)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding for each placeholder; punctuation is accepted if all options are punctuation."""
        signs = [bool(_SIGNS_ONLY.fullmatch(one.text)) for _number, one in item.filled]
        for (number, one), is_sign in zip(item.filled, signs, strict=True):
            if (is_sign and not all(signs)) or _PLACEHOLDER.fullmatch(words.bare(one.text)):
                yield self.at(option(number), number=number)


class UnfinishedStem(Check):
    """A stem that breaks off, or was never written."""

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
        """Return the items with leftovers in stems, or with stems that do not end with a question mark."""
        found = batch.stems.having(_UNWRITTEN) | batch.typed_stems.having(_LEFT_IN_LINES)
        return found.union(index for index, stem in enumerate(batch.stems) if stem and not stem.endswith("?"))

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem."""
        plain = " ".join(words.fold(item.own_stem).split())
        bare = not plain.endswith("?") and _BARE_QUESTION.fullmatch(words.bare(plain))
        unwritten = _UNWRITTEN.search(plain) or _LEFT_TO_DO.search(item.own_stem)
        if plain and (bare or _BREAKS_OFF.search(plain) or unwritten):
            yield self.at(STEM)
