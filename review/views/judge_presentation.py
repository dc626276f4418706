"""View models of the statistics of language models as judges."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from parable.psychometrics.agreement import LEAST_UNITS
from parable.psychometrics.raters.alternative import LEAST_PEOPLE, NOT_PASSED, PASSED
from parable.psychometrics.raters.alternative import LEAST_UNITS as LEAST_ITEMS
from parable.quality.item.rules import RULE_NAMES
from review.models import Flaw
from review.queries.statistics import names_of
from review.views.statistics_presentation import NOTHING, FigureView, figure, severity_row
from web.numbers import percent

SMALLEST_P: Final = 0.001
TONES: Final = {PASSED: "good", NOT_PASSED: "careful"}


def judge_views(figures: Mapping[str, Any]) -> dict[str, object]:
    """Return the context of the models' agreement and tests; empty if the statistics contain no models."""
    found = figures.get("judges", ())
    if not found:
        return {"judges": [], "severity": None}
    people, severity = names_of(figures), figures.get("severity_with_judges")
    if severity is not None:
        raters = people | {one["rater"]: one["name"] for one in found}
        rows = sorted(severity["reviewers"], key=lambda one: -(one["severity"] or 0))
        severity = {**severity, "rows": [severity_row(row, raters) for row in rows]}
    return {"judges": [_judge(one, people) for one in found], "severity": severity}


def _judge(found: Mapping[str, Any], people: Mapping[int, str]) -> dict[str, object]:
    verdict = found["verdict"]
    return {
        "name": found["name"],
        "judged": found["judged"],
        "lost": found["lost"],
        "ratings": found["ratings"],
        "mean": NOTHING if found["mean"] is None else _number(found["mean"]),
        "verdict": _verdict(verdict["code"]),
        "tone": TONES.get(verdict["code"], ""),
        "is_tested": verdict["winning_rate"] is not None,
        "wins": percent(verdict["winning_rate"] or 0),
        "advantage": percent(verdict["advantage"] or 0),
        "allowance": _number(verdict["allowance"]),
        "comparisons": [
            {
                "name": people.get(one["person"], NOTHING),
                "n": one["n"],
                "model": percent(one["model"]),
                "human": percent(one["human"]),
                "p": _number(one["p_value"], 3)
                if one["p_value"] >= SMALLEST_P
                else f"< {_number(SMALLEST_P, 3)}",
                "wins": one["wins"],
            }
            for one in verdict["comparisons"]
        ],
        "flaws": [
            {
                "name": Flaw(one["flaw"]).label,
                "rules": [_(RULE_NAMES[rule]) for rule in one["rules"]],
                "n": one["n"],
                "people": one["people"],
                "model": one["model"],
                "checks": one["checks"],
                "kappa": _kappa(one["kappa"]),
                "kappa_checks": _kappa(one["kappa_checks"]),
            }
            for one in found["flaws"]
        ],
        "named": [
            {"name": _(RULE_NAMES[rule]), "model": model, "checks": checks}
            for rule, (model, checks) in found["named"].items()
        ],
    }


def _verdict(code: str) -> str:
    if code == PASSED:
        return _("Passed the alternative-annotator test: counted as an extra rater below.")
    if code == NOT_PASSED:
        return _("Did not pass the alternative-annotator test: its ratings are not counted.")
    return _(
        "Too few ratings for the alternative-annotator test: it takes %(people)d reviewers with %(items)d"
        " items each that the model and another reviewer rated. Its ratings are not counted."
    ) % {"people": LEAST_PEOPLE, "items": LEAST_ITEMS}


def _kappa(found: Mapping[str, Any]) -> FigureView:
    if found["value"] is not None:
        return figure(found, percent=False)
    few = _("fewer than %(least)d items") % {"least": LEAST_UNITS}
    return FigureView(NOTHING, 0, reason=few if found["n"] < LEAST_UNITS else _("no one names it"))


def _number(value: float, places: int = 2) -> str:
    return number_format(round(value, places), places)
