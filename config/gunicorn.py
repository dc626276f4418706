"""How gunicorn runs the site; its numbers come from the settings."""

from __future__ import annotations

from typing import Any

from config import settings

bind = f"[{settings.BIND}]:{settings.PORT}" if ":" in settings.BIND else f"{settings.BIND}:{settings.PORT}"
workers = settings.WEB_WORKERS
threads = settings.WEB_THREADS
worker_class = "gthread"
timeout = 60
graceful_timeout = 10
loglevel = "warning"
accesslog = None  # addresses may hold a person's invitation
control_socket_disable = True
forwarded_allow_ips = "*" if settings.PROXIES else "127.0.0.1"


def when_ready(server: Any) -> None:
    """Say where to look, once somebody would answer there."""
    host = "localhost" if settings.BIND in ("127.0.0.1", "::1", "0.0.0.0", "::") else settings.BIND  # noqa: S104 - compared, not bound
    print(f"Parable is at http://{host}:{settings.PORT} - stop it with Ctrl-C.", flush=True)
