"""Queries of the queues of all projects together, for operators of the site. Reads only."""

from datetime import datetime
from typing import Final, NamedTuple

from django.db import connection

from review.models import Stage
from review.sql import SITE_BACKLOG

MOST_COUNTED: Final = 10_000
"""Counts end at this number, so that a large project makes them no slower."""


class Backlog(NamedTuple):
    """The open requests of a stage: how many, up to `MOST_COUNTED`, and since when the oldest one waits."""

    open: int
    oldest: datetime | None


def site_backlog() -> dict[str, Backlog]:
    """Return the open requests of each stage, without those of archived projects."""
    with connection.cursor() as cursor:
        cursor.execute(SITE_BACKLOG, {"most": MOST_COUNTED, "stages": [str(stage) for stage in Stage]})
        return {stage: Backlog(count, oldest) for stage, count, oldest in cursor.fetchall()}
