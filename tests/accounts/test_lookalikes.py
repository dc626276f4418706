"""Names that look like another's: found by their shape, refused at the door."""

from __future__ import annotations

import pytest

from accounts.lookalikes import is_lookalike
from accounts.models import User
from accounts.services import create_user, system_account, update_profile
from core.errors import NameTaken, Unusable
from projects.services import accept_invitation, invite_people
from tests.factories import PASSWORD, make_project

LOOKALIKES = [
    ("Mia Manager", "Міа Manager"),  # Cyrillic
    ("Mia Manager", "Ｍｉａ　Ｍａｎａｇｅｒ"),
    ("Mia Manager", "Mia\u200b Manager"),  # zero width
    ("Mia Manager", "Mia Rnanager"),
    ("Iris", "lris"),
    ("Iris", "іris"),  # Cyrillic, and in another case
    ("Paul", "Ρaul"),  # Greek
    ("Ruth Adler", "𝐑𝐮𝐭𝐡 Adler"),
    ("王一", "王ー"),
]
OTHERS = [
    ("Mia Manager", "Mia Manager"),  # namesakes
    ("Mia Manager", "mia  manager"),
    ("王伟", "王伟"),
    ("王伟", "王偉"),
    ("李士", "李土"),
    ("Renée", "Renee"),
    ("Wen Writer", "Wu Writer"),
    ("Student 1", "Student 10"),
    ("Анна", "Anna"),  # another script, and another look
]


@pytest.mark.parametrize(("name", "other"), LOOKALIKES)
def test_it_finds_names_that_look_alike(name: str, other: str) -> None:
    assert is_lookalike(name, other)
    assert is_lookalike(other, name)


@pytest.mark.parametrize(("name", "other"), OTHERS)
def test_it_leaves_namesakes_and_other_names_alone(name: str, other: str) -> None:
    assert not is_lookalike(name, other)
    assert not is_lookalike(other, name)


def create(username: str, name: str) -> User:
    return create_user(actor=system_account(), username=username, name=name, password=PASSWORD)


@pytest.mark.django_db
@pytest.mark.parametrize("username", ["mіa", "ｍｉａ", "ｍіａ", "ⅿia"])
def test_nobody_joins_under_a_user_name_that_looks_taken(username: str) -> None:
    create("mia", "Mia Manager")
    with pytest.raises(NameTaken):
        create(username, "Somebody Else")


@pytest.mark.django_db
def test_nobody_joins_or_renames_themselves_to_look_like_another() -> None:
    cast = make_project()
    for _name, lookalike in LOOKALIKES[:3]:
        invite = {"actor": cast.manager, "project": cast.project, "names": [lookalike], "roles": ["writer"]}
        token = invite_people(**invite)[0].token  # type: ignore[arg-type]  # of several types
        with pytest.raises(Unusable) as refusal:
            accept_invitation(token=token, username="imposter", name="", password=PASSWORD)
        assert set(refusal.value.fields) == {"name"}
        with pytest.raises(Unusable):
            update_profile(actor=cast.writer, name=lookalike, language="", time_zone="")
        assert accept_invitation(token=token, username=f"x{token[:8]}", name="Ned New", password=PASSWORD).pk
    assert create("mia-two", "Mia Manager").pk  # a namesake
    cast.manager.refresh_from_db()
    update_profile(actor=cast.manager, name="Mia M. Manager", language="", time_zone="")
