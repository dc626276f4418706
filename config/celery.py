"""The Celery application: tasks are found in each app's `tasks` module, settings in Django's."""

from __future__ import annotations

import logging
import os
import time
from typing import Final

from celery import Celery
from celery.signals import heartbeat_sent
from celery.worker.heartbeat import Heart
from redis.exceptions import RedisError

from parable.threads import use_one_thread

logger = logging.getLogger(__name__)

PRESENCE_SECONDS: Final = 5.0
_shown: Final = {"at": -PRESENCE_SECONDS}

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
use_one_thread()  # every process of the site comes through here before it imports NumPy

app = Celery("parable")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@heartbeat_sent.connect
def _show_presence(sender: Heart, **_named: object) -> None:
    """Say which queues this worker serves, so that pages can tell waiting from nobody being there."""
    if time.monotonic() - _shown["at"] < PRESENCE_SECONDS:
        return
    _shown["at"] = time.monotonic()
    from jobs.services import show_presence

    try:
        show_presence(app.amqp.queues.consume_from)
    except RedisError:
        logger.warning("the cache is away; pages may say that no worker is there")
