"""Releases for programs: built from options, read, downloaded, withdrawn, and their readers' reports."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from accounts.models import AuditEvent
from annotation.models import KeyExposure
from jobs.models import Job
from parable.formats.records import WITHHELD
from release.models import Artifact, ErrorReport, Release, ReleaseItem, Team
from release.queries.release import BUILD
from release.services import report_error, upload_responses
from tests.factories import Cast, make_project
from tests.programs import Program, Sent, program
from tests.release.conftest import Released
from tests.release.made import ALLOWED, bring, built, grant_rights, records
from tests.shared_rows import shared_rows
from tests.work import work_off

pytestmark = pytest.mark.django_db
OPTIONS: Sent = {"version": "1.0.0", "seed": "7"}


def _with_withheld() -> Released:
    cast = make_project()
    bring(cast, records(4))
    grant_rights(cast)
    return cast, built(cast, seed=None, recipe=replace(ALLOWED, withhold_test=True))


@pytest.fixture(scope="module")
def _withheld(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Released]:
    with shared_rows(django_db_blocker, _with_withheld) as made:
        yield made


@pytest.fixture
def withheld(_withheld: Released, db: None) -> Released:
    """A project and its version 1.0.0, whose test answers are withheld."""
    return deepcopy(_withheld)


def manager(cast: Cast, *scopes: str) -> Program:
    return program(cast.manager, cast.project.slug, *scopes)


# --- orders ---


def test_it_builds_a_release_from_options(cast: Cast) -> None:
    grant_rights(cast)
    sent = OPTIONS | {
        "dev_share": "0.5",
        "tasks": ["moral"],
        "contact": "lab@example.org",
        "keep_order": True,
    }
    answer = manager(cast).post("releases/", sent)
    assert answer.status_code == 202, answer.content
    assert answer.json()["version"] == "1.0.0"
    assert answer.headers["Location"] == answer.json()["url"] == f"/api/v1/jobs/{answer.json()['job']}/"
    assert manager(cast).get("releases/1.0.0/").json()["state"] == "building"
    work_off()
    assert manager(cast).get(answer.json()["url"]).json()["state"] == "done"
    made = manager(cast).get("releases/1.0.0/").json()
    assert (made["state"], list(made["counts"]), made["extends"]) == ("ready", ["moral"], "")
    assert {name: made["recipe"][name] for name in sent} == sent
    recipe = Release.objects.get(project=cast.project).recipe
    assert (recipe["split"], recipe["tasks"], recipe["contact"]) == ("story", ["moral"], "lab@example.org")


def test_a_release_that_extends_another_inherits_its_options(released: Released) -> None:
    cast, before = released
    answer = manager(cast).post("releases/", {"version": "1.0.1", "extends": "1.0.0", "seed": "7"})
    assert answer.status_code == 202, answer.content
    recipe = Release.objects.get(version="1.0.1").recipe
    assert (recipe["extends"], recipe["dev_share"]) == ("1.0.0", before.recipe["dev_share"])


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"version": "one"}, "version"),
        ({"seed": "seven"}, "seed"),
        ({"seed": ""}, "seed"),
        ({"dev_share": "2"}, "dev_share"),
        ({"train_share": "0.9", "dev_share": "0.2"}, "train_share"),
        ({"split": "length"}, "split"),
        ({"tasks": ["riddles"]}, "tasks"),
        ({"styles": ["robot"]}, "styles"),
        ({"min_rating": 9}, "min_rating"),
        ({"min_rating": "many"}, "min_rating"),
        ({"dev_items": {"riddles": 3}}, "dev_items"),
        ({"dev_items": {"moral": 999}}, "dev_moral"),
        ({"split": "mixed"}, "out_stories"),
        ({"extends": "9.0.0"}, "extends"),
        ({"allow": ["luck"], "reason": "x"}, "allow"),
        ({"allow": ["rights"]}, "reason"),
        ({"withhold_test": True}, "seed"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_an_option_that_is_wrong_is_named(cast: Cast, wrong: Sent, field: str) -> None:
    answer = manager(cast).post("releases/", OPTIONS | wrong)
    assert answer.status_code == 400
    assert field in answer.json()["fields"]
    assert not Release.objects.filter(project=cast.project).exists()
    assert not Job.objects.filter(project=cast.project, kind=BUILD).exists()


def test_an_order_sent_again_builds_no_second_release(cast: Cast) -> None:
    first, again = (
        manager(cast).post("releases/", OPTIONS, **{"Idempotency-Key": "first"}) for _each in range(2)
    )
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json()
    assert Release.objects.filter(project=cast.project).count() == 1
    assert Job.objects.filter(project=cast.project, kind=BUILD).count() == 1
    other = manager(cast).post("releases/", OPTIONS)
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("post", "releases/"),
        ("post", "releases/1.0.0/withdraw/"),
        ("post", "releases/1.0.0/retry/"),
        ("post", "releases/1.0.0/pushes/"),
        ("post", "releases/drafts/"),
        ("post", "gates/check/"),
    ],
)
def test_a_token_that_reads_orders_nothing(released: Released, method: str, address: str) -> None:
    cast, _release = released
    answer = manager(cast, "read").ask(method, address, {})
    assert (answer.status_code, answer.json()["code"]) == (403, "scope")


@pytest.mark.parametrize(
    "address",
    [
        "releases/",
        "releases/1.0.0/",
        "releases/1.0.0/gates/",
        "releases/1.0.0/files/",
        "releases/1.0.0/files/README.md/",
        "releases/1.0.0/archive/",
        "releases/1.0.0/items/",
        "releases/1.0.0/fine-tuning/",
        "releases/1.0.0/as/label_studio/",
        "releases/1.0.0/downloads/",
        "releases/1.0.0/errata/",
        "releases/1.0.0/pushes/",
        "reports/",
        "gates/",
    ],
)
def test_members_see_no_more_than_on_pages_and_strangers_nothing(released: Released, address: str) -> None:
    cast, _release = released
    is_open = address in ("releases/", "releases/1.0.0/")
    for person, status in ((cast.manager, 200), (cast.writer, 200 if is_open else 403), (cast.outsider, 404)):
        assert program(person, cast.project.slug).get(address).status_code == status, person
    absent = program(cast.outsider, "no-such-project").get(address)
    assert program(cast.outsider, cast.project.slug).get(address).json() == absent.json()


def test_only_who_may_open_a_release_sees_its_options(released: Released) -> None:
    cast, _release = released
    assert manager(cast).get("releases/1.0.0/").json()["recipe"]["seed"] == "7"
    assert program(cast.writer, cast.project.slug).get("releases/1.0.0/").json()["recipe"] is None


def test_a_secret_seed_is_shown_to_nobody(withheld: Released) -> None:
    cast, release = withheld
    answer = manager(cast).get("releases/1.0.0/")
    assert answer.json()["recipe"]["seed"] == ""
    assert release.seed not in answer.content.decode()


def test_a_release_that_is_read_again_unchanged_is_not_sent(released: Released) -> None:
    cast, _release = released
    etag = manager(cast).get("releases/1.0.0/").headers["ETag"]
    assert manager(cast).get("releases/1.0.0/", **{"If-None-Match": etag}).status_code == 304
    withdrawn = manager(cast).post("releases/1.0.0/withdraw/", {"reason": "A story was not free."})
    assert (withdrawn.json()["state"], withdrawn.json()["reason"]) == ("withdrawn", "A story was not free.")
    assert manager(cast).get("releases/1.0.0/", **{"If-None-Match": etag}).status_code == 200
    assert manager(cast).post("releases/1.0.0/withdraw/", {"reason": "Again."}).status_code == 409


def test_a_withdrawal_needs_a_reason(released: Released) -> None:
    answer = manager(released[0]).post("releases/1.0.0/withdraw/", {})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["reason"])


def test_the_list_has_links_to_its_pages(released: Released) -> None:
    cast, release = released
    Release.objects.bulk_create(
        Release(
            project=cast.project, version=f"2.{number}.0", seed="7", recipe=release.recipe,
            created_by=cast.manager,
        )
        for number in range(3)
    )  # fmt: skip
    first = manager(cast).get("releases/?limit=3")
    assert [one["version"] for one in first.json()] == ["2.2.0", "2.1.0", "2.0.0"]
    address, relation = first.headers["Link"].split("; ")
    assert relation == 'rel="next"'
    second = manager(cast).get(address.strip("<>").removeprefix("http://testserver"))
    assert [one["version"] for one in second.json()] == ["1.0.0"]
    assert 'rel="prev"' in second.headers["Link"]


def test_a_finished_build_has_nothing_to_retry(released: Released) -> None:
    assert manager(released[0]).post("releases/1.0.0/retry/").status_code == 409


def test_a_release_is_rebuilt_and_its_files_compared(
    released: Released, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast, release = released
    others = Artifact.objects.filter(release=release).exclude(name="README.md")
    assert manager(cast).get("releases/1.0.0/rebuild/").json()["job"] is None
    for differing in ([], ["README.md"]):
        answer = manager(cast).post("releases/1.0.0/rebuild/")
        assert answer.status_code == 202, answer.content
        work_off()
        found = manager(cast).get("releases/1.0.0/rebuild/").json()
        assert (found["job"], found["state"]) == (answer.json()["job"], "done")
        assert found["differing"] == differing
        monkeypatch.setattr("release.services.rebuild.artifacts", lambda _release: others)
    manager(cast).post("releases/1.0.0/withdraw/", {"reason": "x"})
    assert manager(cast).post("releases/1.0.0/rebuild/").status_code == 409


def test_two_releases_are_compared(released: Released) -> None:
    cast, _release = released
    built(cast, version="1.0.1", recipe=replace(ALLOWED, extends="1.0.0"))
    assert manager(cast).get("releases/1.0.0/compare/1.0.1/").status_code == 202
    work_off()
    assert manager(cast).get("releases/1.0.0/compare/1.0.1/").json()["same"] == 42


def test_whoever_reads_where_a_key_went_has_seen_it(released: Released) -> None:
    cast, _release = released
    later = built(cast, version="2.0.0", seed="8")
    manager(cast).get("releases/1.0.0/compare/2.0.0/")
    work_off()
    KeyExposure.objects.filter(user=cast.manager).delete()
    moved = manager(cast).get("releases/1.0.0/compare/2.0.0/").json()["moved"]
    items = [row["id"] for row in moved if "key" in row]
    commonsense = ReleaseItem.objects.filter(
        release=later, public_id__in=items, record__task="commonsense"
    ).count()
    assert 0 < commonsense < 24
    exposed = KeyExposure.objects.filter(user=cast.manager, task="commonsense")
    assert exposed.count() == commonsense


def test_the_gates_of_a_release_are_listed(released: Released) -> None:
    rows = manager(released[0]).all("releases/1.0.0/gates/")
    assert {row["gate"]: row["is_overridden"] for row in rows}["rights"] is True
    assert {row["verdict"] for row in rows} >= {"ok", "error"}


# --- files ---


def test_files_are_listed_and_downloaded_as_they_were_hashed(released: Released) -> None:
    cast, _release = released
    listed = manager(cast).all("releases/1.0.0/files/?limit=5")
    assert {"README.md", "MANIFEST.json", "SHA256SUMS"} <= {one["name"] for one in listed}
    for one in listed:
        answer = manager(cast).get(one["url"])
        content = answer.getvalue()
        assert answer.headers["ETag"] == f'"{one["sha256"]}"'
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (one["sha256"], one["bytes"])
    assert next(one["rows"] for one in listed if one["name"].startswith("dev/moral"))
    events = manager(cast).all("releases/1.0.0/downloads/")
    assert {one["file"] for one in events} == {one["name"] for one in listed}
    assert {one["username"] for one in events} == {cast.manager.username}


def test_a_known_file_is_not_sent_again(released: Released) -> None:
    cast, _release = released
    etag = manager(cast).get("releases/1.0.0/files/README.md/").headers["ETag"]
    again = manager(cast).get("releases/1.0.0/files/README.md/", **{"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    assert AuditEvent.objects.filter(verb="download_release").count() == 1


@pytest.mark.parametrize(
    "address", ["files/dev/moral.jsonl/", "archive/", "items/", "as/label_studio/", "fine-tuning/"]
)
def test_whoever_downloads_keys_has_seen_them(released: Released, address: str) -> None:
    cast, _release = released
    KeyExposure.objects.filter(user=cast.manager).delete()
    assert manager(cast).get(f"releases/1.0.0/{address}").getvalue()
    assert KeyExposure.objects.filter(user=cast.manager).exists()


def test_any_type_is_accepted_for_a_file_and_a_refusal_is_json(released: Released) -> None:
    cast, _release = released
    assert manager(cast).get("releases/1.0.0/files/README.md/", Accept="text/markdown").status_code == 200
    refused = manager(cast).get("releases/1.0.0/files/none.md/", Accept="text/markdown")
    assert refused.status_code == 404
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert json.loads(refused.content)["code"] == "not_found"


def test_withheld_answers_are_in_no_file_but_their_own(withheld: Released) -> None:
    cast, release = withheld
    rows = [
        json.loads(line) for line in manager(cast).get("releases/1.0.0/test-answers/").content.splitlines()
    ]
    test = ReleaseItem.objects.filter(release=release, split="test")
    assert {row["id"] for row in rows} == set(test.values_list("public_id", flat=True))
    lines = manager(cast).get("releases/1.0.0/items/").getvalue().splitlines()
    shown = [json.loads(line) for line in lines]
    assert {one["split"]: one["answer"] == WITHHELD for one in shown} == {"dev": False, "test": True}


def test_there_are_no_withheld_answers_where_all_are_public(released: Released) -> None:
    assert manager(released[0]).get("releases/1.0.0/test-answers/").status_code == 404


def test_a_withdrawn_release_has_no_files(released: Released) -> None:
    cast, _release = released
    manager(cast).post("releases/1.0.0/withdraw/", {"reason": "x"})
    assert manager(cast).all("releases/1.0.0/files/") == []
    for address in ("files/README.md/", "archive/", "items/"):
        assert manager(cast).get(f"releases/1.0.0/{address}").status_code == 404


# --- error reports ---


@pytest.fixture
def report(released: Released) -> ErrorReport:
    """A report about the first item of the release."""
    item = ReleaseItem.objects.filter(release=released[1]).order_by("pk")[0]
    report_error(actor=None, item_id=item.public_id, fault="wrong_key", text="B fits as well.", name="Ada")
    return ErrorReport.objects.get()


def test_reports_are_listed_and_answered(released: Released, report: ErrorReport) -> None:
    cast, _release = released
    (row,) = manager(cast).all("reports/?answered=false")
    assert (row["problem"], row["text"], row["name"], row["reply"]) == (
        "wrong_key",
        "B fits as well.",
        "Ada",
        "",
    )
    sent = {"reply": "You are right.", "resolution": "retire", "note": "Two options fitted."}
    answer = manager(cast).post(f"reports/{report.pk}/reply/", sent)
    assert answer.status_code == 200, answer.content
    assert (answer.json()["reply"], answer.json()["answered_by"]) == ("You are right.", cast.manager.username)
    assert manager(cast).all("reports/?answered=false") == []
    (erratum,) = manager(cast).all("releases/1.0.0/errata/")
    assert erratum["id"] == answer.json()["erratum"]
    assert (erratum["resolution"], erratum["note"], erratum["reports"]) == (
        "retire",
        "Two options fitted.",
        1,
    )
    assert manager(cast).post(f"reports/{report.pk}/reply/", sent).status_code == 409


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "reply"),
        ({"reply": "x", "resolution": "burn"}, "remedy"),
        ({"reply": "x", "resolution": "retire"}, "note"),
    ],
)
def test_a_reply_that_is_wrong_names_the_field(
    released: Released, report: ErrorReport, sent: dict[str, str], field: str
) -> None:
    answer = manager(released[0]).post(f"reports/{report.pk}/reply/", sent)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    report.refresh_from_db()
    assert report.answered_at is None


def test_a_report_of_another_project_is_as_if_it_were_not_there(
    released: Released, report: ErrorReport
) -> None:
    other = make_project()
    foreign, absent = (manager(other).get(f"reports/{pk}/") for pk in (report.pk, 10**9))
    assert (foreign.status_code, foreign.json()) == (404, absent.json())


# --- teams ---


def test_a_team_is_invited_by_a_link_that_is_shown_once(withheld: Released) -> None:
    cast, release = withheld
    answer = manager(cast).post("releases/1.0.0/teams/", {"name": "The others"})
    assert answer.status_code == 201, answer.content
    assert (answer.json()["per_week"], answer.json()["in_all"], answer.json()["scored"]) == (2, 10, 0)
    token = answer.json()["link"].rpartition("/")[2]
    assert manager(cast).get(f"/api/v1/score/{token}/").json()["left"] == 2
    (row,) = manager(cast).all("releases/1.0.0/teams/")
    assert "link" not in row
    assert token not in json.dumps(row)
    upload_responses(token=token, content=b"nonsense")
    work_off()
    (upload,) = manager(cast).all("releases/1.0.0/uploads/")
    assert (upload["team"], upload["state"], bool(upload["reason"])) == (row["id"], "failed", True)
    revoked = manager(cast).post(f"releases/1.0.0/teams/{row['id']}/revoke/")
    assert revoked.json()["revoked_at"]
    assert manager(cast).get(f"/api/v1/score/{token}/").status_code == 409
    limit = manager(cast).ask("put", "releases/1.0.0/upload-limit/", {"uploads_in_all": 12})
    release.refresh_from_db()
    assert (limit.json(), release.uploads_in_all) == ({"uploads_in_all": 12}, 12)


def test_a_link_is_not_shown_to_who_repeats_the_request(withheld: Released) -> None:
    cast, _release = withheld
    sent, key = {"name": "The others"}, {"Idempotency-Key": "one"}
    assert manager(cast).post("releases/1.0.0/teams/", sent, **key).status_code == 201
    again = manager(cast).post("releases/1.0.0/teams/", sent, **key)
    assert (again.status_code, "link" in again.json()) == (409, False)
    assert Team.objects.count() == 1


@pytest.mark.parametrize(
    ("sent", "field"),
    [({}, "name"), ({"name": "x", "per_week": 51}, "per_week"), ({"name": "x", "in_all": 0}, "in_all")],
)
def test_a_team_that_is_wrong_names_the_field(withheld: Released, sent: Sent, field: str) -> None:
    answer = manager(withheld[0]).post("releases/1.0.0/teams/", sent)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])


def test_no_team_is_invited_where_all_answers_are_public(released: Released) -> None:
    assert manager(released[0]).post("releases/1.0.0/teams/", {"name": "x"}).status_code == 403


# --- pushes ---


def test_a_push_is_ordered_with_a_token_that_nothing_shows(released: Released, settings: Any) -> None:
    cast, _release = released
    settings.HUB_URL = "https://hub.invalid"
    sent = {"repo": "lab/fables", "token": "hf_onlyTheHubKnows"}
    answer = manager(cast).post("releases/1.0.0/pushes/", sent)
    assert answer.status_code == 202, answer.content
    listed = manager(cast).get("releases/1.0.0/pushes/")
    (row,) = listed.json()["results"]
    assert (row["id"], row["repo"], row["state"], row["is_public"]) == (
        answer.json()["id"], "lab/fables", "waiting", False
    )  # fmt: skip
    assert "onlyTheHubKnows" not in answer.content.decode() + listed.content.decode()
    assert manager(cast).post("releases/1.0.0/pushes/", sent).status_code == 409


def test_a_push_that_is_wrong_names_the_field(released: Released, settings: Any) -> None:
    settings.HUB_URL = "https://hub.invalid"
    sent = {"repo": "not a name", "token": "with a space"}
    answer = manager(released[0]).post("releases/1.0.0/pushes/", sent)
    assert (answer.status_code, set(answer.json()["fields"])) == (400, {"repo", "token"})


# --- unreleased items ---


def test_items_that_are_not_released_are_checked(cast: Cast) -> None:
    assert manager(cast).get("gates/").json()["checked_at"] is None
    answer = manager(cast).post("gates/check/")
    assert answer.status_code == 202
    assert manager(cast).post("gates/check/").json()["job"] == answer.json()["job"], "it waits already"
    work_off()
    found = manager(cast).get("gates/").json()
    assert (found["has_changed"], found["items"]) == (False, 42)
    assert {row["part"] for row in found["results"]} == {"all", "style", "writer"}


# --- what a page takes ---


@pytest.mark.parametrize(
    "address", ["releases/", "releases/1.0.0/files/", "releases/1.0.0/downloads/", "reports/"]
)
def test_a_page_takes_six_statements_at_most(released: Released, report: ErrorReport, address: str) -> None:
    cast, release = released
    for number in range(4):
        report_error(actor=None, item_id=report.item_id_given, fault="other", text=str(number))
        manager(cast).get("releases/1.0.0/files/README.md/")
        Release.objects.create(
            project=cast.project, version=f"3.{number}.0", seed="7", recipe=release.recipe,
            created_by=cast.manager,
        )  # fmt: skip
    few, many = (manager(cast).statements(f"{address}?limit={limit}") for limit in (2, 1000))
    assert few == many <= 6


def test_uploads_and_pushes_take_no_more_statements_if_they_failed(withheld: Released) -> None:
    cast, release = withheld
    team = Team.objects.create(
        release=release, name="x", token_hash="x", per_week=50, in_all=200, created_by=cast.manager
    )
    team.uploads.bulk_create(
        team.uploads.model(team=team, sha256=str(number), bytes=1, state="failed") for number in range(5)
    )
    counts = [manager(cast).statements(f"releases/1.0.0/uploads/?limit={limit}") for limit in (1, 5)]
    assert counts[0] == counts[1] <= 6
