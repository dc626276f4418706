"""Pages that export a project's tables; they do not need a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_GET, require_POST

from annotation.kinds import items_name
from annotation.models import Item
from annotation.queries.published import published_items, published_tasks
from annotation.resources import ItemResource
from annotation.services import record_table_taken_out
from core.errors import Hidden
from corpus.models import Story
from corpus.resources import StoryResource
from parable.formats.published import is_one_list, published_chunks
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from projects.resources import CommonsenseTypeResource, MembershipResource
from release.resources import ReleaseItemResource, ReleaseResource
from review.resources import RatingResource, ReviewResource
from web.downloads import CSV, JSON, XLSX, table_stream
from web.requests import MemberRequest
from web.tables import ExportResource

KINDS: Final = (CSV, XLSX, JSON)


@dataclass(frozen=True, slots=True)
class Table:
    """A table for export: its name, title and content, and whether it contains keys or morals."""

    name: str
    label: str | Promise
    holds: str | Promise
    resource: type[ExportResource]
    keys: bool = False
    morals: bool = False


TABLES: Final = (
    Table(
        "stories",
        gettext_lazy("Stories"),
        gettext_lazy("Current text, with moral, source and rights."),
        StoryResource,
        morals=True,
    ),
    Table(
        "items",
        gettext_lazy("Items"),
        gettext_lazy("Current text and state, with keys; can be imported again."),
        ItemResource,
        keys=True,
    ),
    Table(
        "reviews",
        gettext_lazy("Reviews"),
        gettext_lazy("One row per review: chosen option, rating, flaws, comment, seconds."),
        ReviewResource,
        keys=True,
    ),
    Table(
        "ratings",
        pgettext_lazy("table", "Ratings"),
        gettext_lazy(
            "One row per rating of a revision, with the chosen option; read by “parable raters” and by"
            " agreement tools. People as numbers."
        ),
        RatingResource,
        keys=True,
    ),
    Table(
        "members",
        gettext_lazy("Members"),
        gettext_lazy("Roles of each member, with dates."),
        MembershipResource,
    ),
    Table(
        "types",
        gettext_lazy("Commonsense types"),
        gettext_lazy("Codes and names, including retired types."),
        CommonsenseTypeResource,
    ),
    Table(
        "releases",
        gettext_lazy("Releases"),
        gettext_lazy("Versions and their states."),
        ReleaseResource,
    ),
    Table(
        "released-items",
        gettext_lazy("Released items"),
        gettext_lazy("Items of every release, with split, letters and keys."),
        ReleaseItemResource,
        keys=True,
    ),
)
"""The tables that managers can export, in the order of the page."""


@project_page(Permission.SEE_PROJECT)
@require_GET
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the list of tables."""
    published = [
        {"task": task, "label": items_name(task), "items": items, "kind": _ending(task).upper()}
        for task, items in published_tasks(project)
    ]
    context = {"project": project, "tables": TABLES, "kinds": KINDS, "published": published}
    return render(request, "dashboard/exports.html", context)


def _ending(task: str) -> str:
    return JSON if is_one_list(task) else "jsonl"


@project_page(Permission.SEE_PROJECT)
@require_POST
def export_published(request: MemberRequest, project: Project, task: str) -> StreamingHttpResponse:
    """Return the items of a task as a file in its published format, answers included."""
    if task not in dict(published_tasks(project)):
        raise Hidden(_("Table not found."))
    record_table_taken_out(
        actor=request.user,
        project=project,
        table=task,
        kind="published",
        keys=Item.objects.filter(project=project, task=task),
    )
    chunks = published_chunks(published_items(project, task), task)
    response = StreamingHttpResponse(chunks, content_type="application/json")
    name = f"{project.slug}-{task}.{_ending(task)}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@project_page(Permission.SEE_PROJECT)
@require_POST
def export(request: MemberRequest, project: Project, name: str, kind: str) -> StreamingHttpResponse:
    """Return one table as a file. Only POST is allowed, since a link could be followed by accident."""
    chosen = next((each for each in TABLES if each.name == name), None)
    if chosen is None or kind not in KINDS:
        raise Hidden(_("Table not found."))
    record_table_taken_out(
        actor=request.user,
        project=project,
        table=name,
        kind=kind,
        keys=Item.objects.filter(project=project) if chosen.keys else None,
        morals=Story.objects.filter(project=project) if chosen.morals else None,
    )
    resource = chosen.resource()
    sheet = resource.sheet(resource.of_project(project), str(chosen.label))
    return table_stream(sheet, kind, f"{project.slug}-{name}")
