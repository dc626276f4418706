"""Services for comments on an item, and for contesting a decision about it, which is possible once."""

from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Cause, Comment, Item, State
from annotation.permissions import may_comment
from annotation.places import places_of
from annotation.queries.contest import stands_as_edited, was_contested
from annotation.queries.item import revision_content
from annotation.services.transition import lock_item, move_item
from core.errors import Conflict, Forbidden, Unusable, require
from parable.formats.fields import one_line_end

LONGEST_COMMENT: Final = 4000


@transaction.atomic
def add_comment(*, actor: User, item: Item, text: str, about: str = "") -> Comment:
    """Save a comment on the item's current revision.

    `about`: a code of `places_of` the revision, or "" for the whole item. Raise `Unusable` for any other
    code, and if the text is empty or too long.
    """
    require(may_comment(actor, item))
    if about and (item.current is None or about not in places_of(revision_content(item.current, item.task))):
        raise Unusable(_("Select what the comment is about."), "about")
    words = _words(text, "text", _("The comment is empty."))
    return Comment.objects.create(item=item, revision=item.current, author=actor, about=about, text=words)


@transaction.atomic
def contest_rejection(*, actor: User, item: Item, reason: str) -> Item:
    """Send a rejected item to adjudication at its writer's request, with a reason.

    An item can be contested once.
    """
    item = _contested_by(actor, item)
    words = _words(reason, "reason", _("Enter a reason."))
    if item.state != State.REJECTED:
        raise Conflict(_("This item was not rejected."))
    move_item(item, State.IN_ADJUDICATION, actor=actor, cause=Cause.CONTESTED, reason=words)
    return item


@transaction.atomic
def contest_edit(*, actor: User, item: Item, reason: str) -> Item:
    """Send an item to adjudication because its writer contests a reviewer's edit that was adopted.

    An item can be contested once, and only while it is under review.
    """
    item = _contested_by(actor, item)
    words = _words(reason, "reason", _("Enter a reason."))
    if not stands_as_edited(item):
        raise Conflict(
            _("You can contest only a reviewer's edit, and only while the item is in review or verification.")
        )
    move_item(item, State.IN_ADJUDICATION, actor=actor, cause=Cause.CONTESTED_EDIT, reason=words)
    return item


def _contested_by(actor: User, item: Item) -> Item:
    """Return the locked item. Raise an error if the actor may not contest a decision about it."""
    item = lock_item(item)
    if item.writer_id != actor.pk:
        raise Forbidden(_("Only the writer can contest a decision about this item."))
    if was_contested(item):
        raise Conflict(_("This item was already contested once; the ruling is final."))
    return item


def _words(text: str, field: str, when_empty: str) -> str:
    """Return the trimmed text without NUL. Raise `Unusable` if it is empty or too long."""
    words = one_line_end(text).replace("\x00", "").strip()
    if not words:
        raise Unusable(when_empty, field)
    if len(words) > LONGEST_COMMENT:
        message = _("Too long: at most %(limit)d characters.") % {"limit": LONGEST_COMMENT}
        raise Unusable(message, field)
    return words
