"""Requests and tokens a minute: one limit for all workers, in any minute that the server sees."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from django.conf import settings as site
from django.db import connection
from redis import Redis

from config.celery import app
from generation.services import run_call
from jobs import hooks
from jobs.models import Call, CallState, Endpoint, Job, JobState
from jobs.pricing import most_tokens
from jobs.services import rate_limit
from jobs.services.rate_limit import pause_endpoint, record_tokens, seconds_to_wait
from parable.llm.stub import StubServer
from tests.factories import make_story
from tests.generation.bench import Bench, states

BASE = Path(__file__).resolve().parents[2]
WORKER = """
import django
django.setup()
from jobs.pricing import most_tokens
from jobs.services import rate_limit as rates
rates.WINDOW_MS = {window}
from config.celery import app
app.worker_main(["worker", "--queues", "llm,default", "--pool", "threads", "--concurrency", "4",
                 "--loglevel", "ERROR", "--without-gossip", "--without-mingle", "-n", "{name}@%h"])
"""


def most_in_any(seconds: float, times: list[float]) -> int:
    """The most requests that any stretch of so many seconds holds."""
    ordered = sorted(times)
    return max(sum(start <= moment < start + seconds for moment in ordered) for start in ordered)


# --- tokens ---


def calls_of(bench: Bench, count: int, **details: object) -> tuple[Endpoint, list[Call]]:
    endpoint = bench.add_endpoint("counted", "stub-ok", parallel_calls=50, **details)
    stories = [make_story(bench.cast) for _ in range(count)]
    started = bench.start(endpoints=[endpoint], stories=stories)
    return endpoint, list(Call.objects.filter(job=started.batch.job).order_by("pk"))


def estimate(call: Call) -> int:
    return most_tokens(call.prompt, call.parameters)


@pytest.mark.django_db
def test_it_sends_no_more_tokens_in_a_minute_than_the_endpoint_allows(bench: Bench) -> None:
    endpoint, calls = calls_of(bench, 4, parameters={"max_tokens": 200})
    endpoint.tokens_per_minute = 2 * max(estimate(call) for call in calls) + 10
    waits = [seconds_to_wait(endpoint, call) for call in calls]
    assert waits[:2] == [0, 0]
    assert all(55 < wait <= 61 for wait in waits[2:])
    calls[0].attempts = 1
    record_tokens(endpoint, calls[0], 9)  # the answer was short: room for another
    assert seconds_to_wait(endpoint, calls[2]) == 0
    assert seconds_to_wait(endpoint, calls[3]) > 0


@pytest.mark.django_db
def test_it_counts_what_an_answer_used_when_it_was_more(bench: Bench) -> None:
    endpoint, calls = calls_of(bench, 2, tokens_per_minute=1000, parameters={"max_tokens": 100})
    assert run_call(call_id=calls[0].pk).again_in is None
    calls[0].attempts = 1
    record_tokens(endpoint, calls[0], 950)
    assert run_call(call_id=calls[1].pk).again_in is not None
    assert len(bench.stub.log) == 1


@pytest.mark.django_db
def test_it_settles_with_the_servers_own_count(bench: Bench) -> None:
    endpoint, calls = calls_of(bench, 1, parameters={"max_tokens": 5000})
    run_call(call_id=calls[0].pk)
    calls[0].refresh_from_db()
    with Redis.from_url(site.REDIS_URL) as redis:
        held = redis.hgetall(f"parable:llm:tokens:{endpoint.pk}")
    used = str(calls[0].tokens_in + calls[0].tokens_out).encode()
    assert held == {b"all": used, f"{calls[0].pk}.1".encode(): used}


@pytest.mark.django_db
def test_it_lets_a_call_go_that_is_larger_than_the_limit_when_it_is_alone(bench: Bench) -> None:
    endpoint, calls = calls_of(bench, 2, tokens_per_minute=10)
    assert seconds_to_wait(endpoint, calls[0]) == 0
    assert seconds_to_wait(endpoint, calls[1]) > 55


@pytest.mark.django_db
def test_it_counts_a_call_that_is_tried_anew_as_another_request(bench: Bench) -> None:
    endpoint, calls = calls_of(bench, 1, requests_per_minute=2)
    assert seconds_to_wait(endpoint, calls[0]) == 0
    assert seconds_to_wait(endpoint, calls[0]) == 0  # its attempts were set back meanwhile
    assert seconds_to_wait(endpoint, calls[0]) > 55


@pytest.mark.django_db
def test_it_forgets_requests_and_tokens_together(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "WINDOW_MS", 300)
    endpoint, calls = calls_of(bench, 2, parameters={"max_tokens": 200})
    endpoint.tokens_per_minute = estimate(calls[0]) + 10
    assert seconds_to_wait(endpoint, calls[0]) == 0
    wait = seconds_to_wait(endpoint, calls[1])
    assert 0 < wait <= 0.3
    time.sleep(wait + 0.05)
    assert seconds_to_wait(endpoint, calls[1]) == 0
    pause_endpoint(endpoint, 0.5)
    assert 0.3 < seconds_to_wait(endpoint, calls[1]) <= 0.5


@pytest.mark.django_db
def test_it_counts_a_request_from_when_it_left(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between taking a place and the first byte lie the name, the connection and a busy machine."""
    endpoint, calls = calls_of(bench, 1)
    assert seconds_to_wait(endpoint, calls[0]) == 0
    with Redis.from_url(site.REDIS_URL) as redis:
        key, place = f"parable:llm:sent:{endpoint.pk}", f"{calls[0].pk}.1"
        taken = redis.zscore(key, place)
        redis.zadd(key, {place: float(str(taken)) - 5000})
        calls[0].attempts = 1
        from parable.llm.client import EndpointSpec, Message, ask  # noqa: PLC0415 - only here

        spec = EndpointSpec(bench.stub.base_url, "stub-ok", allow_private=True)
        with rate_limit.sending(endpoint, calls[0]):
            ask(spec, [Message("user", "hello")])
        assert float(str(redis.zscore(key, place))) >= float(str(taken))


# --- several workers, one limit ---


@contextmanager
def workers(count: int, window_ms: int) -> Iterator[None]:
    """Worker processes of their own on the test's database and queue."""
    database = connection.settings_dict
    where = os.environ["DATABASE_URL"].partition("?")
    url = where[0].rsplit("/", 1)[0] + f"/{database['NAME']}" + "".join(where[1:])
    environment = os.environ | {
        "DATABASE_URL": url,
        "REDIS_URL": site.REDIS_URL,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PARABLE_LLM_ALLOW_PRIVATE": "127.0.0.1",
        "PYTHONPATH": str(BASE),
    }
    with ExitStack() as stack:
        for number in range(count):
            code = WORKER.format(window=window_ms, name=f"rate{number}")
            process = subprocess.Popen([sys.executable, "-c", code], env=environment, cwd=BASE)
            stack.callback(process.wait, 30)
            stack.callback(process.terminate)
        until = time.monotonic() + 120
        while len(app.control.ping(timeout=2) or []) < count:
            assert time.monotonic() < until, "the workers do not start"
        yield


def send_through_workers(
    bench: Bench, *, limit: int, calls: int, window_ms: int, patience: float
) -> list[float]:
    """Ask so many calls through two worker processes; answers when each reached the server."""
    with StubServer(latency=0.05) as server:
        endpoint = bench.add_endpoint(
            "limited", "any", base_url=server.base_url, requests_per_minute=limit, parallel_calls=8
        )
        started = bench.start(endpoints=[endpoint], stories=[make_story(bench.cast) for _ in range(calls)])
        with workers(2, window_ms):
            hooks.dispatch_calls("generate", started.waiting)
            until = time.monotonic() + patience
            while not Job.objects.filter(pk=started.batch.job_id, state=JobState.DONE).exists():
                assert time.monotonic() < until, states(started.batch.job)
                time.sleep(0.1)
        assert states(started.batch.job) == [CallState.DONE] * calls
        return [seen.time for seen in server.log]


@pytest.mark.drill
@pytest.mark.django_db(transaction=True)
def test_two_workers_never_send_more_than_sixty_in_any_minute(bench: Bench) -> None:
    times = send_through_workers(bench, limit=60, calls=70, window_ms=61_000, patience=300)
    print(
        f"{len(times)} requests in {max(times) - min(times):.0f} s, most in a minute {most_in_any(60, times)}"
    )
    assert len(times) == 70
    assert most_in_any(60.0, times) <= 60
    assert most_in_any(64.0, times) >= 60  # and it is used to the full
