"""Responses that others collected: kept at once, read by a worker, all of a file or nothing, only once."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.errors import Forbidden, Unusable
from evaluation import services
from evaluation.models import ExamineeKind, FileState, FileStep, ReadingKind, Response, ResponseFile, Run
from evaluation.queries.response import response_lines
from evaluation.queries.run import IMPORT, other_models, tally
from evaluation.services import upload
from jobs.models import LOST_AFTER, Job, JobState
from jobs.queries import job_of, lost_jobs
from jobs.services.job import SIGN_OF_LIFE
from jobs.tasks import sweep_jobs
from release.models import ReleaseItem
from tests.evaluation.measuring import Bench, brought, signed_in
from tests.work import do_work

Run_later = Callable[..., Any]


def lines(bench: Bench, models: tuple[str, ...] = ("glm-4",), **more: Any) -> bytes:
    """Every item answered once by each model, with its first letter."""
    names = ReleaseItem.objects.filter(release=bench.release).order_by("number")
    rows = [
        {"model": model, "item_id": name, "repeat": 1, "text": "A"} | more
        for model in models
        for name in names.values_list("public_id", flat=True)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def order(bench: Bench, data: bytes, name: str = "answers.jsonl") -> ResponseFile:
    return services.order_import(actor=bench.cast.manager, release=bench.release, name=name, data=data)


def sent(bench: Bench, client: Client, data: bytes, name: str = "answers.jsonl") -> Any:
    form = {"release": bench.release.pk, "file": SimpleUploadedFile(name, data)}
    return client.post(reverse("evaluation:import", args=[bench.cast.project.slug]), form)


def where(bench: Bench, file: ResponseFile, name: str = "imported") -> str:
    return reverse(f"evaluation:{name}", args=[bench.cast.project.slug, file.pk])


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_brings_a_file_in_as_a_run_a_model_and_says_what_was_taken(
    bench: Bench, django_capture_on_commit_callbacks: Run_later
) -> None:
    client = signed_in(bench.cast.manager)
    items = list(ReleaseItem.objects.filter(release=bench.release).order_by("number"))
    rows = [
        {"model": "glm-4", "item_id": items[0].public_id, "repeat": 1, "text": "The answer is (B)."},
        {"model": "glm-4", "item_id": items[1].public_id, "repeat": 1, "choice": items[1].record["answer"]},
        {"model": "other", "item_id": items[0].public_id, "repeat": 1, "text": "I cannot choose"},
    ]
    with django_capture_on_commit_callbacks(execute=True):
        answer = sent(bench, client, "\n".join(map(json.dumps, rows)).encode())
    file = ResponseFile.objects.get()
    assert (file.state, file.answers, file.kept_as) == (FileState.DONE, 3, "")
    assert answer.url == where(bench, file)
    first, second = Run.objects.select_related("examinee", "job").order_by("examinee__name")
    assert (first.examinee.kind, first.examinee.name, first.settings["drafted"] > 0) == (
        ExamineeKind.IMPORTED,
        "glm-4",
        True,
    )
    kept = Response.objects.filter(run=first).order_by("item__number")
    assert [(one.choice, one.strict_choice) for one in kept] == [
        (1, None),
        (items[1].record["answer"], items[1].record["answer"]),
    ]
    seen = tally(first)
    assert seen.asked == sum(item.split in {items[0].split, items[1].split} for item in items)
    assert seen.readings["failed"] == seen.asked - 2
    assert tally(second).readings["refused"] == 1
    page = client.get(answer.url)
    assert [(row["run"], row["came"], row["read"]) for row in page.context["taken"]] == [
        (first, 2, 2),
        (second, 1, 0),
    ]
    assert "3 answers read, none refused." in page.content.decode()
    assert (
        answer.url
        in client.get(reverse("evaluation:run", args=[bench.cast.project.slug, first.pk])).content.decode()
    )


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_names_every_place_of_a_file_that_is_refused_and_keeps_none_of_it(
    bench: Bench, django_capture_on_commit_callbacks: Run_later
) -> None:
    client = signed_in(bench.cast.manager)
    wrong = [
        {"model": "x", "item_id": "nobody-knows", "repeat": 1, "text": "A"},
        {"model": "x", "repeat": 40_000, "choice": 99},
    ]
    data = lines(bench) + b"".join(json.dumps(row).encode() + b"\n" for row in wrong) + b'{"model": "glm-4"'
    with django_capture_on_commit_callbacks(execute=True):
        address = sent(bench, client, data).url
    file = ResponseFile.objects.get()
    count = len(lines(bench).splitlines())
    found = {(one["row"], one["field"]) for one in file.problems}
    assert file.state == FileState.REFUSED
    assert {(count + 1, "item_id"), (count + 2, "item_id"), (count + 2, "repeat")} <= found
    assert any(row == count + 3 for row, _field in found)
    assert not Run.objects.exists()
    assert not Response.objects.exists()
    for language, sentence in (("en", "so nothing was imported"), ("zh-hans", "没有导入任何内容")):
        page = client.get(address, headers={"Accept-Language": language}).content.decode()
        assert sentence in page
        assert "nobody-knows" in page


def test_the_same_file_is_brought_in_once_however_often_it_is_sent_or_read(bench: Bench) -> None:
    file = order(bench, lines(bench))
    assert order(bench, lines(bench), "again.jsonl") == file
    for _again in range(2):
        services.read_file(file_id=file.pk)
    assert order(bench, lines(bench)).state == FileState.DONE
    assert Run.objects.count() == 1
    assert brought(bench.release, bench.cast.manager, lines(bench) + b"\n")
    assert Run.objects.count() == 2, "another file, though it says the same"


def test_a_refused_file_is_read_again_when_it_is_sent_again(bench: Bench) -> None:
    file = order(bench, b'{"model": "x", "item_id": "nobody", "text": "A"}')
    assert services.read_file(file_id=file.pk).state == FileState.REFUSED
    again = order(bench, b'{"model": "x", "item_id": "nobody", "text": "A"}')
    assert (again.pk, again.state, again.problems) == (file.pk, FileState.WAITING, [])
    assert services.read_file(file_id=file.pk).state == FileState.REFUSED


def test_it_looks_at_a_file_before_it_is_kept(bench: Bench) -> None:
    for data in (b"", b"PK\x03\x04 a spreadsheet", "答案".encode("utf-16"), b"model,item_id,text\n"):
        with pytest.raises(Unusable) as refused:
            order(bench, data)
        assert list(refused.value.fields) == ["file"]
    with pytest.raises(Forbidden):
        services.order_import(actor=bench.cast.writer, release=bench.release, name="x", data=lines(bench))
    assert not ResponseFile.objects.exists()
    assert services.read_file(file_id=order(bench, b"[]").pk).state == FileState.REFUSED


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"model,item_id,text\n", "not a file of answers. Supported: JSON lines,"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)), "not a file of answers."),
        (b"PK\x03\x04 a spreadsheet", "not a file of answers."),
        (b'{"model": "' + ("模型" * 20).encode("gb18030"), "is not UTF-8"),
        ("答案".encode("utf-16"), "UTF-16"),
    ],
)
def test_it_says_which_formats_it_takes(bench: Bench, data: bytes, says: str) -> None:
    page = sent(bench, signed_in(bench.cast.manager), data)
    assert (page.status_code, says in page.content.decode()) == (400, True)


def test_a_worker_killed_while_it_writes_leaves_nothing_and_the_next_brings_in_all(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, keep, kept = order(bench, lines(bench, ("one", "two"))), upload._keep, []

    def die_at_the_second(*given: Any) -> Run:
        kept.append(keep(*given))
        if len(kept) == 2:
            raise KeyboardInterrupt
        return kept[-1]

    monkeypatch.setattr(upload, "_keep", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        do_work(IMPORT, file.pk)
    assert not Run.objects.exists()
    monkeypatch.undo()
    ours = job_of(IMPORT, file.pk)
    assert ours not in lost_jobs(), "somebody was at it a moment ago"
    ago = timezone.now() - LOST_AFTER - timedelta(seconds=1)
    Job.objects.update(created_at=ago, heartbeat_at=ago)
    assert ours in lost_jobs()
    do_work(IMPORT, file.pk)
    file.refresh_from_db()
    assert file.state == FileState.DONE
    assert Response.objects.count() == len(lines(bench, ("one", "two")).splitlines())


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_a_fault_of_ours_keeps_the_file_and_a_button_tries_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Run_later
) -> None:
    file, client = order(bench, lines(bench)), signed_in(bench.cast.manager)
    monkeypatch.setattr(upload, "_keep", lambda *_given: 1 / 0)
    do_work(IMPORT, file.pk)
    file.refresh_from_db()
    assert file.state == FileState.FAILED
    assert default_storage.exists(file.kept_as)
    assert not Run.objects.exists()
    assert where(bench, file, "retry_import") in client.get(where(bench, file)).content.decode()
    monkeypatch.undo()
    with django_capture_on_commit_callbacks(execute=True):
        assert signed_in(bench.cast.writer).post(where(bench, file, "retry_import")).status_code == 403
        assert client.post(where(bench, file, "retry_import")).status_code == 302
    file.refresh_from_db()
    assert file.state == FileState.DONE


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_its_page_shows_progress_and_a_worker_that_does_not_respond(
    bench: Bench, django_capture_on_commit_callbacks: Any
) -> None:
    file, client = order(bench, lines(bench)), signed_in(bench.cast.manager)
    beating = timezone.now() - SIGN_OF_LIFE
    Job.objects.update(state=JobState.RUNNING, step=FileStep.ANSWERS, done=12, total=34, heartbeat_at=beating)
    page = client.get(where(bench, file), headers={"HX-Request": "true"})
    assert "reading answers: 12 of 34" in page.content.decode()
    assert "does not respond" not in page.content.decode()
    assert "HX-Refresh" not in page.headers
    Job.objects.update(created_at=beating - LOST_AFTER, heartbeat_at=beating - LOST_AFTER)
    assert "does not respond" in client.get(where(bench, file)).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        sweep_jobs()
    done = client.get(where(bench, file), headers={"HX-Request": "true"})
    assert done.headers["HX-Refresh"] == "true"
    for user, status in ((bench.cast.writer, 403), (bench.cast.outsider, 404)):
        assert signed_in(user).get(where(bench, file)).status_code == status


def test_it_keeps_characters_that_no_database_holds(bench: Bench) -> None:
    (run,) = brought(bench.release, bench.cast.manager, lines(bench, text="\ud800 A\x00"))
    one = Response.objects.filter(run=run)[0]
    assert one.text == "? A\ufffd"
    assert one.reading == ReadingKind.CHOSEN


def test_it_keeps_how_answers_ended_and_reads_those_that_were_cut_off_accordingly(bench: Bench) -> None:
    ended: dict[str, Any] = {
        "finish_reason": "length",
        "answered_by": "seven",
        "reasoning_tokens": 7,
        "only_thought": False,
    }
    data = lines(bench, text="First look at A. So A is right. But the", **ended)
    (run,) = brought(bench.release, bench.cast.manager, data)
    seen = tally(run)
    assert (seen.cut_off, seen.readings[ReadingKind.UNPARSED]) == (seen.asked, seen.asked)
    assert next(response_lines(run)).items() >= ended.items()
    assert other_models(run) == ["seven"]
