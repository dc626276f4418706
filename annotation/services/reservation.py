"""Services that reserve stories for a type or a writer."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import Reservation, WritingAssignment, WritingPlaces
from annotation.permissions import may_write
from annotation.queries.reservation import open_reservations
from core.errors import Unusable, require
from corpus.models import Story
from projects.models import CommonsenseType
from projects.permissions import Permission, has_permission


@transaction.atomic
def reserve_story(
    *, actor: User, story: Story, kind: CommonsenseType | None = None, writer: User | None = None
) -> Reservation:
    """Reserve a story for a type, a writer, or both. If this reservation exists, return it.

    Only managers may. Raise `Unusable` naming `type` or `writer`, also if the story needs no more writers.
    """
    require(has_permission(actor, story.project, Permission.CHANGE_WRITING))
    if kind is None and writer is None:
        raise Unusable(_("Select a type, a writer, or both."), "type")
    if kind is not None and (kind.project_id != story.project_id or kind.retired_at):
        raise Unusable(_("Not a current type of this project."), "type")
    if writer is not None:
        if not may_write(writer, story.project):
            raise Unusable(_("%(name)s is not a writer in this project.") % {"name": writer}, "writer")
        place = WritingPlaces.objects.select_for_update().get(story=story)
        had = WritingAssignment.objects.filter(story=story, writer=writer)
        reserved = open_reservations().filter(story=story)
        has_place = had.exists() or reserved.filter(writer=writer).exists()
        others = reserved.values("writer").distinct()
        if not has_place and place.writers + others.count() >= story.project.writers_per_story:
            raise Unusable(_("All places of this story are taken or reserved."), "writer")
    reservation, made = Reservation.objects.get_or_create(
        story=story, type=kind, writer=writer, defaults={"created_by": actor}
    )
    if made:
        record_event(actor=actor, verb="reserve_story", subject=story, detail=_detail(reservation))
    return reservation


def _detail(reservation: Reservation) -> dict[str, int | None]:
    return {"type": reservation.type_id, "writer": reservation.writer_id}


@transaction.atomic
def end_reservation(*, actor: User, reservation: Reservation) -> None:
    """Delete a reservation. Only managers may."""
    require(has_permission(actor, reservation.story.project, Permission.CHANGE_WRITING))
    detail = _detail(reservation)
    record_event(actor=actor, verb="end_reservation", subject=reservation.story, detail=detail)
    reservation.delete()  # ended by a manager
