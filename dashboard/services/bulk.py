"""One thing done to many items, item by item through the services that do it to one, and undone again."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import Item, Transition
from annotation.services import (
    assign_item,
    request_another_look,
    restore_item,
    retire_item,
    undo_assignment,
)
from core.errors import Conflict, ParableError, Unusable, require
from dashboard.models import BulkAction, Verb
from dashboard.queries.listing import BULK, STATES
from jobs.kinds import Report, quiet
from jobs.services import order_work
from projects.models import Project
from projects.permissions import may_manage
from review.models import PlaceState, Priority, Review, ReviewRequest
from review.services import set_priority
from web.listing import MOST

AT_ONCE: Final = 200
"""So many items are done with in the request; more are a job."""
_CHUNK: Final = 100
_ASKS_REASON: Final = (Verb.RETURN, Verb.RETIRE)


@transaction.atomic
def order_bulk(
    *,
    actor: User,
    project: Project,
    verb: str,
    items: Iterable[int],
    reason: str = "",
    receiver: User | None = None,
) -> BulkAction:
    """Do one thing to those of these items that it can be done to. Managers only.

    Up to `AT_ONCE` items are done with on return, more are left to a job. Raises `Unusable` naming `reason`
    or `receiver` where it is missing, `Conflict` where there is nothing to do.
    """
    require(may_manage(actor, project))
    _check(verb, reason, receiver)
    able = Item.objects.filter(project=project, pk__in=list(items)[:MOST], state__in=STATES[verb])
    chosen = list(able.order_by("pk").values_list("pk", flat=True))
    if not chosen:
        raise Conflict(_("None of the selected items can be changed like this."))
    made = BulkAction.objects.create(
        project=project, actor=actor, verb=verb, reason=reason.strip(), receiver=receiver, items=chosen
    )
    detail = {"verb": verb, "items": len(chosen)}
    record_event(actor=actor, verb="bulk_action", subject=made, detail=detail)
    return _begin(made)


def _check(verb: str, reason: str, receiver: User | None) -> None:
    if verb not in Verb.values:
        raise Unusable(_("Select an action."), {"verb": _("unknown")})
    if verb in _ASKS_REASON and not reason.strip():
        raise Unusable(_("Enter a reason."), {"reason": _("Enter a reason.")})
    if verb == Verb.ASSIGN and receiver is None:
        raise Unusable(_("Select a writer."), {"receiver": _("Select a writer.")})


@transaction.atomic
def undo_bulk(*, actor: User, bulk: BulkAction) -> BulkAction:
    """Take back what was done to many items, as far as nobody has touched them since. Managers only; once.

    Raises `Conflict` where it is undone already, is still being done, or is itself an undoing.
    """
    bulk = BulkAction.objects.select_for_update(of=("self",)).get(pk=bulk.pk)
    require(may_manage(actor, bulk.project))
    if bulk.undoes_id or BulkAction.objects.filter(undoes=bulk).exists():
        raise Conflict(_("This was already undone."))
    if bulk.finished_at is None:
        raise Conflict(_("This is still being done. Undo it when it has ended."))
    made = BulkAction.objects.create(
        project=bulk.project,
        actor=actor,
        verb=bulk.verb,
        undoes=bulk,
        receiver=bulk.receiver,
        items=[item for item, _before in bulk.changed],
    )
    record_event(actor=actor, verb="undo_bulk_action", subject=bulk, detail={"items": len(made.items)})
    return _begin(made)


def _begin(made: BulkAction) -> BulkAction:
    if len(made.items) <= AT_ONCE:
        return carry_out_bulk(bulk_id=made.pk)
    order_work(actor=made.actor, project=made.project, kind=BULK, subject=made.pk)
    return made


def carry_out_bulk(*, bulk_id: int, report: Report = quiet) -> BulkAction:
    """Do what was ordered, some items a transaction; what is done already is not done again."""
    while True:
        bulk = _do_some(bulk_id)
        report(0, bulk.position, len(bulk.items))
        if bulk.finished_at is not None:
            return bulk


@transaction.atomic
def _do_some(bulk_id: int) -> BulkAction:
    bulk = BulkAction.objects.select_for_update(of=("self",)).get(pk=bulk_id)
    chunk = bulk.items[bulk.position : bulk.position + _CHUNK]
    bulk.changed += _undo(bulk, chunk) if bulk.undoes_id else _do(bulk, chunk)
    bulk.position += len(chunk)
    if bulk.position >= len(bulk.items):
        bulk.finished_at = bulk.finished_at or timezone.now()
    bulk.save(update_fields=["changed", "position", "finished_at"])
    return bulk


Changed = list[list[Any]]


def _do(bulk: BulkAction, chunk: Sequence[int]) -> Changed:
    if bulk.verb in (Verb.FIRST, Verb.NORMAL):
        return _prioritise(bulk, chunk, Priority.FIRST if bulk.verb == Verb.FIRST else Priority.NORMAL)
    found = Item.objects.filter(pk__in=chunk).select_related("project").order_by("pk")
    return [change for item in found if (change := _try(bulk, item)) is not None]


def _try(bulk: BulkAction, item: Item) -> list[Any] | None:
    """What takes the change back; None where the item has moved on since it was chosen."""
    before = [item.writer_id, item.offered_at and item.offered_at.isoformat()]
    try:
        if bulk.verb == Verb.ASSIGN:
            assert bulk.receiver is not None  # noqa: S101 - a check constraint demands one
            assign_item(actor=bulk.actor, item=item, writer=bulk.receiver)
            return [item.pk, before]
        act = retire_item if bulk.verb == Verb.RETIRE else request_another_look
        act(actor=bulk.actor, item=item, reason=bulk.reason)
    except ParableError:
        return None
    return [item.pk, _last_move(item.pk)]


def _last_move(item: int) -> int:
    return Transition.objects.filter(item=item).order_by("-pk").values_list("pk", flat=True)[0]


def _prioritise(bulk: BulkAction, chunk: Sequence[int], priority: Priority) -> Changed:
    waiting = ReviewRequest.objects.filter(item__in=chunk, state__in=[PlaceState.OPEN, PlaceState.CLAIMED])
    others = waiting.exclude(priority=priority).order_by("item").values_list("item", "priority")
    before = dict(others)
    items = Item.objects.filter(pk__in=list(before))
    set_priority(actor=bulk.actor, project=bulk.project, items=items, priority=priority)
    return [[item, was] for item, was in before.items()]


def _undo(bulk: BulkAction, chunk: Sequence[int]) -> Changed:
    assert bulk.undoes is not None  # noqa: S101 - the caller has looked
    before = dict(bulk.undoes.changed)
    if bulk.verb in (Verb.FIRST, Verb.NORMAL):
        return _prioritise(bulk, chunk, Priority.NORMAL if bulk.verb == Verb.FIRST else Priority.FIRST)
    found = Item.objects.filter(pk__in=chunk).select_related("project").order_by("pk")
    return [[item.pk, None] for item in found if _undo_one(bulk, item, before[item.pk])]


def _undo_one(bulk: BulkAction, item: Item, before: Any) -> bool:
    try:
        with transaction.atomic():
            _put_back(bulk, item, before)
    except ParableError:
        return False
    return True


def _put_back(bulk: BulkAction, item: Item, before: Any) -> None:
    if bulk.verb == Verb.ASSIGN:
        _unassign(bulk, item, *before)
        return
    move = Transition.objects.get(pk=before)
    # a claim and an answer lock the item, too: nobody begins meanwhile
    Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
    begun = ReviewRequest.objects.filter(opened_by=move, claimed_by__isnull=False)
    if begun.exists() or Review.objects.filter(request__opened_by=move).exists():
        raise Conflict(_("The item is being reviewed."))
    restore_item(actor=bulk.actor, item=item, move=move)


def _unassign(bulk: BulkAction, item: Item, writer: int, offered_at: str | None) -> None:
    assert bulk.undoes is not None  # noqa: S101 - the caller has looked
    assert bulk.receiver is not None  # noqa: S101 - a check constraint demands one
    if item.transitions.filter(at__gt=bulk.undoes.created_at).exists():
        raise Conflict(_("The item has changed since."))
    undo_assignment(
        actor=bulk.actor,
        item=item,
        receiver=bulk.receiver,
        writer=User.objects.get(pk=writer),
        offered_at=datetime.fromisoformat(offered_at) if offered_at else None,
    )


@transaction.atomic
def close_bulk(*, bulk_id: int) -> None:
    """End what a fault has stopped, so that what was done of it can be undone."""
    bulk = BulkAction.objects.select_for_update(of=("self",)).get(pk=bulk_id)
    bulk.finished_at = bulk.finished_at or timezone.now()
    bulk.save(update_fields=["finished_at"])
