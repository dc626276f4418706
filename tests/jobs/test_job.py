"""Long work is done once, by one worker at a time; what a dead one held is done by another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, models, transaction
from django.db.utils import OperationalError
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisAway

from core.errors import Conflict
from jobs import hooks, job_types, services
from jobs.errors import BUDGET, FAULT, LOST_WORKERS, NOT_PREPARED, OUT_OF_MEMORY, TOO_LONG
from jobs.job_types import Report, Stopped
from jobs.models import LOST_AFTER, MOST_LOSSES, Job, JobState
from jobs.queries import job_of, lost_jobs
from jobs.services import job as job_service
from jobs.services import run_job
from jobs.services.job import KEPT_FOR, MOST_OF_PROJECT
from jobs.tasks import forget_old_jobs, sweep_jobs
from tests.factories import Cast, make_project

KIND = "sum"
Run_later = Callable[..., Any]
Register = Callable[..., list[int]]


class Step(models.IntegerChoices):
    WAITING = 0, "waiting"
    ADDING = 1, "adding"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """Registers a kind for this test; returns the ids of the rows that it was run for, or had failed."""
    monkeypatch.setattr(job_types, "_job_types", job_types.job_types())

    def add(
        run: Callable[[int, Report], Any] = lambda _subject, _report: {"sum": 5}, **more: Any
    ) -> list[int]:
        seen: list[int] = []

        @job_types.job_type(KIND, title="Sum of %(what)s", steps=Step, **more)
        def do(subject: int, report: Report) -> Any:
            seen.append(subject)
            return run(subject, report)

        return seen

    return add


def order(cast: Cast, subject: int = 7, **more: Any) -> Job:
    return services.order_job(
        actor=cast.manager, project=cast.project, kind=KIND, subject=subject, about={"what": "all"}, **more
    )


def lose(job: Job) -> None:
    """Let its worker have died a while ago."""
    ago = timezone.now() - LOST_AFTER - timedelta(seconds=1)
    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING, created_at=ago, heartbeat_at=ago)


def test_it_is_done_once_and_keeps_its_result(cast: Cast, register: Register) -> None:
    seen, job = register(), order(cast)
    assert (job.title, job.state) == ("Sum of all", JobState.PENDING)
    run_job(job_id=job.pk)
    run_job(job_id=job.pk)
    job.refresh_from_db()
    assert seen == [7]
    assert (job.state, job.result, job.attempts) == (JobState.DONE, {"sum": 5}, 1)
    assert job.finished_at is not None


def test_an_order_that_waits_or_runs_is_the_same_job(cast: Cast, register: Register) -> None:
    register()
    job = order(cast)
    assert order(cast) == job
    assert order(cast, again=True) == job
    assert order(cast, subject=8) != job
    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING, heartbeat_at=timezone.now())
    assert order(cast) == job
    second = order(cast, again=True)
    assert second != job
    assert order(cast, again=True) == second
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.filter(pk=job.pk).update(state=JobState.PENDING)


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_what_is_ordered_while_it_runs_is_done_after_it(
    cast: Cast, register: Register, django_capture_on_commit_callbacks: Run_later
) -> None:
    seconds: list[Job] = []

    def run(_subject: int, _report: Report) -> None:
        if not seconds:
            seconds.append(order(cast, again=True))
            run_job(job_id=seconds[0].pk)  # another worker gets the message too early
            assert Job.objects.get(pk=seconds[0].pk).state == JobState.PENDING

    register(run)
    job = order(cast)
    with django_capture_on_commit_callbacks(execute=True):
        hooks.dispatch(KIND, 7)
    assert set(Job.objects.values_list("pk", "state")) == {
        (job.pk, JobState.DONE),
        (seconds[0].pk, JobState.DONE),
    }


def test_it_notes_how_far_it_is(cast: Cast, register: Register) -> None:
    def run(_subject: int, report: Report) -> None:
        report(Step.ADDING, 1, 3)
        report(Step.ADDING, 2, 3)  # too soon to be written down
        job = Job.objects.get()
        assert (job.state, job.step, job.done, job.total) == (JobState.RUNNING, Step.ADDING, 1, 3)

    register(run)
    run_job(job_id=order(cast).pk)
    assert Job.objects.get().state == JobState.DONE


def test_a_fault_closes_it_with_a_reason(cast: Cast, register: Register) -> None:
    closed: list[int] = []
    register(lambda _subject, _report: 1 / 0, on_fault=closed.append)
    run_job(job_id=order(cast).pk)
    job = Job.objects.get()
    assert (job.state, job.reason, closed) == (JobState.FAILED, FAULT, [7])
    assert order(cast) != job, "it can be ordered again"


def test_work_that_cannot_go_on_says_why(cast: Cast, register: Register) -> None:
    closed: list[int] = []

    def run(_subject: int, _report: Report) -> None:
        raise Stopped(BUDGET)

    register(run, on_fault=closed.append)
    run_job(job_id=order(cast).pk)
    job = Job.objects.get()
    assert (job.state, job.reason, closed) == (JobState.FAILED, BUDGET, [])


def test_an_outage_leaves_it_to_the_sweep(cast: Cast, register: Register) -> None:
    closed: list[int] = []

    def run(_subject: int, _report: Report) -> None:
        raise RedisAway

    register(run, on_fault=closed.append)
    job = order(cast)
    with pytest.raises(RedisAway):
        run_job(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, closed) == (JobState.RUNNING, [])


def test_no_number_of_outages_is_held_against_it(cast: Cast, register: Register) -> None:
    def run(_subject: int, _report: Report) -> None:
        raise RedisAway

    register(run)
    job = order(cast)
    for _outage in range(MOST_LOSSES + 1):
        with pytest.raises(RedisAway):
            run_job(job_id=job.pk)
        lose(job)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.RUNNING, 0)


class _Killed(BaseException):
    """Ends a worker in the middle of a job, so that nothing is written down."""


def close_with_a_reason(subject: int) -> None:
    """As kinds do that ask models: they drop what was still to be asked, and close the job themselves."""
    services.fail_job(job=Job.objects.get(subject=subject, state=JobState.RUNNING), reason=NOT_PREPARED)


@pytest.mark.parametrize("asks_models", [False, True])
def test_it_ends_with_a_reason_once_it_has_killed_three_workers(
    asks_models: bool, cast: Cast, register: Register
) -> None:
    closed: list[int] = []

    def kill(_subject: int, _report: Report) -> None:
        raise _Killed

    on_fault = close_with_a_reason if asks_models else closed.append
    seen = register(kill, asks_models=asks_models, on_fault=on_fault)
    job = order(cast)
    for _loss in range(MOST_LOSSES):
        with pytest.raises(_Killed):
            run_job(job_id=job.pk)
        lose(job)
    waiting = order(cast, again=True)
    assert run_job(job_id=job.pk) == waiting, "what waits for its end goes on"
    job.refresh_from_db()
    assert (job.state, job.reason, len(seen)) == (JobState.FAILED, LOST_WORKERS, MOST_LOSSES)
    assert "worker process ended three times" in job.why
    assert closed == ([] if asks_models else [7])


def fill(_subject: int, _report: Report) -> None:
    raise MemoryError


def fill_while_reading(_subject: int, _report: Report) -> None:
    raise ValueError from MemoryError()


@pytest.mark.parametrize("run", [fill, fill_while_reading])
def test_a_job_that_needs_too_much_memory_says_so(
    run: Callable[[int, Report], None], cast: Cast, register: Register
) -> None:
    closed: list[int] = []
    register(run, on_fault=closed.append)
    run_job(job_id=order(cast).pk)
    job = Job.objects.get()
    assert (job.state, job.reason, closed) == (JobState.FAILED, OUT_OF_MEMORY, [7])


def test_a_fault_in_closing_what_it_is_about_keeps_no_job_open(cast: Cast, register: Register) -> None:
    register(lambda _subject, _report: 1 / 0, on_fault=lambda _subject: 1 / 0)
    run_job(job_id=order(cast).pk)
    assert Job.objects.get().reason == FAULT


def test_it_is_left_alone_while_its_worker_lives_and_taken_over_when_that_is_dead(
    cast: Cast, register: Register
) -> None:
    seen, job = register(), order(cast)
    assert not lost_jobs(), "it was ordered a moment ago"
    assert not job.is_silent
    lose(job)
    Job.objects.update(heartbeat_at=timezone.now())
    run_job(job_id=job.pk)
    assert (seen, list(lost_jobs())) == ([], [])
    lose(job)
    assert Job.objects.get().is_silent
    assert lost_jobs().get() == job
    run_job(job_id=job.pk)
    assert seen == [7]
    assert not lost_jobs()
    assert not Job.objects.get().is_silent


def test_who_was_taken_for_dead_closes_nothing(cast: Cast, register: Register) -> None:
    def run(_subject: int, report: Report) -> dict[str, int]:
        job = Job.objects.get()
        if job.attempts == 1:
            lose(job)
            run_job(job_id=job.pk)
            report(Step.ADDING, 9, 9)
            return {"of": 1}
        return {"of": 2}

    register(run)
    run_job(job_id=order(cast).pk)
    job = Job.objects.get()
    assert (job.state, job.result, job.attempts, job.done) == (JobState.DONE, {"of": 2}, 2, 0)


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_the_sweep_hands_out_what_was_lost(
    cast: Cast, register: Register, django_capture_on_commit_callbacks: Run_later
) -> None:
    seen = register()
    lose(order(cast, subject=1))
    order(cast, subject=2)
    Job.objects.create(project=cast.project, kind="gone", subject=3, created_by=cast.manager)
    Job.objects.filter(kind="gone").update(created_at="2026-01-01T00:00Z")
    with django_capture_on_commit_callbacks(execute=True):
        sweep_jobs()
    assert seen == [1]


def test_nobody_orders_without_end(cast: Cast, register: Register) -> None:
    register()
    for subject in range(MOST_OF_PROJECT):
        order(cast, subject=subject, is_capped=False)
    assert order(cast, subject=0).pk
    with pytest.raises(Conflict, match="unfinished jobs"):
        order(cast, subject=99)


@pytest.mark.django_db(transaction=True)
def test_its_heart_beats_while_the_work_reports_nothing(
    register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast = make_project()
    monkeypatch.setattr(job_service, "BEAT_SECONDS", 0.02)
    beaten = threading.Event()
    ago = timezone.now() - timedelta(hours=1)
    known, failures = type(Job.objects.all()).update, [OperationalError("away")]

    def update(rows: Any, **values: Any) -> int:
        if threading.current_thread().name == "heartbeat" and set(values) == {"heartbeat_at"}:
            if failures:
                raise failures.pop()
            done = known(rows, **values)
            beaten.set()
            return done
        return known(rows, **values)

    def run(_subject: int, _report: Report) -> None:
        Job.objects.filter(kind=KIND).update(heartbeat_at=ago)
        monkeypatch.setattr("django.db.models.query.QuerySet.update", update)
        assert beaten.wait(20)
        monkeypatch.setattr("django.db.models.query.QuerySet.update", known)
        assert Job.objects.filter(kind=KIND, heartbeat_at__gt=ago).exists()

    register(run)
    run_job(job_id=order(cast).pk)
    job = job_of(KIND, 7)
    assert job is not None
    assert job.state == JobState.DONE, job.reason


@pytest.mark.django_db(transaction=True)
def test_a_job_that_hangs_is_closed_and_its_process_given_up(
    register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast, given_up = make_project(), threading.Event()
    closed: list[int] = []
    monkeypatch.setattr(job_service, "BEAT_SECONDS", 0.02)

    def hang(_subject: int, _report: Report) -> None:
        assert given_up.wait(20)

    register(hang, longest=timedelta(seconds=0.1), on_fault=closed.append)
    run_job(job_id=order(cast).pk, give_up=given_up.set)
    job = job_of(KIND, 7)
    assert job is not None
    assert (job.state, job.reason, closed) == (JobState.FAILED, TOO_LONG, [7])


def test_it_forgets_jobs_that_ended_long_ago_but_the_last_about_each_row(
    cast: Cast, register: Register
) -> None:
    register()
    ended = timezone.now() - KEPT_FOR
    for minutes in (-1, 1, 2):  # the first ended long ago, the others not quite
        job = order(cast)
        run_job(job_id=job.pk)
        Job.objects.filter(pk=job.pk).update(finished_at=ended + timedelta(minutes=minutes))
    alone = order(cast, subject=8)
    run_job(job_id=alone.pk)
    asking = services.start_job(actor=cast.manager, project=cast.project, kind=KIND, title="x", subject=7)
    Job.objects.filter(pk__in=[alone.pk, asking.pk]).update(finished_at=ended - timedelta(days=1))
    before = set(Job.objects.values_list("pk", flat=True))
    forget_old_jobs()
    gone = before - set(Job.objects.values_list("pk", flat=True))
    assert gone == {min(before)}


def test_managers_see_what_runs_and_what_has_ended(cast: Cast, register: Register) -> None:
    page = f"/p/{cast.project.slug}/jobs"
    client = Client()
    client.force_login(cast.manager)
    assert "No running jobs." in client.get(page).content.decode()
    register(lambda _subject, _report: 1 / 0, page=lambda slug, subject, _about: f"/{slug}/sums/{subject}")
    order(cast)
    response = client.get(page).content.decode()
    assert f'<a href="/{cast.project.slug}/sums/7">Sum of all</a>' in response
    assert "waiting to start" in response
    assert "does not respond" not in response
    lose(Job.objects.get())
    assert "does not respond" in client.get(page).content.decode()
    run_job(job_id=Job.objects.get().pk)
    ended = client.get(page).content.decode()
    assert "No running jobs." in ended
    assert "It failed because of an error in Parable." in ended
    for person, status in ((cast.writer, 403), (cast.reviewer, 403), (cast.outsider, 404)):
        client.force_login(person)
        assert client.get(page).status_code == status


def test_the_list_asks_the_database_as_often_for_many_jobs_as_for_few(cast: Cast, register: Register) -> None:
    register()
    client = Client()
    client.force_login(cast.manager)
    counts = []
    for number in range(6):
        run_job(job_id=order(cast, subject=number).pk)
        order(cast, subject=100 + number)
        if number in {0, 5}:
            with CaptureQueriesContext(connection) as asked:
                client.get(f"/p/{cast.project.slug}/jobs")
            counts.append(len(asked))
    assert counts[0] == counts[1]
