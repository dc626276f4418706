"""Pages of agreement, accuracy and reviewers' work, from statistics that a worker has computed."""

from typing import Final

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.kinds import task_name
from annotation.models import Style
from jobs.hooks import dispatch
from jobs.queries import job_of
from projects.models import CommonsenseType, Project
from projects.page import project_page
from projects.permissions import Permission
from review import services
from review.forms import FigureFilter
from review.models import Stage
from review.queries.item import (
    Behind,
    Figure,
    items_behind,
    items_to_solve,
    reviewers_named,
    reviews_of,
    without_those_to_solve,
)
from review.queries.practice import calibration
from review.queries.statistics import STATISTICS, reviews_since, statistics_of
from review.views.statistics_presentation import exported, rater_views, statistics_tables
from web.downloads import table_download
from web.long_list import CappedPaginator
from web.requests import MemberRequest

ITEMS: Final = 30


@project_page(Permission.SEE_REVIEWS)
@require_GET
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the statistics of the last count, with their age."""
    work, found = job_of(STATISTICS, project.pk), statistics_of(project)
    context = {
        "project": project,
        "statistics": found,
        "work": work,
        "since": reviews_since(found) if found and found.counted_at else 0,
        "shown": statistics_tables(project, found.figures, get_language() or "en", calibration(project))
        if found and found.counted_at
        else None,
        "stage": Stage.CROSS_CHECK,
    }
    return render(request, "review/statistics.html", context)


@project_page(Permission.SEE_REVIEWS)
@require_GET
def show_raters(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the severity and fit of reviewers, adjusted ratings, and keys inferred from blind answers."""
    found = statistics_of(project)
    figures = found.figures if found and found.counted_at else None
    shown_now = rater_views(project, figures) if figures else None
    context = {"project": project, "statistics": found, "shown": shown_now}
    return render(request, "review/raters.html", context)


@project_page(Permission.SEE_REVIEWS)
@require_GET
def show_items(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the items that a statistic counts, with their reviews.

    Items the user may still solve are left out.
    """
    behind = FigureFilter(request.GET).behind()
    found = without_those_to_solve(request.user, project, items_behind(project, behind))
    page = CappedPaginator(found, ITEMS).get_page(request.GET.get("page"))
    reviews = reviews_of(list(page))
    context = {
        "project": project,
        "page_obj": page,
        "rows": [(item, reviews.get(item.pk, [])) for item in page],
        "kept_back": items_to_solve(request.user, project).exists(),
        "said": _said(project, behind, get_language() or "en"),
    }
    return render(request, "review/counted_items.html", context)


def _said(project: Project, behind: Behind, language: str) -> list[str]:
    """Return the labels of the statistic and of the active filters."""
    names = {user.pk: str(user) for user in reviewers_named(project, (behind.reviewer, behind.second))}
    kind = CommonsenseType.objects.filter(project=project, pk=behind.kind).first() if behind.kind else None
    return [
        str(Figure(behind.figure).label),
        *([task_name(behind.task)] if behind.task else []),
        *([str(Style(behind.style).label)] if behind.style else []),
        *([kind.name_in(language)] if kind else []),
        *([_("rating %(rating)d") % {"rating": behind.rating}] if behind.rating is not None else []),
        *(names[pk] for pk in (behind.reviewer, behind.second) if pk in names),
    ]


@project_page(Permission.CHANGE_REVIEWS)
@require_POST
def count(request: MemberRequest, project: Project) -> HttpResponse:
    """Order a new count of the statistics."""
    services.order_statistics(actor=request.user, project=project)
    dispatch(STATISTICS, project.pk)
    return redirect("review:statistics", project.slug)


@project_page(Permission.SEE_REVIEWS)
@require_GET
def export(request: MemberRequest, project: Project, kind: str) -> HttpResponse:
    """Return the tables of the statistics page as a file."""
    found = statistics_of(project)
    figures = found.figures if found and found.counted_at else None
    adjusted = found.adjusted if found and found.counted_at else []
    sheets = exported(project, figures, get_language() or "en", calibration(project), adjusted)
    return table_download(sheets, kind, f"{project.slug}-reviews")
