"""Functions that record the keys and morals an administrator sees, for `web.admin.follow_rows`."""

from __future__ import annotations

from django.db.models import Model, QuerySet

from accounts.models import User
from annotation.models import Item
from annotation.services import record_key_exposures, record_moral_exposures
from corpus.models import Story
from web.admin import Follower


def keys_at(path: str) -> Follower:
    """Return a `Follower` for rows that refer to items: it records the user's views of these items' keys.

    `path` is the lookup from a row to the id of its item.
    """

    def follow(user: User, rows: QuerySet[Model]) -> None:
        record_key_exposures(actor=user, items=Item.objects.filter(pk__in=rows.order_by().values(path)))

    return follow


def morals_at(path: str) -> Follower:
    """Return a `Follower` for rows that refer to stories: it records the user's views of their morals.

    `path` is the lookup from a row to the id of its story.
    """

    def follow(user: User, rows: QuerySet[Model]) -> None:
        record_moral_exposures(actor=user, stories=Story.objects.filter(pk__in=rows.order_by().values(path)))

    return follow
