"""The pages of releases, through HTTP: who sees what, and what a manager does."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.models import KeyExposure
from jobs.models import Job, JobState
from release.models import Release, ReleaseState, Step
from release.services import order_release, withdraw_release
from tests.factories import Cast, make_project, submit_item
from tests.release.conftest import Released
from tests.release.made import ALLOWED, RECIPE, built, grant_rights

pytestmark = pytest.mark.django_db

MEMBERS = ("writer", "writer2", "reviewer", "reviewer2", "verifier")


@pytest.fixture
def seen_by() -> Callable[[User], Client]:
    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


def address(cast: Cast, rest: str = "") -> str:
    return f"/p/{cast.project.slug}/releases{rest}"


def body(answer: Any) -> bytes:
    """What an answer carries, streamed or not."""
    return b"".join(answer) if answer.streaming else bytes(answer.content)


# --- who sees what ---


@pytest.mark.parametrize("role", MEMBERS)
def test_it_shows_members_that_a_release_exists_and_how_large_it_is(
    released: Released, seen_by: Callable[[User], Client], role: str
) -> None:
    cast, _release = released
    client = seen_by(getattr(cast, role))
    for page in (client.get(address(cast)), client.get(address(cast, "/1.0.0"))):
        assert page.status_code == 200
        assert "1.0.0" in page.content.decode()
    text = page.content.decode()
    assert "seed" not in text
    assert "split_leak" not in text
    assert "Download" not in text
    assert "commonsense" in text


@pytest.mark.parametrize("role", MEMBERS)
@pytest.mark.parametrize(
    "rest", ["/1.0.0/all.zip", "/1.0.0/files/README.md", "/1.0.0/files/test/moral.jsonl", "/new"]
)
def test_it_keeps_seeds_answers_and_files_from_who_does_not_manage(
    released: Released, seen_by: Callable[[User], Client], role: str, rest: str
) -> None:
    cast, _release = released
    assert seen_by(getattr(cast, role)).get(address(cast, rest)).status_code == 403
    allowed = seen_by(cast.manager).get(address(cast, rest))
    assert allowed.status_code == 200
    assert body(allowed)  # to its end: one closed half read closes the connection that keeps the rows


@pytest.mark.parametrize("rest", ["", "/new", "/1.0.0", "/1.0.0/progress", "/1.0.0/all.zip"])
def test_it_does_not_exist_for_a_stranger(
    released: Released, seen_by: Callable[[User], Client], rest: str
) -> None:
    cast, _release = released
    assert seen_by(cast.outsider).get(address(cast, rest)).status_code == 404
    assert Client().get(address(cast, rest)).status_code == 302


@pytest.mark.parametrize("rest", ["/1.0.0/withdraw", "/1.0.0/retry"])
def test_it_takes_orders_from_managers_only(
    released: Released, seen_by: Callable[[User], Client], rest: str
) -> None:
    cast, _release = released
    reason = {"reason": "A key is wrong."}
    assert seen_by(cast.verifier).post(address(cast, rest), reason).status_code == 403
    assert seen_by(cast.outsider).post(address(cast, rest), reason).status_code == 404
    assert seen_by(cast.manager).get(address(cast, rest)).status_code == 405
    assert seen_by(cast.manager).post(address(cast, rest), reason).status_code == 302


# --- cutting one ---


def test_it_shows_what_a_release_would_hold_before_one_presses(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    submit_item(cast)
    text = seen_by(cast.manager).get(address(cast, "/new")).content.decode()
    assert "The rights of 6 stories are unknown." in text
    assert "42 verified items" in text
    assert "moral, machine style" in text


def test_it_refuses_a_version_that_exists(released: Released, seen_by: Callable[[User], Client]) -> None:
    cast, _release = released
    answer = seen_by(cast.manager).post(address(cast, "/new"), {"version": "1.0.0", "extends": ""})
    assert answer.status_code == 400
    assert "Version 1.0.0 already exists and cannot be changed." in answer.content.decode()


@pytest.mark.parametrize("part", ["", "/gates", "/card", "/reports"])
def test_it_shows_managers_each_part_of_a_release_on_a_tab(
    cast: Cast, seen_by: Callable[[User], Client], part: str
) -> None:
    grant_rights(cast)
    built(cast, recipe=RECIPE)
    text = seen_by(cast.manager).get(address(cast, f"/1.0.0{part}")).content.decode()
    assert "42 items, frozen" in text
    assert "by whole stories" in text
    assert "seed 7" in text
    assert ("test/moral.jsonl" in text) == (part == "")
    assert ("Construction" in text) == (part == "/card")
    assert ("Key positions" in text) == (part == "/gates")
    assert ("No error reports on this release" in text) == (part == "/reports")


def test_it_counts_a_card_over_all_items_once(released: Released, seen_by: Callable[[User], Client]) -> None:
    cast, release = released
    client, page = seen_by(cast.manager), address(cast, f"/{release.version}/card")
    texts = []
    for reads_items in (True, False):
        with CaptureQueriesContext(connection) as queries:
            texts.append(body(client.get(page)))
        asked = [one["sql"] for one in queries if '"release_releaseitem"."record"' in one["sql"]]
        assert bool(asked) == reads_items
    assert texts[0].count(b"Construction") == texts[1].count(b"Construction") >= 1


@pytest.mark.parametrize("part", ["/gates", "/card", "/reports"])
@pytest.mark.parametrize("role", MEMBERS)
def test_it_keeps_the_tabs_from_who_does_not_manage(
    released: Released, seen_by: Callable[[User], Client], role: str, part: str
) -> None:
    cast, _release = released
    assert seen_by(getattr(cast, role)).get(address(cast, f"/1.0.0{part}")).status_code == 403


def test_it_explains_the_gate_that_stopped_it_and_offers_to_create_it_again(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    built(cast, recipe=RECIPE)
    client = seen_by(cast.manager)
    text = client.get(address(cast, "/1.0.0")).content.decode()
    assert "stopped by a gate" in text
    assert "No one can use it safely if their rights are unknown." in text
    assert "6 stories unknown" in text
    again = client.get(address(cast, "/new"), {"like": "1.0.0"}).content.decode()
    assert 'value="1.0.0"' in again


def test_it_proposes_the_next_version(cast: Cast, seen_by: Callable[[User], Client]) -> None:
    client = seen_by(cast.manager)
    assert 'value="1.0.0"' in client.get(address(cast, "/new")).content.decode()
    built(cast)
    assert 'value="1.1.0"' in client.get(address(cast, "/new")).content.decode()


# --- while it is built ---


def _ordered(cast: Cast) -> Release:
    return order_release(actor=cast.manager, project=cast.project, version="1.0.0", seed="7", recipe=ALLOWED)


def test_it_says_how_far_a_build_is_and_reloads_when_it_is_over(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    release, client = _ordered(cast), seen_by(cast.manager)
    Job.objects.update(state=JobState.RUNNING, step=Step.WRITING, heartbeat_at=timezone.now())
    answer = client.get(address(cast, "/1.0.0/progress"))
    assert "writing and hashing files" in answer.content.decode()
    assert "HX-Refresh" not in answer.headers
    assert b"does not respond" not in answer.content
    Release.objects.filter(pk=release.pk).update(state=ReleaseState.FAILED)
    assert client.get(address(cast, "/1.0.0/progress")).headers["HX-Refresh"] == "true"


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_says_when_no_worker_is_at_it_and_lets_a_manager_try_again(
    cast: Cast, seen_by: Callable[[User], Client], django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    release, client = _ordered(cast), seen_by(cast.manager)
    ago = timezone.now() - timedelta(minutes=5)
    Job.objects.update(state=JobState.RUNNING, created_at=ago, heartbeat_at=ago)
    assert b"does not respond" in client.get(address(cast, "/1.0.0")).content
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]  # a context manager
        client.post(address(cast, "/1.0.0/retry"))
    release.refresh_from_db()
    assert release.state == ReleaseState.READY


# --- its files ---


def test_it_gives_every_file_as_it_was_hashed(released: Released, seen_by: Callable[[User], Client]) -> None:
    cast, release = released
    client = seen_by(cast.manager)
    for artifact in release.artifacts.all():
        answer = client.get(address(cast, f"/1.0.0/files/{artifact.name}"))
        assert hashlib.sha256(body(answer)).hexdigest() == artifact.sha256
        assert answer.headers["Content-Disposition"].startswith("attachment")
    seen = AuditEvent.objects.filter(verb="download_release", subject_id=release.pk)
    assert seen.count() == release.artifacts.count()
    assert client.get(address(cast, "/1.0.0/files/../settings.py")).status_code == 404


def test_it_packs_all_files_into_one_archive(released: Released, seen_by: Callable[[User], Client]) -> None:
    cast, release = released
    packed = body(seen_by(cast.manager).get(address(cast, "/1.0.0/all.zip")))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.testzip() is None
        hashed = {
            name.partition("/")[2]: hashlib.sha256(archive.read(name)).hexdigest()
            for name in archive.namelist()
        }
    assert hashed == dict(release.artifacts.values_list("name", "sha256"))


def test_it_gives_withheld_answers_to_managers_apart(cast: Cast, seen_by: Callable[[User], Client]) -> None:
    release = built(cast, seed=None, recipe=replace(ALLOWED, withhold_test=True))
    client = seen_by(cast.manager)
    text = client.get(address(cast, "/1.0.0")).content.decode()
    assert release.seed not in text
    assert "seed kept secret" in text
    answer = client.get(address(cast, "/1.0.0/test-answers.jsonl"))
    records = [json.loads(line) for line in body(answer).decode().splitlines()]
    assert {one["id"]: one["answer"] for one in records} == {
        one.public_id: one.record["answer"] for one in release.items.filter(split="test")
    }
    assert seen_by(cast.writer).get(address(cast, "/1.0.0/test-answers.jsonl")).status_code == 403


def test_it_has_no_withheld_answers_where_none_are_withheld(
    released: Released, seen_by: Callable[[User], Client]
) -> None:
    cast, _release = released
    assert seen_by(cast.manager).get(address(cast, "/1.0.0/test-answers.jsonl")).status_code == 404


def test_who_takes_moral_keys_is_no_longer_blind_to_their_stories(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    release = built(cast, seed=None, recipe=replace(ALLOWED, withhold_test=True))
    client = seen_by(cast.manager)

    def exposed() -> set[int]:
        found = KeyExposure.objects.filter(user=cast.manager, task="moral")
        return set(found.values_list("story", flat=True))

    def stories(*splits: str) -> set[int]:
        moral = release.items.filter(split__in=splits, item__task="moral")
        return set(moral.values_list("item__story", flat=True))

    body(client.get(address(cast, "/1.0.0/files/README.md")))
    assert exposed() == set()
    body(client.get(address(cast, "/1.0.0/all.zip")))
    assert exposed() == stories("dev") < stories("dev", "test")
    body(client.get(address(cast, "/1.0.0/test-answers.jsonl")))
    assert exposed() == stories("dev", "test")


# --- withdrawn ---


def test_it_withdraws_with_a_reason_that_everybody_sees(
    released: Released, seen_by: Callable[[User], Client]
) -> None:
    cast, _release = released
    client = seen_by(cast.manager)
    assert client.post(address(cast, "/1.0.0/withdraw"), {"reason": " "}).status_code == 400
    client.post(address(cast, "/1.0.0/withdraw"), {"reason": "Three keys are wrong."})
    for person in (cast.manager, cast.writer):
        assert b"Three keys are wrong." in seen_by(person).get(address(cast, "/1.0.0")).content
        assert b"Three keys are wrong." in seen_by(person).get(address(cast)).content
    assert client.get(address(cast, "/1.0.0/files/README.md")).status_code == 404
    assert client.get(address(cast, "/1.0.0/all.zip")).status_code == 404


# --- the list ---


def test_it_asks_as_few_questions_for_nine_releases_as_for_three(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    client, counted = seen_by(cast.manager), []
    for many in (3, 6):
        for number in range(many):
            built(cast, version=f"{many}.{number}.0", recipe=RECIPE)  # stopped by a gate
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(address(cast))
        counted.append(len(queries))
    assert counted[0] == counted[1]


def test_it_says_what_an_empty_list_means(seen_by: Callable[[User], Client]) -> None:
    cast = make_project()
    assert b"Create release" in seen_by(cast.manager).get(address(cast)).content
    assert b"A manager creates one" in seen_by(cast.writer).get(address(cast)).content


# --- JSON ---


def test_it_gives_scripts_what_every_member_may_know(
    released: Released, seen_by: Callable[[User], Client]
) -> None:
    cast, release = released
    api = f"/api/v1/projects/{cast.project.slug}/releases/"
    shown = seen_by(cast.writer).get(f"{api}1.0.0/").json()
    assert shown["counts"] == release.manifest["counts"]
    assert shown["state"] == "ready"
    assert shown["recipe"] is None
    (listed,) = seen_by(cast.writer).get(api).json()
    assert listed == {name: shown[name] for name in listed}
    assert seen_by(cast.outsider).get(api).status_code == 404
    withdraw_release(actor=cast.manager, release=release, reason="Three keys are wrong.")
    assert seen_by(cast.writer).get(f"{api}1.0.0/").json()["reason"] == "Three keys are wrong."


def test_it_lists_a_version_once_and_a_failed_attempt_only_while_nothing_came_of_it(
    cast: Cast, seen_by: Callable[[User], Client]
) -> None:
    built(cast, recipe=RECIPE)
    built(cast, recipe=RECIPE)
    text = seen_by(cast.manager).get(address(cast)).content.decode()
    assert text.count('/releases/1.0.0"') == 1
    assert "Failed gates: Rights of the stories" in text
    built(cast)
    text = seen_by(cast.manager).get(address(cast)).content.decode()
    assert text.count('/releases/1.0.0"') == 1
    assert "Failed gates" not in text
