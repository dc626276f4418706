"""A log handler for outages: it writes one line for the first error, then counts of its repetitions."""

from __future__ import annotations

import copy
import logging
import sys
import threading
from typing import IO

from jobs.outage import Outage, find_outage

WINDOW_SECONDS = 30.0
LONGEST = 300

Key = tuple[str, Outage]


class OutageHandler(logging.StreamHandler[IO[str]]):
    """Writes the first record of an outage as one line, and repetitions as a count.

    For `window` seconds, further records of the same logger about the same outage count as repetitions; their
    count is then written, and the next window begins.
    """

    def __init__(self, stream: IO[str] | None = None, *, window: float = WINDOW_SECONDS) -> None:
        super().__init__(stream or sys.stderr)
        self._window = window
        self._repeats: dict[Key, int] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record; if it repeats a recent record about the same outage, only count it."""
        error = _error_of(record)
        outage = find_outage(error)
        if outage is None or record.levelno < logging.WARNING:
            super().emit(record)
            return
        key = (record.name, outage)
        if key in self._repeats:
            self._repeats[key] += 1
            return
        said, reason = (
            next(iter(text.strip().splitlines()), "")[:LONGEST] for text in (record.getMessage(), str(error))
        )
        short = copy.copy(record)
        short.msg = f"{said} - {outage.value}" + (f" ({reason})" if reason and reason not in said else "")
        short.args, short.exc_info, short.exc_text, short.stack_info = (), None, None, None
        super().emit(short)
        self._open_window(key)

    def _open_window(self, key: Key) -> None:
        self._repeats[key] = 0
        timer = threading.Timer(self._window, self._close_window, [key])
        timer.daemon = True
        timer.start()

    def _close_window(self, key: Key) -> None:
        with self.lock or threading.Lock():
            count = self._repeats.pop(key, 0)
            if count:
                self._say(key, count)
                self._open_window(key)

    def _say(self, key: Key, count: int) -> None:
        name, outage = key
        text = f"{outage.value}: the same {count} times more within {self._window:.0f} s"
        super().emit(logging.LogRecord(name, logging.WARNING, "", 0, text, (), None))

    def close(self) -> None:
        """Write the counts not written yet."""
        for key, count in list(self._repeats.items()):
            if count:
                self._say(key, count)
        self._repeats.clear()
        super().close()


def _error_of(record: logging.LogRecord) -> BaseException | None:
    """Return the exception of a record: from its traceback or, for Celery's messages, from its arguments."""
    if isinstance(record.exc_info, tuple) and record.exc_info[1] is not None:
        return record.exc_info[1]
    arguments = record.args if isinstance(record.args, tuple) else ()
    return next((each for each in arguments if isinstance(each, BaseException)), None)
