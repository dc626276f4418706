"""The first pages: one's projects, what waits in one of them, and the life of an item."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_GET

from accounts.models import User
from annotation.models import State
from annotation.queries.comment import comments_on
from annotation.queries.contest import contestable
from annotation.queries.item import get_item, returned_to, states, story_was_reworded
from annotation.services import record_keys_shown
from dashboard.queries.inbox import cards, life_of, running_jobs, week_of
from projects.models import Project, Role
from projects.permissions import may_create_project, roles_of
from projects.queries import get_project, projects_of
from release.queries.report import reports_on
from review.queries.practice import settled
from web.requests import signed_in


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """One's projects; who has just one goes straight to it."""
    user = signed_in(request)
    projects = list(projects_of(user)[:200])
    if len(projects) == 1 and "all" not in request.GET and not may_create_project(user):
        return redirect("dashboard:project", projects[0].slug)
    rows = [(project, _roles(user, project)) for project in projects]
    context = {"rows": rows, "may_create": bool(may_create_project(user))}
    return render(request, "dashboard/home.html", context)


def _roles(user: User, project: Project) -> list[str]:
    return [str(Role(role).label) for role in sorted(roles_of(user, project))]


@login_required
@require_GET
def project_home(request: HttpRequest, slug: str) -> HttpResponse:
    """What waits for this person in a project, what came back, and what they did this week."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    shown = cards(user, project)
    roles = roles_of(user, project)
    context = {
        "project": project,
        "cards": shown,
        "first": next((card for card in shown if card.waits), None),
        "writes": Role.WRITER in roles,
        "returned": returned_to(user, project)[:10] if Role.WRITER in roles else [],
        "week": week_of(user, project),
        "jobs": running_jobs(project) if roles & {Role.WRITER, Role.MANAGER} else [],
        "funnel": _funnel(project) if Role.MANAGER in roles else [],
    }
    return render(request, "dashboard/project.html", context)


def _funnel(project: Project) -> list[dict[str, object]]:
    """How many items stand in each state, each with the way to them."""
    counted, page = states(project), reverse("annotation:items", args=[project.slug])
    return [
        {"label": label, "count": counted[state], "url": f"{page}?state={state}"}
        for state, label in State.choices
        if state in counted
    ]


@login_required
@require_GET
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """An item's whole life, for those who may see its key."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    found = get_item(user=user, project=project, pk=pk)
    record_keys_shown(actor=user, items=[found.pk])
    language = get_language() or "en"
    manages = Role.MANAGER in roles_of(user, project)
    context = {
        "project": project,
        "item": found,
        "events": life_of(found),
        "reworded": story_was_reworded(found),
        "types": [kind.name_in(language) for kind in found.current.types.all()] if found.current else [],
        "options": found.current.options.all() if found.current else [],
        "draft": found.drafts.first() if found.current is None else None,
        "comments": comments_on(found),
        "contest": contestable(user, found),
        "manages": manages,
        "reports": reports_on(found),
        "settled": manages and settled(found) is not None,
    }
    return render(request, "dashboard/item.html", context)
