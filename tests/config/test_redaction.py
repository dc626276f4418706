"""What the log never holds: the links by which people join or set a password, and sweeps that went well."""

from __future__ import annotations

import logging

import pytest
from celery.app.trace import LOG_FAILURE, LOG_RECEIVED, LOG_SUCCESS
from django.conf import settings

from config.redaction import HideRoutine, HideTokens


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Not Found: /join/i4EnRbgkZ_daE9-x", "Not Found: /join/…"),
        ('"GET /join/i4EnRbgkZ_daE9-x HTTP/1.1" 200', '"GET /join/… HTTP/1.1" 200'),
        ("Not Found: /audit/i4EnRbgkZ_daE9-x/report.html", "Not Found: /audit/…/report.html"),
        ("Conflict: /reset/MTM0/dif475-dbbb41/", "Conflict: /reset/MTM0/…/"),
        ("next=/join/abc and /join/def", "next=/join/… and /join/…"),
        ("Not Found: /joining/stories", "Not Found: /joining/stories"),
        ("Not Found: /p/river/members", "Not Found: /p/river/members"),
    ],
)
def test_it_hides_links_in_what_is_said_and_in_its_arguments(said: str, kept: str) -> None:
    for message, arguments in ((said, ()), ("%s", (said,))):
        record = logging.LogRecord("django.request", logging.WARNING, "", 0, message, arguments, None)
        assert HideTokens().filter(record)
        assert record.getMessage() == kept


SWEEP, PAID = "jobs.tasks.sweep_orphans", "generation.tasks.run_call"
SENT = "Scheduler: Sending due task %s (%s)"


def log_record(logger: str, message: str, task: str, level: int = logging.INFO) -> logging.LogRecord:
    """What Celery writes of this task."""
    if logger == "celery.beat":
        return logging.LogRecord(logger, level, "", 0, message, ("sweep", task), None)
    about = {"name": task, "id": "7", "return_value": "None", "runtime": 0.1, "description": "", "exc": ""}
    record = logging.LogRecord(logger, level, "", 0, message, (about,), None)
    record.data = about
    return record


@pytest.mark.parametrize(
    ("logger", "message"),
    [
        ("celery.beat", SENT),
        ("celery.worker.strategy", LOG_RECEIVED),
        ("celery.app.trace", LOG_SUCCESS),
    ],
)
def test_it_says_nothing_of_a_sweep_that_goes_well(logger: str, message: str) -> None:
    quiet = HideRoutine([SWEEP])
    assert not quiet.filter(log_record(logger, message, SWEEP))
    assert quiet.filter(log_record(logger, message, PAID))
    assert quiet.filter(log_record(logger, LOG_FAILURE, SWEEP, logging.ERROR))
    assert HideRoutine([]).filter(log_record(logger, message, SWEEP))


def test_it_counts_whatever_is_periodic_as_routine() -> None:
    handler, hidden = (settings.LOGGING[part] for part in ("handlers", "filters"))
    assert "hide_routine" in handler["stderr"]["filters"]
    periodic = {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()}
    assert set(hidden["hide_routine"]["tasks"]) == periodic
