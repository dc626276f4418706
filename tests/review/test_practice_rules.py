"""Rules of a manager: practice before real work, and a pause below a mark."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.services import system_account
from projects.models import Pause
from projects.queries import pause_of
from projects.services import resume_member, update_project
from review import practice
from review.models import Answer, Disposition, Stage
from review.practice import LEAST_JUDGED, is_below_mark
from review.queries.practice import last_results, practice_of
from review.services import claim_next, send_verdict, solve
from tests.factories import Cast, make_project, submit_item
from tests.review.practice_cast import practice_item, right_place


@pytest.mark.parametrize(
    ("right", "wrong", "mark", "below"),
    [
        (7, 3, 70, False),
        (6, 4, 70, True),
        (0, 10, 1, True),
        (0, 10, 0, False),
        (0, 9, 70, False),
        (10, 0, 100, False),
        (9, 1, 100, True),
    ],
)
def test_the_last_ten_practice_items_decide_against_the_mark(
    right: int, wrong: int, mark: int, below: bool
) -> None:
    assert is_below_mark([True] * right + [False] * wrong, mark) is below
    assert LEAST_JUDGED == 10


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project(practice_first=2)


def take(cast: Cast, who: User, *, right: bool = True) -> bool:
    """Judge the next item; return whether it is practice."""
    request = claim_next(actor=who, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    if request.gold is None:
        position = request.drawn_order.index(request.revision.options.get(is_key=True).position)
    else:
        position = right_place(request) if right else (right_place(request) + 1) % request.option_count
    review = solve(actor=who, request=request, answer=Answer.OPTION, position=position)
    send_verdict(actor=who, review=review, disposition=Disposition.PASS, rating=2)
    return request.gold is not None


def make_practice(cast: Cast, n: int) -> None:
    for _n in range(n):
        practice_item(cast)


def test_the_first_items_of_a_reviewer_are_practice_even_at_a_rate_of_0(cast: Cast) -> None:
    update_project(actor=cast.manager, project=cast.project, changes={"practice_first": 0})
    make_practice(cast, 3)
    for _n in range(3):
        submit_item(cast)
    update_project(actor=cast.manager, project=cast.project, changes={"practice_first": 2})
    assert [take(cast, cast.reviewer) for _n in range(4)] == [True, True, False, False]


def test_with_fewer_practice_items_than_required_real_ones_follow(cast: Cast) -> None:
    update_project(actor=cast.manager, project=cast.project, changes={"practice_first": 0})
    make_practice(cast, 1)
    submit_item(cast)
    submit_item(cast)
    update_project(actor=cast.manager, project=cast.project, changes={"practice_first": 20})
    assert [take(cast, cast.reviewer) for _n in range(2)] == [True, False]


def test_below_the_mark_a_reviewer_is_paused_and_starts_anew_when_resumed(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice, "LEAST_JUDGED", 2)
    monkeypatch.setattr("review.services.practice.LEAST_JUDGED", 2)
    update_project(actor=cast.manager, project=cast.project, changes={"practice_first": 0})
    make_practice(cast, 4)
    for _n in range(3):
        submit_item(cast)
    changes = {"practice_first": 20, "practice_mark": 60}
    update_project(actor=cast.manager, project=cast.project, changes=changes)
    assert take(cast, cast.reviewer, right=True)
    assert pause_of(cast.project, cast.reviewer) is None
    assert take(cast, cast.reviewer, right=False)
    begun = pause_of(cast.project, cast.reviewer)
    assert begun is not None
    assert begun.by == system_account()
    assert "1 of the last 2" in begun.reason
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    resume_member(actor=cast.manager, project=cast.project, user=cast.reviewer)
    assert last_results(cast.reviewer, cast.project, 10) == []
    assert take(cast, cast.reviewer, right=False)
    assert pause_of(cast.project, cast.reviewer) is None, "one result says nothing yet"
    found = practice_of(cast.project, [cast.reviewer.pk])[cast.reviewer.pk]
    assert (found.right, found.n) == (1, 3)


def test_without_a_mark_nobody_is_paused(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "LEAST_JUDGED", 1)
    monkeypatch.setattr("review.services.practice.LEAST_JUDGED", 1)
    update_project(actor=cast.manager, project=cast.project, changes={"practice_first": 0})
    make_practice(cast, 1)
    submit_item(cast)
    update_project(actor=cast.manager, project=cast.project, changes={"practice_first": 1})
    assert take(cast, cast.reviewer, right=False)
    assert not Pause.objects.exists()
