"""Doing one thing to all selected items, or to all that fit a filter; and undoing it."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotation.models import Item
from annotation.resources import ItemResource
from annotation.services import record_table_taken_out
from core.errors import Conflict, Unusable
from dashboard.forms import BulkForm
from dashboard.models import BulkAction, Verb
from dashboard.queries.listing import BULK, STATES, get_bulk, items_asked
from dashboard.services import order_bulk, undo_bulk
from dashboard.views.listing import items_asked_by
from jobs.hooks import dispatch
from projects.models import Project
from projects.page import managed_project
from projects.permissions import Permission
from projects.queries import members
from web.downloads import CSV, JSON, XLSX, table_stream
from web.forms import put_errors
from web.listing import MOST, Asked
from web.requests import signed_in

EXPORT = "export"
KINDS = (CSV, XLSX, JSON)
AT_ONCE = (Verb.FIRST, Verb.NORMAL)
"""Need nothing but a press."""


@login_required
@require_POST
def change(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Ask for what an action needs, then do it."""
    project = managed_project(request, slug)
    asked = items_asked_by(request, project, QueryDict(request.POST.get("query", "")))
    verb = request.POST.get("verb", "")
    if verb not in {*Verb.values, EXPORT}:
        return redirect(_back(slug, asked))
    chosen, form = _chosen(request, project, asked), _form(request, project, verb)
    if verb in AT_ONCE:
        _done(request, project, verb, chosen, form)
        return redirect(_back(slug, asked))
    n = _able(verb, chosen)
    if _has_grown(request, n):
        return _ask(request, project, asked, chosen, verb, n, form)
    if verb == EXPORT and request.POST.get("kind") in KINDS:
        return _export(request, project, chosen)
    if verb != EXPORT and form.is_valid() and _done(request, project, verb, chosen, form):
        return redirect(_back(slug, asked))
    return _ask(request, project, asked, chosen, verb, n, form)


def _chosen(request: HttpRequest, project: Project, asked: Asked) -> list[int]:
    """The numbers of all that fit the filter, or of those that were ticked; at most `MOST`.

    Read once: what is recorded and counted is what is taken out or changed.
    """
    if request.POST.get("all") == "1":
        fit = items_asked(signed_in(request), project, asked).order_by(*asked.order())
        return list(fit.values_list("pk", flat=True)[:MOST])
    ticked = [_number(pk) for pk in request.POST.getlist("item")[:MOST]]
    return list(Item.objects.filter(project=project, pk__in=ticked).values_list("pk", flat=True))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def _able(verb: str, chosen: Sequence[int]) -> int:
    """How many of these items it can be done to."""
    if verb == EXPORT:
        return len(chosen)
    return Item.objects.filter(pk__in=chosen, state__in=STATES[verb]).count()


def _has_grown(request: HttpRequest, n: int) -> bool:
    """Whether more items fit the filter now than were confirmed; at first none were."""
    return request.POST.get("all") == "1" and n > _number(request.POST.get("n", ""))


def _back(slug: str, asked: Asked) -> str:
    return f"{reverse('dashboard:items', args=[slug])}?{asked.query}"


def _form(request: HttpRequest, project: Project, verb: str) -> BulkForm:
    data = request.POST if "sure" in request.POST else None
    return BulkForm(data, verb=verb, writers=members(project, Permission.WRITE))


def _done(request: HttpRequest, project: Project, verb: str, chosen: Sequence[int], form: BulkForm) -> bool:
    """Whether it was ordered; where the service refused, the reason is on the form."""
    given: dict[str, Any] = form.cleaned_data if form.is_bound else {}
    try:
        made = order_bulk(
            actor=signed_in(request),
            project=project,
            verb=verb,
            items=chosen,
            reason=given.get("reason", ""),
            receiver=given.get("receiver"),
        )
    except (Conflict, Unusable) as refused:
        if form.is_bound:
            put_errors(form, refused)
        else:
            messages.warning(request, str(refused))
        return False
    dispatch(BULK, made.pk)
    return True


def _ask(
    request: HttpRequest,
    project: Project,
    asked: Asked,
    chosen: Sequence[int],
    verb: str,
    n: int,
    form: BulkForm,
) -> HttpResponseBase:
    """The page that says what will happen, and asks for what is missing."""
    by_all = request.POST.get("all") == "1"
    context = {
        "project": project,
        "asked": asked,
        "back": _back(project.slug, asked),
        "verb": verb,
        "n": n,
        "left_out": len(chosen) - n,
        "has_grown": "sure" in request.POST and _has_grown(request, n),
        "by_all": by_all,
        "items": [] if by_all else request.POST.getlist("item")[:MOST],
        "form": form,
        "kinds": KINDS,
        "verbs": Verb,
        "title": _title(verb, n),
    }
    return render(request, "dashboard/bulk.html", context, status=400 if form.errors else 200)


def _title(verb: str, n: int) -> str:
    titles: dict[str, str] = {
        Verb.RETURN: ngettext("Send %(n)d item for re-review", "Send %(n)d items for re-review", n),
        Verb.ASSIGN: ngettext("Assign %(n)d item", "Assign %(n)d items", n),
        Verb.RETIRE: ngettext("Retire %(n)d item", "Retire %(n)d items", n),
        EXPORT: ngettext("Export %(n)d item", "Export %(n)d items", n),
    }
    return titles[verb] % {"n": n}


def _export(request: HttpRequest, project: Project, chosen: Sequence[int]) -> HttpResponseBase:
    kind = request.POST["kind"]
    record_table_taken_out(actor=signed_in(request), project=project, table="items", kind=kind, keys=chosen)
    resource = ItemResource()
    rows = resource.of_project(project).filter(pk__in=chosen)
    return table_stream(resource.sheet(rows, _("Items")), kind, f"{project.slug}-items")


@login_required
@require_POST
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """Take back what was done to many items, as far as nobody has touched them since."""
    project = managed_project(request, slug)
    made: BulkAction | None = None
    try:
        made = undo_bulk(actor=signed_in(request), bulk=get_bulk(project=project, pk=pk))
    except Conflict as refused:
        messages.warning(request, str(refused))
    else:
        dispatch(BULK, made.pk)
    return redirect("dashboard:items", slug)
