"""Services that return an item to its writer and undo managers' moves, unless a review of it has begun."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item, Transition
from annotation.services import restore_item, return_item
from core.errors import Conflict
from dashboard.queries.item_list import claimed_of
from review.models import Review, ReviewRequest


@transaction.atomic
def send_back_item(*, actor: User, item: Item, reason: str) -> Item:
    """Return an item under review to its writer, with a reason. Only managers may.

    Raise `Conflict` if someone is reviewing it now.
    """
    # claiming a request locks the item, too, so no claim can be made before this transaction ends
    Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
    if claimed_of(item.pk).exists():
        raise Conflict(_("Someone is reviewing this item now."))
    return return_item(actor=actor, item=item, reason=reason)


@transaction.atomic
def undo_move(*, actor: User, item: Item, move: Transition) -> Item:
    """Undo a manager's move of an item: its retirement, its re-review, or its return. Only managers may.

    Raise `Conflict` if it is not the item's last move, or if a review or a revision has begun since.
    """
    # claims and answers lock the item, too, so none can be made before this transaction ends
    Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
    begun = ReviewRequest.objects.filter(opened_by=move, claimed_by__isnull=False)
    if begun.exists() or Review.objects.filter(request__opened_by=move).exists():
        raise Conflict(_("Someone is reviewing this item now."))
    return restore_item(actor=actor, item=item, move=move)
