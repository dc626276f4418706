"""Links that were just made, kept readable for a while: for who made them, until they put them away.

The database holds only what a link hashes to. Here they are beside it, in Redis, which forgets by itself.
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
    """Keep links beside those that are still kept; an hour from now all are forgotten."""
    require(has_permission(actor, project, Permission.CHANGE_PEOPLE))
    tokens = {each.invitation.pk: each.token for each in issued}
    kept: dict[int, str] = cache.get(_name(actor, project), {})
    cache.set(_name(actor, project), kept | tokens, KEPT_SECONDS)


def kept_links(*, actor: User, project: Project) -> list[Issued]:
    """The links that this person has made in the last hour and not put away, if nobody has used them yet."""
    kept: dict[int, str] = cache.get(_name(actor, project), {})
    if not kept:
        return []
    waiting = pending_invitations(project).filter(pk__in=kept).order_by("pk")
    return [Issued(invitation, kept[invitation.pk]) for invitation in waiting]


def put_links_away(*, actor: User, project: Project) -> None:
    """Forget the kept links now; they go on working."""
    cache.delete(_name(actor, project))
