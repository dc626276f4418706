"""Teams outside the project: their responses are scored in totals alone, so many a week."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from html import unescape
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from accounts.models import AuditEvent
from core.errors import Conflict, Forbidden, Hidden, Unusable
from jobs.tasks import sweep_jobs
from parable.formats.responses import ResponseRecord
from projects.models import Membership
from release.models import Release, ReleaseItem, Team, Upload, UploadState
from release.queries.team import SCORE, refusal_of, scored_on
from release.score import Keyed, provable_keys, score, step_of
from release.services import (
    Invited,
    invite_team,
    limit_uploads,
    revoke_team,
    score_upload,
    upload_responses,
    withdraw_release,
)
from release.services.team import LONGEST_NAME, MOST_A_WEEK, MOST_IN_ALL
from tests.factories import Cast, make_project
from tests.release.made import ALLOWED, bring, built, records
from tests.release.probing import Answers, Prober, probe_rounded, right
from tests.shared_rows import shared_rows
from tests.work import do_work

SECRET = replace(ALLOWED, withhold_test=True)


def keyed(n: int) -> list[Keyed]:
    return [Keyed(f"x-m-{number}", "moral", ("a", "b", "c", "d"), number % 4) for number in range(n)]


def answers(items: list[Keyed], right: int) -> Iterator[ResponseRecord]:
    for index, item in enumerate(items):
        choice = item.answer if index < right else (item.answer + 1) % 4
        yield ResponseRecord("m", item.id, 1, 0, None, None, choice, None)


@pytest.mark.parametrize(("n", "step"), [(34, 5), (100, 5), (101, 6), (1056, 17)])
def test_it_shows_accuracy_in_steps_of_a_standard_error_of_five_items_or_more(n: int, step: int) -> None:
    assert step_of(n) == step


@pytest.mark.parametrize(
    ("right", "best", "shown", "is_better"),
    [
        (24, None, 20, True),
        (25, None, 25, True),
        (24, 20, 20, False),
        (25, 20, 25, True),
        (19, 20, 20, False),
        (0, 20, 20, False),
        (34, 20, 30, True),
        (40, 30, 40, True),
    ],
)
def test_it_shows_the_best_so_far_rounded_down_to_a_step(
    right: int, best: int | None, shown: int, is_better: bool
) -> None:
    items = keyed(40)
    before = {} if best is None else {"moral": round(best / 40, 4)}
    totals = score(answers(items, right), items, before)
    assert totals == {
        "moral": {
            "n": 40, "unparsed": 0, "accuracy": round(shown / 40, 4), "step": 0.125, "is_better": is_better
        }
    }  # fmt: skip


@pytest.mark.parametrize(
    ("n", "caps", "in_all", "most"),
    [
        (69, [10], 40, 14),
        (69, [10] * 4, 40, 44),
        (69, [40], 40, 24),
        (69, [1] * 40, 40, 69),
        (69, [10], 0, 4),
    ],
)
def test_it_bounds_the_keys_that_teams_can_prove(n: int, caps: list[int], in_all: int, most: int) -> None:
    assert provable_keys(keyed(n), caps=caps, in_all=in_all) == most


class Rounded:
    """The rule before: every total, rounded to the nearest step, so many uploads in all."""

    def __init__(self, keys: list[int], uploads: int) -> None:
        self.keys, self.left, self.memory = keys, uploads, dict[Answers, int]()

    def __call__(self, sent: Answers) -> int | None:
        if sent not in self.memory and not self.left:
            return None
        self.left -= sent not in self.memory
        return self.memory.setdefault(sent, round(right(sent, self.keys) / 5) * 5)


class BestSoFar:
    """The rule as it is, for teams that may send so many."""

    def __init__(self, keys: list[int], uploads: int) -> None:
        self.items = [replace(item, answer=key) for item, key in zip(keyed(len(keys)), keys, strict=True)]
        self.uploads, self.figures = uploads, dict[int, list[float]]()

    def __call__(self, team: int, sent: Answers) -> int | None:
        figures = self.figures.setdefault(team, [])
        if len(figures) >= self.uploads:
            return None
        records = (
            ResponseRecord("m", item.id, 1, 0, None, None, choice, None)
            for item, choice in zip(self.items, sent, strict=True)
        )
        totals = score(records, self.items, {"moral": figures[-1]} if figures else {})
        assert totals is not None
        figures.append(totals["moral"]["accuracy"])
        return round(figures[-1] * len(self.items))


def test_it_shows_a_team_that_searches_for_keys_nearly_nothing() -> None:
    """Of 69 keys the rule before gave away most in 132 uploads; this rule gives away few to four teams."""
    before, after = [], []
    for seed in range(5):
        chance = Random(seed)  # noqa: S311 - any keys will do
        keys = [number % 4 for number in range(69)]
        chance.shuffle(keys)
        before.append(probe_rounded(69, Rounded(keys, 132), chance))
        after.append(Prober(69, step_of(69), BestSoFar(keys, 33), 4, chance).run())
        for found in (before[-1], after[-1]):
            assert all(keys[item] == key for item, key in found.items()), "what is proven is right"
    assert sum(map(len, before)) > 5 * 40
    assert sum(map(len, after)) < sum(map(len, before)) / 3


def test_it_shows_nothing_of_a_file_that_hardly_answers() -> None:
    items = keyed(100)
    said = [
        one if index < 79 else replace(one, choice=None, text="…")
        for index, one in enumerate(answers(items, 50))
    ]
    assert score(said, items) is None


def _released() -> Cast:
    made = make_project()
    bring(made, records())
    built(made, seed=None, recipe=SECRET)
    return made


@pytest.fixture(scope="module")
def _cast(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Cast]:
    with shared_rows(django_db_blocker, _released) as made:
        yield made


@pytest.fixture
def cast(_cast: Cast, db: None) -> Cast:
    cache.clear()
    return deepcopy(_cast)


def release() -> Release:
    return Release.objects.select_related("project").get()


def invited(cast: Cast, per_week: int = 2) -> Invited:
    return invite_team(actor=cast.manager, release=release(), name="Lab", per_week=per_week)


def lines(*, leave_out: int = 0, model: str = "m", **more: Any) -> bytes:
    """Answers to every test item, all of them A, but for some that are left out."""
    items = list(ReleaseItem.objects.filter(split="test").order_by("number"))[leave_out:]
    rows = ({"model": model, "item_id": one.public_id, "repeat": 1, "choice": 0, **more} for one in items)
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.django_db
def test_it_scores_what_a_team_uploads_in_totals(cast: Cast) -> None:
    token = invited(cast).token
    upload = score_upload(upload_id=upload_responses(token=token, content=lines()).pk)
    assert upload.state == UploadState.DONE
    for task, total in upload.totals.items():
        mine = [one for one in ReleaseItem.objects.filter(split="test") if one.record["task"] == task]
        found = sum(one.record["answer"] == 0 for one in mine)
        assert total["n"] == len(mine)
        assert total["accuracy"] == round(found // 5 * 5 / len(mine), 4)
    page = Client().get(f"/score/{token}").content.decode()
    assert "1 upload left" in page
    assert "in steps of" in page
    assert not Membership.objects.filter(project=cast.project, user__username="Lab").exists()
    assert AuditEvent.objects.filter(verb="upload_responses").count() == 1


@pytest.mark.django_db
def test_it_reads_a_file_in_the_job_and_not_in_the_request(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("release.services.team.read_responses", None)
    upload = upload_responses(token=invited(cast).token, content=b"not json")
    assert upload.state == UploadState.WAITING


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda: lines(leave_out=1), "lacks 1"),
        (lambda: lines().splitlines()[0], "lacks"),
        (lambda: lines() + lines(model="other"), "responses of one model"),
        (lambda: lines(order=[0, 1, 3, 2]), "released order"),
        (lambda: b"".join(lines(repeat=repeat) for repeat in range(6)), "At most 5 repeats"),
        (lambda: b'{"model": "m", "item_id": "nobody", "choice": 0}', "no item"),
        (lambda: b"not json", "Row 1"),
        (lambda: b"", "missing|empty|no rows"),
    ],
)
def test_it_refuses_what_is_not_a_whole_answer_and_counts_it_not(
    cast: Cast,
    content: Callable[[], bytes],
    sentence: str,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    token = invited(cast).token
    kept = upload_responses(token=token, content=content())
    assert default_storage.exists(kept.kept_as)
    with django_capture_on_commit_callbacks(execute=True):
        upload = score_upload(upload_id=kept.pk)
    assert (upload.state, upload.totals, upload.kept_as) == (UploadState.FAILED, {}, "")
    page = unescape(Client().get(f"/score/{token}").content.decode())
    assert re.search(sentence, refusal_of(upload))
    assert refusal_of(upload) in page
    assert "2 uploads left" in page
    assert not default_storage.exists(kept.kept_as)


@pytest.mark.django_db
def test_it_says_why_a_job_could_not_score(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    token = invited(cast).token
    for fault, words in (
        (MemoryError, "needs more memory than a worker may use"),
        (ValueError, "failed because of an error in Parable"),
        (None, "Not scored: too few answers name an option."),
    ):
        with monkeypatch.context() as broken:
            if fault is not None:
                broken.setattr("release.services.team.score", Mock(side_effect=fault))
            kept = upload_responses(token=token, content=lines(choice=None, text="…"))
            do_work(SCORE, kept.pk)
        page = Client().get(f"/score/{token}").content.decode()
        assert words in page
        assert page.count("Not counted.") == Upload.objects.count()
        (said, *_earlier) = Client().get(reverse("api_score", args=[token])).json()["uploads"]
        assert words in said["reason"]


@pytest.mark.django_db
@pytest.mark.parametrize(("field", "most"), [("per_week", MOST_A_WEEK), ("in_all", MOST_IN_ALL)])
def test_it_lets_a_team_upload_from_one_file_to_the_most(cast: Cast, field: str, most: int) -> None:
    usual: dict[str, Any] = {"actor": cast.manager, "release": release(), "per_week": 1, "in_all": 1}
    for wrong in (0, most + 1):
        with pytest.raises(Unusable, match=f"can upload 1 to {most} files") as refused:
            invite_team(**usual | {"name": "One", field: wrong})
        assert list(refused.value.fields) == [field]
    for right_one in (1, most):
        assert (
            getattr(invite_team(**usual | {"name": f"Of {right_one}", field: right_one}).team, field)
            == right_one
        )


@pytest.mark.django_db
def test_it_takes_so_many_a_week_and_one_at_a_time(cast: Cast) -> None:
    token = invited(cast, per_week=2).token
    first = upload_responses(token=token, content=lines())
    with pytest.raises(Conflict, match="still being scored"):
        upload_responses(token=token, content=lines())
    score_upload(upload_id=first.pk)
    hardly = lines(choice=None, text="…")
    assert (
        score_upload(upload_id=upload_responses(token=token, content=hardly).pk).state == UploadState.FAILED
    )
    score_upload(upload_id=upload_responses(token=token, content=lines()).pk)
    with pytest.raises(Conflict, match="2 uploads of these seven days"):
        upload_responses(token=token, content=lines())
    Upload.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(days=7, minutes=1))
    assert upload_responses(token=token, content=lines()).state == UploadState.WAITING


@pytest.mark.django_db
def test_it_shows_the_best_of_a_team_and_says_why_a_figure_does_not_move(cast: Cast) -> None:
    one, other = invited(cast), invite_team(actor=cast.manager, release=release(), name="Other", per_week=2)
    test = list(ReleaseItem.objects.filter(split="test").order_by("number"))
    whole = [{"model": "m", "item_id": item.public_id, "choice": item.record["answer"]} for item in test]
    good = "".join(json.dumps(row) + "\n" for row in whole).encode()
    first, second = (
        score_upload(upload_id=upload_responses(token=one.token, content=content).pk)
        for content in (good, lines())
    )
    accuracies = {task: total["accuracy"] for task, total in first.totals.items()}
    assert {task: total["accuracy"] for task, total in second.totals.items()} == accuracies
    assert not any(total["is_better"] for total in second.totals.values())
    page = Client().get(f"/score/{one.token}").content.decode()
    assert "the best so far stays" in page
    assert "Smaller improvements do not change it" in page
    theirs = score_upload(upload_id=upload_responses(token=other.token, content=lines()).pk)
    assert {task: total["accuracy"] for task, total in theirs.totals.items()} != accuracies


@pytest.mark.django_db
def test_it_counts_uploads_over_all_time_and_those_of_all_teams_together(cast: Cast) -> None:
    one = invite_team(actor=cast.manager, release=release(), name="Lab", per_week=50, in_all=2)
    for _upload in range(2):
        first = upload_responses(token=one.token, content=lines())
        score_upload(upload_id=first.pk)
        Upload.objects.update(created_at=timezone.now() - timedelta(days=400))
    with pytest.raises(Conflict, match="all its 2 uploads"):
        upload_responses(token=one.token, content=lines())
    assert "used all its uploads" in Client().get(f"/score/{one.token}").content.decode()
    other = invite_team(actor=cast.manager, release=release(), name="Other", per_week=50, in_all=50)
    limit_uploads(actor=cast.manager, release=release(), uploads_in_all=3)
    score_upload(upload_id=upload_responses(token=other.token, content=lines()).pk)
    with pytest.raises(Conflict, match="have used their 3 uploads"):
        upload_responses(token=other.token, content=lines())
    assert AuditEvent.objects.filter(verb="limit_uploads").count() == 1
    with pytest.raises(Forbidden):
        limit_uploads(actor=cast.writer, release=release(), uploads_in_all=1000)
    with pytest.raises(Unusable):
        limit_uploads(actor=cast.manager, release=release(), uploads_in_all=1001)


@pytest.mark.django_db
def test_it_counts_the_uploads_of_a_release_with_those_of_the_releases_that_it_extends(cast: Cast) -> None:
    first = release()
    one = invite_team(actor=cast.manager, release=first, name="Lab", per_week=2)
    score_upload(upload_id=upload_responses(token=one.token, content=lines()).pk)
    extending = built(cast, version="1.1.0", seed=None, recipe=replace(SECRET, extends="1.0.0"))
    fresh = built(cast, version="2.0.0", seed=None, recipe=SECRET)
    assert (scored_on(first), scored_on(extending), scored_on(fresh)) == (1, 1, 0)
    limit_uploads(actor=cast.manager, release=extending, uploads_in_all=1)
    other = invite_team(actor=cast.manager, release=extending, name="Lab", per_week=2)
    with pytest.raises(Conflict, match="All teams together"):
        upload_responses(token=other.token, content=lines())


@pytest.mark.django_db
def test_it_sets_the_limit_of_all_teams_on_their_page(cast: Cast) -> None:
    address, manager = f"/p/{cast.project.slug}/releases/1.0.0/teams", Client()
    manager.force_login(cast.manager)
    assert "0 of 40 uploads used" in manager.get(address).content.decode()
    assert manager.post(address, {"uploads_in_all": "12"}).status_code == 302
    page = manager.get(address).content.decode()
    assert "0 of 12 uploads used" in page
    assert "withheld keys" in page
    assert manager.post(address, {"uploads_in_all": "-1"}).status_code == 400


@pytest.mark.django_db
def test_it_closes_a_link_that_is_withdrawn_and_with_its_release(cast: Cast) -> None:
    one = invited(cast)
    other = invite_team(actor=cast.manager, release=release(), name="Other", per_week=1)
    with pytest.raises(Hidden):
        upload_responses(token="no-such-link", content=lines())
    revoke_team(actor=cast.manager, team=one.team)
    assert Client().get(f"/score/{one.token}").status_code == 409
    withdraw_release(actor=cast.manager, release=release(), reason="Two keys are wrong.")
    assert Client().get(f"/score/{other.token}").status_code == 409


@pytest.mark.django_db
@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_invites_by_a_link_shown_once_and_takes_files_by_it(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    address = f"/p/{cast.project.slug}/releases/1.0.0/teams"
    manager, outside = Client(), Client()
    manager.force_login(cast.manager)
    page = manager.post(address, {"name": "Lab", "per_week": 2, "in_all": 10}).content.decode()
    token = page.split("/score/")[1].split("<")[0]
    assert token not in manager.get(address).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        sent = outside.post(f"/score/{token}", {"file": SimpleUploadedFile("r.jsonl", lines())})
    assert sent.status_code == 302
    assert "in steps of" in outside.get(f"/score/{token}").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        outside.post(f"/score/{token}", {"file": SimpleUploadedFile("r.jsonl", lines(leave_out=2))})
    for shown in (outside.get(f"/score/{token}"), manager.get(address)):
        assert "lacks 2" in shown.content.decode()
    assert "in steps of" in manager.get(address).content.decode()
    assert manager.post(f"{address}/{Team.objects.get().pk}/revoke").status_code == 302
    for person in (cast.writer, cast.verifier):
        client = Client()
        client.force_login(person)
        assert client.get(address).status_code == 403
        with pytest.raises(Forbidden):
            invite_team(actor=person, release=release(), name="Mine", per_week=1)
    sweep_jobs()


@pytest.mark.django_db
def test_it_invites_nobody_to_a_release_that_was_withdrawn(cast: Cast) -> None:
    withdraw_release(actor=cast.manager, release=release(), reason="Two keys are wrong.")
    with pytest.raises(Conflict):
        invited(cast)
    assert not Team.objects.exists()


@pytest.mark.django_db
def test_it_wants_a_name_that_is_no_longer_than_a_name(cast: Cast) -> None:
    usual: dict[str, Any] = {"actor": cast.manager, "release": release(), "per_week": 1}
    for wrong in (" ", "n" * (LONGEST_NAME + 1)):
        with pytest.raises(Unusable) as refused:
            invite_team(name=wrong, **usual)
        assert list(refused.value.fields) == ["name"]
    assert invite_team(name="n" * LONGEST_NAME, **usual).team.pk


@pytest.mark.django_db
def test_it_invites_nobody_where_nothing_is_withheld(cast: Cast) -> None:
    public = built(cast, version="2.0.0", recipe=replace(ALLOWED, extends="1.0.0"))
    with pytest.raises(Forbidden):
        invite_team(actor=cast.manager, release=public, name="Lab", per_week=1)


@pytest.mark.django_db
@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_takes_files_from_scripts_too(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    token, client = invited(cast).token, Client()
    address = f"/api/v1/score/{token}/"
    with django_capture_on_commit_callbacks(execute=True):
        client.post(address, {"file": SimpleUploadedFile("r.jsonl", lines(leave_out=3))})
    refused = client.get(address).json()["uploads"][0]
    assert (refused["state"], "lacks 3" in refused["reason"]) == ("failed", True)
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(address, {"file": SimpleUploadedFile("r.jsonl", lines())}).status_code == 202
    page = client.get(address).json()
    assert (page["left"], page["uploads"][0]["state"]) == (1, "done")
    assert set(page["uploads"][0]["totals"]["moral"]) == {"n", "unparsed", "accuracy", "step", "is_better"}
    assert client.get("/api/v1/score/nobody/").status_code == 404


@pytest.mark.django_db
def test_it_refuses_a_file_by_its_size_before_it_reads_it(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A team needs a link and no account: a file that fills the memory must not get that far."""
    for name in ("release.forms", "release.serializers"):
        monkeypatch.setattr(f"{name}.LARGEST_UPLOAD", 10)
    monkeypatch.setattr("release.services.upload_responses", None)
    token, client = invited(cast).token, Client()
    for address in (f"/score/{token}", f"/api/v1/score/{token}/"):
        refused = client.post(address, {"file": SimpleUploadedFile("r.jsonl", b"x" * 11)})
        assert refused.status_code == 400
        assert "larger than" in refused.content.decode()
