"""How far long work is, noted on its own row so that pages can say it; outside the work's transactions."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q
from django.utils import timezone

from evaluation.models import Calibration, ResponseFile
from evaluation.underway import LOST

SIGN_OF_LIFE: Final = timedelta(seconds=2)


class Heart:
    """Beats on an unfinished row: at each new step, and at most every other second within one.

    `only` narrows the row to where its work is unfinished, so that nothing is written past its end.
    """

    def __init__(self, row: Calibration | ResponseFile, only: Q) -> None:
        self._rows = type(row)._default_manager.filter(only, pk=row.pk)
        self._step = 0
        self._last: datetime | None = None

    def begin(self, step: int) -> bool:
        """Take the work; false where it is done, or somebody has given a sign of life at it of late."""
        now = timezone.now()
        free = Q(heartbeat_at=None) | Q(heartbeat_at__lt=now - LOST)
        self._step, self._last = step, now
        return bool(self._rows.filter(free).update(step=step, done=0, total=0, heartbeat_at=now))

    def tell(self, step: int, done: int = 0, total: int = 0) -> None:
        """Note how many are done of how many in this step."""
        now = timezone.now()
        if step == self._step and self._last is not None and now - self._last < SIGN_OF_LIFE:
            return
        self._step, self._last = step, now
        self._rows.update(step=step, done=done, total=total, heartbeat_at=now)
