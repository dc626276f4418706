"""Long work takes turns between projects, and nobody may order without end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from accounts.models import User
from core.errors import Conflict
from jobs import job_types
from jobs.hooks import dispatch
from jobs.models import Budget, Job
from jobs.services import next_in_line, order_job, stand_in_line, start_job
from jobs.services.job import (
    MOST_OF_PERSON,
    MOST_OF_PROJECT,
    MOST_PAID_OF_PERSON,
    MOST_PAID_OF_PROJECT,
)
from tests.factories import Cast, make_project


def order_of(arrivals: str) -> str:
    """Project and number of what is done, one after the other, where work arrived in this order."""
    for index, project in enumerate(arrivals):
        stand_in_line(project_id=ord(project), job_id=arrivals[: index + 1].count(project))
    done = []
    while (waiting := next_in_line()) is not None:
        done.append(waiting)
    return "".join(map(str, done))


@pytest.mark.parametrize(
    ("arrivals", "done"),
    [
        ("", ""),
        ("aaa", "123"),
        ("aaab", "1123"),
        ("baaa", "1123"),
        ("aaabb", "11223"),
        ("aabbcc", "111222"),
        ("abcaaa", "111234"),
    ],
)
def test_projects_take_turns_and_each_keeps_its_own_order(arrivals: str, done: str) -> None:
    assert order_of(arrivals) == done


def test_who_comes_while_others_are_served_waits_for_one_at_most() -> None:
    for number in range(60):
        stand_in_line(project_id=1, job_id=number)
    assert [next_in_line() for _ in range(5)][-1] == 4
    stand_in_line(project_id=2, job_id=100)
    assert 100 in {next_in_line(), next_in_line()}


def test_work_that_waits_already_keeps_its_place() -> None:
    for number in (1, 2, 1, 2, 1):
        stand_in_line(project_id=1, job_id=number)
    assert [next_in_line(), next_in_line(), next_in_line()] == [1, 2, None]


@pytest.mark.usefixtures("_tasks_run_at_once")
@pytest.mark.django_db(transaction=True)
def test_a_worker_does_the_job_that_stands_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(job_types, "_job_types", job_types.job_types())
    job_types.job_type("note", title="A note")(lambda subject, _report: seen.append(subject))
    ordered(make_project(), 7)
    ordered(make_project(), 8)
    dispatch("note", 7)
    dispatch("note", 8)
    assert seen == [7, 8]
    assert next_in_line() is None


def ordered(cast: Cast, subject: int) -> None:
    order_job(actor=cast.manager, project=cast.project, kind="note", subject=subject)


@pytest.fixture
def cast(db: Any) -> Cast:
    return make_project()


def add(cast: Cast, actor: User, count: int, *, asks_models: bool = False) -> None:
    works = Job.objects.bulk_create(
        Job(project=cast.project, kind="note", title_code="x", created_by=actor) for _ in range(count)
    )
    if asks_models:
        Budget.objects.bulk_create(Budget(job=work) for work in works)


def order_note(cast: Cast) -> None:
    ordered(cast, subject=1)


def start_asking(cast: Cast) -> None:
    start_job(actor=cast.manager, project=cast.project, kind="note", title="x")


@pytest.mark.parametrize(
    ("order", "person", "project"),
    [
        (order_note, MOST_OF_PERSON, MOST_OF_PROJECT),
        (start_asking, MOST_PAID_OF_PERSON, MOST_PAID_OF_PROJECT),
    ],
)
def test_unfinished_work_is_bounded_by_person_over_all_projects_and_by_project(
    cast: Cast, order: Callable[[Cast], None], person: int, project: int
) -> None:
    other, asks = make_project(), order is start_asking
    for of_actor, elsewhere, of_others, is_refused in [
        (person - 1, 0, 0, False),
        (person, 0, 0, True),
        (1, person - 2, 0, False),
        (1, person - 1, 0, True),
        (0, 0, project - 1, False),
        (0, 0, project, True),
        (1, 0, project - 2, False),
        (1, 0, project - 1, True),
        (0, person - 1, project - 1, False),
    ]:
        Budget.objects.all().delete()
        Job.objects.all().delete()
        add(cast, cast.manager, of_actor, asks_models=asks)
        add(other, cast.manager, elsewhere, asks_models=asks)
        add(cast, cast.writer, of_others, asks_models=asks)
        if is_refused:
            with pytest.raises(Conflict, match="unfinished jobs"):
                order(cast)
        else:
            order(cast)


def test_the_bounds_are_ten_and_twenty_and_of_jobs_that_ask_models_ten_times_that() -> None:
    assert (MOST_OF_PERSON, MOST_OF_PROJECT) == (10, 20)
    assert (MOST_PAID_OF_PERSON, MOST_PAID_OF_PROJECT) == (100, 200)


@pytest.mark.django_db(transaction=True)
def test_orders_at_the_same_moment_do_not_exceed_the_bound_of_a_person() -> None:
    casts, ready, ends = [make_project() for _ in range(4)], threading.Barrier(4), []
    manager = casts[0].manager
    add(casts[0], manager, MOST_OF_PERSON - 1)

    def order(cast: Cast) -> None:
        ready.wait(10)
        try:
            order_job(actor=manager, project=cast.project, kind="note", subject=cast.project.pk)
            ends.append("ordered")
        except Conflict:
            ends.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=order, args=(cast,)) for cast in casts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(ends) == ["ordered", "refused", "refused", "refused"]


@pytest.mark.django_db(transaction=True)
def test_what_cannot_be_put_in_line_is_left_to_the_sweep(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(**_named: object) -> None:
        raise ConnectionError

    monkeypatch.setattr("jobs.services.stand_in_line", refuse)
    ordered(make_project(), 7)
    dispatch("note", 7)
    assert "Error calling _put_in_line" in caplog.text
