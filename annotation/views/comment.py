"""Views that save comments and contests, and show how a new wording differs from the last one."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation import services
from annotation.kinds import item_kind
from annotation.models import State
from annotation.permissions import may_revise
from annotation.queries.item import get_item, revision_content, wording_changes
from core.errors import Conflict, Unusable, require
from projects.queries import get_project
from web.requests import MemberRequest


@login_required
@require_POST
def comment(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Save a comment on an item."""
    item = get_item(user=request.user, project=get_project(user=request.user, slug=slug), pk=pk)
    try:
        text, about = request.POST.get("text", ""), request.POST.get("about", "")
        services.add_comment(actor=request.user, item=item, text=text, about=about)
    except Unusable as error:
        messages.error(request, str(error))
    return redirect("dashboard:item", slug, pk)


@login_required
@require_POST
def contest(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Contest a rejection or a reviewer's edit. An item can be contested once."""
    item = get_item(user=request.user, project=get_project(user=request.user, slug=slug), pk=pk)
    ask = services.contest_rejection if item.state == State.REJECTED else services.contest_edit
    try:
        ask(actor=request.user, item=item, reason=request.POST.get("reason", ""))
    except Unusable as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request, _("Contested: someone who neither wrote nor reviewed the item will adjudicate it.")
        )
    return redirect("dashboard:item", slug, pk)


@login_required
@require_POST
def changes(request: MemberRequest, slug: str, pk: int) -> HttpResponse:
    """Show how the posted form differs from the item's last revision, as a fragment. Nothing is saved."""
    item = get_item(user=request.user, project=get_project(user=request.user, slug=slug), pk=pk)
    require(may_revise(request.user, item))
    if item.current is None:
        raise Conflict(_("This item has not been submitted yet."))
    services.record_key_exposures(actor=request.user, items=[item.pk])
    before, after = revision_content(item.current, item.task), item_kind(item.task).read_form(request.POST)
    context = {
        "changes": wording_changes(before, after, item.task),
        "lang": item.story.lang,
    }
    return render(request, "annotation/_changes.html", context)
