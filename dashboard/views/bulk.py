"""Pages that carry out a bulk action on rows of a list, and undo it.

The rows are selected, or all that match a filter.
"""

from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_POST

from core.errors import Conflict, Unusable
from core.numbers import whole_number
from corpus.page import posted_groups
from dashboard.forms import BulkForm
from dashboard.models import BulkAction, Verb
from dashboard.queries.bulk import ABLE, BULK, get_bulk
from dashboard.queries.navigation import sections
from dashboard.queries.story_list import METADATA, STORIES
from dashboard.services import order_bulk, undo_bulk
from dashboard.views.list_page import EXPORT, ListPage
from dashboard.views.long_list import address_of, asked_by, list_of
from jobs.hooks import dispatch
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission, permissions_of
from projects.queries import members
from web.downloads import CSV, JSON, XLSX, table_stream
from web.forms import put_errors
from web.long_list import MOST, Action, Asked
from web.requests import MemberRequest, own_address, signed_in

KINDS: Final = (CSV, XLSX, JSON)
CONFIRMED: Final = 5
"""The number of rows listed on the confirmation page; further rows are only counted."""


@dataclass(frozen=True, slots=True)
class Order:
    """A requested bulk action and its rows.

    The rows are read once, so that the counted rows are those changed.
    """

    request: HttpRequest
    project: Project
    shown: ListPage
    asked: Asked
    action: Action
    chosen: list[int]

    @property
    def by_all(self) -> bool:
        """Return whether the action applies to all rows that match the filter."""
        return self.request.POST.get("all") == "1"

    @property
    def back(self) -> str:
        """Return the address of the page where the action was chosen: an item's, or the filtered list's."""
        return self.following or address_of(self.project, self.shown, self.asked)

    @property
    def following(self) -> str:
        """The address in the form to return to, or "" if it is on another site."""
        return own_address(self.request, self.request.POST.get("next", ""))

    def able(self) -> list[int]:
        """Return the ids of the chosen rows to which the action can be applied, in their order."""
        if self.action.for_all:
            return self.chosen
        able = ABLE[self.shown.name](self.project, self.action.verb).filter(pk__in=self.chosen)
        fit = set(able.values_list("pk", flat=True))
        return [pk for pk in self.chosen if pk in fit]

    def has_grown(self, n: int) -> bool:
        """Return whether `n`, the number of rows that match the filter now, exceeds the confirmed number.

        The confirmed number is 0 before the first confirmation. Ticked rows never grow.
        """
        return self.by_all and n > (whole_number(self.request.POST.get("n", "")) or 0)


@project_page(Permission.CHANGE_ITEMS)
@require_POST
def change(request: MemberRequest, project: Project, listing: str) -> HttpResponseBase:
    """Show the page that confirms a bulk action and asks for its values. Order the action once confirmed."""
    list_page = list_of(listing)
    asked = asked_by(request.user, project, list_page, QueryDict(request.POST.get("query", "")))
    action = list_page.action(request.POST.get("verb", ""))
    if action is None:
        return redirect(address_of(project, list_page, asked))
    order = Order(request, project, list_page, asked, action, _chosen(request, project, list_page, asked))
    data = order.request.POST if "sure" in order.request.POST else None
    form = BulkForm(data, asks=order.action.asks, writers=members(order.project, Permission.WRITE))
    if action.at_once:
        _done(order, form)
        return redirect(order.back)
    able = order.able()
    if order.has_grown(len(able)):
        return _ask(order, able, form)
    if action.verb == EXPORT and request.POST.get("kind") in KINDS:
        kind, resource = request.POST["kind"], list_page.resource()
        list_page.record(actor=request.user, project=project, kind=kind, rows=order.chosen)
        rows = resource.of_project(project).filter(**{f"{list_page.export_by}__in": order.chosen})
        sheet = resource.sheet(rows, str(list_page.label))
        return table_stream(sheet, kind, f"{project.slug}-{list_page.name}")
    if action.verb != EXPORT and form.is_valid() and _done(order, form):
        return redirect(order.back)
    return _ask(order, able, form)


def _chosen(request: HttpRequest, project: Project, list_page: ListPage, asked: Asked) -> list[int]:
    """Return the ids of the ticked rows, or of all rows that match the filter; at most `MOST`."""
    user = signed_in(request)
    if request.POST.get("all") == "1":
        fit = asked.ordered(list_page.asked(user, project, asked))
        return list(fit.values_list("pk", flat=True)[:MOST])
    ticked = [whole_number(pk) or 0 for pk in request.POST.getlist("row")[:MOST]]
    every = list_page.asked(user, project, asked.listing.ask_nothing())
    return list(every.filter(pk__in=ticked).order_by("pk").values_list("pk", flat=True))


def _done(order: Order, form: BulkForm) -> bool:
    """Order the action and return whether it succeeded; an error is added to the form."""
    given: dict[str, Any] = form.cleaned_data if form.is_bound and form.is_valid() else {}
    try:
        made = order_bulk(
            actor=signed_in(order.request),
            project=order.project,
            listing=order.shown.name,
            verb=order.action.verb,
            rows=order.chosen,
            reason=given.get("reason", ""),
            receiver=given.get("receiver"),
            role=given.get("role", ""),
            metadata={name: given[name] for name in METADATA if name in given},
        )
    except (Conflict, Unusable) as refused:
        if form.is_bound:
            put_errors(form, refused)
        else:
            messages.warning(order.request, str(refused))
        return False
    dispatch(BULK, made.pk)
    return True


def _ask(order: Order, able: list[int], form: BulkForm) -> HttpResponseBase:
    """Show the page that confirms an action on the rows, and asks for missing values."""
    n = len(able)
    left_out = len(order.chosen) - n
    user, project = signed_in(order.request), order.project
    rows = order.shown.confirmed(user, project, able[:CONFIRMED])
    pages = sections(permissions_of(user, project), project.slug, order.shown.route, get_language())
    context = {
        "project": project,
        "nav_sections": pages,  # one route serves all lists, so the menu is set here
        "asked": order.asked,
        "back": order.back,
        "next": order.following,
        "action": order.action,
        "title": order.action.say(order.action.title, n),
        "left_out": order.action.say(order.action.left_out, left_out) if left_out else "",
        "n": n,
        "has_grown": "sure" in order.request.POST and order.has_grown(n),
        "by_all": order.by_all,
        "confirmed": rows,
        "more": n - len(rows) if rows else 0,
        "rows": [] if order.by_all else order.request.POST.getlist("row")[:MOST],
        "form": form,
        "kinds": KINDS if order.action.verb == EXPORT else (),
    }
    return render(order.request, "dashboard/bulk.html", context, status=400 if form.errors else 200)


@project_page(Permission.CHANGE_ITEMS)
@require_POST
def undo(request: MemberRequest, project: Project, pk: int) -> HttpResponseBase:
    """Undo a bulk action for the rows that have not changed since."""
    bulk: BulkAction = get_bulk(project=project, pk=pk)
    try:
        made = undo_bulk(actor=request.user, bulk=bulk)
    except Conflict as refused:
        messages.warning(request, str(refused))
    else:
        dispatch(BULK, made.pk)
    route = "corpus:similar" if bulk.groups else list_of(bulk.listing).route
    return redirect(own_address(request, request.POST.get("next", "")) or reverse(route, args=[project.slug]))


@project_page(Permission.CHANGE_STORIES)
@require_POST
def confirm_groups(request: MemberRequest, project: Project) -> HttpResponseBase:
    """Confirm the suggested groups of stories on a page. Stories that are not ticked are left out."""
    groups = [
        (sorted(ticked), sorted(others)) for ticked, others in posted_groups(request.POST) if len(ticked) > 1
    ]
    try:
        made = order_bulk(
            actor=request.user,
            project=project,
            listing=STORIES,
            verb=Verb.GROUP,
            rows=[story for ticked, _others in groups for story in ticked],
            groups=groups,
        )
    except Conflict as refused:
        messages.warning(request, str(refused))
    else:
        dispatch(BULK, made.pk)
    return redirect("corpus:similar", project.slug)
