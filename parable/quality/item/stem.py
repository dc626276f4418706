"""Checks of the stem: that there is one, that it asks, and that no other item of the story asks the same."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple

from parable.formats.errors import excerpt
from parable.quality.finding import WARNING, Finding
from parable.quality.item import words
from parable.quality.item.base import STEM, Check, ItemView, Requirement, SiblingView, is_standard
from parable.quality.item.batch import Batch
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
"""Units that are part of a standard frame or have no content; other Chinese characters never are."""
_KINDS: Final = frozenset("谁怎多几哪何为") | {"why", "where", "when", "who", "whom", "whose", "how"}
_FALSE: Final = re.compile("错误|false|incorrect")


class StemMissing(Requirement):
    """An item without a stem."""

    id: ClassVar = "stem_missing"
    trait: ClassVar = "has_stem"
    name: ClassVar = _("No stem")
    says: ClassVar = _("The stem is empty.")
    looks_at: ClassVar = _("The stem has text.")
    why: ClassVar = _("Options without a question have no correct answer.")
    fix: ClassVar = _("Write the question.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items whose stems do not begin with a letter."""
        return batch.where(lambda item: not item.stem[:1].isalnum())

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding if the stem is blank."""
        if words.is_blank(item.stem):
            yield self.at(STEM)


class BlankMissing(Requirement):
    """A stem with no blank, or more than one."""

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
        """Yield one finding about the stem, with the number of its blanks."""
        count = len(_BLANKS.findall(item.stem))
        if count != 1 and not words.is_blank(item.stem):
            yield self.at(STEM, count=count)


class StemWithoutQuestion(Check):
    """A stem that asks nothing."""

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
        """Return the items whose stems have no question mark."""
        return [index for index, stem in enumerate(batch.stems) if "?" not in stem]

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem."""
        if item.own_stem and not _asks(item.own_stem):
            yield self.at(STEM)


def _asks(stem: str) -> bool:
    plain = " ".join(words.fold(stem).split())
    if _OPEN.search(plain):
        return True
    is_statement = plain.endswith((".", "。", "!"))
    return not is_statement and bool(_ASKS.search(plain))


class NearDuplicate(Check):
    """Another item of the story that asks almost the same."""

    id: ClassVar = "near_duplicate"
    name: ClassVar = _("Similar to another item")
    severity: ClassVar = WARNING
    trait: ClassVar = "has_keys"  # an order may be asked for in the same words
    says: ClassVar = _("Another item of this story is almost the same: “%(stem)s”.")
    looks_at: ClassVar = _(
        "Other items of the story with almost the same stem; for standard stems such as"
        " “which is right”, items that share half of the options."
    )
    why: ClassVar = _("Two items with the same question count one piece of knowledge twice.")
    fix: ClassVar = _("Ask about something else in the story, or discard this item.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items with others of the same story."""
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
        return _same_question(ours, theirs)
    return not ours.units and not theirs.units and _shares_options(item, sibling)


def _may_be_alike(one: str, other: str) -> bool:
    """Return whether the contents of two stems may be alike; a fast check, as most are not.

    A unit that is in all content of one stem and nowhere in the other lowers the likeness.
    """
    count, sure = _sure_units(one)
    other_count, other_sure = _sure_units(other)
    both = count + other_count
    apart = len(sure.difference(words.units(other))) + len(other_sure.difference(words.units(one)))
    return not apart or words.may_reach(1 - apart / both, SAME_STEM)


@lru_cache(maxsize=1024)
def _sure_units(stem: str) -> tuple[int, frozenset[str]]:
    """Return the number of units of a stem, and those that are part of its content whatever its frame."""
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

    `kept`: its question words, its numbers, and what turns it round: how many negations, and whether it asks
    for what is false.
    """

    units: words.Units
    kept: tuple[frozenset[str], tuple[str, ...], int, int]


@lru_cache(maxsize=1024)
def _question(stem: str) -> _Question:
    """Return the content of a stem; it has no units if the stem is only a standard frame."""
    folded = words.fold(stem)
    units = words.content(_FRAME.sub(" ", folded))
    negations = words.negations(words.units(stem)).total()
    numbers = tuple(sorted(words.numbers(units).elements()))
    kept = _KINDS.intersection(units), numbers, negations, len(_FALSE.findall(folded))
    return _Question(units, kept)


def _same_question(ours: _Question, theirs: _Question) -> bool:
    return (
        ours.kept == theirs.kept
        and words.alike(ours.units, theirs.units, SAME_STEM)
        and not _is_turned_round(ours.units, theirs.units)
    )


def _is_turned_round(ours: words.Units, theirs: words.Units) -> bool:
    """Return whether the same words are in another order, which changes the meaning."""
    return ours != theirs and sorted(ours) == sorted(theirs)


def _shares_options(item: ItemView, sibling: SiblingView) -> bool:
    ours = [words.content(one.text) for _number, one in item.filled]
    theirs = [words.content(text) for text in sibling.options]
    shared = sum(any(words.alike(one, other, SAME_OPTION) for other in theirs) for one in ours)
    return shared >= 2 and 2 * shared >= len(ours)
