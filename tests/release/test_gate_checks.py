"""The gates over items that are not released yet: what is looked at, by whom it is seen, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client, TestCase
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from accounts.services import get_or_create_placeholder
from annotation.models import Item
from annotation.services import import_items, retire_item
from core.errors import Forbidden
from jobs.job_types import Report
from jobs.models import Job
from jobs.queries import lost_jobs, unfinished_jobs
from parable.formats.records import ItemRecord, Reading, Row
from parable.quality.gates import GATES, GateResult, ItemSet, judge, judge_together
from release.models import GateCheck, GateSlice
from release.queries.draft import findings
from release.queries.gate import GATE_CHECK, count_unreleased, parts, unreleased_items
from release.queries.release import preview
from release.services import (
    check_draft,
    check_gate_slice,
    create_draft,
    order_gate_check,
    order_nightly_checks,
    run_gate_check,
)
from tests.factories import Cast, make_project, submit_item
from tests.parable.planted import clean
from tests.release.made import bring, built, record, records
from tests.work import do_work, end_first, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return make_project()


def written(cast: Cast, name: str, items: Sequence[ItemRecord]) -> User:
    """Items in review by somebody of this name."""
    writer = get_or_create_placeholder(actor=cast.manager, name=name)
    rows = tuple(Row(number, item) for number, item in enumerate(items, start=1))
    result = import_items(
        actor=cast.manager,
        project=cast.project,
        readings=[Reading("items.jsonl", "parable", rows, ())],
        state="in_review",
        writer=writer,
    )
    assert not result.issues, result.issues
    return writer


def telling(count: int, first: int = 0) -> list[ItemRecord]:
    """Items whose key is the longest option."""
    made = [record(first + number // 4, number % 4) for number in range(count)]
    return [_with_long_key(one) for one in made]


def _with_long_key(item: ItemRecord) -> ItemRecord:
    choices = [
        f"{text} and so on, at length" if index == item.answer else text
        for index, text in enumerate(item.choices)
    ]
    return replace(item, choices=tuple(choices))


def plain(count: int, first: int) -> list[ItemRecord]:
    return [record(first + number // 4, number % 4) for number in range(count)]


def checked(cast: Cast) -> dict[str, Any]:
    order_gate_check(actor=cast.manager, project=cast.project)
    run_gate_check(project_id=cast.project.pk)
    return dict(GateCheck.objects.get(project=cast.project).findings)


def answer(findings: dict[str, Any], kind: str, gate: str, user: User | None = None) -> dict[str, Any]:
    part = next(
        one for one in findings["parts"] if one["kind"] == kind and one["user"] == (user.pk if user else None)
    )
    found: dict[str, Any] = next(
        one for one in part["answers"] if one["id"] == gate and one["task"] != "moral"
    )
    return found


def page(cast: Cast, user: User) -> Any:
    client = Client()
    client.force_login(user)
    return client.get(f"/p/{cast.project.slug}/gates")


def words(cast: Cast) -> str:
    """The page of a manager, in one line."""
    return re.sub(r"\s+", " ", page(cast, cast.manager).content.decode())


def test_it_looks_at_what_is_handed_in_and_not_released(cast: Cast) -> None:
    bring(cast, records(2))
    built(cast)
    assert not unreleased_items(cast.project).exists()
    handed_in = submit_item(cast)
    bring(cast, [record(7, 0), record(7, 1)])
    retired = Item.objects.get(ref="commonsense-7-1")
    retire_item(actor=cast.manager, item=retired, reason="Its key is wrong.")
    assert {item.pk for item in unreleased_items(cast.project)} == {
        handed_in.pk,
        Item.objects.get(ref="commonsense-7-0").pk,
    }


def test_it_counts_many_items_before_a_release_once_a_minute(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted() -> tuple[int, int]:
        return count_unreleased(cast.project), preview(cast.project).shares[0].under_way

    for module in ("gate", "release"):
        monkeypatch.setattr(f"release.queries.{module}.COUNTED_ANEW", 1)
    submit_item(cast)
    assert counted() == (1, 1)
    submit_item(cast)
    assert counted() == (2, 2), "one is not many"
    submit_item(cast)
    assert counted() == (2, 2)


def test_it_shows_a_managers_page_an_artefact_of_a_writer_after_fifty_items(cast: Cast) -> None:
    long, even = written(cast, "Longfellow", telling(50)), written(cast, "Evans", plain(60, 50))
    findings = checked(cast)
    found, other = (answer(findings, "writer", "length_artefact", one) for one in (long, even))
    assert (found["verdict"], found["stands_out"], found["figure"]) == ("not_applicable", True, 1.0)
    assert len(found["offenders"]) == 12
    assert found["named"] == 50
    assert not other["stands_out"]
    whole = answer(findings, "all", "length_artefact")
    assert whole["verdict"] == "error"  # 110 keyed items in all
    text = words(cast)
    assert "Check: Longfellow" in text
    assert "To look at: Evans" not in text
    assert f'/items/{found["offenders"][0]["item"]}"' in text
    assert "Conspicuous" in text
    assert text.index("Length of the key") < text.index("By writer")


def test_it_says_which_items_it_checks_and_promises_nothing_of_a_release(cast: Cast) -> None:
    bring(cast, records(1))
    assert built(cast).state == "ready"  # only by an override: the rights of its story are unknown
    written(cast, "Much", plain(20, 50))
    cast.project.stories.exclude(ref="tale-0").update(rights="public domain")
    assert answer(checked(cast), "all", "rights")["verdict"] == "ok"
    text = words(cast)
    assert "20 items not yet released, as of" in text
    assert "Includes submitted items that are not verified yet" in text
    assert f'The contents of a release are checked in its draft: <a href="/p/{cast.project.slug}/' in text
    assert "in your 20 items" in text
    for promise in ("would stop", "cut today"):
        assert promise not in text


def test_it_says_nothing_of_a_writer_of_few_items(cast: Cast) -> None:
    written(cast, "Brief", plain(19, 0))
    assert "No writer has 20 unreleased items yet." in (checked(cast), words(cast))[1]


def test_it_counts_the_tests_of_all_parts_as_one_run() -> None:
    one, other = (ItemSet(tuple(clean(size, 1)), is_foreign=True) for size in (240, 120))
    gates = [GATES["length_artefact"]]
    together = judge_together([(one, gates), (other, gates)])
    assert {said.detail["tests"] for results in together for said in results if said.task != "moral"} == {4}


def thresholds(results: Sequence[GateResult]) -> dict[str, tuple[object, int]]:
    return {one.id: (one.threshold, one.detail["tests"]) for one in results if "tests" in one.detail}


def test_a_set_is_judged_by_one_threshold_whoever_places_its_keys() -> None:
    items = tuple(clean(240, 1))
    audited = thresholds(judge(ItemSet(items, is_foreign=True)))
    built_by_us = thresholds(judge(ItemSet(items)))
    on_their_way = thresholds(judge(ItemSet(items, is_foreign=True), [GATES["length_artefact"]]))
    assert audited | built_by_us == audited, "the position of the key is exact in a build of ours"
    assert audited.keys() - built_by_us.keys() == {"key_position"}
    tests = thresholds(judge(ItemSet(items), [GATES["length_artefact"]]))
    assert on_their_way == tests, "asked alone, too"


def test_a_figure_passes_or_fails_alike_on_the_page_in_a_draft_and_in_an_audit(cast: Cast) -> None:
    for number, name in enumerate(("Ann", "Bob")):  # parts by writer are no part of the whole
        items = clean(120, number)
        bring(
            cast, [replace(one, id=f"{name}{one.id}", split=None, types=("social",)) for one in items], name
        )
    waiting = {
        one["id"]: (one["threshold"], one["detail"]["tests"])
        for one in checked(cast)["parts"][0]["answers"]
        if "tests" in one["detail"]
    }
    data = {"version": "1.0.0", "dev_share": "0.2", "split": "story", "seed": "7"}
    draft = create_draft(actor=cast.manager, project=cast.project, data=data)
    check_draft(draft_id=draft.pk)
    drafted = {
        one.gate: (one.answer["threshold"], one.detail["tests"])
        for one in findings(draft)
        if "tests" in one.detail
    }
    assert len(waiting) >= 5
    assert {name: drafted[name][1] for name in waiting} == {
        name: tests for name, (_, tests) in waiting.items()
    }
    for refitted in ("options_only", "no_story"):  # their folds follow the order of the items
        drafted[refitted] = waiting[refitted]
    assert {name: drafted[name] for name in waiting} == waiting
    past, tests = waiting["length_artefact"]
    message = f"Warns above {100 * past:.1f} %: the threshold for {tests} tests of these items."
    assert message in words(cast)


def test_it_looks_by_style_where_there_are_several(cast: Cast) -> None:
    bring(cast, records(2))
    found = parts(cast.project)
    assert [(part.kind, part.style, len(part.items.items)) for part in found[:3]] == [
        ("all", "", 14),
        ("style", "human", 10),
        ("style", "machine", 4),
    ]


def test_it_asks_each_gate_of_the_parts_that_it_looks_at(cast: Cast) -> None:
    written(cast, "Much", plain(20, 0))
    bring(cast, records(2))
    asked = {part.kind: [gate.id for gate in part.gates] for part in parts(cast.project)}
    habits = ["length_artefact", "options_only", "no_story", "sibling_leak"]
    of_many = [habits[0], "tells", "convergence", "story_overlap", *habits[1:]]
    counted = ["duplicates", "explanations", "type_coverage", "option_format", "faulty_items", "rights"]
    assert asked == {
        "all": [*of_many, *counted],
        "style": [*of_many, "option_format"],
        "writer": habits,
    }


@pytest.mark.parametrize("role", ["writer", "reviewer", "verifier"])
def test_it_is_for_managers_only(cast: Cast, role: str) -> None:
    person = getattr(cast, role)
    assert page(cast, person).status_code == 403
    with pytest.raises(Forbidden):
        order_gate_check(actor=person, project=cast.project)


def test_it_does_not_exist_for_outsiders(cast: Cast) -> None:
    assert page(cast, cast.outsider).status_code == 404


def test_it_says_what_is_there_when_nothing_has_been_checked(cast: Cast) -> None:
    assert "There are no unreleased items." in words(cast)
    submit_item(cast)
    assert "1 item is not yet released. Gates are checked every night, or when you start a check." in words(
        cast
    )
    checked(cast)
    assert "1 item not yet released, as of" in words(cast)
    assert "No changes since." in words(cast)
    bring(cast, [record(7, 0)])
    assert "Items have changed since." in words(cast)


def test_it_says_how_far_a_check_is_and_when_it_has_lost_its_worker(cast: Cast) -> None:
    check = order_gate_check(actor=cast.manager, project=cast.project)
    assert "Waiting for a worker since" in words(cast)
    assert order_gate_check(actor=cast.manager, project=cast.project) == check
    assert not lost_jobs()
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    assert list(lost_jobs()) == [check]
    assert Job.objects.get().is_silent
    assert "The job does not respond." in words(cast)
    do_work(GATE_CHECK, cast.project.pk)
    assert not lost_jobs()
    assert "There were no unreleased items." in words(cast)


def test_it_says_that_a_fault_ended_a_check(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    order_gate_check(actor=cast.manager, project=cast.project)

    def broken(*, project_id: int, report: Report) -> None:
        raise RuntimeError(project_id, report)

    monkeypatch.setattr("release.services.run_gate_check", broken)
    do_work(GATE_CHECK, cast.project.pk)
    assert "It failed because of an error in Parable." in words(cast)
    assert not lost_jobs()
    monkeypatch.undo()
    order_gate_check(actor=cast.manager, project=cast.project)
    do_work(GATE_CHECK, cast.project.pk)
    assert "error in Parable" not in words(cast)


def test_its_page_shows_what_a_check_found_that_ends_meanwhile(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    order_gate_check(actor=cast.manager, project=cast.project)
    end_first(monkeypatch, "release.views.gate")
    assert "There were no unreleased items." in words(cast)


def test_it_looks_at_night_where_something_has_moved(cast: Cast) -> None:
    assert order_nightly_checks() == []
    submit_item(cast)
    assert order_nightly_checks() == [cast.project.pk]
    run_gate_check(project_id=cast.project.pk)
    assert order_nightly_checks() == []
    submit_item(cast)
    assert order_nightly_checks() == [cast.project.pk]


def test_it_asks_for_a_check_with_a_button(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.manager)
    assert client.get(f"/p/{cast.project.slug}/gates/check").status_code == 405
    response = client.post(f"/p/{cast.project.slug}/gates/check")
    assert (response.status_code, response.headers["Location"]) == (302, f"/p/{cast.project.slug}/gates")
    assert unfinished_jobs(GATE_CHECK, cast.project.pk).exists()


def test_it_asks_the_database_as_often_for_many_writers_as_for_few(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.manager)
    counts = []
    for number in range(4):
        written(cast, f"Writer {number}", plain(20, 20 * number))
        if number in {0, 3}:
            checked(cast)
            with CaptureQueriesContext(
                connection,
            ) as asked:
                client.get(f"/p/{cast.project.slug}/gates")
            counts.append(len(asked))
    assert counts[0] == counts[1]


def in_slices(cast: Cast) -> dict[str, Any]:
    """What the jobs of a check find that are ordered after each other."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        order_gate_check(actor=cast.manager, project=cast.project)
        work_off()
    return dict(GateCheck.objects.get(project=cast.project).findings)


def stored() -> list[str]:
    """The files of slices in the storage."""
    return [str(path) for path in Path(default_storage.path("")).glob("gate_slices/**/*") if path.is_file()]


def test_many_items_are_checked_in_slices_with_the_same_findings(cast: Cast, settings: Settings) -> None:
    """All items, each style and each writer: what one job finds, slices find."""
    written(cast, "Ann", [*telling(30), *plain(30, 200)])
    written(cast, "Ben", plain(24, 300))
    Item.objects.filter(pk__in=Item.objects.order_by("pk")[:9].values("pk")).update(style="machine")
    whole = checked(cast)
    assert {part["kind"] for part in whole["parts"]} == {"all", "style", "writer"}
    settings.GATE_SLICE_ITEMS = 17
    assert in_slices(cast) == whole
    assert not GateSlice.objects.exists()
    assert not stored()


def test_a_slice_whose_worker_died_is_read_again_and_no_other(cast: Cast, settings: Settings) -> None:
    """What is read stays read; the slices are merged once, by the job after the last of them."""
    written(cast, "Ann", plain(30, 0))
    settings.GATE_SLICE_ITEMS = 10
    order_gate_check(actor=cast.manager, project=cast.project)
    slices = run_gate_check(project_id=cast.project.pk)
    assert len(slices) == 3
    assert check_gate_slice(slice_id=slices[1]) is None
    read = GateSlice.objects.get(pk=slices[1]).states
    assert run_gate_check(project_id=cast.project.pk) == [slices[0], slices[2]]
    assert "1 of 3 are read" in re.sub(r"\s+", " ", words(cast)) or "Checking items" in words(cast)
    assert check_gate_slice(slice_id=slices[0]) is None
    assert check_gate_slice(slice_id=slices[1]) is None  # its message came twice
    assert GateSlice.objects.get(pk=slices[1]).states == read
    assert not GateCheck.objects.filter(project=cast.project).exists()
    assert check_gate_slice(slice_id=slices[2]) == cast.project.pk
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert run_gate_check(project_id=cast.project.pk) == []
    assert GateCheck.objects.get(project=cast.project).findings["items"] == 30
    assert check_gate_slice(slice_id=slices[0]) is None  # the check is over
    assert not stored()
