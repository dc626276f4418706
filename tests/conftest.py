"""What all tests share: a cast, a clean cache, tasks that run at once, a model to ask, and Chromium."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.contrib import admin
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.test import Client, TransactionTestCase
from django.utils import translation
from django.utils.cache import patch_cache_control
from hypothesis import HealthCheck, given
from hypothesis import settings as searches
from hypothesis.strategies import none
from pytest_django import DjangoDbBlocker, Settings

from accounts.models import User
from config.celery import app as celery_app
from dashboard.queries.news import News, news_of
from jobs.services.call_run import SESSIONS
from parable.llm.stub import StubServer
from tests.architecture import BASE
from tests.databases import drop_copy, take_copy
from tests.emptying import empty_tables
from tests.factories import Cast, make_project
from tests.live import Gate
from tests.sessions import open_session

# No search is judged by the clock: a machine may be busy with others' work.
searches.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
searches.load_profile("untimed")

# The shell without a window needs a quarter less of the processor than the whole browser does.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
DRILLS = Path(__file__).parent / "drills"
LONGEST = (
    *(
        "published_method",
        "sample_pages",
        "queue_machine",
        "accessibility",
        "matrix",
        "every_form",
        "healing",
    ),
    *("sample", "documented_server", "browser_flow", "pulling", "formats_written_tables", "planted_defects"),
    *("calibration", "local_services", "clean_sets", "distribution", "batches", "full_disk", "demo"),
    *("round_trip_demo", "wrong_backups", "managers_pages", "rates", "hostile_spreadsheets", "real_set"),
    *("runs", "sign_in_flood", "written_tables", "plain_errors", "one_request", "command_line"),
    *("nothing_lost", "tables", "lists", "harnesses", "conversation", "supervisor", "inbox"),
    *("reading_answers", "killed_builds", "backup", "assignments", "people", "assembly", "admin_queries"),
    *("queue", "stories_as_clusters", "exposures", "walk", "practice", "same_bytes", "plan_simulated"),
    *("release_workspace", "desk"),
)
"""The files whose drills take over half a minute; those with one long drill come first."""
LOOKS_FOR = {
    "_live_server_helper": "live_server",
    "_server_at_rest": "live_server",
    "_pw_trace_api_requests": "playwright",
    "_django_set_urlconf": "urls",
    "_django_isolate_apps": "django_isolate_apps",
    "_template_string_if_invalid_marker": "ignore_template_errors",
}
"""Fixtures that begin and end around every test, and what those tests have that they are there for."""
HOW_TO_GET_CHROMIUM = (
    "no Chromium on this machine. On Debian: apt-get install chromium-headless-shell fonts-noto-cjk"
)


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Copy the template, where the plugin's fixture would migrate a database for each worker."""
    with django_db_blocker.unblock():
        before = take_copy()
    yield
    with django_db_blocker.unblock():
        drop_copy(before)


@pytest.fixture
def cast(db: None) -> Cast:
    """A small project and its people."""
    return make_project()


@pytest.fixture(scope="session")
def _cache_server() -> Iterator[redis.Redis]:
    """Keep one connection for all tests: opening one takes twenty times as long as looking what is there."""
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        yield client


@pytest.fixture(autouse=True)
def _as_found(_cache_server: redis.Redis) -> Iterator[None]:
    """Begin in the site's language, and keep nothing in the cache and no line open.

    The language of a test's last request stays active until the next one. Cached counts, limits and throttles
    last longer than a test's transaction. A stub server is gone with its test, and the next one has another.
    """
    translation.deactivate()
    yield
    SESSIONS.close()
    if names := list(_cache_server.scan_iter("parable:*", count=1000)):
        _cache_server.delete(*names)


@pytest.fixture(scope="module", autouse=True)
def _bell_uncounted() -> Iterator[None]:
    """Keep the bell's one statement out of what a test counts: any page may be the one in a minute to ask it.

    It is asked as ever, only not recorded. What it costs is tested in tests/dashboard/test_inbox.py.
    """

    def unrecorded(user: User, since: datetime) -> list[News]:
        recorded, connection.force_debug_cursor = connection.force_debug_cursor, False
        try:
            return news_of(user, since)
        finally:
            connection.force_debug_cursor = recorded

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dashboard.queries.news.news_of", unrecorded)
        yield


@pytest.fixture(scope="session", autouse=True)
def _quick_django() -> Iterator[None]:
    """Stand in for the flush that ends a transactional test, and for what `force_login` does.

    Let browsers keep what the live server hands out of `static`, as they do on a site. Of a file without a
    word about it they keep a copy for a tenth of its age, and in a fresh clone ask anew for every file of
    every page.
    """

    def kept(handler: StaticFilesHandler, request: HttpRequest) -> HttpResponseBase:
        response = serve(handler, request)
        patch_cache_control(response, max_age=3600)
        return response

    serve = StaticFilesHandler.serve
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _case: empty_tables())
        patch.setattr(Client, "_login", open_session)
        patch.setattr(StaticFilesHandler, "serve", kept)
        yield


@pytest.fixture(scope="session")
def server_gate() -> Iterator[Gate]:
    """Stand before every application that is served in this process."""
    gate = Gate(WSGIHandler.__call__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WSGIHandler, "__call__", gate.as_method())
        yield gate


@pytest.fixture(autouse=True)
def _server_at_rest(request: pytest.FixtureRequest, _live_server_helper: None) -> Iterator[None]:
    """Shut the live server's gate when the pages have closed and before the tables are emptied.

    It asks for pytest-django's fixture, which brings the tables, so that it ends before they go.
    """
    if "live_server" not in request.fixturenames:
        yield
        return
    gate: Gate = request.getfixturevalue("server_gate")
    port = request.getfixturevalue("live_server").thread.port
    gate.open(port)
    yield
    gate.shut(port)


@pytest.fixture
def _tasks_run_at_once() -> Iterator[None]:
    """Run each task where it is enqueued, in place of a worker; what it raises is raised."""
    before = celery_app.conf.task_always_eager, celery_app.conf.task_eager_propagates
    celery_app.conf.task_always_eager = celery_app.conf.task_eager_propagates = True
    yield
    celery_app.conf.task_always_eager, celery_app.conf.task_eager_propagates = before


@pytest.fixture
def stub(settings: Settings) -> Iterator[StubServer]:
    """A model's server on loopback, which the settings allow to be asked."""
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1"})
    with StubServer() as server:
        yield server


@pytest.fixture
def gallery(settings: Settings) -> None:
    """Serve the gallery of shapes beside the site's own pages."""
    settings.ROOT_URLCONF = "tests.gallery.urls"
    folders = [*settings.TEMPLATES[0]["DIRS"], Path(__file__).parent / "gallery" / "templates"]
    settings.TEMPLATES = [settings.TEMPLATES[0] | {"DIRS": folders}]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of published data beside the repository; skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the published data are not beside this repository (../shared/data)")
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Hash passwords cheaply: the cast of every test has eight, and none guards anything.

    Look for the administrators' pages, as the web does with its addresses.
    """
    admin.autodiscover()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Compile a share of the test modules before all are collected: other workers compile the others.

    In a fresh clone each of them would compile every one, which takes as long as all the rest of collecting.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None or session.config.option.markexpr != "not drill":
        return
    workers, mine = int(os.environ["PYTEST_XDIST_WORKER_COUNT"]), int(worker.removeprefix("gw"))
    folders = {Path(argument.partition("::")[0]).resolve() for argument in session.config.args}
    paths = sorted(path for folder in folders for path in folder.rglob("test_*.py"))
    for path in [path for path in paths if DRILLS not in path.parents][mine::workers]:
        with suppress(Exception, pytest.skip.Exception):  # pytest says it when it collects the module
            import_module(".".join(path.relative_to(BASE).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes long: no worker waits for it at the end.

    Leave out what needs a browser where there is none, but never silently, and never in CI.
    """
    items.sort(key=_place)
    for item in items:
        _spare(item)
    if CHROMIUM or os.environ.get("CI", "").lower() in ("true", "1"):
        return
    skip = pytest.mark.skip(reason=HOW_TO_GET_CHROMIUM)
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(skip)


def _spare(item: pytest.Item) -> None:
    """Leave out the fixtures that would find nothing to do: they take longer than many a test."""
    assert isinstance(item, pytest.Function)
    names = item.fixturenames
    item.fixturenames = [
        name
        for name in names
        if (wanted := LOOKS_FOR.get(name)) is None or wanted in names or item.get_closest_marker(wanted)
    ]


def _place(item: pytest.Item) -> int:
    """Where a test stands among all: what takes long, then the rest."""
    module = Path(item.path).stem.removeprefix("test_")
    return LONGEST.index(module) if module in LONGEST else len(LONGEST)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no drills where none is asked for, and nothing else where they are: it takes a while."""
    if collection_path == DRILLS and config.option.markexpr == "not drill":
        return True
    if collection_path.name.startswith("test_") and config.option.markexpr == "drill":
        return "drill" not in collection_path.read_text(encoding="utf-8") or None
    return None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the garbage collector begin, but not with what lasts.

    Hypothesis looks at its first search who holds its random numbers, and does not see who is frozen.
    """
    searches(max_examples=1, database=None)(given(nothing=none())(lambda nothing: nothing))()
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly what was left out."""
    left_out = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if HOW_TO_GET_CHROMIUM in str(report.longrepr)
    ]
    if left_out:
        terminalreporter.section("LEFT OUT", sep="!", red=True, bold=True)
        terminalreporter.line(f"{len(left_out)} browser tests were left out: {HOW_TO_GET_CHROMIUM}")
