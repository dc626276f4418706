"""Stories are handed out: never to too many, never "empty" while one is left, within the caps."""

import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from annotation.models import WritingAssignment, WritingPlaces
from annotation.queries.assignment import free_places, limits_of, why_no_story
from annotation.services import (
    give_back_story,
    name_writers,
    name_writers_for,
    take_next_story,
    take_story,
)
from core.errors import Conflict, Unusable
from corpus.models import Story
from projects.models import Project
from tests.annotation.pulling import at_once, is_found_by, more_writers, pull_all
from tests.factories import Cast, make_project, make_story, submit_item


def change(project: Project, **settings: int) -> None:
    for name, value in settings.items():
        setattr(project, name, value)
    project.save()


def writers_by_story(project: Project) -> Counter[int]:
    held = WritingAssignment.objects.filter(story__project=project, given_back_at=None)
    return Counter(held.values_list("story", flat=True))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("stories", "writers_per_story"), [(30, 2), (1, 3), (5, 16)])
def test_it_gives_each_story_exactly_its_writers_when_sixteen_pull_at_once(
    stories: int, writers_per_story: int
) -> None:
    cast = make_project(writers_per_story=writers_per_story)
    for _number in range(stories):
        make_story(cast)
    got = pull_all(more_writers(cast, 16), cast.project)
    held = writers_by_story(cast.project)
    assert len(held) == stories
    assert set(held.values()) == {writers_per_story}
    assert all(len(mine) == len(set(mine)) for mine in got.values())


@pytest.mark.django_db(transaction=True)
def test_nobody_hears_that_nothing_is_left_while_there_is_a_story_for_everybody() -> None:
    cast = make_project(writers_per_story=4)
    for _number in range(4):
        make_story(cast)
    refused = []

    def pull(person: object) -> None:
        if take_next_story(actor=person, project=cast.project) is None:  # type: ignore[arg-type]
            refused.append(person)

    at_once(more_writers(cast, 16), pull)  # 16 places for 16 people: each gets one
    assert refused == []
    assert sum(writers_by_story(cast.project).values()) == 16


@pytest.mark.django_db(transaction=True)
def test_it_holds_the_cap_for_somebody_who_asks_twice_at_once() -> None:
    cast = make_project(most_stories_in_hand=1)
    for _number in range(6):
        make_story(cast)
    at_once([cast.writer] * 6, lambda person: _pull_once(person, cast))
    assert WritingAssignment.objects.filter(writer=cast.writer).count() == 1


def _pull_once(person: object, cast: Cast) -> None:
    take_next_story(actor=person, project=cast.project)  # type: ignore[arg-type]


@pytest.mark.django_db(transaction=True)
def test_it_holds_no_story_that_was_taken_while_it_waits_for_the_next() -> None:
    cast = make_project(writers_per_story=1)
    first, second = make_story(cast).pk, make_story(cast).pk
    with another_session() as taker, another_session() as holder, ThreadPoolExecutor(1) as pool:
        taker.execute(TAKE, [first])
        holder.execute(LOCK, [second])
        got = pool.submit(lambda: _pull_and_close(cast.writer, cast))
        until_waiting_for(taker)
        taker.commit()
        until_waiting_for(holder)
        holder.execute(f"{LOCK} NOWAIT", [first])  # raises where the one who waits kept it
        holder.rollback()
        assert got.result(timeout=60) == second


def _pull_and_close(person: User, cast: Cast) -> int | None:
    try:
        taken = take_next_story(actor=person, project=cast.project)
        return taken.story_id if taken else None
    finally:
        connection.close()


TAKE = "UPDATE annotation_writingplaces SET writers = 1 WHERE story_id = %s"
LOCK = "SELECT FROM annotation_writingplaces WHERE story_id = %s FOR UPDATE"


def another_session() -> psycopg.Connection[Any]:
    """A second person's transaction on the test's database."""
    return psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor})


def until_waiting_for(session: psycopg.Connection[Any]) -> None:
    """Until another backend waits for what the session holds."""
    for _try in range(600):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE %s = ANY(pg_blocking_pids(pid))",
                [session.info.backend_pid],
            )
            if cursor.fetchone()[0]:
                return
        time.sleep(0.05)
    raise AssertionError("nobody waits for the session")


@pytest.mark.drill
@pytest.mark.django_db(transaction=True)
def test_it_gives_many_stories_to_sixteen_writers_who_also_give_back() -> None:
    cast = make_project(writers_per_story=3)
    for _number in range(150):
        make_story(cast)
    people = more_writers(cast, 16)

    def pull(person: object) -> None:
        taken = 0
        while assignment := take_next_story(actor=person, project=cast.project):  # type: ignore[arg-type]
            taken += 1
            if taken % 7 == 0:
                give_back_story(actor=assignment.writer, assignment=assignment)

    at_once(people, pull)
    assert max(writers_by_story(cast.project).values()) <= 3
    counted = dict(WritingPlaces.objects.values_list("story", "writers"))
    held = writers_by_story(cast.project)
    assert counted == {story: held[story] for story in counted}
    assert not any(free_places(cast.project, person).exists() for person in people)


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def test_it_prefers_the_story_that_lacks_most_writers_then_the_oldest(cast: Cast) -> None:
    first, second, third = (make_story(cast) for _number in range(3))
    name_writers(actor=cast.manager, story=first, writers=[cast.writer2])
    taken = [take_next_story(actor=cast.writer, project=cast.project) for _number in range(3)]
    assert [each and each.story_id for each in taken] == [second.pk, third.pk, first.pk]


def test_it_counts_again_when_a_story_is_given_back(cast: Cast) -> None:
    change(cast.project, writers_per_story=1)
    make_story(cast)
    taken = take_next_story(actor=cast.writer, project=cast.project)
    assert taken is not None
    assert take_next_story(actor=cast.writer2, project=cast.project) is None
    give_back_story(actor=cast.writer, assignment=taken)
    assert take_next_story(actor=cast.writer, project=cast.project) is None
    assert why_no_story(cast.writer, cast.project).given_back == 1
    again = take_next_story(actor=cast.writer2, project=cast.project)
    assert again is not None


def test_it_lets_somebody_take_again_what_they_gave_back(cast: Cast) -> None:
    story = make_story(cast)
    give_back_story(actor=cast.writer, assignment=take_story(actor=cast.writer, story=story))
    assert take_story(actor=cast.writer, story=story).given_back_at is None


def test_it_stops_at_the_cap_of_stories_in_hand_until_one_is_finished(cast: Cast) -> None:
    change(cast.project, most_stories_in_hand=1, items_per_writer=1)
    story, other = make_story(cast), make_story(cast)
    take_story(actor=cast.writer, story=story)
    assert take_next_story(actor=cast.writer, project=cast.project) is None
    assert limits_of(cast.writer, cast.project).has_hands_full
    with pytest.raises(Conflict, match="the most this project allows"):
        take_story(actor=cast.writer, story=other)
    submit_item(cast, story=story)
    taken = take_next_story(actor=cast.writer, project=cast.project)
    assert taken is not None
    assert taken.story == other


def test_it_stops_at_the_cap_of_items_of_one_person(cast: Cast) -> None:
    change(cast.project, most_items_per_person=9)  # two stories of four items each
    for _number in range(3):
        make_story(cast)
    taken = [take_next_story(actor=cast.writer, project=cast.project) for _number in range(3)]
    assert [each is not None for each in taken] == [True, True, False]
    assert limits_of(cast.writer, cast.project).would_write_too_much
    name_writers(actor=cast.manager, story=Story.objects.latest("pk"), writers=[cast.writer])
    assert WritingAssignment.objects.filter(writer=cast.writer).count() == 3


def test_it_says_when_a_story_is_due(cast: Cast) -> None:
    change(cast.project, days_to_write=14)
    taken = take_story(actor=cast.writer, story=make_story(cast))
    assert taken.due_on == timezone.localdate() + timedelta(days=14)


def test_it_names_several_writers_for_several_stories_once(cast: Cast) -> None:
    stories, day = [make_story(cast), make_story(cast)], timezone.localdate()
    writers = [cast.writer, cast.writer2]
    take_story(actor=cast.writer, story=stories[0])
    made = name_writers_for(
        actor=cast.manager, project=cast.project, stories=stories, writers=writers, due_on=day
    )
    assert len(made) == 3
    assert {each.due_on for each in made} == {day}
    right: dict[str, Any] = {"project": cast.project, "stories": stories, "writers": writers}
    faults: list[dict[str, Any]] = [{"writers": []}, {"stories": []}, {"due_on": day - timedelta(days=1)}]
    for wrong in faults:
        with pytest.raises(Unusable):
            name_writers_for(actor=cast.manager, **{**right, **wrong})
    with pytest.raises(Unusable, match="is not a writer in this project"):
        name_writers(actor=cast.manager, story=stories[0], writers=[cast.reviewer])


def test_it_takes_no_longer_in_a_large_project(cast: Cast) -> None:
    for _number in range(3):
        make_story(cast)
    few = _queries(cast)
    _many_full_stories(cast, 3000)
    make_story(cast)
    assert _queries(cast) == few
    # by the index alone, so that nothing is counted for a full story
    bound = r"Index Cond: .*writers < 2\)"
    assert re.search(bound, free_places(cast.project, cast.writer).explain())
    assert is_found_by("annotation_fewest_writers", free_places(cast.project, cast.writer))


def _queries(cast: Cast) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert take_next_story(actor=cast.writer, project=cast.project) is not None
    return len(captured)


def _many_full_stories(cast: Cast, count: int) -> None:
    Story.objects.bulk_create(
        Story(
            project=cast.project, ref=f"full-{number}", language="en", text_hash=f"{number:064d}",
            created_by=cast.manager,
        )
        for number in range(count)
    )  # fmt: skip
    full = Story.objects.filter(ref__startswith="full-")
    WritingAssignment.objects.bulk_create(
        WritingAssignment(story=story, writer=writer)
        for story in full
        for writer in (cast.writer2, cast.manager)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotation_writingplaces; ANALYZE annotation_writingassignment")
