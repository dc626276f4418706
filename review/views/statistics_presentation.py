"""View models of review statistics. Each has n and an interval, or the reason why it is missing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.kinds import task_name
from annotation.models import Revision, Style
from parable.formats.table_writer import Cell, Sheet
from parable.kinds import KINDS
from parable.psychometrics.agreement import FIGURES, LEAST_UNITS, NOT_COUNTED
from parable.psychometrics.bootstrap import wilson_interval
from parable.psychometrics.raters.facets import LEAST_RATINGS
from projects.models import CommonsenseType, Project
from review.overlap import wanted_overlap
from review.queries.item import Figure
from review.queries.practice import Calibration
from review.queries.statistics import names_of
from review.views.criteria import CRITERION_NAMES
from web import numbers

NOTHING: Final = "–"
SEVERITY_HALF: Final = 4.0
"""Severities are drawn on a line from -`SEVERITY_HALF` to `SEVERITY_HALF` logits."""


@dataclass(frozen=True, slots=True)
class FigureView:
    """A statistic as text and, if it can be drawn, as points on a scale from 0 to 100."""

    text: str
    n: int
    at: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def _why(code: str, n: int) -> str:
    sentences = {
        "nothing_rated_twice": _("No item has two ratings yet."),
        "too_few_rated_twice": _(
            "%(n)d items have two ratings; below %(least)d the coefficient is mostly chance."
        )
        % {"n": n, "least": LEAST_UNITS},
        "all_ratings_equal": _("All ratings are the same, so agreement beyond chance is undefined."),
        "too_few_ratings": _("Fewer than %(least)d ratings of items that others rated.")
        % {"least": LEAST_RATINGS},
        "not_connected": _("Shares no rated items with the others."),
        "one_sided": _("Always rated at one end, so the severity has no bound."),
        "no_blind_answers": _("No blind answers yet."),
        "no_blind_answers_of_a_style": _("Both styles need blind answers."),
    }
    return sentences.get(code, code)


def figure(found: Mapping[str, Any] | None, *, percent: bool, half: float = 1.0) -> FigureView:
    """Return the view model of a stored estimate.

    `found` is None if the statistics are older than this estimate.

    A share in `percent` is drawn on a line from 0 to 1, any other value on a line from -`half` to `half`.
    """
    if found is None:
        return FigureView(NOTHING, 0, reason=_(NOT_COUNTED))
    if found["value"] is None:
        return FigureView(NOTHING, found["n"], reason=_why(found["reason"], found["n"]))
    value, low, high = found["value"], found["low"], found["high"]
    words = _number(value, percent=percent)
    if low is not None:
        ends = {"low": _number(low, percent=percent), "high": _number(high, percent=percent)}
        words = _("%(figure)s (%(low)s to %(high)s)") % {"figure": words, **ends}
    shares = (one if one is None or percent else (one / half + 1) / 2 for one in (value, low, high))
    at, left, right = (one if one is None else round(100 * min(1.0, max(0.0, one)), 2) for one in shares)
    return FigureView(words, found["n"], at, left, right)


def share(right: int, n: int) -> FigureView:
    """Return the view model of the percentage of `right` in `n`, with Wilson's interval."""
    if not n:
        return FigureView(NOTHING, 0)
    low, high = wilson_interval(right, n)
    return figure({"value": right / n, "low": low, "high": high, "n": n}, percent=True)


def _number(value: float, *, percent: bool) -> str:
    if not percent:
        return number_format(round(value, 2), 2)
    return numbers.percent(value)


def statistics_tables(
    project: Project, figures: Mapping[str, Any], language: str, practised: Iterable[Calibration] = ()
) -> dict[str, object]:
    """Return all tables of the statistics page. `practised`: the reviewers' counts of practice items."""
    practice = {row.reviewer: row for row in practised}
    names = names_of(figures)
    overlap, styles = figures["overlap"], figures.get("styles", {})
    types = CommonsenseType.objects.filter(project=project, pk__in=[int(kind) for kind in figures["types"]])
    return {
        "agreement": [
            _agreement_row(task, found)
            for task, found in figures["agreement"].items()
            if task not in KINDS or KINDS[task].scale is None  # tasks with a scale are under `scales`
        ],
        "scales": [
            {
                **found,
                "name": _task_name(found["task"]),
                "criterion": CRITERION_NAMES.get(found["criterion"], found["criterion"]),
            }
            for found in figures.get("scales", ())
        ],
        "kinds": [(task_name(task), _kind_rows(found)) for task, found in figures.get("kinds", {}).items()],
        # whether the page explains how to read a coefficient
        "coefficients": any(
            found.get(one.code, {}).get("value") is not None
            for found in figures["agreement"].values()
            for one in FIGURES
            if one.is_coefficient
        ),
        "pairs": [_pair_row(pair, names) for pair in figures["pairs"][:100]],
        "accuracy": [
            (_task_name(task), f"task={task}" if task else "", figure(found, percent=True))
            for task, found in figures["accuracy"].items()
        ],
        "styles": [
            (_style_name(task, style), f"task={task}&style={style}", figure(found[style], percent=True))
            for task, found in styles.items()
            for style in Style.values
        ],
        # human minus machine style
        "differences": [
            (
                task_name(task),
                f"?figure={Figure.ANSWERED}&task={task}",
                figure(found["difference"], percent=True),
            )
            for task, found in styles.items()
        ],
        "types": [
            (kind.name_in(language), f"kind={kind.pk}", figure(figures["types"][str(kind.pk)], percent=True))
            for kind in types
        ],
        "reviewers": [
            _reviewer_row(row, names, practice.get(row["reviewer"])) for row in figures["reviewers"]
        ],
        # counted before expected items were stored: based on those submitted
        "overlap": {**overlap, "wanted": wanted_overlap(overlap.get("expected", overlap["submitted"]))},
    }


def rater_views(project: Project, figures: Mapping[str, Any]) -> dict[str, object]:
    """Return the tables of the rater models: severity and fit, adjusted ratings, inferred keys."""
    names, severity = names_of(figures), figures.get("severity")
    if severity is not None:
        rows = sorted(severity["reviewers"], key=lambda one: -(one["severity"] or 0))
        severity = {
            **severity,
            "rows": [severity_row(row, names) for row in rows],
            "any": severity["ratings"] > 0,
        }
    return {
        "severity": severity,
        "adjusted": _adjusted(project, figures),
        "keys": _keys(figures, names),
    }


def severity_row(row: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, object]:
    """Return one rater's severity and fit. A negative rater id is a model, which has no page of reviews."""
    estimate = {"value": row["severity"], **{name: row[name] for name in ("low", "high", "n", "reason")}}
    is_known = row["severity"] is not None
    expected = {name: _number(row[f"infit_{name}"], percent=False) for name in ("low", "high") if is_known}
    return {
        "name": names.get(row["rater"], NOTHING),
        "behind": f"?figure={Figure.TWICE}&reviewer={row['rater']}" if row["rater"] > 0 else None,
        "n": row["n"],
        "severity": figure(estimate, percent=False, half=SEVERITY_HALF),
        "infit": _number(row["infit"], percent=False) if is_known else NOTHING,
        "expected": _("expected %(low)s to %(high)s") % expected if is_known else "",
        "outfit": _number(row["outfit"], percent=False) if is_known else NOTHING,
    }


def _adjusted(project: Project, figures: Mapping[str, Any]) -> list[dict[str, object]]:
    """Return the ratings that the severity adjustment changes most, with the item of each."""
    rows = figures.get("adjusted", ())
    items = dict(
        Revision.objects.filter(item__project=project, pk__in=[row["unit"] for row in rows]).values_list(
            "pk", "item_id"
        )
    )
    stems = dict(Revision.objects.filter(pk__in=items).values_list("pk", "stem"))
    return [
        {
            "item": items[row["unit"]],
            "stem": stems[row["unit"]],
            "n": row["n"],
            "raw": _number(row["raw"], percent=False),
            "adjusted": _number(row["adjusted"], percent=False),
            "low": _number(row["low"], percent=False),
            "high": _number(row["high"], percent=False),
        }
        for row in rows
        if row["unit"] in items
    ]


def _keys(figures: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, object] | None:
    """Return the inferred keys with each reviewer's accuracy against them, or None if not counted."""
    found = figures.get("keys")
    if found is None:
        return None
    rows = [
        {
            "name": names.get(row["person"], NOTHING),
            "behind": f"?figure={Figure.ANSWERED}&reviewer={row['person']}",
            "accuracy": figure({"value": row["accuracy"], **row}, percent=True),
            "n": row["n"],
        }
        for row in found["reviewers"]
    ]
    return {**found, "rows": rows, "against": len(found["against"])}


def _task_name(task: str) -> str:
    return task_name(task) if task else _("all items")


def _agreement_row(task: str, found: Mapping[str, Any]) -> dict[str, object]:
    return {
        "name": _task_name(task),
        "task": task,
        "behind": f"?figure={Figure.TWICE}&task={task}",
        "twice": found["rated_twice"],
        "ratings": found["ratings"],
        "shares": [_number(share, percent=True) for share in found["shares"]],
        "figures": [
            (
                one,
                figure(found.get(one.code), percent=not one.is_coefficient),
                50 if one.is_coefficient else None,
            )
            for one in FIGURES
        ],
    }


def _kind_rows(found: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Return the rows of a task's published statistics; `is_first` marks rows that display the name."""
    return [
        {
            "name": _(one["name"]),
            "of": one["of"],
            "value": one["value"],
            "places": 2 if isinstance(one["value"], float) else 0,
            "is_first": not index or found[index - 1]["name"] != one["name"],
        }
        for index, one in enumerate(found)
    ]


def _pair_row(pair: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, object]:
    return {
        "reviewers": f"reviewer={pair['first']}&second={pair['second']}",
        "behind": f"?figure={Figure.RATED}&reviewer={pair['first']}&second={pair['second']}",
        "first": names.get(pair["first"], NOTHING),
        "second": names.get(pair["second"], NOTHING),
        "n": pair["n"],
        "raw": figure(pair["raw"], percent=True),
        "kappa": figure(pair["kappa"], percent=False),
    }


def _style_name(task: str, style: str) -> str:
    return _("%(task)s, %(style)s") % {"task": task_name(task), "style": Style(style).label}


def _reviewer_row(
    row: Mapping[str, Any], names: Mapping[int, str], practice: Calibration | None
) -> dict[str, object]:
    severity, reviews = row["severity"], row["reviews"]
    return {
        "name": names.get(row["reviewer"], NOTHING),
        "reviewer": row["reviewer"],
        "behind": {one.value: f"?figure={one}&reviewer={row['reviewer']}" for one in Figure},
        "reviews": reviews,
        "zeros": _number(row["zeros"] / reviews, percent=True) if reviews else NOTHING,
        "severity": NOTHING if severity is None else f"{severity:+.2f}",
        "shared": row["shared"],
        "seconds": NOTHING if row["seconds"] is None else round(row["seconds"]),
        "accuracy": figure(row["accuracy"], percent=True),
        "practice": share(practice.right, practice.n) if practice else FigureView(NOTHING, 0),
    }


def exported(
    project: Project,
    figures: Mapping[str, Any] | None,
    language: str,
    practised: Iterable[Calibration] = (),
    adjusted: Sequence[Mapping[str, Any]] = (),
) -> list[Sheet]:
    """Return the tables of the statistics page as sheets with plain numbers."""
    estimate = [_("value"), _("low end (95 per cent)"), _("high end (95 per cent)"), "n"]
    if figures is None:
        return [Sheet(_("agreement"), [_("task"), _("figure"), *estimate], [])]
    names = names_of(figures)
    types = {str(kind.pk): kind.name_in(language) for kind in CommonsenseType.objects.filter(project=project)}
    return [
        Sheet(
            _("agreement"),
            [_("task"), _("figure"), *estimate],
            (
                [_task_name(task), _(one.name), *_cells(found.get(one.code))]
                for task, found in figures["agreement"].items()
                for one in FIGURES
            ),
        ),
        Sheet(
            _("scales"),
            [
                _("task"), _("criterion"), _("items"), _("ratings"), _("mean"),
                _("agreement on good or poor"), _("score to 100"),
            ],
            (
                [
                    _task_name(row["task"]), row["criterion"], row["items"], row["ratings"], row["mean"],
                    row["agreement"], row["score"],
                ]
                for row in figures.get("scales", ())
            ),
        ),
        Sheet(
            _("pairs"),
            [_("first reviewer"), _("second reviewer"), _("figure"), *estimate],
            (
                [names.get(pair["first"], ""), names.get(pair["second"], ""), label, *_cells(pair[measure])]
                for pair in figures["pairs"]
                for measure, label in (("raw", _("raw agreement")), ("kappa", "Cohen κ"))
            ),
        ),
        Sheet(_("human accuracy"), [_("items"), *estimate], _accuracy_cells(figures, types)),
        Sheet(
            _("reviewers"),
            [
                _("reviewer"), _("reviews"), _("zeros"), _("severity"), _("shared items"),
                _("median seconds"), _("practice items reviewed"), _("practice items correct"),
            ],
            _reviewer_cells(figures, names, practised),
        ),
        Sheet(
            _("severity"),
            [
                _("reviewer"), _("severity (logits)"), _("standard error"), *estimate[1:3], "n",
                _("infit"), _("infit, low end expected"), _("infit, high end expected"), _("outfit"),
                _("reason"),
            ],
            _severity_cells(figures, names),
        ),
        Sheet(
            _("adjusted ratings"),
            [_("item"), _("revision"), "n", _("mean rating"), _("adjusted rating"), *estimate[1:3]],
            _adjusted_cells(project, adjusted),
        ),
        Sheet(
            _("keys by answers"),
            [_("reviewer"), *estimate],
            (
                [names.get(row["person"], ""), *_cells({"value": row["accuracy"], **row})]
                for row in (figures.get("keys") or {"reviewers": ()})["reviewers"]
            ),
        ),
    ]  # fmt: skip


def _severity_cells(figures: Mapping[str, Any], names: Mapping[int, str]) -> Iterable[list[Cell]]:
    counted = ("severity", "error", "low", "high", "n", "infit", "infit_low", "infit_high", "outfit")
    for row in figures.get("severity", {"reviewers": ()})["reviewers"]:
        reason = _why(row["reason"], row["n"]) if row["reason"] else ""
        yield [names.get(row["rater"], ""), *(row[name] for name in counted), reason]


def _adjusted_cells(project: Project, adjusted: Sequence[Mapping[str, Any]]) -> Iterable[list[Cell]]:
    """Yield a row for each rated revision: its mean rating, and its rating adjusted for severity."""
    rows = Revision.objects.filter(item__project=project).values_list("pk", "item_id", "number")
    found = {pk: (item, number) for pk, item, number in rows.iterator()} if adjusted else {}
    for row in adjusted:
        if row["unit"] in found:
            counted = (row[name] for name in ("n", "raw", "adjusted", "low", "high"))
            yield [*found[row["unit"]], *counted]


def _reviewer_cells(
    figures: Mapping[str, Any], names: Mapping[int, str], practised: Iterable[Calibration]
) -> Iterable[list[Cell]]:
    practice = {row.reviewer: row for row in practised}
    for row in figures["reviewers"]:
        counts = [row[name] for name in ("reviews", "zeros", "severity", "shared", "seconds")]
        done = practice.get(row["reviewer"])
        yield [names.get(row["reviewer"], ""), *counts, done.n if done else 0, done.right if done else 0]


def _cells(found: Mapping[str, Any] | None) -> list[Cell]:
    if found is None:
        return [_(NOT_COUNTED), None, None, None]
    return [found["value"], found["low"], found["high"], found["n"]]


def _accuracy_cells(figures: Mapping[str, Any], types: Mapping[str, str]) -> Iterable[list[Cell]]:
    for task, found in figures["accuracy"].items():
        yield [_task_name(task), *_cells(found)]
    for kind, found in figures["types"].items():
        yield [types.get(kind, kind), *_cells(found)]
    for task, by_style in figures.get("styles", {}).items():
        for style in Style.values:
            yield [_style_name(task, style), *_cells(by_style[style])]
        yield [
            _("%(task)s, human minus machine style") % {"task": task_name(task)},
            *_cells(by_style["difference"]),
        ]
