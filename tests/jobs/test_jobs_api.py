"""Jobs, endpoints and the budget by programs: what they read and steer, and that a key never comes back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from jobs.models import Call, CallState, Endpoint, Job, JobState, StoredKey
from jobs.services import allow_host, order_job
from tests.factories import make_project, make_story, make_user
from tests.generation.bench import Bench
from tests.projects.test_tokens import ask, token_of

pytestmark = pytest.mark.django_db

MOST_STATEMENTS = 6
READ_ONLY = ("read",)


def address(bench: Bench, name: str, *arguments: object) -> str:
    return reverse(f"api_{name}", args=[bench.cast.project.slug, *arguments])


def test_it_lists_jobs_by_kind_and_state(bench: Bench) -> None:
    started = bench.start()
    order_job(actor=bench.cast.manager, project=bench.cast.project, kind="story_groups", subject=7)
    text = token_of(bench.cast.manager)
    rows = ask(text, "get", address(bench, "jobs")).json()["results"]
    assert [row["kind"] for row in rows] == ["story_groups", "generate"]
    assert (rows[0]["calls_models"], rows[0]["cost"]) == (False, None)
    assert (rows[1]["calls_models"], Decimal(rows[1]["cost"])) == (True, Decimal(0))
    assert rows[1]["created_by"] == bench.cast.writer.username
    for query, ids in (
        ("kind=generate", [started.batch.job_id]),
        ("kind=generate&state=done", []),
        (f"state={started.batch.job.state}&kind=generate", [started.batch.job_id]),
    ):
        found = ask(text, "get", f"{address(bench, 'jobs')}?{query}").json()["results"]
        assert [row["id"] for row in found] == ids, query
    refused = ask(text, "get", f"{address(bench, 'jobs')}?state=lost")
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["state"])
    assert ask(token_of(bench.cast.writer), "get", address(bench, "jobs")).status_code == 403


def test_the_progress_of_every_job_is_at_one_address(bench: Bench) -> None:
    """Whatever accepted work answers with the address of its job, also of one that calls no models."""
    own = order_job(actor=bench.cast.verifier, project=bench.cast.project, kind="story_groups", subject=7)
    Job.objects.filter(pk=own.pk).update(done=3, total=9)
    there = reverse("api_job", args=[own.pk])
    for person in (bench.cast.verifier, bench.cast.manager):
        seen = ask(token_of(person), "get", there).json()
        assert (seen["finished"], seen["total"], seen["by_state"], seen["limit"]) == (3, 9, {}, None)
    for person in (bench.cast.writer, bench.cast.outsider, make_project().manager):
        assert ask(token_of(person), "get", there).status_code == 404


def test_a_job_is_paused_resumed_and_cancelled(bench: Bench) -> None:
    job = bench.start(stories=[make_story(bench.cast) for _ in range(3)]).batch.job
    text = token_of(bench.cast.writer)

    def steer(verb: str, sent: Any = None) -> Any:
        return ask(text, "post", address(bench, f"job_{verb}", job.pk), sent)

    assert steer("resume", {}).status_code == 409
    assert steer("pause").json()["state"] == JobState.PAUSED
    assert steer("pause").status_code == 409
    assert steer("resume", {"limit": "2.5"}).json()["limit"] == "2.500000"
    wrong = steer("resume", {"limit": "-1"})
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["limit"])
    cancelled = steer("cancel").json()
    assert (cancelled["state"], cancelled["by_state"]) == ("cancelled", {"cancelled": 3})
    assert steer("cancel").status_code == 409


def test_failed_calls_are_retried_by_reason(bench: Bench) -> None:
    job = bench.start(stories=[make_story(bench.cast) for _ in range(3)]).batch.job
    calls = list(Call.objects.order_by("pk"))
    for call, code in zip(calls, ("timed_out", "server_fault", "server_fault"), strict=True):
        Call.objects.filter(pk=call.pk).update(state=CallState.FAILED, reason_code=code)
    text, there = token_of(bench.cast.writer), address(bench, "job_retry", job.pk)
    assert ask(text, "post", there, {"reason": "refused"}).status_code == 409
    assert ask(text, "post", there, {"reason": "server_fault"}).json()["by_state"] == {
        "failed": 1,
        "pending": 2,
    }
    assert ask(text, "post", there, {}).json()["by_state"] == {"pending": 3}


def test_a_job_is_steered_by_its_creator_and_managers_alone(bench: Bench) -> None:
    job = bench.start().batch.job
    there = address(bench, "job_pause", job.pk)
    assert ask(token_of(bench.cast.writer2), "post", there).status_code == 403
    assert ask(token_of(bench.cast.reviewer), "post", there).status_code == 403
    assert ask(token_of(bench.cast.writer, "read", "manage"), "post", there).status_code == 403
    other = make_project()
    foreign = ask(
        token_of(other.manager), "post", reverse("api_job_pause", args=[other.project.slug, job.pk])
    )
    absent = ask(token_of(other.manager), "post", reverse("api_job_pause", args=[other.project.slug, 10**9]))
    assert (foreign.status_code, foreign.json()) == (404, absent.json())
    assert ask(token_of(bench.cast.manager), "post", there).status_code == 200


def test_an_endpoint_is_created_changed_retired_and_restored(bench: Bench) -> None:
    text = token_of(bench.cast.manager)
    sent = {
        "name": "GLM", "model": "glm-5", "base_url": bench.stub.base_url, "price_in": "0.5",
        "parameters": {"temperature": 0.9, "stop": ["\n"]},
    }  # fmt: skip
    key = {"Idempotency-Key": "once"}
    made, again = (ask(text, "post", address(bench, "endpoints"), sent, **key) for _each in range(2))
    assert (made.status_code, again.json()) == (201, made.json())
    assert made.json()["parameters"] == sent["parameters"]
    assert (made.json()["price_in"], made.json()["kind"], made.json()["has_key"]) == (
        "0.5000",
        "openai",
        False,
    )
    there, tag = made.headers["Location"], made.headers["ETag"]
    assert ask(text, "get", there).headers["ETag"] == tag
    changed = ask(text, "patch", there, {"parallel_calls": 9}, **{"If-Match": tag})
    assert (changed.json()["parallel_calls"], changed.json()["name"]) == (9, "GLM")
    late = ask(text, "patch", there, {"parallel_calls": 8}, **{"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    assert ask(text, "post", f"{there}retire/").json()["retired_at"]
    assert ask(text, "get", there).status_code == 200
    assert ask(text, "patch", there, {"name": "x"}).status_code == 404
    retired = ask(text, "get", address(bench, "endpoints") + "?retired=true").json()["results"]
    assert [row["name"] for row in retired] == ["GLM"]
    assert ask(text, "post", f"{there}restore/").json()["retired_at"] is None
    assert ask(text, "post", f"{there}restore/").status_code == 404


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"kind": "carrier pigeon"}, "kind"),
        ({"base_url": ""}, "base_url"),
        ({"base_url": "http://10.0.0.1/v1"}, "base_url"),
        ({"key_variable": "PARABLE_SECRET_KEY"}, "key_variable"),
        ({"parameters": {"model": "other"}}, "parameters"),
        ({"parameters": [1]}, "parameters"),
        ({"price_out": "-1"}, "price_out"),
        ({"timeout_seconds": 601}, "timeout_seconds"),
        ({"key": "sk-secret"}, "key"),
    ],
)
def test_an_endpoint_that_cannot_be_made_names_the_field(
    bench: Bench, wrong: dict[str, Any], field: str
) -> None:
    right = {"name": "GLM", "model": "glm-5", "base_url": bench.stub.base_url}
    refused = ask(token_of(bench.cast.manager), "post", address(bench, "endpoints"), {**right, **wrong})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    assert "sk-secret" not in refused.content.decode()


def test_no_response_has_a_key(bench: Bench, settings: Any) -> None:
    settings.KEY_SECRETS = ["a secret that is long enough to seal keys with"]
    allow_host(actor=make_user("Ada", administrator=True), address=bench.stub.base_url)
    text, there = token_of(bench.cast.manager), address(bench, "endpoint_key", bench.endpoint.pk)
    stored = ask(text, "put", there, {"key": "sk-very-secret"})
    assert (stored.status_code, stored.content) == (204, b"")
    assert "sk-very-secret" not in StoredKey.objects.get().sealed
    one = ask(text, "get", address(bench, "endpoint", bench.endpoint.pk))
    assert one.json()["has_key"] is True
    for answer in (one, ask(text, "get", address(bench, "endpoints"))):
        assert "very-secret" not in answer.content.decode()
        assert StoredKey.objects.get().sealed not in answer.content.decode()
    wrong = ask(text, "put", there, {"key": "sk very secret"})
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["key"])
    assert "very" not in wrong.content.decode()
    assert ask(text, "get", there).status_code in (403, 405)
    assert ask(text, "delete", there).status_code == 204
    assert not StoredKey.objects.exists()


def test_an_endpoint_is_tested(bench: Bench) -> None:
    text = token_of(bench.cast.manager)
    found = ask(text, "post", address(bench, "endpoint_test", bench.endpoint.pk)).json()
    assert (found["ok"], found["server_says"]) == (True, "")
    assert found["latency_ms"] >= 0


def test_who_may_see_and_change_endpoints_and_the_budget(bench: Bench) -> None:
    endpoint = address(bench, "endpoint", bench.endpoint.pk)
    for person, reads in (
        (bench.cast.writer, 403),
        (bench.cast.reviewer, 403),
        (make_project().manager, 404),
    ):
        text = token_of(person)
        for there in (address(bench, "endpoints"), endpoint, address(bench, "budget")):
            assert ask(text, "get", there).status_code == reads
        assert ask(text, "patch", endpoint, {"name": "x"}).status_code == reads
        assert ask(text, "put", address(bench, "budget"), {"limit": None}).status_code == reads
    reader = token_of(bench.cast.manager, *READ_ONLY)
    assert ask(reader, "get", endpoint).status_code == 200
    assert ask(reader, "patch", endpoint, {"name": "x"}).status_code == 403
    assert ask(reader, "put", address(bench, "budget"), {"limit": "1"}).status_code == 403
    other = make_project()
    foreign = reverse("api_endpoint", args=[other.project.slug, bench.endpoint.pk])
    assert ask(token_of(other.manager), "get", foreign).status_code == 404
    assert Endpoint.objects.get(pk=bench.endpoint.pk).name == bench.endpoint.name


def test_the_budget_is_read_and_set(bench: Bench) -> None:
    text, there = token_of(bench.cast.manager), address(bench, "budget")
    none = ask(text, "get", there)
    assert none.json() | {"currency": ""} == {
        "limit": None, "spent": "0", "reserved": "0", "left": None, "currency": "",
    }  # fmt: skip
    tag = none.headers["ETag"]
    made = ask(text, "put", there, {"limit": "12.5"}, **{"If-Match": tag})
    assert (Decimal(made.json()["limit"]), Decimal(made.json()["left"])) == (Decimal("12.5"), Decimal("12.5"))
    late = ask(text, "put", there, {"limit": "13"}, **{"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    for wrong in ({}, {"limit": "-1"}, {"limit": "x"}, {"limit": "1e12"}):
        refused = ask(text, "put", there, wrong)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, ["limit"])
    assert ask(text, "put", there, {"limit": None}).json()["limit"] is None


@pytest.mark.parametrize("name", ["jobs", "endpoints"])
def test_a_page_costs_the_same_however_many_rows_it_has(
    bench: Bench, name: str, django_assert_max_num_queries: Any
) -> None:
    for number in range(8):
        bench.add_endpoint(f"Model {number}")
        order_job(actor=bench.cast.manager, project=bench.cast.project, kind="story_groups", subject=number)
        bench.start(stories=[make_story(bench.cast)])
    text = token_of(bench.cast.manager)
    with django_assert_max_num_queries(MOST_STATEMENTS):
        assert len(ask(text, "get", address(bench, name)).json()["results"]) >= 9
