"""Services that change an item's state. No other code does."""

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation import hooks
from annotation.errors import NoSuchMove
from annotation.lifecycle import NOTHING, check_move, check_taking_back
from annotation.models import Cause, Item, Revision, State, Transition
from core.errors import Conflict


def lock_item(item: Item) -> Item:
    """Return the item with its present values, locked until the transaction ends."""
    return Item.objects.select_for_update(of=("self",)).select_related("current").get(pk=item.pk)


def move_item(
    item: Item,
    to_state: str,
    *,
    actor: User,
    cause: str,
    reason: str = "",
    revision: Revision | None = None,
) -> Transition:
    """Move a locked item to a state, record the transition, and call the handlers of the state.

    Raise `Conflict` if the lifecycle has no such move.
    """
    try:
        check_move(item.state, to_state)
    except NoSuchMove as error:
        raise Conflict(_no_such_move(error)) from error
    if revision is not None:
        item.current = revision
    return _record(item, item.state, to_state, actor, cause, reason)


def take_back(item: Item, move: Transition, *, actor: User) -> Transition:
    """Undo a move: return a locked item to the state before the move.

    Raise `Conflict` if the item has moved since, or if the lifecycle does not allow undoing the move.
    """
    last = Transition.objects.filter(item=item).order_by("-pk").first()
    if last is None or last.pk != move.pk:
        raise Conflict(_("The item has changed since."))
    try:
        check_taking_back(item.state, move.from_state)
    except NoSuchMove as error:
        raise Conflict(_no_such_move(error)) from error
    return _record(item, item.state, move.from_state, actor, Cause.TAKEN_BACK)


def apply_verdict(
    *, actor: User, item: Item, revision_id: int | None, to_state: str, cause: str, reason: str = ""
) -> Item:
    """Move a locked item to the state that follows from the verdicts on it.

    Raise `Conflict` if the item has another revision now.
    """
    if item.current_id != revision_id:
        raise Conflict(_("The item has changed since; this verdict is about an older revision."))
    move_item(item, to_state, actor=actor, cause=cause, reason=reason)
    return item


def begin_life(item: Item, *, actor: User, cause: str) -> Transition:
    """Record the first transition of an item that has just been created, into its initial state."""
    check_move(NOTHING, item.state)
    return _record(item, NOTHING, item.state, actor, cause)


def _record(
    item: Item, from_state: str, to_state: str, actor: User, cause: str, reason: str = ""
) -> Transition:
    transition = Transition.objects.create(
        item=item,
        revision_id=item.current_id,
        from_state=from_state,
        to_state=to_state,
        actor=actor,
        cause=cause,
        reason=reason,
    )
    item.state = to_state
    item.changed_at = timezone.now()
    item.save(update_fields=["state", "current", "changed_at"])
    hooks.announce([transition])
    return transition


def _no_such_move(error: NoSuchMove) -> str:
    labels = dict(State.choices)
    return _("An item in state “%(here)s” cannot become “%(there)s”.") % {
        "here": labels.get(error.from_state, error.from_state),
        "there": labels.get(error.to_state, error.to_state),
    }
