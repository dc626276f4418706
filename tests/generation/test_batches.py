"""The job of a batch writes its calls: some stories at a time, each once, none handed out before the last."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.errors import Unusable
from generation import services
from generation.models import Batch
from generation.queries import batch as queries
from generation.services import MOST_CALLS, order_batch, prepare_batch
from jobs.job_types import quiet
from jobs.models import Call, JobState
from jobs.queries import claimable_jobs
from jobs.services import cancel_job, sweep_orphans, wake_calls
from tests.factories import make_story
from tests.generation.bench import Bench

pytestmark = pytest.mark.django_db


def ordered(bench: Bench, stories: int, **more: Any) -> Batch:
    """A batch over so many stories, of which no call is written."""
    about = [bench.story, *(make_story(bench.cast) for _ in range(stories - 1))]
    wanted = {"templates": [bench.template], "endpoints": [bench.endpoint], **more}
    return order_batch(
        actor=bench.cast.writer, project=bench.cast.project, stories=[one.pk for one in about], **wanted
    )


class Killed(Exception):
    """What ends a worker in the middle of its work."""


@pytest.mark.parametrize("again", [False, True])
def test_it_goes_on_where_a_worker_died_and_hands_out_nothing_before_the_last(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    monkeypatch.setattr("generation.services.batch.BLOCK", 2)
    batch, seen = ordered(bench, 5, again=again), []

    def report(_step: int, done: int = 0, total: int = 0) -> None:
        seen.append((done, total))
        if done == 4:
            raise Killed

    with pytest.raises(Killed):
        prepare_batch(job_id=batch.job_id, report=report)
    assert (seen, batch.job.calls.count()) == ([(2, 5), (4, 5)], 4)
    assert (sweep_orphans(), wake_calls(job_id=batch.job_id)) == ([], [])
    assert claimable_jobs().filter(pk=batch.job_id).exists()
    waiting = prepare_batch(job_id=batch.job_id, report=quiet)
    batch.job.refresh_from_db()
    assert (batch.job.calls.count(), batch.job.total, len(waiting)) == (5, 5, bench.endpoint.parallel_calls)
    assert not claimable_jobs().filter(pk=batch.job_id).exists()
    prepare_batch(job_id=batch.job_id)
    assert Call.objects.count() == 5


def test_it_writes_no_more_calls_of_a_job_that_was_cancelled(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generation.services.batch.BLOCK", 1)
    batch = ordered(bench, 3)

    def report(_step: int, _done: int = 0, _total: int = 0) -> None:
        cancel_job(actor=bench.cast.writer, job=batch.job)

    assert prepare_batch(job_id=batch.job_id, report=report) == []
    batch.job.refresh_from_db()
    assert batch.job.state == JobState.CANCELLED
    assert list(batch.job.calls.values_list("state", flat=True)) == ["cancelled"]


@pytest.mark.parametrize(
    ("stories", "endpoints", "words"),
    [(MOST_CALLS, 1, "another project"), (MOST_CALLS + 1, 1, "at most 20000"), (MOST_CALLS, 2, "40000")],
)
def test_it_makes_so_many_calls_at_most(bench: Bench, stories: int, endpoints: int, words: str) -> None:
    chosen = [bench.endpoint, bench.add_endpoint("other")][:endpoints]
    with pytest.raises(Unusable, match=words) as refused:
        services.order_batch(
            actor=bench.cast.writer, project=bench.cast.project, stories=range(1, stories + 1),
            templates=[bench.template], endpoints=chosen,
        )  # fmt: skip
    assert list(refused.value.fields) == ["stories"]


def test_it_estimates_from_a_sample_at_the_same_cost_for_any_number_of_stories(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "SAMPLE", 4)
    stories = [bench.story.pk, *(make_story(bench.cast).pk for _ in range(15))]
    used, found = [], {}
    for count in (4, 16):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            found[count] = queries.estimate(stories[:count], [bench.template], [bench.endpoint])
        used.append(len(asked))
    assert used[0] == used[1]
    few, many = found[4], found[16]
    assert (few.sampled, many.sampled, many.stories) == (4, 4, 16)
    assert (few.calls, many.calls) == (4, 16)
    assert many.tokens_in == pytest.approx(4 * few.tokens_in, rel=0.1)
    assert float(many.cost) == pytest.approx(4 * float(few.cost), rel=0.1)
