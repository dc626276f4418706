"""Cards of first steps on a project's page: display, hide, and restore."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from accounts.models import User
from dashboard.queries.begin import begin_cards
from dashboard.queries.sample import filling
from projects.models import Project
from projects.permissions import roles_of
from projects.queries import get_project
from projects.services import put_begin_away
from web.requests import signed_in


def beginning(request: HttpRequest, user: User, project: Project) -> dict[str, object]:
    """Return the context of `dashboard/_begin.html`."""
    hidden = request.GET.get("hidden", "")
    return {
        "begin": begin_cards(user, project),
        "hidden_role": hidden if hidden in roles_of(user, project) else "",
        "filling": filling(project),
        "is_polled": "HX-Request" in request.headers,
    }


@login_required
@require_POST
def hide(request: HttpRequest, slug: str, role: str) -> HttpResponse:
    """Hide the first steps of one of the user's roles, or restore them if `again` is posted."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    away = "again" not in request.POST
    put_begin_away(actor=user, project=project, role=role, away=away)
    page = reverse("dashboard:project", args=[slug])
    return redirect(f"{page}?{urlencode({'hidden': role})}" if away else page)
