"""The result of the last check of unreleased items in one sentence, the same on every page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds import task_name
from parable.quality.finding import BaseCheck
from parable.quality.gates import ERROR, GATES, NOT_APPLICABLE, OK, WARNING
from parable.quality.gates.base import ALL
from parable.quality.gates.decision_rule import FEWEST_ITEMS
from parable.quality.gates.faulty_items import FaultyItems
from parable.quality.item import CHECKS
from parable.quality.kinds import CHECKS as KIND_CHECKS


@dataclass(frozen=True, slots=True)
class CheckTally:
    """What the last check found: in single items, and by tests of the whole set.

    `findings` counts each finding of each item. `checks` has the name and number of findings of each check,
    most first; `failing` the names of the tests that fail. `too_few` counts the tests that need more items.
    """

    items: int
    findings: int
    checks: Sequence[tuple[str, int]]
    failing: Sequence[str]
    warnings: int
    passing: int
    too_few: int
    first: int | None

    @property
    def tests(self) -> int:
        """The number of tests that the set has items enough for."""
        return len(self.failing) + self.warnings + self.passing

    @property
    def words(self) -> str:
        """The result as one sentence without its full stop; the findings come first."""
        return _("; ").join([self._of_items(), *self._of_the_set()])

    def _of_items(self) -> str:
        if not self.findings:
            return ngettext("No findings in %(n)s item", "No findings in your %(n)s items", self.items) % {
                "n": self.items
            }
        text = ngettext(
            "%(n)s finding in your %(items)s items", "%(n)s findings in your %(items)s items", self.findings
        )
        return text % {"n": self.findings, "items": self.items}

    def _of_the_set(self) -> list[str]:
        said = []
        if failing := len(self.failing):
            text = ngettext(
                "%(n)s of %(tests)s tests of the whole set fails: %(names)s",
                "%(n)s of %(tests)s tests of the whole set fail: %(names)s",
                failing,
            )
            names = _(", ").join(self.failing)
            said.append(text % {"n": failing, "tests": self.tests, "names": names})
        if self.too_few:
            said.append(_("too few to assess the set as a whole (%(n)s needed)") % {"n": FEWEST_ITEMS})
        if not said and self.warnings:
            text = ngettext(
                "%(n)s of %(tests)s tests of the whole set warns",
                "%(n)s of %(tests)s tests of the whole set warn",
                self.warnings,
            )
            said.append(text % {"n": self.warnings, "tests": self.tests})
        elif not said and self.tests:
            text = ngettext(
                "the one test of the whole set passes",
                "all %(n)s tests of the whole set pass",
                self.tests,
            )
            said.append(text % {"n": self.tests})
        return said


def check_tally(findings: Mapping[str, Any]) -> CheckTally:
    """Return the tally of a check's stored results over all items together."""
    parts = [part for part in findings.get("parts", ()) if part["kind"] == ALL]
    answers = [one for part in parts for one in part["answers"]]
    of_items = next((one for one in answers if one["id"] == FaultyItems.id), None)
    of_set = [one for one in answers if one is not of_items]
    by_verdict = Counter(one["verdict"] for one in of_set)
    checks = of_items["detail"].get("checks", {}) if of_items else {}
    names: Mapping[str, BaseCheck] = {**KIND_CHECKS, **CHECKS}
    offenders = of_items["offenders"] if of_items else ()
    return CheckTally(
        items=findings.get("items", 0),
        findings=sum(checks.values()),
        checks=sorted(
            ((_(names[check].name), n) for check, n in checks.items() if check in names and n),
            key=lambda pair: -pair[1],
        ),
        failing=[_gate_title(one) for one in of_set if one["verdict"] == ERROR],
        warnings=by_verdict[WARNING],
        passing=by_verdict[OK],
        too_few=sum(one["verdict"] == NOT_APPLICABLE and one["low"] is not None for one in of_set),
        first=offenders[0]["item"] if offenders else None,
    )


def _gate_title(answer: Mapping[str, Any]) -> str:
    name = _(GATES[answer["id"]].name)
    if not answer["task"]:
        return name
    return _("%(gate)s, %(task)s") % {"gate": name, "task": task_name(answer["task"])}
