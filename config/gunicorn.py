"""The configuration file of gunicorn; its numbers come from Django's settings."""

from __future__ import annotations

import gc
import sys
from typing import Any

from config import settings

bind = f"[{settings.BIND}]:{settings.PORT}" if ":" in settings.BIND else f"{settings.BIND}:{settings.PORT}"
workers = settings.WEB_WORKERS
threads = settings.WEB_THREADS
worker_class = "config.server.worker.Worker"
preload_app = True  # a killed worker is replaced in a tenth of a second, and workers share loaded modules
worker_connections = settings.WEB_CONNECTIONS
timeout = 60  # seconds after which a worker with a blocked event loop is replaced
keepalive = 15  # seconds to wait for the headers of a request, and for the next request
graceful_timeout = 10
loglevel = "warning"
accesslog = None  # addresses may contain an invitation
control_socket_disable = True
forwarded_allow_ips = "*" if settings.PROXIES else "127.0.0.1"

SWITCH_SECONDS = 0.001
"""How long a thread may keep the others of its process from running.

A page waits for the database some twenty times, and after each answer for this long where another thread
computes. With Python's 0.005 that was up to half of its time.
"""

if settings.LOG_FORMAT == "json":  # otherwise, gunicorn has lines of its own
    _passed_on = {"level": "WARNING", "handlers": [], "propagate": True}
    logconfig_dict = settings.LOGGING | {
        "loggers": settings.LOGGING["loggers"] | {"gunicorn.error": _passed_on, "gunicorn.access": _passed_on}
    }


def when_ready(server: Any) -> None:
    """Exclude objects loaded before forking from garbage collection, which would copy their shared memory."""
    gc.freeze()


def post_worker_init(worker: Any) -> None:
    """Let threads take turns quickly, and send the traces of a web process, which is forked by now."""
    from config.traces import start_traces

    sys.setswitchinterval(SWITCH_SECONDS)
    start_traces("web")


def worker_exit(server: Any, worker: Any) -> None:
    """Send what is left of counts and traces."""
    from config.traces import stop_traces
    from web.counters import flush

    flush()
    stop_traces()
