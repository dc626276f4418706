"""The palette: what it finds, for whom, and what it never reveals."""

from __future__ import annotations

import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from annotation.models import Item, KeyExposure
from projects.models import Membership, Project, Role
from projects.services import create_project
from release.models import ReleaseItem
from release.queries.release import items_released_as
from tests.factories import Cast, content, make_project, make_story, make_user, submit_item
from tests.release.made import bring, built, grant_rights, records

pytestmark = pytest.mark.django_db


def ask(user: User, q: str, project: Project | None = None, **headers: str) -> str:
    client = Client(headers=headers)
    client.force_login(user)
    asked = {"q": q} | ({"project": project.slug} if project else {})
    answer = client.get(reverse("dashboard:search"), asked)
    assert answer.status_code == 200
    return answer.content.decode()


def found(user: User, q: str, project: Project | None = None, **headers: str) -> dict[str, list[str]]:
    """By kind, the labels of what the palette lists."""
    text = ask(user, q, project, **{"HX-Request": "true"} | headers)
    assert "<html" not in text
    kinds: dict[str, list[str]] = {}
    for kind, label in re.findall(r'role="option"[^>]*id="found-(\w+)-\d+"[^>]*><span[^>]*>([^<]+)', text):
        kinds.setdefault(kind, []).append(label)
    return kinds


def test_it_offers_actions_and_pages_before_anything_is_typed(cast: Cast) -> None:
    at_rest = found(cast.reviewer, "", cast.project)
    assert at_rest["action"] == ["Review next item"]
    assert at_rest["page"] == ["Inbox", "Review", "Stories", "Guideline", "Releases", "Work report"]
    assert set(at_rest) == {"action", "page", "site"}


@pytest.mark.parametrize("q", ["agreement", "AGREEMENT", "审核者一致"])
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_it_finds_pages_by_their_names_in_both_languages(cast: Cast, q: str, language: str) -> None:
    label = {"en": "Reviewer agreement", "zh-CN": "审核者一致性"}[language]
    headers = {"Accept-Language": language}
    assert found(cast.manager, q, cast.project, **headers)["page"] == [label]


def test_suspect_items_are_found_by_that_name(cast: Cast) -> None:
    assert found(cast.manager, "suspect", cast.project) == {"page": ["Suspect items"]}


def test_it_finds_stories_items_people_and_projects(cast: Cast) -> None:
    story = make_story(cast, title="The Crow and the Pitcher")
    item = submit_item(cast, story=story)
    hits = found(cast.manager, "crow", cast.project)
    assert hits["story"] == ["The Crow and the Pitcher"]
    assert hits["item"] == [f"{item.pk}, The Crow and the Pitcher"]
    assert found(cast.manager, f"#{item.pk}", cast.project)["item"] == hits["item"]
    assert found(cast.manager, story.ref, cast.project)["story"] == hits["story"]
    assert found(cast.manager, "rosa", cast.project)["person"] == ["Rosa Reviewer"]
    create_project(actor=cast.manager, slug="crows", name="Crows", language="en")
    assert found(cast.manager, "crow", cast.project)["project"] == ["Crows"]
    assert found(cast.writer, "crow").get("project") is None


def test_it_searches_all_projects_from_outside_of_them(cast: Cast) -> None:
    for number in range(4):
        make_story(cast, title=f"The Crow {number}")
    item = submit_item(cast, story=make_story(cast, title="The Fox"), words=content("A crow?", *"ABCD"))
    only = found(cast.manager, "crow")
    assert (only["story"], only["item"]) == ([f"The Crow {n}" for n in range(4)], [f"{item.pk}, The Fox"])
    assert found(cast.reviewer, "")["action"] == ["Review next item"], "at rest, too"
    other = make_project()
    for role in (Role.MANAGER, Role.WRITER):
        other.project.memberships.create(user=cast.manager, role=role)
    foreign = submit_item(other, story=make_story(other, title="A Crow"))
    other.project.memberships.create(user=cast.reviewer, role=Role.REVIEWER)
    here, there = f"in{cast.project.pk}", f"in{other.project.pk}"
    assert found(cast.manager, "crow") == {
        here: ["The Crow 0", "The Crow 1", "The Crow 2", f"{item.pk}, The Fox"],
        there: ["A Crow", f"{foreign.pk}, A Crow"],
    }
    assert found(cast.reviewer, "crow") == {
        here: ["The Crow 0", "The Crow 1", "The Crow 2"],
        there: ["A Crow"],
    }, "no item to who may open none"
    assert found(cast.manager, "Rosa Rev") == {here: ["Rosa Reviewer"], there: ["Rosa Reviewer"]}
    assert found(cast.reviewer, "next") == {here: ["Review next item"], there: ["Review next item"]}
    assert f'lang="en">{other.project.name}</p>' in ask(cast.manager, "crow", None, **{"HX-Request": "true"})


def test_it_finds_few_of_a_kind(cast: Cast) -> None:
    for number in range(8):
        submit_item(cast, story=make_story(cast, title=f"Crow {number}"))
    hits = found(cast.manager, "crow", cast.project)
    assert (len(hits["story"]), len(hits["item"])) == (5, 5)


def test_actions_are_those_of_the_role(cast: Cast) -> None:
    assert found(cast.writer, "next", cast.project)["action"] == ["Take next story"]
    assert found(cast.verifier, "next", cast.project)["action"] == [
        "Verify next item",
        "Adjudicate next item",
    ]
    assert "action" not in found(cast.reviewer, "release", cast.project)
    text = ask(cast.reviewer, "", cast.project, **{"HX-Request": "true"})
    claim = reverse("review:claim", args=[cast.project.slug])
    assert f'form="palette-act" formaction="{claim}"' in text


@pytest.mark.parametrize("who", ["reviewer", "verifier", "writer2"])
def test_who_reviews_finds_no_items_and_learns_nothing_of_them(cast: Cast, who: str) -> None:
    story = make_story(cast, title="The Crow", moral="Wit wins.")
    item = submit_item(cast, story=story, words=content("Why pebbles?", "Aa", "Bb", "Cc", "Dd"))
    for q in ("crow", str(item.pk), f"#{item.pk}", "pebbles", "Bb", "Wit", "Wen"):
        text = ask(getattr(cast, who), q, cast.project, **{"HX-Request": "true"})
        assert "found-item" not in text, q
        assert "found-person" not in text, q
        for word in ("Why pebbles", ">Bb", "Wit wins", "Wen Writer"):
            assert word not in text, (q, word)
    assert not KeyExposure.objects.filter(user=getattr(cast, who)).exists()


@pytest.mark.parametrize("q", ["Bb", "Wit wins"])
def test_nobody_finds_items_by_options_or_morals_here(cast: Cast, q: str) -> None:
    Membership.objects.create(project=cast.project, user=cast.manager, role=Role.REVIEWER)
    story = make_story(cast, title="The Crow", moral="Wit wins.")
    submit_item(cast, story=story, words=content("Why so many stones?", "Aa", "Bb", "Cc", "Dd"))
    assert "item" not in found(cast.manager, q, cast.project)


def test_it_finds_items_by_their_stems_and_shows_them(cast: Cast) -> None:
    story = make_story(cast, title="The Crow")
    item = submit_item(cast, story=story, words=content("Why pebbles?", "Aa", "Bb", "Cc", "Dd"))
    for q in ("pebbles", "WHY PEBB"):
        assert found(cast.manager, q, cast.project)["item"] == [f"{item.pk}, The Crow"]
    for headers in ({}, {"HX-Request": "true"}):
        assert ">Why pebbles?<" in ask(cast.manager, "crow", cast.project, **headers)
    assert found(cast.writer, "pebbles", cast.project)["item"] == [f"{item.pk}, The Crow"]
    assert "item" not in found(cast.writer2, "pebbles", cast.project)


def test_it_finds_a_released_item_by_the_id_in_the_files_for_managers_alone(cast: Cast) -> None:
    bring(cast, [*records(1), *records(3)[7:]])
    grant_rights(cast)
    released = ReleaseItem.objects.filter(release=built(cast), item__ref="commonsense-1-2").get()
    label = f"{released.item_id}, Tale 1"
    assert found(cast.manager, released.public_id, cast.project)["item"] == [label]
    Item.objects.filter(pk=released.item_id).update(writer=cast.writer)
    assert found(cast.writer, str(released.item_id), cast.project)["item"] == [label]
    for who in (cast.writer, cast.reviewer, cast.verifier):
        assert "item" not in found(who, released.public_id, cast.project)
        assert items_released_as(who, [cast.project], released.public_id) == []
    elsewhere = make_project().project
    elsewhere.memberships.create(user=cast.manager, role=Role.MANAGER)
    assert "item" not in found(cast.manager, released.public_id, elsewhere)
    listed = reverse("dashboard:items", args=[cast.project.slug])
    for who, hits in ((cast.manager, 1), (cast.writer, 0)):
        client = Client()
        client.force_login(who)
        rows = client.get(listed, {"q": f" {released.public_id} "}).content.decode()
        link = f'href="{reverse("dashboard:item", args=[cast.project.slug, released.item_id])}'
        assert (link in rows) == bool(hits)


def test_writers_find_their_own_items(cast: Cast) -> None:
    item = submit_item(cast, story=make_story(cast, title="The Crow"))
    assert found(cast.writer, str(item.pk), cast.project)["item"] == [f"{item.pk}, The Crow"]


def test_it_is_a_page_without_script(cast: Cast) -> None:
    text = ask(cast.manager, "gates", cast.project)
    assert "<html" in text
    assert f'href="{reverse("release:gates", args=[cast.project.slug])}"' in text
    text = ask(cast.reviewer, "next", cast.project)
    assert f'action="{reverse("review:claim", args=[cast.project.slug])}"' in text
    assert "Nothing found for “no such thing”." in ask(cast.manager, "no such thing", cast.project)


def test_strangers_search_nothing(cast: Cast) -> None:
    client = Client()
    assert client.get(reverse("dashboard:search")).status_code == 302
    client.force_login(cast.outsider)
    answer = client.get(reverse("dashboard:search"), {"project": cast.project.slug, "q": "race"})
    assert answer.status_code == 404


@pytest.mark.parametrize("q", ["\0", "%", "_", "9" * 99, "'; --", "<b>", "x" * 5000])
def test_it_takes_whatever_is_typed(cast: Cast, q: str) -> None:
    assert "<b>" not in ask(cast.manager, q, cast.project).replace("</b>", "")


def test_it_asks_as_often_for_many_as_for_few(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.manager)

    def queries(**asked: str) -> int:
        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse("dashboard:search"), {"q": "a", **asked}, headers={"HX-Request": "true"})
        return len(captured)

    here = {"project": cast.project.slug}
    submit_item(cast, story=make_story(cast, title="A crow"))
    queries(**here)
    few = queries(**here)
    make_project().project.memberships.create(user=cast.manager, role=Role.WRITER)
    queries()
    few_across = queries()
    for number in range(3):
        submit_item(cast, story=make_story(cast, title=f"A crow {number}"))
        Membership.objects.create(
            project=cast.project, user=make_user(f"Ada {'abc'[number] * 3}"), role=Role.WRITER
        )
        other = make_project()
        other.project.memberships.create(user=cast.manager, role=Role.MANAGER)
        submit_item(other, story=make_story(other, title="A crow"))
    assert queries(**here) == few
    assert queries() == few_across
