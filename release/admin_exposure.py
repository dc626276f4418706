"""Audit records of the released keys that the admin has displayed to an administrator."""

from __future__ import annotations

from django.db.models import Model, QuerySet

from accounts.models import User
from release.models import ReleaseItem
from release.services import record_released_key_exposures
from web.admin import Follower


def released_keys_at(path: str) -> Follower:
    """Return a `Follower` for rows that refer to released items: it records views of these items' keys."""

    def follow(user: User, rows: QuerySet[Model]) -> None:
        found = ReleaseItem.objects.filter(pk__in=rows.order_by().values(path))
        record_released_key_exposures(actor=user, released=found)

    return follow
