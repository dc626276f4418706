"""Services that set a reviewer's verdicts aside, have the items reviewed again, and undo that for a day.

A verdict that is set aside stays as it is, but counts no longer: not in its round, not in statistics. What a
release has is not changed, since a release is frozen.
"""

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import Item, State, Transition
from annotation.services import reopen_item, restore_item
from annotation.services.transition import lock_item
from core.errors import Conflict, ParableError, Unusable, require
from jobs.job_types import Report, quiet
from jobs.services import order_job
from projects.models import Project
from review.models import RequestState, Review, ReviewRequest, SetAside
from review.permissions import may_change_reviews
from review.queries.set_aside import (
    MOST_VERDICTS,
    SET_ASIDE,
    may_be_undone,
    standings_of,
    verdicts_of,
)
from review.queries.statistics import STATISTICS
from review.services.request import replace_request
from review.services.verdict import close_round_if_complete
from review.set_aside import Effect, effect_on_item

AT_ONCE: Final = 200
"""Up to this number of items are changed within the request. With more items, a job changes all of them."""
_CHUNK: Final = 100
LONGEST_REASON: Final = 4000

Change = list[Any]
"""An item's id, the ids of its reviews, the move that sent it back, and the new request; None for neither."""


@transaction.atomic
def order_set_aside(
    *,
    actor: User,
    project: Project,
    reviewer: User,
    reason: str,
    since: datetime | None = None,
    until: datetime | None = None,
) -> SetAside:
    """Set aside the reviewer's verdicts of a span and have their items reviewed again. Managers only.

    Up to `AT_ONCE` items are done on return; more are done by a job, which the caller dispatches. Raise
    `Unusable` without a reason, `Conflict` if there are no such verdicts, or too many.
    """
    require(may_change_reviews(actor, project))
    if not reason.strip():
        raise Unusable(_("Enter a reason."), "reason")
    until = min(until or timezone.now(), timezone.now())
    verdicts = verdicts_of(project, reviewer, since, until)
    if verdicts.order_by()[: MOST_VERDICTS + 1].count() > MOST_VERDICTS:
        refusal = _("These are more than %(most)s verdicts. Select a shorter span.")
        raise Conflict(refusal % {"most": MOST_VERDICTS})
    items = list(verdicts.order_by("item").values_list("item", flat=True).distinct())
    if not items:
        raise Conflict(_("There are no verdicts in this span."))
    order = SetAside.objects.create(
        project=project,
        reviewer=reviewer,
        actor=actor,
        reason=reason.strip()[:LONGEST_REASON],
        since=since,
        until=until,
        rows=items,
    )
    detail = {"user": reviewer.pk, "items": len(items)}
    record_event(actor=actor, verb="set_verdicts_aside", subject=project, detail=detail)
    return _begin(order, actor, len(items))


@transaction.atomic
def undo_set_aside(*, actor: User, order: SetAside) -> SetAside:
    """Let the verdicts of an order count again, except on items that others review already. Managers only.

    Raise `Conflict` if the order is a day old, is still running, or was undone.
    """
    require(may_change_reviews(actor, order.project))
    order = SetAside.objects.select_for_update(of=("self",)).select_related("project").get(pk=order.pk)
    if order.undone_at is not None:
        raise Conflict(_("This was already undone."))
    if not may_be_undone(order):
        raise Conflict(_("This can no longer be undone."))
    order.undone_by, order.undone_at = actor, timezone.now()
    order.save(update_fields=["undone_by", "undone_at"])
    detail = {"user": order.reviewer_id, "items": len(order.changed)}
    record_event(actor=actor, verb="undo_set_verdicts_aside", subject=order.project, detail=detail)
    return _begin(order, actor, len(order.changed))


def _begin(order: SetAside, actor: User, items: int) -> SetAside:
    if items <= AT_ONCE:
        return carry_out_set_aside(order_id=order.pk)
    about = {"reviewer": order.reviewer_id}
    order_job(actor=actor, project=order.project, kind=SET_ASIDE, subject=order.pk, about=about)
    return order


def carry_out_set_aside(*, order_id: int, report: Report = quiet) -> SetAside:
    """Carry out an order, or its undoing, in transactions of `_CHUNK` items. Safe to run twice."""
    while True:
        order = _do_some(order_id)
        done, of = (
            (order.undone, len(order.changed)) if order.undone_at else (order.position, len(order.rows))
        )
        report(0, done, of)
        if not order.is_running:
            return order


@transaction.atomic
def _do_some(order_id: int) -> SetAside:
    order = SetAside.objects.select_for_update(of=("self",)).get(pk=order_id)
    if order.undone_at is not None:
        for change in order.changed[order.undone : order.undone + _CHUNK]:
            order.left += not _try_undo(order, change)
            order.undone += 1
    else:
        for item in order.rows[order.position : order.position + _CHUNK]:
            if change := _try(order, item):
                order.changed.append(change)
            order.position += 1
        if order.position >= len(order.rows):
            order.finished_at = order.finished_at or timezone.now()
    order.save(update_fields=["changed", "position", "finished_at", "undone", "left"])
    if not order.is_running:
        # the figures that pages show are from the last count
        actor, project = order.undone_by or order.actor, order.project
        order_job(
            actor=actor, project=project, kind=STATISTICS, subject=project.pk, again=True, is_capped=False
        )
    return order


@transaction.atomic
def close_set_aside(*, order_id: int) -> None:
    """Set the end of an order, or of its undoing, that an error has stopped; the rest stays as it is."""
    order = SetAside.objects.select_for_update(of=("self",)).get(pk=order_id)
    order.finished_at = order.finished_at or timezone.now()
    if order.undone_at is not None:
        order.left += len(order.changed) - order.undone
        order.undone = len(order.changed)
    order.save(update_fields=["finished_at", "left", "undone"])


# --- one item ---


def _try(order: SetAside, item: int) -> Change | None:
    try:
        with transaction.atomic():
            return _set_aside_on(order, lock_item(Item(pk=item)))
    except ParableError:
        return None


def _set_aside_on(order: SetAside, item: Item) -> Change | None:
    """Set the reviewer's verdicts on a locked item aside; return what undoing needs, or None."""
    verdicts = verdicts_of(order.project, order.reviewer, order.since, order.until).filter(item=item)
    standings = standings_of(verdicts).get(item.pk)
    if standings is None:
        return None
    effect = effect_on_item(standings)
    reviews = list(verdicts.order_by("pk").select_related("request"))
    Review.objects.filter(pk__in=[one.pk for one in reviews]).update(set_aside=order)
    move = request = None
    if effect == Effect.REOPEN:
        reopen_item(actor=order.actor, item=item, reason=order.reason)
        move = Transition.objects.filter(item=item).order_by("-pk").values_list("pk", flat=True)[0]
    elif effect == Effect.REPLACE:
        request = replace_request(reviews[-1].request).pk
    return [item.pk, [one.pk for one in reviews], move, request]


def _try_undo(order: SetAside, change: Change) -> bool:
    """Undo a change if nobody has begun to review the item again; return whether it was undone."""
    try:
        with transaction.atomic():
            _undo(order, change)
    except ParableError:
        return False
    return True


def _undo(order: SetAside, change: Change) -> None:
    pk, reviews, move, request = change
    # claims and answers lock the item, too, so none can be made before this transaction ends
    item = lock_item(Item(pk=pk))
    new = ReviewRequest.objects.filter(opened_by=move) if move else ReviewRequest.objects.filter(pk=request)
    is_claimed = new.filter(claimed_by__isnull=False).exists()
    if is_claimed or Review.objects.filter(request__in=new).exists():
        raise Conflict(_("Someone is reviewing this item now."))
    if request and not new.filter(state=RequestState.OPEN).exists():
        raise Conflict(_("The item has changed since."))
    Review.objects.filter(pk__in=reviews).update(set_aside=None)
    if move:
        undone_by = order.undone_by or order.actor
        restore_item(actor=undone_by, item=item, move=Transition.objects.get(pk=move))
    elif request:
        new.update(state=RequestState.CLOSED, closed_at=timezone.now())
        if item.state == State.IN_REVIEW:
            close_round_if_complete(Review.objects.select_related("request__project").get(pk=reviews[-1]))
