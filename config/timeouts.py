"""Time limits of database sessions, which PostgreSQL applies from the start of a session."""

from __future__ import annotations

from typing import Any


def limit_sessions(database: dict[str, Any], **seconds: int) -> None:
    """Add time limits in seconds to Django's settings for a database. 0 leaves the server's own limit.

    The names are PostgreSQL's, such as `statement_timeout`.
    """
    options = database.setdefault("OPTIONS", {})
    limits = [f"-c {name}={value}s" for name, value in seconds.items() if value]
    if limits:
        options["options"] = " ".join([*filter(None, [options.get("options")]), *limits])


def limit_requests() -> None:
    """Limit the duration of SQL statements in this process, since users wait for its requests.

    A pooler would refuse or drop the limits: there, the role of DATABASE_URL has them.
    """
    from django.conf import settings

    if settings.POOLER:
        return
    limit_sessions(
        settings.DATABASES["default"],
        statement_timeout=settings.STATEMENT_SECONDS,
        lock_timeout=settings.LOCK_SECONDS,
    )
