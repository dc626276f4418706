"""A batch comes to its end although its workers are killed and Redis is emptied on the way."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings as site
from django.db import connection
from redis import Redis

from benchmarks.batch import RATES, outcome, start_batch, wait_for_end, wait_for_workers
from benchmarks.hands import SiteProcess, Stub
from jobs.models import Budget, Call, CallState

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

STORIES, LATENCY = 436, 0.3
TIMEOUT, LOST_SECONDS = 20, 5
"""So long that nothing is given up or taken for lost because other drills have the processor."""
HANDS = ("llm-worker", "llm-worker-2")
CALLS_AT_ONCE = 32


def settings_of_the_test() -> dict[str, str]:
    """What a process needs to work on the database of this test."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    url = urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))
    return {
        "DATABASE_URL": url,
        "DATABASE_OWNER_URL": url,
        "PARABLE_LLM_ALLOW_PRIVATE": "127.0.0.1",
        "PARABLE_LLM_WORKERS": str(CALLS_AT_ONCE),
        "PARABLE_LLM_LOST_SECONDS": str(LOST_SECONDS),
    }


def final_calls(job_id: int) -> int:
    return Call.objects.filter(job=job_id, finished_at__isnull=False).count()


def wait_until(is_so: Callable[[], bool], seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(0.1)


def test_it_loses_no_call_to_kill_9_and_to_an_emptied_redis() -> None:
    env = settings_of_the_test()
    rates = RATES | {"hang": 0.005}  # each holds a thread for the whole time-out
    with ExitStack() as running:
        stub = running.enter_context(Stub(latency=LATENCY, hang_seconds=60, seed=5, rates=rates))
        for name in ("worker", "beat"):
            running.enter_context(SiteProcess(name, env))
        hands = [running.enter_context(SiteProcess(name, env)) for name in HANDS]
        wait_for_workers(120)
        batch = start_batch(stub, stories=STORIES, timeout=TIMEOUT)
        job_id, all_calls = batch.job_id, STORIES * 4
        in_flight = 0
        for share in (0.2, 0.4, 0.6):
            wait_until(lambda share=share: final_calls(job_id) >= share * all_calls)  # type: ignore[misc]
            for hand in hands:
                hand.kill()
            in_flight += Call.objects.filter(job=job_id, state=CallState.RUNNING).count()
            if share == 0.4:
                with Redis.from_url(site.REDIS_URL) as redis:
                    redis.flushdb()
            hands = [running.enter_context(SiteProcess(name, env)) for name in HANDS]
        wait_for_end(job_id, 240)
        counts, log = stub.read("counts"), stub.read("log")
    states = outcome(job_id)
    assert states["done"] + states["failed"] == all_calls  # every call is final, none is lost
    assert states["failed"] <= all_calls * 0.01  # those that met five faults in a row
    assert in_flight > 0
    assert counts["ok"] - states["done"] <= in_flight  # paid twice: only what was out when it was killed
    paid = Counter((seen["model"], seen["prompt"]) for seen in log if seen["behaviour"] == "ok")
    assert max(paid.values()) <= 4
    assert Budget.objects.get(job=job_id).held == 0
