"""A shared task on items of four kinds, over HTTP: three teams, a ranking, and an erratum.

One team sends answers, one a prompt, one a model behind an address; the models are a server that speaks the
chat protocol over real HTTP.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from evaluation.models import Run
from jobs.models import Endpoint, StoredKey
from parable.kinds import kind_of
from parable.llm.stub import StubServer
from release.models import ErrorReport, Release, ReleaseItem, Submission, Upload
from tests.evaluation.measuring import add_model
from tests.factories import PASSWORD, Cast, make_user
from tests.kinds.released import OWN, released_project
from tests.release.made import ALLOWED, built
from tests.shared_rows import shared_rows
from tests.work import work_off

pytestmark = pytest.mark.django_db

EACH = 14
"""Items a kind: at least five are in test, which is the smallest step."""
KEY = "sk-of-the-team-and-of-nobody-else-0123456789"
SECRET = replace(ALLOWED, withhold_test=True)


@pytest.fixture(scope="module")
def _made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[Cast, Release]]:
    def make() -> tuple[Cast, Release]:
        cast = released_project(EACH)
        return cast, built(cast, seed=None, recipe=SECRET)

    with shared_rows(django_db_blocker, make) as made:
        yield made


@dataclass
class Task:
    """A shared task, with its manager's browser, a team's browser, and the server of the models."""

    cast: Cast
    release: Release
    stub: StubServer
    run_tasks: Callable[..., Any]

    def __post_init__(self) -> None:
        self.manager, self.outside = Client(), Client()
        assert self.manager.login(username=self.cast.manager.username, password=PASSWORD)

    def page(self, name: str, *args: object) -> str:
        """The address of a page of the project."""
        return reverse(name, args=[self.cast.project.slug, *args])

    def invite(self, name: str) -> str:
        """A team's token, as its link has it."""
        address = self.page("release:teams", self.release.version)
        page = self.manager.post(address, {"name": name, "per_week": 3, "in_all": 5}).content.decode()
        return page.split("/score/")[1].split("<")[0]

    def test_items(self) -> list[ReleaseItem]:
        """The withheld items."""
        return list(ReleaseItem.objects.filter(release=self.release, split="test").order_by("number"))

    def start(self, submission: Submission, **more: Any) -> Any:
        """What the manager is answered who starts a run of a submission; its jobs are done."""
        with self.run_tasks(execute=True):
            answer = self.manager.post(
                self.page("evaluation:submission", submission.pk), {"repeats": 1, **more}
            )
        work_off()
        return answer


@pytest.fixture
def task(
    _made: tuple[Cast, Release],
    db: None,
    stub: StubServer,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> Task:
    cache.clear()
    cast, release = deepcopy(_made)
    return Task(cast, release, stub, django_capture_on_commit_callbacks)


def answers(items: list[ReleaseItem]) -> bytes:
    """The right answer to each item, as a model would write it."""
    rows = (
        {"model": "Answers", "item_id": one.public_id, "repeat": 1, "text": question.words(one.record)}
        for one in items
        for question in [kind_of(one.record["task"]).question]
    )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def secrets(items: list[ReleaseItem]) -> list[str]:
    """What only the right answers have: marks as stored, and the writers' reasons."""
    found = []
    for one in items:
        right = kind_of(one.record["task"]).question.right(one.record)
        found.append(json.dumps(right, ensure_ascii=False))
        if one.record["explanation"]:
            found.append(one.record["explanation"])
    return found


def with_model(task: Task, token: str, **more: str) -> Any:
    sent = {"name": "Tuned", "base_url": task.stub.base_url, "model": "stub-letter", "key": KEY} | more
    return task.outside.post(reverse("release:submit_model", args=[token]), sent)


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_a_shared_task_of_four_kinds_runs_from_call_to_ranking(task: Task) -> None:
    items = task.test_items()
    assert {one.record["task"] for one in items} == set(OWN)
    first, second, third = (task.invite(name) for name in ("Answers", "Words", "Weights"))

    # a team sends answers, which its host imports to be ranked
    score = reverse("release:score", args=[first])
    with task.run_tasks(execute=True):
        sent = task.outside.post(score, {"file": SimpleUploadedFile("r.jsonl", answers(items))})
    assert sent.status_code == 302
    upload = Upload.objects.get()
    assert upload.state == "done", upload.refusal
    with task.run_tasks(execute=True):
        task.manager.post(task.page("evaluation:import_team_upload", upload.pk))
    work_off()

    # a team submits a prompt for one kind, filled with the usual ones
    address = reverse("release:submit_prompt", args=[second])
    page = unescape(task.outside.get(address).content.decode())
    assert "{second}" in page
    assert "Must contain {story} {second}" in page
    refused = task.outside.post(address, {"name": "Short", "prompt-scene_pairs": "Same? {story}"})
    assert refused.status_code == 400
    assert "must contain {story}, {second}" in unescape(refused.content.decode())
    assert "Change at least one prompt." in task.outside.post(address, {"name": "Short"}).content.decode()
    mine = "Think of the room. {story} | {second} – same?"
    assert task.outside.post(address, {"name": "Short", "prompt-scene_pairs": mine}).status_code == 302
    prompt = Submission.objects.get(team__name="Words")
    assert (prompt.prompt, prompt.prompts) == ("", {"scene_pairs": mine})

    # a team submits a model: of a server that an administrator has allowed alone
    assert "organisers do not call" in with_model(task, third).content.decode()
    assert not Endpoint.objects.exists()
    ada = make_user("Ada", administrator=True)
    client = Client()
    client.force_login(ada)
    client.post(reverse("jobs:hosts"), {"address": task.stub.base_url, "note": "a team's"})
    sent = with_model(task, third)
    assert sent.status_code == 302, sent.content.decode()
    model = Submission.objects.get(team__name="Weights")
    assert model.endpoint is not None
    assert KEY not in StoredKey.objects.get(endpoint=model.endpoint).sealed

    # the manager sees both, what they cost and disclose, and runs them
    teams = task.manager.get(task.page("release:teams", task.release.version)).content.decode()
    for one in (prompt, model):
        assert task.page("evaluation:submission", one.pk) in teams
    ours = add_model(task.cast, task.stub, "stub-empty")
    page = unescape(task.manager.get(task.page("evaluation:submission", model.pk)).content.decode())
    assert "A run sends all withheld test questions to this server." in page
    assert "never gets keys" in page
    assert re.search(rf'<td class="n">{len(items)}</td>', page), "so many calls"
    assert KEY not in page
    page = task.manager.get(task.page("evaluation:submission", prompt.pk)).content.decode()
    assert mine in unescape(page)
    assert "Maximum cost" in page
    before = len(task.stub.log)
    assert task.start(prompt, endpoints=[ours.pk], budget="5").status_code == 302
    assert task.start(model).status_code == 302
    runs = {run.examinee.name: run for run in Run.objects.select_related("examinee", "job")}
    assert set(runs) == {"Answers", "Words: Short (stub-empty)", "Weights: Tuned"}
    for run in runs.values():
        assert run.asked == len(items)
        assert run.job is None or run.job.state == "done", run.job.why
    assert runs["Words: Short (stub-empty)"].prompts == {"scene_pairs": mine}

    # the model's server saw each question and the team's key, and no answer
    seen = [one for one in task.stub.log[before:] if one.model == "stub-letter"]
    assert len(seen) == len(items)
    assert {dict(one.headers)["authorization"] for one in seen} == {f"Bearer {KEY}"}
    bodies = "".join(one.prompt + one.body for one in task.stub.log[before:])
    assert not [one for one in secrets(items) if one in bodies]
    theirs = [one for one in task.stub.log[before:] if one.model == "stub-empty"]
    assert {dict(one.headers).get("authorization", "") for one in theirs}.isdisjoint({f"Bearer {KEY}"})

    # the ranking, in public: by F1 where the kind has it, with intervals and shared ranks
    task.manager.post(
        task.page("evaluation:publication", task.release.version), {"is_open": "yes", "shows_scores": "on"}
    )
    public = reverse("evaluation:public_file", args=[task.cast.project.slug, "1.0.0", "leaderboard.csv"])
    answer = task.outside.get(public)
    assert answer.status_code == 200
    lines = [line.split(",") for line in answer.content.decode("utf-8-sig").splitlines()]
    rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    overall = {row["examinee"]: row for row in rows if row["task"] == "all"}
    assert overall["Answers"]["rank"] == "1"
    assert {overall[name]["rank"] for name in runs if name != "Answers"} == {"2–3"}
    assert {row["measure"] for row in rows if row["task"] in {"anomaly_spans", "step_tuples"}} == {"f1"}
    assert all(float(row["low"]) <= float(row["accuracy"]) <= float(row["high"]) for row in rows)
    assert all(float(row["step"]) > 0 for row in rows if row["split"] == "test"), "withheld: in steps"

    # an erratum: a reader reports an item, the next version lists it
    item = items[0]
    report = {"item_id": item.public_id, "fault": "wrong_key", "text": "Not so.", "release": "1.0.0"}
    task.outside.post(reverse("release:report"), report)
    answered = {"answer": "You are right.", "remedy": "retire", "note": "Two answers fitted."}
    task.manager.post(task.page("release:answer_report", ErrorReport.objects.get().pk), answered)
    patch = built(task.cast, version="1.0.1", seed=None, recipe=replace(SECRET, extends="1.0.0"))
    (line,) = patch.manifest["since"]["errata"]
    assert (line["id"], line["note"]) == (item.public_id, "Two answers fitted.")


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_a_team_sees_its_own_submissions_and_nothing_of_the_test(task: Task) -> None:
    first, second = task.invite("One"), task.invite("Two")
    client = Client()
    client.force_login(make_user("Ada", administrator=True))
    client.post(reverse("jobs:hosts"), {"address": task.stub.base_url})
    assert with_model(task, first).status_code == 302
    model = Submission.objects.get()
    task.start(model)
    items = task.test_items()
    mine, other = (
        task.outside.get(reverse("release:score", args=[token])).content.decode() for token in (first, second)
    )
    assert "Tuned" in mine
    assert "Tuned" not in other
    pages = [mine, other]
    for name in ("submit_prompt", "submit_model"):
        pages += [
            task.outside.get(reverse(f"release:{name}", args=[one])).content.decode()
            for one in (first, second)
        ]
    for page in pages:
        assert KEY not in page
        assert not [one.public_id for one in items if one.record["story"] in page]
        assert not [one for one in secrets(items) if one in unescape(page)]
    for token, status in ((second, 404), ("nobody", 404)):
        address = reverse("release:withdraw_submission", args=[token, model.pk])
        assert task.outside.post(address).status_code == status
    for person in (task.cast.writer, task.cast.reviewer, task.cast.verifier):
        member = Client()
        member.force_login(person)
        assert member.get(task.page("evaluation:submission", model.pk)).status_code == 403
    assert task.outside.get(task.page("evaluation:submission", model.pk)).status_code == 302, "signs in"
    stranger = Client()
    stranger.force_login(make_user("Eve"))
    assert stranger.get(task.page("evaluation:submission", model.pk)).status_code == 404
    assert not [
        one
        for one in (KEY,)
        if one in task.manager.get(task.page("evaluation:submission", model.pk)).content.decode()
    ]
