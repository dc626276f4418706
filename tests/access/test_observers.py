"""An observer reads what a manager reads, and is exposed to it as a manager is."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import KeyExposure
from projects.models import Role
from projects.services import publish_guideline, set_roles
from tests.factories import Cast, content, make_project, make_story, make_user, submit_item

MORAL = "Slow and steady wins."


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def observer(cast: Cast) -> Client:
    user = make_user("Olga Observer")
    set_roles(actor=cast.manager, project=cast.project, user=user, roles=[Role.OBSERVER])
    client = Client()
    client.force_login(user)
    return client


def page(client: Client, name: str, *args: object, **query: str) -> str:
    answer = client.get(reverse(name, args=args), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_they_are_shown_the_moral_on_request_and_cannot_change_it(cast: Cast, observer: Client) -> None:
    story = make_story(cast, moral=MORAL)
    where = (cast.project.slug, story.pk)
    assert reverse("annotation:moral", args=where) in page(observer, "corpus:story", *where)
    shown = observer.post(reverse("annotation:moral", args=where)).content.decode()
    assert MORAL in shown
    assert "Edit moral" not in shown
    assert KeyExposure.objects.filter(user__name="Olga Observer", story=story).exists()
    observer.post(
        reverse("annotation:moral", args=where), {"moral": "Mine.", "reason": "So.", "origin": "human"}
    )
    story.refresh_from_db()
    assert story.current is not None
    assert story.current.moral == MORAL


def test_candidates_of_a_story_are_read_without_slots(cast: Cast, observer: Client) -> None:
    where = (cast.project.slug, make_story(cast, moral=MORAL).pk)
    asked = page(observer, "generation:story", *where)
    assert MORAL not in asked
    observer.post(reverse("annotation:see_moral", args=where))
    shown = page(observer, "generation:story", *where)
    assert MORAL in shown
    assert 'id="slots"' not in shown


def test_the_menu_leads_them_to_the_items(cast: Cast, observer: Client) -> None:
    items = reverse("dashboard:items", args=[cast.project.slug])
    assert items in page(observer, "dashboard:stories", cast.project.slug)
    assert page(observer, "dashboard:items", cast.project.slug)


def test_they_find_items_and_people_by_search(cast: Cast, observer: Client) -> None:
    item = submit_item(cast, words=content("Why did the hare sleep?"))
    found = page(observer, "dashboard:search", q="hare sleep", project=cast.project.slug)
    assert reverse("dashboard:item", args=[cast.project.slug, item.pk]) in found
    people = page(observer, "dashboard:search", q=cast.writer.name, project=cast.project.slug)
    assert reverse("dashboard:members", args=[cast.project.slug]) + "?q=" in people
    assert reverse("projects:member", args=[cast.project.slug, cast.writer.pk]) not in people


def test_they_see_who_has_not_confirmed_the_guideline_and_everybodys_work(
    cast: Cast, observer: Client
) -> None:
    submit_item(cast, words=content("Why did the hare sleep?"))
    publish_guideline(actor=cast.manager, project=cast.project, text="Be kind.", based_on=0)
    assert cast.writer.name in page(observer, "projects:guideline", cast.project.slug)
    report = page(observer, "dashboard:work_report", cast.project.slug)
    assert cast.writer.name in report
    assert "Save rates" not in report
