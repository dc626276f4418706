"""Time limits of database sessions, set in PostgreSQL when a session begins."""

from __future__ import annotations

from typing import Any


def limit_sessions(database: dict[str, Any], **seconds: int) -> None:
    """Add time limits to a database in Django's settings; 0 keeps the server's own limit."""
    options = database.setdefault("OPTIONS", {})
    limits = [f"-c {name}={value}s" for name, value in seconds.items() if value]
    if limits:
        options["options"] = " ".join([*filter(None, [options.get("options")]), *limits])


def limit_requests() -> None:
    """Limit the duration of statements in this process, since users wait for its requests."""
    from django.conf import settings

    limit_sessions(
        settings.DATABASES["default"],
        statement_timeout=settings.STATEMENT_SECONDS,
        lock_timeout=settings.LOCK_SECONDS,
    )
