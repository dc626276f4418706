"""Long work takes turns between projects, and nobody may order without end."""

from __future__ import annotations

from typing import Any

import pytest
from celery import shared_task

from accounts.models import User
from core.errors import Conflict
from jobs.hooks import enqueue
from jobs.models import Work
from jobs.services import next_in_line, require_room, stand_in_line
from jobs.services.fair_queue import MOST_OF_PERSON, MOST_OF_PROJECT
from tests.factories import Cast, make_project


def order_of(arrivals: str) -> str:
    """Project and number of what is done, one after the other, where work arrived in this order."""
    for place, project in enumerate(arrivals):
        stand_in_line(project_id=ord(project), task="task", argument=arrivals[: place + 1].count(project))
    done = []
    while (waiting := next_in_line()) is not None:
        done.append(waiting.argument)
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
        stand_in_line(project_id=1, task="build", argument=number)
    assert [next_in_line() for _ in range(5)][-1].argument == 4  # type: ignore[union-attr]
    stand_in_line(project_id=2, task="build", argument=100)
    came = next_in_line(), next_in_line()
    assert 100 in [each.argument for each in came if each]


def test_work_that_waits_already_keeps_its_place() -> None:
    for number in (1, 2, 1, 2, 1):
        stand_in_line(project_id=1, task="build", argument=number)
    assert [each and each.argument for each in (next_in_line(), next_in_line(), next_in_line())] == [
        1,
        2,
        None,
    ]


SEEN: list[int] = []


@shared_task
def note_down(number: int) -> None:
    SEEN.append(number)


@pytest.mark.usefixtures("_tasks_run_at_once")
@pytest.mark.django_db(transaction=True)
def test_a_worker_runs_the_task_that_stands_in_line() -> None:
    SEEN.clear()
    enqueue(note_down, 7, project_id=1)
    enqueue(note_down, 8, project_id=2)
    assert SEEN == [7, 8]
    assert next_in_line() is None


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
        with pytest.raises(Conflict, match="still being worked on"):
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
    enqueue(note_down, 7, project_id=1)
    assert "Error calling enqueue" in caplog.text
