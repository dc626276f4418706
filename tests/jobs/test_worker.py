"""A real worker on the real broker, with the stub behind it over real HTTP."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.conf import settings as site
from django.utils import timezone
from redis import Redis

from jobs import hooks
from jobs.models import Call, CallState, Job, JobState
from jobs.tasks import sweep_orphans
from parable.llm.stub import Faults, StubServer
from tests.factories import make_story
from tests.generation.bench import Bench, states
from tests.workers import running_worker

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def _worker() -> Iterator[None]:
    """One worker with eight threads that serves both queues."""
    with running_worker(threads=8):
        yield


def test_it_leaves_the_log_of_other_tests_as_it_was() -> None:
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    with running_worker(threads=1):
        pass
    assert (root.level, list(root.handlers)) == before


def test_its_process_loads_no_pages() -> None:
    """They would cost every worker a quarter of its start, and 20 MB."""
    code = (
        "import sys; from config.celery import app; app.loader.import_default_modules()"
        "; print('jobs.hooks.run_job' in app.tasks)"
        "; print('config.urls' in sys.modules, 'web.admin' in sys.modules, 'openpyxl' in sys.modules)"
    )
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert asked.stdout.split() == ["True", "False", "False", "False"]


def wait_for(is_so: Callable[[], bool], seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(0.05)


def is_done(job: Job) -> bool:
    return Job.objects.filter(pk=job.pk, state=JobState.DONE).exists()


@pytest.mark.usefixtures("_worker")
def test_it_finishes_a_batch_with_faults_in_between(bench: Bench) -> None:
    faults = Faults({"429(1)": 0.1, "500": 0.1, "drop": 0.05}, seed=3)
    with StubServer(default="mix", faults=faults, latency=0.05) as server:
        endpoint = bench.add_endpoint("mixed", "any", base_url=server.base_url, parallel_calls=6)
        stories = [make_story(bench.cast) for _ in range(24)]
        started = bench.start(endpoints=[endpoint], stories=stories)
        hooks.dispatch_calls("generate", started.waiting)
        wait_for(lambda: is_done(started.batch.job), 60)
        assert states(started.batch.job) == [CallState.DONE] * 24
        assert server.counts["ok"] == 24  # none paid twice
        assert server.most_in_flight <= 6


@pytest.mark.usefixtures("_worker")
def test_it_goes_on_after_the_broker_forgot_everything(bench: Bench) -> None:
    stories = [make_story(bench.cast) for _ in range(6)]
    started = bench.start(stories=stories)  # nothing is dispatched: as after a flush
    with Redis.from_url(site.REDIS_URL) as redis:
        redis.delete("llm")
    Call.objects.filter(job=started.batch.job).update(due_at=timezone.now() - timedelta(seconds=1))
    sweep_orphans.delay()
    wait_for(lambda: is_done(started.batch.job))
    assert len(bench.stub.log) == 6
