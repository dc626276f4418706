"""Results: chosen by a manager, counted by a worker, shown and taken away; nobody else sees them."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import zipfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Item, KeyExposure
from annotation.services.item import retire_item
from core.errors import Unusable
from evaluation import services
from evaluation.models import AnswerRule, Portion, ReadingKind, ResultTables, Run
from evaluation.queries.panel import find_seat
from evaluation.queries.result_item import (
    DIFFER,
    RIGHT,
    CellItems,
    cells_of,
    items_behind,
    runs_by_name,
    runs_of,
)
from evaluation.queries.run import TABLES, answers_since
from evaluation.services.result import MOST_RUNS
from evaluation.views.result import GROUPS
from jobs.models import Job
from jobs.queries import job_of, unfinished_jobs
from jobs.tasks import sweep_jobs
from parable.__main__ import main
from parable.commands.results.plots import _PLOTS
from parable.psychometrics.results.tables import Column, Row, Table
from projects.models import Role
from projects.services import set_roles
from release.models import Release, ReleaseItem
from release.queries.release import frozen, frozen_items
from tests.evaluation.measuring import ITEMS, brought, signed_in
from tests.factories import Cast, make_project, make_user
from tests.release.folders import write
from tests.release.made import ALLOWED, bring, built, grant_rights, records
from tests.work import do_work, end_first, lost


@dataclass(frozen=True)
class Measured:
    """A release with the answers of two models that somebody brought in."""

    cast: Cast
    release: Release
    runs: list[Run]

    def order(self, **changes: Any) -> ResultTables:
        wanted: dict[str, Any] = {"release": self.release, "runs": self.runs}
        return services.order_results(actor=self.cast.manager, **(wanted | changes))

    def counted(self, **changes: Any) -> dict[str, Table]:
        results = self.order(**changes)
        services.count_results(results_id=results.pk)
        results.refresh_from_db()
        return {table["code"]: Table.from_json(table) for table in results.tables}


def _line(model: str, item: str, **said: Any) -> str:
    return json.dumps({"model": model, "item_id": item, "repeat": 1} | said) + "\n"


@pytest.fixture
def measured(released: tuple[Cast, Release]) -> Measured:
    """GLM-4, which drafted options, is always right but once lost; the other answers A twice, at length."""
    cast, release = released
    items = list(frozen_items(release))
    lines = [_line("GLM-4", one.public_id, choice=one.record["answer"]) for one in items[1:]]
    lines += [
        _line("other", one.public_id, text="The answer is A.", repeat=repeat)
        for one in items
        for repeat in (3, 4)
    ]
    runs = brought(release, cast.manager, "".join(lines).encode())
    return Measured(cast, release, runs)


def _row(table: Table, name: str) -> dict[tuple[str, str], Any]:
    cells = next(row.cells for row in table.rows if row.cells[0] == name)
    return {(one.code, one.of): cell for one, cell in zip(table.columns, cells, strict=True)}


def test_it_says_what_a_later_version_changes_for_each_model(measured: Measured) -> None:
    assert "erratum" not in measured.counted()
    lost, *_rest = frozen_items(measured.release)
    item = Item.objects.get(pk=ReleaseItem.objects.get(public_id=lost.public_id).item_id)
    retire_item(actor=measured.cast.manager, item=item, reason="Two options fit.")
    same = built(measured.cast, version="2.0.0", seed="9", recipe=ALLOWED)
    assert same.extends is None
    assert "erratum" not in measured.counted()  # another set, of items that happen to be the same
    built(measured.cast, version="1.0.1", recipe=replace(ALLOWED, extends="1.0.0"))
    table = measured.counted()["erratum"]
    assert table.params == {"version": "1.0.1", "before": ITEMS, "after": ITEMS - 1, "changed": 1}
    drafter = _row(table, "GLM-4")
    before, after = (drafter[code, ""][0] for code in ("accuracy_before", "accuracy_after"))
    assert (before, after) == (pytest.approx((ITEMS - 1) / ITEMS), 1.0)  # its lost answer was to that item
    assert drafter["correction", ""][0] == pytest.approx(after - before)
    assert (drafter["rank_before", ""], drafter["rank_after", ""]) == (1, 1)
    client = signed_in(measured.cast.manager)
    address = reverse("evaluation:result", args=[measured.cast.project.slug, ResultTables.objects.get().pk])
    page = client.get(f"{address}?view=erratum").text
    assert "by those of 1.0.1. Items that count otherwise" in page


def test_it_counts_what_was_asked_and_marks_who_drafted(measured: Measured) -> None:
    tables = measured.counted()
    outcomes = tables["outcomes"]
    asked: list[Any] = [row.cells[outcomes.column("asked")] for row in outcomes.rows]
    failed: list[Any] = [
        row.cells[outcomes.column("failed")] for row in outcomes.rows if row.cells[0] == "GLM-4"
    ]
    assert sum(asked) == 3 * ITEMS
    assert sum(failed) == 1
    other = _row(tables["accuracy"], "other")
    assert other["strict", "moral"][0] == 0.0
    assert other["accuracy", "moral"][0] > 0.0
    marked = {row.cells[0]: row.has_drafted for row in tables["accuracy"].rows}
    assert marked == {"GLM-4": True, "other": False, "random": False}
    assert {row.cells[0] for row in tables["repeats"].rows} == {"other"}


def test_it_counts_one_split_alone(measured: Measured) -> None:
    outcomes = measured.counted(split=Portion.DEV)["outcomes"]
    items: set[Any] = {row.cells[outcomes.column("items")] for row in outcomes.rows}
    dev = [one for one in frozen_items(measured.release) if one.split == "dev"]
    assert sum(items) <= len(dev) < ITEMS


@pytest.mark.parametrize("split", [Portion.BOTH, Portion.TEST])
def test_it_says_how_many_items_were_asked_and_not_how_many_there_are(measured: Measured, split: str) -> None:
    """Two models were asked the test split; the headings and the row of guessing speak of that."""
    test = [one for one in frozen_items(measured.release) if one.split == "test"]
    lines = [_line(name, one.public_id, choice=0) for one in test for name in ("one", "two")]
    runs = brought(measured.release, measured.cast.manager, "".join(lines).encode(), "test.jsonl")
    assert {run.split for run in runs} == {Portion.TEST}
    tables = measured.counted(runs=runs, split=split)
    counts = {column.of: column.n for column in tables["accuracy"].columns if column.n is not None}
    by_task = Counter(one.record["task"] for one in test)
    assert counts == dict(by_task)
    assert sum(counts.values()) < ITEMS
    whole = measured.counted(runs=[*runs, *measured.runs], split=Portion.BOTH)["accuracy"]
    assert sum(column.n or 0 for column in whole.columns) == ITEMS, "one of them was asked all"


def test_the_page_of_results_leads_to_the_newest_and_names_every_table_in_a_group(measured: Measured) -> None:
    slug = measured.cast.project.slug
    address, client = reverse("evaluation:results", args=[slug]), signed_in(measured.cast.manager)
    assert client.get(address).status_code == 200
    first = measured.order()
    assert client.get(address).status_code == 200, "it is not computed yet"
    services.count_results(results_id=first.pk)
    shown = reverse("evaluation:result", args=[slug, first.pk])
    assert client.get(address).headers["Location"] == shown
    second = measured.order(runs=measured.runs[:1])
    services.count_results(results_id=second.pk)
    newest = reverse("evaluation:result", args=[slug, second.pk])
    assert client.get(address).headers["Location"] == newest
    for parameters in ("?release=1.0.0", "?page=1"):
        assert 'id="choose"' in client.get(address + parameters).content.decode()
    page = client.get(shown).content.decode()
    assert f'href="{address}?release=1.0.0"' in page
    first.refresh_from_db()
    for table in first.tables:
        assert page.count(f'href="?view={table["code"]}"') == 1, table["code"]


def test_every_table_with_a_chart_is_in_one_group() -> None:
    grouped = [code for codes in GROUPS.values() for code in codes]
    assert len(grouped) == len(set(grouped))
    assert set(_PLOTS) - {"replication"} <= set(grouped)


def test_it_offers_the_split_that_was_run(measured: Measured) -> None:
    address = reverse("evaluation:results", args=[measured.cast.project.slug])
    client = signed_in(measured.cast.manager)
    assert 'value="both" selected' in client.get(address).content.decode()
    test = [one for one in frozen_items(measured.release) if one.split == "test"]
    lines = [_line(name, one.public_id, choice=0) for one in test for name in ("GLM-4", "other")]
    brought(measured.release, measured.cast.manager, "".join(lines).encode(), "test.jsonl")
    assert 'value="test" selected' in client.get(address).content.decode()
    with pytest.raises(Unusable, match="covers this split"):
        measured.order(runs=list(Run.objects.filter(split=Portion.TEST)), split=Portion.DEV)


def test_it_counts_the_same_choice_once_and_afresh_when_asked_again(measured: Measured) -> None:
    first, second = measured.order(), measured.order(runs=measured.runs[::-1])
    assert first.pk == second.pk
    assert unfinished_jobs(TABLES, second.pk).exists()
    for _twice in range(2):
        services.count_results(results_id=first.pk)
        first.refresh_from_db()
        assert {"accuracy", "pairs"} <= {table["code"] for table in first.tables}
    do_work(TABLES, first.pk)
    assert not unfinished_jobs(TABLES, first.pk).exists()


def test_it_refuses_what_cannot_stand_side_by_side(measured: Measured) -> None:
    other = make_project()
    bring(other, records(3))
    grant_rights(other)
    wrong: list[dict[str, Any]] = [
        {"runs": []},
        {"runs": measured.runs * MOST_RUNS},
        {"release": built(measured.cast, version="1.1.0")},
        {"split": "all"},
    ]
    for changes in wrong:
        with pytest.raises(Unusable):
            measured.order(**changes)


def test_it_counts_people_over_what_they_answered_and_says_when_more_came(measured: Measured) -> None:
    panel = services.open_panel(
        actor=measured.cast.manager, release=measured.release, split=Portion.BOTH, sample_size=6
    )
    results = measured.order(runs=[*measured.runs, panel])
    issued = services.invite_to_panel(
        actor=measured.cast.manager, run=panel, names=["Ann"], items_each=4, days=3
    )
    services.count_results(results_id=results.pk)
    results.refresh_from_db()
    assert answers_since(results) == 0
    seat = find_seat(token=issued[0].token)
    place = services.next_place(seat=seat)
    assert place is not None
    services.answer_place(seat=seat, position=place.position, shown=0)
    assert answers_since(results) == 1
    services.count_results(results_id=results.pk)
    results.refresh_from_db()
    outcomes = Table.from_json(next(one for one in results.tables if one["code"] == "outcomes"))
    people = [row for row in outcomes.rows if row.cells[0] == panel.examinee.name]
    assert [row.kind for row in people] == ["people"]
    assert people[0].cells[outcomes.column("asked")] == 1


def test_a_lost_order_is_found_and_a_fault_is_shown(
    measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = measured.order()
    assert lost(TABLES) == []
    job = job_of(TABLES, results.pk)
    assert job is not None
    Job.objects.filter(pk=job.pk).update(created_at="2026-01-01T00:00Z")
    assert lost(TABLES) == [job]
    dispatched: list[tuple[str, int]] = []
    monkeypatch.setattr("jobs.hooks.dispatch", lambda kind, subject: dispatched.append((kind, subject)))
    sweep_jobs()
    assert [one for one in dispatched if one[0] == TABLES] == [(TABLES, results.pk)]
    monkeypatch.setattr("evaluation.queries.result.make_tables", lambda *_: 1 / 0)
    do_work(TABLES, results.pk)
    assert lost(TABLES) == []
    page = _get(signed_in(measured.cast.manager), measured, "result", results.pk)
    assert "It failed because of an error in Parable" in page


def _get(client: Client, measured: Measured, name: str, *more: object, language: str = "en") -> str:
    address = reverse(f"evaluation:{name}", args=[measured.cast.project.slug, *more])
    answer = client.get(address, headers={"accept-language": language})
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def test_a_manager_chooses_runs_waits_and_sees_tables(
    measured: Measured, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(measured.cast.manager)
    assert "GLM-4" in _get(client, measured, "results")
    ticked = re.compile(r'name="runs" value="[^"]+" checked')
    assert len(ticked.findall(_get(client, measured, "results"))) == 2
    with monkeypatch.context() as patched:
        patched.setattr("evaluation.views.result.MOST_RUNS", 1)
        found = ticked.findall(_get(client, measured, "results"))
        assert len(found) == 1, "no more than may be compared"
    dispatched: list[int] = []
    monkeypatch.setattr("evaluation.views.result.dispatch", lambda _kind, subject: dispatched.append(subject))
    address = reverse("evaluation:results", args=[measured.cast.project.slug])
    sent = {"release": "1.0.0", "split": "both", "runs": [run.pk for run in measured.runs]}
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(address, sent)
    results = ResultTables.objects.get()
    assert answer.headers["Location"] == reverse(
        "evaluation:result", args=[measured.cast.project.slug, results.pk]
    )
    assert "Calculating" in _get(client, measured, "result", results.pk)
    do_work(TABLES, dispatched[0])
    page = _get(client, measured, "result", results.pk)
    assert "Calculating" not in page
    assert "GLM-4*" in page
    assert "Correct answers in percent" in page
    assert "1.0.0" in client.get(f"{address}?page=1").content.decode()
    refused = client.post(address, {"release": "1.0.0", "split": "both"})
    assert refused.status_code == 400
    assert "Select at least one run" in refused.content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("evaluation:recalculate", args=[measured.cast.project.slug, results.pk]))
    assert dispatched == [results.pk] * 2


def test_its_page_shows_tables_whose_counting_ends_meanwhile(
    measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = measured.order()
    end_first(monkeypatch, "evaluation.views.result")
    assert "GLM-4*" in _get(signed_in(measured.cast.manager), measured, "result", results.pk)


def test_every_table_is_a_file_in_four_forms_and_two_languages(measured: Measured) -> None:
    client = signed_in(measured.cast.manager)
    tables = measured.counted()
    results = ResultTables.objects.get()
    drawn = reverse(
        "evaluation:result_file", args=[measured.cast.project.slug, results.pk, "accuracy", "svg"]
    )
    english, chinese = (client.get(drawn, {"language": language}) for language in ("en", "zh"))
    assert english.content != chinese.content
    style = re.search(rb"<style>(.*)</style>", english.content)
    assert style is not None
    allowed = base64.b64encode(hashlib.sha256(style[1]).digest()).decode()
    assert f"style-src 'sha256-{allowed}'" in english.headers["Content-Security-Policy"]
    assert "<svg" in chinese.content.decode()
    assert client.get(drawn, {"language": "zh"}).content == chinese.content
    for table in tables:
        for ending in ("csv", "md", "tex"):
            address = reverse(
                "evaluation:result_file", args=[measured.cast.project.slug, results.pk, table, ending]
            )
            english = client.get(address, {"language": "en"})
            chinese = client.get(address, {"language": "zh"})
            assert english.status_code == chinese.status_code == 200
            assert english.content != chinese.content
    for table, ending in (("accuracy", "exe"), ("nothing", "csv"), ("nothing", "svg")):
        address = reverse(
            "evaluation:result_file", args=[measured.cast.project.slug, results.pk, table, ending]
        )
        assert client.get(address).status_code == 404


def _records(client: Client, measured: Measured) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """The aggregate and the lines of each model in the archive of the results."""
    pk = ResultTables.objects.get().pk
    address = reverse("evaluation:result_records", args=[measured.cast.project.slug, pk])
    with zipfile.ZipFile(io.BytesIO(client.get(address).getvalue())) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    about: dict[str, Any] = {}
    lines: dict[str, list[dict[str, Any]]] = {}
    for name, data in files.items():
        if not name.endswith("_samples.jsonl"):
            found = json.loads(data)
            details = found["detailed_evaluation_results"]
            model = found["model_info"]["name"]
            about[model] = found
            lines[model] = [json.loads(line) for line in files[details["file_path"]].splitlines()]
            assert details["checksum"] == hashlib.sha256(files[details["file_path"]]).hexdigest()
            assert details["total_rows"] == len(lines[model])
    assert len(files) == 2 * len(about)
    return about, lines


def test_the_answers_are_records_of_every_eval_ever_with_the_figures_of_the_tables(
    measured: Measured, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = measured.counted()
    client = signed_in(measured.cast.manager)
    about, lines = _records(client, measured)
    assert {*about} == {"GLM-4", "other"}
    outcomes = tables["outcomes"]
    places = [outcomes.column(name) for name in ("asked", "right")]
    counted: dict[tuple[Any, Any], tuple[Any, ...]] = {
        (row.cells[0], row.cells[1]): tuple(row.cells[place] for place in places) for row in outcomes.rows
    }
    assert len(counted) == 4
    for (model, task), (asked, right) in counted.items():
        results = about[model]["evaluation_results"]
        [found] = [one for one in results if one["evaluation_result_id"] == f"{task}:accuracy"]
        assert found["score_details"]["uncertainty"]["num_samples"] == asked
        assert found["score_details"]["score"] == pytest.approx(right / asked)
        told = [one["evaluation"]["is_correct"] for one in lines[model] if one["metadata"]["task"] == task]
        assert (len(told), sum(told)) == (asked, right)
    lost = [one for one in lines["GLM-4"] if one["error"]]
    assert [(one["output"]["raw"], one["metadata"]["outcome"]) for one in lost] == [([], "failed")]
    folder = write(frozen(measured.release), tmp_path / "release")
    for model, read in lines.items():
        path = tmp_path / f"{model}_samples.jsonl"
        path.write_text("".join(f"{json.dumps(one)}\n" for one in read), encoding="utf-8")
        assert main(["score", str(path), "--release", str(folder), "--json"]) == 0
        scores = json.loads(capsys.readouterr().out.splitlines()[-1])["models"][model]
        for task in ("commonsense", "moral"):
            assert (scores[task]["n"], scores[task]["correct"]) == counted[model, task]


def test_records_of_one_split_have_its_answers_alone(measured: Measured) -> None:
    measured.counted(split=Portion.DEV)
    _about, lines = _records(signed_in(measured.cast.manager), measured)
    dev = {one.public_id for one in frozen_items(measured.release) if one.split == "dev"}
    assert {one["sample_id"] for one in lines["other"]} == dev


def test_records_say_by_which_rule_of_the_results_an_answer_is_right(measured: Measured) -> None:
    counted = measured.counted(rule=AnswerRule.CRMUS)["outcomes"]
    _about, lines = _records(signed_in(measured.cast.manager), measured)
    right: list[Any] = [row.cells[counted.column("right")] for row in counted.rows if row.cells[0] == "other"]
    assert sum(one["evaluation"]["is_correct"] for one in lines["other"]) == sum(right)


def test_keys_in_records_are_remembered_and_there_are_none_before_a_count(measured: Measured) -> None:
    results = measured.order()
    address = reverse("evaluation:result_records", args=[measured.cast.project.slug, results.pk])
    page = reverse("evaluation:result", args=[measured.cast.project.slug, results.pk])
    cast, observer = measured.cast, make_user("Olga Observer")
    set_roles(actor=cast.manager, project=cast.project, user=observer, roles=[Role.OBSERVER])
    client, seen = signed_in(observer), KeyExposure.objects.filter(user=observer)
    assert client.get(address).status_code == 404
    assert address not in client.get(page).text
    services.count_results(results_id=results.pk)
    assert address in client.get(page).text
    assert not seen.exists()
    assert client.get(address).status_code == 200
    assert seen.count() == 3 * (4 + 1)  # four items of each story, and its moral


def test_nobody_but_managers_sees_results(measured: Measured) -> None:
    measured.counted()
    results = ResultTables.objects.get()
    slug = measured.cast.project.slug
    addresses = [
        reverse("evaluation:results", args=[slug]),
        reverse("evaluation:result", args=[slug, results.pk]),
        reverse("evaluation:result_file", args=[slug, results.pk, "accuracy", "csv"]),
        reverse("evaluation:result_records", args=[slug, results.pk]),
    ]
    for user, wanted in ((measured.cast.writer, 403), (measured.cast.outsider, 404)):
        client = signed_in(user)
        assert [client.get(address).status_code for address in addresses] == [wanted] * 4
        assert client.post(addresses[0]).status_code == wanted
        assert client.post(reverse("evaluation:recalculate", args=[slug, results.pk])).status_code == wanted
    stranger = make_project()
    client = signed_in(stranger.manager)
    there = reverse("evaluation:result", args=[stranger.project.slug, results.pk])
    assert client.get(there).status_code == 404
    assert (
        "No releases yet"
        in client.get(reverse("evaluation:results", args=[stranger.project.slug])).content.decode()
    )


def test_a_page_asks_as_many_queries_for_many_rows_as_for_few(
    measured: Measured, django_assert_num_queries: Any, django_assert_max_num_queries: Any
) -> None:
    measured.counted()
    client = signed_in(measured.cast.manager)
    slug, results = measured.cast.project.slug, ResultTables.objects.get()
    with django_assert_max_num_queries(30) as few:
        _get(client, measured, "result", results.pk)
    for number in range(3):
        data = _line(f"more-{number}", next(frozen_items(measured.release)).public_id, choice=0).encode()
        measured.runs.extend(brought(measured.release, measured.cast.manager, data))
    measured.counted()
    newer = ResultTables.objects.exclude(pk=results.pk).get()
    with django_assert_num_queries(len(few)):
        client.get(reverse("evaluation:result", args=[slug, newer.pk]))


def wavering(measured: Measured) -> Run:
    """Asked three times, twice in one order: often another option, now and then none."""
    lines = []
    for number, one in enumerate(frozen_items(measured.release)):
        key = one.record["answer"]
        lines.append(_line("wavering", one.public_id, choice=key))
        lines.append(_line("wavering", one.public_id, repeat=2, choice=(key + number % 3) % 4))
        data = {"text": "I cannot tell."} if number % 5 == 0 else {"choice": (key + number % 2) % 4}
        turned = {"repeat": 3, "order": [1, 2, 3, 0]} if number % 4 else {"repeat": 3}
        lines.append(_line("wavering", one.public_id, **turned, **data))
    (run,) = brought(measured.release, measured.cast.manager, "".join(lines).encode(), "wavering.jsonl")
    return run


SHARES = {"any_differ", "flips", "first_two", "share_of_items"}
HAVE_NO_ITEMS = {
    "needed": "how many there would have to be",
    "stories_needed": "the same",
    "items_needed": "the same",
    "least": "what would be found",
    "models": "of all of them",
    "variance": "of all models",
    "variance_whole": "of all models",
    "task": "",
    "orders": "",
    "type": "",
    "second": "",
}


def agrees(table: Table, row: Row, column: Column, cell: Any, items: list[Any]) -> bool | None:
    """Whether a cell says as much as the items behind it; None where it says nothing of how many they are."""
    about: dict[str, Any] = {one.code: cell for one, cell in zip(table.columns, row.cells, strict=True)}
    if column.code in {"items", "only_first", "only_second", "count"}:
        return bool(len(items) == cell)
    if column.code == RIGHT:
        return bool(sum(one.right for one in items) == cell)
    if column.code == "failed":
        return bool(sum(one.expected - one.got for one in items) == cell)
    if column.code in SHARES:
        of = table.params["items"] if table.code == "type_counts" else about["items"]
        in_one_order = about.get("orders") == "same_order"  # an item counts once for each order
        return bool(items) == bool(cell[0]) if in_one_order else len(items) == round(cell[0] * of)
    if table.code == "outcomes" and column.code in ReadingKind.values:
        return bool(items) == bool(cell)
    return None


def test_every_count_leads_to_the_items_that_it_counts(measured: Measured) -> None:
    measured.runs.append(wavering(measured))
    results = measured.order()
    services.count_results(results_id=results.pk)
    results.refresh_from_db()
    runs = {run.pk: run for run in runs_of(results)}
    named, checked = runs_by_name(list(runs.values())), set()
    rows = [(table, row) for table in map(Table.from_json, results.tables) for row in table.rows]
    for table, row in rows:
        for column, cell, found in zip(table.columns, row.cells, cells_of(table, row, named), strict=True):
            if found is None:
                assert row.kind == "random" or column.code in HAVE_NO_ITEMS, (table.code, column)
                continue
            agree = agrees(table, row, column, cell, list(items_behind(results, found, runs)))
            assert agree is not False, (table.code, column, row.cells)
            checked |= {(table.code, column.code)} if agree else set()
    assert {("contents", "count"), ("type_counts", "count"), ("type_counts", "share_of_items")} <= checked
    assert {("repeats", code) for code in ("items", "any_differ", "flips", "first_two")} <= checked
    assert {code for _table, code in checked} >= {
        *("items", "only_first", "only_second", RIGHT, "failed", "chosen")
    }


def test_answers_in_one_order_are_compared_apart(measured: Measured) -> None:
    run = wavering(measured)
    results = measured.order(runs=[run])
    numbers = range(ITEMS)
    expected = {
        False: [number for number in numbers if number % 3 or number % 5 == 0 or number % 2],
        # twice in one order; all three times, where the third was not turned
        True: [number for number in numbers if number % 3 or (number % 4 == 0 and number % 5 == 0)],
    }
    everything = [one.public_id for one in frozen_items(measured.release)]
    for same_order, differ in expected.items():
        cell = CellItems(run.pk, outcome=DIFFER, same_order=same_order)
        found = items_behind(results, cell, {run.pk: run})
        assert [one.public_id for one in found] == [everything[number] for number in differ]


def test_the_positions_of_one_asking_share_out_its_answers(measured: Measured) -> None:
    run = next(run for run in measured.runs if run.examinee.name == "GLM-4")
    results = measured.order()
    answered = items_behind(results, CellItems(run.pk, outcome=ReadingKind.CHOSEN), {run.pk: run})
    assert answered.count() == ITEMS - 1
    for called in ("chosen_at", "key_at"):  # it chose keys alone
        for index, letter in enumerate("ABCD"):
            cell = CellItems(run.pk, outcome=f"{called}_{letter}")
            found = {one.pk for one in items_behind(results, cell, {run.pk: run})}
            assert found == {one.pk for one in answered if one.record["answer"] == index}


def test_answers_read_by_another_rule_are_listed_by_that_rule_or_not_at_all(measured: Measured) -> None:
    items = list(frozen_items(measured.release))
    said = "It is not B. The answer is A."  # two options named: ours reads A, the filter of CRMUS neither
    lines = "".join(_line("hedging", one.public_id, text=said) for one in items).encode()
    runs = brought(measured.release, measured.cast.manager, lines, "hedging.jsonl")
    client, slug = signed_in(measured.cast.manager), measured.cast.project.slug
    rights = []
    for rule in (AnswerRule.PARABLE, AnswerRule.CRMUS):
        tables = measured.counted(runs=runs, rule=rule)
        results = ResultTables.objects.get(rule=rule)
        outcomes = tables["outcomes"]
        address = reverse("evaluation:result_items", args=[slug, results.pk])
        page = client.get(f"{address}?run={runs[0].pk}").text
        shown = page.count("1 / 1")
        assert shown == sum(row.cells[outcomes.column("right")] for row in outcomes.rows)  # type: ignore[misc]  # cells of counts
        rights.append(shown)
        by_outcome = client.get(f"{address}?run={runs[0].pk}&outcome=wrong")
        assert by_outcome.status_code == (200 if rule == AnswerRule.PARABLE else 400)
        table = client.get(reverse("evaluation:result", args=[slug, results.pk]), {"view": "outcomes"}).text
        assert f"{address}?run={runs[0].pk}&amp;task=moral" in table
        assert ("outcome=" in table) == (rule == AnswerRule.PARABLE)
    assert rights[0] > rights[1] == 0
    assert "another rule" in by_outcome.text


def test_a_cell_opens_a_list_whose_rows_lead_to_the_items(measured: Measured) -> None:
    results = measured.order()
    services.count_results(results_id=results.pk)
    client, slug = signed_in(measured.cast.manager), measured.cast.project.slug
    page = ""
    results.refresh_from_db()
    for code in (table["code"] for table in results.tables):
        response = client.get(reverse("evaluation:result", args=[slug, results.pk]), {"view": code}).text
        assert f'<section id="{code}">' in response
        assert response.count("<section id=") == 1
        page += response
    address = reverse("evaluation:result_items", args=[slug, results.pk])
    other = measured.runs[1].pk
    assert f"{address}?run={other}&amp;task=moral&amp;outcome=right" in page
    with CaptureQueriesContext(connection) as few:
        found = client.get(f"{address}?run={other}&task=moral&outcome=right").content.decode()
    with CaptureQueriesContext(connection) as many:
        whole = client.get(f"{address}?run={other}&second={measured.runs[0].pk}").content.decode()
    assert len(many) == len(few)
    assert whole.count("data-move") == ITEMS > found.count("data-move") > 0
    items = ReleaseItem.objects.filter(release=measured.release, record__task="moral")
    assert any(reverse("dashboard:item", args=[slug, one.item_id]) in found for one in items)
    assert client.get(f"{address}?run=123456").status_code == 404
    assert signed_in(measured.cast.writer).get(f"{address}?run={other}").status_code == 403
