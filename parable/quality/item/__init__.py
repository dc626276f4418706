"""Checks of single items as typed; each check is a class, and `CHECKS` lists them.

The checks need no database and are fast: an item with twenty siblings and a long story takes a few
milliseconds. An error blocks submission; a warning can be answered with a reason.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.item.base import Check, ItemSpec, ItemView, OptionView, Requirement, SiblingView
from parable.quality.item.batch import Batch
from parable.quality.item.cues import KeyGathersOptions, KeyRepeatsStem, SeveralKeys, UnclearWording
from parable.quality.item.form import (
    ExplanationMissing,
    ImplausibleOption,
    MixedForms,
    OptionOffKind,
    TooLong,
    TypeMissing,
    UnequalLengths,
    UnknownType,
    WrongLanguage,
)
from parable.quality.item.key import (
    AllKeys,
    KeyDoubled,
    KeyEmpty,
    KeyMissing,
    LongestKey,
    RanksMissing,
    StemNamesKey,
)
from parable.quality.item.letters import ExplanationNamesOther, StemGivesLetter
from parable.quality.item.options import (
    CopiedOption,
    EmptyOption,
    EqualOptions,
    LetterPrefix,
    NearOptions,
    NumberOfOptions,
    SharedOptions,
    UnorderedOptions,
)
from parable.quality.item.siblings import SiblingKey, SiblingKeyNear
from parable.quality.item.stem import (
    BareStem,
    BlankInStem,
    BlankMissing,
    ExtraneousStem,
    NearDuplicate,
    PlaceholderOption,
    StemMissing,
    StemWithoutQuestion,
    UnfinishedStem,
    UnfocusedStem,
)
from parable.quality.item.wording import (
    AbsolutesInDistractors,
    AbsoluteTerms,
    AllOfTheAbove,
    AllOption,
    AllOrNone,
    CombinedOptions,
    NegativeStem,
    NoneOption,
    VagueTerms,
)

__all__ = [
    "CHECKS",
    "DESK",
    "ERROR",
    "RULES",
    "WARNING",
    "Batch",
    "Check",
    "Finding",
    "ItemSpec",
    "ItemView",
    "OptionView",
    "SiblingView",
    "english",
    "judge",
    "judge_batch",
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
"""Every check by its id: first requirements, in the order of the form's fields, then checks of wording."""

RULES: Final[dict[str, str]] = {check.id: check.rule for check in CHECKS.values() if check.rule}
"""The code of the item-writing rule that a check implements, by id of the check."""

DESK: Final = tuple(check for check in CHECKS.values() if check.at_desk)
"""The checks that run while an item is typed; the others run on files and releases only."""

_REQUIREMENTS: Final = tuple(check for check in CHECKS.values() if isinstance(check, Requirement))


def judge(item: ItemView, checks: Iterable[Check] = DESK) -> tuple[Finding, ...]:
    """Return the findings of these checks in an item, in the order of the checks; () if there are none.

    Checks that read words skip items in languages other than Chinese and English.
    """
    applying = _applying(tuple(checks), item.task, is_read=item.is_read)
    return tuple(finding for check in applying for finding in check.find(item))


def judge_batch(batch: Batch, checks: Iterable[Check]) -> list[tuple[Finding, ...]]:
    """Return the findings in each item, as `judge` does; each check runs only on its `candidates`."""
    wanted = tuple(checks)
    asked: list[list[Check]] = [[] for _item in batch.items]
    for check in wanted:
        for index in check.candidates(batch):
            asked[index].append(check)
    applying = {
        (task, is_read): frozenset(_applying(wanted, task, is_read=is_read))
        for task, is_read in {(item.task, item.is_read) for item in batch.items}
    }
    return [
        tuple(
            finding
            for check in own
            if check in applying[item.task, item.is_read]
            for finding in check.find(item)
        )
        for item, own in zip(batch.items, asked, strict=True)
    ]


@lru_cache(64)
def _applying(checks: tuple[Check, ...], task: str, *, is_read: bool) -> tuple[Check, ...]:
    """Return the checks that apply to items of a task.

    Unless `is_read`, checks that read words are left out.
    """
    return tuple(check for check in checks if check.applies_to(task) and (is_read or not check.reads_words))


def lacks(item: ItemView) -> tuple[Finding, ...]:
    """Return findings for the requirements that an item does not meet, in the order of the form's fields."""
    return judge(item, _REQUIREMENTS)


def english(finding: Finding) -> str:
    """Return the English sentence of a finding, without the part of the item that it is about."""
    return CHECKS[finding.check].says % finding.params
