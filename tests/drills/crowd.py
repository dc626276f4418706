"""A crowd at one queue: every person a thread, all of them over a small pool of database connections."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import psycopg
from django.db import Error as DatabaseError
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.models import User
from accounts.services import create_user, system_account
from benchmarks.seeding import REVIEWS, Seeded, fill, number_what_follows
from core.errors import Conflict, Hidden
from projects.models import Project, Role
from projects.services import create_project, set_roles
from review.models import Answer, Disposition, Review, ReviewRequest, Stage
from review.services import claim_next, renew_lease, send_verdict, solve

CONNECTIONS = 12
PATIENCE = 900.0
Result = TypeVar("Result")


class Crowd:
    """Reviewers who all work on one queue at the same moment; some of them have written items in it."""

    def __init__(self, people: int, places: int) -> None:
        actor = system_account()
        self.project = create_project(
            actor=actor, slug="crowd", name="Crowd", language="en", settings={"reviews_per_item": REVIEWS}
        )
        self.people = [_person(self.project, number) for number in range(people)]
        ids = [person.pk for person in self.people]
        seeded = Seeded(self.project, ids[2:12], skipped_oldest=ids[0], skipped_most=ids[1])
        fill(seeded, 0, places // REVIEWS, actor.pk)
        number_what_follows()
        self.left: list[ReviewRequest] = []
        self.claimed: list[tuple[int, int]] = []
        self.failures: list[BaseException] = []

    def work_dry(self, person: Callable[[Crowd, User, random.Random], None]) -> None:
        """Let everybody work at once until the queue is dry for each."""
        self._opened: dict[int, BaseDatabaseWrapper] = {}
        self._hands, self._until = ThreadPoolExecutor(CONNECTIONS), time.monotonic() + PATIENCE
        threads = [
            threading.Thread(target=self._alive, args=(person, user, random.Random(number)))  # noqa: S311 - no secret
            for number, user in enumerate(self.people)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        self._hands.shutdown()
        for own in self._opened.values():
            own.close()
        if self.failures:
            raise self.failures[0]

    def _alive(
        self, person: Callable[[Crowd, User, random.Random], None], user: User, chance: random.Random
    ) -> None:
        try:
            person(self, user, chance)
        except BaseException as failure:  # noqa: BLE001 - raised by the thread that waits for all
            self.failures.append(failure)

    def _on_a_connection(self, step: Callable[[], Result]) -> Result:
        own = connections["default"]
        if threading.get_ident() not in self._opened:
            own.inc_thread_sharing()  # so that it can be closed when its thread has ended
            self._opened[threading.get_ident()] = own
        try:
            return step()
        except DatabaseError:
            own.close()
            raise

    def do(self, step: Callable[[], Result]) -> Result:
        """One step on one of the connections; tried again on another where that one is cut off."""
        while True:
            try:
                return self._hands.submit(self._on_a_connection, step).result(PATIENCE)
            except DatabaseError:
                if time.monotonic() > self._until:
                    raise


def _person(project: Project, number: int) -> User:
    actor = system_account()
    user = create_user(
        actor=actor, username=f"crowd-{number}", name=f"Crowd {number}", password=f"{number}-Xy-long"
    )
    set_roles(actor=actor, project=project, user=user, roles=[Role.REVIEWER])
    return user


def steady(crowd: Crowd, user: User, chance: random.Random) -> None:
    """Claim, solve, judge, until nothing is left."""
    while request := crowd.do(lambda: claim_next(actor=user, project=crowd.project, stage=Stage.CROSS_CHECK)):
        crowd.claimed.append((request.pk, user.pk))
        answer_and_judge(crowd, user, request)


def answer_and_judge(crowd: Crowd, user: User, request: ReviewRequest) -> Review:
    """Solve it rightly and pass it."""
    position = request.drawn_order.index(0)  # the key stands first in all that is seeded
    review = crowd.do(lambda: solve(actor=user, request=request, answer=Answer.OPTION, position=position))
    return crowd.do(lambda: _judge(user, review))


def _judge(user: User, review: Review) -> Review:
    try:
        return send_verdict(actor=user, review=review, disposition=Disposition.PASS, rating=2)
    except Conflict:  # the first attempt was carried out, though the connection was cut before it said so
        review.refresh_from_db()
        assert review.judged_at, "a verdict is refused only where one stands"
        return review


def troubled(crowd: Crowd, user: User, chance: random.Random) -> None:
    """The same by somebody who dawdles, loses leases, comes late and goes on; until all is judged."""
    idle = 0
    while idle < 4:
        request = crowd.do(lambda: claim_next(actor=user, project=crowd.project, stage=Stage.CROSS_CHECK))
        if request is None:
            idle += 1
            time.sleep(0.2 + chance.random() / 2)
            continue
        try:
            _dawdle(crowd, user, request, chance)
        except (Conflict, Hidden):
            continue  # lost, and said so


def _dawdle(crowd: Crowd, user: User, request: ReviewRequest, chance: random.Random) -> None:
    what = chance.random()
    if what < 0.05:
        return  # walks away; the lease brings the place back
    if what < 0.2:
        time.sleep(0.3)
        crowd.do(lambda: renew_lease(actor=user, request=request))
    answer_and_judge(crowd, user, request)


@contextmanager
def again_and_again(what: str, every: float, connect: Callable[[], object]) -> Iterator[list[int]]:
    """Run a statement on a connection of its own all the while; yields how many rows it hit each time."""
    stop, hits = threading.Event(), list[int]()

    def body() -> None:
        with psycopg.connect(str(connect()), autocommit=True, application_name="drill") as own:
            while not stop.wait(every):
                hits.append(own.execute(what).rowcount)

    thread = threading.Thread(target=body)
    thread.start()
    try:
        yield hits
    finally:
        stop.set()
        thread.join(10)
