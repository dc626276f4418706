"""The first administrator, from the command line; the password is never on it."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from accounts.models import AuditEvent, User
from accounts.services import create_user
from core.errors import Forbidden
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db


def _run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("create_administrator", *arguments, stdout=out)
    return out.getvalue()


def test_it_reads_the_password_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    said = _run("ada", "--name", "Ada Admin", "--json")
    user = User.objects.get(username="ada")
    assert user.is_superuser
    assert user.check_password(PASSWORD)
    assert PASSWORD not in said
    assert json.loads(said.splitlines()[-1]) == {"username": "ada"}
    assert AuditEvent.objects.get(verb="create_user").actor.is_system


def test_it_makes_a_password_and_shows_it_once() -> None:
    data = json.loads(_run("ada", "--name", "Ada", "--make-password", "--json").splitlines()[-1])
    assert User.objects.get(username="ada").check_password(data["password"])


@pytest.mark.parametrize(("typed", "word"), [("short\n", "too short"), ("", "too short")])
def test_it_ends_with_two_where_the_password_will_not_do(
    monkeypatch: pytest.MonkeyPatch, typed: str, word: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    with pytest.raises(CommandError, match=word) as refusal:
        _run("ada", "--name", "Ada")
    assert refusal.value.returncode == 2
    assert not User.objects.filter(username="ada").exists()


def test_it_ends_with_two_where_the_name_is_taken() -> None:
    _run("ada", "--name", "Ada", "--make-password")
    with pytest.raises(CommandError, match="taken") as refusal:
        _run("ADA", "--name", "Ada", "--make-password")
    assert refusal.value.returncode == 2


def test_it_lets_nobody_but_administrators_make_administrators() -> None:
    with pytest.raises(Forbidden):
        create_user(actor=make_user("Lin"), username="x", name="X", password=PASSWORD, is_administrator=True)
    with pytest.raises(CommandError, match="administrator"):
        _run("ada", "--name", "Ada", "--make-password", "--as", make_user("Lin").username)
