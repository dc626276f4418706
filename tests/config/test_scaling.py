"""What docs/operating.md lets KEDA ask: how long work waits, and how many calls may be out."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.db import connection
from django.utils import timezone

from jobs.models import Call, CallState, Endpoint, Job, JobState
from tests.architecture import BASE
from tests.config.test_manifests import RUNNERS
from tests.factories import Cast, make_project

pytestmark = pytest.mark.django_db


def _scaled() -> dict[str, dict[str, Any]]:
    page = (BASE / "docs" / "operating.md").read_text(encoding="utf-8")
    (block,) = [code for code in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "keda.sh" in code]
    return {one["spec"]["scaleTargetRef"]["name"]: one["spec"] for one in yaml.safe_load_all(block)}


def _pods(name: str) -> int:
    """How many pods KEDA asks for: the answer, by the target of each."""
    (trigger,) = _scaled()[name]["triggers"]
    with connection.cursor() as cursor:
        cursor.execute(trigger["metadata"]["query"])
        (answer,) = cursor.fetchone()
    return math.ceil(round(float(answer), 0) / int(trigger["metadata"]["targetQueryValue"]))


def _job(cast: Cast, *, minutes: float, state: JobState = JobState.PENDING, has_calls: bool = False) -> Job:
    named = {"title_code": "x"} if has_calls else {"subject": 1}
    job = Job.objects.create(
        project=cast.project, kind="x", state=state, has_calls=has_calls, created_by=cast.manager, **named
    )
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=minutes))
    return job


def test_it_scales_what_there_is() -> None:
    assert set(_scaled()) == {"worker", "llm-worker"} <= set(RUNNERS)
    assert all(one["minReplicaCount"] < one["maxReplicaCount"] for one in _scaled().values())


def test_workers_are_as_many_as_the_minutes_that_the_oldest_job_waits() -> None:
    cast = make_project()
    assert _pods("worker") == 0
    _job(cast, minutes=50, state=JobState.RUNNING)
    _job(cast, minutes=40, has_calls=True)
    assert _pods("worker") == 0
    _job(cast, minutes=4.9)
    assert _pods("worker") == 5


def test_workers_for_models_are_no_more_than_the_slots_of_endpoints_with_work() -> None:
    cast = make_project()
    job = _job(cast, minutes=1, state=JobState.RUNNING, has_calls=True)
    assert _pods("llm-worker") == 0
    for number, (slots, calls) in enumerate([(40, 100), (30, 5), (16, 0)]):
        endpoint = Endpoint.objects.create(
            project=cast.project,
            name=f"e{number}",
            model="m",
            base_url="https://a.example/v1",
            parallel_calls=slots,
            created_by=cast.manager,
        )
        for call in range(calls):
            state = (CallState.PENDING, CallState.RUNNING)[call % 2]
            Call.objects.create(
                job=job, endpoint=endpoint, fingerprint=f"{number}-{call}", prompt="", state=state
            )
        Call.objects.create(
            job=job, endpoint=endpoint, fingerprint=f"{number}-done", prompt="", state=CallState.DONE
        )
    assert _pods("llm-worker") == math.ceil((40 + 5) / 16) == 3
