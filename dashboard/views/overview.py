"""The manager's view of a project: the funnel, what waits too long, why items fall, who is stuck."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.models import User
from annotation.models import State
from corpus.models import Story
from dashboard.forms import OverviewFilter
from dashboard.queries.overview import (
    REVIEWER,
    SHOWN_STATES,
    STORY,
    TYPE,
    WRITER,
    causes_of_rejection,
    funnel,
    funnel_by,
    oldest_waiting,
    submitted_items,
    waiting_items,
)
from parable.formats.table_writer import Cell, Sheet
from projects.models import CommonsenseType, Project
from projects.page import managed_project
from review.models import Flaw, Priority, Stage
from review.queries import stuck_requests
from web.downloads import table_download

PAGE = 50
MOST_EXPORTED = 100_000


@login_required
@require_GET
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """How far the items have come, narrowed and grouped by what stands in the address."""
    project = managed_project(request, slug)
    narrowing = OverviewFilter(request.GET)
    wanted, group = narrowing.wanted(), narrowing.group()
    items = submitted_items(project, **wanted)
    counted = funnel(items)
    page = Paginator(funnel_by(items, group), PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "filter": narrowing,
        "states": _states(counted),
        "all": counted["all"],
        "verified": counted[State.VERIFIED.value],
        "group": group,
        "page_obj": page,
        "rows": [row | {"url": _narrower(request, group, row["key"])} for row in _rows(page, group, project)],
        "narrowed_to": [
            (name, label, wanted[name], _wider(request, name))
            for name, label in _narrowed_to(project, wanted)
        ],
        "exports": request.GET.urlencode(),
        "waiting": waiting_items(items),
        "first": waiting_items(items, at_least=Priority.FIRST),
        "oldest": [(Stage(one.stage).label, one) for one in oldest_waiting(project)],
        "causes": _causes(items),
        "stuck": stuck_requests(project, limit=20),
        "now": timezone.now(),
    }
    return render(request, "dashboard/overview.html", context)


def _narrower(request: HttpRequest, group: str, key: int) -> str:
    """The address of this page for one row, by types, or by writers where the row is a type."""
    query = request.GET.copy()
    query.pop("page", None)
    query[group], query["by"] = str(key), WRITER if group == TYPE else TYPE
    return f"?{query.urlencode()}"


def _wider(request: HttpRequest, name: str) -> str:
    query = request.GET.copy()
    for gone in (name, "page"):
        query.pop(gone, None)
    return f"?{query.urlencode()}"


def _states(counted: Mapping[str, int]) -> list[tuple[str, str, int]]:
    return [(state.value, str(state.label), counted[state.value]) for state in SHOWN_STATES]


def _rows(page: Iterable[Mapping[str, Any]], group: str, project: Project) -> list[dict[str, Any]]:
    types = _type_names(project) if group == TYPE else {}
    return [
        {
            "key": row["key"],
            "name": types.get(row["key"], row["name"]),
            "all": row["all"],
            "counts": [row[state.value] for state in SHOWN_STATES],
        }
        for row in page
    ]


def _type_names(project: Project) -> dict[int, str]:
    language = get_language() or "en"
    return {kind.pk: kind.name_in(language) for kind in CommonsenseType.objects.filter(project=project)}


def _narrowed_to(project: Project, wanted: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a row that was followed has narrowed the page to: the parameter and its name."""
    found: list[tuple[str, str]] = []
    for name in (WRITER, REVIEWER):
        if wanted.get(name):
            person = User.objects.filter(pk=wanted[name], memberships__project=project).first()
            found.append((name, str(person) if person else _("not a member of this project")))
    if wanted.get(STORY):
        story = Story.objects.filter(pk=wanted[STORY], project=project).select_related("current").first()
        found.append(
            (STORY, story.current.title if story and story.current else _("not a story of this project"))
        )
    if wanted.get(TYPE):
        found.append((TYPE, _type_names(project).get(wanted[TYPE], _("not a type of this project"))))
    return found


def _causes(items: Any) -> list[tuple[str, int]]:
    labels = dict(Flaw.choices)
    return [(str(labels.get(flaw, flaw)), n) for flaw, n in causes_of_rejection(items)]


@login_required
@require_GET
def export(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """The table of this page, all its rows, as a file."""
    project = managed_project(request, slug)
    narrowing = OverviewFilter(request.GET)
    items, group = submitted_items(project, **narrowing.wanted()), narrowing.group()
    rows = _rows(funnel_by(items, group)[:MOST_EXPORTED], group, project)
    cells: list[list[Cell]] = [[row["name"], row["all"], *row["counts"]] for row in rows]
    heading = [_("name"), _("all"), *(str(state.label) for state in SHOWN_STATES)]
    return table_download([Sheet(_("items"), heading, cells)], kind, f"{project.slug}-{group}")
