"""Checks of single items, as they are typed. Each is one class; `CHECKS` has them all.

Pure and quick: an item with twenty siblings and a long story takes a few milliseconds. An error blocks
submission, a warning can be answered with a reason.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.item.base import Check, ItemSpec, ItemView, OptionView, Requirement, SiblingView
from parable.quality.item.clarity import SeveralKeys, UnclearWording
from parable.quality.item.cues import KeyGathersOptions, KeyRepeatsStem
from parable.quality.item.form import ExplanationMissing, TooLong, TypeMissing, UnknownType, WrongLanguage
from parable.quality.item.forms import ImplausibleOption, MixedForms, OptionOffKind
from parable.quality.item.key import (
    AllKeys,
    KeyDoubled,
    KeyEmpty,
    KeyMissing,
    LongestKey,
    RanksMissing,
    StemNamesKey,
)
from parable.quality.item.lengths import UnequalLengths
from parable.quality.item.letters import ExplanationNamesOther, StemGivesLetter
from parable.quality.item.negation import NegativeStem
from parable.quality.item.options import (
    CopiedOption,
    EmptyOption,
    EqualOptions,
    LetterPrefix,
    NearOptions,
    NumberOfOptions,
    SharedOptions,
)
from parable.quality.item.order import UnorderedOptions
from parable.quality.item.question import (
    BareStem,
    BlankInStem,
    ExtraneousStem,
    UnfocusedStem,
)
from parable.quality.item.siblings import SiblingKey, SiblingKeyNear
from parable.quality.item.stem import BlankMissing, NearDuplicate, StemMissing, StemWithoutQuestion
from parable.quality.item.sums import AllOption, CombinedOptions, NoneOption
from parable.quality.item.terms import AbsoluteTerms, VagueTerms
from parable.quality.item.unfinished import PlaceholderOption, UnfinishedStem
from parable.quality.item.wording import AbsolutesInDistractors, AllOfTheAbove, AllOrNone

__all__ = [
    "CHECKS",
    "DESK",
    "ERROR",
    "RULES",
    "WARNING",
    "Check",
    "Finding",
    "ItemSpec",
    "ItemView",
    "OptionView",
    "SiblingView",
    "english",
    "judge",
    "lacks",
]

CHECKS: Final[dict[str, Check]] = {
    check.id: check
    for check in (
        TypeMissing(),
        UnknownType(),
        StemMissing(),
        BlankMissing(),
        TooLong(),
        NumberOfOptions(),
        SharedOptions(),
        EmptyOption(),
        EqualOptions(),
        KeyMissing(),
        KeyDoubled(),
        AllKeys(),
        RanksMissing(),
        KeyEmpty(),
        ExplanationMissing(),
        UnfinishedStem(),
        StemWithoutQuestion(),
        StemNamesKey(),
        StemGivesLetter(),
        NearDuplicate(),
        LongestKey(),
        SiblingKey(),
        SiblingKeyNear(),
        NearOptions(),
        PlaceholderOption(),
        LetterPrefix(),
        AllOfTheAbove(),
        AllOrNone(),
        CopiedOption(),
        AbsolutesInDistractors(),
        ExplanationNamesOther(),
        WrongLanguage(),
        BareStem(),
        UnfocusedStem(),
        NegativeStem(),
        BlankInStem(),
        ExtraneousStem(),
        UnclearWording(),
        SeveralKeys(),
        MixedForms(),
        OptionOffKind(),
        ImplausibleOption(),
        UnequalLengths(),
        UnorderedOptions(),
        KeyRepeatsStem(),
        KeyGathersOptions(),
        AbsoluteTerms(),
        VagueTerms(),
        AllOption(),
        NoneOption(),
        CombinedOptions(),
    )
}
"""Every check by its id: what an item must have, in the order of the form, then how it is worded."""

RULES: Final[dict[str, str]] = {check.id: check.rule for check in CHECKS.values() if check.rule}
"""The rule of item writing that a check looks after, by the check's id."""

DESK: Final = tuple(check for check in CHECKS.values() if check.at_desk)
"""The checks that look at what is being typed; the others look at files and releases alone."""

_REQUIREMENTS: Final = tuple(check for check in CHECKS.values() if isinstance(check, Requirement))


def judge(item: ItemView, checks: Iterable[Check] = DESK) -> tuple[Finding, ...]:
    """Return the findings of these checks in an item, in the order of `CHECKS`; nothing if it is sound.

    Checks that read words pass over items in languages other than Chinese and English.
    """
    applying = _applying(tuple(checks), item.task, is_read=item.is_read)
    return tuple(finding for check in applying for finding in check.find(item))


@lru_cache(64)
def _applying(checks: tuple[Check, ...], task: str, *, is_read: bool) -> tuple[Check, ...]:
    """Return the checks that apply to items of a task, in a language whose words they know or not."""
    return tuple(check for check in checks if check.applies_to(task) and (is_read or not check.reads_words))


def lacks(item: ItemView) -> tuple[Finding, ...]:
    """Return what an item lacks to be complete, in the order of the form; nothing if it is complete."""
    return judge(item, _REQUIREMENTS)


def english(finding: Finding) -> str:
    """Return the English sentence of a finding, without the place."""
    return CHECKS[finding.check].says % finding.params
