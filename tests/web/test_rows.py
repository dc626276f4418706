"""Objects from the rows of statements of our own, whose plans stay with the connection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction
from django.forms.models import model_to_dict
from django.utils import timezone

from accounts.models import User
from jobs.outage import is_stale_statement
from tests.browser.killable import database_of_this_test
from tests.factories import make_user
from web.rows import Rows, _Prepared

pytestmark = pytest.mark.django_db

USERS = Rows(User, "letters")
BY_NAME = f"SELECT {USERS.columns('u')}, length(u.name) FROM accounts_user AS u WHERE u.username = %(who)s"


def plans() -> int:
    """How many statements this connection has prepared of those that this module asks."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ["%length(u.name)%"]
        )
        return int(cursor.fetchone()[0])


def test_a_statement_is_planned_once_a_connection() -> None:
    people = [make_user("ada"), make_user("bea")]
    before = plans()
    found = [USERS.read(BY_NAME, {"who": user.username}) for user in people]
    assert [(user.pk, vars(user)["letters"]) for (user,) in found] == [
        (user.pk, len(user.name)) for user in people
    ]
    assert plans() == before + 1


def test_rows_of_two_models_are_read_at_once_and_the_second_may_be_missing() -> None:
    ada = make_user("ada")
    users = Rows(User)
    sql = f"""
        SELECT {users.columns("one")}, {users.columns("other")} FROM accounts_user AS one
        LEFT JOIN accounts_user AS other ON other.id = one.id AND other.username = %(other)s
        WHERE one.username = %(one)s
    """
    (both,) = users.read_joined(users, sql, {"one": ada.username, "other": ada.username})
    assert both == (ada, ada)
    (alone,) = users.read_joined(users, sql, {"one": ada.username, "other": "nobody"})
    assert alone == (ada, None)


def test_what_is_written_reads_as_django_would_have_written_it() -> None:
    written = User(username="ada", name="Ada", mailed_at=timezone.now())
    assert USERS.insert(written).pk
    assert model_to_dict(User.objects.get(pk=written.pk)) == model_to_dict(written)
    written.name, written.language, written.mailed_at = "Ada L.", "zh-hans", None
    USERS.update(written, ["name", "mailed_at"])
    kept = User.objects.get(pk=written.pk)
    assert (kept.name, kept.language, kept.mailed_at) == ("Ada L.", "", None)


def test_a_row_that_is_there_is_passed_over_where_that_is_asked() -> None:
    again = User(username=make_user("ada").username, name="Another")
    assert USERS.insert(again, unless_there=True).pk is None
    with pytest.raises(IntegrityError), transaction.atomic():
        USERS.insert(again)


@pytest.fixture
def fable() -> Iterator[psycopg.Connection[Any]]:
    """Yield a connection of its own with statements that were prepared for a table, as a site's are."""
    address = database_of_this_test()
    with psycopg.connect(address, autocommit=True) as other, psycopg.connect(address, autocommit=True) as own:
        other.execute("CREATE TABLE fable (id serial, number integer, words varchar(9))")
        try:
            for sql, values in ASKED:
                _Prepared(own).execute(sql, values)
            own.other = other  # type: ignore[attr-defined]
            yield own
        finally:
            other.execute("DROP TABLE fable")


ADD = "INSERT INTO fable (number, words) VALUES (%s, %s) RETURNING number, words"
READ = "SELECT number, words FROM fable WHERE number = %s"
FIND = "SELECT id FROM fable WHERE words = %s"
ASKED: tuple[tuple[str, list[Any]], ...] = ((ADD, [7, "7"]), (READ, [7]), (FIND, ["7"]))
BIGGER = "ALTER TABLE fable ALTER number TYPE bigint"
A_NUMBER = "ALTER TABLE fable ALTER words TYPE integer USING words::integer"


CHANGES = [
    (BIGGER, psycopg.errors.FeatureNotSupported, READ, [7], [(7, "7")]),
    (BIGGER, psycopg.errors.FeatureNotSupported, ADD, [8, "8"], [(8, "8")]),
    (A_NUMBER, psycopg.errors.UndefinedFunction, FIND, ["7"], [(1,)]),
    (A_NUMBER, psycopg.errors.DatatypeMismatch, ADD, [8, "8"], [(8, 8)]),
]


@pytest.mark.parametrize(("change", "refusal", "sql", "values", "rows"), CHANGES)
def test_a_statement_that_was_prepared_before_a_migration_is_asked_again(
    fable: Any, change: str, refusal: type[psycopg.Error], sql: str, values: list[Any], rows: list[Any]
) -> None:
    fable.other.execute(change)
    assert _Prepared(fable).execute(sql, values).fetchall() == rows
    assert _Prepared(fable).execute(READ, [7]).rowcount == 1
    (count,) = fable.execute("SELECT count(*) FROM fable").fetchone()
    assert count == 1 + (sql == ADD), "what was refused has written nothing"


@pytest.mark.parametrize(("change", "refusal", "sql", "values", "rows"), CHANGES)
def test_in_a_transaction_it_is_refused_and_the_next_transaction_succeeds(
    fable: Any, change: str, refusal: type[psycopg.Error], sql: str, values: list[Any], rows: list[Any]
) -> None:
    fable.other.execute(change)
    with pytest.raises(refusal) as refused, fable.transaction():
        _Prepared(fable).execute(sql, values)
    assert is_stale_statement(refused.value) is (refusal is psycopg.errors.FeatureNotSupported)
    with fable.transaction():
        assert _Prepared(fable).execute(sql, values).fetchall()[0][-1] == rows[0][-1]


def test_a_statement_that_the_session_does_not_have_is_asked_again(fable: Any) -> None:
    fable.pgconn.exec_(b"DEALLOCATE ALL")  # as behind a pooler, where another session answers
    assert _Prepared(fable).execute(READ, [7]).fetchall() == [(7, "7")]
    fable.pgconn.exec_(b"PREPARE _pg3_3 AS SELECT 1")  # the name that is next
    assert _Prepared(fable).execute(f"{READ} LIMIT 1", [7]).fetchall() == [(7, "7")]


def test_what_is_wrong_in_itself_is_refused_all_the_same(fable: Any) -> None:
    with pytest.raises(psycopg.errors.UndefinedFunction):
        _Prepared(fable).execute("SELECT crow(%s)", [7])
