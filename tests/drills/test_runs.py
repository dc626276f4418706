"""A run comes to its end although its workers are killed: every question has one response, none is lost."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack

import pytest

from benchmarks.batch import wait_for_end, wait_for_workers
from benchmarks.hands import SiteProcess, Stub
from benchmarks.run import make_release, start_run
from evaluation.models import Response
from jobs.models import Call, CallState
from tests.drills.test_batches import CALLS_AT_ONCE, HANDS, TIMEOUT, settings_of_the_test, wait_until

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

ITEMS, REPEATS, LATENCY = 400, 3, 1.0


def test_it_loses_no_response_to_kill_9_and_asks_nothing_answered_again() -> None:
    env = settings_of_the_test()
    questions = ITEMS * REPEATS
    with ExitStack() as running:
        stub = running.enter_context(Stub(latency=LATENCY, hang_seconds=60, seed=5, rates={}))
        for name in ("worker", "beat"):
            running.enter_context(SiteProcess(name, env))
        hands = [running.enter_context(SiteProcess(name, env)) for name in HANDS]
        wait_for_workers(120)
        run = start_run(stub, make_release(ITEMS), repeats=REPEATS, timeout=TIMEOUT)
        in_flight = 0
        for share in (0.3, 0.6):
            wait_until(lambda share=share: _kept(run.pk) >= share * questions)  # type: ignore[misc]  # mypy infers no such lambda
            for hand in hands:
                hand.kill()
            in_flight += Call.objects.filter(job=run.job, state=CallState.RUNNING).count()
            hands = [running.enter_context(SiteProcess(name, env)) for name in HANDS]
        seconds = wait_for_end(run.job_id, 240)
        log, flight = stub.read("log"), stub.read("flight")
    ideal = questions * LATENCY / CALLS_AT_ONCE
    print(f"{seconds:.1f} s with two kills, ideal {ideal:.1f} s, {in_flight} in flight")
    kept = Response.objects.filter(run=run).values_list("item", "repeat")
    assert len(kept) == len(set(kept)) == questions  # none is lost, none is there twice
    assert set(Call.objects.filter(job=run.job).values_list("state", flat=True)) == {CallState.DONE}
    asked = Counter(seen["prompt"] for seen in log)
    again = sum(n - REPEATS for n in asked.values())
    assert min(asked.values()) >= REPEATS
    assert 0 <= again <= in_flight  # asked again: only what was out when its worker was killed
    assert in_flight > 0
    assert flight["most"] <= CALLS_AT_ONCE


def _kept(run_id: int) -> int:
    return Response.objects.filter(run=run_id).count()
