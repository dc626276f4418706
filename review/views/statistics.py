"""Agreement, human accuracy and each reviewer's work: counted by a worker, shown here."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_GET, require_POST

from core.errors import require
from jobs.hooks import dispatch
from jobs.queries import work_of
from projects.queries import get_project
from review import services
from review.models import Stage
from review.permissions import may_see_statistics
from review.queries.practice import calibration
from review.queries.statistics import STATISTICS, reviews_since, statistics_of
from review.views.shown_statistics import exported, shown
from web.downloads import table_download
from web.requests import signed_in


@login_required
@require_GET
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """The figures counted last, with how old they are."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(may_see_statistics(user, project))
    found = statistics_of(project)
    context = {
        "project": project,
        "statistics": found,
        "work": work_of(STATISTICS, project.pk),
        "since": reviews_since(found) if found and found.counted_at else 0,
        "shown": shown(project, found.figures, get_language() or "en", calibration(project))
        if found and found.counted_at
        else None,
        "stage": Stage.CROSS_CHECK,
    }
    return render(request, "review/statistics.html", context)


@login_required
@require_POST
def count(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the figures counted afresh."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    services.order_statistics(actor=user, project=project)
    dispatch(STATISTICS, project.pk)
    return redirect("review:statistics", slug)


@login_required
@require_GET
def export(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """The tables of this page as a file."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(may_see_statistics(user, project))
    found = statistics_of(project)
    figures = found.figures if found and found.counted_at else None
    sheets = exported(project, figures, get_language() or "en", calibration(project))
    return table_download(sheets, kind, f"{project.slug}-reviews")
