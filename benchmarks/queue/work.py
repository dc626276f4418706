"""Cycles of claim, answer and score, by services or bare statements; each user in a process of its own.

The statements of a cycle are recorded once, step by step, and run again with the ids of other requests.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import UUID

STAGE = "cross_check"
NEW = {"review_review": "review", "annotation_transition": "new_move"}
KINDS = ("first", "last")
"""Whether a cycle is on the first or on the last request of an item; the last one closes the round."""


class Done(NamedTuple):
    """The work of one process in one window: seconds per cycle, and the public ids of its requests."""

    seconds: list[float]
    places: list[Any]
    following: list[float]
    """Seconds from a verdict to the next item, if pages are requested."""


class Statement(NamedTuple):
    """One statement of a cycle; `names` has the values to replace for another request, each with its name."""

    sql: str
    values: Any
    names: dict[int, str]
    returns: str


def begin() -> None:
    """Prepare this process."""
    import django

    django.setup()


def by_services(project: int, user: int, cycles: int) -> Done:
    """Run cycles by the services that pages call."""
    from accounts.models import User
    from projects.models import Project

    person, where = User.objects.get(pk=user), Project.objects.get(pk=project)
    done = Done([], [], [])
    for _cycle in range(cycles):
        start = time.perf_counter()
        done.places.append(cycle(person, where))
        done.seconds.append(time.perf_counter() - start)
    return done


def cycle(person: Any, where: Any) -> UUID:
    """Claim a request, answer correctly, pass the item; return the request's public id."""
    place = claim(person, where)
    score(person, answer(person, place))
    return UUID(str(place.public_id))


def story_just_read(person: Any) -> int:
    """Return the id of the story of this person's latest review."""
    from review.models import Review

    return int(Review.objects.filter(reviewer=person).latest("pk").request.story_id)


def claim(person: Any, where: Any) -> Any:
    """Claim and return a request of this project, whose queue is never empty."""
    from review.services import claim_next

    request = claim_next(actor=person, project=where, stage=STAGE)
    assert request is not None, "the queue of the bench is never empty"
    return request


def answer(person: Any, place: Any) -> Any:
    """Answer the request with the option that its writer put first, and return the review."""
    from review.services import solve

    return solve(actor=person, request=place, answer="option", position=place.drawn_order.index(0))


def score(person: Any, review: Any) -> Any:
    """Pass the item with the rating excellent."""
    from review.services import send_verdict

    return send_verdict(actor=person, review=review, disposition="pass", rating=2)


@contextmanager
def written_down() -> Iterator[list[tuple[str, Any]]]:
    """Record every statement with its values."""
    from django.db import connection

    into: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:  # noqa: FBT001 - so Django calls it
        into.append((sql, values))
        return execute(sql, values, many, context)

    with connection.execute_wrapper(note):
        yield into


def to_replay(noted: list[tuple[str, Any]], known: dict[str, int]) -> list[Statement]:
    """Return recorded statements, with names for the values that are ids of another request next time.

    The statement that closes an item's other requests must spare a claimed one: on the site, its claimant's
    cycle would be the item's last one; here, whether a cycle is the last depends on the id alone.
    """
    names = {number: name for name, number in known.items()}
    kept = []
    for sql, values in noted:
        if sql.startswith('UPDATE "review_reviewrequest" SET "state"'):
            values = tuple("open" if value == "claimed" else value for value in values)  # noqa: PLW2901
        flat = (values.values() if isinstance(values, dict) else values) or ()
        numbers = {value: names[value] for value in flat if type(value) is int and value in names}
        plain = sql.replace('"', "")
        returns = next((name for table, name in NEW.items() if plain.startswith(f"INSERT INTO {table} ")), "")
        kept.append(Statement(sql, values, numbers, returns))
    return kept


def send(cursor: Any, statements: list[Statement], known: dict[str, int], seeded: Any) -> None:
    """Run statements for the request with the ids `known`; a claim among them replaces these ids."""
    claimed = False
    for statement in statements:
        if "UPDATE review_reviewrequest AS taken" in statement.sql:
            if not claimed:
                claimed = _claim(cursor, statement, known, seeded)
            continue
        cursor.execute(statement.sql, _with(statement, known))
        if cursor.description is not None:
            rows = cursor.fetchall()
            if statement.returns:
                known[statement.returns] = rows[0][0]


def _claim(cursor: Any, statement: Statement, known: dict[str, int], seeded: Any) -> bool:
    """Claim by this statement or, if it finds nothing, by more general ones; update `known`."""
    from review.sql import FROM_ANYWHERE, FROM_OLDEST

    for sql in (statement.sql, FROM_OLDEST, FROM_ANYWHERE):
        cursor.execute(sql, _with(statement, known))
        if row := cursor.fetchone():
            known |= seeded.kin(row[0])
            return True
    raise AssertionError("the queue of the bench is never empty")


def _with(statement: Statement, known: dict[str, int]) -> Any:
    def now(value: Any) -> Any:
        return known.get(statement.names.get(value, ""), value) if type(value) is int else value

    if isinstance(statement.values, dict):
        return {key: now(value) for key, value in statement.values.items()}
    return None if statement.values is None else tuple(now(value) for value in statement.values)


def kind_of(place: int, seeded: Any) -> str:
    """Return whether a request is the "first" or the "last" of its item."""
    return KINDS[(place - seeded.first("place")) % 2]


def by_psycopg(recorded: Any, seeded: Any, user: int, cycles: int) -> Done:
    """Run cycles of the same statements without any other code."""
    import psycopg

    done, known = Done([], [], []), {"user": user, "story": 0}
    with psycopg.connect(os.environ["DATABASE_URL"]) as own:
        own.prepare_threshold = None  # as the site, which may stand behind a pooler
        for _cycle in range(cycles):
            start = time.perf_counter()
            done.places.append(_bare_cycle(own, recorded, seeded, known))
            done.seconds.append(time.perf_counter() - start)
    return done


def _bare_cycle(own: Any, recorded: Any, seeded: Any, known: dict[str, int]) -> int:
    """Run one cycle in three transactions, as the services do."""
    with own.cursor() as cursor:
        send(cursor, recorded["first"][0], known, seeded)
        own.commit()
        for step in recorded[kind_of(known["place"], seeded)][1:]:
            send(cursor, step, known, seeded)
            own.commit()
    return known["place"]
