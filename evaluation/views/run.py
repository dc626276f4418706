"""Pages that start runs, and pages of a run and its responses."""

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.errors import Unusable
from evaluation import services
from evaluation.forms import RunForm
from evaluation.models import ExamineeKind, PartialInput, Portion, ReadingKind, Response, Run
from evaluation.page import reader_language, responses_file
from evaluation.queries.partial_input import named_items, partial_runs_of, whole_run
from evaluation.queries.response import responses
from evaluation.queries.run import (
    COMPARE_PARTIAL,
    MEASURE,
    Tally,
    estimates,
    get_run,
    measurable_releases,
    other_models,
    tally,
)
from jobs.hooks import dispatch
from jobs.models import JobState
from jobs.queries import is_over, job_of
from parable.commands.results.numbers import decimal
from parable.commands.results.words import word
from parable.formats.options import letter
from parable.kinds import kind_of
from parable.llm.conditions import CONDITIONS, condition_of, find_condition
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release.assembly.records import right_places
from release.services import record_released_key_exposures
from web import numbers
from web.forms import put_errors
from web.long_list import CappedPaginator
from web.requests import MemberRequest

PARTIAL_INPUTS: Final = 6
PARTIAL_ITEMS: Final = 12
"""The maximum number of partial-input runs (`PARTIAL_INPUTS`) and of their items (`PARTIAL_ITEMS`) listed."""
ANSWERS: Final = 10
"""The number of responses on one page; each takes much room."""
DESIGNS: Final = {
    "now": gettext_lazy("This run"),
    "more_repeats": gettext_lazy("Twice the repeats"),
    "more_items": gettext_lazy("Twice the items per story"),
    "more_stories": gettext_lazy("Twice the stories"),
}
LANGUAGES: Final = {"zh": "zh-Hans", "en": "en"}
TONES: Final = {JobState.DONE: "good", JobState.FAILED: "wrong", JobState.PAUSED: "careful"}


def _row(run: Run, seen: Tally) -> dict[str, object]:
    return {
        "run": run,
        "tally": seen,
        "came": seen.asked - seen.waiting - seen.readings[ReadingKind.FAILED],
        "state": run.job.get_state_display() if run.job else "",
        "tone": TONES.get(JobState(run.job.state), "") if run.job else "",
        "percent": 100 * seen.accuracy if seen.accuracy is not None else None,
        "drafted": run.settings.get("drafted", 0),
        "saw": run.settings.get("saw", 0),
    }


@project_page(Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def start(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the form of a run. GET with its fields estimates cost and precision; POST starts the runs."""
    sent = request.POST if request.method == "POST" else request.GET
    is_filled = request.method == "POST" or "release" in sent
    form = RunForm(project, sent if is_filled else None, initial=_initial(project, sent.get("preset", "")))
    if request.method == "POST" and form.is_valid():
        try:
            ordered = _start(request, form)
        except Unusable as error:
            put_errors(form, error)
        else:
            if len(ordered) == 1:
                return redirect("evaluation:run", project.slug, ordered[0].pk)
            return redirect("dashboard:runs", project.slug)
    context = {
        "project": project,
        "section": "evaluation",
        "form": form,
        "estimates": (
            estimates(form.asking, form.cleaned_data["endpoints"]) if is_filled and form.is_valid() else []
        ),
        "plan": _plan(form),
        "has_release": measurable_releases(project).exists(),
        "presets": CONDITIONS,
        "preset": sent.get("preset", ""),
    }
    if request.headers.get("HX-Request"):
        return render(request, "evaluation/_estimates.html", context)
    return render(request, "evaluation/start.html", context, status=400 if request.method == "POST" else 200)


def _initial(project: Project, preset: str) -> dict[str, object]:
    """Return the form's initial values: the newest release, and the settings of a published evaluation."""
    first: dict[str, object] = {"release": measurable_releases(project).first()}
    condition = find_condition(preset)
    if condition is None:
        return first
    asked = {"prompt": condition.prompt, "repeats": condition.repeats, "order": condition.order}
    return first | asked | {"split": Portion.TEST}


@transaction.atomic
def _start(request: MemberRequest, form: RunForm) -> list[Run]:
    ordered = services.start_runs(
        actor=request.user,
        asking=form.asking,
        endpoints=list(form.cleaned_data["endpoints"]),
        budget=form.budget_of_each,
    )
    for run in ordered:
        # Where the broker cannot be reached, the sweep dispatches it later.
        dispatch(MEASURE, run.pk)
    return ordered


def _plan(form: RunForm) -> dict[str, object] | None:
    """Return the expected precision of the planned run as context, or None if the form is invalid."""
    if form.planned is None:
        return None
    asking, endpoints, difference = form.planned
    # NumPy and SciPy take a second to load, and no other page needs them.
    from evaluation.queries.plan import plan_of  # noqa: PLC0415 - see above

    basis, tasks = plan_of(asking, endpoints, difference)
    return {
        "basis": basis,
        "tasks": [
            {
                "label": word(one.task, reader_language()),
                "models": one.models,
                "is_once": "more_repeats" not in one.designs,
                "stories": one.stories,
                "items": one.items,
                "rows": [
                    {
                        "label": DESIGNS[code],
                        "design": found.design,
                        "calls": found.calls,
                        "half_width": _points(found.half_width),
                        "least": _points(found.least),
                    }
                    for code, found in one.designs.items()
                ],
                "pairs": [
                    {
                        "first": pair.first,
                        "second": pair.second,
                        "points": _points(pair.difference),
                        "stories": pair.stories,
                        "items": pair.items,
                        "is_enough": pair.is_enough,
                    }
                    for pair in one.pairs
                ],
            }
            for one in tasks
        ],
        "difference": 100 * difference,
    }


def _points(share: float | None) -> str:
    return "" if share is None else decimal(100 * share, digits=1)


@project_page(Permission.SEE_RESULTS)
@require_GET
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a run: settings, progress, and the number of responses by outcome."""
    run = get_run(user=request.user, project=project, pk=pk)
    if run.examinee.kind == ExamineeKind.PANEL:
        return redirect("evaluation:panel", project.slug, pk)
    seen = tally(run)
    context = {
        "project": project,
        "section": "evaluation",
        "run": run,
        "row": _row(run, seen),
        "tally": seen,
        "kinds": kinds_of(seen),
        "answered_by": other_models(run),
        "runs": run.job is not None and not is_over(run.job),
        "condition": condition_of(prompt=run.prompt, repeats=run.repeats, order=run.order),
        "probe": _partial_input(run),
        "probes": [] if run.probe != PartialInput.WHOLE else list(partial_runs_of(run)[:PARTIAL_INPUTS]),
        "lang": LANGUAGES.get(project.language, "en"),
    }
    return render(request, "evaluation/run.html", context)


@project_page(Permission.CHANGE_RESULTS)
@require_POST
def compare_partial_run(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Order the comparison of a partial-input run with the run on whole items."""
    run = get_run(user=request.user, project=project, pk=pk)
    services.order_partial_comparison(actor=request.user, run=run)
    dispatch(COMPARE_PARTIAL, run.pk)
    return redirect("evaluation:run", project.slug, pk)


def _partial_input(run: Run) -> dict[str, object] | None:
    """Return the figures of a partial-input run for its page, or None for a run on whole items."""
    if run.probe == PartialInput.WHOLE:
        return None
    work = job_of(COMPARE_PARTIAL, run.pk)
    run.refresh_from_db(fields=["probe_figures"])  # see `job_of`
    found = run.probe_figures
    view: dict[str, object] = {"work": work, "whole": whole_run(run), "figures": found}
    if not found.get("items"):
        return view
    shares = {"whole_share": "whole", "probe_share": "probe", "difference": "difference", "kept": "kept"}
    in_words = {name: _interval(found[of]) for name, of in shares.items()}
    named = named_items(run, found["named"][:PARTIAL_ITEMS])
    return (
        view
        | in_words
        | {
            "chance": numbers.percent(found["chance"]),
            "expected": decimal(found["expected"], digits=1),
            "named": [{"one": one, "chance": numbers.percent(one.row["chance"])} for one in named],
        }
    )


def _interval(found: Mapping[str, Any]) -> str:
    """Return an estimated share in per cent, with its confidence interval if known."""
    if found["value"] is None:
        return "–"
    words = numbers.percent(found["value"])
    if found["low"] is None or found["high"] is None:
        return words
    ends = {name: numbers.percent(found[name]) for name in ("low", "high")}
    return _("%(figure)s (%(low)s to %(high)s)") % {"figure": words, **ends}


def kinds_of(seen: Tally) -> list[dict[str, object]]:
    """Return the number of responses for each outcome, as rows of a table."""
    return [
        {
            "code": kind.value,
            "label": kind.label,
            "n": seen.readings[kind],
            "percent": 100 * seen.readings[kind] / seen.asked if seen.asked else 0,
            "is_kept": kind != ReadingKind.FAILED,
        }
        for kind in ReadingKind
    ]


@project_page(Permission.SEE_RESULTS)
@require_GET
def show_responses(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the raw answers of a run, how they were parsed, and the keys."""
    run = get_run(user=request.user, project=project, pk=pk)
    wanted = {
        "reading": request.GET.get("reading", "")[:20],
        "right": request.GET.get("right", "")[:3],
        "search": request.GET.get("q", "").replace("\x00", "").strip()[:120],
    }
    page = CappedPaginator(responses(run, **wanted), ANSWERS).get_page(request.GET.get("page"))
    record_released_key_exposures(actor=request.user, released=[one.item_id for one in page])
    context = {
        "project": project,
        "section": "evaluation",
        "run": run,
        "page_obj": page,
        "wanted": wanted,
        "kinds": [kind for kind in ReadingKind if kind != ReadingKind.FAILED],
        "rows": [_shown(one) for one in page],
        "lang": LANGUAGES.get(project.language, "en"),
        "is_panel": run.examinee.kind == ExamineeKind.PANEL,
    }
    return render(request, "evaluation/responses.html", context)


def _shown(one: Response) -> dict[str, object]:
    record = one.item.record
    question = kind_of(record["task"]).question
    return {
        "own": question.answer_lines(one.given) if not record["choices"] else (),
        "right": question.answer_lines(question.right(record)) if not record["choices"] else (),
        "is_own": not record["choices"],
        "response": one,
        "question": record["question"],
        "options": [
            {
                "cap": letter(index),
                "text": record["choices"][released],
                "marks": marks(record, one, released),
            }
            for index, released in enumerate(one.order)
        ],
        "is_loose": (one.choice, one.given) != (one.strict_choice, one.strict_given)
        and one.reading == ReadingKind.CHOSEN,
    }


@project_page(Permission.SEE_RESULTS)
@require_GET
def download(request: MemberRequest, project: Project, pk: int) -> StreamingHttpResponse:
    """Return the responses of a run as JSON lines."""
    run = get_run(user=request.user, project=project, pk=pk)
    return responses_file(run)


def marks(record: Mapping[str, Any], one: Response, released: int) -> list[dict[str, str]]:
    """Return the labels of one option: key and selected, or its correct and given position."""
    right, given = right_places(record), one.given if one.choice is None else [one.choice]
    given = given if isinstance(given, list) else []
    found = []
    if kind_of(record["task"]).has_right_order:
        if released in right:
            label = _("correct place: %(place)d") % {"place": right.index(released) + 1}
            found.append({"label": label, "tone": "good", "icon": ""})
        if released in given:
            label = _("given place: %(place)d") % {"place": given.index(released) + 1}
            found.append({"label": label, "tone": "", "icon": ""})
        return found
    if released in right:
        found.append({"label": _("key"), "tone": "good", "icon": ""})
    if released in given:
        found.append({"label": _("selected"), "tone": "", "icon": ""})
    return found
