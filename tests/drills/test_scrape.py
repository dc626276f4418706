"""The figures for Prometheus cost no more with a hundred thousand requests of reviews, and as many jobs."""

from __future__ import annotations

import json
import time
from typing import Any, Final

import pytest
from django.db import connection

from config.metrics import exposition
from dashboard.queries.metrics import samples
from jobs.models import Job
from jobs.queries import unfinished_by_kind
from review.queries.backlog import MOST_COUNTED, site_backlog
from review.sql import SITE_BACKLOG
from tests.factories import make_project, submit_item
from tests.filling import lift_rules
from web import counters
from web.request_counts import count_request

pytestmark = [pytest.mark.drill, pytest.mark.django_db]

OPEN, DONE, JOBS, ROUTES = 60_000, 140_000, 100_000, 300
MOST_MS: Final = 200
"""Of a processor, in this process: several times what it takes (see docs/operating.md)."""
FILL: Final = """
INSERT INTO review_reviewrequest (project_id, story_id, stage, number, option_count, state, priority, task,
    excluded, opened_at, active_seconds, freed_order, drawn_order)
SELECT request.project_id, request.story_id, 'cross_check', 1, 4,
    CASE WHEN n <= %s THEN 'open' ELSE 'done' END, 0, request.task, '{}', now() - n * interval '1 second', 0,
    '{}', '{}'
FROM review_reviewrequest AS request, generate_series(1, %s) AS n WHERE request.id = %s
"""
FILL_JOBS: Final = """
INSERT INTO jobs_work (project_id, kind, subject, title_code, title_about, state, step, done, total, reason,
    result, has_calls, attempts, created_by_id, created_at)
SELECT project_id, 'gates', n, '', '{}', CASE WHEN n %% 1000 = 0 THEN 'running' ELSE 'done' END, 0, 0, 0, '',
    '{}', false, 0, created_by_id, now() FROM jobs_work, generate_series(1, %s) AS n WHERE jobs_work.id = %s
"""


def _read_by(sql: str, values: dict[str, Any]) -> set[str]:
    """The ways in which a statement reads tables."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", values)
        found = cursor.fetchone()[0]
    plan = found if isinstance(found, list) else json.loads(found)
    return _ways(plan[0]["Plan"])


def _ways(plan: dict[str, Any]) -> set[str]:
    here = {plan["Node Type"]} if plan.get("Relation Name") == "review_reviewrequest" else set()
    return here.union(*(_ways(part) for part in plan.get("Plans", ())))


def test_a_scrape_costs_the_same_in_a_large_project() -> None:
    cast = make_project()
    submit_item(cast)
    job = Job.objects.create(
        project=cast.project, created_by=cast.manager, kind="gates", state="done", subject=0
    )
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # none may wait where rules are lifted
    lift_rules(["review_reviewrequest", "jobs_work"])
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id) FROM review_reviewrequest")
        (request,) = cursor.fetchone()
        cursor.execute(FILL, [OPEN, OPEN + DONE, request])
        cursor.execute(FILL_JOBS, [JOBS, job.pk])
        cursor.execute("ANALYZE review_reviewrequest, jobs_work, projects_project")
    for number in range(ROUTES):
        for seconds in (0.01, 0.2, 3.0):
            count_request(route=f"app:route_{number}", method="GET", status=200, seconds=seconds)
    counters.flush()
    ways = _read_by(SITE_BACKLOG, {"most": MOST_COUNTED, "stages": ["cross_check", "adjudication"]})
    assert ways
    assert ways <= {"Index Scan", "Index Only Scan"}
    assert site_backlog()["cross_check"].open == MOST_COUNTED
    assert [(one.state, one.count) for one in unfinished_by_kind()] == [("running", JOBS // 1000)]
    took, used = [], []
    for _each in range(5):
        began, worked = time.perf_counter(), time.process_time()
        text = exposition(samples())
        took.append(1000 * (time.perf_counter() - began))
        used.append(1000 * (time.process_time() - worked))
    print(f"a scrape takes {min(took):.0f} ms, {min(used):.0f} of a processor here, for {len(text)} bytes")
    assert min(used) < MOST_MS
    assert text.count("\n") < 20 * ROUTES
