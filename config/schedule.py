"""The scheduler of periodic tasks, which stores the time of each task's last run in a file."""

from __future__ import annotations

import json
import logging.config
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from celery.apps import beat
from celery.beat import Scheduler
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from redis.exceptions import RedisError

from config.local.files import write_whole
from core.presence import presence_key, show_life

logger = logging.getLogger(__name__)

SHOWN_EVERY: Final = 5.0


class FileScheduler(Scheduler):
    """A scheduler with the schedule of the settings. Its file has only the times of the last runs."""

    def __init__(self, *args: Any, schedule_filename: str, **named: Any) -> None:
        self._file = Path(f"{schedule_filename}.json")
        self._shown_at = float("-inf")
        super().__init__(*args, **named)

    def setup_schedule(self) -> None:
        """Read the schedule from the settings, and the times of the last runs from the file."""
        super().setup_schedule()
        try:
            known = json.loads(self._file.read_text(encoding="utf-8"))
            last_runs = {name: datetime.fromisoformat(moment) for name, moment in known.items()}
        except (OSError, ValueError, TypeError, AttributeError):  # missing, or not written by this class
            last_runs = {}
        for name, moment in last_runs.items():
            if name in self.schedule:
                self.schedule[name].last_run_at = moment

    def tick(self, *args: Any, **named: Any) -> float:
        """Send the tasks that are due, and show every few seconds that the scheduler works."""
        if time.monotonic() - self._shown_at >= SHOWN_EVERY:
            self._shown_at = time.monotonic()
            show_life(settings.HOME, "beat")
            try:
                cache.set(presence_key("beat"), timezone.now(), timeout=None)
            except (RedisError, OSError) as error:
                logger.debug("pages may say that beat is not there", exc_info=error)
        return float(super().tick(*args, **named))

    def sync(self) -> None:
        """Save the times of the last runs. If this fails, the previous file remains."""
        runs = {
            name: entry.last_run_at.isoformat() for name, entry in self.schedule.items() if entry.last_run_at
        }
        try:
            write_whole(self._file, json.dumps(runs))
        except OSError as error:
            logger.warning("when periodic tasks ran last cannot be written down now", exc_info=error)


class Beat(beat.Beat):
    """Celery's `beat` without loading our apps, which halves its memory. It sends tasks by name."""

    def init_loader(self) -> None:
        """Set up logging, but load no tasks, since only workers need them."""
        logging.config.dictConfig(settings.LOGGING)
