"""Making a project in the browser and by command."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import AuditEvent
from projects.defaults import short_name
from projects.models import CommonsenseType, Membership, Project, Rating
from projects.queries import suggest_slug
from tests.factories import Cast, make_project, make_user
from tests.projects.pages import browser

NEW = {
    "name": "Fables of the river",
    "slug": "river",
    "language": "zh",
    "writers_per_story": "3",
    "items_per_writer": "4",
    "options_per_item": "4",
    "machine_items_per_story": "2",
    "reviews_per_item": "1",
}


@pytest.mark.django_db
def test_it_creates_a_project_with_types_and_targets_and_makes_its_creator_manager() -> None:
    user = make_user("Lin", may_create_projects=True)
    answer = browser(user).post(reverse("projects:create"), NEW)
    project = Project.objects.get(slug="river")
    assert answer.headers["Location"] == reverse("dashboard:project", args=["river"])
    assert (project.language, project.writers_per_story, project.created_by) == ("zh", 3, user)
    assert CommonsenseType.objects.filter(project=project).count() == 5
    assert list(Membership.objects.filter(project=project).values_list("user", "role")) == [
        (user.pk, "manager")
    ]


@pytest.mark.django_db
def test_it_gives_a_new_project_every_rating_there_is() -> None:
    project = make_project().project
    assert list(range(project.max_rating + 1)) == Rating.values


@pytest.mark.django_db
def test_it_names_whom_to_ask_to_those_who_may_not() -> None:
    make_user("Ada Admin", administrator=True)
    client = browser(make_user("Lin"))
    for answer in (client.get(reverse("projects:create")), client.post(reverse("projects:create"), NEW)):
        assert answer.status_code == 403
        assert "ask Ada Admin" in answer.content.decode()
    assert not Project.objects.exists()


@pytest.mark.django_db
def test_it_suggests_a_short_name_to_look_at_before_it_is_taken_for_good() -> None:
    client = browser(make_user("Lin", may_create_projects=True))
    answer = client.post(reverse("projects:create"), NEW | {"name": "寓言常识", "slug": ""})
    assert answer.status_code == 200
    assert answer.context["form"]["slug"].value() == "yycs"
    assert not Project.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("slug", "name"), [("Ä b", "River"), ("-x", "River"), ("river", ""), ("x" * 41, "River")]
)
def test_it_says_at_the_field_what_will_not_do(slug: str, name: str) -> None:
    client = browser(make_user("Lin", may_create_projects=True))
    answer = client.post(reverse("projects:create"), NEW | {"slug": slug, "name": name})
    assert answer.status_code == 200
    assert answer.context["form"].errors
    assert not Project.objects.exists()


@pytest.mark.django_db
def test_it_refuses_a_short_name_that_is_taken() -> None:
    client = browser(make_user("Lin", may_create_projects=True))
    client.post(reverse("projects:create"), NEW)
    answer = client.post(reverse("projects:create"), NEW)
    assert "slug" in answer.context["form"].errors
    assert Project.objects.count() == 1


@pytest.mark.django_db
def test_it_leaves_a_short_name_alone_that_somebody_has_typed() -> None:
    client = browser(make_user("Lin", may_create_projects=True))
    ask = reverse("projects:short_name")
    assert 'value="river-tales"' in client.get(ask, {"name": "River tales"}).content.decode()
    again = client.get(ask, {"name": "River songs", "slug": "river-tales", "suggested": "river-tales"})
    assert 'value="river-songs"' in again.content.decode()
    assert (
        client.get(ask, {"name": "River songs", "slug": "mine", "suggested": "river-tales"}).status_code
        == 204
    )


@pytest.mark.django_db
def test_it_suggests_only_short_names_that_are_free() -> None:
    cast = make_project()
    Project.objects.filter(pk=cast.project.pk).update(slug="river")
    assert suggest_slug("River") == "river-2"
    assert suggest_slug("！") == f"project-{cast.project.pk + 1}"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Fables: the Öl", "fables-the-ol"),
        ("寓言 2026", "yy-2026"),
        ("伊索寓言", "ysyy"),
        ("CRMUS寓言集", "crmus-yyj"),
        ("《狐狸与葡萄》", "hlypt"),
        ("龘", ""),
        ("  ", ""),
        ("a" * 50, "a" * 30),
    ],
)
def test_it_makes_short_names_of_chinese_and_latin_ones(name: str, short: str) -> None:
    assert short_name(name) == short


# --- the command ----------------------------------------------------------------------------


def _run(*arguments: str) -> str:
    out = StringIO()
    call_command("create_project", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_it_creates_a_project_by_command_in_the_name_of_the_system_account() -> None:
    said = _run("river", "--name", "Fables of the river", "--language", "zh", "--json")
    assert json.loads(said.splitlines()[-1]) == {"project": "river", "name": "Fables of the river"}
    project = Project.objects.get(slug="river")
    assert project.created_by.is_system
    assert AuditEvent.objects.filter(verb="create_project", subject_id=project.pk).exists()


@pytest.mark.django_db
def test_it_creates_a_project_by_command_in_the_name_of_a_person() -> None:
    user = make_user("Lin", may_create_projects=True)
    _run("river", "--name", "River", "--language", "en", "--as", user.username)
    assert Membership.objects.get(project__slug="river").user == user


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["Ä", "--name", "River", "--language", "en"], "slug"),
        (["river", "--name", " ", "--language", "en"], "name"),
        (["river", "--name", "x" * 121, "--language", "en"], "name"),
        (["river", "--name", "River", "--language", "en", "--as", "nobody"], "nobody"),
    ],
)
def test_it_ends_a_command_it_cannot_use_with_two_and_the_field(arguments: list[str], word: str) -> None:
    with pytest.raises(CommandError, match=word) as refusal:
        _run(*arguments)
    assert refusal.value.returncode == 2
    assert not Project.objects.exists()


@pytest.mark.django_db
def test_it_refuses_a_command_in_the_name_of_who_may_not() -> None:
    user = make_user("Lin")
    with pytest.raises(CommandError, match="administrator"):
        _run("river", "--name", "River", "--language", "en", "--as", user.username)


# --- one's own list -------------------------------------------------------------------------


@pytest.mark.django_db
def test_it_lists_ones_own_projects_and_roles_only() -> None:
    cast: Cast = make_project()
    mine = browser(cast.writer).get(reverse("projects:mine"))
    assert "Fables" in mine.content.decode()
    assert "item writer" in mine.content.decode()
    theirs = browser(cast.outsider).get(reverse("projects:mine"), headers={"HX-Request": "true"})
    assert "You are not a member of any project" in theirs.content.decode()
    assert "<html" not in theirs.content.decode()
