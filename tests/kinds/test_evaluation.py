"""Every kind is answered by models and by people of a panel, and scored by its scorer, as all items are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from pytest_django import DjangoDbBlocker

from annotation.kinds.anomaly import ANOMALY_KIND
from annotation.kinds.step import STEP_KIND
from evaluation import services
from evaluation.models import OptionOrder, Response, ResultTables, Run
from evaluation.queries.result import tables_of
from evaluation.queries.run import Asking, default_prompt
from evaluation.services.response import keep_response
from jobs.models import Call, Endpoint
from jobs.services import create_endpoint
from parable.kinds import kind_of
from parable.kinds.question import ONE_OPTION
from release.models import Release, ReleaseItem
from tests.factories import Cast
from tests.kinds.released import OWN, released_project
from tests.kinds.samples import Sample
from tests.release.made import RECIPE, built
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _made(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Cast, Release, Endpoint]]:
    def make() -> tuple[Cast, Release, Endpoint]:
        cast = released_project()
        endpoint = create_endpoint(
            actor=cast.manager,
            project=cast.project,
            name="model",
            model="model",
            base_url="https://models.example.org/v1",
            parameters={"max_tokens": 10},
        )
        return cast, built(cast, recipe=RECIPE), endpoint

    with shared_rows(django_db_blocker, make) as made:
        yield made


@pytest.fixture
def made(_made: tuple[Cast, Release, Endpoint], db: None) -> tuple[Cast, Release, Endpoint]:
    return deepcopy(_made)


@pytest.fixture(params=OWN)
def sample(request: pytest.FixtureRequest) -> Sample:
    return OWN[request.param]


def said(item: ReleaseItem, *, right: bool) -> str:
    """What a model says to an item: its answer, or another one, written as it was asked to."""
    sample = OWN[item.record["task"]]
    question = kind_of(sample.task).question
    if right:
        return f"Let me think.\n```json\n{question.words(item.record)}\n```"
    shown = question.asked_of(item.record)
    return question.words(item.record | {"own": {**shown, **sample.other}})


def run_of(made: tuple[Cast, Release, Endpoint], *, order: str = OptionOrder.RELEASED) -> Run:
    """A run whose first item of each task is answered rightly, the second wrongly, or not at all."""
    cast, release, endpoint = made
    asking = Asking(release=release, prompt=default_prompt(cast.project), order=order)
    run = services.start_runs(actor=cast.manager, asking=asking, endpoints=[endpoint])[0]
    services.prepare_run(run_id=run.pk)
    run.refresh_from_db()
    seen: set[str] = set()
    for call in Call.objects.filter(job=run.job).order_by("pk"):
        item = ReleaseItem.objects.get(pk=call.subject["item"])
        call.raw_response = said(item, right=item.record["task"] not in seen)
        seen.add(item.record["task"])
        keep_response(call)
    return Run.objects.select_related("release", "examinee", "job").get(pk=run.pk)


def test_a_model_is_asked_by_a_prompt_of_the_kind(
    made: tuple[Cast, Release, Endpoint], sample: Sample
) -> None:
    run = run_of(made, order=OptionOrder.CIRCULAR)
    assert run.asked == 2 * len(OWN), "an item without options has one order"
    for item in ReleaseItem.objects.filter(release=run.release, record__task=sample.task):
        prompt = Call.objects.get(job=run.job, subject__item=item.pk).prompt
        question = kind_of(sample.task).question
        assert prompt == question.put(question.template("zh"), item.record, ())
        assert item.record["story"] in prompt
        assert ONE_OPTION.template("zh")[:10] not in prompt
        assert json.dumps(question.right(item.record), ensure_ascii=False)[1:-1] not in prompt


def test_its_answers_are_read_and_scored_by_the_scorer_of_the_kind(
    made: tuple[Cast, Release, Endpoint], sample: Sample
) -> None:
    run = run_of(made)
    kind = kind_of(sample.task)
    found = Response.objects.filter(run=run, item__record__task=sample.task).order_by("pk")
    assert [one.correct for one in found] == [True, False]
    for one in found:
        assert one.reading == "chosen"
        assert one.score == kind.scorer(one.given, kind.question.right(one.item.record))
    assert [one.strict_given is None for one in found] == [True, False]


def test_the_tables_of_results_have_them(made: tuple[Cast, Release, Endpoint], sample: Sample) -> None:
    run = run_of(made)
    found = ResultTables(release=run.release, split="both")
    tables = {table.code: table for table in tables_of(found, [run])}
    rows = [row.cells for row in tables["outcomes"].rows if row.cells[1] == sample.task]
    assert [row[2:5] for row in rows] == [(2, 2, 1)]
    if kind_of(sample.task).measure:
        (measure,) = [row.cells for row in tables["measures"].rows if row.cells[1] == sample.task]
        scores = Response.objects.filter(run=run, item__record__task=sample.task).values_list(
            "score", flat=True
        )
        assert measure[2] == "f1"
        assert measure[5] == pytest.approx(sum(score or 0 for score in scores) / 2)
        assert measure[6] == 0, "F1 is never below 0, nor is its interval"


def test_the_page_of_answers_shows_both(made: tuple[Cast, Release, Endpoint], client: Client) -> None:
    cast, _release, _endpoint = made
    run = run_of(made)
    client.force_login(cast.manager)
    page = client.get(reverse("evaluation:responses", args=[cast.project.slug, run.pk])).content.decode()
    for words in ("S1 香油 · P1 瓶子边 · E1 是", "S1 鸡蛋", "same: false"):
        assert words in page


INSTRUCTIONS = {
    "anomaly_spans": str(ANOMALY_KIND.instruction),
    "step_tuples": str(STEP_KIND.instruction),
    "scene_pairs": "Decide whether both can be said of one scene",
    "proverb_narratives": "Mark each pair",
}
"""What a person is told to do, in the words of the page."""


def answer_form(sample: Sample, answer: Any) -> dict[str, str]:
    """What the form of the kind sends for an answer."""
    if sample.task == "scene_pairs":
        return {name: str(value).lower() for name, value in answer.items()}
    return {"own": json.dumps(answer)}


def test_a_person_of_a_panel_answers_on_the_form_of_the_kind(
    made: tuple[Cast, Release, Endpoint], client: Client
) -> None:
    cast, release, _endpoint = made
    run = services.open_panel(actor=cast.manager, release=release, split="both", sample_size=2 * len(OWN))
    (issued,) = services.invite_to_panel(actor=cast.manager, run=run, names=["Ann"], items_each=2 * len(OWN))
    address = reverse("evaluation:solve", args=[issued.token])
    seen: set[str] = set()
    for number in range(1, 2 * len(OWN) + 1):
        page = client.get(f"{address}?start=1").content.decode()
        place = services.next_place(seat=issued.seat)
        assert place is not None
        sample = OWN[place.item.record["task"]]
        assert place.item.record["story"] in page
        assert not any(secret in page for secret in sample.secrets)
        assert escape(INSTRUCTIONS[sample.task]) in page
        nothing = client.post(address, {"place": number})
        assert nothing.status_code == 400
        answer = sample.other if sample.task in seen else sample.answer
        assert client.post(address, {"place": number, **answer_form(sample, answer)}).status_code == 302
        seen.add(sample.task)
    for sample in OWN.values():
        found = Response.objects.filter(run=run, item__record__task=sample.task).order_by("pk")
        assert [one.correct for one in found] == [True, False], sample.task
    assert client.get(address).status_code == 200


def test_a_person_may_say_that_they_cannot_answer(
    made: tuple[Cast, Release, Endpoint], client: Client
) -> None:
    cast, release, _endpoint = made
    run = services.open_panel(actor=cast.manager, release=release, split="both", sample_size=2)
    (issued,) = services.invite_to_panel(actor=cast.manager, run=run, names=["Ann"], items_each=1)
    address = reverse("evaluation:solve", args=[issued.token])
    client.get(f"{address}?start=1")
    assert client.post(address, {"place": 1, "position": "none"}).status_code == 302
    assert Response.objects.get().given is None


def test_the_page_and_the_row_of_a_released_item_say_what_it_is(
    made: tuple[Cast, Release, Endpoint], sample: Sample, client: Client
) -> None:
    cast, release, _endpoint = made
    client.force_login(cast.manager)
    item = ReleaseItem.objects.filter(release=release, record__task=sample.task).first()
    assert item is not None
    page = client.get(reverse("dashboard:item", args=[cast.project.slug, item.item_id]))
    assert page.status_code == 200
    assert item.public_id in page.content.decode()
    listed = client.get(reverse("dashboard:items", args=[cast.project.slug])).content.decode()
    own, name = sample.words.own, f"{kind_of(sample.task).item_name} {item.item_id}"
    known = {"scene_pairs": own.get("second"), "proverb_narratives": own.get("narrative")}
    assert str(known.get(sample.task, name)) in listed
    assert not any(secret in listed for secret in sample.secrets)


def test_the_statistics_of_its_answers_stand_among_the_results(
    made: tuple[Cast, Release, Endpoint], sample: Sample
) -> None:
    run = run_of(made)
    tables = {
        table.code: table for table in tables_of(ResultTables(release=run.release, split="both"), [run])
    }
    published = kind_of(sample.task).published
    assert published is not None
    rows = [row for row in tables["figures"].rows if row.cells[0] == sample.task]
    assert {row.cells[1] for row in rows} <= set(published.figures.values())
    assert any(row.cells[-1] for row in rows)
