"""Practice items: made by managers, scored silently, indistinguishable from real ones before the verdict."""

import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core.errors import Conflict, Forbidden, Unusable
from review.models import Flaw, PracticeItem, ReviewRequest, Stage
from review.practice import Expected, Given, choose, is_drawn, plant, score
from review.queries.practice import closed_item, practice_fits
from review.services import (
    claim_next,
    make_practice_item,
    restore_practice_item,
    retire_practice_item,
)
from tests.factories import Cast, content, make_project, make_story, submit_item
from tests.review.practice_cast import (
    LESSON,
    RIGHT,
    browser,
    first_drawn,
    practice_item,
    rejected,
    verified,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    """A project whose every second place is a practice item, as often as can be."""
    return make_project(gold_rate=50)


# --- pure ---


def given(**changes: Any) -> Given:
    start = Given(answer="option", positions=(1,), misclick=False, rating=2, flaws=(), disposition="pass")
    return replace(start, **changes)


def test_it_scores_every_part_of_a_verdict_and_the_whole() -> None:
    assert score(RIGHT, given()).is_right
    wrong = {"positions": (2,)}, {"rating": 0}, {"disposition": "reject"}, {"answer": "none_fits"}
    assert [score(RIGHT, given(**change)).is_right for change in wrong] == [False] * 4
    slipped = score(RIGHT, given(positions=(2,), misclick=True))
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
    made = practice_item(cast)
    assert (made.expected_answer, made.expected_positions, made.dispositions) == ("option", [1], ["pass"])
    flawed = practice_item(cast, rejected(cast))
    assert (flawed.expected_flaws, flawed.rating_high) == ([Flaw.TRIVIAL_DISTRACTOR], 0)
    waits = submit_item(cast)
    assert closed_item(waits) is None
    with pytest.raises(Conflict):
        make_practice_item(actor=cast.manager, item=waits, content=content(), expected=RIGHT, lesson=LESSON)


def test_it_refuses_what_does_not_fit_together(cast: Cast) -> None:
    item = verified(cast)

    def attempt(actor: User = cast.manager, lesson: str = LESSON, **changes: Any) -> None:
        expected = replace(RIGHT, **changes)
        make_practice_item(actor=actor, item=item, content=content(), expected=expected, lesson=lesson)

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
    assert not PracticeItem.objects.exists()


def test_it_refuses_words_that_are_no_item_but_asks_for_no_explanation(cast: Cast) -> None:
    item = verified(cast)
    known: dict[str, Any] = {"actor": cast.manager, "item": item, "expected": RIGHT, "lesson": LESSON}
    with pytest.raises(Unusable) as refused:
        make_practice_item(content=replace(content(), stem=" "), **known)
    assert list(refused.value.fields) == ["stem"]
    assert make_practice_item(content=replace(content(), explanation=""), **known).pk


def test_it_is_made_on_its_page_with_a_flaw_planted(cast: Cast) -> None:
    item = verified(cast)
    client, slug = browser(cast.manager), cast.project.slug
    address = reverse("review:create_practice", args=[slug, item.pk])
    assert address in client.get(reverse("dashboard:item", args=[slug, item.pk])).content.decode()
    assert address in client.get(reverse("review:practice", args=[slug])).content.decode()
    page = client.get(f"{address}?plant=two_right")
    assert page.context["form"].initial["answer"] == "several_fit"
    form: dict[str, Any] = {f"option_{n}": option.text for n, option in enumerate(content().options)}
    form |= {"stem": content().stem, "key": 1, "answer": "several_fit", "right": [1, 2], "lesson": LESSON}
    form |= {"rating_low": 0, "rating_high": 0, "flaws": ["two_right_options"], "dispositions": ["return"]}
    refused = client.post(f"{address}?plant=two_right", form)
    assert refused.status_code == 400
    assert "Add the flaw" in refused.content.decode()
    assert client.post(address, form | {"option_2": "It was certain to win"}).status_code == 302
    made = PracticeItem.objects.get()
    assert (made.expected_positions, made.made_from) == ([1, 2], item)
    response = client.get(reverse("review:practice", args=[slug]))
    assert content().stem in response.content.decode()


def test_it_is_retired_and_brought_back(cast: Cast) -> None:
    made = practice_item(cast)
    client = browser(cast.manager)
    client.post(reverse("review:retire_practice", args=[cast.project.slug, made.pk]))
    assert practice_fits(cast.reviewer, cast.project) == []
    client.post(reverse("review:restore_practice", args=[cast.project.slug, made.pk]))
    assert practice_fits(cast.reviewer, cast.project) == [made.pk]
    with pytest.raises(Forbidden):
        retire_practice_item(actor=cast.reviewer, practice_item=made)
    with pytest.raises(Forbidden):
        restore_practice_item(actor=cast.writer, practice_item=made)


def test_its_pages_are_for_managers_and_its_lessons_for_reviewers(cast: Cast) -> None:
    item = verified(cast)
    slug = cast.project.slug
    theirs = [
        reverse("review:practice", args=[slug]),
        reverse("review:create_practice", args=[slug, item.pk]),
    ]
    for user in (cast.writer, cast.reviewer, cast.verifier):
        assert {browser(user).get(address).status_code for address in theirs} == {403}
    lessons = reverse("review:practice_results", args=[slug])
    assert browser(cast.reviewer).get(lessons).status_code == 200
    assert browser(cast.writer).get(lessons).status_code == 403
    assert {browser(cast.outsider).get(address).status_code for address in [*theirs, lessons]} == {404}


# --- indistinguishable from a real one ---


def plain(response: HttpResponseBase, pk: UUID) -> str:
    """The response without what differs between any two places: numbers, tokens, clocks."""
    filtered = {name: value for name, value in response.headers.items() if name != "Content-Length"}
    text = f"{response.status_code} {sorted(filtered)}\n{getattr(response, 'content', b'').decode()}"
    text = re.sub(r"write/story/\d+", "STORY", text)
    text = re.sub(rf'(review/|requests/|"own_request":"){pk}\b', r"\1PK", text)
    text = re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": ")[^"]*', r"\1TOKEN", text)
    text = re.sub(r'"seconds_left":\d+', "LEFT", text)
    text = re.sub(r'data-user="\d+"', "USER", text)
    text = re.sub(r'name="login" value="[^"]*"', "USER", text)
    text = re.sub(r'value="1[78]\d\d" max', "LEFT max", text)
    text = re.sub(r"(\d{4}-\d\d-\d\dT)?\d\d:\d\d(:\d\d\.\d+)?", "CLOCK", text)
    text = re.sub(r'data-(seconds|lease)[a-z-]*="\d+"', "LEASE", text)
    # an answer within the first second shows no time, of either kind
    return re.sub(r' <span class="faint num">\d+ s</span>', "", text)


def walked(client: Client, slug: str, request: ReviewRequest, key: int) -> list[str]:
    """Every page and answer that a reviewer sees of a place before the verdict."""
    at, pk = reverse("review:request", args=[slug, request.public_id]), request.public_id
    api = f"/api/v1/projects/{slug}/requests/{pk}"
    answers = [
        client.get(reverse("review:queue", args=[slug])),
        client.get(at),
        client.get(f"/api/v1/projects/{slug}/queue/"),
        client.post(f"{api}/lease/"),
        client.put(f"{api}/comment/", {"comment": "too early"}, content_type="application/json"),
        client.post(f"{at}/misclick"),
        client.post(f"{at}/undo"),
        client.post(f"{at}/ruling", {"disposition": "pass", "comment": "no"}),
        client.post(f"{at}/resume"),
        client.post(f"{at}/skip", {"reason": ""}),
        client.get(at),
        client.post(f"{at}/answer", {}),
        client.post(f"{at}/answer", {"position": "77"}),
        client.post(f"{at}/verdict", {"rating": 2, "disposition": "pass"}),
        client.post(f"{at}/answer", {"position": key}),
        client.get(at),
        client.put(f"{api}/comment/", {"comment": "some words"}, content_type="application/json"),
        client.post(f"{at}/undo"),
        client.post(f"{at}/postpone"),
        client.post(f"{at}/verdict", {"rating": 0, "disposition": "pass", "comment": "said"}),
        client.post(f"{at}/verdict", {"rating": 1, "disposition": "edit"}),
        client.post(f"{at}/misclick"),
        client.get(at),
        client.get(reverse("review:queue", args=[slug])),
        client.post(f"{at}/verdict", {"rating": 2, "disposition": "pass", "stay": 1}),
        client.get(at),
        client.get(reverse("review:queue", args=[slug])),
        client.post(f"{at}/misclick"),
        client.post(f"{at}/verdict", {"rating": 2, "disposition": "pass"}),
        client.post(f"{at}/undo"),
        client.get(at),
        client.post(f"{at}/undo"),
    ]
    return [plain(answer, pk) for answer in answers]


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["whole pages", "steps"])
def test_it_looks_like_a_real_place_before_the_verdict(cast: Cast, headers: dict[str, str]) -> None:
    """The same words, once as a real item and once for practice: nothing else may differ."""
    story = make_story(cast, title="The Race", text="A hare and a tortoise.")
    other = make_story(cast, title="The Race", text="A hare and a tortoise ran.")
    item = verified(cast, story=story)
    submit_item(cast, story=other)
    submit_item(cast)
    slug, client = cast.project.slug, browser(cast.reviewer, headers)
    real = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert real is not None
    ReviewRequest.objects.filter(pk=real.pk).update(drawn_order=[2, 1, 0, 3])
    seen_of_real = walked(client, slug, real, key=1)
    assert not ReviewRequest.everything.filter(gold__isnull=False).exists()

    twin = make_project(gold_rate=50)
    item = verified(twin, story=make_story(twin, title="The Race", text="A hare and a tortoise ran."))
    practice_item(twin, item)
    for _number in range(2):
        submit_item(twin)
    slug2, client2 = twin.project.slug, browser(twin.reviewer, headers)
    practice = first_drawn(twin)
    ReviewRequest.everything.filter(pk=practice.pk).update(drawn_order=[2, 1, 0, 3])
    seen_of_practice = walked(client2, slug2, practice, key=1)
    for real_page, practice_page in zip(seen_of_real, seen_of_practice, strict=True):
        assert practice_page.replace(slug2, slug) == real_page


def test_its_address_says_nothing_of_when_it_was_made(cast: Cast) -> None:
    """Though it is the newest row, its address is drawn as any other's is, and no number of a row is one."""
    practice_item(cast)
    for _number in range(20):
        submit_item(cast)
    place = first_drawn(cast)
    shown = list(ReviewRequest.everything.order_by("pk").values_list("public_id", flat=True))
    assert {one.version for one in shown} == {4}, "random"
    assert len(set(shown)) == len(shown)
    assert shown != sorted(shown)
    queue = reverse("review:queue", args=[cast.project.slug])
    assert (
        reverse("review:request", args=[cast.project.slug, place.public_id]) == f"{queue}/{place.public_id}"
    )
    for other in (place.pk, 2**60, UUID(int=place.pk)):
        assert browser(cast.reviewer).get(f"{queue}/{other}").status_code == 404


def test_nobody_elses_practice_item_exists(cast: Cast) -> None:
    practice_item(cast)
    submit_item(cast)
    place = first_drawn(cast)
    at = reverse("review:request", args=[cast.project.slug, place.public_id])
    assert browser(cast.reviewer).get(at).status_code == 200
    for user in (cast.reviewer2, cast.writer, cast.verifier, cast.manager, cast.outsider):
        client = browser(user)
        assert client.get(at).status_code == 404
        assert client.post(f"{at}/answer", {"position": 0}).status_code == 404
        assert client.post(reverse("api_lease", args=[cast.project.slug, place.public_id])).status_code == 404
