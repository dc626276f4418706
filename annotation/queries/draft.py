"""Queries of drafts: the user's own, those of an item, and discarded ones."""

from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import (
    Item,
    ItemDraft,
)
from core.errors import Hidden
from projects.models import Project
from projects.queries import roles_of


def drafts_of(user: User, project: Project) -> QuerySet[ItemDraft]:
    """Return this user's drafts that are neither submitted nor discarded, newest first."""
    return (
        ItemDraft.objects.filter(writer=user, project=project, deleted_at=None, submitted_as=None)
        .select_related("story__current", "item")
        .order_by("-updated_at")
    )


def living_drafts(user: User, item: Item) -> QuerySet[ItemDraft]:
    """Return this user's draft of a new wording of the item, unless it is submitted or discarded.

    The queryset has at most one row.
    """
    return ItemDraft.objects.filter(item=item, writer=user, deleted_at=None, submitted_as=None)


def discarded_by(user: User, project: Project) -> QuerySet[ItemDraft]:
    """Return the drafts that this user has discarded, newest first."""
    return (
        ItemDraft.objects.filter(writer=user, project=project, submitted_as=None, deleted_at__isnull=False)
        .select_related("story__current", "item")
        .order_by("-deleted_at")
    )


def get_draft(*, user: User, client_id: UUID) -> ItemDraft:
    """Return the user's own draft with this client id.

    Raise `Hidden` if there is none, or if the user is not a member of its project.
    """
    draft = (
        ItemDraft.objects.filter(writer=user, client_id=client_id)
        .select_related("story__current", "item__current", "project")
        .first()
    )
    if draft is None or not roles_of(user, draft.project):
        raise Hidden(_("Draft not found."))
    return draft
