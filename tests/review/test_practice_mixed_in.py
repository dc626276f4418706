"""Practice items: met like any other, a lesson later, counted nowhere."""

import re
from datetime import timedelta
from itertools import pairwise

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotation.models import Item
from annotation.queries.exposure import is_exposed
from annotation.services import record_exposure
from core.errors import Conflict, Hidden, Unusable
from corpus.services import confirm_group
from dashboard.queries.overview import funnel, submitted_items
from projects.services import update_project
from review.models import Disposition, PracticeItem, PracticeResult, Review, ReviewRequest, Stage
from review.queries import waiting
from review.queries.practice import Calibration, calibration, practice_fits
from review.queries.statistics import overlap, rated_rows, solved_rows, worked_rows
from review.services import (
    claim_next,
    count_statistics,
    mark_misclick,
    postpone_request,
    send_verdict,
    skip_request,
    solve,
    undo_verdict,
)
from review.tasks import sweep_verdicts
from tests.factories import Cast, make_project, make_story, submit_item
from tests.review.practice_cast import (
    LESSON,
    browser,
    done,
    drawn,
    first_drawn,
    key_of,
    look,
    practice_item,
    right_place,
    verified,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    """A project whose every second place is a practice item, as often as can be."""
    return make_project(gold_rate=50)


def test_the_count_of_what_waits_ends_at_the_same_number_beside_it(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("review.views.request_page.MOST_WAITING", 2)
    practice_item(cast)
    for _number in range(4):
        submit_item(cast)
    client = browser(cast.reviewer)

    def said(request: ReviewRequest | None) -> tuple[bool, list[str]]:
        assert request is not None
        page = client.get(reverse("review:request", args=[cast.project.slug, request.public_id]))
        return request.gold_id is not None, re.findall(r'<span id="more">(.*?)</span>', page.text)

    practice = first_drawn(cast)
    assert said(practice) == (True, ["More than 2 in the queue"])
    done(cast, practice)
    real = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert said(real) == (False, ["More than 2 in the queue"])


# --- undone ---


def test_a_verdict_on_it_can_be_undone_until_the_next_claim_and_is_scored_then(cast: Cast) -> None:
    practice_item(cast)
    submit_item(cast)
    place, client = first_drawn(cast), browser(cast.reviewer)
    at = reverse("review:request", args=[cast.project.slug, place.public_id])
    client.post(f"{at}/answer", {"position": right_place(place)})
    stays = {"rating": 2, "disposition": "pass", "stay": 1}
    judged = client.post(f"{at}/verdict", stays, follow=True).content.decode()
    assert "Undo verdict" in judged
    assert LESSON not in judged
    assert "Undo verdict" not in client.post(f"{at}/undo", follow=True).content.decode()
    client.post(f"{at}/verdict", stays | {"rating": 1})
    assert calibration(cast.project) == []
    assert client.post(reverse("review:claim", args=[cast.project.slug])).headers["Location"] != at
    assert [(row.n, row.right) for row in calibration(cast.project)] == [(1, 1)]
    assert client.post(f"{at}/undo").status_code == 409
    assert LESSON in client.get(at).content.decode()


def test_an_edit_of_it_is_shown_and_kept_like_any_other_when_it_is_undone(cast: Cast) -> None:
    practice_item(cast)
    place, client = first_drawn(cast), browser(cast.reviewer)
    at = reverse("review:request", args=[cast.project.slug, place.public_id])
    client.post(f"{at}/answer", {"position": right_place(place)})
    form = {"rating": 1, "disposition": "edit", "edit_stem": "Asked quite otherwise?", "stay": 1}
    form |= {f"edit_option_{n}": f"Option worded anew {n}" for n in range(len(place.drawn_order))}
    form |= {"edit_key": right_place(place), "edit_explanation": "Explained otherwise"}
    judged = client.post(f"{at}/verdict", form, follow=True).content.decode()
    assert "Your edit" in judged
    undone = client.post(f"{at}/undo", follow=True).content.decode()
    assert "Asked quite otherwise?</textarea>" in undone
    assert "Option worded anew 3</textarea>" in undone


def test_a_sent_verdict_on_it_is_scored_when_its_time_is_over(cast: Cast) -> None:
    practice_item(cast)
    submit_item(cast)
    place, client = first_drawn(cast), browser(cast.reviewer)
    at = reverse("review:request", args=[cast.project.slug, place.public_id])
    client.post(f"{at}/answer", {"position": right_place(place)})
    client.post(f"{at}/verdict", {"rating": 2, "disposition": "pass", "stay": 1})
    ReviewRequest.everything.filter(pk=place.pk).update(
        lease_expires_at=timezone.now() - timedelta(seconds=1)
    )
    assert LESSON in client.get(at).content.decode()


def test_a_sent_verdict_on_it_is_scored_though_nobody_comes_back(cast: Cast) -> None:
    practice_item(cast)
    place = first_drawn(cast)
    review = solve(actor=cast.reviewer, request=place, answer="option", position=right_place(place))
    send_verdict(actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2, final=False)
    sweep_verdicts()
    assert calibration(cast.project) == [], "it can still be undone"
    ReviewRequest.everything.filter(pk=place.pk).update(
        lease_expires_at=timezone.now() - timedelta(seconds=1)
    )
    for _twice in range(2):
        sweep_verdicts()
    assert [(row.n, row.right) for row in calibration(cast.project)] == [(1, 1)]
    with pytest.raises(Conflict):
        undo_verdict(actor=cast.reviewer, review=review)


# --- mixed in ---


def test_it_is_handed_out_in_place_of_a_real_one_and_never_twice_in_a_row(cast: Cast) -> None:
    for _number in range(3):
        practice_item(cast)
    for _number in range(8):
        submit_item(cast)
    kinds = []
    while request := claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK):
        kinds.append(request.gold is not None)
        if request.gold:
            done(cast, request)
        else:
            review = solve(actor=cast.reviewer, request=request, answer="option", position=key_of(request))
            send_verdict(actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2)
    assert kinds.count(True) == 3, "each once"
    assert kinds.count(False) == 8
    assert not any(first and second for first, second in pairwise(kinds))
    assert PracticeResult.objects.filter(is_right=True).count() == 3


def test_it_costs_nothing_while_the_rate_is_nought(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    made = practice_item(cast)
    update_project(actor=cast.manager, project=cast.project, changes={"gold_rate": 0})
    submit_item(cast)
    submit_item(cast)
    PracticeItem.objects.filter(pk=made.pk).update(retired_at=timezone.now())
    with CaptureQueriesContext(connection) as plain:
        claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    PracticeItem.objects.filter(pk=made.pk).update(retired_at=None)
    ReviewRequest.objects.filter(state="claimed").update(state="open", claimed_by=None)
    with django_assert_num_queries(len(plain)):
        claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    looked_for = [query["sql"].partition("WHERE")[2].partition("RETURNING")[0] for query in plain]
    assert not any("gold_id" in condition for condition in looked_for)


def test_it_is_not_given_where_nothing_else_waits(cast: Cast) -> None:
    practice_item(cast)
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None


def test_it_is_kept_from_who_wrote_judged_or_knows_the_moral(cast: Cast) -> None:
    made = practice_item(cast)
    assert practice_fits(cast.reviewer, cast.project) == [made.pk]
    assert practice_fits(cast.writer, cast.project) == []
    assert practice_fits(cast.reviewer2, cast.project) == []
    assert practice_fits(cast.verifier, cast.project) == []
    moral = practice_item(cast, verified(cast, task="moral"))
    assert set(practice_fits(cast.reviewer, cast.project)) == {made.pk, moral.pk}
    record_exposure(actor=cast.reviewer, story=moral.story)
    assert practice_fits(cast.reviewer, cast.project) == [made.pk]


def test_it_is_kept_from_who_knows_another_wording_of_its_story(cast: Cast) -> None:
    moral = practice_item(cast, verified(cast, task="moral"))
    other = make_story(cast, title="The hare again")
    record_exposure(actor=cast.reviewer, story=other)
    assert practice_fits(cast.reviewer, cast.project) == [moral.pk]
    confirm_group(actor=cast.manager, project=cast.project, stories=[moral.story_id, other.pk])
    assert practice_fits(cast.reviewer, cast.project) == []


def test_it_is_gone_on_with_held_again_put_off_and_skipped(cast: Cast) -> None:
    practice_item(cast)
    for _number in range(4):
        submit_item(cast)
    place = drawn(cast)
    again = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert again == place
    hand = waiting(cast.reviewer, cast.project, Stage.CROSS_CHECK)
    assert hand.mine is not None
    assert hand.mine.pk == place.pk
    ReviewRequest.everything.filter(gold__isnull=False).update(
        lease_expires_at=timezone.now() - timedelta(minutes=1)
    )
    again = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert again is not None
    assert again.lease_expires_at is not None
    assert (again.pk, again.lease_expires_at > timezone.now()) == (place.pk, True)
    postpone_request(actor=cast.reviewer, request=again)
    other = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert other is not None
    assert other.gold is None
    ReviewRequest.objects.filter(stage=Stage.CROSS_CHECK).exclude(state="done").update(
        state="closed", claimed_by=None
    )
    back = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert back == place, "it comes back when the others are done"
    with pytest.raises(Unusable):
        skip_request(actor=cast.reviewer, request=place, reason=" ")
    skip_request(actor=cast.reviewer, request=place, reason="I know this story")
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    with pytest.raises(Hidden):
        skip_request(actor=cast.reviewer, request=place, reason="again")


def test_it_takes_one_answer_and_one_verdict_of_its_reviewer_alone(cast: Cast) -> None:
    practice_item(cast)
    submit_item(cast)
    submit_item(cast)
    place = drawn(cast)
    verdict = reverse("review:verdict", args=[cast.project.slug, place.public_id])
    assert browser(cast.reviewer).post(verdict, {"disposition": "pass", "rating": 2}).status_code == 409
    with pytest.raises(Hidden):
        solve(actor=cast.reviewer2, request=place, answer="none_fits")
    with pytest.raises(Unusable):
        solve(actor=cast.reviewer, request=place, answer="option", position=9)
    wrong = (right_place(place) + 1) % 4
    review = solve(actor=cast.reviewer, request=place, answer="option", position=wrong)
    review = solve(actor=cast.reviewer, request=place, answer="none_fits")
    assert review.answer == "option"
    with pytest.raises(Unusable):
        send_verdict(actor=cast.reviewer, review=review, disposition="pass", rating=0)
    mark_misclick(actor=cast.reviewer, review=review)
    review = send_verdict(actor=cast.reviewer, review=review, disposition="pass", rating=2)
    found = {"answer": None, "rating": True, "flaws": True, "disposition": True}
    assert review.result.findings == found
    with pytest.raises(Conflict):
        send_verdict(actor=cast.reviewer, review=review, disposition="pass", rating=2)
    assert calibration(cast.project) == [Calibration(cast.reviewer.pk, cast.reviewer.name, 1, 1)]


def test_a_moral_one_costs_its_reviewer_the_blindness_to_its_siblings(cast: Cast) -> None:
    moral = practice_item(cast, verified(cast, task="moral"))
    submit_item(cast)
    submit_item(cast)
    place = drawn(cast)
    assert not is_exposed(cast.reviewer, moral.story, "moral")
    done(cast, place)
    assert is_exposed(cast.reviewer, moral.story, "moral")


# --- the lesson ---


def test_it_shows_the_lesson_after_the_verdict_and_keeps_it(cast: Cast) -> None:
    practice_item(cast)
    submit_item(cast)
    place = first_drawn(cast)
    client, slug = browser(cast.reviewer), cast.project.slug
    at = reverse("review:request", args=[slug, place.public_id])
    assert LESSON not in client.get(at).content.decode()
    page = client.post(f"{at}/answer", {"position": right_place(place)}, follow=True).content.decode()
    assert LESSON not in page
    assert "practice" not in page.lower()
    after = client.post(f"{at}/verdict", {"rating": 2, "disposition": "pass"}, follow=True)
    shown = after.content.decode()
    assert "This was a practice item." in shown
    assert LESSON in shown
    result = PracticeResult.objects.get()
    assert result.lesson_seen_at is not None
    assert result.is_right
    lessons = client.get(reverse("review:practice_results", args=[slug])).content.decode()
    assert LESSON in lessons
    assert at in lessons
    queue = client.get(reverse("review:queue", args=[slug])).content.decode()
    assert reverse("review:practice_results", args=[slug]) in queue
    statistics = browser(cast.manager).get(reverse("review:practice", args=[slug])).content.decode()
    assert cast.reviewer.name in statistics
    taken = client.post(reverse("review:claim", args=[slug]))
    assert taken.headers["Location"] != at


def test_the_page_of_statistics_shows_each_reviewers_share(cast: Cast) -> None:

    practice_item(cast)
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
    practice_item(cast)
    submit_item(cast)
    before = counted(cast)
    done(cast, first_drawn(cast))
    assert counted(cast) == before


def test_nothing_that_is_released_or_written_points_at_it() -> None:
    """No row of another app, and no other row of this one, names a practice item."""
    ours = {PracticeItem, PracticeResult}
    pointing = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.is_relation and not field.auto_created and field.related_model in ours
    }
    assert pointing == {"review.ReviewRequest.gold"}


def test_its_list_asks_as_much_of_the_database_for_seven_as_for_three(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    item = verified(cast)
    for _number in range(3):
        practice_item(cast, item)
    client, address = browser(cast.manager), reverse("review:practice", args=[cast.project.slug])
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    for _number in range(4):
        practice_item(cast, item)
    with django_assert_num_queries(len(few)):
        client.get(address)
