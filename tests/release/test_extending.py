"""A release that extends another one: what it keeps, what it may change, and what it shows of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from annotation.models import Cause, Item, State
from annotation.services import apply_verdict, request_another_look, retire_item
from core.errors import Unusable
from release.assembly.recipe import Recipe
from release.assembly.versions import MAJOR, MINOR, PATCH, after, step
from release.models import Release, ReleaseItem, ReleaseState
from release.queries.file import stored_at
from release.services import rebuild_release
from tests.corpus.commands import run
from tests.factories import Cast, make_project, wording
from tests.release.made import ALLOWED, bring, built, record, records
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
PLACES = ("item", "public_id", "number", "split", "order", "record")


def _released() -> Cast:
    made = make_project()
    bring(made, records())
    built(made)
    return made


@pytest.fixture(scope="module")
def _cast(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Cast]:
    with shared_rows(django_db_blocker, _released) as made:
        yield made


@pytest.fixture
def cast(_cast: Cast, db: None) -> Cast:
    return deepcopy(_cast)


def extending(version: str = "1.0.0", **changes: Any) -> Recipe:
    return replace(ALLOWED, extends=version, **changes)


def places(release: Release) -> dict[Any, tuple[Any, ...]]:
    rows = ReleaseItem.objects.filter(release=release).values_list(*PLACES)
    return {row[0]: row[1:] for row in rows}


def content(release: Release, name: str) -> str:
    return stored_at(release.artifacts.get(name=name).sha256).read_text()


def item_of(cast: Cast, ref: str) -> Item:
    return Item.objects.get(project=cast.project, ref=ref)


@pytest.mark.parametrize(
    ("base", "version", "kind"),
    [
        ("1.0.0", "1.0.1", PATCH),
        ("1.0.0", "1.0.7", PATCH),
        ("1.0.3", "1.1.0", MINOR),
        ("1.9.3", "2.0.0", MAJOR),
        ("1.0.0-rc.1", "1.0.0", MAJOR),
        ("1.0.0-rc.9", "1.0.0-rc.10", MAJOR),
        ("1.0.0", "1.1.0-rc.1", MINOR),
        ("1.0.0", "1.0.0", ""),
        ("1.0.1", "1.0.0", ""),
        ("1.0.0", "1.1.1", ""),
        ("1.0.0", "2.1.0", ""),
        ("1.0.0", "1.0.0-rc.1", ""),
    ],
)
def test_it_knows_which_step_leads_from_one_version_to_the_next(base: str, version: str, kind: str) -> None:
    assert step(base, version) == kind
    if kind and "-" not in base + version:
        assert step(base, after(base, kind)) == kind


def test_it_keeps_id_split_and_places_of_what_a_patch_leaves_in(cast: Cast) -> None:
    first = Release.objects.get()
    retire_item(actor=cast.manager, item=item_of(cast, "moral-2-1"), reason="Two fit.")
    request_another_look(actor=cast.manager, item=item_of(cast, "moral-3-1"), reason="Odd.")
    bring(cast, [record(9, 0)])  # verified by now, but a patch adds nothing
    patch = built(cast, version="1.0.1", seed="8", recipe=extending())
    assert patch.state == ReleaseState.READY, patch.why
    before, now = places(first), places(patch)
    assert len(now) == 40
    assert all(before[item] == now[item] for item in now)
    since = patch.manifest["since"]
    assert (since["kind"], since["same"], since["retired"], since["held_back"], since["added"]) == (
        *(PATCH, 40, 1, 1),
        0,
    )
    lines = [json.loads(line) for line in content(patch, "errata.jsonl").splitlines()]
    assert {line["change"] for line in lines} == {"retired", "held_back"}
    assert all(line["canary"] and line["version"] == "1.0.1" for line in lines)
    card = content(patch, "README.md")
    assert "Changes since 1.0.0" in card
    assert "errata.jsonl" in content(patch, "SHA256SUMS")
    assert rebuild_release(release=patch).differing == ()


def test_it_brings_an_item_back_to_its_old_place(cast: Cast) -> None:
    item = item_of(cast, "moral-3-1")
    request_another_look(actor=cast.manager, item=item, reason="Odd.")
    built(cast, version="1.0.1", recipe=extending())
    for state in (State.IN_VERIFICATION, State.VERIFIED):  # what its reviewers came to
        item.refresh_from_db()
        assert item.current is not None
        apply_verdict(
            actor=cast.reviewer,
            item=item,
            revision_id=wording(item).pk,
            to_state=state,
            cause=Cause.VERIFIER_PASS,
        )
    patch = built(cast, version="1.0.2", recipe=extending("1.0.1"))
    assert places(patch)[item.pk] == places(Release.objects.get(version="1.0.0"))[item.pk]
    assert patch.manifest["since"]["returned"] == 1
    assert [line["version"] for line in patch.manifest["since"]["errata"]] == ["1.0.1", "1.0.2"]


def test_it_adds_in_a_minor_version_with_ids_that_nobody_had(cast: Cast) -> None:
    first = Release.objects.get()
    retire_item(actor=cast.manager, item=item_of(cast, "moral-2-1"), reason="Two fit.")
    built(cast, version="1.0.1", recipe=extending())
    new = [record(9, number) for number in range(4)] + [record(2, 7), record(5, 7)]
    bring(cast, new)
    minor = built(cast, version="1.1.0", recipe=extending("1.0.1"))
    before, now = places(first), places(minor)
    added = set(now) - set(before)
    assert len(added) == 6
    assert all(before[item] == now[item] for item in set(now) & set(before))
    assert sorted(now[item][1] for item in added) == list(range(43, 49))
    splits: dict[str, set[str]] = {}
    for row in now.values():
        splits.setdefault(row[4]["story_id"], set()).add(row[2])
    assert all(len(sides) == 1 for sides in splits.values()), "whole stories, old and new"
    since = minor.manifest["since"]
    assert (since["kind"], since["added"], since["apart"]["dev"] <= 1) == (MINOR, 6, True)


def test_it_reports_what_a_patch_does_to_the_balance_and_is_not_stopped_by_it(cast: Cast) -> None:
    keyed_a = ReleaseItem.objects.filter(record__answer=0, split="test", record__task="commonsense")
    for one in list(keyed_a)[:3]:
        retire_item(actor=cast.manager, item=one.item, reason="Out.")
    patch = built(cast, version="1.0.1", recipe=extending())
    assert patch.state == ReleaseState.READY
    assert patch.manifest["since"]["apart"]["test"] >= 3
    gate = next(
        one for one in patch.manifest["gates"] if one["id"] == "key_position" and one["task"] == "commonsense"
    )
    assert gate["verdict"] == "warning"
    assert "may differ by up to: dev" in content(patch, "README.md")


@pytest.mark.parametrize(
    ("version", "change", "sentence"),
    [
        ("1.0.0", {}, "cannot be changed|already exists with other settings"),
        ("1.2.1", {}, "does not follow 1.0.0"),
        ("0.9.0", {}, "does not follow 1.0.0"),
        ("1.0.1", {"split": "item"}, "keeps its split rule"),
        ("2.0.0", {"withhold_test": True}, "are public"),
        ("1.0.1", {"extends": "3.0.0"}, "There is no release 3.0.0 to extend"),
    ],
)
def test_it_refuses_steps_that_say_one_thing_and_do_another(
    cast: Cast, version: str, change: dict[str, Any], sentence: str
) -> None:
    recipe = replace(extending(), **change)
    with pytest.raises(Unusable, match=sentence):
        built(cast, version=version, seed=None if recipe.withhold_test else "7", recipe=recipe)


def test_it_keeps_answers_withheld_until_a_major_version() -> None:
    cast = make_project()
    bring(cast, records())
    secret = replace(ALLOWED, withhold_test=True)
    built(cast, seed=None, recipe=secret)
    with pytest.raises(Unusable, match="only a new major version"):
        built(cast, version="1.0.1", recipe=extending())
    retire_item(actor=cast.manager, item=item_of(cast, "moral-2-1"), reason="Its key is A.")
    patch = built(cast, version="1.0.1", seed=None, recipe=replace(secret, extends="1.0.0"))
    assert list(patch.manifest["since"]["apart"]) == ["dev"], "the balance of secret keys is not shown"
    assert "Its key is A" not in content(patch, "errata.jsonl") + content(patch, "README.md")
    assert built(cast, version="2.0.0", recipe=extending("1.0.1")).state == ReleaseState.READY


def test_it_is_cut_by_command_and_by_form(cast: Cast, tmp_path: Path) -> None:
    bring(cast, [record(9, 0)])
    usual = ("--project", cast.project.slug, "--allow", "rights", "--reason", "A test.", "--seed", "7")
    said = run(
        *("build_release", *usual, "--release", "1.1.0", "--extends", "1.0.0", "--out", tmp_path / "new"),
        *("--contact", "errors at example.org"),
    )
    assert (said.code, said.err) == (0, "")
    assert "Since 1.0.0: 42 unchanged" in said.out
    assert "errors at example.org" in (tmp_path / "new" / "README.md").read_text()
    again = run(
        *("build_release", *usual, "--release", "1.1.0", "--extends", "1.0.0", "--out", tmp_path / "again"),
        *("--contact", "errors at example.org"),
    )
    assert again.code == 0
    wrong = run(
        *("build_release", *usual, "--release", "1.3.7", "--extends", "1.1.0", "--out", tmp_path / "no")
    )
    assert wrong.code == 2
    assert "1.1.1" in wrong.verdict


def test_it_proposes_what_extends_the_newest_and_a_patch_where_asked(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.manager)
    form = client.get(f"/p/{cast.project.slug}/releases/new").content.decode()
    assert '<option value="1.0.0" selected' in form
    assert 'value="1.1.0"' in form
    patch = client.get(f"/p/{cast.project.slug}/releases/new?patch=1.0.0").content.decode()
    assert 'value="1.0.1"' in patch


def test_it_shows_on_the_page_what_has_changed(cast: Cast) -> None:
    retire_item(actor=cast.manager, item=item_of(cast, "moral-2-1"), reason="Two fit.")
    client = Client()
    client.force_login(cast.manager)
    built(cast, version="1.0.1", recipe=replace(ALLOWED, extends="1.0.0"))
    page = client.get(f"/p/{cast.project.slug}/releases/1.0.1/reports").content.decode()
    assert "Changes since 1.0.0" in page
    assert "retired" in page
