"""Objects from the rows of statements of our own, whose plans stay with the connection."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.forms.models import model_to_dict
from django.utils import timezone

from accounts.models import User
from tests.factories import make_user
from web.rows import Rows

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
