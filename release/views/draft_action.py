"""Actions on a draft of a release. Each redirects to the page from which it was posted."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from core.errors import Conflict, Unusable
from core.numbers import whole_number
from jobs.hooks import dispatch
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release import services
from release.models import ReleaseDraft
from release.queries.draft import DRAFT_CHECK, HELD, LISTS, get_draft
from release.views.draft_presentation import row_id
from web.requests import MemberRequest


def draft_at(request: MemberRequest, project: Project, pk: int) -> ReleaseDraft:
    """Return the draft of this URL. Raise `Hidden` or `Forbidden` if the user may not see it."""
    return get_draft(user=request.user, project=project, pk=pk)


def chosen_items(request: MemberRequest) -> list[int] | None:
    """Return the ids of the selected items, or None if the form has no list of items."""
    if "listed" not in request.POST:
        return None
    return [number for text in request.POST.getlist("item") if (number := whole_number(text)) is not None]


def back(request: MemberRequest, draft: ReleaseDraft) -> HttpResponse:
    """Redirect to the list of items from which the action was posted, or else to the row of the gate."""
    gate, task = request.POST.get("gate", ""), request.POST.get("task", "")
    slug = draft.project.slug
    if (which := request.POST.get("which", "")) in (HELD, *LISTS):
        return redirect(f"{reverse('release:draft_items', args=[slug, draft.pk])}?which={which}")
    page = reverse("release:draft_gates", args=[slug, draft.pk])
    if not gate:
        return redirect(page)
    return redirect(f"{page}?{urlencode({'gate': gate, 'task': task})}#{row_id(gate, task)}")


def do(
    request: MemberRequest,
    draft: ReleaseDraft,
    act: Callable[[], Any],
    said: Callable[[Any], str] | None = None,
) -> HttpResponse:
    """Run an action on a draft, dispatch a check by the gates, add a message, and redirect back.

    `said` returns the message for the result of `act`.
    """
    try:
        with transaction.atomic():
            done = act()
            dispatch(DRAFT_CHECK, draft.pk)
    except (Conflict, Unusable) as error:
        messages.warning(request, str(error))
    else:
        if said is not None:
            messages.success(request, said(done))
    return back(request, draft)


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def check(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Order a new check of the draft by the gates."""
    draft = draft_at(request, project, pk)
    return do(request, draft, lambda: services.order_draft_check(actor=request.user, draft=draft))


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def exclude(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Exclude items from the release."""
    return _choose(
        request,
        draft_at(request, project, pk),
        services.exclude_items,
        lambda n: ngettext("%(n)d item excluded.", "%(n)d items excluded.", n) % {"n": n},
        gate=request.POST.get("gate", ""),
    )


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def include(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Include excluded items again."""
    return _choose(
        request,
        draft_at(request, project, pk),
        services.include_items,
        lambda n: ngettext("%(n)d item included again.", "%(n)d items included again.", n) % {"n": n},
        gate=request.POST.get("gate"),
    )


def _choose(
    request: MemberRequest,
    draft: ReleaseDraft,
    act: Callable[..., int],
    said: Callable[[int], str],
    *,
    gate: str | None,
) -> HttpResponse:
    """Apply an action to the selected items, or to all items of the finding; show how many were affected."""
    chosen, task = chosen_items(request), request.POST.get("task", "")
    return do(
        request,
        draft,
        lambda: act(actor=request.user, draft=draft, gate=gate, task=task, items=chosen),
        said,
    )


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def remove_override(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Remove the override of a gate."""
    draft, gate = draft_at(request, project, pk), request.POST.get("gate", "")
    return do(
        request,
        draft,
        lambda: services.remove_override(actor=request.user, draft=draft, gate=gate),
        lambda _done: _("Override removed."),
    )


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def discard(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Discard the draft. Its page then offers to restore it."""
    draft = draft_at(request, project, pk)
    return do(request, draft, lambda: services.discard_draft(actor=request.user, draft=draft))


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def restore(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Restore a discarded draft."""
    draft = draft_at(request, project, pk)
    return do(request, draft, lambda: services.restore_draft(actor=request.user, draft=draft))
