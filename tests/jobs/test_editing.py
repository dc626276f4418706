"""Endpoints are edited, retired and brought back; what was asked before stays as it is. And presets."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from core.errors import Conflict, Forbidden, Hidden, Unusable
from generation.models import Candidate
from jobs.models import Call, CallState, Endpoint
from jobs.queries import get_endpoint
from jobs.services import bring_back_endpoint, edit_endpoint, retire_endpoint, retry_failed, wake_calls
from parable.llm.addresses import parse_base_url, resolve
from parable.llm.presets import PRESETS, Preset, find_preset
from tests.factories import make_story
from tests.generation.bench import Bench, work_off
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db


def form_of(bench: Bench, **changes: str) -> dict[str, str]:
    return {
        "name": "stub",
        "base_url": bench.stub.base_url,
        "model": "stub-ok",
        "key_variable": "",
        "parameters": "{}",
        "price_in": "0",
        "price_out": "0",
        "requests_per_minute": "1000",
        "tokens_per_minute": "100000",
        "parallel_calls": "4",
        "timeout_seconds": "5",
        **changes,
    }


def page(bench: Bench, name: str, *args: object) -> str:
    return reverse(f"generation:{name}", args=[bench.cast.project.slug, *args])


def test_it_leaves_what_was_asked_before_as_it_was(bench: Bench) -> None:
    work_off(bench.start().waiting)
    before = Call.objects.values().get()
    waiting = bench.start(stories=[make_story(bench.cast)])
    url = page(bench, "endpoint", bench.endpoint.pk)
    sent = form_of(bench, model="stub-json", parameters='{"temperature": 0.1}', price_out="99", name="newer")
    assert browser(bench.cast.manager).post(url, sent).status_code == 302
    edited = Endpoint.objects.get(pk=bench.endpoint.pk)
    assert (edited.name, edited.model, edited.price_out) == ("newer", "stub-json", Decimal(99))
    assert Call.objects.values().get(pk=before["id"]) == before
    assert set(Candidate.objects.values_list("generator", flat=True)) == {"stub-ok"}
    work_off(waiting.waiting)  # it was asked for before the edit
    assert [seen.model for seen in bench.stub.log] == ["stub-ok", "stub-ok"]
    again = bench.start(endpoints=[edited])  # another model is another question
    work_off(again.waiting)
    assert (bench.stub.log[-1].model, Call.objects.latest("pk").state) == ("stub-json", CallState.DONE)
    assert AuditEvent.objects.get(verb="edit_endpoint").detail == {
        "changed": ["model", "name", "parameters", "price_out"]
    }


def test_it_asks_for_a_model_that_was_put_right_when_the_failed_are_asked_again(bench: Bench) -> None:
    endpoint = bench.add_endpoint("mistyped", "stub-404")
    job = bench.start(endpoints=[endpoint]).batch.job
    work_off(wake_calls(job_id=job.pk) or list(Call.objects.filter(job=job).values_list("pk", flat=True)))
    assert Call.objects.get(job=job).reason_code == "model_unknown"
    edit_endpoint(actor=bench.cast.manager, endpoint=endpoint, model="stub-ok")
    retry_failed(actor=bench.cast.writer, job=job)
    work_off(wake_calls(job_id=job.pk))
    call = Call.objects.get(job=job)
    assert (call.state, call.model) == (CallState.DONE, "stub-ok")
    with pytest.raises(Conflict):
        bench.start(endpoints=[Endpoint.objects.get(pk=endpoint.pk)])  # it has been asked now


def test_it_changes_nothing_where_nothing_was_changed(bench: Bench) -> None:
    url = page(bench, "endpoint", bench.endpoint.pk)
    assert browser(bench.cast.manager).post(url, form_of(bench)).status_code == 302
    assert not AuditEvent.objects.filter(verb="edit_endpoint").exists()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"base_url": "http://10.0.0.1/v1"}, "base_url"),
        ({"model": " "}, "model"),
        ({"tokens_per_minute": 0}, "tokens_per_minute"),
        ({"key_variable": "PATH"}, "key_variable"),
        ({"kind": "by_hand"}, "kind"),
        ({"project_id": 1}, "project_id"),
    ],
)
def test_it_judges_an_edit_as_it_judges_a_new_one(
    bench: Bench, changes: dict[str, object], field: str
) -> None:
    with pytest.raises(Unusable) as caught:
        edit_endpoint(actor=bench.cast.manager, endpoint=bench.endpoint, **changes)
    assert field in caught.value.fields
    bad = form_of(bench, base_url="http://10.0.0.1/v1")
    assert (
        browser(bench.cast.manager).post(page(bench, "endpoint", bench.endpoint.pk), bad).status_code == 400
    )


def test_it_leaves_editing_to_managers(bench: Bench) -> None:
    url = page(bench, "endpoint", bench.endpoint.pk)
    assert browser(bench.cast.manager).get(url).status_code == 200
    assert browser(bench.cast.writer).get(url).status_code == 403
    assert browser(bench.cast.outsider).post(url, form_of(bench)).status_code == 404
    for change in (retire_endpoint, bring_back_endpoint, edit_endpoint):
        with pytest.raises(Forbidden):
            change(actor=bench.cast.writer, endpoint=bench.endpoint)


def test_it_brings_back_what_was_retired(bench: Bench) -> None:
    client = browser(bench.cast.manager)
    back = page(bench, "restore", bench.endpoint.pk)
    assert client.post(back).status_code == 404  # it is in use
    assert client.post(page(bench, "retire", bench.endpoint.pk)).status_code == 302
    with pytest.raises(Hidden):
        get_endpoint(project=bench.cast.project, pk=bench.endpoint.pk)
    assert back in client.get(page(bench, "endpoints")).content.decode()
    assert client.post(back).status_code == 302
    started = bench.start(endpoints=[get_endpoint(project=bench.cast.project, pk=bench.endpoint.pk)])
    assert wake_calls(job_id=started.batch.job_id) == []  # all of it was handed out already
    work_off(started.waiting)
    assert Candidate.objects.count() == 3


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_it_has_presets_of_servers_that_can_be_asked(preset: Preset) -> None:
    found = find_preset(preset.id)
    assert found is not None
    url = parse_base_url(found.base_url)
    assert str(url) == found.base_url
    assert (url.scheme, found.is_local) in {("https", False), ("http", True)}
    if found.is_local:
        assert resolve(found.base_url, allow_private=True).addresses == ("127.0.0.1",)
    assert 0 < len(found.model) <= 120


def test_it_names_each_preset_once() -> None:
    wanted = {"glm", "qwen", "ernie", "deepseek", "spark", "openai", "vllm", "llama-cpp"}
    assert {preset.id for preset in PRESETS} == wanted
    assert len({preset.base_url for preset in PRESETS}) == len(PRESETS)
    assert find_preset("no-such") is None


def test_it_fills_the_form_from_a_preset(bench: Bench) -> None:
    client = browser(bench.cast.manager)
    filled = client.get(page(bench, "endpoints"), {"preset": "qwen"}).content.decode()
    assert 'value="https://dashscope.aliyuncs.com/compatible-mode/v1"' in filled
    assert 'value="qwen-plus"' in filled
    assert client.get(page(bench, "endpoints"), {"preset": "<x>"}).status_code == 200
