"""Services that pause a member's new work, resume it, and send a member a note."""

from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Hidden, Unusable, require
from projects.models import Note, Pause, Project
from projects.permissions import Permission, belongs, has_permission
from projects.queries import members
from projects.request_cache import forget

LONGEST_NOTE: Final = 2000


@transaction.atomic
def pause_member(*, actor: User, project: Project, user: User, reason: str) -> Pause:
    """Give a member no new stories and requests until the pause ends. Managers only.

    What the member has begun stays with them. Raise `Unusable` without a reason, `Conflict` if the member is
    paused already.
    """
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    _require_member(project, user)
    if not reason.strip():
        raise Unusable(_("Enter a reason. The member reads it."), "reason")
    begun = begin_pause(project=project, user=user, by=actor, reason=reason)
    if begun is None:
        raise Conflict(_("%(name)s is paused already.") % {"name": user})
    return begun


def begin_pause(*, project: Project, user: User, by: User, reason: str) -> Pause | None:
    """Begin a member's pause and return it, or None if there is one. The caller must check permission."""
    pause, is_new = Pause.objects.get_or_create(
        project=project,
        user=user,
        ended_at=None,
        defaults={"by": by, "reason": reason.strip()[:LONGEST_NOTE]},
    )
    if not is_new:
        return None
    forget()
    record_event(actor=by, verb="pause_member", subject=project, detail={"user": user.pk})
    return pause


@transaction.atomic
def resume_member(*, actor: User, project: Project, user: User) -> None:
    """End a member's pause. Managers only. Without a pause, nothing changes."""
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    ended = Pause.objects.filter(project=project, user=user, ended_at=None).update(
        ended_at=timezone.now(), ended_by=actor
    )
    if ended:
        forget()
        record_event(actor=actor, verb="resume_member", subject=project, detail={"user": user.pk})


@transaction.atomic
def send_note(*, actor: User, project: Project, user: User, text: str) -> Note:
    """Send a member a note, which stands in their inbox until they mark it as read. Managers only."""
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    _require_member(project, user)
    if not text.strip():
        raise Unusable(_("Enter a message."), "text")
    note = Note.objects.create(project=project, to=user, by=actor, text=text.strip()[:LONGEST_NOTE])
    record_event(actor=actor, verb="send_note", subject=note, detail={"user": user.pk})
    return note


@transaction.atomic
def read_note(*, actor: User, project: Project, pk: int) -> None:
    """Mark a note to the actor as read. Raise `Hidden` if there is none."""
    require(belongs(actor, project))
    found = Note.objects.filter(project=project, to=actor, pk=pk)
    if not found.exists():
        raise Hidden(_("Message not found."))
    found.filter(read_at=None).update(read_at=timezone.now())


def _require_member(project: Project, user: User) -> None:
    if not members(project).filter(pk=user.pk).exists():
        raise Hidden(_("Member not found."))
