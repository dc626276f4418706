"""What a verdict must have before it is taken: the table of stages, ratings, flaws and words. No database."""

from collections.abc import Sequence

import pytest

from core.errors import Unusable
from projects.models import Project
from review.models import ReviewRequest, Stage
from review.services.verdict import check_verdict


def refused(
    stage: str,
    disposition: str,
    rating: int | None,
    flaws: Sequence[str] = (),
    comment: str = "",
    *,
    pass_rating: int = 1,
    max_rating: int = 2,
) -> set[str]:
    """The fields that keep this verdict from being taken."""
    project = Project(pass_rating=pass_rating, max_rating=max_rating)
    try:
        check_verdict(
            ReviewRequest(project=project, stage=stage, task="commonsense"),
            disposition,
            rating,
            flaws,
            comment,
            None,
        )
    except Unusable as error:
        return set(error.fields)
    return set()


@pytest.mark.parametrize(
    ("pass_rating", "rating", "is_refused"),
    [
        (0, 0, False),
        (1, 0, True),
        (1, 1, False),  # the mark itself
        (1, 2, False),
        (2, 0, True),
        (2, 1, True),
        (2, 2, False),
    ],
)
def test_an_item_rated_below_the_mark_is_not_passed(pass_rating: int, rating: int, is_refused: bool) -> None:
    given = refused(Stage.CROSS_CHECK, "pass", rating, ["language"], pass_rating=pass_rating)
    assert given == ({"disposition"} if is_refused else set())
    for disposition in ("return", "reject"):  # these may come with any rating
        assert refused(Stage.CROSS_CHECK, disposition, rating, ["language"], pass_rating=pass_rating) == set()


@pytest.mark.parametrize(
    ("stage", "disposition", "rating", "flaws", "comment", "fields"),
    [
        ("cross_check", "pass", 2, (), "", set()),
        ("cross_check", "pass", None, (), "", {"rating"}),
        ("cross_check", "pass", -1, (), "", {"rating"}),
        ("cross_check", "pass", 3, (), "", {"rating"}),
        ("cross_check", "return", 0, (), "Why.", {"flaws"}),
        ("cross_check", "return", 0, ("language",), "Why.", set()),
        ("cross_check", "return", 1, (), "Why.", set()),
        ("cross_check", "return", 1, (), " ", {"comment"}),
        ("cross_check", "return", 1, ("language",), "", set()),
        ("cross_check", "reject", 1, (), "", {"comment"}),
        ("cross_check", "reject", 1, ("other",), "", {"comment"}),
        ("cross_check", "reject", 1, ("other", "language"), "", set()),
        ("cross_check", "reject", 1, ("other",), "It is a joke.", set()),
        ("cross_check", "reject", 1, ("beauty",), "Why.", {"flaws"}),
        ("cross_check", "edit", 1, (), "", {"edit"}),
        ("cross_check", "send_on", 1, (), "", {"disposition"}),
        ("cross_check", "", 1, (), "", {"disposition"}),
        ("verification", "pass", None, (), "", set()),
        ("verification", "return", None, (), "", {"comment"}),
        ("verification", "reject", None, (), "Why.", set()),
        ("verification", "edit", None, (), "", {"disposition", "edit"}),
        ("verification", "pass", None, ("beauty",), "", {"flaws"}),
    ],
)
def test_a_verdict_says_what_it_must(
    stage: str, disposition: str, rating: int | None, flaws: Sequence[str], comment: str, fields: set[str]
) -> None:
    assert refused(stage, disposition, rating, flaws, comment) == fields


@pytest.mark.parametrize(("highest", "rating", "is_taken"), [(2, 2, True), (4, 4, True), (4, 5, False)])
def test_it_takes_ratings_up_to_the_highest(highest: int, rating: int, is_taken: bool) -> None:
    assert (refused(Stage.CROSS_CHECK, "pass", rating, max_rating=highest) == set()) is is_taken
