"""A writer's own share of what only many items show, made ready for the desk."""

from dataclasses import dataclass

from accounts.models import User
from annotation.queries.sibling import own_shares
from annotation.services import check_name
from parable.quality.shares import FEWEST_ITEMS, Share
from projects.models import Project


@dataclass(frozen=True, slots=True)
class OwnShare:
    """Of the newest items submitted: how often the key is longest or shortest, what checks warned of."""

    items: int
    longest: Share
    shortest: Share
    warnings: list[tuple[str, int]]


def own_share(user: User, project: Project) -> OwnShare | None:
    """The share of this writer; none while they have submitted fewer than five items."""
    found = own_shares(user, project)
    if found.items < FEWEST_ITEMS:
        return None
    warnings = sorted(found.findings.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [(check_name(check), count) for check, count in warnings if check != "longest_key"]
    return OwnShare(found.items, found.longest_key, found.shortest_key, named)
