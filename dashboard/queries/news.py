"""Queries of the numbers of new things in a user's inbox, in one statement over all projects."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.core.cache import cache
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from redis.exceptions import RedisError

from accounts.models import User
from accounts.queries import ONE_VISIT
from annotation.queries.pilot import WITHHELD_FROM
from jobs.queries import AT_THE_DESK
from projects.permissions import Permission, roles_with
from review.permissions import TO_JUDGE
from review.sql import HELD_AS_NEW

MOST: Final = 100
"""The maximum number of news that are counted, for each kind and project."""
KEPT_SECONDS: Final = 60
JOBS_STAY: Final = timedelta(days=7)
"""An ended job stays in the inbox for this long, unless the user marks it as read earlier."""
JUST_NOW: Final = timedelta(seconds=2)
AT_FIRST: Final = timedelta(days=7)
"""For a user who has never opened the inbox, events of this last period count as new."""

_NEWS: Final = f"""
WITH held AS (
    SELECT project_id, array_agg(role::text) AS roles FROM projects_membership
    WHERE user_id = %(user)s
      AND project_id NOT IN (SELECT id FROM projects_project WHERE archived_at IS NOT NULL)
    GROUP BY project_id
)
SELECT kind, project, count(*) FROM (
    (SELECT 'returned' AS kind, item.project_id AS project
    FROM annotation_item AS item JOIN held ON held.project_id = item.project_id
    WHERE item.writer_id = %(user)s AND item.state = 'returned' AND EXISTS (
        SELECT 1 FROM annotation_transition AS move
        WHERE move.item_id = item.id AND move.to_state = 'returned' AND move.at > %(since)s
    )
    LIMIT %(most)s)
    UNION ALL
    (SELECT found.stage, held.project_id FROM held
    CROSS JOIN unnest(%(stages)s::text[], %(roles)s::text[]) AS wanted(stage, roles)
    CROSS JOIN LATERAL (SELECT {WITHHELD_FROM.replace("%(project)s", "held.project_id")} AS stories) AS kept
    CROSS JOIN LATERAL (
        SELECT request.stage FROM review_reviewrequest AS request
        WHERE request.project_id = held.project_id AND request.stage = wanted.stage AND request.state = 'open'
          AND request.revision_id IS NOT NULL AND request.opened_at > %(since)s
          AND NOT request.excluded @> ARRAY[%(user)s]::bigint[]
          AND NOT request.story_id = ANY(kept.stories::bigint[])
        ORDER BY request.opened_at DESC  -- so that it is found by its index, however long the queue
        LIMIT %(most)s
    ) AS found
    WHERE held.roles && string_to_array(wanted.roles, ' '))
    UNION ALL
    (SELECT request.stage, held.project_id FROM held
    CROSS JOIN unnest(%(stages)s::text[], %(roles)s::text[]) AS wanted(stage, roles)
    JOIN review_reviewrequest AS request
        ON request.project_id = held.project_id AND request.stage = wanted.stage
    WHERE held.roles && string_to_array(wanted.roles, ' ') AND {HELD_AS_NEW} AND request.opened_at > %(since)s
    LIMIT %(most)s)
    UNION ALL
    (SELECT 'deputy', held.project_id FROM review_deputy AS deputy
    JOIN review_reviewrequest AS request ON request.id = deputy.request_id
    JOIN held ON held.project_id = request.project_id
    WHERE deputy.person_id = %(user)s AND deputy.at > %(since)s
      AND (request.state = 'open' AND NOT request.excluded @> ARRAY[%(user)s]::bigint[]
        OR request.state = 'claimed' AND request.claimed_by_id = %(user)s)
    LIMIT %(most)s)
    UNION ALL
    (SELECT 'job', held.project_id FROM held CROSS JOIN LATERAL (
        SELECT 1 FROM jobs_work AS work
        WHERE work.project_id = held.project_id AND work.finished_at > %(read)s
          AND work.state IN ('done', 'failed') AND NOT work.title_code = ANY(%(desk)s)
          AND (work.created_by_id = %(user)s OR work.state = 'failed' AND held.roles && %(overseers)s::text[])
        LIMIT %(most)s
    ) AS found)
    UNION ALL
    (SELECT 'joined', held.project_id FROM held
    JOIN projects_invitation AS invitation ON invitation.project_id = held.project_id
    WHERE held.roles && %(managers)s::text[] AND invitation.accepted_at > %(since)s
      AND invitation.revoked_at IS NULL LIMIT %(most)s)
    UNION ALL
    (SELECT 'report', held.project_id FROM held
    JOIN release_release AS release ON release.project_id = held.project_id
    JOIN release_releaseitem AS released ON released.release_id = release.id
    JOIN release_errorreport AS report ON report.released_id = released.id
    WHERE held.roles && %(managers)s::text[] AND report.answered_at IS NULL AND report.created_at > %(since)s
    LIMIT %(most)s)
    UNION ALL
    (SELECT 'webhook', held.project_id FROM held
    JOIN events_webhook AS webhook ON webhook.project_id = held.project_id AND webhook.is_active
    JOIN events_delivery AS delivery ON delivery.webhook_id = webhook.id
    WHERE held.roles && %(managers)s::text[] AND delivery.state = 'given_up' AND delivery.repeated_at IS NULL
      AND delivery.ended_at > %(since)s
    LIMIT %(most)s)
) AS news
GROUP BY kind, project
ORDER BY project, kind
"""  # noqa: S608 - put together from constants


@dataclass(frozen=True, slots=True)
class News:
    """The number of news of one kind in one project."""

    kind: str
    project: int
    count: int

    @property
    def text(self) -> str:
        """The kind and number of the news as text, such as "3 new items to review"."""
        n = self.count
        sentences = {
            "returned": ngettext(
                "%(n)d item returned with comments", "%(n)d items returned with comments", n
            ),
            "cross_check": ngettext("%(n)d new item to review", "%(n)d new items to review", n),
            "verification": ngettext("%(n)d new item to verify", "%(n)d new items to verify", n),
            "adjudication": ngettext("%(n)d new item to adjudicate", "%(n)d new items to adjudicate", n),
            "deputy": ngettext("%(n)d item assigned to you alone", "%(n)d items assigned to you alone", n),
            "job": ngettext("%(n)d job ended", "%(n)d jobs ended", n),
            "joined": ngettext("%(n)d person joined", "%(n)d people joined", n),
            "webhook": ngettext("%(n)d event not delivered", "%(n)d events not delivered", n),
            "report": ngettext("%(n)d new error report", "%(n)d new error reports", n),
        }
        return sentences[self.kind] % {"n": n}


def news_of(user: User, since: datetime) -> list[News]:
    """Return the numbers of news in the user's projects since `since`, by kind and project."""
    values: dict[str, Any] = {
        "user": user.pk,
        "since": since,
        "read": max(filter(None, (since, user.inbox_read_at, timezone.now() - JOBS_STAY))),
        "most": MOST,
        "desk": list(AT_THE_DESK),
        "managers": [str(role) for role in roles_with(Permission.MANAGE)],
        "overseers": [str(role) for role in roles_with(Permission.SEE_PROJECT)],
        "stages": [str(stage) for stage in TO_JUDGE],
        "roles": [" ".join(roles_with(permission)) for permission in TO_JUDGE.values()],
    }
    with connection.cursor() as cursor:
        cursor.execute(_NEWS, values)
        return [News(*row) for row in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class Bell:
    """The number of news, displayed beside the bell icon at the top of every page."""

    count: int

    @property
    def badge(self) -> str:
        """The number as displayed, with at most two digits: "99+" for larger numbers."""
        return str(self.count) if self.count < MOST else "99+"

    @property
    def text(self) -> str:
        """The number as text for screen readers, such as "Inbox: 3 new"."""
        if not self.count:
            return _("Inbox: nothing new")
        words = ngettext("Inbox: %(n)s new", "Inbox: %(n)s new", self.count)
        return words % {"n": self.badge}


def bell_of(user: User) -> Bell:
    """Return the number of news since the user last opened the inbox. The number is cached for a minute."""
    since = seen_until(user)
    if timezone.now() - since < JUST_NOW:
        return Bell(0)  # the user has just opened the inbox
    read = user.inbox_read_at.timestamp() if user.inbox_read_at else ""
    name = f"news:{user.pk}:{since.timestamp()}:{read}"
    try:
        count = cache.get(name)
    except RedisError:
        return Bell(0)  # pages work without the cache server
    if count is None:
        count = total(news_of(user, since))
        cache.set(name, count, KEPT_SECONDS)
    return Bell(count)


def total(news: Iterable[News]) -> int:
    """Return the total number of news."""
    return sum(each.count for each in news)


def seen_until(user: User) -> datetime:
    """Return the time at which the user last opened the inbox.

    For a user who never did, it is `AT_FIRST` ago.
    """
    return user.inbox_seen_at or _at_first()


def new_since(user: User) -> datetime:
    """Return the time after which rows are marked as new if the user opens the inbox now."""
    if user.inbox_seen_at and timezone.now() - user.inbox_seen_at < ONE_VISIT:
        return user.inbox_new_since or _at_first()
    return seen_until(user)


def _at_first() -> datetime:
    """Return the time `AT_FIRST` ago, rounded to a day so that counts can be cached."""
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return today - AT_FIRST
