"""Prompts, batches and candidates by programs: what they order, and what they may not read yet."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from annotation.models import Item
from annotation.services import record_exposure
from generation.models import Adoption, Batch, Candidate, PromptTemplate, Purpose
from generation.services import create_template, prepare_batch
from jobs.models import EndpointKind, Job
from jobs.services import create_endpoint
from tests.factories import Cast, make_project, make_story
from tests.generation.bench import PROMPT, Bench, work_off
from tests.generation.test_candidate_list import pasted
from tests.generation.test_stems import ask as ask_for_options
from tests.generation.test_stems import stem_template
from tests.projects.test_tokens import ask, token_of

pytestmark = pytest.mark.django_db

MOST_STATEMENTS = 6


def address(cast: Cast, name: str, *arguments: object) -> str:
    return reverse(f"api_{name}", args=[cast.project.slug, *arguments])


def chosen(bench: Bench, **changes: Any) -> dict[str, Any]:
    return {
        "stories": [bench.story.pk],
        "prompts": [bench.template.pk],
        "endpoints": [bench.endpoint.pk],
        **changes,
    }


def test_a_prompt_gets_versions(bench: Bench) -> None:
    text, there = token_of(bench.cast.writer), address(bench.cast, "prompts")
    sent = {"name": "Morals", "text": PROMPT, "proposals": 4, "purpose": "free"}
    first = ask(text, "post", there, sent)
    assert first.status_code == 201
    assert {name: first.json()[name] for name in sent} == sent
    assert (first.json()["version"], first.json()["is_newest"]) == (1, True)
    assert ask(text, "post", there, sent).json() == first.json()  # unchanged
    second = ask(text, "post", there, sent | {"proposals": 5}).json()
    assert (second["version"], second["is_newest"]) == (2, True)
    assert ask(text, "get", first.headers["Location"]).json()["is_newest"] is False
    listed = ask(text, "get", f"{there}?name=Morals").json()["results"]
    assert [(row["version"], row["is_newest"]) for row in listed] == [(2, True), (1, False)]
    newest = ask(text, "get", f"{there}?newest=true&purpose=free").json()["results"]
    assert [row["id"] for row in newest] == [second["id"]]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"text": "Nothing of a story."}, "text"),
        ({"text": "x" * 20_001}, "text"),
        ({"purpose": "poem"}, "purpose"),
        ({"purpose": "wrong_options", "text": "{stem} {moral}"}, "text"),
        ({"proposals": 0}, "proposals"),
        ({"proposals": 21}, "proposals"),
        ({"version": 9}, "version"),
    ],
)
def test_a_prompt_that_cannot_be_made_names_the_field(
    bench: Bench, wrong: dict[str, Any], field: str
) -> None:
    sent = {"name": "Morals", "text": PROMPT, **wrong}
    refused = ask(token_of(bench.cast.writer), "post", address(bench.cast, "prompts"), sent)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])


def test_a_batch_is_ordered_once_and_its_job_followed(bench: Bench) -> None:
    text = token_of(bench.cast.writer)
    key = {"Idempotency-Key": "once"}
    sent = chosen(bench, budget="3.5")
    first, again = (ask(text, "post", address(bench.cast, "batches"), sent, **key) for _each in range(2))
    assert (first.status_code, again.json()) == (202, first.json())
    batch = Batch.objects.get()
    assert first.json() == {"job": batch.job_id, "url": first.headers["Location"]}
    assert ask(text, "get", first.headers["Location"]).json()["state"] == "pending"
    one = ask(text, "get", address(bench.cast, "batch", batch.pk)).json()
    assert (one["stories"], one["prompts"], one["endpoints"]) == (1, [bench.template.pk], [bench.endpoint.pk])
    assert (one["job"], Decimal(one["limit"]), one["job_url"]) == (
        batch.job_id,
        Decimal("3.5"),
        first.headers["Location"],
    )
    listed = ask(text, "get", f"{address(bench.cast, 'batches')}?job={batch.job_id}&state=pending").json()
    assert listed["results"] == [one]
    assert ask(text, "get", f"{address(bench.cast, 'batches')}?state=done").json()["results"] == []


def test_an_estimate_writes_nothing(bench: Bench) -> None:
    text, there = token_of(bench.cast.writer), address(bench.cast, "batch_estimate")
    bench.endpoint.price_out = Decimal(10)
    bench.endpoint.save()
    found = ask(text, "post", there, chosen(bench)).json()
    assert (found["stories"], found["sampled"], found["calls"], found["already_asked"]) == (1, 1, 1, 0)
    assert Decimal(found["cost"]) > 0
    by_scope = chosen(bench, scope="without")
    del by_scope["stories"]
    assert ask(text, "post", there, by_scope).json()["stories"] == 1
    assert not Batch.objects.exists()
    assert not Job.objects.exists()


@pytest.mark.parametrize("name", ["batches", "batch_estimate"])
@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"stories": []}, "stories"),
        ({"stories": [0]}, "stories"),
        ({"stories": [10**9]}, "stories"),
        ({"prompts": []}, "prompts"),
        ({"prompts": [10**9]}, "prompts"),
        ({"endpoints": []}, "endpoints"),
        ({"endpoints": [10**9]}, "endpoints"),
        ({"scope": "chosen"}, "scope"),
        ({"templates": [1]}, "templates"),
    ],
)
def test_a_batch_that_cannot_be_made_names_the_field(
    bench: Bench, name: str, wrong: dict[str, Any], field: str
) -> None:
    refused = ask(token_of(bench.cast.writer), "post", address(bench.cast, name), chosen(bench, **wrong))
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    assert not Batch.objects.exists()


def test_what_belongs_to_another_project_is_refused_as_if_it_were_not_there(bench: Bench) -> None:
    other = make_project()
    foreign = {
        "stories": [make_story(other).pk],
        "prompts": [create_template(actor=other.writer, project=other.project, name="x", text=PROMPT).pk],
        "endpoints": [
            create_endpoint(
                actor=other.manager, project=other.project, name="x", model="x", base_url=bench.stub.base_url
            ).pk
        ],
    }
    text, there = token_of(bench.cast.writer), address(bench.cast, "batches")
    for name, ids in foreign.items():
        refused, absent = (
            ask(text, "post", there, chosen(bench, **{name: one})) for one in (ids, [2_000_000_000])
        )
        assert (refused.status_code, refused.json()) == (400, absent.json()), name
    theirs = address(other, "prompt", bench.template.pk)
    assert ask(token_of(other.manager), "get", theirs).status_code == 404
    assert ask(token_of(other.manager), "get", there).status_code == 404


def test_who_may_see_and_order(bench: Bench) -> None:
    for person in (bench.cast.reviewer, bench.cast.verifier):
        text = token_of(person)
        for name in ("prompts", "batches", "candidates"):
            assert ask(text, "get", address(bench.cast, name)).status_code == 403
        assert ask(text, "post", address(bench.cast, "batches"), chosen(bench)).status_code == 403
    reader = token_of(bench.cast.manager, "read")
    assert ask(reader, "get", address(bench.cast, "batches")).status_code == 200
    assert ask(reader, "post", address(bench.cast, "batches"), chosen(bench)).status_code == 403
    assert (
        ask(reader, "post", address(bench.cast, "prompts"), {"name": "x", "text": PROMPT}).status_code == 403
    )


def test_the_text_of_a_candidate_is_shown_only_after_the_moral(bench: Bench) -> None:
    """A person who may still solve the story's moral items does not read proposals, as on pages."""
    pasted(bench, "Pride comes before a fall.", "Slow and steady wins the race.")
    reader, there = token_of(bench.cast.manager), address(bench.cast, "candidates")
    before = ask(reader, "get", there)
    assert [row["text"] for row in before.json()["results"]] == [None, None]
    assert "Pride" not in before.content.decode()
    record_exposure(actor=bench.cast.manager, story=bench.story)
    after = ask(reader, "get", there).json()["results"]
    assert [row["text"] for row in after] == ["Slow and steady wins the race.", "Pride comes before a fall."]
    other = ask(token_of(bench.cast.writer2), "get", there).json()["results"]
    assert [row["text"] for row in other] == [None, None]


def test_the_distractors_for_someone_elses_stem_are_not_listed(bench: Bench) -> None:
    ask_for_options(bench, stem_template(bench), uuid.uuid4())
    mine, theirs = (
        ask(token_of(person), "get", address(bench.cast, "candidates") + "?purpose=wrong_options").json()
        for person in (bench.cast.writer, bench.cast.writer2)
    )
    assert mine["results"]
    assert all(row["text"] for row in mine["results"])
    assert theirs["results"] == []


def test_candidates_are_filtered(bench: Bench) -> None:
    started = bench.start()
    work_off(started.waiting)
    work_off(bench.start(stories=[make_story(bench.cast)]).waiting)
    first = list(Candidate.objects.filter(story=bench.story).order_by("-pk").values_list("pk", flat=True))
    assert 0 < len(first) < Candidate.objects.count()
    text = token_of(bench.cast.writer)

    def listed(query: str) -> list[int]:
        rows = ask(text, "get", f"{address(bench.cast, 'candidates')}?{query}").json()["results"]
        return [row["id"] for row in rows]

    assert listed(f"story={bench.story.pk}") == listed(f"batch={started.batch.pk}") == first
    everything = listed("")
    assert listed(f"prompt={bench.template.pk}&endpoint={bench.endpoint.pk}") == everything
    assert listed("used=false") == listed("purpose=wrong_morals") == everything
    assert listed("used=true") == listed("story=2000000000") == []
    assert ask(text, "get", f"{address(bench.cast, 'candidates')}?text=x").status_code == 400


def test_an_answer_is_pasted_and_becomes_an_item_with_its_sources(bench: Bench) -> None:
    cast, story = bench.cast, bench.story
    by_hand = create_endpoint(
        actor=cast.manager, project=cast.project, name="Chat", model="any", kind=EndpointKind.MANUAL
    )
    free = create_template(
        actor=cast.writer, project=cast.project, name="Free", text=PROMPT, purpose=Purpose.FREE
    )
    text, there = token_of(cast.writer), address(cast, "story_candidates", story.pk)
    sent = {
        "prompt": free.pk, "endpoint": by_hand.pk, "model": "glm-web",
        "answer": "1. Pride is a good teacher\n2. Sleep well before you run\n3. Friends are for races",
    }  # fmt: skip
    early = ask(text, "post", there, sent)
    assert (early.status_code, early.json()["code"]) == (409, "conflict")
    record_exposure(actor=cast.writer, story=story)
    for name, wrong in (
        ("prompt", 10**9),
        ("endpoint", 10**9),
        ("endpoint", bench.endpoint.pk),
        ("model", ""),
    ):
        refused = ask(text, "post", there, sent | {name: wrong})
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [name])
    made = ask(text, "post", there, sent, **{"Idempotency-Key": "once"})
    assert made.status_code == 201
    rows = made.json()["results"]
    assert [row["generator"] for row in rows] == ["glm-web"] * 3
    client_id = uuid.uuid4()
    slots = [{"text": "Slow and steady wins the race.", "candidate": None}] + [
        {"text": row["text"], "candidate": row["id"]} for row in rows
    ]
    save = {"client_id": str(client_id), "sequence": 1, "slots": slots}
    assert ask(text, "put", address(cast, "slots", story.pk), save).status_code == 200
    submit = address(cast, "slots_submit", story.pk, client_id)
    assert ask(token_of(cast.writer2), "post", submit).status_code == 404
    assert ask(text, "post", address(cast, "slots_submit", make_story(cast).pk, client_id)).status_code == 404
    assert ask(token_of(cast.writer, "read"), "post", submit).status_code == 403
    first, again = (ask(text, "post", submit) for _each in range(2))
    assert first.status_code == 200, first.json()
    assert first.json() == again.json() == {"item": Item.objects.get().pk}
    assert set(Adoption.objects.values_list("candidate", flat=True)) == {row["id"] for row in rows}
    used = ask(text, "get", f"{address(cast, 'candidates')}?used=true").json()["results"]
    assert {row["id"] for row in used} == {row["id"] for row in rows}


@pytest.mark.parametrize("name", ["prompts", "batches", "candidates"])
def test_a_page_costs_the_same_however_many_rows_it_has(
    bench: Bench, name: str, django_assert_max_num_queries: Any
) -> None:
    for number in range(9):
        template = create_template(
            actor=bench.cast.writer, project=bench.cast.project, name=f"P {number}", text=PROMPT
        )
        started = bench.start(templates=[template], stories=[make_story(bench.cast)])
        work_off(started.waiting)
    assert PromptTemplate.objects.count() > 9
    prepare_batch(job_id=started.batch.job_id)
    text = token_of(bench.cast.writer)
    with django_assert_max_num_queries(MOST_STATEMENTS):
        assert len(ask(text, "get", address(bench.cast, name)).json()["results"]) >= 9
