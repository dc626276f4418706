"""The list of items: searched, narrowed, ordered, and kept as views."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.services import record_keys_shown
from core.errors import Conflict, Hidden, Unusable
from dashboard.models import Verb
from dashboard.queries.listing import (
    ITEMS,
    asked_context,
    items_asked,
    items_listing,
    last_bulk,
    shows_keys,
    views_of,
)
from dashboard.services import delete_view, save_view
from dashboard.views.item_row import item_rows
from projects.models import Project
from projects.permissions import may_manage
from projects.queries import current_types, get_project
from web.listing import Asked
from web.requests import signed_in


def items_asked_by(request: HttpRequest, project: Project, query: QueryDict) -> Asked:
    """What an address, or the query that a form kept of one, asks of the list of items."""
    manages = bool(may_manage(signed_in(request), project))
    return items_listing(project, manages=manages, kinds=current_types(project)).ask(query)


@login_required
@require_GET
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own items, a manager's all, as the address asks."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    manages, kinds = bool(may_manage(user, project)), list(current_types(project))
    asked = items_listing(project, manages=manages, kinds=kinds).ask(request.GET)
    page = asked.page_of(items_asked(user, project, asked))
    rows = item_rows(user, project, page.pks, asked, kinds)
    record_keys_shown(actor=user, items=[row.item.pk for row in rows if row.key])
    context = {
        "project": project,
        "asked": asked,
        "page": page,
        "rows": rows,
        "may_manage": manages,
        "shows_keys": shows_keys(asked),
        "done": last_bulk(user, project) if manages else None,
        "verbs": Verb,
        "bulk_url": reverse("dashboard:bulk", args=[slug]) if manages else "",
        "save_url": reverse("dashboard:save_view", args=[slug]),
        "delete_route": "dashboard:delete_view",
        **asked_context(asked, views_of(user, project, ITEMS), _built_in(manages=manages)),
    }
    return render(request, "dashboard/items.html", context)


def _built_in(*, manages: bool) -> list[tuple[str, str]]:
    views = [(_("All"), ""), (_("Returned"), "state=returned")]
    if manages:
        views += [
            (_("In adjudication"), "state=in_adjudication"),
            (_("Returned for over 7 days"), "state=returned&changed=older7"),
            (_("Verified"), "state=verified"),
        ]
    return views


@login_required
@require_POST
def save(request: HttpRequest, slug: str) -> HttpResponse:
    """Keep what the address asks under a name."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    asked = items_asked_by(request, project, QueryDict(request.POST.get("query", "")))
    try:
        view = save_view(
            actor=user,
            project=project,
            listing=ITEMS,
            name=request.POST.get("name", ""),
            query=asked.query,
            shared=request.POST.get("shared") == "1",
        )
    except (Unusable, Conflict) as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, _("View “%(name)s” saved.") % {"name": view.name})
    return redirect(f"{reverse('dashboard:items', args=[slug])}?{asked.query}")


@login_required
@require_POST
def delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a saved view."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    view = views_of(user, project, ITEMS).filter(pk=pk).first()
    if view is None:
        raise Hidden(_("View not found."))
    delete_view(actor=user, view=view)
    messages.success(request, _("View “%(name)s” deleted.") % {"name": view.name})
    return redirect("dashboard:items", slug)
