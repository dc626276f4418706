"""Calls: never more than the money, the hand that steers and the endpoint allow."""

from __future__ import annotations

import threading
from decimal import Decimal

import pytest
from django.conf import settings as site
from django.db import connection
from django.utils import timezone
from redis import Redis

from accounts.models import AuditEvent
from core.errors import Conflict, Forbidden
from generation.services import run_call
from jobs.errors import BUDGET
from jobs.models import Budget, Call, CallState, Job, JobState
from jobs.queries import progress
from jobs.services import (
    cancel_job,
    finish_job,
    pause_job,
    resume_job,
    wake_calls,
)
from parable.llm.stub import StubServer
from tests.factories import make_story
from tests.generation.bench import Bench, states, work_off

pytestmark = pytest.mark.django_db


# --- money ---


def test_it_never_spends_more_than_the_budget_and_goes_on_when_it_is_raised(bench: Bench) -> None:
    endpoint = bench.add_endpoint(
        "dear", "stub-ok", price_out=Decimal(10_000), parameters={"max_tokens": 100}, parallel_calls=2
    )
    stories = [make_story(bench.cast) for _ in range(8)]
    started = bench.start(endpoints=[endpoint], stories=stories, budget=Decimal("1.5"))
    work_off(started.waiting)
    job = Job.objects.get(pk=started.batch.job_id)
    so_far = progress(job)
    assert (job.state, job.reason) == (JobState.PAUSED, BUDGET)
    assert so_far.held == 0
    assert 0 < so_far.cost <= Decimal("1.5")
    assert 0 < so_far.finished < 8
    resume_job(actor=bench.cast.writer, job=job, limit=Decimal(50))
    work_off(wake_calls(job_id=job.pk))
    after = progress(job)
    assert after.by_state == {CallState.DONE: 8}
    assert after.cost == sum(Call.objects.filter(job=job).values_list("cost", flat=True))


@pytest.mark.django_db(transaction=True)
def test_it_never_holds_more_than_the_budget_with_many_workers_at_once(bench: Bench) -> None:
    endpoint = bench.add_endpoint(
        "dear", "slow(0.2)", price_out=Decimal(10_000), parameters={"max_tokens": 100}, parallel_calls=8
    )
    stories = [make_story(bench.cast) for _ in range(8)]
    started = bench.start(endpoints=[endpoint], stories=stories, budget=Decimal("3.1"))
    threads = [threading.Thread(target=_run_and_close, args=(call,)) for call in started.waiting]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert bench.stub.most_in_flight <= 3
    assert Budget.objects.get(job=started.batch.job).spent <= Decimal("3.1")


def _run_and_close(call_id: int) -> None:
    run_call(call_id=call_id)
    connection.close()


def test_it_releases_what_was_held_for_a_call_that_failed(bench: Bench) -> None:
    endpoint = bench.add_endpoint("locked", "stub-401", price_out=Decimal(10))
    started = bench.start(endpoints=[endpoint])
    work_off(started.waiting)
    budget = Budget.objects.get(job=started.batch.job)
    assert budget.held == budget.spent == Decimal(0)


# --- the hands that steer ---


def test_it_hands_out_nothing_while_paused_and_goes_on_after(bench: Bench) -> None:
    started = bench.start()
    job = pause_job(actor=bench.cast.writer, job=started.batch.job)
    work_off(started.waiting)
    assert (states(job), wake_calls(job_id=job.pk), bench.stub.log) == ([CallState.PENDING], [], ())
    with pytest.raises(Conflict):
        pause_job(actor=bench.cast.writer, job=job)
    resume_job(actor=bench.cast.manager, job=job)
    work_off(wake_calls(job_id=job.pk))
    assert states(job) == [CallState.DONE]


def test_it_drops_what_waits_when_cancelled(bench: Bench) -> None:
    started = bench.start()
    job = cancel_job(actor=bench.cast.writer, job=started.batch.job)
    work_off(started.waiting)
    assert states(job) == [CallState.CANCELLED]
    assert bench.stub.log == ()
    with pytest.raises(Conflict):
        cancel_job(actor=bench.cast.writer, job=job)
    assert finish_job(job_id=job.pk) is False


def test_it_lets_only_the_starter_and_managers_steer(bench: Bench) -> None:
    started = bench.start()
    with pytest.raises(Forbidden):
        pause_job(actor=bench.cast.writer2, job=started.batch.job)
    with pytest.raises(Forbidden):
        pause_job(actor=bench.cast.reviewer, job=started.batch.job)
    assert pause_job(actor=bench.cast.manager, job=started.batch.job).state == JobState.PAUSED
    events = AuditEvent.objects.filter(verb="pause_job")
    assert {event.subject_type for event in events} == {"jobs.work"}, "as in the events of former versions"


# --- the rate limit ---


def test_it_sends_no_more_in_a_minute_than_the_endpoint_allows(bench: Bench) -> None:
    endpoint = bench.add_endpoint("slow slot", "stub-ok", requests_per_minute=3, parallel_calls=8)
    stories = [make_story(bench.cast) for _ in range(5)]
    started = bench.start(endpoints=[endpoint], stories=stories)
    waits = [run_call(call_id=call).again_in for call in started.waiting]
    assert [wait is None for wait in waits] == [True, True, True, False, False]
    assert 58 <= max(wait for wait in waits if wait) <= 61
    assert len(bench.stub.log) == 3
    with Redis.from_url(site.REDIS_URL) as redis:
        (key,) = redis.keys("parable:llm:sent:*")
        oldest = redis.zrange(key, 0, 0)[0]
        redis.zadd(key, {oldest: 1.0})  # a minute later, for one of them
    assert run_call(call_id=started.waiting[3]).again_in is None
    assert run_call(call_id=started.waiting[4]).again_in is not None
    assert len(bench.stub.log) == 4


def test_it_lets_others_ask_where_one_call_alone_is_to_wait_a_moment(bench: Bench) -> None:
    with StubServer(programme=["429(2)", "ok", "429(2)", "429(2)", "429(2)"]) as server:
        endpoint = bench.add_endpoint("hasty", "any", base_url=server.base_url)
        stories = [make_story(bench.cast) for _ in range(6)]
        waiting = bench.start(endpoints=[endpoint], stories=stories).waiting
        endpoint.parallel_calls = 8
        endpoint.save(update_fields=["parallel_calls"])
        waiting += wake_calls(job_id=Call.objects.get(pk=waiting[0]).job_id)
        waits = [run_call(call_id=call).again_in for call in waiting]
        assert waits[1] is None  # asked although the one before it has to wait
        assert len(server.log) == 5  # three in a row without an answer: now all wait
        assert waits[5] is not None


def test_it_asks_no_more_at_once_than_the_endpoint_has_lanes(bench: Bench) -> None:
    endpoint = bench.add_endpoint("narrow", "stub-ok", parallel_calls=2)
    stories = [make_story(bench.cast) for _ in range(5)]
    started = bench.start(endpoints=[endpoint], stories=stories)
    assert len(started.waiting) == 2
    Call.objects.filter(pk__in=started.waiting).update(state=CallState.RUNNING, started_at=timezone.now())
    other = Call.objects.filter(state=CallState.PENDING).first()
    assert other is not None
    assert run_call(call_id=other.pk).again_in is None
    assert wake_calls(job_id=started.batch.job_id) == []  # it waits in line for a slot
    Call.objects.filter(pk=started.waiting[0]).update(state=CallState.DONE)
    assert wake_calls(job_id=started.batch.job_id) == [other.pk]
    assert bench.stub.log == ()
