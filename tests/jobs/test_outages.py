"""What a model answered is written down although a server is away; who stops asks nothing new."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from pytest_django import Settings

from generation.models import Candidate
from generation.services import run_call
from jobs.models import Budget, Call, CallState
from jobs.services import call_result, call_run, drain, sweep_orphans
from jobs.services.sweep import PAUSE, grace
from tests.factories import make_story
from tests.generation.bench import Bench, Started, work_off


def _start(bench: Bench, *more: Any) -> Started:
    """A batch of one call, and one for each further story, at an endpoint that costs something."""
    priced = bench.add_endpoint("priced", price_in=Decimal(10), price_out=Decimal(20), parallel_calls=1)
    return bench.start(stories=[bench.story, *more], endpoints=[priced])


def _two_calls(bench: Bench) -> Started:
    return _start(bench, make_story(bench.cast))


def _is_recorded_once(bench: Bench, call_id: int) -> None:
    call = Call.objects.get(pk=call_id)
    assert (call.state, call.attempts) == (CallState.DONE, 1)
    assert len(bench.stub.log) == 1
    budget = Budget.objects.get(job=call.job_id)
    assert (budget.spent, budget.held) == (call.cost, Decimal(0))
    assert call.cost > 0


def _before_first(monkeypatch: pytest.MonkeyPatch, happen: Callable[[], object]) -> None:
    """Let something happen before the first attempt to write an answer down."""
    record, first = call_result.record_answer, [True]

    def record_later(*args: Any, **named: Any) -> Any:
        if first.pop() if first else False:
            happen()
        return record(*args, **named)

    monkeypatch.setattr(call_run, "record_answer", record_later)


@pytest.mark.django_db(transaction=True)
def test_it_writes_an_answer_down_although_its_connection_broke(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = _start(bench)

    def cut() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    _before_first(monkeypatch, cut)
    work_off(started.waiting)
    _is_recorded_once(bench, started.waiting[0])


@pytest.mark.django_db(transaction=True)
def test_it_books_an_answer_once_where_nobody_knows_whether_it_was_written(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = _start(bench)
    record, broken = call_result.record_answer, [True]

    def record_and_break(*args: Any, **named: Any) -> Any:
        recorded = record(*args, **named)
        if broken:
            broken.clear()
            raise OperationalError("the connection broke after the commit")
        return recorded

    monkeypatch.setattr(call_run, "record_answer", record_and_break)
    work_off(started.waiting)
    _is_recorded_once(bench, started.waiting[0])


@pytest.mark.django_db(transaction=True)
def test_it_reads_an_answer_again_where_the_database_went_away_meanwhile(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = _start(bench)
    read, broken = call_result._read, [True]

    def read_and_break(call: Call, keep: call_result.Keep) -> str:
        def keep_or_break(call: Call) -> str:
            if broken:
                broken.clear()
                raise OperationalError("the connection broke while candidates were written")
            return keep(call)

        return read(call, keep_or_break)

    monkeypatch.setattr(call_result, "_read", read_and_break)
    work_off(started.waiting)
    _is_recorded_once(bench, started.waiting[0])
    assert Candidate.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_it_gives_up_in_the_end(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    started = _start(bench)

    def away(*args: Any, **named: Any) -> Any:
        raise OperationalError("away")

    monkeypatch.setattr(call_run, "record_answer", away)
    monkeypatch.setattr(call_result, "KEEPS_TRYING_SECONDS", -1.0)
    with pytest.raises(OperationalError):
        run_call(call_id=started.waiting[0])


@pytest.mark.django_db(transaction=True)
def test_it_keeps_an_answer_although_redis_went_away_meanwhile(
    bench: Bench, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = _two_calls(bench)
    ask = call_run.ask

    def lose_redis_and_ask(*args: Any, **named: Any) -> Any:
        settings.REDIS_URL = "redis://127.0.0.1:1/0"
        return ask(*args, **named)

    monkeypatch.setattr(call_run, "ask", lose_redis_and_ask)
    ran = run_call(call_id=started.waiting[0], goes_on=True)
    assert (ran.next, ran.job_id) == (None, None)  # the next one waits for the rate limit to be known again
    _is_recorded_once(bench, started.waiting[0])


@pytest.fixture
def stop_requested() -> Iterator[None]:
    drain.take_no_more_calls()
    yield
    drain._stopping.clear()


@pytest.mark.django_db
def test_it_takes_no_call_once_it_is_to_stop(bench: Bench, stop_requested: None) -> None:
    started = _start(bench)
    run_call(call_id=started.waiting[0])
    assert not bench.stub.log
    assert Call.objects.get(pk=started.waiting[0]).state == CallState.PENDING


@pytest.mark.django_db
def test_it_settles_the_call_that_is_out_and_takes_no_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = _two_calls(bench)
    _before_first(monkeypatch, drain.take_no_more_calls)
    ran = run_call(call_id=started.waiting[0], goes_on=True)
    drain._stopping.clear()
    assert ran.next is None
    assert set(Call.objects.values_list("state", flat=True)) == {CallState.DONE, CallState.PENDING}


@pytest.mark.django_db
def test_it_waits_after_a_pause_before_it_takes_calls_for_lost(bench: Bench) -> None:
    """Workers may hold answers that they could not write down while the database was away."""
    started = _start(bench)
    now = timezone.now()
    sweep_orphans(now=now)
    Call.objects.update(state=CallState.RUNNING, attempts=1, started_at=now)
    late = now + timedelta(hours=1)
    sweep_orphans(now=late)  # the first one that gets through
    call = Call.objects.get(pk=started.waiting[0])
    assert call.state == CallState.RUNNING
    moment = late
    while moment <= late + grace():
        moment += PAUSE / 2
        sweep_orphans(now=moment)
    call.refresh_from_db()
    assert call.state == CallState.PENDING
