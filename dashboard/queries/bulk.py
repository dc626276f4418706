"""Queries of bulk actions. Reads only."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from dashboard.models import BulkAction
from dashboard.queries.item_list import ITEMS, items_able
from dashboard.queries.member_list import MEMBERS, members_able
from dashboard.queries.run_list import RUNS, runs_able
from dashboard.queries.story_list import STORIES, stories_able
from projects.models import Project

BULK: Final = "bulk"
SHOWS_UNDO: Final = timedelta(hours=1)
SHOWS_UNDONE: Final = timedelta(minutes=1)
"""A list offers to undo the last action for `SHOWS_UNDO`. It reports that an action was undone for
`SHOWS_UNDONE`.
"""

ABLE: Final[Mapping[str, Callable[[Project, str], QuerySet[Any]]]] = {
    ITEMS: items_able,
    STORIES: stories_able,
    RUNS: runs_able,
    MEMBERS: members_able,
}
"""For each list, a function that returns the rows to which a bulk action can be applied."""


def last_bulk(user: User, project: Project, listing: str) -> BulkAction | None:
    """Return the user's last bulk action on a list within the last hour, or None.

    If the last action undid another one, it is returned only for a minute.
    """
    now = timezone.now()
    lately = BulkAction.objects.filter(
        project=project, actor=user, listing=listing, created_at__gt=now - SHOWS_UNDO
    )
    last = lately.defer("rows").select_related("undone_by", "undoes", "receiver").order_by("-pk").first()
    return None if last and last.undoes_id and last.created_at < now - SHOWS_UNDONE else last


def get_bulk(*, project: Project, pk: int) -> BulkAction:
    """Return a bulk action of the project. Raise `Hidden` if there is none."""
    found = BulkAction.objects.filter(project=project, pk=pk).first()
    if found is None:
        raise Hidden(_("Action not found."))
    return found
