"""Doing one thing to all selected items, or to all that fit a filter; and undoing it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
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
    chosen = _chosen(request, project, asked)
    verb = request.POST.get("verb", "")
    if verb == EXPORT and request.POST.get("kind") in KINDS:
        return _export(request, project, chosen)
    form = _form(request, project, verb)
    if verb in AT_ONCE or (verb in Verb.values and "sure" in request.POST and form.is_valid()):
        if _done(request, project, verb, chosen, form):
            return redirect(_back(slug, asked))
    elif verb not in {*Verb.values, EXPORT}:
        return redirect(_back(slug, asked))
    if verb in AT_ONCE:
        return redirect(_back(slug, asked))
    return _ask(request, project, asked, chosen, verb, form)


def _chosen(request: HttpRequest, project: Project, asked: Asked) -> QuerySet[Item]:
    """All that fit the filter, or those that were ticked; at most `MOST`."""
    if request.POST.get("all") == "1":
        fit = items_asked(signed_in(request), project, asked).order_by(*asked.order())
        return Item.objects.filter(pk__in=fit.values("pk")[:MOST])
    ticked = [int(pk) for pk in request.POST.getlist("item")[:MOST] if pk.isdecimal() and len(pk) < 19]
    return Item.objects.filter(project=project, pk__in=ticked)


def _back(slug: str, asked: Asked) -> str:
    return f"{reverse('dashboard:items', args=[slug])}?{asked.query}"


def _form(request: HttpRequest, project: Project, verb: str) -> BulkForm:
    data = request.POST if "sure" in request.POST else None
    return BulkForm(data, verb=verb, writers=members(project, Permission.WRITE))


def _done(request: HttpRequest, project: Project, verb: str, chosen: QuerySet[Item], form: BulkForm) -> bool:
    """Whether it was ordered; where the service refused, the reason is on the form."""
    given: dict[str, Any] = form.cleaned_data if form.is_bound else {}
    try:
        made = order_bulk(
            actor=signed_in(request),
            project=project,
            verb=verb,
            items=chosen.order_by("pk").values_list("pk", flat=True),
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
    request: HttpRequest, project: Project, asked: Asked, chosen: QuerySet[Item], verb: str, form: BulkForm
) -> HttpResponseBase:
    """The page that says what will happen, and asks for what is missing."""
    by_all = request.POST.get("all") == "1"
    able = chosen.filter(state__in=STATES[verb]) if verb in Verb.values else chosen
    n, all_of_them = able.count(), chosen.count()
    context = {
        "project": project,
        "asked": asked,
        "back": _back(project.slug, asked),
        "verb": verb,
        "n": n,
        "left_out": all_of_them - n,
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


def _export(request: HttpRequest, project: Project, chosen: QuerySet[Item]) -> HttpResponseBase:
    kind = request.POST["kind"]
    record_table_taken_out(actor=signed_in(request), project=project, table="items", kind=kind, keys=chosen)
    resource = ItemResource()
    rows = resource.of_project(project).filter(pk__in=chosen.values("pk"))
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
