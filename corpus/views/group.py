"""Stories that are nearly the same: what a search found, and ordering one."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from corpus.models import SimilarPair
from corpus.queries import SEARCH, last_search, similar_stories
from corpus.services import order_search
from jobs.hooks import dispatch
from parable.reading.differences import word_diff
from projects.models import Project
from projects.page import managed_project
from web.requests import MemberRequest

PAIRS = 20


@login_required
@require_http_methods(["GET", "POST"])
def similar(request: MemberRequest, slug: str) -> HttpResponse:
    """The pairs that the newest search found, with what differs; POST orders another search."""
    project = managed_project(request, slug)
    if request.method == "POST":
        order_search(actor=request.user, project=project)
        dispatch(SEARCH, project.pk)
        messages.info(request, _("Comparing stories; similar pairs will appear here."))
        return redirect("corpus:similar", slug)
    return _page(request, project)


def _page(request: MemberRequest, project: Project) -> HttpResponse:
    page = Paginator(similar_stories(project), PAIRS).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "stories",
        "search": last_search(project),
        "page_obj": page,
        "pairs": [_shown(pair) for pair in page],
    }
    return render(request, "corpus/similar.html", context)


def _shown(pair: SimilarPair) -> dict[str, object]:
    first, second = pair.first.current, pair.second.current
    parts = word_diff(first.text, second.text) if first and second else []
    return {"pair": pair, "percent": round(pair.similarity * 100), "parts": parts}
