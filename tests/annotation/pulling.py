"""Many writers who take stories at the same moment, each in a thread with a connection of its own."""

import threading
from collections.abc import Callable, Sequence

from django.db import connection
from django.db.models import QuerySet

from accounts.models import User
from annotation.models import WritingPlaces
from annotation.services import take_next_story
from projects.models import Membership, Project, Role
from tests.factories import Cast, make_people


def more_writers(cast: Cast, count: int) -> list[User]:
    """The cast's two writers and as many more as make `count`; put in directly, as the cast is."""
    found = [cast.writer, cast.writer2]
    more = make_people(**{f"one_of_many_{number}": "One of many" for number in range(count - len(found))})
    Membership.objects.bulk_create(
        Membership(project=cast.project, user=user, role=Role.WRITER) for user in more.values()
    )
    return [*found, *more.values()]


def at_once(people: Sequence[User], work: Callable[[User], None]) -> None:
    """Let everybody do this at the same moment; what one of them raised is raised."""
    start, raised = threading.Barrier(len(people)), []

    def run(person: User) -> None:
        try:
            start.wait(timeout=60)
            work(person)
        except BaseException as error:  # noqa: BLE001 - it is raised again below
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[person]) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    if raised:
        raise raised[0]


def pull_all(people: Sequence[User], project: Project) -> dict[int, list[int]]:
    """Everybody takes stories until none are left: who got which, by person."""
    got: dict[int, list[int]] = {person.pk: [] for person in people}

    def pull(person: User) -> None:
        while (taken := take_next_story(actor=person, project=project)) is not None:
            got[person.pk].append(taken.story_id)

    at_once(people, pull)
    return got


def is_found_by(index: str, rows: QuerySet[WritingPlaces]) -> bool:
    """Whether PostgreSQL can find the first of these rows by the index alone, be the table large or small."""
    others = ("seqscan", "bitmapscan", "sort")
    with connection.cursor() as cursor:
        for other in others:
            cursor.execute(f"SET LOCAL enable_{other} = off")
        way = rows[:1].explain()
        for other in others:
            cursor.execute(f"SET LOCAL enable_{other} = on")
    return index in way and "Sort" not in way
