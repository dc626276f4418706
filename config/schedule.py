"""The scheduler of periodic tasks, which stores the time of each task's last run in a file."""

from __future__ import annotations

import json
import logging.config
from datetime import datetime
from pathlib import Path
from typing import Any

from celery.apps import beat
from celery.beat import Scheduler
from django.conf import settings

from config.local.files import write_whole

logger = logging.getLogger(__name__)


class FileScheduler(Scheduler):
    """A scheduler with the schedule of the settings. Its file has only the times of the last runs."""

    def __init__(self, *args: Any, schedule_filename: str, **named: Any) -> None:
        self._file = Path(f"{schedule_filename}.json")
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
