"""Page of the writing plan: targets by type, the number of stories that meet them, and reserved stories."""

from functools import partial
from typing import Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation.plan import Target
from annotation.queries.plan import targets_of
from annotation.queries.reservation import reservations
from annotation.services import end_reservation, reserve_story, set_type_targets
from core.errors import Hidden, Unusable
from corpus.queries import stories
from dashboard.forms import ReservationForm, TargetsForm
from dashboard.queries.coverage import COVERING, Coverage
from dashboard.queries.overview import TYPE
from dashboard.queries.overview_counts import count_all, forget_counts
from dashboard.queries.pace import outlook
from dashboard.tasks import order_recount
from dashboard.views import figures
from dashboard.views.coverage import stories_url, story_cells
from dashboard.views.item_links import ItemLinks
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from projects.queries import current_types, members
from web.forms import put_errors
from web.requests import MemberRequest, signed_in

RESERVATIONS: Final = 50


@project_page(Permission.SEE_WRITING, change=Permission.CHANGE_WRITING)
@require_http_methods(["GET", "POST"])
def plan(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the writing plan. POST sets the targets, or removes them if `clear` is posted."""
    form = _targets_form(request, project)
    if "clear" in request.POST:
        set_type_targets(actor=request.user, project=project, targets={})
        forget_counts(project, {})
        messages.success(request, _("Targets removed."))
        return redirect("dashboard:plan", project.slug)
    if form.is_valid() and _has_set(request, project, form.targets(), form):
        messages.success(request, _("Targets saved."))
        return redirect("dashboard:plan", project.slug)
    return _page(request, project, form, _reservation_form(request, project))


def _targets_form(request: HttpRequest, project: Project, *, sent: bool = True) -> TargetsForm:
    data = request.POST if sent and request.method == "POST" else None
    return TargetsForm(data, kinds=list(current_types(project)), targets=targets_of(project))


def _has_set(request: HttpRequest, project: Project, targets: dict[str, Target], form: TargetsForm) -> bool:
    try:
        set_type_targets(actor=signed_in(request), project=project, targets=targets)
    except Unusable as refused:
        put_errors(form, refused)
        return False
    forget_counts(project, {})
    return True


def _reservation_form(request: HttpRequest, project: Project, *, sent: bool = False) -> ReservationForm:
    return ReservationForm(
        request.POST if sent else None,
        initial={"story": request.GET.get("story", "")},
        stories=stories(project),
        kinds=list(current_types(project)) if project.has_types else [],
        writers=members(project, Permission.WRITE),
    )


def _page(
    request: HttpRequest, project: Project, form: TargetsForm, reservation_form: ReservationForm
) -> HttpResponse:
    counts, found = count_all(project, renew=partial(order_recount, project, {}, TYPE))
    page = Paginator(reservations(project), RESERVATIONS).get_page(request.GET.get("page"))
    ends = outlook(project, counts.counted, counts.done.pace)
    kinds = [one.type for one in found.types]
    links = ItemLinks(project, {one.pk: one for one in kinds})
    context = {
        "project": project,
        "section": "plan",
        "form": form,
        "rows": _rows(project, form, found),
        "is_set": bool(targets_of(project)),
        "coverage": found,
        "least": [(one, *story_cells(links, one, kinds)) for one in found.least],
        "chart": figures.coverage_chart(found.types),
        "forecast": figures.forecast_words(ends),
        "coverage_forecast": figures.coverage_words(found, counts.done.pace),
        "reservation_form": reservation_form,
        "page": page,
        "reservations": [(one, one.type.name_in(get_language() or "en") if one.type else "") for one in page],
    }
    wrong = form.errors or reservation_form.errors
    return render(request, "dashboard/plan.html", context, status=400 if wrong else 200)


def _rows(project: Project, form: TargetsForm, found: Coverage) -> list[dict[str, object]]:
    language, links = get_language() or "en", ItemLinks(project)
    return [
        {
            "name": one.type.name_in(language),
            "items": form[f"{one.type.code}-items"],
            "share": form[f"{one.type.code}-share"],
            "covered": one,
            "percent": round(100 * one.items / (found.items or 1)),
            "met_url": stories_url(project, one.type, one.target.per_story),
            "items_url": links.to(kind=one.type.code, state=COVERING),
        }
        for one in found.types
    ]


@project_page(Permission.CHANGE_WRITING)
@require_POST
def reserve(request: MemberRequest, project: Project) -> HttpResponse:
    """Reserve a story for a type, a writer, or both."""
    form = _reservation_form(request, project, sent=True)
    if form.is_valid() and _has_reserved(request, project, form):
        messages.success(request, _("Story reserved."))
        return redirect(f"{reverse('dashboard:plan', args=[project.slug])}#reservations")
    return _page(request, project, _targets_form(request, project, sent=False), form)


def _has_reserved(request: HttpRequest, project: Project, form: ReservationForm) -> bool:
    wanted = form.cleaned_data
    kind = current_types(project).filter(code=wanted.get("kind", "")).first()
    actor = signed_in(request)
    try:
        reserve_story(actor=actor, story=wanted["story"], kind=kind, writer=wanted["writer"])
    except Unusable as refused:
        put_errors(form, refused)
        return False
    return True


@project_page(Permission.CHANGE_WRITING)
@require_POST
def end(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Delete a reservation."""
    reservation = reservations(project).filter(pk=pk).first()
    if reservation is None:
        raise Hidden(_("Reservation not found."))
    end_reservation(actor=request.user, reservation=reservation)
    messages.success(request, _("Reservation removed."))
    return redirect(f"{reverse('dashboard:plan', args=[project.slug])}#reservations")
