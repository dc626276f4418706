"""Practice items: scored by rules, made by managers, met like any other."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.errors import Conflict, Forbidden, Hidden, Unusable
from accounts.models import User
from annotation.models import Task
from annotation.queries import is_exposed
from annotation.services import record_exposure
from projects.services import update_project
from review.models import Disposition, Flaw, GoldItem, GoldPlace, ReviewRequest, Stage
from review.practice import Expected, Given, choose, is_drawn, plant, score
from review.queries import waiting
from review.queries.gold import Calibration, calibration, practice_fits, settled
from review.services import (
    claim_next,
    judge,
    judge_practice,
    make_gold,
    next_place,
    postpone_practice,
    restore_gold,
    retire_gold,
    skip_practice,
    slip_practice,
    solve,
    solve_practice,
)
from tests.factories import Cast, content, make_project, submit_item
from tests.review.gold_cast import (
    LESSON,
    RIGHT,
    browser,
    done,
    drawn,
    gold,
    key_of,
    rejected,
    right_place,
    verified,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    """A project whose every second place is a practice item, as often as can be."""
    return make_project(gold_rate=50)


# --- pure ---


def given(**changes: Any) -> Given:
    start = Given(answer="option", positions=(1,), slip=False, rating=2, flaws=(), disposition="pass")
    return replace(start, **changes)


def test_it_scores_every_part_of_a_verdict_and_the_whole() -> None:
    assert score(RIGHT, given()).is_right
    wrong = {"positions": (2,)}, {"rating": 0}, {"disposition": "reject"}, {"answer": "none_fits"}
    assert [score(RIGHT, given(**change)).is_right for change in wrong] == [False] * 4
    slipped = score(RIGHT, given(positions=(2,), slip=True))
    assert (slipped.answer, slipped.is_right) == (None, True)
    flawed = replace(RIGHT, flaws=("language", "other"))
    assert not score(flawed, given(flaws=("unclear_stem",))).flaws
    assert score(flawed, given(flaws=("unclear_stem", "language"))).flaws, "one of them is enough"
    several = Expected("several_fit", (0, 1), 0, 0, ("two_right_options",), ("reject",))
    assert score(several, given(answer="several_fit", positions=(1, 0))).answer
    assert not score(several, given(answer="several_fit", positions=(0, 1, 2))).answer


@pytest.mark.parametrize("rate", [0, 5, 20, 50])
def test_it_draws_at_the_rate_that_was_chosen(rate: int) -> None:
    """Never two in a row, and yet so many percent of all places, over 4,000 of them."""
    taken, before = 0, False
    for number in range(4000):
        before = not before and is_drawn(project=1, reviewer=2, done=number, rate=rate)
        taken += before
    assert abs(taken / 40 - rate) < 2


def test_it_draws_the_same_for_the_same_and_otherwise_for_others() -> None:
    draws = [[is_drawn(project=1, reviewer=who, done=n, rate=30) for n in range(100)] for who in (7, 7, 8)]
    assert draws[0] == draws[1] != draws[2]
    firsts = {choose(range(1, 9), reviewer=who) for who in range(9)}
    assert len(firsts) > 1, "everybody gets them in an order of their own"
    assert choose([], reviewer=1) is None


def test_it_plants_a_wrong_key_and_keeps_what_is_right() -> None:
    planted, expected = plant("wrong_key", content(key=3), good=replace(RIGHT, positions=(3,)))
    assert [option.is_key for option in planted.options] == [True, False, False, False]
    assert (expected.positions, expected.rating_high) == ((3,), 0)
    _words, two = plant("two_right", content(key=3), good=RIGHT)
    assert (two.answer, two.positions, two.flaws) == ("several_fit", (0, 3), ("two_right_options",))


# --- making ---


def test_it_makes_one_of_a_settled_item_and_of_no_other(cast: Cast) -> None:
    made = gold(cast)
    assert (made.expected_answer, made.expected_positions, made.dispositions) == ("option", [1], ["pass"])
    flawed = gold(cast, rejected(cast))
    assert (flawed.expected_flaws, flawed.rating_high) == ([Flaw.TRIVIAL_DISTRACTOR], 0)
    waits = submit_item(cast)
    assert settled(waits) is None
    with pytest.raises(Conflict):
        make_gold(actor=cast.manager, item=waits, content=content(), expected=RIGHT, lesson=LESSON)


def test_it_refuses_what_does_not_fit_together(cast: Cast) -> None:
    item = verified(cast)

    def attempt(actor: User = cast.manager, lesson: str = LESSON, **changes: Any) -> None:
        expected = replace(RIGHT, **changes)
        make_gold(actor=actor, item=item, content=content(), expected=expected, lesson=lesson)

    with pytest.raises(Forbidden):
        attempt(cast.reviewer)
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("lesson", {"lesson": " "}),
        ("answer", {"positions": (0, 1)}),
        ("answer", {"positions": (9,)}),
        ("answer", {"answer": "several_fit"}),
        ("rating_low", {"rating_low": 2, "rating_high": 1}),
        ("dispositions", {"dispositions": ()}),
        ("stem", {"flaws": ("language",)}),
    ]
    for field, changes in wrong:
        with pytest.raises(Unusable) as refused:
            attempt(**changes)
        assert list(refused.value.fields) == [field]
    assert not GoldItem.objects.exists()


def test_it_is_made_on_its_page_with_a_flaw_planted(cast: Cast) -> None:
    item = verified(cast)
    client, slug = browser(cast.manager), cast.project.slug
    address = reverse("review:make_gold", args=[slug, item.pk])
    assert address in client.get(reverse("dashboard:item", args=[slug, item.pk])).content.decode()
    assert address in client.get(reverse("review:gold", args=[slug])).content.decode()
    page = client.get(f"{address}?plant=two_right")
    assert page.context["form"].initial["answer"] == "several_fit"
    form: dict[str, Any] = {f"option_{n}": option.text for n, option in enumerate(content().options)}
    form |= {"stem": content().stem, "key": 1, "answer": "several_fit", "right": [1, 2], "lesson": LESSON}
    form |= {"rating_low": 0, "rating_high": 0, "flaws": ["two_right_options"], "dispositions": ["return"]}
    refused = client.post(f"{address}?plant=two_right", form)
    assert refused.status_code == 400
    assert "Plant the flaw" in refused.content.decode()
    assert client.post(address, form | {"option_2": "It was certain to win"}).status_code == 302
    made = GoldItem.objects.get()
    assert (made.expected_positions, made.made_from) == ([1, 2], item)
    shown = client.get(reverse("review:gold", args=[slug]))
    assert content().stem in shown.content.decode()


def test_it_is_retired_and_brought_back(cast: Cast) -> None:
    made = gold(cast)
    client = browser(cast.manager)
    client.post(reverse("review:retire_gold", args=[cast.project.slug, made.pk]))
    assert practice_fits(cast.reviewer, cast.project) == []
    client.post(reverse("review:restore_gold", args=[cast.project.slug, made.pk]))
    assert practice_fits(cast.reviewer, cast.project) == [made.pk]
    with pytest.raises(Forbidden):
        retire_gold(actor=cast.reviewer, gold=made)
    with pytest.raises(Forbidden):
        restore_gold(actor=cast.writer, gold=made)


def test_its_pages_are_for_managers_and_its_lessons_for_reviewers(cast: Cast) -> None:
    item = verified(cast)
    slug = cast.project.slug
    theirs = [reverse("review:gold", args=[slug]), reverse("review:make_gold", args=[slug, item.pk])]
    for user in (cast.writer, cast.reviewer, cast.verifier):
        assert {browser(user).get(address).status_code for address in theirs} == {403}
    lessons = reverse("review:lessons", args=[slug])
    assert browser(cast.reviewer).get(lessons).status_code == 200
    assert browser(cast.writer).get(lessons).status_code == 403
    assert {browser(cast.outsider).get(address).status_code for address in [*theirs, lessons]} == {404}


# --- mixed in ---


def test_it_is_handed_out_in_place_of_a_real_one_and_never_twice_in_a_row(cast: Cast) -> None:
    for _number in range(3):
        gold(cast)
    for _number in range(8):
        submit_item(cast)
    kinds = []
    while place := next_place(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK):
        kinds.append(isinstance(place, GoldPlace))
        if isinstance(place, GoldPlace):
            done(cast, place)
        else:
            review = solve(actor=cast.reviewer, request=place, answer="option", position=key_of(place))
            judge(actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2)
    assert kinds.count(True) == 3, "each once"
    assert kinds.count(False) == 8
    assert not any(first and second for first, second in pairwise(kinds))
    assert GoldPlace.objects.filter(is_right=True).count() == 3


def test_it_costs_nothing_while_the_rate_is_nought(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    gold(cast)
    update_project(actor=cast.manager, project=cast.project, changes={"gold_rate": 0})
    submit_item(cast)
    submit_item(cast)
    with CaptureQueriesContext(connection) as plain:
        claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    ReviewRequest.objects.filter(state="claimed").update(state="open", claimed_by=None)
    with django_assert_num_queries(len(plain)):
        next_place(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)


def test_it_is_not_given_where_nothing_else_waits(cast: Cast) -> None:
    gold(cast)
    assert next_place(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None


def test_it_is_kept_from_who_wrote_judged_or_knows_the_moral(cast: Cast) -> None:
    made = gold(cast)
    assert practice_fits(cast.reviewer, cast.project) == [made.pk]
    assert practice_fits(cast.writer, cast.project) == []
    assert practice_fits(cast.reviewer2, cast.project) == []
    assert practice_fits(cast.verifier, cast.project) == []
    moral = gold(cast, verified(cast, task=Task.MORAL))
    assert set(practice_fits(cast.reviewer, cast.project)) == {made.pk, moral.pk}
    record_exposure(actor=cast.reviewer, story=moral.story)
    assert practice_fits(cast.reviewer, cast.project) == [made.pk]


def test_it_is_gone_on_with_held_again_put_off_and_skipped(cast: Cast) -> None:
    gold(cast)
    for _number in range(4):
        submit_item(cast)
    place = drawn(cast)
    again = next_place(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert again == place
    hand = waiting(cast.reviewer, cast.project, Stage.CROSS_CHECK)
    assert hand.mine is not None
    assert hand.mine.pk == place.pk
    GoldPlace.objects.update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    again = next_place(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert isinstance(again, GoldPlace)
    assert (again.pk, again.lease_expires_at > timezone.now()) == (place.pk, True)
    postpone_practice(actor=cast.reviewer, practice=again)
    other = next_place(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert isinstance(other, ReviewRequest)
    ReviewRequest.objects.filter(stage=Stage.CROSS_CHECK).exclude(state="done").update(
        state="closed", claimed_by=None
    )
    back = next_place(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert back == place, "it comes back when the others are done"
    with pytest.raises(Unusable):
        skip_practice(actor=cast.reviewer, practice=place, reason=" ")
    skip_practice(actor=cast.reviewer, practice=place, reason="I know this story")
    assert next_place(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    with pytest.raises(Hidden):
        skip_practice(actor=cast.reviewer, practice=place, reason="again")


def test_it_takes_one_answer_and_one_verdict_of_its_reviewer_alone(cast: Cast) -> None:
    gold(cast)
    submit_item(cast)
    submit_item(cast)
    place = drawn(cast)
    with pytest.raises(Conflict):
        judge_practice(actor=cast.reviewer, practice=place, disposition="pass", rating=2)
    with pytest.raises(Hidden):
        solve_practice(actor=cast.reviewer2, practice=place, answer="none_fits")
    with pytest.raises(Unusable):
        solve_practice(actor=cast.reviewer, practice=place, answer="option", position=9)
    wrong = (right_place(place) + 1) % 4
    place = solve_practice(actor=cast.reviewer, practice=place, answer="option", position=wrong)
    place = solve_practice(actor=cast.reviewer, practice=place, answer="none_fits")
    assert place.answer == "option"
    with pytest.raises(Unusable):
        judge_practice(actor=cast.reviewer, practice=place, disposition="pass", rating=0)
    slip_practice(actor=cast.reviewer, practice=place)
    place = judge_practice(actor=cast.reviewer, practice=place, disposition="pass", rating=2)
    assert place.findings == {"answer": None, "rating": True, "flaws": True, "disposition": True}
    with pytest.raises(Conflict):
        judge_practice(actor=cast.reviewer, practice=place, disposition="pass", rating=2)
    assert calibration(cast.project) == [Calibration(cast.reviewer.pk, cast.reviewer.name, 1, 1)]


def test_a_moral_one_costs_its_reviewer_the_blindness_to_its_siblings(cast: Cast) -> None:
    moral = gold(cast, verified(cast, task=Task.MORAL))
    submit_item(cast)
    submit_item(cast)
    place = drawn(cast)
    assert not is_exposed(cast.reviewer, moral.story, Task.MORAL)
    done(cast, place)
    assert is_exposed(cast.reviewer, moral.story, Task.MORAL)
