"""The pages on which a model is asked to solve an item, through HTTP."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content import ItemContent
from annotation.models import KeyExposure
from annotation.services import record_exposure
from generation.models import Outcome, Trial
from tests.factories import content, make_project, make_story
from tests.generation.bench import Bench
from tests.generation.solver import ask, letter_of, posed, saved_draft, say, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """A bench whose endpoint says what a test lets it say."""
    return replace(bench, endpoint=bench.add_endpoint("solver", "stub-plain", price_in=1, price_out=2))


def address(bench: Bench, draft: uuid.UUID) -> str:
    return reverse("generation:test_item", args=[bench.cast.project.slug, bench.story.pk, draft])


def desk_fields(words: ItemContent, endpoint: int) -> dict[str, str]:
    key = next(str(index) for index, option in enumerate(words.options) if option.is_key)
    texts = {f"option-{index}": option.text for index, option in enumerate(words.options)}
    return {"stem": words.stem, "key": key, "endpoint": str(endpoint), **texts}


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_tries_what_stands_on_the_desk(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    words = content()
    shown = posed(bench, words)
    say(monkeypatch, letter_of(shown.key))
    client, where = signed_in(bench.cast.writer), address(bench, uuid.uuid4())
    sent = desk_fields(words, bench.endpoint.pk)
    with django_capture_on_commit_callbacks(execute=True):
        asked = client.post(where, sent, headers={"HX-Request": "true"}).content.decode()
    assert "Waiting for the answer." in asked
    assert 'hx-trigger="load delay' in asked
    sent.pop("endpoint")
    seen = client.post(where, sent, headers={"HX-Request": "true"}).content.decode()
    assert "chose the key" in seen
    assert "answered correctly by 1 of 1 model" in seen
    assert 'hx-trigger="load delay' not in seen
    assert len(bench.stub.log) == 1


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_tries_what_stands_in_the_slots_of_the_candidates_page(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    say(monkeypatch, "Nothing fits.")
    client, where = signed_in(bench.cast.writer), address(bench, uuid.uuid4())
    sent = {f"text-{index}": f"Moral number {index}." for index in range(4)} | {
        "endpoint": str(bench.endpoint.pk)
    }
    with django_capture_on_commit_callbacks(execute=True):
        client.post(where, sent, headers={"HX-Request": "true"})
    trial = Trial.objects.get()
    assert bench.cast.project.moral_stem in trial.call.prompt
    assert trial.options[trial.key] == "Moral number 0."
    assert trial.outcome == Outcome.UNPARSED


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_works_without_a_script_on_the_draft_as_it_was_saved(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    say(monkeypatch, "<b>Both</b> A and B")
    draft = saved_draft(bench, content())
    client, where = signed_in(bench.cast.writer), address(bench, draft.client_id)
    assert "It felt sure of winning" in client.get(where).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(where, {"endpoint": str(bench.endpoint.pk)}).status_code == 302
    page = client.get(where).content.decode()
    assert "named several options" in page
    assert "<b>Both</b>" not in page
    assert "&lt;b&gt;Both" in page


def test_it_opens_to_people_who_write_only(bench: Bench) -> None:
    where = address(bench, uuid.uuid4())
    cast = bench.cast
    people = (cast.writer, cast.manager, cast.reviewer, cast.verifier, cast.outsider)
    assert [signed_in(user).get(where).status_code for user in people] == [200, 200, 403, 403, 404]
    foreign = make_story(make_project())
    elsewhere = reverse("generation:test_item", args=[cast.project.slug, foreign.pk, uuid.uuid4()])
    assert signed_in(cast.writer).get(elsewhere).status_code == 404


def test_it_refuses_in_words_on_the_sheet_itself(bench: Bench) -> None:
    client, where = signed_in(bench.cast.writer), address(bench, uuid.uuid4())
    sent = {"stem": "", "endpoint": str(bench.endpoint.pk)}
    seen = client.post(where, sent, headers={"HX-Request": "true"})
    assert seen.status_code == 200
    assert "Write the stem first" in seen.content.decode()
    assert client.post(where, sent).status_code == 400
    assert client.post(where, {"endpoint": "999999999"}, headers={"HX-Request": "true"}).status_code == 404


def test_it_asks_the_same_number_of_queries_for_any_number_of_trials(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(monkeypatch, "A")
    draft = saved_draft(bench, content())
    client, where = signed_in(bench.cast.writer), address(bench, draft.client_id)
    ask(bench, draft=draft.client_id)
    client.get(where)
    with CaptureQueriesContext(connection) as few:
        client.get(where)
    for _ in range(5):
        ask(bench, draft=draft.client_id, again=True)
    with CaptureQueriesContext(connection) as many:
        client.get(where)
    assert len(many) == len(few)


def test_it_stands_on_the_desk_by_its_address_only(bench: Bench) -> None:
    client = signed_in(bench.cast.writer)
    desk = reverse("annotation:write", args=[bench.cast.project.slug, bench.story.pk])
    assert f"/candidates/{bench.story.pk}/test/" in client.get(desk).content.decode()
    slots = reverse("generation:story", args=[bench.cast.project.slug, bench.story.pk])
    record_exposure(actor=bench.cast.writer, story=bench.story)  # else it asks before
    page = client.get(slots)
    assert f"/candidates/{bench.story.pk}/test/" in page.content.decode()
    reviewer = signed_in(bench.cast.reviewer)
    assert "/test/" not in reviewer.get(desk).content.decode()
    assert not KeyExposure.objects.filter(user=bench.cast.reviewer).exists()


@pytest.mark.parametrize("page", ["generation:test_item", "generation:stem_options"])
def test_the_way_back_leads_somewhere_though_nothing_has_been_saved(bench: Bench, page: str) -> None:
    client = signed_in(bench.cast.writer)
    response = client.get(reverse(page, args=[bench.cast.project.slug, bench.story.pk, uuid.uuid4()]))
    back = response.context["back_url"]
    assert f'href="{back}"' in response.text
    assert client.get(back).status_code == 200
