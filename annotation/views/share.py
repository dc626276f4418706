"""View model for the desk: how often a writer's key is the longest or shortest option."""

from dataclasses import dataclass

from accounts.models import User
from annotation.queries.sibling import own_shares
from annotation.services import check_name
from parable.quality.shares import FEWEST_ITEMS, Share
from projects.models import Project


@dataclass(frozen=True, slots=True)
class OwnShare:
    """How often the key is the longest or shortest option in a writer's newest items.

    `warnings` has the number of warnings by check.
    """

    items: int
    longest: Share
    shortest: Share
    warnings: list[tuple[str, int]]


def own_share(user: User, project: Project) -> OwnShare | None:
    """Return statistics of this writer's items; None if there are fewer than `FEWEST_ITEMS`."""
    found = own_shares(user, project)
    if found.items < FEWEST_ITEMS:
        return None
    warnings = sorted(found.findings.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [(check_name(check), count) for check, count in warnings if check != "longest_key"]
    return OwnShare(found.items, found.longest_key, found.shortest_key, named)
