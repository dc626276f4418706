"""The first pages: one's inbox, over all projects or in one, and the life of an item."""

from datetime import datetime
from typing import Final

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.validators import slug_re
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import get_language
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.services import mark_inbox_read, open_inbox
from annotation.places import about_choices
from annotation.queries.comment import comments_on
from annotation.queries.contest import contestable
from annotation.queries.item import get_item, revision_content, story_was_reworded
from annotation.services import record_keys_shown
from dashboard.queries.inbox import JOBS_STAY, Mine, day, inbox_of, life_of, my_projects, week_of
from dashboard.queries.news import new_since
from dashboard.views.begin import beginning
from projects.permissions import Permission, may_create_project, permissions_of, roles_of
from projects.queries import get_project
from release.queries.report import reports_on
from review.queries.practice import settled
from web.requests import signed_in

MOST_TABS: Final = 8


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The inbox over all projects."""
    user = signed_in(request)
    return _inbox(request, user, my_projects(user), None)


@login_required
@require_GET
def project_home(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for one project."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    return _inbox(request, user, my_projects(user), Mine(project, roles_of(user, project)))


def _inbox(request: HttpRequest, user: User, projects: list[Mine], only: Mine | None) -> HttpResponse:
    since = new_since(user)
    shown = [only] if only else projects
    found = inbox_of(user, shown, since=since)
    if keys := found.keys_shown:
        record_keys_shown(actor=user, items=keys)
    # who sees one project of several has not seen what is new in the others; nor is a poll a visit
    if (only is None or len(projects) == 1) and "HX-Request" not in request.headers:
        open_inbox(actor=user)
    context = {
        "project": only.project if only else None,
        "inbox": found,
        "projects": projects,
        "tabs": projects[:MOST_TABS],
        "today": day(timezone.localdate()),
        "only": only,
        "week": week_of(user, shown),
        "may_create": bool(may_create_project(user)),
        "newest": max((each.work.finished_at for each in found.ended if each.work.finished_at), default=None),
        "hides_read": user.inbox_read_at is not None,
        "mail_is_set": bool(settings.MAIL_URL),
        **(beginning(request, user, only.project) if only else {}),
    }
    return render(request, "dashboard/inbox.html", context)


@login_required
@require_POST
def mark_read(request: HttpRequest) -> HttpResponse:
    """Put away the jobs that had ended by then, or bring back what was put away."""
    user = signed_in(request)
    back = request.POST.get("undo") == "1"
    mark_inbox_read(actor=user, until=None if back else _moment(request.POST.get("until", "")))
    slug = request.POST.get("project", "")
    return redirect("dashboard:project", slug) if slug_re.fullmatch(slug) else redirect("dashboard:home")


def _moment(text: str) -> datetime:
    """The moment in a form; now where it is none, or none that the inbox tells of."""
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    now = timezone.now()
    # a year that the database cannot give back would shut the person out
    return found if found and found.tzinfo and now - JOBS_STAY <= found <= now else now


@login_required
@require_GET
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """An item's whole life, for those who may see its key."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    found = get_item(user=user, project=project, pk=pk)
    record_keys_shown(actor=user, items=[found.pk])
    language = get_language() or "en"
    manages = Permission.MANAGE in permissions_of(user, project)
    context = {
        "project": project,
        "item": found,
        "events": life_of(found),
        "reworded": story_was_reworded(found),
        "types": [kind.name_in(language) for kind in found.current.types.all()] if found.current else [],
        "options": found.current.options.all() if found.current else [],
        "draft": found.drafts.first() if found.current is None else None,
        "comments": comments_on(found),
        "abouts": about_choices(revision_content(found.current)) if found.current else [],
        "contest": contestable(user, found),
        "manages": manages,
        "reports": reports_on(found),
        "settled": manages and settled(found) is not None,
    }
    return render(request, "dashboard/item.html", context)
