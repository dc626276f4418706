"""People judge answers that give reasons: grades, failings, their tables, and the ranking by grades."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from annotation.models import KeyExposure
from core.errors import Forbidden, Unusable
from evaluation.models import Judgement, Response, ResultTables, Run
from evaluation.queries.judgement import explained, graded_reasons, next_to_judge
from evaluation.queries.leaderboard import boards
from evaluation.queries.result import tables_of
from evaluation.services import judge_answer
from parable.psychometrics.results.tables import Table
from projects.models import Role
from projects.services import set_roles
from release.models import Release, ReleaseItem
from tests.evaluation.measuring import brought, signed_in
from tests.factories import Cast, make_user
from tests.kinds.released import released_project
from tests.release.made import RECIPE, built
from tests.shared_rows import shared_rows

SCENES = "scene_pairs"
EACH = 4


@pytest.fixture(scope="module")
def _made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[Cast, Release]]:
    def make() -> tuple[Cast, Release]:
        cast = released_project(EACH, [SCENES])
        return cast, built(cast, recipe=RECIPE)

    with shared_rows(django_db_blocker, make) as made:
        yield made


@pytest.fixture
def made(_made: tuple[Cast, Release], db: None) -> tuple[Cast, Release]:
    return deepcopy(_made)


def answered(
    cast: Cast, release: Release, name: str, *, right: int, reason: str = "因为墙上与墙下不同。"
) -> Run:
    """The imported answers of a model: so many right, the rest wrong, each with a reason, if there is one."""
    rows = []
    for at, item in enumerate(ReleaseItem.objects.filter(release=release).order_by("number")):
        same = item.record["own"]["same"]
        said = {"same": same if at < right else not same} | ({"reason": reason} if reason else {})
        text = json.dumps(said, ensure_ascii=False)
        rows.append({"model": name, "item_id": item.public_id, "repeat": 1, "text": text})
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return brought(release, cast.manager, data, f"{name}.jsonl")[0]


def second_manager(cast: Cast) -> Any:
    other = make_user("Second")
    set_roles(actor=cast.manager, project=cast.project, user=other, roles=[Role.MANAGER])
    return other


def tables(release: Release, *runs: Run) -> dict[str, Table]:
    return {one.code: one for one in tables_of(ResultTables(release=release, split="both"), runs)}


def test_reasons_of_right_answers_get_grades_and_others_only_failings(made: tuple[Cast, Release]) -> None:
    cast, release = made
    answered(cast, release, "m", right=1)
    right, wrong, *_rest = (
        explained(release).order_by("-correct", "pk").select_related("item", "run__release__project")
    )
    for grade in (None, -1, 6):
        with pytest.raises(Unusable) as refused:
            judge_answer(actor=cast.manager, response=right, grade=grade)
        assert list(refused.value.fields) == ["grade"]
    with pytest.raises(Unusable):
        judge_answer(actor=cast.manager, response=wrong, grade=3)
    with pytest.raises(Unusable):
        judge_answer(actor=cast.manager, response=wrong, grade=None, failings=["boring"])
    judge_answer(actor=cast.manager, response=right, grade=2)
    judge_answer(actor=cast.manager, response=right, grade=4, failings=["shallow", "motives"])
    judge_answer(actor=cast.manager, response=wrong, grade=None, failings=["surface"])
    kept = {one.response_id: (one.grade, one.failings) for one in Judgement.objects.all()}
    assert kept == {right.pk: (4, ["motives", "shallow"]), wrong.pk: (None, ["surface"])}
    with pytest.raises(Forbidden):
        judge_answer(actor=cast.reviewer, response=right, grade=2)


def test_the_database_knows_the_failings(made: tuple[Cast, Release]) -> None:
    cast, release = made
    answered(cast, release, "m", right=1)
    one = explained(release).first()
    assert one is not None
    with pytest.raises(IntegrityError), transaction.atomic():
        Judgement.objects.create(response=one, rater=cast.manager, failings=["boring"])


def test_two_people_grade_each_reason_and_nobody_twice(made: tuple[Cast, Release]) -> None:
    cast, release = made
    for name in ("a", "b"):
        answered(cast, release, name, right=2)
    answered(cast, release, "short", right=2, reason="")
    seen: dict[str, list[int]] = {}
    for rater in (cast.manager, second_manager(cast)):
        while (one := next_to_judge(rater, release)) is not None:
            one = explained(release).select_related("item", "run__release__project").get(pk=one.pk)
            judge_answer(actor=rater, response=one, grade=3 if one.correct else None)
            seen.setdefault(rater.username, []).append(one.pk)
    first, second = seen.values()
    assert len(first) == len(set(first)) == 2 * EACH, "those without a reason are left out"
    assert sorted(second) == sorted(
        Response.objects.filter(run__examinee__name__in="ab", correct=True).values_list("pk", flat=True)
    )
    runs = Response.objects.in_bulk(first)
    order = [runs[pk].run_id for pk in first]
    assert order != sorted(order), "the runs are mixed"


def grade_all(cast: Cast, release: Release, grades: tuple[int, int]) -> None:
    for rater, grade in zip((cast.manager, second_manager(cast)), grades, strict=True):
        for one in explained(release).select_related("item", "run__release__project").filter(correct=True):
            judge_answer(actor=rater, response=one, grade=grade)


def test_a_score_is_the_mean_grade_of_right_answers_over_all_items(made: tuple[Cast, Release]) -> None:
    cast, release = made
    good, poor = answered(cast, release, "good", right=3), answered(cast, release, "bare", right=2, reason="")
    assert "reasons" not in tables(release, good, poor)
    found = {cell[0]: one for cell, one in graded_reasons([good, poor]).items()}
    assert sum(one.right for cell, one in graded_reasons([good]).items()) == 3
    assert found[good.pk].points is None
    one = explained(release).select_related("item", "run__release__project").filter(correct=True)[0]
    judge_answer(actor=cast.manager, response=one, grade=5, failings=["shallow"])
    half = {row.cells[0]: row.cells for row in tables(release, good, poor)["reasons"].rows}
    assert half["good"][2:] == (EACH, 3, 0, (None, None, None)), "one grade of two"
    Judgement.objects.all().delete()
    grade_all(cast, release, (5, 2))
    rows = {row.cells[0]: row.cells for row in tables(release, good, poor)["reasons"].rows}
    assert rows["good"][2:5] == (EACH, 3, 3)
    share = rows["good"][5]
    assert isinstance(share, tuple)
    assert share[0] == pytest.approx(3 * 3.5 / 5 / EACH)
    assert share[1:] == (None, None)
    assert rows["bare"][2:] == (EACH, 2, 0, (0.0, None, None)), "no reason: 0"


def test_failings_count_once_for_each_answer(made: tuple[Cast, Release]) -> None:
    cast, release = made
    run = answered(cast, release, "m", right=2)
    known = list(explained(release).select_related("item", "run__release__project").order_by("pk"))
    other = second_manager(cast)
    for rater, failings in ((cast.manager, ["shallow", "surface"]), (other, ["shallow", "unfaithful"])):
        judge_answer(actor=rater, response=known[0], grade=3 if known[0].correct else None, failings=failings)
    judge_answer(actor=other, response=known[1], grade=3 if known[1].correct else None)
    (row,) = tables(release, run)["failings"].rows
    assert row.cells == ("m", SCENES, 2, 1, 0, 1, 1)


def test_a_task_is_ranked_by_grades_once_all_reasons_are_graded(made: tuple[Cast, Release]) -> None:
    cast, release = made
    answered(cast, release, "right", right=EACH, reason="墙")
    answered(cast, release, "half", right=2, reason="灯")
    assert {one.measure for one in boards(release)} == {"accuracy"}
    grade_all(cast, release, (1, 1))
    assert {one.measure for one in boards(release)} == {"grades"}
    for board in boards(release):
        for one in board.standings:
            assert one.accuracy <= 0.2 + 1e-9
            assert one.low <= one.accuracy <= one.high


def test_a_manager_judges_one_answer_after_another_without_its_examinees_name(
    made: tuple[Cast, Release],
) -> None:
    cast, release = made
    answered(cast, release, "secret-model", right=EACH)
    other = second_manager(cast)
    manager = signed_in(other)
    address = reverse("evaluation:assess", args=[cast.project.slug, release.version])
    assert not KeyExposure.objects.filter(user=other).exists()
    page = manager.get(address).content.decode()
    assert "secret-model" not in page
    assert "the bare difference" in page
    assert "shallow" in page
    assert KeyExposure.objects.filter(user=other).exists()
    one = next_to_judge(other, release)
    assert one is not None
    assert f'value="{one.pk}"' in page
    assert manager.post(address, {"response": one.pk, "failings": ["shallow"]}).status_code == 400
    sent = {"response": one.pk, "grade": "3", "failings": ["shallow"]}
    assert manager.post(address, sent).status_code == 302
    assert Judgement.objects.get().failings == ["shallow"]
    assert manager.post(address, {"response": "0", "grade": "3"}).status_code == 404
    while (left := next_to_judge(other, release)) is not None:
        manager.post(address, {"response": left.pk, "grade": "5"})
    assert "No answers left to assess." in manager.get(address).content.decode()
    for person, status in ((cast.writer, 403), (cast.reviewer, 403), (make_user("Eve"), 404)):
        client = Client()
        client.force_login(person)
        assert client.get(address).status_code == status
