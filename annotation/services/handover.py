"""Services that pass a departing member's work to another member or to all writers, and undo this.

Authorship does not change: revisions are immutable, and a draft keeps its contributors. So neither the
departing member nor anyone who revises the items may review them. Only the user who has the work changes.
"""

from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import (
    AssignmentSource,
    HandOver,
    Item,
    ItemDraft,
    State,
    WritingAssignment,
    WritingPlaces,
)
from annotation.permissions import may_add_items, may_write
from annotation.queries.assignment import (
    WITH_WRITER,
    assigned_drafts,
    assigned_items,
    unfinished,
    waiting_for_somebody,
)
from annotation.queries.draft import living_drafts
from annotation.services.transition import lock_item
from core.errors import Conflict, Unusable, require
from projects.models import Project
from projects.permissions import Permission, has_permission


@transaction.atomic
def hand_over_work(
    *, actor: User, project: Project, departing: User, receiver: User | None, leases: int = 0
) -> HandOver:
    """Hand over a departing member's unfinished stories, returned items and drafts. Only managers may.

    Without a receiver, stories become available to all writers and items are offered to them; drafts without
    an item stay. `leases` is the number of review requests that the caller has released. Raise `Unusable`
    naming `receiver` if the receiver may not write in the project, `Conflict` if there is nothing to hand
    over.
    """
    require(has_permission(actor, project, Permission.CHANGE_WRITING))
    if receiver is not None and receiver == departing:
        message = _("Select someone other than the person who is leaving.")
        raise Unusable(message, "receiver")
    if receiver is not None and not may_write(receiver, project):
        message = _("%(name)s is not a writer in this project.") % {"name": receiver}
        raise Unusable(message, "receiver")
    moved: dict[str, Any] = {
        "assignments": _pass_on_stories(project, departing, receiver),
        "items": _pass_on_items(project, departing, receiver),
        "drafts": [],
        "leases": leases,
    }
    if receiver:
        drafts = assigned_drafts(project, departing).select_related(None).select_for_update(of=("self",))
        moved["drafts"] = [draft.pk for draft in drafts if _give_draft(draft, receiver)]
    if not any(moved.values()):
        raise Conflict(_("%(name)s has no unfinished work.") % {"name": departing})
    made = HandOver.objects.create(
        project=project, leaver=departing, receiver=receiver, actor=actor, moved=moved
    )
    people = {"leaver": departing.pk, "receiver": receiver and receiver.pk}
    record_event(actor=actor, verb="hand_over", subject=made, detail=people | moved)
    return made


def _pass_on_stories(
    project: Project, departing: User, receiver: User | None
) -> list[tuple[int, int | None]]:
    """End the departing member's unfinished assignments, and create the same assignments for the receiver.

    Return (id of the ended assignment, id of the new one or None).
    """
    held = unfinished(project, departing).select_related(None).order_by("story")
    passed = []
    for assignment in held.select_for_update(of=("self",)):
        _end(assignment)
        begun = None
        live = WritingAssignment.objects.filter(story=assignment.story_id, given_back_at=None)
        if receiver and not live.filter(writer=receiver).exists():
            begun = WritingAssignment.objects.create(
                story_id=assignment.story_id,
                writer=receiver,
                source=AssignmentSource.NAMED,
                due_on=assignment.due_on,
            )
        passed.append((assignment.pk, begun.pk if begun else None))
    return passed


def _end(assignment: WritingAssignment) -> None:
    assignment.given_back_at = timezone.now()
    assignment.save(update_fields=["given_back_at"])


def _pass_on_items(project: Project, departing: User, receiver: User | None) -> list[int]:
    found = assigned_items(project, departing).select_related(None)
    if receiver is None:
        found = found.filter(offered_at=None)
    passed = []
    for item in found.select_for_update(of=("self",)):
        if receiver is None:
            item.offered_at = timezone.now()
        else:
            item.writer, item.offered_at = receiver, None
        item.save(update_fields=["writer", "offered_at"])
        passed.append(item.pk)
    return passed


def _give_draft(draft: ItemDraft, receiver: User) -> bool:
    """Move a draft to another writer and return True. Its contributors stay the same.

    Return False if the writer has another draft of the same item, or a draft with the same client id.
    """
    if draft.item is not None and living_drafts(receiver, draft.item).exists():
        return False
    if ItemDraft.objects.filter(writer=receiver, client_id=draft.client_id).exists():
        return False
    draft.writer = receiver
    draft.save(update_fields=["writer"])
    return True


@transaction.atomic
def take_over_item(*, actor: User, item: Item) -> Item:
    """Take over an item and its draft: the actor becomes the writer.

    The item must have been offered, or returned long ago. Raise `Conflict` if it is not, or no longer,
    available.
    """
    require(may_add_items(actor, item.project))
    require(may_write(actor, item.project))
    item = lock_item(item)
    if not waiting_for_somebody(item.project, actor).filter(pk=item.pk).exists():
        raise Conflict(_("This item is with its writer, or someone else has taken it over."))
    before = item.writer
    item.writer, item.offered_at = actor, None
    item.save(update_fields=["writer", "offered_at"])
    for draft in living_drafts(before, item).select_for_update(of=("self",)):
        _give_draft(draft, actor)
    record_event(actor=actor, verb="take_over_item", subject=item, detail={"from": before.pk})
    return item


@transaction.atomic
def assign_item(*, actor: User, item: Item, writer: User) -> Item:
    """Make another writer the writer of an item that must be revised, and move its draft. Only managers may.

    Raise `Conflict` if the item is not to be revised, if it already belongs to this writer, or if the writer
    may not write in the project.
    """
    item = lock_item(item)
    require(has_permission(actor, item.project, Permission.CHANGE_WRITING))
    if item.state not in WITH_WRITER or (item.writer_id == writer.pk and item.offered_at is None):
        raise Conflict(_("This item cannot be assigned now."))
    if not may_write(writer, item.project):
        raise Conflict(_("%(name)s is not a writer in this project.") % {"name": writer})
    _assign(actor, item, writer)
    return item


def _assign(actor: User, item: Item, writer: User, offered_at: datetime | None = None) -> None:
    before = item.writer
    item.writer, item.offered_at = writer, offered_at
    item.save(update_fields=["writer", "offered_at"])
    for draft in living_drafts(before, item).select_for_update(of=("self",)):
        _give_draft(draft, writer)
    record_event(actor=actor, verb="assign_item", subject=item, detail={"from": before.pk, "to": writer.pk})


@transaction.atomic
def undo_assignment(
    *, actor: User, item: Item, receiver: User, writer: User, offered_at: datetime | None
) -> Item:
    """Return an assigned item to its former writer, even to a former member. Only managers may.

    `offered_at` is the item's former value, which is restored. Raise `Conflict` if the receiver no longer has
    the item.
    """
    item = lock_item(item)
    require(has_permission(actor, item.project, Permission.CHANGE_WRITING))
    if item.state not in WITH_WRITER or item.writer_id != receiver.pk or item.offered_at is not None:
        raise Conflict(_("The item has changed since."))
    _assign(actor, item, writer, offered_at)
    return item


class HandedBack(NamedTuple):
    """The numbers of stories, items and drafts that were returned to a departing member."""

    stories: int
    items: int
    drafts: int


@transaction.atomic
def hand_back(*, actor: User, hand_over: HandOver) -> HandedBack:
    """Undo a handover, except for stories, items and drafts that have been worked on since.

    Only managers may, and only once. Released review requests are not claimed again: they stay in the queue.
    """
    hand_over = HandOver.objects.select_for_update(of=("self",)).get(pk=hand_over.pk)
    require(has_permission(actor, hand_over.project, Permission.CHANGE_WRITING))
    if hand_over.undone_at is not None:
        raise Conflict(_("This handover was already undone."))
    moved: dict[str, Any] = hand_over.moved
    back = HandedBack(
        stories=sum(_story_back(hand_over, ended, begun) for ended, begun in moved["assignments"]),
        items=sum(_item_back(hand_over, pk) for pk in moved["items"]),
        drafts=sum(_draft_back(hand_over, pk) for pk in moved["drafts"]),
    )
    hand_over.undone_at = timezone.now()
    hand_over.save(update_fields=["undone_at"])
    record_event(actor=actor, verb="hand_back", subject=hand_over, detail=back._asdict())
    return back


def _story_back(hand_over: HandOver, ended: int, begun: int | None) -> bool:
    old = WritingAssignment.objects.select_for_update().get(pk=ended)
    live = WritingAssignment.objects.filter(story=old.story_id, given_back_at=None)
    if live.filter(writer=old.writer_id).exists():
        return False
    if begun is not None:
        new = live.select_for_update().filter(pk=begun).first()
        if new is None:
            return False
        items = Item.objects.filter(story=new.story_id, writer=new.writer_id)
        if items.filter(created_at__gt=new.created_at).exists():
            return False
        _end(new)
    elif hand_over.receiver_id is None:
        place = WritingPlaces.objects.select_for_update().get(story=old.story_id)
        if place.writers >= hand_over.project.writers_per_story:
            return False
    old.given_back_at = None
    old.save(update_fields=["given_back_at"])
    return True


def _item_back(hand_over: HandOver, pk: int) -> bool:
    """Return an item to the departing member unless its state or writer has changed since the handover.

    Return whether the item was returned.
    """
    item = Item.objects.select_for_update(of=("self",)).get(pk=pk)
    put_with = hand_over.receiver_id or hand_over.leaver_id
    moved_on = item.transitions.filter(at__gt=hand_over.at).exists()
    if moved_on or item.writer_id != put_with or item.state not in {State.RETURNED, State.DRAFT}:
        return False
    item.writer_id, item.offered_at = hand_over.leaver_id, None
    item.save(update_fields=["writer", "offered_at"])
    return True


def _draft_back(hand_over: HandOver, pk: int) -> bool:
    draft = (
        ItemDraft.objects.select_for_update(of=("self",))
        .filter(pk=pk, writer=hand_over.receiver_id, deleted_at=None, submitted_as=None)
        .first()
    )
    return draft is not None and _give_draft(draft, hand_over.leaver)
