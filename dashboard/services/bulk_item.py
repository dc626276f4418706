"""Bulk actions on items."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet

from accounts.models import User
from annotation.models import Item, Transition
from annotation.services import (
    assign_item,
    request_another_look,
    retire_item,
    undo_assignment,
)
from core.errors import Conflict
from core.invariants import present
from dashboard.models import BulkAction, Verb
from dashboard.queries.story_list import in_queue
from dashboard.services.bulk_rows import Change, RowActions, before_of, each, receiver_of
from dashboard.services.item import send_back_item, undo_move
from review.models import Priority
from review.services import set_priority

PRIORITIES: Final = {Verb.FIRST: Priority.FIRST, Verb.NORMAL: Priority.NORMAL}
MOVES: Final = {
    Verb.RETURN: request_another_look,
    Verb.SEND_BACK: send_back_item,
    Verb.RETIRE: retire_item,
}
UNDONE: Final = {Verb.FIRST: Priority.NORMAL, Verb.NORMAL: Priority.FIRST}


def _do_to(bulk: BulkAction, chunk: Sequence[int]) -> list[Change]:
    """Apply the action to these items; return pairs of item id and undo data."""
    if bulk.verb in PRIORITIES:
        return prioritise(bulk, Q(item__in=chunk), PRIORITIES[Verb(bulk.verb)])
    return each(_items(chunk), lambda item: _do(bulk, item))


def _undo(bulk: BulkAction, chunk: Sequence[int]) -> list[Change]:
    """Undo the action for these items, except items on which work has begun since."""
    if bulk.verb in UNDONE:
        return prioritise(bulk, Q(item__in=chunk), UNDONE[Verb(bulk.verb)])
    before = before_of(bulk)
    return each(_items(chunk), lambda item: _put_back(bulk, item, before[item.pk]))


def _items(chunk: Sequence[int]) -> QuerySet[Item]:
    return Item.objects.filter(pk__in=chunk).select_related("project").order_by("pk")


def _do(bulk: BulkAction, item: Item) -> Change:
    if bulk.verb == Verb.ASSIGN:
        before = [item.writer_id, item.offered_at and item.offered_at.isoformat()]
        assign_item(actor=bulk.actor, item=item, writer=receiver_of(bulk))
        return [item.pk, before]
    MOVES[Verb(bulk.verb)](actor=bulk.actor, item=item, reason=bulk.reason)
    return [item.pk, Transition.objects.filter(item=item.pk).order_by("-pk").values_list("pk", flat=True)[0]]


def prioritise(bulk: BulkAction, those: Q, priority: Priority) -> list[Change]:
    """Set the priority of the items with waiting requests that match `those`.

    Return pairs of item id and former priority.
    """
    others = in_queue().filter(those).exclude(priority=priority)
    before = dict(others.order_by("item").values_list("item", "priority"))
    items = Item.objects.filter(pk__in=list(before))
    set_priority(actor=bulk.actor, project=bulk.project, items=items, priority=priority)
    return [[item, was] for item, was in before.items()]


def _put_back(bulk: BulkAction, item: Item, before: Any) -> Change:
    if bulk.verb == Verb.ASSIGN:
        undone = present(bulk.undoes, "the caller has looked")
        if item.transitions.filter(at__gt=undone.created_at).exists():
            raise Conflict("the item has changed since")
        writer, offered_at = before
        undo_assignment(
            actor=bulk.actor,
            item=item,
            receiver=receiver_of(bulk),
            writer=User.objects.get(pk=writer),
            offered_at=datetime.fromisoformat(offered_at) if offered_at else None,
        )
        return [item.pk, None]
    undo_move(actor=bulk.actor, item=item, move=Transition.objects.get(pk=before))
    return [item.pk, None]


ITEM_ACTIONS: Final = RowActions(
    verbs=(Verb.RETURN, Verb.SEND_BACK, Verb.FIRST, Verb.NORMAL, Verb.ASSIGN, Verb.RETIRE),
    do=_do_to,
    undo=_undo,
    asks_reason=(Verb.RETURN, Verb.SEND_BACK, Verb.RETIRE),
)
"""The bulk actions on items: return, send for re-review, prioritise, assign and retire."""
