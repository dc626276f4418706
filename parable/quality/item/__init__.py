"""Checks of single items, as they are typed. Each is one class; `CHECKS` has them all.

Pure and quick: an item with twenty siblings and a long story takes a few milliseconds. An error blocks
submission, a warning can be answered with a reason.
"""

from collections.abc import Iterable
from typing import Final

from parable.quality.gates.base import ERROR, WARNING
from parable.quality.item.base import Check, Finding, ItemView, OptionView, SiblingView
from parable.quality.item.form import ExplanationMissing, TypeMissing, WrongLanguage
from parable.quality.item.key import KeyDoubled, KeyMissing, LongestKey, StemNamesKey
from parable.quality.item.options import CopiedOption, EmptyOption, EqualOptions, LetterPrefix, NearOptions
from parable.quality.item.siblings import SiblingKey, SiblingKeyNear
from parable.quality.item.stem import NearDuplicate, StemMissing, StemWithoutQuestion
from parable.quality.item.wording import AbsolutesInDistractors, AllOfTheAbove, AllOrNone

__all__ = [
    "CHECKS",
    "ERROR",
    "WARNING",
    "Check",
    "Finding",
    "ItemView",
    "OptionView",
    "SiblingView",
    "english",
    "judge",
]

CHECKS: Final[dict[str, Check]] = {
    check.id: check
    for check in (
        StemMissing(),
        StemWithoutQuestion(),
        StemNamesKey(),
        NearDuplicate(),
        KeyMissing(),
        KeyDoubled(),
        LongestKey(),
        SiblingKey(),
        SiblingKeyNear(),
        EmptyOption(),
        EqualOptions(),
        NearOptions(),
        LetterPrefix(),
        AllOfTheAbove(),
        AllOrNone(),
        CopiedOption(),
        AbsolutesInDistractors(),
        TypeMissing(),
        ExplanationMissing(),
        WrongLanguage(),
    )
}
"""Every check by its id, in the order of the form."""


def judge(item: ItemView, checks: Iterable[Check] = tuple(CHECKS.values())) -> tuple[Finding, ...]:
    """What all checks of its task find in an item, in the order of the form; nothing if it is sound."""
    return tuple(finding for check in checks if item.task in check.tasks for finding in check.find(item))


def english(finding: Finding) -> str:
    """The sentence of a finding, in English; the place is not in it."""
    return CHECKS[finding.check].says % finding.params
