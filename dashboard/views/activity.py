"""Pages and files of the audit trail: of the site for administrators, of a project for its managers."""

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import AuditEvent
from accounts.permissions import may_administer
from accounts.services import record_event
from core.errors import Hidden, require
from core.numbers import whole_number
from dashboard.forms import ActivityFilter
from dashboard.queries.activity import (
    PAGE,
    activities,
    all_activities,
    events_of,
    events_of_site,
    filtered,
)
from parable.formats.table_writer import Sheet
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.downloads import CSV, XLSX, table_stream
from web.requests import MemberRequest, signed_in

KINDS = (CSV, XLSX)


@login_required
@require_GET
def of_site(request: HttpRequest) -> HttpResponse:
    """Show the events of the whole site to administrators, newest first."""
    require(may_administer(signed_in(request)))
    return _page(request, events_of_site(), None)


@project_page(Permission.MANAGE)
@require_GET
def of_project(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the events about the project to its managers, newest first."""
    return _page(request, events_of(project), project)


def _page(request: HttpRequest, events: QuerySet[AuditEvent], project: Project | None) -> HttpResponse:
    form = ActivityFilter(request.GET)
    found = filtered(events, **form.chosen())
    if before := whole_number(request.GET.get("before", "")):
        found = found.filter(pk__lt=before)
    rows = list(found[: PAGE + 1])
    context = {
        "project": project,
        "form": form,
        "rows": activities(rows[:PAGE], project),
        "older": rows[PAGE - 1].pk if len(rows) > PAGE else None,
        "is_first": not before,
        "kinds": KINDS,
    }
    return render(request, "dashboard/activity.html", context)


@login_required
@require_POST
def export_of_site(request: HttpRequest, kind: str) -> StreamingHttpResponse:
    """Return the events of the whole site as a file, with the filters of the page. For administrators."""
    actor = signed_in(request)
    require(may_administer(actor))
    response = _file(request, events_of_site(), kind, "activity")
    record_event(actor=actor, verb="export_activity", subject=actor)
    return response


@project_page(Permission.MANAGE)
@require_POST
def export_of_project(request: MemberRequest, project: Project, kind: str) -> StreamingHttpResponse:
    """Return the events about the project as a file, with the filters of the page."""
    response = _file(request, events_of(project), kind, f"{project.slug}-activity")
    record_event(actor=request.user, verb="export_activity", subject=project)
    return response


def _file(request: HttpRequest, events: QuerySet[AuditEvent], kind: str, name: str) -> StreamingHttpResponse:
    if kind not in KINDS:
        raise Hidden(_("Table not found."))
    found = filtered(events, **ActivityFilter(request.GET).chosen())
    heading = ("at", "actor", "action", "object", "detail")
    rows = (
        (f"{one.at:%Y-%m-%dT%H:%M:%SZ}", one.actor, one.action, one.subject, one.detail)
        for one in all_activities(found)
    )
    return table_stream(Sheet(_("Activity"), heading, rows), kind, name)
