"""The Celery application. Tasks are in the `tasks` module of each app; Django's settings configure it."""

from __future__ import annotations

import gc
import logging
import os
import time
import warnings
from functools import cached_property
from typing import Any, Final

from celery import Celery
from celery.exceptions import CPendingDeprecationWarning
from celery.signals import (
    heartbeat_sent,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from redis.exceptions import RedisError

import config.task_context  # noqa: F401 - listens to Celery's signals
from parable.system import limit_data
from parable.threads import use_one_thread

logger = logging.getLogger(__name__)

# Ignore Celery's warning that tasks continue while the broker is down. This is intended: rows record the
# work, and a second message is harmless.
warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)

PRESENCE_SECONDS: Final = 5.0
_shown: Final = {"at": -PRESENCE_SECONDS}

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
use_one_thread()  # every process of the site runs this before it imports NumPy
# Most objects live as long as the process, and a request or task leaves little garbage. So collections are
# seventy times rarer than by default, and seldom slow down a page or the start of a process.
gc.set_threshold(50_000, 20, 20)
# A worker serves no pages, so it skips Django's checks, which would import their modules. This saves a
# quarter of its start and 20 MB per process. `migrate` runs the checks before a site starts.
os.environ.setdefault("CELERY_SKIP_CHECKS", "yes")


def _beat_of(application: Celery) -> Any:
    """Return the class that `celery beat` runs."""
    from config.schedule import Beat

    return application.subclass_with_self(Beat)


class Application(Celery):
    """The Celery application with our own implementation of `celery beat`."""

    Beat = cached_property(_beat_of)


app = Application("parable")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def _share_what_is_loaded(sender: object, **_named: object) -> None:
    """Exclude objects loaded before forking from garbage collection, which would copy their shared memory."""
    gc.freeze()


@worker_ready.connect
def _trace_threads(sender: Any, **_named: object) -> None:
    """Start the traces of a worker of threads, which does not fork."""
    if not sender.pool.__module__.endswith("prefork"):
        _start_traces()


@worker_process_init.connect
def _limit_memory(**_named: object) -> None:
    """Limit the memory of a worker process, so that a job fails before the kernel kills processes.

    The limit applies to writable data of the process, and not to address space that libraries reserve or to
    mapped files. Only Linux has such a limit.
    """
    from config.settings import WORKER_MEMORY_MB

    limit_data(WORKER_MEMORY_MB * 2**20)


@worker_process_init.connect
def _start_traces(**_named: object) -> None:
    from config.traces import start_traces

    start_traces("worker")


@worker_process_shutdown.connect
@worker_shutdown.connect
def _send_the_rest(**_named: object) -> None:
    """Send what is left of counts and traces: processes of a worker end without Python's exit handlers."""
    from config.traces import stop_traces
    from web.counters import flush

    flush()
    stop_traces()


@heartbeat_sent.connect
def _show_presence(sender: Any, **_named: object) -> None:
    """Record which queues this worker serves, so that pages can warn if a queue has no worker.

    The same for the container runtime, which asks `manage.py healthy`.
    """
    if time.monotonic() - _shown["at"] < PRESENCE_SECONDS:
        return
    _shown["at"] = time.monotonic()
    from django.conf import settings

    from core.presence import show_life
    from jobs.services import show_presence

    show_life(settings.HOME, sender.eventer.hostname.partition("@")[0])
    try:
        show_presence(app.amqp.queues.consume_from)
    except RedisError as error:
        logger.warning("pages may say that no worker is there", exc_info=error)


@worker_shutting_down.connect
def _take_no_more_calls(sender: str, **_named: object) -> None:
    """Start no more calls to LLMs while the worker shuts down. Calls in flight are completed."""
    from jobs.services import calls_out, take_no_more_calls

    take_no_more_calls()
    if "llm" in app.amqp.queues.consume_from:
        logger.info("stopping: no more calls to language models are made; %d are out", calls_out())
