"""Long work takes turns between projects, and nobody may order without end."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from core.errors import Conflict
from jobs import kinds
from jobs.hooks import dispatch
from jobs.models import Work
from jobs.services import next_in_line, order_work, require_room, stand_in_line
from jobs.services.fair_queue import MOST_OF_PERSON, MOST_OF_PROJECT
from tests.factories import Cast, make_project


def order_of(arrivals: str) -> str:
    """Project and number of what is done, one after the other, where work arrived in this order."""
    for place, project in enumerate(arrivals):
        stand_in_line(project_id=ord(project), work_id=arrivals[: place + 1].count(project))
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
        stand_in_line(project_id=1, work_id=number)
    assert [next_in_line() for _ in range(5)][-1] == 4
    stand_in_line(project_id=2, work_id=100)
    assert 100 in {next_in_line(), next_in_line()}


def test_work_that_waits_already_keeps_its_place() -> None:
    for number in (1, 2, 1, 2, 1):
        stand_in_line(project_id=1, work_id=number)
    assert [next_in_line(), next_in_line(), next_in_line()] == [1, 2, None]


@pytest.mark.usefixtures("_tasks_run_at_once")
@pytest.mark.django_db(transaction=True)
def test_a_worker_does_the_job_that_stands_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(kinds, "_kinds", kinds.kinds())
    kinds.work("note", title="A note")(lambda subject, _tell: seen.append(subject))
    ordered(make_project(), 7)
    ordered(make_project(), 8)
    dispatch("note", 7)
    dispatch("note", 8)
    assert seen == [7, 8]
    assert next_in_line() is None


def ordered(cast: Cast, subject: int) -> None:
    order_work(actor=cast.manager, project=cast.project, kind="note", subject=subject)


@pytest.fixture
def cast(db: Any) -> Cast:
    return make_project()


def add(cast: Cast, actor: User, count: int) -> None:
    Work.objects.bulk_create(
        Work(project=cast.project, kind="build", title_code="x", created_by=actor) for _ in range(count)
    )


@pytest.mark.parametrize(
    ("of_actor", "of_others", "is_refused"),
    [
        (MOST_OF_PERSON - 1, 0, False),
        (MOST_OF_PERSON, 0, True),
        (0, MOST_OF_PROJECT - 1, False),
        (0, MOST_OF_PROJECT, True),
        (1, MOST_OF_PROJECT - 2, False),
        (1, MOST_OF_PROJECT - 1, True),
    ],
)
def test_unfinished_work_is_bounded_by_person_and_by_project(
    cast: Cast, of_actor: int, of_others: int, is_refused: bool
) -> None:
    add(cast, cast.manager, of_actor)
    add(cast, cast.writer, of_others)
    unfinished = Work.objects.filter(project=cast.project)
    if is_refused:
        with pytest.raises(Conflict, match="unfinished jobs"):
            require_room(unfinished, actor=cast.manager, by="created_by")
    else:
        require_room(unfinished, actor=cast.manager, by="created_by")


def test_the_bounds_are_ten_and_twenty() -> None:
    assert (MOST_OF_PERSON, MOST_OF_PROJECT) == (10, 20)


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
