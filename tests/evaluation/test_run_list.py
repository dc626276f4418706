"""The list of runs: what is found, who opens it, and what is done to many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core.errors import Conflict
from dashboard.models import BulkAction, Verb
from dashboard.services import order_bulk, undo_bulk
from evaluation.models import ReadingKind, Response, Run
from evaluation.resources import RunResource
from evaluation.services import prepare_run
from jobs.models import Call, CallState, JobState
from tests.evaluation.measuring import ITEMS, Bench, work_off
from tests.projects.pages import answers, browser, only_managers


def address(bench: Bench) -> str:
    return reverse("dashboard:runs", args=[bench.cast.project.slug])


def shown(bench: Bench, query: str = "") -> list[int]:
    answer = browser(bench.cast.manager).get(f"{address(bench)}?{query}")
    assert answer.status_code == 200
    return list(answer.context["page"].pks)


def states(runs: Sequence[Run]) -> list[str]:
    return [str(Run.objects.get(pk=run.pk).job.state) for run in runs]  # type: ignore[union-attr]


def do(bench: Bench, verb: str, runs: Sequence[Run]) -> BulkAction:
    return order_bulk(
        actor=bench.cast.manager, project=bench.cast.project, listing="runs", verb=verb,
        rows=[run.pk for run in runs],
    )  # fmt: skip


def test_it_finds_narrows_and_orders_runs(bench: Bench) -> None:
    done = bench.ran()
    waits = bench.order(bench.model("stub-refusal"), split="dev")
    for query, found in (
        ("", [waits, done]),
        ("sort=started", [done, waits]),
        ("q=REFUSAL", [waits]),
        ("q=refusal+letter", []),
        ("state=done", [done]),
        ("state=pending&state=running", [waits]),
        ("split=dev", [waits]),
        ("kind=panel", []),
        (f"release={bench.release.version}", [waits, done]),
    ):
        assert shown(bench, query) == [run.pk for run in found], query


def test_it_is_for_managers(bench: Bench) -> None:
    assert answers(bench.cast, address(bench)) == only_managers()
    bulk = reverse("dashboard:bulk", args=[bench.cast.project.slug, "runs"])
    assert answers(bench.cast, bulk, "post") == only_managers(302)


def test_it_shows_how_far_each_run_is_and_what_can_be_done_to_it(bench: Bench) -> None:
    bench.ran()
    bench.order(bench.model("stub-refusal"))
    page = browser(bench.cast.manager).get(address(bench)).content.decode()
    assert f'<td class="n" data-label="Answers">{ITEMS}</td>' in page
    assert 'data-can=""' in page
    assert 'data-can="pause cancel"' in page


def test_it_asks_as_often_for_many_runs_as_for_one(bench: Bench) -> None:
    def asked() -> int:
        client = browser(bench.cast.manager)
        client.get(address(bench))
        with CaptureQueriesContext(connection) as statements:
            assert client.get(f"{address(bench)}?q=stub").status_code == 200
        return len(statements)

    bench.ran()
    once = asked()
    for name in ("stub-a", "stub-b", "stub-c"):
        bench.order(bench.model(name))
    assert asked() == once


def test_it_pauses_runs_and_lets_them_go_on(bench: Bench) -> None:
    runs = [bench.order(bench.model(name)) for name in ("stub-a", "stub-b")]
    runs.append(bench.ran())
    done = do(bench, Verb.PAUSE, runs)
    assert states(runs) == [JobState.PAUSED, JobState.PAUSED, JobState.DONE]
    do(bench, Verb.CANCEL, runs[:1])
    back = undo_bulk(actor=bench.cast.manager, bulk=done)
    assert [run for run, _none in back.changed] == [runs[1].pk]
    assert states(runs) == [JobState.CANCELLED, JobState.RUNNING, JobState.DONE]
    undone = do(bench, Verb.PAUSE, runs[1:2])
    resumed = do(bench, Verb.RESUME, runs)
    assert [run for run, _none in resumed.changed] == [run for run, _none in undone.changed]
    undo_bulk(actor=bench.cast.manager, bulk=resumed)
    assert states(runs)[1] == JobState.PAUSED


def test_it_undoes_nothing_that_another_decided_since(bench: Bench) -> None:
    runs = [bench.order(bench.model(name)) for name in ("stub-a", "stub-b")]
    paused = do(bench, Verb.PAUSE, runs)
    do(bench, Verb.RESUME, runs[:1])
    do(bench, Verb.PAUSE, runs[:1])
    back = undo_bulk(actor=bench.cast.manager, bulk=paused)
    assert [run for run, _event in back.changed] == [runs[1].pk]
    assert states(runs) == [JobState.PAUSED, JobState.RUNNING]
    resumed = do(bench, Verb.RESUME, runs[:1])
    do(bench, Verb.PAUSE, runs[:1])
    do(bench, Verb.RESUME, runs[:1])
    assert undo_bulk(actor=bench.cast.manager, bulk=resumed).changed == []
    assert states(runs) == [JobState.RUNNING, JobState.RUNNING]


def test_it_restarts_what_failed_and_nothing_else(bench: Bench) -> None:
    whole, broken = bench.ran(), bench.ran(bench.model("stub-other"))
    lost = list(Call.objects.filter(job=broken.job).order_by("pk")[:3])
    Call.objects.filter(pk__in=[call.pk for call in lost]).update(state=CallState.FAILED)
    done = do(bench, Verb.RETRY, [whole, broken])
    assert [run for run, _none in done.changed] == [broken.pk]
    assert states([whole, broken]) == [JobState.DONE, JobState.RUNNING]
    assert set(Call.objects.filter(state=CallState.PENDING)) == set(lost)
    with pytest.raises(Conflict, match="cannot be undone"):
        undo_bulk(actor=bench.cast.manager, bulk=done)


def test_it_cancels_for_good(bench: Bench) -> None:
    runs = [bench.order(), bench.ran()]
    work_off(prepare_run(run_id=runs[0].pk)[:0])
    client = browser(bench.cast.manager)
    bulk = reverse("dashboard:bulk", args=[bench.cast.project.slug, "runs"])
    sent: dict[str, Any] = {"verb": "cancel", "row": [run.pk for run in runs]}
    asked = client.post(bulk, sent).content.decode()
    assert "Cancel 1 run" in asked
    assert "1 selected run is left out: it has ended." in asked
    assert states(runs) == [JobState.PENDING, JobState.DONE]
    assert client.post(bulk, {**sent, "sure": "1"}).status_code == 302
    assert states(runs) == [JobState.CANCELLED, JobState.DONE]
    page = client.get(address(bench)).content.decode()
    assert "1 run cancelled." in page
    assert "/undo" not in page


def test_it_exports_what_was_selected(bench: Bench) -> None:
    run = bench.ran()
    bench.order(bench.model("stub-other"))
    bulk = reverse("dashboard:bulk", args=[bench.cast.project.slug, "runs"])
    answer = browser(bench.cast.manager).post(bulk, {"verb": "export", "kind": "csv", "row": [run.pk]})
    text = answer.getvalue().decode("utf-8-sig")
    assert f",{ITEMS},{ITEMS}," in text
    assert "stub-other" not in text


def test_it_exports_as_many_answers_as_it_lists(bench: Bench) -> None:
    run = bench.ran()
    lost, *_others = Response.objects.filter(run=run, correct=False).order_by("pk")
    Response.objects.filter(pk=lost.pk).update(reading=ReadingKind.FAILED, choice=None)
    refused = Response.objects.filter(run=run, correct=False).exclude(pk=lost.pk)[0]
    call = refused.call
    assert call is not None
    refused.delete()
    Call.objects.filter(pk=call.pk).update(state=CallState.REFUSED)
    page = browser(bench.cast.manager).get(address(bench)).content.decode()
    assert f'data-label="Answers">{ITEMS - 1}' in page
    assert [row.answers for row in RunResource().get_queryset()] == [ITEMS - 1]
