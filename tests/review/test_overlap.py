"""Planned overlap: with one review per item, some go to two people, so that agreement can be measured."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Item, State
from corpus.models import Story
from projects.models import Membership, Role
from projects.services import set_roles
from review.models import Answer, Disposition, ReviewRequest, Stage
from review.overlap import ENOUGH_EXPECTED, LEAST_OVERLAP, is_drawn, overlap_share, wanted_overlap
from review.queries.statistics import expected_items, planned_and_submitted
from review.services import claim_next, count_statistics, send_verdict, solve
from tests.factories import Cast, make_project, make_story, submit_item


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project(plan_overlap=True)


def places(item: Item) -> int:
    return ReviewRequest.objects.filter(item=item, stage=Stage.CROSS_CHECK).count()


def passes(cast: Cast, who: str) -> None:
    actor = getattr(cast, who)
    request = claim_next(actor=actor, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    key = request.revision.options.get(is_key=True).position
    review = solve(
        actor=actor, request=request, answer=Answer.OPTION, position=request.drawn_order.index(key)
    )
    send_verdict(actor=actor, review=review, disposition=Disposition.PASS, rating=2)


# --- the draw ---


@pytest.mark.parametrize("expected", [1, 150, 200, 305, 2000, 2001, 20_000])
def test_it_draws_about_as_many_as_are_wanted(expected: int) -> None:
    share = overlap_share(expected, 1)
    drawn = sum(is_drawn(7, item, share) for item in range(expected))
    assert abs(drawn - wanted_overlap(expected)) <= 4 * (expected * share * (1 - share)) ** 0.5


def test_it_draws_each_project_apart_and_the_same_item_again() -> None:
    drawn = {project: {item for item in range(500) if is_drawn(project, item, 0.4)} for project in (1, 2)}
    assert drawn[1] != drawn[2]
    assert drawn[1] == {item for item in range(500) if is_drawn(1, item, 0.4)}
    assert {item for item in range(500) if is_drawn(1, item, 0.1)} < drawn[1], "a larger share takes in all"


def test_it_keeps_its_share_however_many_more_are_expected() -> None:
    assert overlap_share(ENOUGH_EXPECTED, 5) == overlap_share(10 * ENOUGH_EXPECTED, 5) == 0.1


@pytest.mark.parametrize(("planned", "submitted"), [(11, 199), (11, 1900), (300, 1900), (11, 6000)])
def test_it_draws_no_more_than_are_wanted_where_far_more_come_than_were_planned(
    planned: int, submitted: int
) -> None:
    drawn = sum(is_drawn(7, item, overlap_share(planned, item + 1)) for item in range(submitted))
    wanted = wanted_overlap(submitted)
    assert abs(drawn - wanted) <= 4 * (submitted * 0.1 * 0.9) ** 0.5
    if planned <= LEAST_OVERLAP and submitted <= ENOUGH_EXPECTED:
        assert drawn == wanted


# --- what is expected ---


def test_it_expects_the_targets_or_what_is_there_where_that_is_more(cast: Cast) -> None:
    story = make_story(cast)
    assert expected_items(cast.project) == 2 * 4 + 1 + 2
    for _ in range(12):
        submit_item(cast, story=story)
    assert expected_items(cast.project) == 12
    assert planned_and_submitted(cast.project, most=5) == (2 * 4 + 1 + 2, 6)


# --- the places ---


def test_it_settles_a_drawn_item_when_both_have_judged(cast: Cast) -> None:
    item = submit_item(cast)
    assert places(item) == 2, "below 200 items all are drawn"
    passes(cast, "reviewer")
    item.refresh_from_db()
    assert item.state == State.IN_REVIEW
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    passes(cast, "reviewer2")
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION
    assert ReviewRequest.objects.filter(item=item, stage=Stage.VERIFICATION).count() == 1


def test_it_opens_two_places_for_the_drawn_and_one_for_the_others(cast: Cast) -> None:
    number = ENOUGH_EXPECTED // 11 + 1
    first = make_story(cast)
    assert first.current is not None
    Story.objects.bulk_create(
        Story(
            project=cast.project,
            ref=f"s{count}",
            text_hash=str(count),
            language="en",
            created_by=cast.manager,
        )
        for count in range(number)
    )
    items = [submit_item(cast, story=first) for _ in range(40)]
    share = overlap_share(*planned_and_submitted(cast.project, most=ENOUGH_EXPECTED))
    assert share == pytest.approx(0.1, abs=0.001)
    assert [places(item) for item in items] == [
        2 if is_drawn(cast.project.pk, item.pk, share) else 1 for item in items
    ]


def test_it_plans_none_where_no_two_people_could_take_it(cast: Cast) -> None:
    Membership.objects.filter(project=cast.project, user=cast.reviewer2, role=Role.REVIEWER).delete()
    assert places(submit_item(cast)) == 1
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.WRITER, Role.REVIEWER])
    assert places(submit_item(cast)) == 1, "its writer is no second reviewer"
    assert places(submit_item(cast, writer=cast.writer2)) == 2


def test_it_plans_none_where_the_project_does_not_want_it(db: None) -> None:
    assert places(submit_item(make_project())) == 1
    assert places(submit_item(make_project(plan_overlap=True, reviews_per_item=3))) == 3


# --- what is shown, and to whom ---


def shown(client: Client, page: str) -> str:
    """What stands in the middle of a page, but for tokens and the clock."""
    text = client.get(page).content.decode()
    main = text[text.index("<main") : text.index("</main>")]
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", main)


def test_it_shows_reviewers_nothing_of_the_draw(cast: Cast) -> None:
    """The page of a place reads the same whether or not somebody else has the other."""
    item = submit_item(cast)
    client = Client()
    client.force_login(cast.reviewer)
    page = client.post(reverse("review:claim", args=[cast.project.slug])).headers["Location"]
    with_two = shown(client, page)
    ReviewRequest.objects.filter(item=item, claimed_by=None).delete()
    assert shown(client, page) == with_two


def test_it_informs_managers_on_the_settings_and_the_statistics_page(cast: Cast) -> None:
    submit_item(cast)
    passes(cast, "reviewer")
    count_statistics(project_id=cast.project.pk)
    client = Client()
    client.force_login(cast.manager)
    settings = client.get(reverse("projects:settings", args=[cast.project.slug])).content.decode()
    assert "Sample items for double review" in settings
    address = reverse("review:statistics", args=[cast.project.slug])
    page = client.get(address).content.decode()
    assert "0 of 11 double reviews" in page
    assert "a tenth of the 11 expected items" in page
    cast.project.plan_overlap = False
    cast.project.save()
    assert "there is no agreement to calculate" in client.get(address).content.decode()
