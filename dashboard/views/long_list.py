"""Views that all lists share: search, filters, order, and saved views."""

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from core.errors import Conflict, Hidden, Unusable, require
from dashboard.models import BulkAction
from dashboard.queries.bulk import last_bulk
from dashboard.queries.view import tabs_of, views_of
from dashboard.services import delete_view, save_view
from dashboard.views.candidate_list import CANDIDATE_LIST
from dashboard.views.item_list import ITEM_LIST
from dashboard.views.list_page import ListPage
from dashboard.views.member_list import MEMBER_LIST
from dashboard.views.run_list import RUN_LIST
from dashboard.views.story_list import STORY_LIST
from projects.models import Project
from projects.permissions import Permission, has_permission, permissions_of
from projects.queries import get_project
from web.long_list import Asked
from web.requests import signed_in

LISTS: Final = {one.name: one for one in (ITEM_LIST, STORY_LIST, CANDIDATE_LIST, RUN_LIST, MEMBER_LIST)}


def list_of(name: str) -> ListPage:
    """Return the list with this name. Raise `Hidden` if there is none."""
    if name not in LISTS:
        raise Hidden(_("List not found."))
    return LISTS[name]


def asked_by(user: User, project: Project, list_page: ListPage, query: QueryDict) -> Asked:
    """Return the filters, order and columns that a query string selects.

    It comes from an address or a form.
    """
    return list_page.listing(user, project).ask(query)


def address_of(project: Project, list_page: ListPage, asked: Asked) -> str:
    """Return the address of a list with these filters, order and columns."""
    return f"{reverse(list_page.route, args=[project.slug])}?{asked.query}"


def _opened(request: HttpRequest, slug: str, listing: str) -> tuple[User, Project, ListPage]:
    """Return the user, the project and the list. Raise an error if the user may not open the list."""
    user, list_page = signed_in(request), list_of(listing)
    project = get_project(user=user, slug=slug)
    require(has_permission(user, project, list_page.permission))
    return user, project, list_page


@login_required
@require_GET
def show(request: HttpRequest, slug: str, listing: str) -> HttpResponse:
    """Show the list's rows that match the query string and that this user may see."""
    user, project, list_page = _opened(request, slug, listing)
    held = permissions_of(user, project)
    selects = Permission.CHANGE_ITEMS in held
    asked = asked_by(user, project, list_page, request.GET)
    page = asked.page_of(list_page.asked(user, project, asked))
    done = last_bulk(user, project, listing) if selects else None
    tabs = tabs_of(asked, list_page.tabs(held), views_of(user, project, listing))
    context = {
        "project": project,
        "asked": asked,
        "shows": asked.shows,
        "page": page,
        "tabs": tabs,
        "is_saved": any(tab.is_current for tab in tabs),
        "actions": list_page.actions if selects else (),
        **done_context(list_page, done),
        **list_page.context(request, project, asked, page),
    }
    return render(request, f"dashboard/{listing}.html", context)


def done_context(list_page: ListPage, done: BulkAction | None) -> dict[str, object]:
    """Return the context of `dashboard/_bulk_done.html` for the last bulk action, if there is one."""
    action = list_page.action(done.verb) if done else None
    if done is None or action is None:
        return {"done": done}
    n = len(done.changed)
    said = (
        action.say(action.done, n, done.receiver or done.get_role_display()) if n else _("Nothing changed.")
    )
    return {"done": done, "done_text": said, "may_undo": not action.is_final}


@login_required
@require_POST
def save(request: HttpRequest, slug: str, listing: str) -> HttpResponse:
    """Save the list's query string as a view."""
    user, project, list_page = _opened(request, slug, listing)
    asked = asked_by(user, project, list_page, QueryDict(request.POST.get("query", "")))
    try:
        view = save_view(
            actor=user,
            project=project,
            listing=listing,
            name=request.POST.get("name", ""),
            query=asked.query,
            shared=request.POST.get("shared") == "1",
        )
    except (Unusable, Conflict) as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, _("View “%(name)s” saved.") % {"name": view.name})
    return redirect(address_of(project, list_page, asked))


@login_required
@require_POST
def delete(request: HttpRequest, slug: str, listing: str, pk: int) -> HttpResponse:
    """Delete a saved view."""
    user, project, list_page = _opened(request, slug, listing)
    view = views_of(user, project, listing).filter(pk=pk).first()
    if view is None:
        raise Hidden(_("View not found."))
    delete_view(actor=user, view=view)
    messages.success(request, _("View “%(name)s” deleted.") % {"name": view.name})
    return redirect(list_page.route, slug)
