"""A server that is away or a full disk: a sentence on the page, a line in the log, no half of a file."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from celery import Celery
from django.core.files.base import ContentFile, File
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from kombu.exceptions import OperationalError as BrokerError
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.outage_log import OutageHandler
from config.schedule import FileScheduler
from config.storage import DRAFTS, WholeFileStorage
from config.urls import handler500
from config.urls import urlpatterns as all_of_them
from jobs.outage import Outage, find_outage
from tests.browser.killable import database_of_this_test

NOWHERE = "host=127.0.0.1 port=1 connect_timeout=2"


def _connect(request: HttpRequest) -> HttpResponse:
    with connection.wrap_database_errors:
        psycopg.connect(NOWHERE)
    return HttpResponse()


def _fill(request: HttpRequest) -> HttpResponse:
    with Path("/dev/full").open("w", encoding="utf-8") as file:
        file.write("words")
    return HttpResponse()


def _ask_redis(request: HttpRequest) -> HttpResponse:
    redis.Redis(port=1, retry=Retry(NoBackoff(), 0)).ping()
    return HttpResponse()


def _upgrade(request: HttpRequest) -> HttpResponse:
    """Ask what was prepared before a column got another type."""
    with connection.wrap_database_errors, psycopg.connect(database_of_this_test()) as own:
        own.execute("CREATE TEMPORARY TABLE fable (words varchar(9))")
        own.execute("PREPARE crow AS SELECT words FROM fable")
        own.execute("ALTER TABLE fable ALTER words TYPE text")
        own.execute("EXECUTE crow")
    return HttpResponse()


def _fail(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError


VIEWS = {"database": _connect, "disk": _fill, "redis": _ask_redis, "upgrade": _upgrade, "bug": _fail}
urlpatterns = [
    *(path(name, view) for name, view in VIEWS.items()),
    *(path(f"api/v1/{name}", view) for name, view in VIEWS.items()),
    *all_of_them,
]
__all__ = ["handler500"]  # as the site's own addresses name it


@pytest.fixture
def asking(client: Client, settings: Any) -> Client:
    settings.ROOT_URLCONF = __name__
    client.raise_request_exception = False
    return client


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "status", "language", "said"),
    [
        ("database", 503, "en", "A server this site depends on does not respond"),
        ("redis", 503, "zh-hans", "本站依赖的服务没有响应"),
        ("disk", 507, "en", "The server's disk is full, so nothing was saved."),
        ("disk", 507, "zh-hans", "服务器磁盘已满，内容没有保存。"),
        ("upgrade", 503, "en", "The database has just been upgraded, so the last step was not saved."),
    ],
)
def test_it_answers_with_a_sentence_and_when_to_try_again(
    asking: Client, name: str, status: int, language: str, said: str
) -> None:
    page = asking.post(f"/{name}", headers={"Accept-Language": language})
    data = asking.post(f"/api/v1/{name}", headers={"Accept-Language": language})
    assert page.status_code == data.status_code == status
    assert int(page["Retry-After"]) == int(data["Retry-After"]) > 0
    assert "no-store" in page["Cache-Control"]
    assert said in unescape(page.content.decode())
    assert said in data.json()["detail"]
    assert "Traceback" not in page.content.decode()


@pytest.mark.django_db
def test_it_still_calls_a_mistake_of_ours_a_mistake(asking: Client) -> None:
    page = asking.get("/bug")
    assert page.status_code == 500
    assert "Something went wrong" in page.content.decode()


def _wrapped(error: Exception) -> OperationalError:
    outer = OperationalError("as Django says it")
    outer.__cause__ = error
    return outer


def _postgres(state: str, text: str = "said") -> psycopg.Error:
    error = psycopg.errors.lookup(state)(text)
    assert isinstance(error, psycopg.Error)
    return error


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        (_wrapped(psycopg.OperationalError("connection refused")), Outage.DATABASE),
        (_wrapped(_postgres("57P01")), Outage.DATABASE),  # ended by the administrator
        (_wrapped(_postgres("57P03")), Outage.DATABASE),  # it is starting
        (_wrapped(_postgres("53300")), Outage.DATABASE),  # too many connections
        (_wrapped(_postgres("53100")), Outage.DISK),
        (_wrapped(_postgres("58030", "could not write: No space left on device")), Outage.DISK),
        (_wrapped(_postgres("26000")), Outage.STATEMENT),  # a pooler's other session has no such statement
        (_wrapped(_postgres("42P05")), Outage.STATEMENT),  # or one of that name
        (_wrapped(_postgres("0A000")), None),  # anything else that PostgreSQL does not support
        (_wrapped(_postgres("57014")), None),  # a statement that took too long
        (_wrapped(_postgres("40P01")), None),  # a deadlock
        (OSError(28, "No space left on device"), Outage.DISK),
        (OSError(2, "No such file"), None),
        (redis.exceptions.ConnectionError("away"), Outage.REDIS),
        (redis.exceptions.TimeoutError("silent"), Outage.REDIS),
        (redis.exceptions.ResponseError("MISCONF Redis cannot save"), Outage.DISK),
        (redis.exceptions.ResponseError("WRONGTYPE"), None),
        (BrokerError("away"), Outage.REDIS),
        (ValueError("ours"), None),
        (None, None),
    ],
    ids=repr,
)
def test_it_distinguishes_outages_from_mistakes(error: BaseException | None, outage: Outage | None) -> None:
    assert find_outage(error) is outage


@pytest.fixture
def log() -> Iterator[tuple[logging.Logger, io.StringIO, OutageHandler]]:
    said = io.StringIO()
    handler = OutageHandler(said, window=3600)
    logger = logging.getLogger("tests.outages")
    logger.addHandler(handler)
    logger.propagate = False
    yield logger, said, handler
    logger.removeHandler(handler)


def _log_outage(logger: logging.Logger, where: str) -> None:
    try:
        try:
            psycopg.connect(NOWHERE)
        except psycopg.Error as error:
            raise OperationalError("connection failed\nIs the server running?") from error
    except OperationalError:
        logger.exception("Internal Server Error: %s", where)


def test_it_writes_an_outage_once_and_then_how_often(log: Any) -> None:
    logger, said, handler = log
    for number in range(200):
        _log_outage(logger, f"/page/{number}")
        # What Celery says of a lost connection has no traceback: the error is among its arguments.
        away = redis.exceptions.ConnectionError("no")
        logger.error("Cannot connect to %s: %s.\n%s", "redis://", away, "Again")
    handler.close()
    lines = said.getvalue().splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("Internal Server Error: /page/0 - the database does not answer (")
    assert lines[1].startswith("Cannot connect to redis://: no. - Redis does not answer")
    assert all("the same 199 times more" in line for line in lines[2:])


def test_it_says_at_the_end_of_each_window_how_often(log: Any) -> None:
    logger, said, handler = log
    for _number in range(3):
        _log_outage(logger, "/")
    (key,) = handler._repeats
    handler._close_window(key)
    _log_outage(logger, "/")  # goes on: counted from anew
    handler._close_window(key)
    handler._close_window(key)  # nothing came: the outage is over
    _log_outage(logger, "/later")
    lines = said.getvalue().splitlines()
    assert ["2 times more" in lines[1], "1 times more" in lines[2], "/later" in lines[3]] == [True] * 3
    assert len(lines) == 4


def test_it_leaves_mistakes_as_they_are(log: Any) -> None:
    logger, said, _handler = log
    for _number in range(2):
        try:
            int("ours")
        except ValueError:
            logger.exception("it went wrong")
    assert said.getvalue().count("Traceback") == 2


class _FullDisk(File):  # type: ignore[type-arg]  # it takes none when it runs
    """A file whose end does not fit any more."""

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        yield b"the first half"
        raise OSError(28, "No space left on device")


def test_it_keeps_no_half_of_a_file(tmp_path: Path) -> None:
    storage = WholeFileStorage(location=tmp_path)
    with pytest.raises(OSError, match="No space"):
        storage.save("stories/crow.txt", _FullDisk(io.BytesIO(), name="crow"))
    assert not storage.exists("stories/crow.txt")
    assert not [each for each in tmp_path.rglob("*") if each.is_file()]
    assert storage.save("stories/crow.txt", ContentFile(b"whole")) == "stories/crow.txt"
    other = storage.save("stories/crow.txt", ContentFile(b"another"))
    assert other != "stories/crow.txt"
    with storage.open(other) as file:
        assert file.read() == b"another"
    assert not list((tmp_path / DRAFTS).iterdir())


def test_it_clears_drafts_of_files_that_a_killed_process_left(tmp_path: Path) -> None:
    storage = WholeFileStorage(location=tmp_path)
    storage.save("a", ContentFile(b"a"))
    old, young = tmp_path / DRAFTS / "old", tmp_path / DRAFTS / "young"
    for draft in (old, young):
        draft.write_bytes(b"half")
    os.utime(old, (0, 0))
    storage.save("b", ContentFile(b"b"))
    assert not old.exists()
    assert young.exists()


def _scheduler(folder: Path) -> FileScheduler:
    app = Celery("tests", set_as_current=False)
    app.conf.beat_schedule = {"sweep": {"task": "sweep", "schedule": 3600.0}}
    return FileScheduler(app, schedule_filename=str(folder / "beat"))


def test_it_remembers_when_periodic_tasks_ran(tmp_path: Path) -> None:
    first, then = _scheduler(tmp_path), datetime(2026, 1, 2, 3, tzinfo=UTC)
    first.schedule["sweep"].last_run_at = then
    first.close()
    assert _scheduler(tmp_path).schedule["sweep"].last_run_at == then
    (tmp_path / "beat.json").write_text('{"sweep": ')  # cut off in the middle
    assert _scheduler(tmp_path).schedule["sweep"].last_run_at != then


def test_it_goes_on_where_the_schedule_cannot_be_written(tmp_path: Path) -> None:
    scheduler = _scheduler(tmp_path / "nowhere")
    scheduler.sync()
    assert scheduler.is_due(scheduler.schedule["sweep"])
