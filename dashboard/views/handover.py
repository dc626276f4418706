"""Page of handovers: preview, handing over, and undoing."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from annotation.queries.assignment import (
    assigned_drafts,
    assigned_items,
    hand_overs,
    people_with_work,
    unfinished,
)
from annotation.services import hand_back
from core.errors import Conflict, Hidden, Unusable
from core.numbers import whole_number
from dashboard import services
from dashboard.forms import HandOverForm
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from projects.queries import members
from review.queries import requests_held
from web.requests import MemberRequest, signed_in

MOST_SHOWN = 100


def _departing_members(project: Project) -> QuerySet[User]:
    """Return all members, and former members who still have work."""
    with_work = people_with_work(project).values("pk")
    return (User.objects.filter(pk__in=with_work) | members(project)).distinct().order_by("name", "pk")


def _departing_member(request: HttpRequest, project: Project) -> User | None:
    named = request.GET.get("from", "")
    if not named:
        return None
    departing = _departing_members(project).filter(pk=whole_number(named) or 0).first()
    if departing is None:
        raise Hidden(_("Person not found."))
    return departing


@project_page(Permission.SEE_WRITING, change=Permission.CHANGE_WRITING)
@require_http_methods(["GET", "POST"])
def hand_over(request: MemberRequest, project: Project) -> HttpResponse:
    """Preview the work of the departing member (`?from=`); hand it over on POST."""
    departing = _departing_member(request, project)
    receivers = members(project, Permission.WRITE)
    form = HandOverForm(
        request.POST if request.method == "POST" else None,
        receivers=receivers.exclude(pk=departing.pk) if departing else receivers,
    )
    if departing and form.is_valid() and _handed_over(request, project, departing, form):
        return redirect("dashboard:handover", project.slug)
    context: dict[str, object] = {
        "project": project,
        "section": "assignments",
        "form": form,
        "departing": departing,
        "departing_members": _departing_members(project)[:1000],
        "moves": _what_lies_with(project, departing) if departing else None,
        "made": hand_overs(project)[:20],
    }
    return render(request, "dashboard/handover.html", context, status=400 if form.errors else 200)


def _what_lies_with(project: Project, departing: User) -> dict[str, object]:
    stories, items = unfinished(project, departing), assigned_items(project, departing)
    drafts, places = assigned_drafts(project, departing), requests_held(project, departing)
    counts = {
        "stories": stories.count(),
        "items": items.count(),
        "drafts": drafts.count(),
        "places": places.count(),
    }
    visible = {"held": stories[:MOST_SHOWN], "returned": items[:MOST_SHOWN], "begun": drafts[:MOST_SHOWN]}
    return {**counts, **visible, "anything": any(counts.values())}


def _handed_over(request: HttpRequest, project: Project, departing: User, form: HandOverForm) -> bool:
    """Hand over the work and return whether this succeeded; an error is added to the form."""
    try:
        services.hand_over(
            actor=signed_in(request),
            project=project,
            departing=departing,
            receiver=form.cleaned_data["receiver"],
        )
    except (Conflict, Unusable) as refused:
        form.add_error(None, str(refused))
        return False
    messages.success(request, _("Handed over. You can undo it below."))
    return True


@project_page(Permission.CHANGE_WRITING)
@require_POST
def undo(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Undo a handover, except for work that has been continued since."""
    made = hand_overs(project).filter(pk=pk).first()
    if made is None:
        raise Hidden(_("Handover not found."))
    moved = hand_back(actor=request.user, hand_over=made)
    words = ngettext(
        "%(n)d entry returned to %(name)s; work done since stays.",
        "%(n)d entries returned to %(name)s; work done since stays.",
        sum(moved),
    )
    messages.success(request, words % {"n": sum(moved), "name": made.leaver})
    return redirect("dashboard:handover", project.slug)
