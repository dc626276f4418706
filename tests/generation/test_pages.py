"""The pages of drafting, through HTTP, without a script in the browser."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from annotation.models import Item, KeyExposure
from annotation.services import record_exposure
from generation.models import Adoption, Candidate, PromptTemplate
from generation.queries.batch import generators_of, open_draft
from generation.services import prepare_batch
from generation.similarity import LONGER, SHORTER
from jobs.models import Endpoint, Job, JobState
from jobs.services import create_endpoint
from tests.factories import PASSWORD, make_story
from tests.generation.bench import Bench, wording_template, work_off

pytestmark = pytest.mark.django_db


def signed_in(user: User) -> Client:
    client = Client()
    assert client.login(username=user.username, password=PASSWORD)
    return client


def address(bench: Bench, name: str, *more: Any) -> str:
    return reverse(f"generation:{name}", args=[bench.cast.project.slug, *more])


def hidden(html: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', html)
    assert found, name
    return found[1]


def filled(html: str, options: int = 4) -> dict[str, str]:
    """What a browser would send of the slots as the page shows them."""
    sent = {name: hidden(html, name) for name in ("client_id", "sequence")}
    for place in range(options):
        area = re.search(rf'<textarea[^>]*name="text-{place}"[^>]*>([^<]*)</textarea>', html)
        assert area
        sent[f"text-{place}"] = area[1]
        sent[f"candidate-{place}"] = hidden(html, f"candidate-{place}")
    return sent


@pytest.fixture
def drafted(bench: Bench) -> Bench:
    """A bench whose story has its three candidates; its writers have asked for the moral."""
    work_off(bench.start().waiting)
    for user in (bench.cast.writer, bench.cast.writer2):
        record_exposure(actor=user, story=bench.story)
    return bench


@pytest.mark.parametrize("name", ["story", "stem_options"])
def test_it_gives_scripts_the_lengths_between_which_nothing_is_said(drafted: Bench, name: str) -> None:
    about = (drafted.story.pk,) if name == "story" else (drafted.story.pk, uuid4())
    page = signed_in(drafted.cast.writer).get(address(drafted, name, *about)).content.decode()
    found = re.search(r'data-longest="(.*?)" data-shortest="(.*?)"', page)
    assert found
    assert (float(found[1]), float(found[2])) == (LONGER, SHORTER)


PAGES = ["candidates", "batch", "prompts", "new_prompt"]


@pytest.mark.parametrize("name", PAGES)
def test_it_opens_to_writers_and_managers_only(bench: Bench, name: str) -> None:
    cast = bench.cast
    answers = {
        user: signed_in(user).get(address(bench, name)).status_code
        for user in (cast.writer, cast.manager, cast.reviewer, cast.verifier, cast.outsider)
    }
    assert list(answers.values()) == [200, 200, 403, 403, 404]


def test_it_keeps_endpoints_to_managers(bench: Bench) -> None:
    where = address(bench, "endpoints")
    assert signed_in(bench.cast.manager).get(where).status_code == 200
    assert signed_in(bench.cast.writer).get(where).status_code == 403
    assert signed_in(bench.cast.outsider).get(where).status_code == 404


def test_it_says_which_endpoint_is_not_asked_from_here(bench: Bench, settings: Settings) -> None:
    client, where = signed_in(bench.cast.manager), address(bench, "endpoints")
    assert "is inside the network" not in client.get(where).content.decode()
    settings.LLM_ALLOW_PRIVATE = frozenset()  # as after `make demo` on the folder of `make demo-llm`
    assert "is inside the network" in client.get(where).content.decode()


def test_it_shows_no_moral_before_a_story_is_opened_and_remembers_who_saw_it(bench: Bench) -> None:
    client = signed_in(bench.cast.writer)
    moral = "Slow and steady wins."
    assert moral not in client.get(address(bench, "candidates")).content.decode()
    assert not KeyExposure.objects.filter(user=bench.cast.writer).exists()
    where = address(bench, "story", bench.story.pk)
    asked = client.get(where).content.decode()
    assert moral not in asked
    assert "Viewing the moral ends your blind status for its items." in asked
    for refused in (client.post(where, {"save": "1"}), client.get(address(bench, "by_hand", bench.story.pk))):
        assert refused.headers["Location"] == where
    assert client.post(address(bench, "checks", bench.story.pk), {}).status_code == 409
    assert not KeyExposure.objects.filter(user=bench.cast.writer).exists()
    see = reverse("annotation:see_moral", args=[bench.cast.project.slug, bench.story.pk])
    assert see in asked
    assert client.post(see, {"then": where}).headers["Location"] == where
    assert moral in client.get(where).content.decode()
    assert KeyExposure.objects.filter(user=bench.cast.writer, story=bench.story, task="moral").exists()


def test_it_shows_no_story_of_another_project(bench: Bench) -> None:
    from tests.factories import make_project  # noqa: PLC0415 - a second cast, here only

    other = make_project()
    foreign = make_story(other)
    client = signed_in(bench.cast.writer)
    assert client.get(address(bench, "story", foreign.pk)).status_code == 404
    assert not KeyExposure.objects.filter(user=bench.cast.writer).exists()


def test_it_asks_the_overview_the_same_number_of_questions_for_any_number_of_stories(bench: Bench) -> None:
    client = signed_in(bench.cast.manager)
    client.get(address(bench, "candidates"))
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(address(bench, "candidates"))
    for _ in range(30):
        make_story(bench.cast)
    with CaptureQueriesContext(connection) as many:
        client.get(address(bench, "candidates"))
    assert len(many) == len(few)


def test_it_adds_an_endpoint_and_tries_it(bench: Bench) -> None:
    client = signed_in(bench.cast.manager)
    sent = {
        "name": "glm",
        "kind": "openai",
        "base_url": bench.stub.base_url,
        "model": "stub-ok",
        "key_variable": "",
        "parameters": '{"max_tokens": 100}',
        "price_in": "1",
        "price_out": "2",
        "requests_per_minute": "60",
        "tokens_per_minute": "100000",
        "parallel_calls": "2",
        "timeout_seconds": "5",
    }
    assert client.post(address(bench, "endpoints"), sent).status_code == 302
    endpoint = Endpoint.objects.get(name="glm")
    tried = client.post(address(bench, "test", endpoint.pk), follow=True).content.decode()
    assert "It answered in" in tried
    assert client.post(address(bench, "endpoints"), sent | {"parameters": "[1]"}).status_code == 400
    again = client.post(address(bench, "endpoints"), sent)
    assert again.status_code == 400
    assert client.post(address(bench, "retire", endpoint.pk)).status_code == 302
    assert client.post(address(bench, "test", endpoint.pk)).status_code == 404


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("stub-401", "The server requires an API key, but none is set."),
        ("stub-404", "The server does not have this model."),
        ("stub-500", "The server failed."),
        ("stub-garbage", "The response has an unexpected format."),
    ],
)
def test_it_says_in_plain_words_what_is_wrong_with_an_endpoint(bench: Bench, model: str, words: str) -> None:
    endpoint = bench.add_endpoint("broken", model)
    client = signed_in(bench.cast.manager)
    answer = client.post(address(bench, "test", endpoint.pk), HTTP_HX_REQUEST="true")
    assert words in answer.content.decode()
    assert signed_in(bench.cast.writer).post(address(bench, "test", endpoint.pk)).status_code == 403


def test_it_writes_previews_and_versions_a_prompt(bench: Bench) -> None:
    client = signed_in(bench.cast.writer)
    sent = {"name": "Turn it round", "purpose": "wrong_morals", "wanted": "2", "text": "{story} {x} {moral}"}
    where = address(bench, "new_prompt")
    preview = client.post(where, sent | {"preview": "1", "story": str(bench.story.pk)}).content.decode()
    assert "A hare laughed at tortoise" in preview
    assert "{x}" in preview
    assert not PromptTemplate.objects.filter(name="Turn it round").exists()
    assert KeyExposure.objects.filter(user=bench.cast.writer, story=bench.story).exists()
    assert client.post(where, sent).status_code == 302
    assert client.post(where, sent).status_code == 302
    assert client.post(where, sent | {"text": "{story} again"}).status_code == 302
    versions = PromptTemplate.objects.filter(name="Turn it round").order_by("version")
    assert [template.version for template in versions] == [1, 2]
    assert client.post(where, sent | {"text": "no variable"}).status_code == 400


def test_it_works_out_what_a_batch_costs_and_starts_it(bench: Bench) -> None:
    client = signed_in(bench.cast.writer)
    where = address(bench, "batch")
    chosen = {
        "scope": "chosen",
        "story": str(bench.story.pk),
        "templates": str(bench.template.pk),
        "endpoints": str(bench.endpoint.pk),
        "budget": "5",
    }
    estimate = client.get(where, chosen, HTTP_HX_REQUEST="true").content.decode()
    assert re.search(r"<dt>Calls</dt><dd>1</dd>", estimate)
    answer = client.post(where, chosen)
    job = Job.objects.get()
    assert answer.headers["Location"] == reverse("jobs:job", args=[bench.cast.project.slug, job.pk])
    assert not job.calls.exists()
    work_off(prepare_batch(job_id=job.pk))
    page = client.get(answer.headers["Location"]).content.decode()
    assert "1 / 1" in page
    refused = client.post(where, chosen)
    assert refused.status_code == 400
    assert "All of these calls were made before" in refused.content.decode()


def test_it_reports_progress_to_those_who_may_see_it(drafted: Bench) -> None:
    job = Job.objects.get()
    where = reverse("api_job", args=[job.pk])
    seen = signed_in(drafted.cast.writer2).get(where).json()
    assert (seen["state"], seen["finished"], seen["by_state"], seen["failures"]) == (
        "done",
        1,
        {"done": 1},
        [],
    )
    assert signed_in(drafted.cast.reviewer).get(where).status_code == 404
    assert signed_in(drafted.cast.outsider).get(where).status_code == 404
    assert Client().get(where).status_code == 401


def test_it_lets_a_job_be_paused_and_cancelled_on_its_page(bench: Bench) -> None:
    started = bench.start()
    client = signed_in(bench.cast.writer)
    slug, pk = bench.cast.project.slug, started.batch.job_id
    for verb, state in (
        ("pause", JobState.PAUSED),
        ("resume", JobState.RUNNING),
        ("cancel", JobState.CANCELLED),
    ):
        assert client.post(reverse(f"jobs:{verb}", args=[slug, pk])).status_code == 302
        assert Job.objects.get(pk=pk).state == state
    other = signed_in(bench.cast.writer2)
    assert other.post(reverse("jobs:pause", args=[slug, pk])).status_code == 403


def test_it_takes_candidates_into_slots_and_hands_in_a_machine_style_item(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    for use in ["moral", *Candidate.objects.order_by("pk").values_list("pk", flat=True)]:
        html = client.get(where).content.decode()
        assert client.post(where, filled(html) | {"use": str(use)}).status_code == 302
    html = client.get(where).content.decode()
    sent = filled(html)
    assert sent["text-0"] == "Slow and steady wins."
    assert all(sent[f"candidate-{place}"] for place in (1, 2, 3))
    sent["text-1"] = "A wording of one's own."
    saved = client.post(where, sent | {"save": "1"}, follow=True).content.decode()
    assert "<ins>" in saved
    assert client.post(where, filled(saved) | {"submit": "1"}).status_code == 302
    item = Item.objects.get()
    assert (item.style, item.task, item.state, item.writer) == (
        "machine",
        "moral",
        "in_review",
        drafted.cast.writer,
    )
    assert item.current is not None
    assert item.current.stem == drafted.cast.project.moral_stem
    taken = Adoption.objects.filter(option__revision=item.current).select_related("candidate", "option")
    assert len(taken) == 3
    reworded = taken.get(option__position=1)
    assert reworded.original_text == reworded.candidate.text != reworded.option.text
    assert generators_of(Item.objects.filter(pk=item.pk)) == {item.pk: ("stub-ok",)}
    # the same form sent twice is one item, and the page begins afresh
    assert client.post(where, filled(saved) | {"submit": "1"}).status_code == 302
    assert Item.objects.count() == 1
    assert filled(client.get(where).content.decode())["text-0"] == ""


def test_it_keeps_what_was_typed_when_the_item_cannot_be_handed_in(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    sent = filled(client.get(where).content.decode()) | {"text-0": "A key.", "submit": "1"}
    answer = client.post(where, sent)
    assert answer.status_code == 400
    assert "Use at least one distractor from the candidates" in answer.content.decode()
    draft = open_draft(drafted.cast.writer, drafted.story)
    assert draft is not None
    assert draft.content["options"][0]["text"] == "A key."
    assert Item.objects.count() == 0


def test_it_refuses_a_wrong_moral_as_the_key_and_a_wording_of_the_moral_as_wrong(drafted: Bench) -> None:
    work_off(drafted.start(templates=[wording_template(drafted)]).waiting)
    wrong = Candidate.objects.filter(template=drafted.template).order_by("pk")
    right = Candidate.objects.exclude(template=drafted.template).first()
    assert right is not None
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    sent = filled(client.get(where).content.decode())
    for index, candidate in enumerate([wrong[0], right, wrong[1], wrong[2]]):
        sent |= {f"text-{index}": candidate.text, f"candidate-{index}": str(candidate.pk)}
    html = client.post(where, sent | {"submit": "1"}).content.decode()
    assert "A wrong moral cannot be the key." in html
    assert "A rewording of the moral cannot be a distractor." in html
    used = client.post(where, filled(html) | {"use": str(right.pk)})
    assert used.status_code == 302


def test_it_does_not_take_a_candidate_of_another_story(drafted: Bench) -> None:
    other = make_story(drafted.cast)
    work_off(drafted.start(stories=[other]).waiting)
    foreign = Candidate.objects.filter(story=other).first()
    assert foreign is not None
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    sent = filled(client.get(where).content.decode())
    assert client.post(where, sent | {"use": str(foreign.pk)}).status_code == 400
    sent |= {f"text-{index}": f"Words {index}." for index in range(4)} | {"candidate-1": str(foreign.pk)}
    html = client.post(where, sent | {"submit": "1"}).content.decode()
    assert "This proposal belongs to another story." in html


def test_it_saves_by_itself_and_says_when_it_was_overtaken(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    html = client.get(address(drafted, "story", drafted.story.pk)).content.decode()
    where = reverse("api_slots", args=[drafted.cast.project.slug, drafted.story.pk])
    body = {
        "client_id": hidden(html, "client_id"),
        "sequence": 1,
        "slots": [{"text": "Kept.", "candidate": None}],
    }
    assert client.put(where, body, content_type="application/json").json()["sequence"] == 1
    other = body | {"slots": [{"text": "Late.", "candidate": None}]}
    assert client.put(where, other, content_type="application/json").status_code == 409
    assert "Kept." in client.get(address(drafted, "story", drafted.story.pk)).content.decode()
    stranger = signed_in(drafted.cast.reviewer)
    assert stranger.put(where, body, content_type="application/json").status_code == 403


def test_it_shows_markup_of_an_answer_as_text(bench: Bench) -> None:
    manual = create_endpoint(
        actor=bench.cast.manager, project=bench.cast.project, name="Chat", model="any", kind="by_hand"
    )
    client = signed_in(bench.cast.writer)
    record_exposure(actor=bench.cast.writer, story=bench.story)
    where = address(bench, "by_hand", bench.story.pk)
    assert "A hare laughed at tortoise" in client.get(where).content.decode()
    sent = {
        "template": str(bench.template.pk),
        "endpoint": str(manual.pk),
        "model": "qwen-by-hand",
        "answer": "1. <script>alert(1)</script> is a moral\n2. Pride comes before a fall",
    }
    assert client.post(where, sent).status_code == 302
    html = client.get(address(bench, "story", bench.story.pk)).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; is a moral" in html
    assert "<script>alert(1)" not in html
    assert set(Candidate.objects.values_list("generator", flat=True)) == {"qwen-by-hand"}
    assert client.post(where, sent | {"answer": "  "}).status_code == 400


def test_it_folds_alike_candidates_behind_a_line_that_names_their_models(bench: Bench) -> None:
    twins = [bench.add_endpoint(name, name, parameters={}) for name in ("stub-ok-2", "stub-ok-3")]
    work_off(bench.start(endpoints=[bench.endpoint, *twins]).waiting)
    record_exposure(actor=bench.cast.writer, story=bench.story)
    html = signed_in(bench.cast.writer).get(address(bench, "story", bench.story.pk)).content.decode()
    assert html.count("data-candidate=") == Candidate.objects.count()
    if Candidate.objects.values("normalised").distinct().count() < Candidate.objects.count():
        assert re.search(r"<summary[^>]*>and \d more like it from stub-ok", html)
    assert re.search(r"\d+ % like the moral", html)


def test_it_measures_candidates_beside_the_key_that_stands_in_the_slot(drafted: Bench) -> None:
    client = signed_in(drafted.cast.writer)
    where = address(drafted, "story", drafted.story.pk)
    candidate = Candidate.objects.order_by("pk")[0]
    sent = filled(client.get(where).content.decode()) | {"text-0": candidate.text, "save": "1"}
    html = client.post(where, sent, follow=True).content.decode()
    card = html.split(f'data-candidate="{candidate.pk}"')[1].split("data-candidate=")[0]
    assert "100 % like the moral" in card
    assert "close to the moral" in card
