"""Cycles of claim, answer and score, by services or by bare statements; each hand in a process of its own.

The statements of a cycle are written down once, step by step, and sent again with another place's numbers.
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
"""A cycle on the first or on the last place of an item: the last one settles the round."""


class Done(NamedTuple):
    """What one hand did in one window: seconds a cycle, and the requests it held, by their addresses."""

    seconds: list[float]
    places: list[Any]
    following: list[float]
    """Seconds from a verdict to the next item, where pages are asked for."""


class Statement(NamedTuple):
    """One statement of a cycle; `names` says which of its numbers are another place's next time."""

    sql: str
    values: Any
    names: dict[int, str]
    returns: str


def begin() -> None:
    """Make this process ready."""
    import django

    django.setup()


def by_services(project: int, user: int, cycles: int) -> Done:
    """Cycles as the pages ask for them."""
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
    """Claim, answer rightly, pass; which place it was."""
    place = claim(person, where)
    score(person, answer(person, place))
    return UUID(str(place.public_id))


def story_just_read(person: Any) -> int:
    """The number of the story of the review that was written last."""
    from review.models import Review

    return int(Review.objects.filter(reviewer=person).latest("pk").request.story_id)


def claim(person: Any, where: Any) -> Any:
    """A place in the queue of this project, which is never empty."""
    from review.services import claim_next

    request = claim_next(actor=person, project=where, stage=STAGE)
    assert request is not None, "the queue of the bench is never empty"
    return request


def answer(person: Any, place: Any) -> Any:
    """The review in which the place is solved by the option that its writer put first."""
    from review.services import solve

    return solve(actor=person, request=place, answer="option", position=place.drawn_order.index(0))


def score(person: Any, review: Any) -> Any:
    """Pass what was solved, as excellent."""
    from review.services import send_verdict

    return send_verdict(actor=person, review=review, disposition="pass", rating=2)


@contextmanager
def written_down() -> Iterator[list[tuple[str, Any]]]:
    """Write down every statement and its values."""
    from django.db import connection

    into: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:  # noqa: FBT001 - so Django calls it
        into.append((sql, values))
        return execute(sql, values, many, context)

    with connection.execute_wrapper(note):
        yield into


def to_replay(noted: list[tuple[str, Any]], known: dict[str, int]) -> list[Statement]:
    """Noted statements with the names of the numbers that are another place's next time.

    What closes the other places of an item leaves a claimed one alone: on the site the hand that holds it
    would be the last one, here it is the last by its number.
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
    """Send statements for the place whose numbers are `known`; a claim among them replaces these."""
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
    """One way of claiming; the others, where it finds nothing."""
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
    """Whether a place is the first or the last of its item."""
    return KINDS[(place - seeded.first("place")) % 2]


def by_psycopg(recorded: Any, seeded: Any, user: int, cycles: int) -> Done:
    """The same statements with nothing around them."""
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
    """One cycle in three transactions, as the services have it."""
    with own.cursor() as cursor:
        send(cursor, recorded["first"][0], known, seeded)
        own.commit()
        for step in recorded[kind_of(known["place"], seeded)][1:]:
            send(cursor, step, known, seeded)
            own.commit()
    return known["place"]
