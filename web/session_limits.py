"""Which of the wanted time limits a database session does not have."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings

_ZERO: Final = "SELECT name FROM unnest(%s::text[]) AS name WHERE current_setting(name) = '0'"


def missing_limits(cursor: Any) -> list[str]:
    """Return the names of PostgreSQL's settings that limit nothing in this session, and should.

    A pooler that ignores start-up options drops the time limits without an error. Behind one, the role of
    DATABASE_URL must have the limit that web processes otherwise set for their own sessions, too.
    """
    wanted = {"idle_in_transaction_session_timeout": settings.IDLE_TRANSACTION_SECONDS}
    if settings.POOLER:
        wanted["lock_timeout"] = settings.LOCK_SECONDS
    cursor.execute(_ZERO, [[name for name, seconds in wanted.items() if seconds]])
    return [name for (name,) in cursor.fetchall()]
