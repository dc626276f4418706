"""Grades and ratings on scales of their own: who gives them, what passes, and what they come to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import State
from core.errors import Unusable
from review.figures import Scaled, ScaleFigures, scale_figures
from review.models import Disposition, Flaw, ReviewRequest, ReviewStatistics, Stage, flaws_of
from review.services import claim_next, send_verdict, solve
from review.services.statistics import count_statistics
from tests.factories import Cast
from tests.kinds.marked import OTHER, WRITTEN, marks_project, submit_marks
from tests.kinds.samples import SAMPLES

pytestmark = pytest.mark.django_db

SCENE = SAMPLES["scene_pairs"]
NARRATIVE = SAMPLES["proverb_narratives"]
GOOD = {"relatedness": 5, "interesting": 2, "fluency": 4, "overall": 3}


def rate(cast: Cast, sample: Any, who: Any, **verdict: Any) -> Any:
    request = claim_next(actor=who, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    review = solve(actor=who, request=request, **sample.answer_to(request))
    return send_verdict(actor=who, review=review, **{"disposition": Disposition.PASS, **verdict})


def test_two_people_grade_a_scene_and_neither_sees_the_other(client: Client) -> None:
    cast = SCENE.project()
    item = SCENE.submit(cast)
    assert ReviewRequest.objects.filter(item=item, stage=Stage.CROSS_CHECK).count() == 2
    rate(cast, SCENE, cast.reviewer, rating=5, comment="Well said indeed.")
    item.refresh_from_db()
    assert item.state == State.IN_REVIEW
    request = claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    solve(actor=cast.reviewer2, request=request, **SCENE.answer_to(request))
    client.force_login(cast.reviewer2)
    page = client.get(reverse("review:request", args=[cast.project.slug, request.public_id]))
    assert "Well said indeed." not in page.content.decode()
    assert cast.reviewer.name not in page.content.decode()


@pytest.mark.parametrize(
    ("grades", "state"),
    [((3, 3), State.IN_VERIFICATION), ((5, 4), State.IN_VERIFICATION)],
)
def test_grades_from_the_bare_difference_on_pass(grades: tuple[int, int], state: State) -> None:
    cast = SCENE.project()
    item = SCENE.submit(cast)
    for person, grade in zip((cast.reviewer, cast.reviewer2), grades, strict=True):
        rate(cast, SCENE, person, rating=grade)
    item.refresh_from_db()
    assert item.state == state


@pytest.mark.parametrize(("rating", "field"), [(2, "disposition"), (6, "rating"), (None, "rating")])
def test_a_lower_grade_cannot_pass_and_another_is_none(rating: int | None, field: str) -> None:
    cast = SCENE.project()
    SCENE.submit(cast)
    with pytest.raises(Unusable) as refused:
        rate(cast, SCENE, cast.reviewer, rating=rating)
    assert field in refused.value.fields


@pytest.mark.parametrize(
    ("ratings", "field"),
    [
        (GOOD, None),
        ({**GOOD, "overall": 2}, "disposition"),
        ({**GOOD, "fluency": 6}, "rating_fluency"),
        ({**GOOD, "fluency": 0}, "rating_fluency"),
        ({"overall": 5}, "rating_relatedness"),
        ({}, "rating_relatedness"),
    ],
)
def test_a_narrative_is_rated_by_each_criterion_and_passes_by_the_whole(
    ratings: dict[str, int], field: str | None
) -> None:
    cast = NARRATIVE.project()
    NARRATIVE.submit(cast)
    if field is None:
        review = rate(cast, NARRATIVE, cast.reviewer, ratings=ratings)
        assert review.rating == ratings["overall"]
        assert dict(review.ratings.values_list("criterion", "value")) == ratings
        return
    with pytest.raises(Unusable) as refused:
        rate(cast, NARRATIVE, cast.reviewer, ratings=ratings)
    assert field in refused.value.fields


def test_the_mean_of_two_grades_is_scaled_to_a_hundred() -> None:
    rows = [
        Scaled("scene_pairs", "", revision, value) for revision, value in ((1, 5), (1, 4), (2, 0), (2, 3))
    ]
    (found,) = scale_figures(rows)
    assert found == ScaleFigures("scene_pairs", "", 2, 4, 3.0, 0.5, 60.0)


def test_ratings_by_criteria_come_to_means_and_agreement_on_good_and_poor() -> None:
    rows = [
        Scaled("proverb_narratives", criterion, revision, value)
        for criterion, values in {"overall": (3, 2), "fluency": (5, 3)}.items()
        for revision, value in zip((1, 1), values, strict=True)
    ]
    fluency, overall = scale_figures(rows)
    assert (fluency.criterion, fluency.mean, fluency.agreement) == ("fluency", 4.0, 1.0)
    assert overall == replace(fluency, criterion="overall", mean=2.5, agreement=0.0)
    assert overall.score is None


def test_the_page_of_agreement_has_the_statistics_of_the_kind(client: Client) -> None:
    cast = marks_project()
    submit_marks(cast, WRITTEN, OTHER)
    count_statistics(project_id=cast.project.pk)
    found = ReviewStatistics.objects.get().figures["kinds"]["anomaly_spans"]
    assert {"name": "alternatives by roles", "of": "S1 P1 E1", "value": 2} in found
    client.force_login(cast.manager)
    page = client.get(reverse("review:statistics", args=[cast.project.slug])).content.decode()
    assert "S1 P1 E1" in page
    assert "characters in a text" in page


def test_the_page_of_agreement_shows_them_apart_from_the_projects_scale(client: Client) -> None:
    cast = SCENE.project()
    SCENE.submit(cast)
    for person, grade in ((cast.reviewer, 5), (cast.reviewer2, 4)):
        rate(cast, SCENE, person, rating=grade)
    count_statistics(project_id=cast.project.pk)
    figures = ReviewStatistics.objects.get().figures
    assert figures["scales"][0]["score"] == 90.0
    assert figures["agreement"][""]["ratings"] == 0
    client.force_login(cast.manager)
    page = client.get(reverse("review:statistics", args=[cast.project.slug])).content.decode()
    assert "90.0" in page
    assert "figure=twice&amp;task=scene_pairs" not in page, "its marks are not on the project's scale"


@pytest.mark.parametrize(
    ("task", "has"), [("commonsense", True), ("moral", False), ("cloze", False), ("true_false", False)]
)
def test_a_task_without_common_sense_has_no_such_fault(task: str, has: bool) -> None:
    found = flaws_of(task)
    assert ({Flaw.WRONG_TYPE, Flaw.NOT_COMMON_SENSE} <= set(found)) is has
    assert {Flaw.NO_RIGHT_OPTION, Flaw.OTHER} <= set(found)
