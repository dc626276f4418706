"""Practice items: made by managers, met like any other, scored silently, a lesson later, counted nowhere."""

import re
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.errors import Conflict, Forbidden, Hidden, Unusable
from accounts.models import User
from annotation.models import Item, State, Task
from annotation.queries import is_exposed
from annotation.services import record_exposure
from dashboard.queries.overview import funnel, submitted_items
from projects.services import update_project
from review.models import Answer, Disposition, Flaw, GoldItem, GoldPlace, Review, ReviewRequest, Stage
from review.practice import Expected, Given, choose, is_drawn, plant, score
from review.queries import waiting
from review.queries.gold import Calibration, calibration, practice_fits, settled
from review.queries.statistics import overlap, rated_rows, solved_rows, worked_rows
from review.services import (
    claim_next,
    count_statistics,
    judge,
    judge_practice,
    make_gold,
    next_place,
    postpone_practice,
    practising,
    restore_gold,
    retire_gold,
    skip_practice,
    slip_practice,
    solve,
    solve_practice,
)
from tests.factories import PASSWORD, Cast, content, make_project, make_story, submit_item

pytestmark = pytest.mark.django_db

LESSON = "What-there-is-to-learn"
RIGHT = Expected("option", (1,), 1, 2, dispositions=("pass",))


@pytest.fixture
def cast() -> Cast:
    """A project whose every second place is a practice item, as often as can be."""
    return make_project(gold_rate=50)


def browser(user: User) -> Client:
    client = Client()
    assert client.login(username=user.username, password=PASSWORD)
    return client


def key_of(place: ReviewRequest) -> int:
    return place.drawn_order.index(place.revision.options.get(is_key=True).position)


def look(cast: Cast, who: User, stage: str, **verdict: Any) -> None:
    place = claim_next(actor=who, project=cast.project, stage=stage)
    assert place is not None
    review = solve(actor=who, request=place, answer=Answer.OPTION, position=key_of(place))
    marks = [one == key_of(place) for one in range(place.option_count)]
    judge(actor=who, review=review, option_marks=marks, **verdict)


def verified(cast: Cast, **item: Any) -> Item:
    """An item that one reviewer and the verifier let stand; `reviewer` had nothing to do with it."""
    made = submit_item(cast, **item)
    look(cast, cast.reviewer2, Stage.CROSS_CHECK, disposition=Disposition.PASS, rating=2)
    look(cast, cast.verifier, Stage.VERIFICATION, disposition=Disposition.PASS)
    made.refresh_from_db()
    assert made.state == State.VERIFIED
    return made


def rejected(cast: Cast, **item: Any) -> Item:
    made = submit_item(cast, **item)
    flaws = [Flaw.TRIVIAL_DISTRACTOR]
    look(cast, cast.reviewer2, Stage.CROSS_CHECK, disposition=Disposition.REJECT, rating=0, flaws=flaws)
    made.refresh_from_db()
    assert made.state == State.REJECTED
    return made


def gold(cast: Cast, item: Item | None = None) -> GoldItem:
    item = item or verified(cast)
    known = settled(item)
    assert known is not None
    return make_gold(
        actor=cast.manager, item=item, content=known.content, expected=known.expected, lesson=LESSON
    )


def drawn(cast: Cast, who: User | None = None) -> GoldPlace:
    """The practice item that somebody gets, who may have to judge real ones first."""
    who = who or cast.reviewer
    for _attempt in range(20):
        place = next_place(actor=who, project=cast.project, stage=Stage.CROSS_CHECK)
        if isinstance(place, GoldPlace):
            return place
        assert place is not None, "nothing waits"
        review = solve(actor=who, request=place, answer=Answer.OPTION, position=key_of(place))
        judge(actor=who, review=review, disposition=Disposition.PASS, rating=2)
    raise AssertionError("no practice item in twenty places")


def right_place(place: GoldPlace) -> int:
    return place.drawn_order.index(place.gold.expected_positions[0])


def done(cast: Cast, place: GoldPlace, who: User | None = None) -> GoldPlace:
    """The place solved and judged rightly."""
    who = who or cast.reviewer
    place = solve_practice(actor=who, practice=place, answer="option", position=right_place(place))
    return judge_practice(actor=who, practice=place, disposition=Disposition.PASS, rating=2)


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


# --- not to be told from a real one ---


def plain(response: HttpResponseBase, pk: int) -> str:
    """The response without what differs between any two places: numbers, tokens, clocks."""
    kept = {name: value for name, value in response.headers.items() if name != "Content-Length"}
    text = f"{response.status_code} {sorted(kept)}\n{getattr(response, 'content', b'').decode()}"
    text = re.sub(r"write/story/\d+", "STORY", text)
    text = re.sub(rf'(review/|places/|"in_hand":){pk}\b', r"\1PK", text)
    text = re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": ")[^"]*', r"\1TOKEN", text)
    text = re.sub(r'"seconds_left":\d+', "LEFT", text)
    text = re.sub(r'data-user="\d+"', "USER", text)
    text = re.sub(r'value="1[78]\d\d" max', "LEFT max", text)
    text = re.sub(r"\d\d:\d\d(:\d\d\.\d+)?", "CLOCK", text)
    text = re.sub(r'data-(seconds|lease)[a-z-]*="\d+"', "LEASE", text)
    return re.sub(r"\b\d+ s\b", "SECONDS", text)


def walked(client: Client, slug: str, place: ReviewRequest | GoldPlace, key: int) -> list[str]:
    """Every page and answer that a reviewer sees of a place before the verdict."""
    at, pk = reverse("review:place", args=[slug, place.pk]), place.pk
    api = f"/api/v1/projects/{slug}/places/{pk}"
    answers = [
        client.get(reverse("review:queue", args=[slug])),
        client.get(at),
        client.get(f"/api/v1/projects/{slug}/queue/"),
        client.post(f"{api}/lease/"),
        client.put(f"{api}/words/", {"comment": "too early"}, content_type="application/json"),
        client.post(f"{at}/slip"),
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
        client.put(f"{api}/words/", {"comment": "some words"}, content_type="application/json"),
        client.post(f"{at}/undo"),
        client.post(f"{at}/postpone"),
        client.post(f"{at}/verdict", {"rating": 0, "disposition": "pass", "comment": "said"}),
        client.post(f"{at}/verdict", {"rating": 1, "disposition": "edit"}),
        client.post(f"{at}/slip"),
        client.get(at),
        client.get(reverse("review:queue", args=[slug])),
    ]
    return [plain(answer, pk) for answer in answers]


def test_it_cannot_be_told_from_a_real_place_before_the_verdict(cast: Cast) -> None:
    """The same words, once as a real item and once for practice: nothing else may differ."""
    story = make_story(cast, title="The Race", text="A hare and a tortoise.")
    other = make_story(cast, title="The Race", text="A hare and a tortoise ran.")
    item = verified(cast, story=story)
    submit_item(cast, story=other)
    submit_item(cast)
    slug, client = cast.project.slug, browser(cast.reviewer)
    real = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert real is not None
    ReviewRequest.objects.filter(pk=real.pk).update(drawn_order=[2, 1, 0, 3])
    seen_of_real = walked(client, slug, real, key=1)
    with pytest.raises(GoldPlace.DoesNotExist):
        GoldPlace.objects.get()

    twin = make_project(gold_rate=50)
    item = verified(twin, story=make_story(twin, title="The Race", text="A hare and a tortoise ran."))
    gold(twin, item)
    for _number in range(2):
        submit_item(twin)
    slug2, client2 = twin.project.slug, browser(twin.reviewer)
    practice = first_drawn(twin)
    GoldPlace.objects.filter(pk=practice.pk).update(drawn_order=[2, 1, 0, 3])
    seen_of_practice = walked(client2, slug2, practice, key=1)
    for real_page, practice_page in zip(seen_of_real, seen_of_practice, strict=True):
        assert practice_page.replace(slug2, slug) == real_page


def first_drawn(cast: Cast) -> GoldPlace:
    """A practice item as the very first place, whatever the draw says."""
    (one,) = practice_fits(cast.reviewer, cast.project)
    return practising._take(cast.reviewer, cast.project, one)


def test_its_number_is_one_of_the_numbers_of_places(cast: Cast) -> None:
    gold(cast)
    last = submit_item(cast).review_requests.get().pk
    place = first_drawn(cast)
    following = submit_item(cast).review_requests.get().pk
    assert last < place.pk < following


def test_nobody_elses_practice_item_exists(cast: Cast) -> None:
    gold(cast)
    submit_item(cast)
    place = first_drawn(cast)
    at = reverse("review:place", args=[cast.project.slug, place.pk])
    assert browser(cast.reviewer).get(at).status_code == 200
    for user in (cast.reviewer2, cast.writer, cast.verifier, cast.manager, cast.outsider):
        client = browser(user)
        assert client.get(at).status_code == 404
        assert client.post(f"{at}/answer", {"position": 0}).status_code == 404
        assert (
            client.post(f"/api/v1/projects/{cast.project.slug}/places/{place.pk}/lease/").status_code == 404
        )


# --- the lesson ---


def test_it_shows_the_lesson_after_the_verdict_and_keeps_it(cast: Cast) -> None:
    gold(cast)
    submit_item(cast)
    place = first_drawn(cast)
    client, slug = browser(cast.reviewer), cast.project.slug
    at = reverse("review:place", args=[slug, place.pk])
    assert LESSON not in client.get(at).content.decode()
    told = client.post(f"{at}/answer", {"position": right_place(place)}, follow=True).content.decode()
    assert LESSON not in told
    assert "practice" not in told.lower()
    after = client.post(f"{at}/verdict", {"rating": 2, "disposition": "pass"}, follow=True)
    shown = after.content.decode()
    assert "This was a practice item." in shown
    assert LESSON in shown
    place.refresh_from_db()
    assert place.lesson_seen_at is not None
    assert place.is_right
    lessons = client.get(reverse("review:lessons", args=[slug])).content.decode()
    assert LESSON in lessons
    assert at in lessons
    queue = client.get(reverse("review:queue", args=[slug])).content.decode()
    assert reverse("review:lessons", args=[slug]) in queue
    statistics = browser(cast.manager).get(reverse("review:gold", args=[slug])).content.decode()
    assert cast.reviewer.name in statistics
    taken = client.post(reverse("review:claim", args=[slug]))
    assert taken.headers["Location"] != at


def test_the_page_of_statistics_tells_each_reviewers_share(cast: Cast) -> None:

    gold(cast)
    submit_item(cast)
    submit_item(cast)
    done(cast, drawn(cast))
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition=Disposition.PASS, rating=2)
    count_statistics(project_id=cast.project.pk)
    page = browser(cast.manager).get(reverse("review:statistics", args=[cast.project.slug]))
    rows = {row["name"]: row["practice"] for row in page.context["shown"]["reviewers"]}
    assert rows[cast.reviewer.name].n == 1
    assert rows[cast.reviewer.name].text.startswith("100.0 %")
    assert rows[cast.reviewer2.name].n == 0


# --- counted and released nowhere ---


def counted(cast: Cast) -> list[object]:
    """All that is counted of a project's items and reviews."""
    project = cast.project
    rows = [list(rated_rows(project)), list(solved_rows(project)), list(worked_rows(project))]
    return [
        *rows,
        overlap(project),
        funnel(submitted_items(project)),
        Review.objects.count(),
        ReviewRequest.objects.count(),
        Item.objects.count(),
    ]


def test_it_is_counted_nowhere(cast: Cast) -> None:
    gold(cast)
    submit_item(cast)
    before = counted(cast)
    done(cast, first_drawn(cast))
    assert counted(cast) == before


def test_nothing_that_is_released_or_written_points_at_it() -> None:
    """No row of another app, and no other row of this one, names a practice item."""
    ours = {GoldItem, GoldPlace}
    pointing = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.is_relation and not field.auto_created and field.related_model in ours
    }
    assert pointing == {"review.GoldPlace.gold"}


def test_its_list_asks_as_much_of_the_database_for_thirty_as_for_three(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    item = verified(cast)
    for _number in range(3):
        gold(cast, item)
    client, address = browser(cast.manager), reverse("review:gold", args=[cast.project.slug])
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    for _number in range(27):
        gold(cast, item)
    with django_assert_num_queries(len(few)):
        client.get(address)
