"""The site heals itself: processes killed, servers cut off, an ordinary stop with calls out.

Served again within a minute, nothing acknowledged lost, nothing paid twice but what kill -9 caught.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.batch import start_batch, wait_for_end, wait_for_workers
from benchmarks.hands import Stub
from config.local.births import birth
from jobs.models import Call, CallState, Job
from tests.config.programs import wait_until
from tests.drills.proxy import Cut, Proxy
from tests.drills.site import Browser, Site, database_address, redis_address, settings_through
from tests.factories import make_project, make_story

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

PROCESSES = ("web", "worker", "llm-worker", "beat")
LINES_OF_AN_OUTAGE = 400


@dataclass(frozen=True)
class Scene:
    """A site that runs, its writer, the model that it asks, and what lies between it and its servers."""

    site: Site
    browser: Browser
    stub: Stub
    database: Proxy
    redis: Proxy

    def start_batch(self, calls: int) -> int:
        """Ask so many questions (a multiple of four); the job."""
        return int(start_batch(self.stub, stories=calls // 4, timeout=30).batch.job_id)

    def paid_twice(self) -> int:
        """How many answers were given beyond the first, over all questions."""
        asked = Counter((seen["model"], seen["prompt"]) for seen in self.stub.read("log"))
        return sum(asked.values()) - len(asked)

    def is_whole(self, job_id: int, calls: int) -> None:
        """Nothing is lost: each call has its answer, each draft that was acknowledged is there."""
        states = Counter(Call.objects.filter(job=job_id).values_list("state", flat=True))
        assert states == {CallState.DONE: calls}
        assert self.browser.drafts
        assert not self.browser.lost()


@contextmanager
def _scene(home: Path, *, latency: float) -> Iterator[Scene]:
    cast = make_project()
    story = make_story(cast)
    with ExitStack() as stack:
        stub = stack.enter_context(Stub(latency=latency, hang_seconds=60, seed=5, rates={}))
        database = stack.enter_context(Proxy(database_address()))
        redis = stack.enter_context(Proxy(redis_address()[0]))
        settings = settings_through(database.port, redis.port) | {"PARABLE_LLM_WORKERS": "8"}
        site = stack.enter_context(Site(home, settings))
        browser = Browser(site.port, cast, story)
        wait_until(lambda: browser.look() == 200, 120)
        wait_for_workers(120)
        yield Scene(site, browser, stub, database, redis)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "var"


def _out(job_id: int) -> int:
    return Call.objects.filter(job=job_id, state=CallState.RUNNING).count()


def _answered(job_id: int) -> int:
    return Call.objects.filter(job=job_id, state=CallState.DONE).count()


def test_it_starts_each_killed_process_again_alone(home: Path) -> None:
    calls = 80
    with _scene(home, latency=1.0) as scene:
        job_id = scene.start_batch(calls)
        wait_until(lambda: _answered(job_id) > 0, 60)
        caught = 0
        for name in PROCESSES:
            others = scene.site.pids(*(set(PROCESSES) - {name}))
            scene.browser.type()
            scene.site.kill(name)
            if name == "llm-worker":
                caught = _out(job_id)
            seconds = scene.browser.wait_until_served()
            print(f"{name} killed: served again after {seconds:.1f} s")
            assert scene.site.pids(*others) == others
            assert all(map(birth, others.values()))
        wait_for_end(job_id, 180)
        scene.is_whole(job_id, calls)
        assert scene.paid_twice() <= caught


@pytest.mark.parametrize("how", ["refuse", "hang", "reset"])
def test_it_outlives_a_database_that_is_cut_off(home: Path, how: Cut) -> None:
    _outlives(home, how, lambda scene: scene.database)


def test_it_outlives_a_redis_that_is_cut_off(home: Path) -> None:
    _outlives(home, "refuse", lambda scene: scene.redis)


def _outlives(home: Path, how: Cut, what: Callable[[Scene], Proxy]) -> None:
    calls = 48
    with _scene(home, latency=1.0) as scene:
        job_id = scene.start_batch(calls)
        scene.browser.type()
        wait_until(lambda: _answered(job_id) > 0, 60)
        before = len(scene.site.said().splitlines())
        what(scene).cut(how)
        until = time.monotonic() + 15
        while time.monotonic() < until:
            scene.browser.look()
            scene.browser.type()
        what(scene).mend()
        seconds = scene.browser.wait_until_served()
        wait_for_end(job_id, 120)
        scene.is_whole(job_id, calls)
        assert scene.paid_twice() == 0
        lines = scene.site.said().splitlines()[before:]
        print(f"{how}: served again after {seconds:.1f} s, {len(lines)} lines of log")
        assert not [line for line in lines if "Traceback" in line]
        assert len(lines) < LINES_OF_AN_OUTAGE
        assert {status for status, _said in scene.browser.refusals} <= {0, 503}
        for status, said in scene.browser.refusals:
            assert status == 0 or "does not answer" in said


def test_it_lets_calls_come_home_when_it_is_stopped(home: Path) -> None:
    calls, out = 16, 8
    with _scene(home, latency=9.0) as scene:
        scene.browser.type()
        job_id = scene.start_batch(calls)
        wait_until(lambda: len(scene.stub.read("log")) == out, 60)
        assert scene.site.stop(90) == 0
        assert _answered(job_id) == out
        assert _out(job_id) == 0
        assert len(scene.stub.read("log")) == out  # none was asked anew
        assert "waiting for" in scene.site.said()
        with scene.site:
            wait_for_end(job_id, 120)
        scene.is_whole(job_id, calls)
        assert scene.paid_twice() == 0
        assert Job.objects.get(pk=job_id).finished_at
