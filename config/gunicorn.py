"""How gunicorn runs the site; its numbers come from the settings."""

from __future__ import annotations

import gc
from typing import Any

from config import settings

bind = f"[{settings.BIND}]:{settings.PORT}" if ":" in settings.BIND else f"{settings.BIND}:{settings.PORT}"
workers = settings.WEB_WORKERS
threads = settings.WEB_THREADS
worker_class = "config.server.worker.Worker"
preload_app = True  # a worker that is killed is back in a tenth of a second, and shares what is loaded
worker_connections = settings.WEB_CONNECTIONS
timeout = 60  # seconds after which a worker whose event loop stands still is replaced
keepalive = 15  # seconds for the headers of a request, and between two of them
graceful_timeout = 10
loglevel = "warning"
accesslog = None  # addresses may hold a person's invitation
control_socket_disable = True
forwarded_allow_ips = "*" if settings.PROXIES else "127.0.0.1"


def when_ready(server: Any) -> None:
    """Let workers share what is loaded: a walk for garbage would write into each object."""
    gc.freeze()
