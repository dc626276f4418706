"""A shared task on items of every kind: its page opens, and answers are scored as the kind scores them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from evaluation.models import Run
from parable.formats.kind_files import LAYOUTS
from parable.kinds import kind_of
from release.models import Release, ReleaseItem, UploadState
from release.services import invite_team, score_upload, upload_responses
from tests.factories import PASSWORD, Cast
from tests.kinds.released import OWN, released_project
from tests.release.made import ALLOWED, built
from tests.shared_rows import shared_rows
from tests.work import work_off

pytestmark = pytest.mark.django_db

EACH = 14
"""Items a kind: at least five are in test, which is the smallest step."""


@pytest.fixture(scope="module")
def _made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[Cast, Release]]:
    def make() -> tuple[Cast, Release]:
        cast = released_project(EACH)
        return cast, built(cast, seed=None, recipe=replace(ALLOWED, withhold_test=True))

    with shared_rows(django_db_blocker, make) as made:
        yield made


@pytest.fixture
def made(_made: tuple[Cast, Release], db: None) -> tuple[Cast, Release]:
    cache.clear()
    return deepcopy(_made)


def lines(release: Release, *, right: bool) -> bytes:
    """Answers to every test item as text, all of them the item's own or all another one."""
    rows = []
    for item in ReleaseItem.objects.filter(release=release, split="test").order_by("number"):
        sample = OWN[item.record["task"]]
        question = kind_of(sample.task).question
        other = item.record | {"own": {**question.asked_of(item.record), **sample.other}}
        text = question.words(item.record if right else other)
        rows.append({"model": "m", "item_id": item.public_id, "repeat": 1, "text": text})
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def totals(cast: Cast, release: Release, *, right: bool) -> dict[str, Any]:
    team = invite_team(actor=cast.manager, release=release, name=f"Lab {right}", per_week=2)
    sent = upload_responses(token=team.token, content=lines(release, right=right))
    upload = score_upload(upload_id=sent.pk)
    assert upload.state == UploadState.DONE, upload.refusal
    return dict(upload.totals)


def test_it_shows_the_teams_of_a_release_without_options(made: tuple[Cast, Release]) -> None:
    cast, release = made
    client = Client()
    assert client.login(username=cast.manager.username, password=PASSWORD)
    page = client.get(reverse("release:teams", args=[cast.project.slug, release.version]))
    assert page.status_code == 200


def test_it_scores_answers_of_every_kind_by_its_scorer(made: tuple[Cast, Release]) -> None:
    cast, release = made
    right, wrong = totals(cast, release, right=True), totals(cast, release, right=False)
    assert set(right) == set(OWN)
    for task, total in right.items():
        whole = total["n"] // 5 * 5 / total["n"]
        assert total["accuracy"] == round(whole, 4), task
        assert wrong[task]["accuracy"] < total["accuracy"], task


def test_a_team_sends_predictions_in_a_published_layout(made: tuple[Cast, Release]) -> None:
    """By the ids with which the items came; the team is the model. Its host imports them to be ranked."""
    cast, _release = made
    layout = LAYOUTS["space2023-1"]
    only = built(
        cast,
        seed=None,
        version="2.0.0",
        recipe=replace(ALLOWED, withhold_test=True, tasks=("anomaly_spans",)),
    )
    published = kind_of("anomaly_spans").published
    assert published is not None
    found = ReleaseItem.objects.filter(release=only, split="test").order_by("number")
    records = [published.value({**one.record, "id": one.record["source_id"]}) for one in found]
    sent = "".join(json.dumps(layout.write(one)) + "\n" for one in records).encode()
    team = invite_team(actor=cast.manager, release=only, name="Lab of Names", per_week=2)
    upload = score_upload(upload_id=upload_responses(token=team.token, content=sent).pk)
    assert (upload.state, upload.examinee) == (UploadState.DONE, "Lab of Names")
    assert upload.totals["anomaly_spans"]["accuracy"] == round(len(records) // 5 * 5 / len(records), 4)

    client = Client()
    assert client.login(username=cast.manager.username, password=PASSWORD)
    address = reverse("evaluation:import_team_upload", args=[cast.project.slug, upload.pk])
    page = client.get(reverse("release:teams", args=[cast.project.slug, "2.0.0"])).content.decode()
    assert address in page
    answer = client.post(address)
    assert answer.status_code == 302
    work_off()
    run = Run.objects.get(release=only)
    assert (run.examinee.name, run.split, run.asked) == ("Lab of Names", "test", len(records))
    assert all(one.score == 1.0 for one in run.responses.all())
    assert client.login(username=cast.writer.username, password=PASSWORD)
    assert client.post(address).status_code in {403, 404}
