"""What Prometheus reads: the sums of all processes, for those alone who have the token."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings
from redis.exceptions import ConnectionError as RedisAway

from config import metrics
from config.metrics import Metrics, current_figures
from core.backups import note_backup
from dashboard.queries import metrics as figures
from dashboard.queries.metrics import METRICS
from jobs.models import Job, JobState
from jobs.services import show_presence
from jobs.services.figures import ANSWERED, count_call, count_spent
from jobs.services.job_end import announce_end
from projects.models import Project
from review.models import ReviewRequest
from tests.factories import Cast, make_project, submit_item
from tests.looping import run_aside
from web import counters
from web.counters import Counters
from web.request_counts import BUCKETS, count_request, figures_by_route, percentile

TOKEN = "t" * 40
Shown = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(autouse=True)
def _from_nothing() -> Iterator[None]:
    counters.client().flushdb()
    counters._counters.start_empty()
    yield
    counters._counters.start_empty()


def read(text: str) -> Shown:
    """The samples of an exposition, as Prometheus' own parser reads them."""
    families = text_string_to_metric_families(text)
    return {sample(one.name, **one.labels): one.value for family in families for one in family.samples}


def sample(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


def counted() -> dict[tuple[str, ...], int]:
    counters.flush()
    return counters.totals()


def test_a_batch_that_is_sent_again_counts_once() -> None:
    process = Counters()
    process.add({("requests", "home"): 3})
    assert process.flush()
    process._number -= 1  # the answer to it was lost
    process.add({("requests", "home"): 3})
    assert process.flush()
    assert counters.totals() == {("requests", "home"): 3}
    process.add({("requests", "home"): 2})
    assert process.flush()
    assert counters.totals() == {("requests", "home"): 5}


def test_counts_wait_while_redis_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    process, there = Counters(), counters.client

    def away() -> None:
        raise RedisAway

    process.add({("calls", "answered"): 1})
    monkeypatch.setattr(counters, "client", away)
    assert not process.flush()
    process.add({("calls", "answered"): 1})
    assert not process.flush()
    monkeypatch.setattr(counters, "client", there)
    assert process.flush()
    assert process.flush()
    assert counters.totals() == {("calls", "answered"): 2}
    assert counters.recent()[0] == counters.totals()


def test_processes_add_to_the_same_counters_while_they_count() -> None:
    processes = [Counters() for _each in range(4)]

    def work(process: Counters) -> None:
        for _each in range(50):
            process.add({("requests", "home"): 1})
            process.flush()

    threads = [threading.Thread(target=work, args=[one]) for one in processes * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counters.totals() == {("requests", "home"): 400}


def test_a_forked_process_does_not_add_what_its_parent_counted() -> None:
    process = Counters()
    process.add({("requests", "home"): 1})
    before = process._process
    process.start_empty()
    assert process._process != before
    assert process.flush()
    assert counters.totals() == {}


@pytest.mark.parametrize(
    ("seconds", "bucket"), [(0.0, 0), (0.025, 0), (0.026, 1), (0.5, 4), (29.0, 9), (30.0, 9), (31.0, 10)]
)
def test_a_duration_lies_in_the_bucket_whose_bound_it_does_not_exceed(seconds: float, bucket: int) -> None:
    count_request(route="home", method="GET", status=200, seconds=seconds)
    assert counted()["request_seconds", "home", "GET", str(bucket)] == 1


@pytest.mark.parametrize(
    ("method", "status", "labels"),
    [
        ("GET", 200, ("GET", "2xx")),
        ("POST", 302, ("POST", "3xx")),
        ("DELETE", 404, ("DELETE", "4xx")),
        ("BREW", 503, ("other", "5xx")),
    ],
)
def test_a_request_is_counted_by_class_of_status_and_known_method(
    method: str, status: int, labels: tuple[str, str]
) -> None:
    count_request(route="home", method=method, status=status, seconds=0.1)
    assert counted()[("requests", "home", *labels)] == 1


def _buckets(**amounts: int) -> list[int]:
    return [amounts.get(f"b{place}", 0) for place in range(len(BUCKETS) + 1)]


@pytest.mark.parametrize(
    ("buckets", "p95"),
    [
        (_buckets(b0=100), 0.02375),
        (_buckets(b0=50, b2=50), 0.095),  # nine tenths of the way from 0.05 to 0.1
        (_buckets(b0=95, b10=5), 0.025),
        (_buckets(b0=94, b10=6), None),
        (_buckets(), None),
    ],
)
def test_the_percentile_is_interpolated_as_prometheus_does(buckets: list[int], p95: float | None) -> None:
    assert percentile(buckets, 0.95) == (None if p95 is None else pytest.approx(p95))


def test_routes_have_their_figures_over_all_methods() -> None:
    for method, status in (("GET", 200), ("GET", 500), ("POST", 302)):
        count_request(route="home", method=method, status=status, seconds=0.01)
    count_request(route="search", method="GET", status=404, seconds=0.01)
    home, search = figures_by_route(counted())
    assert (home.route, home.requests, home.errors) == ("home", 3, 1)
    assert (search.route, search.requests, search.errors) == ("search", 1, 0)
    assert [home.p95, search.p95] == pytest.approx([0.02375, 0.02375])


@pytest.mark.parametrize(
    ("token", "method", "path", "header", "status"),
    [
        ("", "GET", "/metrics", "Bearer ", None),  # there is no such address
        (TOKEN, "GET", "/metrics/", f"Bearer {TOKEN}", None),
        (TOKEN, "GET", "/metrics", "", 401),
        (TOKEN, "GET", "/metrics", TOKEN, 401),
        (TOKEN, "GET", "/metrics", f"Basic {TOKEN}", 401),
        (TOKEN, "GET", "/metrics", f"Bearer {TOKEN[:-1]}", 401),
        (TOKEN, "GET", "/metrics", "Bearer ünïcode", 401),
        (TOKEN, "POST", "/metrics", f"Bearer {TOKEN}", 405),
        (TOKEN, "GET", "/metrics", f"Bearer {TOKEN}", 200),
        (TOKEN, "HEAD", "/metrics", f"bearer {TOKEN}", 200),
    ],
)
def test_it_answers_those_who_have_the_token(
    monkeypatch: pytest.MonkeyPatch, token: str, method: str, path: str, header: str, status: int | None
) -> None:
    monkeypatch.setattr(metrics, "current_figures", lambda: "figures")
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "HTTP_AUTHORIZATION": header}
    answer = run_aside(Metrics(token).answer(environ))
    assert (answer and answer[0]) == status
    assert (answer is not None and answer[1] == "figures") == (status == 200)


def test_many_who_ask_cost_no_more_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def ask_once() -> str:
        asked.append(1)
        return "figures"

    monkeypatch.setattr(metrics, "current_figures", ask_once)
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/metrics", "HTTP_AUTHORIZATION": f"Bearer {TOKEN}"}

    async def ask() -> None:
        site = Metrics(TOKEN)
        for _each in range(5):
            await site.answer(environ)

    run_aside(ask())
    assert len(asked) == 1


@pytest.fixture
def cast(db: None, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """A project of a site whose queues, workers and backup are known."""
    monkeypatch.setattr(metrics, "close_old_connections", lambda: None)  # that of the test must stay
    settings.HOME = tmp_path
    note_backup(tmp_path, at=timezone.now() - timedelta(hours=3), archive=tmp_path / "parable-1.zip")
    show_presence(["default"])
    return make_project()


def test_it_shows_what_waits_what_was_asked_and_what_it_cost(
    cast: Cast, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    submit_item(cast)
    ReviewRequest.objects.update(opened_at=timezone.now() - timedelta(minutes=10))
    archived = make_project()
    submit_item(archived)
    Project.objects.filter(pk=archived.project.pk).update(archived_at=timezone.now())
    made: dict[str, Any] = {"project": cast.project, "created_by": cast.manager, "kind": "gates"}
    for subject, state in enumerate(("pending", "running", "running", "done")):
        Job.objects.create(**made, subject=subject, state=state)
    Job.objects.update(created_at=timezone.now() - timedelta(seconds=90))
    counters.client().rpush("llm", "a task", "another")
    with django_capture_on_commit_callbacks(execute=True):
        announce_end(Job(**made, pk=1, state=JobState.FAILED))
        for currency, amount in (("CNY", "0.25"), ("EUR", "1.5")):
            endpoint: Any = SimpleNamespace(project_id=make_project(currency=currency).project.pk)
            count_spent(endpoint, Decimal(amount))
    count_call(ANSWERED)
    count_call("timed_out")
    count_request(route="home", method="GET", status=200, seconds=0.2)
    count_request(route="home", method="GET", status=200, seconds=0.3)
    counters.flush()
    shown = read(current_figures())
    now = time.time()
    expected = {
        sample("parable_dependency_up", dependency="database"): 1,
        sample("parable_dependency_up", dependency="redis"): 1,
        sample("parable_review_requests_open", stage="cross_check"): cast.project.reviews_per_item,
        sample("parable_review_requests_oldest_age_seconds", stage="cross_check"): pytest.approx(600, abs=60),
        sample("parable_review_requests_open", stage="adjudication"): 0,
        sample("parable_review_requests_oldest_age_seconds", stage="adjudication"): 0,
        sample("parable_jobs_unfinished", kind="gates", state="pending"): 1,
        sample("parable_jobs_unfinished", kind="gates", state="running"): 2,
        sample("parable_jobs_pending_oldest_age_seconds"): pytest.approx(90, abs=60),
        sample("parable_jobs_finished_total", kind="gates", state="failed"): 1,
        sample("parable_queue_messages", queue="default"): 0,
        sample("parable_queue_messages", queue="llm"): 2,
        sample("parable_worker_last_seen_timestamp_seconds", queue="default"): pytest.approx(now, abs=60),
        sample("parable_llm_calls_total", outcome="answered"): 1,
        sample("parable_llm_calls_total", outcome="timed_out"): 1,
        sample("parable_llm_spent_total", currency="CNY"): 0.25,
        sample("parable_llm_spent_total", currency="EUR"): 1.5,
        sample("parable_backup_last_timestamp_seconds"): pytest.approx(now - 3 * 3600, abs=60),
        sample("parable_http_requests_total", route="home", method="GET", status="2xx"): 2,
        sample("parable_http_request_duration_seconds_sum", route="home", method="GET"): 0.5,
        sample("parable_http_request_duration_seconds_bucket", route="home", method="GET", le="0.25"): 1,
        sample("parable_http_request_duration_seconds_bucket", route="home", method="GET", le="+Inf"): 2,
    }
    assert {name: shown.get(name) for name in expected} == expected
    assert sample("parable_worker_last_seen_timestamp_seconds", queue="llm") not in shown
    assert shown[sample("parable_disk_free_bytes")] <= shown[sample("parable_disk_size_bytes")]


def test_what_does_not_respond_is_said_and_the_rest_is_shown(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    def database_fails() -> None:
        raise DatabaseError

    def redis_fails() -> None:
        raise RedisAway

    with monkeypatch.context() as patch:
        patch.setattr(figures, "site_backlog", database_fails)
        shown = read(current_figures())
    assert shown[sample("parable_dependency_up", dependency="database")] == 0
    assert shown[sample("parable_dependency_up", dependency="redis")] == 1
    assert shown[sample("parable_queue_messages", queue="llm")] == 0
    monkeypatch.setattr(counters, "client", redis_fails)
    shown = read(current_figures())
    assert shown[sample("parable_dependency_up", dependency="redis")] == 0
    assert shown[sample("parable_review_requests_open", stage="cross_check")] == 0


def test_a_data_folder_that_is_not_there_yet_has_no_figures(cast: Cast, settings: Settings) -> None:
    settings.HOME = settings.HOME / "missing"
    shown = read(current_figures())
    assert sample("parable_disk_free_bytes") not in shown
    assert shown[sample("parable_dependency_up", dependency="database")] == 1


def test_its_queries_are_as_many_in_a_larger_site(cast: Cast) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            current_figures()
        return len(asked)

    few = queries()
    for _each in range(3):
        submit_item(make_project())
    assert queries() == few <= 3


def test_names_follow_the_conventions_of_prometheus() -> None:
    for metric in METRICS:
        assert metric.name.startswith("parable_")
        assert metric.name.endswith("_total") == (metric.kind == "counter")
        assert metric.said.endswith(".")
    assert len({metric.name for metric in METRICS}) == len(METRICS)
