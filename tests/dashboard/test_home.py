"""The first pages: what waits for whom, and the life of an item."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from annotation.models import Item
from review.models import Answer, Disposition, Stage
from review.services import claim_next, judge, solve
from tests.factories import PASSWORD, Cast, content, make_project, make_story, submit_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return make_project()


def browser(user: User) -> Client:
    client = Client()
    assert client.login(username=user.username, password=PASSWORD)
    return client


def home_of(cast: Cast, user: User) -> str:
    answer = browser(user).get(reverse("dashboard:project", args=[cast.project.slug]))
    assert answer.status_code == 200
    return answer.content.decode()


def return_item(cast: Cast) -> Item:
    """An item that the reviewer returned with words."""
    item = submit_item(cast)
    place = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert place
    key = place.drawn_order.index(1)
    review = solve(actor=cast.reviewer, request=place, answer=Answer.OPTION, position=key)
    judge(
        actor=cast.reviewer,
        review=review,
        rating=0,
        flaws=["unclear_stem"],
        comment="Which nap is meant?",
        disposition=Disposition.RETURN,
    )
    return item


def test_it_tells_each_role_what_waits_and_nothing_else(cast: Cast) -> None:
    submit_item(cast)
    assert "1 item waits" in home_of(cast, cast.reviewer)
    assert "Nothing now" in home_of(cast, cast.verifier)
    assert "0 items verified" in home_of(cast, cast.manager)
    writer = home_of(cast, cast.writer)
    assert "A story waits" in writer
    assert "Review next" not in writer


def test_it_shows_a_writer_what_came_back(cast: Cast) -> None:
    item = return_item(cast)
    assert "1 item came back" in home_of(cast, cast.writer)
    page = reverse("dashboard:item", args=[cast.project.slug, item.pk])
    life = browser(cast.writer).get(page).content.decode()
    assert "Which nap is meant?" in life
    assert "unclear stem" in life
    for who in (cast.writer2, cast.reviewer, cast.verifier, cast.outsider):
        assert browser(who).get(page).status_code == 404
    assert browser(cast.manager).get(page).status_code == 200


def test_it_hides_a_project_from_strangers(cast: Cast) -> None:
    page = reverse("dashboard:project", args=[cast.project.slug])
    assert browser(cast.outsider).get(page).status_code == 404
    assert Client().get(page).status_code == 302
    assert "You are in no project yet." in browser(cast.outsider).get("/").content.decode()


def test_it_leads_who_has_one_project_straight_to_it(cast: Cast) -> None:
    page = reverse("dashboard:project", args=[cast.project.slug])
    assert browser(cast.writer).get("/").headers["Location"] == page
    assert browser(cast.manager).get("/").status_code == 200, "who may create projects sees the list"


def test_it_asks_the_database_as_often_for_many_items_as_for_few(cast: Cast) -> None:
    client = browser(cast.manager)
    page = reverse("dashboard:project", args=[cast.project.slug])

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert client.get(page).status_code == 200
        return len(captured)

    submit_item(cast)
    queries()
    few = queries()
    story = make_story(cast)
    for number in range(12):
        submit_item(cast, story=story, words=content(f"Why did hare {number} stop?"))
    assert queries() == few
