"""Calls: asked once, kept, paid once, whatever is killed, doubled or lost."""

from __future__ import annotations

import threading
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from core.errors import Conflict
from generation.models import Candidate
from generation.services import candidate, run_call, run_claimed
from jobs.errors import LOST
from jobs.job_types import Stopped
from jobs.models import OPEN, Budget, Call, CallState, Job, JobState
from jobs.queries import progress
from jobs.retries import MOST_ATTEMPTS
from jobs.services import (
    call_run,
    retry_failed,
    sweep_orphans,
    wake_calls,
)
from jobs.services.call_result import record_error
from jobs.services.slot import Claim, claim
from jobs.services.sweep import MOST_LOSSES, grace
from parable.llm.errors import BrokenOff
from parable.llm.stub import StubServer
from parable.llm.tokens import Tokens
from tests.factories import make_story
from tests.generation.bench import Bench, bind_variable, states, sweep_and_work, work_off

pytestmark = pytest.mark.django_db


def _the_call(job: Job) -> Call:
    return Call.objects.get(job=job)


def test_it_asks_keeps_the_raw_answer_and_closes_the_job(bench: Bench) -> None:
    started = bench.start()
    work_off(started.waiting)
    job = Job.objects.get(pk=started.batch.job_id)
    call = _the_call(job)
    assert (job.state, call.state, call.attempts) == (JobState.DONE, CallState.DONE, 1)
    assert "candidates" in call.raw_response
    assert call.tokens_in > 0
    assert call.tokens_out > 0
    assert call.latency_ms is not None
    assert bench.stub.log[0].prompt == call.prompt
    assert "{" not in call.prompt


def test_it_does_nothing_when_a_call_is_run_a_second_time(bench: Bench) -> None:
    started = bench.start()
    work_off(started.waiting * 3)
    assert len(bench.stub.log) == 1
    assert Candidate.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_it_asks_once_when_many_workers_get_the_same_call(bench: Bench) -> None:
    started = bench.start()
    ready = threading.Barrier(6)

    def work() -> None:
        ready.wait(10)
        run_call(call_id=started.waiting[0])
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(bench.stub.log) == 1
    assert states(started.batch.job) == [CallState.DONE]


def test_it_tries_again_after_a_fault_that_heals(bench: Bench) -> None:
    with StubServer(programme=["500", "drop", "ok"]) as shaky:
        endpoint = bench.add_endpoint("shaky", "any", base_url=shaky.base_url)
        started = bench.start(endpoints=[endpoint])
        work_off(started.waiting)
    call = _the_call(started.batch.job)
    assert (call.state, call.attempts, len(shaky.log)) == (CallState.DONE, 3, 3)
    assert call.reason_code == ""


def test_it_takes_up_what_has_waited_out_its_error_before_what_was_never_asked(bench: Bench) -> None:
    stories = [bench.story, make_story(bench.cast), make_story(bench.cast)]
    with StubServer(programme=["500", "ok"]) as shaky:
        endpoint = bench.add_endpoint("shaky", "any", base_url=shaky.base_url, parallel_calls=1)
        started = bench.start(endpoints=[endpoint], stories=stories)
        failed = run_call(call_id=started.waiting[0], goes_on=True)
        assert failed.next is not None
        assert failed.again_in is not None
        assert failed.next.call.pk != failed.call_id
        Call.objects.filter(pk=failed.call_id).update(due_at=timezone.now())
        after = run_claimed(claim=failed.next, goes_on=True)
    assert after.next is not None
    assert (after.next.call.pk, after.next.call.attempts) == (failed.call_id, 2)


def test_it_gives_up_after_so_many_attempts_and_says_why(bench: Bench) -> None:
    started = bench.start(endpoints=[bench.add_endpoint("down", "stub-500")])
    work_off(started.waiting, patience=30)
    job = Job.objects.get(pk=started.batch.job_id)
    call = _the_call(job)
    assert (job.state, call.state, call.attempts) == (JobState.FAILED, CallState.FAILED, MOST_ATTEMPTS)
    failure = progress(job).failures[0]
    assert (failure.code, failure.count) == ("server_fault", 1)
    assert failure.sentence == "The server failed."


def test_it_waits_as_long_as_the_server_asks_and_lets_nobody_else_ask_meanwhile(bench: Bench) -> None:
    endpoint = bench.add_endpoint("busy", "stub-429(30)")
    started = bench.start(endpoints=[endpoint], stories=[bench.story, make_story(bench.cast)])
    first = run_call(call_id=started.waiting[0])
    second = run_call(call_id=started.waiting[1])
    assert first.again_in is not None
    assert 30 <= first.again_in <= 40
    assert second.again_in is not None
    assert 25 <= second.again_in <= 30
    assert len(bench.stub.log) == 1


def test_it_keeps_a_content_filters_refusal_apart_from_failures(bench: Bench) -> None:
    started = bench.start(endpoints=[bench.add_endpoint("prude", "stub-refusal")])
    work_off(started.waiting)
    assert states(started.batch.job) == [CallState.REFUSED]
    assert len(bench.stub.log) == 1


REPLY = (21, 3)
"""Tokens that the stub's servers count for a reply; prices are 1 and 2 for a million of them."""


@pytest.mark.parametrize(
    ("programme", "state", "replies"),
    [
        (["geminisafety"], CallState.REFUSED, 1),
        (["deepseekbusy", "glmnetwork", "othermodel"], CallState.DONE, 3),
        (["deepseekbusy", "500", "geminisafety"], CallState.REFUSED, 2),
        (["sglangabort"] * MOST_ATTEMPTS, CallState.FAILED, MOST_ATTEMPTS),
        (["500", "stoprefusal"], CallState.REFUSED, 1),
        (["402"], CallState.FAILED, 0),
    ],
)
def test_it_books_every_reply_that_the_server_counts_whatever_became_of_it(
    bench: Bench, programme: list[str], state: CallState, replies: int
) -> None:
    with StubServer(programme=programme) as server:
        prices = {"price_in": Decimal(1), "price_out": Decimal(2)}
        endpoint = bench.add_endpoint("counts", "any", base_url=server.base_url, **prices)
        job = bench.start(endpoints=[endpoint]).batch.job
        work_off([call.pk for call in Call.objects.filter(job=job)], patience=30)
        assert len(server.log) == len(programme)
    call, budget = _the_call(job), Budget.objects.get(job=job)
    assert (call.state, call.tokens_in, call.tokens_out) == (state, replies * REPLY[0], replies * REPLY[1])
    assert call.cost == replies * Decimal("0.000027") == budget.spent
    assert call.held == budget.held == 0


def test_it_books_a_late_failure_of_an_attempt_that_was_taken_for_dead_and_books_it_once(
    bench: Bench,
) -> None:
    with StubServer(programme=["deepseekbusy"]) as server:
        prices = {"price_in": Decimal(1), "price_out": Decimal(2)}
        endpoint = bench.add_endpoint("late", "any", base_url=server.base_url, **prices)
        started = bench.start(endpoints=[endpoint])
        claimed = claim(started.waiting[0])
        assert isinstance(claimed, Claim)
        Call.objects.filter(pk=claimed.call.pk).update(attempts=5, held=0)
        late = BrokenOff("insufficient_system_resource")
        late.tokens = Tokens(*REPLY)
        record_error(claimed, late, goes_on=False)
        call = _the_call(started.batch.job)
        assert (call.state, call.attempts, call.tokens_in) == (CallState.RUNNING, 5, 21)
        assert call.cost == Budget.objects.get(job=started.batch.job).spent == Decimal("0.000027")
        # the same failure, settled again since nobody heard whether it was written
        known = {"state": CallState.PENDING, "attempts": 1, "reason_code": late.code, "reason": late.reason}
        Call.objects.filter(pk=call.pk).update(**known)
        record_error(claimed, late, goes_on=False)
        assert _the_call(started.batch.job).cost == Decimal("0.000027")


def test_it_does_not_send_the_other_calls_after_a_key_that_is_wanted(bench: Bench) -> None:
    stories = [make_story(bench.cast) for _ in range(6)]
    endpoint = bench.add_endpoint("locked", "stub-401", parallel_calls=1)
    started = bench.start(endpoints=[endpoint], stories=stories)
    work_off(started.waiting)
    job = Job.objects.get(pk=started.batch.job_id)
    assert states(job) == [CallState.FAILED] * 6
    assert len(bench.stub.log) == 1
    assert progress(job).failures[0].sentence == "The server requires an API key, but none is set."


def test_it_keeps_an_answer_without_proposals_and_says_so(bench: Bench) -> None:
    started = bench.start(endpoints=[bench.add_endpoint("silent", "stub-empty")])
    work_off(started.waiting)
    call = _the_call(started.batch.job)
    assert (call.state, call.reason_code) == (CallState.DONE, "no_candidates")


def test_it_does_not_pay_for_the_same_question_twice_unless_asked_to(bench: Bench) -> None:
    work_off(bench.start().waiting)
    with pytest.raises(Conflict):
        bench.start()
    again = bench.start(again=True)
    work_off(again.waiting)
    assert len(bench.stub.log) == 2
    more = bench.start(stories=[bench.story, make_story(bench.cast)])
    assert (more.calls, more.already_asked) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_it_asks_once_what_two_batches_ask_at_the_same_moment(bench: Bench) -> None:
    stories = [bench.story, *(make_story(bench.cast) for _ in range(9))]
    ready, ends = threading.Barrier(4), []

    def begin(turn: int) -> None:
        ready.wait(10)
        try:
            mine = stories if turn % 2 else stories[::-1]
            ends.append(bench.start(stories=mine).calls)
        except (Conflict, Stopped):
            ends.append(0)
        finally:
            connection.close()

    threads = [threading.Thread(target=begin, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(ends) == [0, 0, 0, 10]
    assert Call.objects.count() == 10
    assert not Job.objects.filter(calls__isnull=True, state__in=OPEN).exists()


def test_it_asks_anew_what_failed_before(bench: Bench) -> None:
    broken = bench.add_endpoint("locked", "stub-401")
    work_off(bench.start(endpoints=[broken]).waiting)
    assert bench.start(endpoints=[broken]).calls == 1


def test_it_retries_the_failed_calls_of_a_job(bench: Bench) -> None:
    with StubServer(programme=["401", "ok"]) as server:
        endpoint = bench.add_endpoint("once", "any", base_url=server.base_url)
        started = bench.start(endpoints=[endpoint])
        work_off(started.waiting)
        job = retry_failed(actor=bench.cast.writer, job=started.batch.job)
        work_off(wake_calls(job_id=job.pk))
    assert states(job) == [CallState.DONE]
    with pytest.raises(Conflict):
        retry_failed(actor=bench.cast.writer, job=job)


def test_it_reports_the_key_that_no_worker_has(
    bench: Bench, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PARABLE_LLM_KEY_TEST", raising=False)
    bind_variable(bench.stub)
    endpoint = bench.add_endpoint("keyed", key_variable="PARABLE_LLM_KEY_TEST")
    started = bench.start(endpoints=[endpoint])
    work_off(started.waiting)
    assert _the_call(started.batch.job).reason_code == "key_missing"
    monkeypatch.setenv("PARABLE_LLM_KEY_TEST", "sk-something-long-enough")
    job = retry_failed(actor=bench.cast.writer, job=started.batch.job)
    work_off(wake_calls(job_id=job.pk))
    assert states(job) == [CallState.DONE]
    assert ("authorization", "Bearer sk-something-long-enough") in bench.stub.log[0].headers
    settings.LLM_KEYS = ["OTHER_*"]
    again = bench.start(endpoints=[endpoint], again=True)
    work_off(again.waiting)
    assert _the_call(again.batch.job).reason_code == "key_missing"


# --- what is killed or lost ---


def test_it_brings_back_a_call_whose_worker_was_killed(bench: Bench) -> None:
    started = bench.start()
    call = _the_call(started.batch.job)
    long_ago = timezone.now() - timedelta(seconds=5) - grace() - timedelta(seconds=1)
    Budget.objects.filter(job=call.job).update(held=Decimal(2))
    Call.objects.filter(pk=call.pk).update(
        state=CallState.RUNNING, attempts=1, started_at=long_ago, held=Decimal(2)
    )
    sweep_and_work()
    assert states(started.batch.job) == [CallState.DONE]
    assert Budget.objects.get(job=call.job).held == 0


def test_it_leaves_a_call_alone_that_may_still_be_answered(bench: Bench) -> None:
    started = bench.start()
    Call.objects.update(state=CallState.RUNNING, attempts=1, started_at=timezone.now())
    assert sweep_orphans() == []
    assert states(started.batch.job) == [CallState.RUNNING]


def test_it_gives_a_call_up_that_kills_every_worker(bench: Bench) -> None:
    started = bench.start()
    Call.objects.update(
        state=CallState.RUNNING, attempts=MOST_LOSSES, started_at=timezone.now() - timedelta(hours=1)
    )
    assert sweep_orphans() == []
    assert _the_call(started.batch.job).reason_code == LOST
    assert Job.objects.get(pk=started.batch.job_id).state == JobState.FAILED


def test_it_dispatches_a_call_again_whose_message_was_lost(bench: Bench) -> None:
    started = bench.start()
    assert sweep_orphans() == []  # it has just been dispatched
    Call.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    ((kind, waiting),) = sweep_orphans()
    assert (kind, waiting) == ("generate", started.waiting)
    due = _the_call(started.batch.job).due_at
    assert due is not None
    assert due > timezone.now() + grace() / 2


def test_it_keeps_a_late_answer_of_an_attempt_that_was_taken_for_dead(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = bench.start()
    real = call_run.ask

    def swept_while_asking(*args: Any, **named: Any) -> object:
        Call.objects.update(started_at=timezone.now() - timedelta(hours=1))
        sweep_orphans()
        assert states(started.batch.job) == [CallState.PENDING]
        return real(*args, **named)

    monkeypatch.setattr(call_run, "ask", swept_while_asking)
    run_call(call_id=started.waiting[0])
    assert states(started.batch.job) == [CallState.DONE]
    assert Candidate.objects.count() == 3
    monkeypatch.undo()
    work_off(started.waiting)
    assert len(bench.stub.log) == 1


def test_it_keeps_a_paid_answer_even_where_reading_it_fails(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = bench.start()
    monkeypatch.setattr(candidate, "parse_candidates", lambda *_args, **_named: 1 / 0)
    work_off(started.waiting)
    call = _the_call(started.batch.job)
    assert (call.state, call.reason_code) == (CallState.DONE, "not_kept")
    assert call.raw_response
