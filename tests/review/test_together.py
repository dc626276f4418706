"""The moral items of a story, answered by one person before any of their keys is shown."""

import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.content import ItemContent, OptionContent
from annotation.models import Item, KeyExposure
from annotation.queries.exposure import is_exposed
from annotation.services import record_exposure, withdraw_item
from core.errors import Conflict
from corpus.services import confirm_group
from projects.models import Role
from projects.services import set_roles, update_project
from review.models import Answer, Disposition, RequestState, Review, ReviewRequest, Stage
from review.queries.item import Behind, Figure, blind_choices, items_behind, reviews_of
from review.queries.sibling import together
from review.queries.statistics import solved_rows
from review.queries.verdict import blind_answers
from review.resources import ReviewResource
from review.services import claim as claims_of_review
from review.services import (
    claim_next,
    postpone_request,
    release_leases,
    renew_lease,
    send_verdict,
    skip_request,
    solve,
)
from review.services.practice import deal
from review.sql import FREE_LAPSED
from tests.factories import Cast, make_project, make_story, submit_item
from tests.review.morals import KEY_MARK, STYLES, moral_words, morals
from tests.review.practice_cast import browser, practice_item, right_place, verified

pytestmark = pytest.mark.django_db


@pytest.fixture
def items(cast: Cast) -> list[Item]:
    return morals(cast, make_story(cast))


def take(cast: Cast, who: User | None = None, stage: str = Stage.CROSS_CHECK) -> ReviewRequest:
    request = claim_next(actor=who or cast.reviewer, project=cast.project, stage=stage)
    assert request is not None
    return request


def key_of(request: ReviewRequest) -> int:
    return request.drawn_order.index(request.revision.options.get(is_key=True).position)


def answered(request: ReviewRequest, who: User) -> Review:
    return solve(actor=who, request=request, answer=Answer.OPTION, position=key_of(request))


def passed(review: Review, who: User) -> Review:
    marks = [one == key_of(review.request) for one in range(4)]
    is_check = review.stage == Stage.CROSS_CHECK
    rating, marks = (2, []) if is_check else (None, marks)
    return send_verdict(
        actor=who, review=review, disposition=Disposition.PASS, rating=rating, option_marks=marks
    )


def held(cast: Cast, who: User | None = None) -> set[int | None]:
    mine = ReviewRequest.objects.filter(claimed_by=who or cast.reviewer, state=RequestState.CLAIMED)
    return {one.item_id for one in mine}


def run_out(cast: Cast, *, free: bool) -> None:
    """All leases have run out; with `free` somebody's next claim has given the requests back."""
    late = timezone.now() - timedelta(minutes=1)
    ReviewRequest.everything.filter(state=RequestState.CLAIMED).update(lease_expires_at=late)
    if free:
        with connection.cursor() as cursor:
            cursor.execute(FREE_LAPSED, [claims_of_review.FREED_AT_ONCE])


def numbers(items: list[Item]) -> set[int | None]:
    return {item.pk for item in items}


# --- the rule ---


def test_it_takes_all_moral_items_of_a_story_at_once(cast: Cast, items: list[Item]) -> None:
    others = [submit_item(cast, story=items[0].story), *morals(cast, make_story(cast), ("human",))]
    take(cast)
    assert held(cast) == numbers(items)
    assert not held(cast) & numbers(others)


def test_every_answer_before_the_first_key_is_blind_and_none_after(cast: Cast, items: list[Item]) -> None:
    reviews = []
    for number in range(len(items)):
        assert not is_exposed(cast.reviewer, items[0].story, "moral")
        place = take(cast)
        assert together(cast.reviewer, place).number == number + 1
        assert together(cast.reviewer, place).size == len(items)
        reviews.append(answered(place, cast.reviewer))
    assert is_exposed(cast.reviewer, items[0].story, "moral")
    assert {one.item_id for one in reviews} == numbers(items)
    assert all(one.blind for one in reviews)
    (late,) = morals(cast, items[0].story, ("machine",), first=7)
    for review in reviews:
        passed(review, cast.reviewer)
    place = take(cast)
    assert place.item == late
    assert not answered(place, cast.reviewer).blind


def test_it_takes_no_verdict_before_the_last_answer(cast: Cast, items: list[Item]) -> None:
    first = answered(take(cast), cast.reviewer)
    second = answered(take(cast), cast.reviewer)
    for review in (first, second):
        with pytest.raises(Conflict, match="other items of this story"):
            passed(review, cast.reviewer)
    answered(take(cast), cast.reviewer)
    passed(first, cast.reviewer)
    passed(second, cast.reviewer)


@pytest.mark.parametrize("field", ["judged_at", "sent_at"])
def test_the_database_takes_no_verdict_before_the_key_was_shown(
    cast: Cast, items: list[Item], field: str
) -> None:
    review = answered(take(cast), cast.reviewer)
    verdict = {field: timezone.now(), "disposition": "pass"}
    with pytest.raises(IntegrityError, match="before its reviewer was shown the key"), transaction.atomic():
        Review.objects.filter(pk=review.pk).update(**verdict)
    record_exposure(actor=cast.reviewer, story=items[0].story, task="moral")
    assert Review.objects.filter(pk=review.pk).update(**verdict) == 1


def test_the_law_binds_what_comes_along(cast: Cast, items: list[Item]) -> None:
    """Whoever wrote one of them takes none of their own; the database refuses it besides."""
    roles = [Role.WRITER, Role.REVIEWER]
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer2, roles=roles)
    own = submit_item(cast, story=items[0].story, task="moral", writer=cast.writer2, words=moral_words(6))
    take(cast, cast.writer2)
    assert own.pk not in held(cast, cast.writer2)
    with pytest.raises(IntegrityError, match="may not judge it"), transaction.atomic():
        ReviewRequest.objects.filter(item=items[1]).update(
            state="claimed", claimed_by=cast.writer, lease_expires_at=timezone.now()
        )


@pytest.mark.parametrize(
    ("why", "count"),
    [("setting", 1), ("exposed", 1), ("skipped", 2), ("one", 1), ("two reviews", 3), ("group", 4)],
)
def test_it_brings_those_that_the_person_can_solve_blind(why: str, count: int) -> None:
    """Table of the rule: how many requests a claim brings of a story with three moral items."""
    cast = make_project(reviews_per_item=2 if why == "two reviews" else 1)
    story = make_story(cast)
    items = morals(cast, story, STYLES if why != "one" else ("human",))
    if why == "setting":
        update_project(actor=cast.manager, project=cast.project, changes={"solve_together": False})
    if why == "exposed":
        record_exposure(actor=cast.reviewer, story=story, task="moral")
    if why == "skipped":
        skip_request(actor=cast.reviewer, request=take(cast), reason="I know it.")
        release_leases(actor=cast.manager, project=cast.project, person=cast.reviewer)
    if why == "group":
        other = make_story(cast)
        morals(cast, other, ("human",), first=5)
        confirm_group(actor=cast.manager, project=cast.project, stories=[story.pk, other.pk])
    take(cast)
    assert len(held(cast)) == count
    assert ReviewRequest.objects.filter(state=RequestState.CLAIMED).count() == count
    assert len(held(cast) & numbers(items)) == min(count, len(items))


def test_commonsense_items_come_one_by_one(cast: Cast) -> None:
    story = make_story(cast)
    for _number in range(2):
        submit_item(cast, story=story)
    place = take(cast)
    assert held(cast) == {place.item_id}
    answered(place, cast.reviewer)
    assert KeyExposure.objects.filter(user=cast.reviewer, item=place.item_id).exists()


def test_a_verifier_takes_them_together_too(cast: Cast, items: list[Item]) -> None:
    for review in [answered(take(cast), cast.reviewer) for _item in items]:
        passed(review, cast.reviewer)
    reviews = [answered(take(cast, cast.verifier, Stage.VERIFICATION), cast.verifier) for _item in items]
    assert {one.item_id for one in reviews} == numbers(items)
    assert all(one.blind for one in reviews)
    for review in reviews:
        passed(review, cast.verifier)
    assert set(Item.objects.values_list("state", flat=True)) == {"verified"}


def test_the_order_is_not_that_of_writing() -> None:
    """Else machine style would always be answered after human style, by who has read its options."""
    first = set()
    for _number in range(12):
        cast = make_project()
        items = morals(cast, make_story(cast))
        first.add(items.index(take(cast).item))
    assert len(first) > 1


# --- time, and giving back ---


def test_work_on_one_keeps_the_others(cast: Cast, items: list[Item]) -> None:
    place = take(cast)
    soon = timezone.now() + timedelta(minutes=2)
    ReviewRequest.objects.update(lease_expires_at=soon)
    renew_lease(actor=cast.reviewer, request=place)
    ends = set(ReviewRequest.objects.values_list("lease_expires_at", flat=True))
    (end,) = ends
    assert end is not None
    assert end > soon + timedelta(minutes=20)


def test_the_seconds_of_an_answer_begin_with_the_answer_before(
    cast: Cast, items: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, begun = take(cast), timezone.now()
    ReviewRequest.objects.update(claimed_at=begun)
    monkeypatch.setattr(timezone, "now", lambda: begun + timedelta(minutes=10))
    assert answered(first, cast.reviewer).seconds == 600
    monkeypatch.setattr(timezone, "now", lambda: begun + timedelta(minutes=10, seconds=7))
    assert answered(take(cast), cast.reviewer).seconds == 7


@pytest.mark.parametrize("how", ["answer", "resume"])
def test_who_comes_late_has_them_all_again(cast: Cast, items: list[Item], how: str) -> None:
    first = answered(take(cast), cast.reviewer)
    following = take(cast)
    run_out(cast, free=True)
    assert not held(cast)
    if how == "answer":
        assert answered(following, cast.reviewer).blind
    else:
        renew_lease(actor=cast.reviewer, request=first.request)
    assert held(cast) == numbers(items)
    assert answered(take(cast), cast.reviewer).blind


def test_what_others_have_taken_meanwhile_is_theirs(cast: Cast, items: list[Item]) -> None:
    first = answered(take(cast), cast.reviewer)
    run_out(cast, free=True)
    take(cast, cast.reviewer2)
    assert held(cast, cast.reviewer2) == numbers(items)
    client = browser(cast.reviewer)
    page = client.get(reverse("review:request", args=[cast.project.slug, first.request.public_id]))
    assert page.status_code == 200, "nothing is left to answer, so the answer is laid open"


def test_later_puts_off_all_as_long_as_none_is_answered(cast: Cast, items: list[Item]) -> None:
    other = submit_item(cast)
    postpone_request(actor=cast.reviewer, request=take(cast))
    assert not held(cast)
    assert take(cast).item == other
    passed(answered(take(cast), cast.reviewer), cast.reviewer)
    answered(take(cast), cast.reviewer)
    assert held(cast) == numbers(items)
    with pytest.raises(Conflict, match="an item of this story"):
        postpone_request(actor=cast.reviewer, request=take(cast))


def test_a_skipped_one_is_not_waited_for(cast: Cast, items: list[Item]) -> None:
    reviews = [answered(take(cast), cast.reviewer) for _number in range(2)]
    skip_request(actor=cast.reviewer, request=take(cast), reason="I know it.")
    for review in reviews:
        passed(review, cast.reviewer)
    assert all(Review.objects.values_list("blind", flat=True))


def test_a_withdrawn_one_is_not_waited_for(cast: Cast, items: list[Item]) -> None:
    reviews = [answered(take(cast), cast.reviewer) for _number in range(2)]
    withdraw_item(actor=cast.writer, item=take(cast).item)
    for review in reviews:
        passed(review, cast.reviewer)


def test_leases_released_by_a_manager_are_free_for_others(cast: Cast, items: list[Item]) -> None:
    answered(take(cast), cast.reviewer)
    assert release_leases(actor=cast.manager, project=cast.project, person=cast.reviewer) == 3
    take(cast, cast.reviewer2)
    assert held(cast, cast.reviewer2) == numbers(items)


def test_verdicts_follow_one_after_another_and_can_be_undone(cast: Cast, items: list[Item]) -> None:
    client = browser(cast.reviewer)
    for _item in items:
        client.post(f"{at(take(cast))}/answer", {"position": 0})
    for left in (2, 1, 0):
        place = take(cast)
        client.post(
            f"{at(place)}/verdict",
            {"rating": 0, "flaws": "other", "comment": "No.", "disposition": "reject", "stay": "1"},
        )
        assert client.post(f"{at(place)}/undo").status_code == 302
        client.post(
            f"{at(place)}/verdict", {"rating": 0, "flaws": "other", "comment": "No.", "disposition": "reject"}
        )
        still_undoable = bool(left)  # while another item is held
        assert len(held(cast)) == left + still_undoable
    assert set(Item.objects.values_list("state", flat=True)) <= {"rejected", "in_adjudication"}


def test_a_practice_item_brings_the_real_ones_of_its_story(cast: Cast) -> None:
    made = practice_item(cast, verified(cast, task="moral"))
    items = morals(cast, made.story, ("machine",))
    update_project(actor=cast.manager, project=cast.project, changes={"gold_rate": 50})
    before = claims_of_review._before(cast.reviewer, cast.project, Stage.CROSS_CHECK)
    claims_of_review._with_siblings(deal(cast.reviewer, made), cast.reviewer, before)
    assert held(cast) == numbers(items)
    dealt = ReviewRequest.everything.get(gold=made)
    lesson = solve(actor=cast.reviewer, request=dealt, answer="option", position=right_place(dealt))
    assert not is_exposed(cast.reviewer, made.story, "moral")
    with pytest.raises(Conflict):
        passed_practice(lesson, cast.reviewer)
    assert answered(take(cast), cast.reviewer).blind
    passed_practice(lesson, cast.reviewer)


def test_nothing_sets_practice_apart_from_its_siblings(cast: Cast) -> None:
    """The pages of a story's items say alike how many wait, practice or not."""
    made = practice_item(cast, verified(cast, task="moral"))
    morals(cast, made.story, ("machine",))
    submit_item(cast)
    update_project(actor=cast.manager, project=cast.project, changes={"gold_rate": 50})
    before = claims_of_review._before(cast.reviewer, cast.project, Stage.CROSS_CHECK)
    claims_of_review._with_siblings(deal(cast.reviewer, made), cast.reviewer, before)
    said = set()
    for place in ReviewRequest.everything.filter(claimed_by=cast.reviewer, state=RequestState.CLAIMED):
        page = text(browser(cast.reviewer).get(at(place)))
        said.add(re.search(r'<span id="more">(.*?)</span>', page)[1])  # type: ignore[index]
    assert said == {"0 more in the queue"}


def passed_practice(review: Review, who: User) -> Review:
    return send_verdict(actor=who, review=review, disposition=Disposition.PASS, rating=2)


# --- figures and tables ---


def figures(cast: Cast, item: Item) -> tuple[object, ...]:
    """All that a manager can see or take away of answers to an item."""
    assert item.current is not None
    behind = Behind(Figure.ANSWERED, task="moral")
    return (
        [(one.reviewer, one.is_correct) for one in solved_rows(cast.project)],
        blind_answers([item.pk]),
        blind_choices(item.current),
        items_behind(cast.project, behind).count(),
        [one.is_correct for one in reviews_of([item]).get(item.pk, [])],
        ReviewResource().export(ReviewResource().get_queryset()).dict,
    )


@pytest.mark.parametrize("state", ["held", "lapsed", "freed"])
@pytest.mark.parametrize("is_right", [True, False])
def test_nothing_tells_whether_an_answer_was_right_whose_key_is_not_shown(
    cast: Cast, items: list[Item], state: str, is_right: bool
) -> None:
    place = take(cast)
    item = items[[one.pk for one in items].index(place.item_id or 0)]
    before = figures(cast, item)
    position = key_of(place) if is_right else (key_of(place) + 1) % 4
    solve(actor=cast.reviewer, request=place, answer=Answer.OPTION, position=position)
    if state != "held":
        run_out(cast, free=state == "freed")
    assert figures(cast, item) == before
    if state == "held":
        for _number in range(2):
            answered(take(cast), cast.reviewer)
        assert figures(cast, item)[1] == {item.pk: [is_right]}
        assert figures(cast, item)[0] != before[0]


# --- the pages ---


def at(request: ReviewRequest) -> str:
    return reverse("review:request", args=[request.project.slug, request.public_id])


def text(response: HttpResponseBase) -> str:
    assert hasattr(response, "content")
    return str(response.content.decode())


@pytest.fixture
def client(cast: Cast) -> Client:
    return browser(cast.reviewer, {"HX-Request": "true"})


def test_each_answer_brings_the_next_item_and_the_last_the_verdict(
    cast: Cast, items: list[Item], client: Client
) -> None:
    place = take(cast)
    assert "Item 1 of 3" in text(client.get(at(place)))
    for number in (2, 3):
        answered = client.post(f"{at(place)}/answer", {"position": key_of(place)})
        place = take(cast)
        assert (answered.status_code, answered.headers["HX-Push-Url"]) == (200, at(place))
        assert 'id="answer"' in text(answered)
        assert f"Item {number} of 3" in text(answered)
        assert KEY_MARK not in text(answered)
    last = client.post(f"{at(place)}/answer", {"position": key_of(place)})
    assert "HX-Push-Url" not in last.headers
    assert KEY_MARK in text(last)
    for _number in range(2):
        judged = client.post(f"{at(take(cast))}/verdict", {"rating": 2, "disposition": "pass"})
        assert 'id="verdict"' in text(judged)
        assert judged.headers["HX-Push-Url"] == at(take(cast))
    assert (
        "HX-Redirect"
        in client.post(f"{at(take(cast))}/verdict", {"rating": 2, "disposition": "pass"}).headers
    )
    assert all(Review.objects.values_list("blind", flat=True))
    assert not ReviewRequest.objects.filter(stage=Stage.CROSS_CHECK).exclude(state=RequestState.DONE).exists()


def test_without_script_the_same_steps_are_pages(cast: Cast, items: list[Item]) -> None:
    plain, place = browser(cast.reviewer), take(cast)
    sent = plain.post(f"{at(place)}/answer", {"position": 0}, follow=True)
    assert sent.redirect_chain[-1] == (at(take(cast)), 302)
    assert "Item 2 of 3" in text(sent)
    assert ">Later<" not in text(sent)


def test_another_device_goes_on_where_the_first_stopped(cast: Cast, items: list[Item]) -> None:
    place = take(cast)
    browser(cast.reviewer).post(f"{at(place)}/answer", {"position": 0})
    other = browser(cast.reviewer)
    opened = other.post(reverse("review:claim", args=[cast.project.slug]), follow=True)
    assert "Item 2 of 3" in text(opened)
    assert other.get(at(place)).status_code == 302, "an answered one leads to the next"


def test_an_answered_one_that_was_lost_is_taken_up_again_before_it_is_shown(
    cast: Cast, items: list[Item]
) -> None:
    place, plain = take(cast), browser(cast.reviewer)
    plain.post(f"{at(place)}/answer", {"position": 0})
    run_out(cast, free=True)
    lapsed = text(plain.get(at(place)))
    assert "Your time for this item has expired" in lapsed
    assert KEY_MARK not in lapsed
    resumed = plain.post(f"{at(place)}/resume", follow=True)
    assert "Item 2 of 3" in text(resumed)
    assert held(cast) == numbers(items)


def test_an_answered_practice_item_that_was_lost_is_taken_up_again_like_any_other(cast: Cast) -> None:
    made = practice_item(cast, verified(cast, task="moral"))
    (item,) = morals(cast, made.story, ("machine",))
    update_project(actor=cast.manager, project=cast.project, changes={"gold_rate": 50})
    before = claims_of_review._before(cast.reviewer, cast.project, Stage.CROSS_CHECK)
    claims_of_review._with_siblings(deal(cast.reviewer, made), cast.reviewer, before)
    dealt = ReviewRequest.everything.get(gold=made)
    solve(actor=cast.reviewer, request=dealt, answer="option", position=right_place(dealt))
    run_out(cast, free=True)
    lapsed = text(browser(cast.reviewer).get(at(dealt)))
    assert "Your time for this item has expired" in lapsed
    assert "resume" in lapsed
    assert not is_exposed(cast.reviewer, made.story, "moral")
    browser(cast.reviewer).post(f"{at(dealt)}/resume")
    assert held(cast) == {item.pk}
    assert answered(take(cast), cast.reviewer).blind


def test_the_pages_of_a_set_do_not_depend_on_its_keys() -> None:
    """Whichever options are the keys, all responses up to the last answer are of one length."""
    lengths = set()
    for shift in range(3):
        cast = make_project()
        story = make_story(cast, title="The Race", text="A hare laughed at a tortoise.")
        for number in range(3):
            options = [OptionContent(f"Moral {number}.{at}", at == shift) for at in range(4)]
            submit_item(cast, story=story, task="moral", words=ItemContent("What?", tuple(options)))
        client, place, lines = browser(cast.reviewer, {"HX-Request": "true"}), take(cast), []
        for _number in range(2):
            lines.append(text(client.post(f"{at(place)}/answer", {"position": 1})))
            place = take(cast)
        slug = cast.project.slug
        lengths.add(tuple(len(one) - one.count(slug) * len(slug) for one in lines))
    assert len(lengths) == 1
