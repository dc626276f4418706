"""Findings of the last check in items, as pages show them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from annotation.places import place_name
from parable.quality.finding import ERROR, WARNING, BaseCheck
from parable.quality.gates import GATES
from parable.quality.item import CHECKS
from parable.quality.kinds import CHECKS as KIND_CHECKS
from release.check_tally import finding_name
from release.models import ItemFinding
from web.numbers import percent

TONES: Final = {ERROR: "wrong", WARNING: "careful"}


@dataclass(frozen=True, slots=True)
class FindingTag:
    """A check or gate with a finding in an item, as a tag."""

    code: str
    name: str
    tone: str


@dataclass(frozen=True, slots=True)
class FindingNote:
    """A finding on an item's page: what was found, where in the item, why it matters, and how to fix it."""

    tag: FindingTag
    where: str
    said: str
    why: str
    fix: str


def finding_tags(found: Iterable[ItemFinding]) -> list[FindingTag]:
    """Return a tag for each check or gate with findings, in the order of the findings."""
    return list({one.code: _tag(one) for one in found}.values())


def finding_notes(found: Iterable[ItemFinding]) -> list[FindingNote]:
    """Return the findings in the reader's language. Those of checks that no longer exist are left out."""
    checks: Mapping[str, BaseCheck] = {**KIND_CHECKS, **CHECKS}
    notes = []
    for one in found:
        if check := checks.get(one.code):
            said = _said(check, one.params)
            notes.append(
                FindingNote(
                    _tag(one), place_name(one.place), said, _(check.why), _(check.fix) if check.fix else ""
                )
            )
        elif gate := GATES.get(one.code):
            notes.append(FindingNote(_tag(one), "", _of_set(one), _(gate.why), _(gate.fix)))
    return notes


def _tag(one: ItemFinding) -> FindingTag:
    return FindingTag(one.code, finding_name(one.code), TONES[one.severity])


def _said(check: BaseCheck, params: Mapping[str, object]) -> str:
    """Return the sentence of a finding, or "" if its values are not those of the sentence.

    An error of form in an item outside the sample has no values; those of an earlier version may be others.
    """
    try:
        return _(check.says) % params
    except (KeyError, TypeError, ValueError):
        return ""


def _of_set(one: ItemFinding) -> str:
    """Return what a gate that names the item says about the set."""
    figure, threshold = one.params.get("figure"), one.params.get("threshold")
    if threshold is None or not isinstance(figure, float):
        return _("A check of the whole set names this item.")
    text = _("One of the items behind a check of the whole set: %(figure)s, limit %(threshold)s.")
    return text % {"figure": percent(figure), "threshold": percent(threshold)}
