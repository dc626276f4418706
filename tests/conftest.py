"""Fixtures of all tests: users, an empty cache, tasks that run immediately, a stub model, and Chromium."""

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
from tests.object_store import object_server
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
    *(
        "two_machines",
        "calibration",
        "local_services",
        "clean_sets",
        "distribution",
        "batches",
        "full_disk",
        "demo",
    ),
    *("round_trip_demo", "wrong_backups", "managers_pages", "rates", "hostile_spreadsheets", "real_set"),
    *("runs", "sign_in_flood", "written_tables", "plain_errors", "one_request", "command_line"),
    *("nothing_lost", "tables", "lists", "harnesses", "conversation", "supervisor", "inbox"),
    *("reading_answers", "killed_builds", "backup", "assignments", "people", "assembly", "admin_queries"),
    *("queue", "stories_as_clusters", "exposures", "walk", "practice", "same_bytes", "plan_simulated"),
    *("release_workspace", "desk"),
)
"""The files whose drills take over half a minute, in the order in which to start them."""
LOOKS_FOR = {
    "_live_server_helper": "live_server",
    "_server_at_rest": "live_server",
    "_pw_trace_api_requests": "playwright",
    "_django_set_urlconf": "urls",
    "_django_isolate_apps": "django_isolate_apps",
    "_template_string_if_invalid_marker": "ignore_template_errors",
}
"""Fixtures that run around every test, each with the fixture or marker of the tests that need it."""
HOW_TO_GET_CHROMIUM = (
    "no Chromium on this machine. On Debian: apt-get install chromium-headless-shell fonts-noto-cjk"
)


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Copy the template database, instead of migrating a database for each worker as the plugin does."""
    with django_db_blocker.unblock():
        before = take_copy()
    yield
    with django_db_blocker.unblock():
        drop_copy(before)


@pytest.fixture
def cast(db: None) -> Cast:
    """Return a small project and its people."""
    return make_project()


@pytest.fixture(scope="session")
def _cache_server() -> Iterator[redis.Redis]:
    """Yield one Redis connection for all tests, as opening one takes twenty times as long as a query."""
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        yield client


@pytest.fixture(autouse=True)
def _as_found(_cache_server: redis.Redis) -> Iterator[None]:
    """Begin in the site's language; after the test, close HTTP connections and empty the cache.

    The language of a test's last request stays active until the next request. Cached counts, limits and
    throttles last longer than a test's transaction. Connections to a test's stub server would outlast the
    server.
    """
    translation.deactivate()
    yield
    SESSIONS.close()
    if names := list(_cache_server.scan_iter("parable:*", count=1000)):
        _cache_server.delete(*names)


@pytest.fixture(scope="module", autouse=True)
def _bell_uncounted() -> Iterator[None]:
    """Exclude the bell's statement from the queries that a test counts, as its count is cached for a minute.

    The statement runs but is not recorded. Its cost is tested in tests/dashboard/test_inbox.py.
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
    """Replace the flush after transactional tests and the sign-in of test clients by faster functions.

    Also let browsers cache the live server's `static` files, as they do on a site. Without a header, browsers
    cache a file for a tenth of its age, and so, in a fresh clone, request every file again for every page.
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
    """Put a gate before every WSGI application that is served in this process, and yield the gate."""
    gate = Gate(WSGIHandler.__call__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WSGIHandler, "__call__", gate.as_method())
        yield gate


@pytest.fixture(autouse=True)
def _server_at_rest(request: pytest.FixtureRequest, _live_server_helper: None) -> Iterator[None]:
    """Shut the live server's gate after the pages have closed and before the tables are emptied.

    It requests pytest-django's fixture for the live server, so that it ends before that fixture empties the
    tables.
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
    """Run each task where it is enqueued, instead of in a worker; exceptions propagate."""
    before = celery_app.conf.task_always_eager, celery_app.conf.task_eager_propagates
    celery_app.conf.task_always_eager = celery_app.conf.task_eager_propagates = True
    yield
    celery_app.conf.task_always_eager, celery_app.conf.task_eager_propagates = before


@pytest.fixture
def stub(settings: Settings) -> Iterator[StubServer]:
    """Yield a stub model server on loopback, which the settings allow to call."""
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1"})
    with StubServer() as server:
        yield server


@pytest.fixture(scope="session")
def object_store() -> Iterator[str]:
    """Yield the address of an object store that speaks S3, which runs in a process of its own."""
    with object_server() as url:
        yield url


@pytest.fixture
def gallery(settings: Settings) -> None:
    """Serve the gallery of components in addition to the site's own pages."""
    settings.ROOT_URLCONF = "tests.gallery.urls"
    folders = [*settings.TEMPLATES[0]["DIRS"], Path(__file__).parent / "gallery" / "templates"]
    settings.TEMPLATES = [settings.TEMPLATES[0] | {"DIRS": folders}]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of published data beside the repository; skip the test if there is none."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the published data are not beside this repository (../shared/data)")
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Use a fast password hasher, as each test has eight users, whose passwords guard nothing.

    Also load the admin's pages, as the web server does with its URLs.
    """
    admin.autodiscover()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Compile a share of the test modules before collecting all of them, as other workers compile the others.

    In a fresh clone, each worker would otherwise compile every module, which takes half of the time of
    collecting.
    """
    worker, count = os.environ.get("PYTEST_XDIST_WORKER"), os.environ.get("PYTEST_XDIST_WORKER_COUNT")
    if worker is None or count is None or session.config.option.markexpr != "not drill":
        return  # a run that judges a mutant has a worker's name and no other workers
    workers, mine = int(count), int(worker.removeprefix("gw"))
    folders = {Path(argument.partition("::")[0]).resolve() for argument in session.config.args}
    paths = sorted(path for folder in folders for path in folder.rglob("test_*.py"))
    for path in [path for path in paths if DRILLS not in path.parents][mine::workers]:
        with suppress(Exception, pytest.skip.Exception):  # pytest says it when it collects the module
            import_module(".".join(path.relative_to(BASE).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Start with the tests that take longest, so that no worker waits for them at the end.

    Skip tests that need a browser if there is none, with a message; never in CI.
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
    """Remove fixtures that have nothing to do for this test, as they take longer than many tests."""
    assert isinstance(item, pytest.Function)
    names = item.fixturenames
    item.fixturenames = [
        name
        for name in names
        if (wanted := LOOKS_FOR.get(name)) is None or wanted in names or item.get_closest_marker(wanted)
    ]


def _place(item: pytest.Item) -> int:
    """Return the position of a test in the order of running: longest first, then the rest."""
    module = Path(item.path).stem.removeprefix("test_")
    return LONGEST.index(module) if module in LONGEST else len(LONGEST)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore drills unless they are selected, and other files if only drills are, as importing takes time."""
    if collection_path == DRILLS and config.option.markexpr == "not drill":
        return True
    if collection_path.name.startswith("test_") and config.option.markexpr == "drill":
        return "drill" not in collection_path.read_text(encoding="utf-8") or None
    return None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Enable the garbage collector, but exclude all present objects from it.

    Before that, run one Hypothesis search: the first one looks for referrers of its random generator, and
    would not find those that are excluded.
    """
    searches(max_examples=1, database=None)(given(nothing=none())(lambda nothing: nothing))()
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which tests were skipped for lack of a browser."""
    left_out = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if HOW_TO_GET_CHROMIUM in str(report.longrepr)
    ]
    if left_out:
        terminalreporter.section("LEFT OUT", sep="!", red=True, bold=True)
        terminalreporter.line(f"{len(left_out)} browser tests were left out: {HOW_TO_GET_CHROMIUM}")
