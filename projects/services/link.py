"""Caches new invitation links, which their creator can read for an hour or until they hide them.

The database has only the hashes of links. The links themselves are in Redis, where they expire.
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
    """Cache these new links for an hour, together with those cached before."""
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    tokens = {each.invitation.pk: each.token for each in issued}
    cached: dict[int, str] = cache.get(_name(actor, project), {})
    cache.set(_name(actor, project), cached | tokens, KEPT_SECONDS)


def cached_links(*, actor: User, project: Project) -> list[Issued]:
    """Return the unused links that this user created within the last hour and has not hidden."""
    cached: dict[int, str] = cache.get(_name(actor, project), {})
    if not cached:
        return []
    waiting = pending_invitations(project).filter(pk__in=cached).order_by("pk")
    return [Issued(invitation, cached[invitation.pk]) for invitation in waiting]


def put_links_away(*, actor: User, project: Project) -> None:
    """Delete the cached links; the links themselves remain valid."""
    cache.delete(_name(actor, project))
