"""Drafts of releases for programs: options, contents, findings, and what is done about them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import TypeAlias

import pytest
from pytest_django import DjangoDbBlocker

from annotation.models import Item, State
from parable.quality.gates import GATES
from release.models import DraftExclusion, Release, ReleaseDraft
from tests.factories import Cast, make_project
from tests.programs import Program, Sent, program
from tests.release.made import bring, built, record, records
from tests.shared_rows import shared_rows
from tests.work import work_off

pytestmark = pytest.mark.django_db

Prepared: TypeAlias = tuple[Cast, int]


def _prepare() -> Prepared:
    made = make_project()
    twins = [
        replace(record(story, 9), question=record(story, 0).question, choices=record(story, 0).choices)
        for story in (0, 1)
    ]
    bring(made, [*records(), *twins])
    answer = manager(made).post("releases/drafts/", {"version": "1.0.0", "seed": "7"})
    assert answer.status_code == 202, answer.content
    work_off()
    return made, answer.json()["id"]


def manager(cast: Cast, *scopes: str) -> Program:
    return program(cast.manager, cast.project.slug, *scopes)


@pytest.fixture(scope="module")
def _prepared(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Prepared]:
    with shared_rows(django_db_blocker, _prepare) as made:
        yield made


@pytest.fixture
def prepared(_prepared: Prepared, db: None) -> Prepared:
    """A project with twins in two stories, and a draft that the gates have checked."""
    return deepcopy(_prepared)


@pytest.fixture
def cast(prepared: Prepared) -> Cast:
    return prepared[0]


@pytest.fixture
def draft(prepared: Prepared) -> str:
    """The address of the draft."""
    return f"releases/drafts/{prepared[1]}/"


def test_a_draft_is_read_with_its_options_and_contents(cast: Cast, draft: str) -> None:
    found = manager(cast).get(draft).json()
    assert (found["version"], found["state"], found["release"]) == ("1.0.0", "open", None)
    usual = {"seed": "7", "split": "story", "dev_share": "0.2", "tasks": [], "dev_items": {}}
    assert {name: found["options"][name] for name in usual} == usual
    assert (found["is_checked"], found["problems"]) == (True, {})
    assert found["items"] == {"commonsense": 26, "moral": 18}
    assert sum(sum(cell.values()) for cell in found["splits"].values()) == 44
    assert found["lists"] == {"excluded": 0, "unverified": 0}


def test_two_failing_gates_are_fixed_and_it_is_built(cast: Cast, draft: str) -> None:
    rows = {row["gate"]: row for row in manager(cast).all(f"{draft}findings/")}
    assert set(rows) == set(GATES)
    assert {gate for gate, row in rows.items() if row["verdict"] == "error"} == {"duplicates", "rights"}
    refused = manager(cast).post(f"{draft}build/")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    task = rows["duplicates"]["task"] or ""
    behind = manager(cast).all(f"{draft}items/?gate=duplicates&task={task}")
    assert len(behind) == rows["duplicates"]["items"]
    assert sum(row["is_proposed"] for row in behind) == rows["duplicates"]["proposed"]
    excluded = manager(cast).post(f"{draft}exclude/", {"gate": "duplicates", "task": task})
    assert (excluded.status_code, excluded.json()["items"]) == (202, rows["duplicates"]["proposed"])
    sent = {"gate": "rights", "reason": "All are old."}
    overridden = manager(cast).post(f"{draft}overrides/", sent)
    assert (overridden.status_code, overridden.json()["username"]) == (201, cast.manager.username)
    work_off()
    answer = manager(cast).post(f"{draft}build/")
    assert (answer.status_code, answer.json()["version"]) == (202, "1.0.0")
    work_off()
    assert Release.objects.get(project=cast.project).state == "ready"
    assert manager(cast).get(draft).json()["state"] == "built"
    assert manager(cast).get("releases/1.0.0/").json()["recipe"]["allow"] == ["rights"]
    assert [row["id"] for row in manager(cast).all("releases/drafts/?state=built")] == [
        int(draft.split("/")[2])
    ]
    assert manager(cast).all("releases/drafts/?state=open") == []
    assert manager(cast).ask("patch", draft, {"version": "1.1.0"}).status_code == 409


def test_options_are_changed_and_the_gates_check_them_again(cast: Cast, draft: str) -> None:
    before = manager(cast).get(draft)
    sent = {"dev_items": {"moral": 4}, "min_rating": 0, "anonymous": True, "tasks": ["moral"]}
    answer = manager(cast).ask("patch", draft, sent, **{"If-Match": before.headers["ETag"]})
    assert answer.status_code == 200, answer.content
    assert {name: answer.json()["options"][name] for name in sent} == sent
    assert (answer.json()["options"]["seed"], answer.json()["is_checked"]) == ("7", False)
    late = manager(cast).ask("patch", draft, {"tasks": []}, **{"If-Match": before.headers["ETag"]})
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    work_off()
    after = manager(cast).get(draft)
    assert (after.json()["is_checked"], after.json()["items"]) == (True, {"moral": 18})
    assert after.headers["ETag"] == answer.headers["ETag"], "a check changes no option"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"version": "one"}, "version"),
        ({"dev_share": "2"}, "dev_share"),
        ({"min_rating": 9}, "min_rating"),
        ({"dev_items": {"moral": 99}}, "dev_moral"),
        ({"dev_items": {"riddles": 1}}, "dev_items"),
        ({"tasks": ["riddles"]}, "tasks"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_nothing_is_saved_of_a_change_with_a_wrong_option(
    cast: Cast, draft: str, wrong: Sent, field: str
) -> None:
    before = manager(cast).get(draft)
    answer = manager(cast).ask("patch", draft, {"contact": "x@example.org"} | wrong)
    assert answer.status_code == 400
    assert field in answer.json()["fields"]
    assert manager(cast).get(draft).headers["ETag"] == before.headers["ETag"]
    refused = manager(cast).post("releases/drafts/", {"seed": "7"} | wrong)
    assert field in refused.json()["fields"]
    assert ReleaseDraft.objects.filter(project=cast.project).count() == 1


def test_a_new_draft_has_the_usual_options(cast: Cast) -> None:
    built(cast, version="1.0.0")
    made = manager(cast).post("releases/drafts/", {"version": "1.1.0", "extends": "1.0.0", "contact": "me"})
    if made.status_code == 202:
        found = manager(cast).get(f"releases/drafts/{made.json()['id']}/").json()
        assert (found["options"]["extends"], found["options"]["seed"]) == ("1.0.0", "7")


def test_a_draft_without_options_gets_the_next_version(cast: Cast) -> None:
    made = manager(cast).post("releases/drafts/")
    assert made.status_code == 202, made.content
    found = manager(cast).get(f"releases/drafts/{made.json()['id']}/").json()
    assert found["options"]["version"] == "1.0.0"
    assert found["options"]["seed"].isdecimal()


def test_items_are_excluded_by_hand_and_included_again(cast: Cast, draft: str) -> None:
    held = manager(cast).all(f"{draft}items/?limit=20")
    assert len(held) == len({row["id"] for row in held}) == 44
    chosen = [held[0]["id"], held[1]["id"]]
    assert manager(cast).post(f"{draft}exclude/", {"items": chosen}).json()["items"] == 2
    listed = manager(cast).all(f"{draft}items/?list=excluded")
    assert {row["id"] for row in listed} == set(chosen)
    assert all(row["is_excluded"] for row in listed)
    assert manager(cast).post(f"{draft}include/", {"items": chosen[:1]}).json()["items"] == 1
    assert DraftExclusion.objects.get(draft__project=cast.project).item_id == chosen[1]
    nothing = manager(cast).post(f"{draft}exclude/", {"items": [10**9]})
    assert nothing.status_code == 400


def test_items_behind_a_finding_go_back_to_review(cast: Cast, draft: str) -> None:
    finding = next(row for row in manager(cast).all(f"{draft}findings/") if row["gate"] == "duplicates")
    sent = {"gate": "duplicates", "task": finding["task"] or ""}
    unsaid = manager(cast).post(f"{draft}return/", sent)
    assert (unsaid.status_code, list(unsaid.json()["fields"])) == (400, ["reason"])
    answer = manager(cast).post(f"{draft}return/", sent | {"reason": "Two alike."})
    assert answer.status_code == 202, answer.content
    moved = Item.objects.filter(project=cast.project).exclude(state=State.VERIFIED).count()
    assert moved == answer.json()["items"] > 0


def test_an_override_is_removed(cast: Cast, draft: str) -> None:
    assert manager(cast).post(f"{draft}overrides/", {"gate": "luck", "reason": "x"}).status_code == 400
    made = manager(cast).post(f"{draft}overrides/", {"gate": "rights", "reason": "x"})
    assert manager(cast).ask("delete", made.headers["Location"]).status_code == 204
    assert manager(cast).ask("delete", made.headers["Location"]).status_code == 404
    assert manager(cast).get(draft).json()["overrides"] == []


def test_a_draft_is_discarded_and_restored(cast: Cast, draft: str) -> None:
    assert manager(cast).post(f"{draft}discard/").json()["state"] == "discarded"
    assert manager(cast).post(f"{draft}discard/").status_code == 409
    assert len(manager(cast).all("releases/drafts/?state=discarded")) == 1
    assert manager(cast).post(f"{draft}restore/").json()["state"] == "open"


def test_a_secret_seed_of_a_draft_is_shown_to_nobody(cast: Cast, draft: str) -> None:
    answer = manager(cast).ask("patch", draft, {"withhold_test": True})
    assert answer.status_code == 200, answer.content
    row = ReleaseDraft.objects.get(project=cast.project)
    assert row.seed == row.secret_seed
    assert answer.json()["options"]["seed"] == ""
    assert row.secret_seed not in manager(cast).get(draft).content.decode()


@pytest.mark.parametrize("action", ["", "findings/", "items/"])
def test_a_draft_is_for_those_who_see_releases(cast: Cast, draft: str, action: str) -> None:
    assert program(cast.writer, cast.project.slug).get(draft + action).status_code == 403
    other = make_project()
    foreign, absent = (
        manager(other).get(f"releases/drafts/{pk}/{action}") for pk in (draft.split("/")[2], 10**9)
    )
    assert (foreign.status_code, foreign.json()) == (404, absent.json())


@pytest.mark.parametrize(
    "action", ["check/", "exclude/", "include/", "return/", "overrides/", "build/", "discard/", "restore/"]
)
def test_a_token_that_reads_changes_no_draft(cast: Cast, draft: str, action: str) -> None:
    answer = manager(cast, "read").post(draft + action)
    assert (answer.status_code, answer.json()["code"]) == (403, "scope")


@pytest.mark.parametrize("address", ["releases/drafts/", "items/", "items/?list=held"])
def test_a_page_takes_six_statements_at_most(cast: Cast, draft: str, address: str) -> None:
    at = address if address.startswith("releases") else draft + address
    sign = "&" if "?" in at else "?"
    few, many = (manager(cast).statements(f"{at}{sign}limit={limit}") for limit in (1, 1000))
    assert few == many <= 7
