"""Pages of calibrations, their suspects, and the statistics of a single item."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import Hidden, Unusable
from core.numbers import whole_number
from evaluation import services
from evaluation.forms import CalibrationForm
from evaluation.models import Calibration, Priors
from evaluation.page import reader_language
from evaluation.queries.calibration import (
    WHICH,
    StoredFigures,
    calibrations,
    counted_sheet,
    finished_runs,
    get_calibration,
    link_of,
    one_item,
    reasons_of,
    released,
    run_of,
    runs_by_examinee,
    sheet,
)
from evaluation.queries.run import CALIBRATE, release_to_measure
from evaluation.views.model_fit import fit_figures, model_choice
from evaluation.views.run import LANGUAGES
from jobs.hooks import dispatch
from jobs.queries import job_of
from parable.commands.item_charts import curve_plot, information_plot, wright_plot
from parable.formats.options import letter
from parable.kinds import kind_of
from parable.psychometrics.irt import FEW_EXAMINEES
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release.services import record_released_key_exposures
from web.charts import chart_file
from web.forms import put_errors
from web.numbers import percent
from web.requests import MemberRequest

PAGE: Final = 50
MOST_EXAMINEES: Final = 100
WHICH_LABELS: Final = {
    "same": gettext_lazy("Correct for everyone or no one"),
    "negative": gettext_lazy("Negative discrimination"),
    "misfit": gettext_lazy("Do not fit the model (S-X², p over all items below 0.05)"),
}
VIEWS: Final = {
    "suspects": gettext_lazy("Suspect items"),
    "set": gettext_lazy("Whole set"),
    "examinees": gettext_lazy("Examinees"),
    "releases": gettext_lazy("Across releases"),
}
MOST_MOVED: Final = 20
MOST_LINKED: Final = 30
PLOTS: Final = {"wright": wright_plot, "information": information_plot}


@project_page(Permission.SEE_RESULTS, change=Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def show_list(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the project's calibrations; POST orders a new calibration."""
    form = CalibrationForm(
        project,
        request.POST if request.method == "POST" else None,
        initial={"release": release_to_measure(project)},
    )
    if request.method == "POST" and form.is_valid():
        found = _ordered(request, form)
        if found is not None:
            return redirect("evaluation:calibration", project.slug, found.pk)
    context = {
        "project": project,
        "section": "evaluation",
        "form": form,
        "page_obj": Paginator(calibrations(project), PAGE).get_page(request.GET.get("page")),
        "has_runs": finished_runs(project).exists(),
    }
    return render(request, "evaluation/items_list.html", context, status=400 if form.errors else 200)


def _ordered(request: MemberRequest, form: CalibrationForm) -> Calibration | None:
    asked = form.cleaned_data
    release = asked["release"]
    runs = list(asked["runs"] or finished_runs(release.project).filter(release=release))
    try:
        found = services.order_calibration(
            actor=request.user, release=release, runs=runs, model=asked["model"], priors=asked["priors"]
        )
    except Unusable as error:
        put_errors(form, error)
        return None
    dispatch(CALIBRATE, found.pk)
    return found


@project_page(Permission.SEE_RESULTS)
@require_GET
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a calibration: suspects, the whole set with its plots, examinees, or links across releases."""
    found = _calibration(request, project, pk)
    summary = found.summary or {}
    view = request.GET.get("view", "")
    is_waiting = not summary and not found.failed
    context = _base(found) | {
        "summary": summary,
        "is_waiting": is_waiting,
        "work": job_of(CALIBRATE, found.pk) if is_waiting or found.failed else None,
        "priors": Priors(summary.get("priors", found.priors)).label,
        "figures": _figures(found, summary) if summary else [],
        "story_note": story_note(summary["by_story"]) if summary.get("by_story") else "",
        "suspects": _rows(found, "suspects", request),
        **model_choice(summary.get("fit") or {}),
        "all_items_url": reverse("evaluation:calibrated_items", args=[project.slug, pk]),
        "people": _answered(found, summary.get("people", [])),
        "has_other_items": any(
            one.get("place") and not one.get("place_by_accuracy") for one in summary.get("people", [])
        ),
        "styles": _answered(found, summary.get("styles") or []),
        "wright": wright_plot(summary, reader_language()),
        "information": information_plot(summary, reader_language()),
        "linked": _linked(found, link_of(found)) if view == "releases" else None,
        "views": VIEWS.items(),
        "view": view if view in VIEWS else next(iter(VIEWS)),
    }
    response = render(request, "evaluation/items.html", context)
    if request.headers.get("HX-Request") and not is_waiting:
        response.headers["HX-Refresh"] = "true"  # a page that polled is replaced by the whole one
    return response


def _linked(found: Calibration, stored: Mapping[str, Any] | None) -> StoredFigures | None:
    """Return the context for a link to an earlier release: line, drifted items and examinees.

    Return None if there is no link.
    """
    if stored is None:
        return None
    names = [row["item"] for row in stored["moved"][:MOST_MOVED]]
    items = released(found, names)
    line = stored["links"]["stocking_lord"]
    of_stretch, of_shift, _both = line["variance"] or (None, None, None)
    return {
        **stored,
        "line": line,
        "shift": f"{'−' if line['shift'] < 0 else '+'} {number_format(abs(line['shift']), 2)}",
        "stretch_se": None if of_stretch is None else of_stretch**0.5,
        "shift_se": None if of_shift is None else of_shift**0.5,
        "other": stored["links"]["mean_sigma"],
        "n_moved": len(stored["moved"]),
        "moved": [{**row, "released": items.get(row["item"])} for row in stored["moved"][:MOST_MOVED]],
        "people": [
            {**row, "expected": percent(row["expected"])} for row in stored["examinees"][:MOST_LINKED]
        ],
    }


def _answered(found: Calibration, rows: Sequence[Mapping[str, Any]]) -> list[StoredFigures]:
    """Return the first examinees of a table, each with the URL of the examinee's responses."""
    runs = runs_by_examinee(found)
    slug = found.release.project.slug
    shown = []
    for row in rows[:MOST_EXAMINEES]:
        run = run_of(row["name"], runs)
        url = reverse("evaluation:responses", args=[slug, run]) if run else ""
        shown.append({**row, "url": url, "right_url": url and f"{url}?right=yes"})
    return shown


@project_page(Permission.SEE_RESULTS)
@require_GET
def show_items(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the classical and IRT statistics of all items, or of the items that a statistic counts."""
    found = _calibration(request, project, pk)
    which = request.GET.get("which", "")
    context = _base(found) | {
        "items": _rows(found, "items", request, which if which in WHICH else ""),
        "summary": found.summary or {},
        "which": WHICH_LABELS.get(which, ""),
    }
    return render(request, "evaluation/items_all.html", context)


@project_page(Permission.SEE_RESULTS)
@require_GET
def show_item(request: MemberRequest, project: Project, pk: int, name: str) -> HttpResponse:
    """Show one item's statistics: how often each option was chosen, its curve, and why it is suspect."""
    found = _calibration(request, project, pk)
    row = one_item(found, name)
    item = released(found, [name]).get(name)
    if row is None or item is None:
        raise Hidden(_("Item not found."))
    texts = _texts(item.record)
    prefilled = {"item_id": name, "release": found.release.version}
    record_released_key_exposures(actor=request.user, released=[item.pk])
    context = _base(found) | {
        "row": row,
        "group": (found.summary or {}).get("group"),
        "item": item,
        "reasons": reasons_of(row),
        "options": [
            {
                "letter": letter(index),
                "text": text,
                "is_key": index == row["key"],
                "chosen": row["chosen"][index],
                "goes_with": row["goes_with"][index],
            }
            for index, text in enumerate(texts)
        ],
        "ability_groups": _ability_groups(row, texts),
        "least": FEW_EXAMINEES,
        "report_url": f"{reverse('release:report')}?{urlencode(prefilled)}",
        "curve": curve_plot(row, _same_scale(found, row), reader_language()),
    }
    return render(request, "evaluation/items_one.html", context)


@project_page(Permission.SEE_RESULTS)
@require_GET
def plot_file(request: MemberRequest, project: Project, pk: int, plot: str) -> HttpResponse:
    """Return the Wright map or the information plot of all items as a file."""
    found = _calibration(request, project, pk)
    drawn = PLOTS[plot](found.summary or {}, reader_language()) if plot in PLOTS else None
    if drawn is None:
        raise Hidden(_("Plot not found."))
    return chart_file(drawn, f"{project.slug}-{found.release.version}-{pk}-{plot}")


@project_page(Permission.SEE_RESULTS)
@require_GET
def curve_file(request: MemberRequest, project: Project, pk: int, name: str) -> HttpResponse:
    """Return the characteristic curve of an item as a file."""
    found = _calibration(request, project, pk)
    row = one_item(found, name)
    drawn = None if row is None else curve_plot(row, _same_scale(found, row), reader_language())
    if drawn is None:
        raise Hidden(_("Plot not found."))
    return chart_file(drawn, f"{name}-{pk}-curve", f"{drawn.caption} ({name})")


def _same_scale(found: Any, row: StoredFigures) -> list[StoredFigures]:
    """Return the examinees whose abilities are on the same scale as the item's parameters."""
    people: list[StoredFigures] = (found.summary or {}).get("people", [])
    return [one for one in people if one.get("part") == row.get("part")]


def _texts(record: Mapping[str, Any]) -> list[str]:
    """Return the texts of the choices: the options, or “correct answer” and “another answer”."""
    if kind_of(record["task"]).question.is_one_option:
        return list(record["choices"])
    return [_("correct answer"), _("another answer")]


def _ability_groups(row: StoredFigures, texts: list[str]) -> StoredFigures | None:
    """Return how often each option was chosen, by ability group; None if this is not stored.

    `none` counts the answers that chose no option; [] if there are no such answers.
    """
    stored = row.get("thirds")
    if not stored:
        return None
    options = [
        {
            "letter": letter(index),
            "text": text,
            "is_key": index == row["key"],
            "cells": [_count_and_share(third["chosen"][index], third["shares"][index]) for third in stored],
        }
        for index, text in enumerate(texts)
    ]
    unnamed = [third["answered"] - sum(third["chosen"]) for third in stored]
    none = [
        _count_and_share(n, n / third["answered"] if third["answered"] else None)
        for n, third in zip(unnamed, stored, strict=True)
    ]
    return {
        "answered": [third["answered"] for third in stored],
        "options": options,
        "none": none if any(unnamed) else [],
    }


def _count_and_share(n: int, share: float | None) -> tuple[int, float | None]:
    return n, None if share is None else 100 * share


def _calibration(request: MemberRequest, project: Project, pk: int) -> Any:
    return get_calibration(user=request.user, project=project, pk=pk)


def _base(found: Calibration) -> StoredFigures:
    project = found.release.project
    return {
        "project": project,
        "section": "evaluation",
        "calibration": found,
        "lang": LANGUAGES[project.language],
    }


def _rows(found: Calibration, name: str, request: MemberRequest, which: str = "") -> StoredFigures:
    """Return one page of rows, each with its released item."""
    number = whole_number(request.GET.get("page", "1")) or 1
    page = counted_sheet(found, which, number) if which else sheet(found, name, number)
    items = released(found, [row["id"] for row in page.rows])
    record_released_key_exposures(actor=request.user, released=[item.pk for item in items.values()])
    rows = [
        row
        | {
            "item": items.get(row["id"]),
            "why": reasons_of(row),
            "key_letter": letter(row["key"]),
            "best": _best_distractor(row),
        }
        for row in page.rows
    ]
    return {"rows": rows, "number": page.number, "pages": page.pages}


def _best_distractor(row: StoredFigures) -> str:
    """Return the letter and count of the most frequently chosen distractor, or "" if none was chosen."""
    counted = [(n, -place) for place, n in enumerate(row["chosen"]) if place != row["key"]]
    most, place = max(counted, default=(0, 0))
    return f"{letter(-place)} {most}" if most else ""


def _figures(found: Calibration, summary: StoredFigures) -> list[dict[str, str]]:
    """Return the statistics of the whole set, each with a name, value, note and link."""
    address = reverse("evaluation:calibrated_items", args=[found.release.project.slug, found.pk])
    reliability, negative = summary["reliability"], summary.get("negative")
    if reliability["value"] is None:
        interval = "–"
    else:
        interval = _("%(value).2f (%(low).2f to %(high).2f)") % reliability
    complete = reliability["examinees"]
    of_whom = ngettext(
        "%(n)d examinee answered every item", "%(n)d examinees answered every item", complete
    ) % {"n": complete}  # fmt: skip
    named = [
        (_("Examinees"), str(summary["examinees"]), "", "?view=examinees"),
        (_("Items"), str(summary["items"]), "", address),
        (_("Reliability (KR-20)"), interval, of_whom, address),
        (
            _("Correct for everyone or no one"),
            f"{summary['everybody']}, {summary['nobody']}",
            _("their discrimination is undefined"),
            f"{address}?which=same",
        ),
    ]
    if negative:
        share = percent(negative["share"])
        by_chance = _("of %(items)d items; expected by chance: %(mean)s (%(low)s to %(high)s)") % {
            "items": summary["items"] - summary["left_out"],
            "mean": percent(negative["by_chance"]),
            "low": percent(negative["low"]),
            "high": percent(negative["high"]),
        }
        named.append((_("Negative discrimination"), share, by_chance, f"{address}?which=negative"))
    if dependence := summary.get("dependence"):
        value = f"{dependence['q3']:.3f}"
        about = _("%(pairs)d pairs within stories; all pairs %(all).3f, p = %(p).3f") % {
            "pairs": dependence["pairs"], "all": dependence["expected"], "p": dependence["p_value"],
        }  # fmt: skip
        named.append((_("Dependence within stories (Q3)"), value, about, address))
    if summary.get("fit") is not None:
        named += fit_figures(summary["fit"], address)
    if of_stories := summary.get("by_story"):
        effect = f"{of_stories['design_effect']:.2f}"
        named.append((_("Design effect of stories"), effect, story_note(of_stories), "?view=examinees"))
    return [dict(zip(("name", "value", "note", "url"), one, strict=True)) for one in named]


def story_note(of_stories: Mapping[str, Any]) -> str:
    """Return a sentence with the number of stories and the correlation of items within a story."""
    return ngettext(
        "%(n)d story; correlation within stories %(correlation).2f",
        "%(n)d stories; correlation within stories %(correlation).2f",
        of_stories["stories"],
    ) % {"n": of_stories["stories"], "correlation": of_stories["correlation"]}
