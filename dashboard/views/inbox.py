"""The first page: the user's inbox over all projects, and the inbox of one project."""

from datetime import datetime
from typing import Final

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.validators import slug_re
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import get_language
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.services import mark_inbox_read, open_inbox
from annotation.services import record_key_exposures
from dashboard.queries.inbox import Mine, day, inbox_of, my_projects
from dashboard.queries.installation import warnings
from dashboard.queries.navigation import sections
from dashboard.queries.news import JOBS_STAY, Bell, new_since, news_of, total
from dashboard.queries.week import week_of
from dashboard.views.begin import beginning
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission, may_create_project, roles_of
from projects.queries import get_project
from web.requests import MemberRequest, signed_in

MOST_TABS: Final = 8


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Show the inbox over all of the user's projects. If there is only one, show its navigation, too."""
    user = signed_in(request)
    projects = my_projects(user)
    return _inbox(request, user, projects, projects[0] if len(projects) == 1 else None)


@login_required
@require_GET
def project_home(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the inbox of one project; lead those who see the whole project to its page Today."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    mine = Mine(project, roles_of(user, project))
    if Permission.SEE_PROJECT in mine.permissions:
        query = request.GET.urlencode()
        return redirect(f"{reverse('dashboard:today', args=[slug])}{'?' if query else ''}{query}")
    return _inbox(request, user, my_projects(user), mine)


@project_page()
@require_GET
def project_inbox(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the inbox of one project."""
    user = request.user
    return _inbox(request, user, my_projects(user), Mine(project, roles_of(user, project)))


def _inbox(request: HttpRequest, user: User, projects: list[Mine], only: Mine | None) -> HttpResponse:
    since = new_since(user)
    visible = [only] if only else projects
    news = news_of(user, since)
    found = inbox_of(user, visible, news, since=since)
    if keys := found.displayed_keys:
        record_key_exposures(actor=user, items=keys)
    # one of several projects does not display the news of the others, and polling is not a visit
    if (only is None or len(projects) == 1) and "HX-Request" not in request.headers:
        open_inbox(actor=user)
    context = {
        "project": only.project if only else None,
        "inbox": found,
        "bell": Bell(total(news)),  # what is seen now is marked as new on this page only
        "projects": projects,
        "tabs": projects[:MOST_TABS],
        "today": day(timezone.localdate()),
        "only": only,
        "week": week_of(user, visible),
        "may_create": bool(may_create_project(user)),
        "may_check": not projects or any(mine.manages for mine in visible),
        "into": only.project.slug if only and only.manages else "",
        "newest": max((each.work.finished_at for each in found.ended if each.work.finished_at), default=None),
        "hides_read": user.inbox_read_at is not None,
        "mail_is_set": bool(settings.MAIL_URL),
        "warnings": warnings() if user.is_superuser else [],
        **(_of_project(request, user, only) if only else {}),
    }
    return render(request, "dashboard/inbox.html", context)


def _of_project(request: HttpRequest, user: User, mine: Mine) -> dict[str, object]:
    """Return the additional context of a project's inbox: navigation, and first steps."""
    pages = sections(mine.permissions, mine.project.slug, "dashboard:inbox", get_language())
    return {"nav_sections": pages, **beginning(request, user, mine.project)}


@login_required
@require_POST
def mark_read(request: HttpRequest) -> HttpResponse:
    """Mark the jobs that ended before the posted time as read, or undo this."""
    user = signed_in(request)
    back = request.POST.get("undo") == "1"
    mark_inbox_read(actor=user, until=None if back else _moment(request.POST.get("until", "")))
    slug = request.POST.get("project", "")
    return redirect("dashboard:inbox", slug) if slug_re.fullmatch(slug) else redirect("dashboard:home")


def _moment(text: str) -> datetime:
    """Return the posted time, or the present time if that is invalid or outside the inbox's period."""
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    now = timezone.now()
    # a year beyond the database's range would lock the user out
    return found if found and found.tzinfo and now - JOBS_STAY <= found <= now else now
