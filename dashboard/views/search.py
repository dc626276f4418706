"""Search over pages, stories, items and people: the list in the palette, or a page if there is no script."""

from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.queries.search import search as find
from projects.queries import get_project
from web.requests import MemberRequest

LONGEST: Final = 100


@login_required
@require_GET
def search(request: MemberRequest) -> HttpResponse:
    """Show the results for `q` in the current project (`project`), and in the user's other projects."""
    q, slug = request.GET.get("q", "")[:LONGEST].replace("\0", ""), request.GET.get("project", "")
    project = get_project(user=request.user, slug=slug) if slug else None
    context = {"project": project, "q": q.strip(), "found": find(request.user, project, q)}
    return render(request, "dashboard/_found.html" if request.htmx else "dashboard/search.html", context)
