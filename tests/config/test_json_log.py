"""JSON lines of the log: documented fields alone, the request's id, nothing secret and nothing personal."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from celery.app.trace import LOG_FAILURE, LOG_RECEIVED, LOG_SUCCESS
from django.db import IntegrityError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings
from redis.exceptions import ConnectionError as RedisAway

from accounts.models import User
from accounts.services.sign_in import record_lock, record_sign_in, record_sign_out
from config import task_context as context
from config.json_log import FIELDS, JsonFormatter, log_uncaught
from config.observation import ARRIVED, RequestMiddleware
from config.outage_log import OutageHandler
from config.redaction import HideTokens
from core import request_id
from core.personal import Personal
from tests.config.test_metrics import counted
from tests.factories import make_user
from web import counters

SECRET = "what nobody may read"


def line_of(record: logging.LogRecord) -> dict[str, Any]:
    """The line of a record, as the handler's filters and formatter make it."""
    HideTokens().filter(record)
    line = JsonFormatter().format(record)
    assert "\n" not in line
    assert line.isascii()
    read: dict[str, Any] = json.loads(line)
    assert {"time", "level", "logger", "message", "process"} <= read.keys() <= FIELDS.keys()
    return read


def record_of(
    message: str, *args: Any, error: BaseException | None = None, **extra: Any
) -> logging.LogRecord:
    logger = logging.getLogger("parable.test")
    info = (type(error), error, error.__traceback__) if error else None
    return logger.makeRecord("parable.test", logging.ERROR, __file__, 1, message, args, info, extra=extra)


def raised(work: Callable[[], object]) -> BaseException:
    try:
        work()
    except (ValueError, IntegrityError) as error:
        return error
    raise AssertionError


def fails_with_locals() -> None:
    password = SECRET
    raise ValueError(password)


def test_a_line_says_when_what_and_who() -> None:
    line = line_of(record_of("the job %s of %d\nhangs: %s", "gates", 7, "寓\u2028"))
    assert line["message"] == "the job gates of 7\nhangs: 寓\u2028"
    assert (line["level"], line["logger"]) == ("ERROR", "parable.test")
    assert line["time"].endswith("+00:00")
    assert "request_id" not in line


@pytest.mark.parametrize(
    ("message", "args", "said"),
    [
        ("Not Found: /join/i4EnRbgkZ_daE9-x", (), "Not Found: /join/…"),
        ("%s fails: %s", ("check", ValueError(SECRET)), "check fails: ValueError"),
        ("sign-in of %s (number %d)", (Personal("ada"), 7), "sign-in of … (number 7)"),
        ("%d of %s", (1, "plain"), "1 of plain"),
    ],
)
def test_a_message_has_no_links_no_names_and_no_texts_of_errors(
    message: str, args: tuple[Any, ...], said: str
) -> None:
    assert line_of(record_of(message, *args))["message"] == said


@pytest.mark.parametrize("message", [f"it failed: {SECRET}", f"it failed: ValueError('{SECRET}')"])
def test_a_traceback_has_places_and_no_values(message: str) -> None:
    error = raised(fails_with_locals)
    line = line_of(record_of(message, error=error))
    assert SECRET not in json.dumps(line)
    assert line["message"] == "it failed: ValueError"
    assert line["error"]["type"] == "builtins.ValueError"
    assert line["error"]["at"][-1].endswith("fails_with_locals")


@pytest.mark.django_db
def test_an_error_of_the_database_has_its_code_and_no_row() -> None:
    make_user("Ada").username = SECRET

    def refused() -> None:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO accounts_user (username) VALUES (%s)", [SECRET])

    error = raised(refused)
    assert SECRET in str(error), "PostgreSQL quotes the row"
    line = line_of(record_of("The application failed.", error=error))
    assert line["error"]["code"] == "23502"
    assert SECRET not in json.dumps(line)
    assert isinstance(error, IntegrityError)


@pytest.mark.parametrize("message", [LOG_RECEIVED, LOG_SUCCESS, LOG_FAILURE])
def test_what_celery_says_of_a_task_has_no_arguments_and_no_result(message: str) -> None:
    about = {
        "name": "jobs.tasks.run_job",
        "id": "task-7",
        "description": "raised",
        "runtime": 0.1,
        **dict.fromkeys(("args", "kwargs", "exc", "return_value", "traceback"), SECRET),
    }
    line = line_of(record_of(message, about, data=about))
    assert SECRET not in json.dumps(line)
    assert "jobs.tasks.run_job[task-7]" in line["message"]
    assert (line["task"], line["task_id"]) == ("jobs.tasks.run_job", "task-7")


def test_attributes_that_libraries_add_are_left_out() -> None:
    extra: dict[str, Any] = {
        "request": SECRET,
        "status_code": 500,
        "status": 404,
        "route": "home",
        "cookies": SECRET,
    }
    line = line_of(record_of("Not Found", **extra))
    assert SECRET not in json.dumps(line)
    assert (line["status"], line["route"]) == (404, "home")


@pytest.mark.django_db
def test_signing_in_is_logged_by_number_alone(caplog: pytest.LogCaptureFixture) -> None:
    user: User = make_user("Ada")
    with caplog.at_level(logging.INFO, logger="accounts"):
        record_sign_in(user=user, address="203.0.113.9", browser="Firefox")
        record_sign_out(user=user, address="203.0.113.9")
        record_lock(rule="name", user=user, address="203.0.113.9", seconds=1)
        record_lock(rule="address", user=None, address="203.0.113.9", seconds=1)
    assert len(caplog.records) == 4
    assert all(user.username in one.getMessage() for one in caplog.records[:3])  # lines of text have names
    lines = [line_of(one)["message"] for one in caplog.records]
    assert all(f"(number {user.pk})" in one for one in lines[:3])
    assert not any(user.username in one or "203.0.113.9" in one for one in lines)


def test_a_thread_that_ends_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    before = threading.excepthook, sys.excepthook
    try:
        log_uncaught()
        hooks = threading.excepthook, sys.excepthook
    finally:
        threading.excepthook, sys.excepthook = before
        logging.captureWarnings(False)
    error = raised(fails_with_locals)
    seen: list[logging.LogRecord] = []
    monkeypatch.setattr(logging.getLogger("config.json_log"), "handle", seen.append)
    hooks[0](threading.ExceptHookArgs((type(error), error, error.__traceback__, None)))
    hooks[1](type(error), error, error.__traceback__)
    assert [line_of(one)["message"] for one in seen] == ["a thread ended", "the process ended"]
    assert SECRET not in json.dumps([line_of(one) for one in seen])


def test_an_outage_is_one_line_and_a_count() -> None:
    stream = io.StringIO()
    handler = OutageHandler(stream)
    handler.setFormatter(JsonFormatter())
    for _each in range(3):
        handler.emit(record_of("Redis is asked", error=RedisAway("connection refused")))
    handler.close()
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["message"].partition(" - ")[0] for line in lines] == [
        "Redis is asked",
        "Redis does not answer: the same 2 times more within 30 s",
    ]


# --- the request's id ---


def answer(settings: Settings, proxies: int, **headers: str) -> HttpResponse:
    settings.PROXIES = proxies
    request = RequestFactory().get("/", headers=headers)

    def view(_request: HttpRequest) -> HttpResponse:
        return HttpResponse(request_id.current())

    response = RequestMiddleware(view)(request)
    assert isinstance(response, HttpResponse)
    assert response.content.decode() == response[request_id.HEADER]
    assert request_id.current() == ""
    return response


@pytest.mark.parametrize(
    ("proxies", "proposed", "is_taken"),
    [
        (1, "0af7651916cd43dd8448eb211c80319c", True),
        (2, "a.b-c_d1", True),
        (1, "a" * 64, True),
        (0, "0af7651916cd43dd8448eb211c80319c", False),  # from anybody
        (1, "", False),
        (1, "short77", False),
        (1, "a" * 65, False),
        (1, "-begins-with-it", False),
        (1, "two words of it", False),
        (1, "first-one-1,second-one-2", False),  # sent twice
        (1, "请求的编号是这一个", False),
        (1, 'quote"brace}', False),
    ],
)
def test_an_id_is_taken_over_from_a_proxy_if_it_is_well_formed(
    settings: Settings, proxies: int, proposed: str, is_taken: bool
) -> None:
    given = answer(settings, proxies, **{request_id.HEADER: proposed})[request_id.HEADER]
    assert (given == proposed) == is_taken
    assert is_taken or (len(given) == 32 and int(given, 16))


def test_two_requests_have_two_ids(settings: Settings) -> None:
    assert answer(settings, 0)[request_id.HEADER] != answer(settings, 0)[request_id.HEADER]


@pytest.mark.django_db
def test_a_request_is_a_line_with_its_route(
    client: Client, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    counters.client().flushdb()
    settings.LOG_FORMAT = "json"
    as_served: dict[str, Any] = {ARRIVED: 0.0}
    with caplog.at_level(logging.INFO, logger="config.observation"):
        client.get("/join/i4EnRbgkZ_daE9-x?q=what-was-asked", **as_served)
        client.get("/no/such/address")
    lines = [line_of(one) for one in caplog.records if one.name == "config.observation"]
    assert [(one["route"], one["method"], one["status"]) for one in lines] == [
        ("projects:invite_accept", "GET", 404),
        ("unmatched", "GET", 404),
    ]
    assert "i4EnRbgkZ" not in json.dumps(lines)
    assert "what-was-asked" not in json.dumps(lines)
    # only what our server has sent is counted
    requests = {name: amount for name, amount in counted().items() if name[0] == "requests"}
    assert requests == {("requests", "projects:invite_accept", "GET", "4xx"): 1}


def test_a_task_carries_the_id_of_the_request_that_sent_it() -> None:
    headers: dict[str, Any] = {}
    request_id.begin("id-of-the-request")
    context._send_along(sender="a.task", headers=headers)
    request_id.end()
    context._send_along(sender="a.task", headers={})
    seen: list[str] = []
    passed_on: dict[str, Any] = {}
    for sent in (headers, {context.REQUEST: "two words"}, {context.REQUEST: 7}, {}):
        task = SimpleNamespace(name="a.task", request=sent)
        context._take_over(task_id="1", task=task)
        seen.append(request_id.current())
        context._send_along(sender="another", headers=passed_on)
        context._end(task_id="1")
        assert request_id.current() == ""
    assert seen == ["id-of-the-request", "", "", ""]
    assert passed_on == headers
    assert headers == {context.REQUEST: "id-of-the-request"}
