"""The page of a batch: how far, what went wrong in words, and the hands that steer it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from core.presence import presence_key
from jobs.models import Call, CallState, Job, JobState
from jobs.services import show_presence
from parable.llm.stub import StubServer
from tests.factories import make_story
from tests.generation.bench import Bench, states, work_off

pytestmark = pytest.mark.django_db


def page(client: Client, bench: Bench, job: Job, **headers: str) -> str:
    client.force_login(bench.cast.writer)
    answer = client.get(f"/p/{bench.cast.project.slug}/jobs/{job.pk}", headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def post(client: Client, bench: Bench, job: Job, verb: str, **fields: str) -> None:
    client.force_login(bench.cast.writer)
    answer = client.post(f"/p/{bench.cast.project.slug}/jobs/{job.pk}/{verb}", fields)
    assert answer.status_code == 302


def test_it_says_that_the_budget_is_used_up_and_goes_on_with_a_higher_one(
    bench: Bench, client: Client
) -> None:
    endpoint = bench.add_endpoint(
        "dear", price_out=Decimal(10_000), parameters={"max_tokens": 100}, parallel_calls=2
    )
    stories = [make_story(bench.cast) for _ in range(8)]
    started = bench.start(endpoints=[endpoint], stories=stories, budget=Decimal("1.5"))
    work_off(started.waiting)
    shown = page(client, bench, started.batch.job)
    assert "Paused: the budget is used up." in shown
    assert 'hx-trigger="every 2s"' not in shown  # nothing changes while a person types
    post(client, bench, started.batch.job, "resume", limit="0.1")
    assert "must be at least the amount spent" in page(client, bench, started.batch.job)
    post(client, bench, started.batch.job, "resume", limit="50")
    work_off(Call.objects.filter(state=CallState.PENDING).values_list("pk", flat=True))
    assert states(started.batch.job) == [CallState.DONE] * 8
    assert "Paused" not in page(client, bench, started.batch.job)


def test_it_asks_again_what_failed_for_one_reason_only(bench: Bench, client: Client) -> None:
    started = bench.start(stories=[make_story(bench.cast) for _ in range(3)])
    calls = list(Call.objects.order_by("pk"))
    for call, code in zip(calls, ("timed_out", "server_fault", "server_fault"), strict=True):
        Call.objects.filter(pk=call.pk).update(state=CallState.FAILED, reason_code=code)
    Job.objects.update(state=JobState.FAILED)
    shown = page(client, bench, started.batch.job)
    assert "Retry these 2" in shown
    assert "The answer did not arrive in time." in shown
    post(client, bench, started.batch.job, "retry", reason="server_fault")
    assert states(started.batch.job) == [CallState.FAILED, CallState.PENDING, CallState.PENDING]
    assert Job.objects.get().state == JobState.RUNNING


def test_it_shows_refusals_apart_and_does_not_offer_to_ask_them_again(bench: Bench, client: Client) -> None:
    with StubServer(programme=["refusal"]) as server:
        endpoint = bench.add_endpoint("prude", "any", base_url=server.base_url)
        started = bench.start(endpoints=[endpoint])
        work_off(started.waiting)
    shown = page(client, bench, started.batch.job)
    assert "Blocked by a content filter" in shown
    assert "again</button>" not in shown


def test_it_says_since_when_no_worker_has_answered(bench: Bench, client: Client) -> None:
    started = bench.start()
    assert "No worker has answered" not in page(client, bench, started.batch.job)
    Job.objects.update(created_at=timezone.now() - timedelta(seconds=50))
    assert "No worker has answered yet." in page(client, bench, started.batch.job)
    show_presence(["default"])  # another queue's worker is of no use
    assert "No worker has answered yet." in page(client, bench, started.batch.job)
    show_presence(["llm"])
    assert "No worker has answered" not in page(client, bench, started.batch.job)
    cache.set(presence_key("llm"), timezone.now() - timedelta(seconds=50), timeout=None)
    assert "No worker has answered since" in page(client, bench, started.batch.job)


def test_it_answers_the_progress_alone_where_the_page_asks_again(bench: Bench, client: Client) -> None:
    job = bench.start().batch.job
    fragment = page(client, bench, job, hx_request="true")
    assert "<html" not in fragment
    assert 'hx-trigger="every 2s"' in fragment
