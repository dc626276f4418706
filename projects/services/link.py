"""Caches new invitation links, so that the person who created them can copy them for an hour.

The database has only hashes of the links. The links themselves are in Redis, where they expire.
"""

from collections.abc import Sequence
from typing import Final

from django.core.cache import cache

from accounts.models import User
from core.errors import require
from projects.models import Project
from projects.permissions import Permission, has_permission
from projects.queries import pending_invitations
from projects.services.invitation import Issued

KEPT_SECONDS: Final = 3600


def _name(actor: User, project: Project) -> str:
    return f"issued-links:{project.pk}:{actor.pk}"


def keep_links(*, actor: User, project: Project, issued: Sequence[Issued]) -> None:
    """Cache these new links for an hour, in addition to links cached earlier."""
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    tokens = {each.invitation.pk: each.token for each in issued}
    cached: dict[int, str] = cache.get(_name(actor, project), {})
    cache.set(_name(actor, project), cached | tokens, KEPT_SECONDS)


def cached_links(*, actor: User, project: Project) -> list[Issued]:
    """Return the pending invitations that are still cached for the user, with their tokens, oldest first."""
    cached: dict[int, str] = cache.get(_name(actor, project), {})
    if not cached:
        return []
    waiting = pending_invitations(project).filter(pk__in=cached).order_by("pk")
    return [Issued(invitation, cached[invitation.pk]) for invitation in waiting]


def put_links_away(*, actor: User, project: Project) -> None:
    """Delete the user's links from the cache. They remain valid."""
    cache.delete(_name(actor, project))
