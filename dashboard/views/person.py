"""Page of one person in a project, and what a manager can do there: message, pause, set verdicts aside."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from core.errors import Conflict, Unusable
from dashboard.forms import NoteForm, PauseForm, SetAsideForm, SpanForm
from dashboard.queries.people import (
    PersonFigures,
    agreement_of,
    figures_of_people,
    get_person_of,
    latest_items,
)
from dashboard.views.item_links import ItemLinks
from dashboard.views.rater_words import (
    answers_of,
    interval_of,
    person_page,
    remarks_on,
    right_of,
    seconds_of,
    spark_of,
)
from jobs.hooks import dispatch
from jobs.queries import job_of
from projects.models import Project
from projects.page import member_row, project_page
from projects.permissions import Permission, permissions_of
from projects.queries import get_project, members, notes_to, pause_of, with_roles
from projects.services import pause_member, read_note, resume_member, send_note
from release.queries.draft import releases_with
from review import services
from review.models import SetAside
from review.queries.item import items_to_solve
from review.queries.set_aside import (
    SET_ASIDE,
    UNDO_FOR,
    Touched,
    get_set_aside,
    latest_verdicts,
    may_be_undone,
    set_aside_of,
    touched_by,
)
from review.queries.statistics import STATISTICS, statistics_of
from review.set_aside import Effect
from web import numbers
from web.requests import MemberRequest, signed_in

MOST_VERDICTS: Final = 15
MOST_ITEMS: Final = 10
MOST_NOTES: Final = 5
MOST_ORDERS: Final = 5


@project_page(Permission.SEE_PEOPLE)
@require_GET
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a person's work, speed, accuracy, practice, severity, agreement, and their latest work."""
    return _page(request, project, get_person_of(project=project, pk=pk))


def _page(
    request: MemberRequest,
    project: Project,
    person: User,
    *,
    note: NoteForm | None = None,
    pause: PauseForm | None = None,
) -> HttpResponse:
    held, statistics = permissions_of(request.user, project), statistics_of(project)
    (found,) = figures_of_people(project, [person], statistics)
    is_member = members(project).filter(pk=person.pk).exists()
    (member,) = with_roles(project, [person])
    orders = list(set_aside_of(project, person)[:MOST_ORDERS])
    hidden = items_to_solve(request.user, project)
    context: dict[str, object] = {
        "project": project,
        "person": person,
        "is_member": is_member,
        "found": found,
        "remarks": remarks_on(found.record, found.overdue),
        "row": member_row(request.user, member) if is_member and Permission.CHANGE_PEOPLE in held else None,
        "statistics": statistics,
        "figures": _figures(project, found),
        "spark": spark_of(found),
        "interval": interval_of(found.record),
        "agreement": [
            {
                "other": one.other,
                "url": person_page(project, one.other),
                "n": one.n,
                "raw": "" if one.raw is None else numbers.percent(one.raw, 0),
                "kappa": "" if one.kappa is None else f"{one.kappa:.2f}",
            }
            for one in agreement_of(statistics, person)
        ],
        "verdicts": latest_verdicts(project, person, hidden=hidden, most=MOST_VERDICTS)
        if Permission.SEE_REVIEWS in held
        else [],
        "items": latest_items(project, person, MOST_ITEMS),
        "items_url": ItemLinks(project).to(writer=person.pk),
        "answers_url": answers_of(project, person),
        "pause": pause_of(project, person),
        "notes": notes_to(project, person)[:MOST_NOTES],
        "orders": [(one, _order_words(one), may_be_undone(one)) for one in orders],
        "running": job_of(SET_ASIDE, orders[0].pk) if orders and orders[0].is_running else None,
        "note_form": note or NoteForm(),
        "pause_form": pause or PauseForm(),
    }
    refused = bool((note and note.errors) or (pause and pause.errors))
    return render(request, "dashboard/person.html", context, status=400 if refused else 200)


def _figures(project: Project, found: PersonFigures) -> list[dict[str, object]]:
    """Return the figures of the heading: those that the list of people has, with their n."""
    record, practice = found.record, found.practice
    severity = record.severity if record else None
    overdue = str(found.overdue) if found.overdue else ""
    rows = [
        (_("Work in 8 weeks"), str(sum(found.by_week)), ""),
        (_("Median time"), seconds_of(record), ""),
        (_("Blind right"), right_of(record), answers_of(project, found.person)),
        (_("Practice"), f"{practice.right}/{practice.n}" if practice else "", ""),
        (_("Severity"), "" if severity is None else f"{severity:+.2f}", ""),
        (_("Overdue"), overdue, ""),
    ]
    return [{"name": name, "value": value or "–", "url": url if value else ""} for name, value, url in rows]


def _order_words(order: SetAside) -> str:
    """Return what an order has set aside, and whether it was undone, in words."""
    n = order.verdicts
    words = ngettext("%(n)s verdict set aside", "%(n)s verdicts set aside", n) % {"n": n}
    again = sum(1 for _item, _reviews, move, request in order.changed if move or request)
    words += _(", ") + ngettext("%(n)s item reviewed again", "%(n)s items reviewed again", again) % {
        "n": again
    }
    if order.undone_at and not order.is_running:
        words += _(", ") + _("undone")
        if order.left:
            left = ngettext(
                "%(n)s item stays: its new review has begun", "%(n)s items stay: their new review has begun",
                order.left,
            )  # fmt: skip
            words += _(", ") + left % {"n": order.left}
    return words


# --- message and pause ---


@project_page(Permission.CHANGE_PEOPLE)
@require_POST
def send(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Send the member a message, which appears in their inbox."""
    person, form = get_person_of(project=project, pk=pk), NoteForm(request.POST)
    if not form.is_valid():
        return _page(request, project, person, note=form)
    send_note(actor=request.user, project=project, user=person, text=form.cleaned_data["text"])
    messages.success(request, _("Sent. %(name)s sees it in the inbox.") % {"name": person})
    return redirect("dashboard:person", project.slug, pk)


@login_required
@require_POST
def mark_note_read(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a message out of its receiver's inbox."""
    user = signed_in(request)
    read_note(actor=user, project=get_project(user=user, slug=slug), pk=pk)
    return redirect("dashboard:inbox", slug)


@project_page(Permission.CHANGE_PEOPLE)
@require_POST
def pause(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Pause the member: no new stories and requests."""
    person, form = get_person_of(project=project, pk=pk), PauseForm(request.POST)
    if not form.is_valid():
        return _page(request, project, person, pause=form)
    try:
        pause_member(actor=request.user, project=project, user=person, reason=form.cleaned_data["reason"])
    except Conflict as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, _("%(name)s gets no new work until you resume them.") % {"name": person})
    return redirect("dashboard:person", project.slug, pk)


@project_page(Permission.CHANGE_PEOPLE)
@require_POST
def resume(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """End the member's pause."""
    person = get_person_of(project=project, pk=pk)
    resume_member(actor=request.user, project=project, user=person)
    messages.success(request, _("%(name)s gets new work again.") % {"name": person})
    return redirect("dashboard:person", project.slug, pk)


# --- verdicts set aside ---


@project_page(Permission.CHANGE_REVIEWS)
@require_http_methods(["GET", "POST"])
def set_aside(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show what setting the person's verdicts of a span aside touches; POST does it."""
    person = get_person_of(project=project, pk=pk)
    (found,) = figures_of_people(project, [person], statistics_of(project))
    span = SpanForm(request.GET if request.method == "GET" else request.POST)
    since, until = span.ends()
    posted = request.POST if request.method == "POST" else None
    may_pause = Permission.CHANGE_PEOPLE in permissions_of(request.user, project)
    may_pause = may_pause and not found.is_paused and members(project).filter(pk=pk).exists()
    remarks = remarks_on(found.record, 0)
    form = SetAsideForm(posted, reason=remarks, may_pause=may_pause)
    if posted is not None and span.is_valid() and form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            order = services.order_set_aside(
                actor=request.user, project=project, reviewer=person, reason=reason, since=since, until=until
            )
        except (Conflict, Unusable) as refused:
            form.add_error(None, str(refused))
        else:
            if form.cleaned_data.get("pause"):
                pause_member(actor=request.user, project=project, user=person, reason=reason)
            _dispatch(project, order)
            messages.success(request, _done_words(order))
            return redirect("dashboard:person", project.slug, pk)
    touched = touched_by(project, person, since, until)
    context = {
        "project": project,
        "person": person,
        "remarks": remarks,
        "span": span,
        "form": form,
        "touched": touched,
        "figures": _touched_figures(touched),
        "releases": releases_with(project, touched.verified),
        "hours": round(UNDO_FOR.total_seconds() / 3600),
    }
    return render(request, "dashboard/set_aside.html", context, status=400 if form.errors else 200)


def _dispatch(project: Project, order: SetAside) -> None:
    """Have a worker go on with the order and count the statistics anew."""
    if order.is_running:
        dispatch(SET_ASIDE, order.pk)
    else:
        dispatch(STATISTICS, project.pk)


def _done_words(order: SetAside) -> str:
    if order.is_running:
        return _("The verdicts are being set aside. You can leave this page.")
    return f"{_order_words(order)}{_('.')}"


def _touched_figures(touched: Touched) -> list[dict[str, object]]:
    """Return how many items become what; items that stay come last."""
    names = {
        Effect.REOPEN: _("Back to review"),
        Effect.REPLACE: _("In review: one more reviewer is asked"),
        Effect.RULED: _("Unchanged: adjudicated since"),
        Effect.AGAIN: _("Unchanged: in review again already"),
        Effect.REVISED: _("Unchanged: reworded since"),
        Effect.WITH_WRITER: _("Unchanged: with the writer"),
        Effect.ENDED: _("Unchanged: withdrawn or retired"),
    }
    verified = len(touched.verified)
    words = ngettext("%(n)s verified", "%(n)s verified", verified) % {"n": verified}
    notes = {Effect.REOPEN: words if verified else ""}
    return [
        {"name": names[one], "value": touched.by_effect[one], "note": notes.get(one, "")}
        for one in Effect
        if touched.by_effect.get(one)
    ]


@project_page(Permission.CHANGE_REVIEWS)
@require_POST
def undo_set_aside(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Let verdicts that were set aside count again, except on items whose new review has begun."""
    order = get_set_aside(project=project, pk=pk)
    try:
        order = services.undo_set_aside(actor=request.user, order=order)
    except Conflict as refused:
        messages.warning(request, str(refused))
    else:
        _dispatch(project, order)
        is_done = not order.is_running
        messages.success(request, f"{_order_words(order)}{_('.')}" if is_done else _("This is being undone."))
    return redirect("dashboard:person", project.slug, order.reviewer_id)
