"""How long a session of the database may take, set in PostgreSQL itself when the session begins."""

from __future__ import annotations

from typing import Any


def limit_sessions(database: dict[str, Any], **seconds: int) -> None:
    """Add limits to the sessions of a database of Django's; 0 leaves the server's own."""
    options = database.setdefault("OPTIONS", {})
    limits = [f"-c {name}={value}s" for name, value in seconds.items() if value]
    if limits:
        options["options"] = " ".join([*filter(None, [options.get("options")]), *limits])


def limit_requests() -> None:
    """Limit the statements of this process, as a user waits for each request."""
    from django.conf import settings

    limit_sessions(
        settings.DATABASES["default"],
        statement_timeout=settings.STATEMENT_SECONDS,
        lock_timeout=settings.LOCK_SECONDS,
    )
