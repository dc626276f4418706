"""One budget for all that a project asks of models."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from core.errors import Conflict, Forbidden, Unusable
from jobs.errors import NO_BUDGET_LEFT
from jobs.job_types import Stopped
from jobs.models import Budget, Endpoint, Job
from jobs.queries import budget_state
from jobs.services import cancel_job, pause_job, resume_job, set_project_budget
from tests.factories import make_story
from tests.generation.bench import Bench, states, work_off
from tests.generation.test_pages import signed_in

pytestmark = pytest.mark.django_db


def dear(bench: Bench) -> Endpoint:
    """An endpoint of which one call may cost 0.1 at most."""
    return bench.add_endpoint("dear", "stub-ok", price_out=1000, parameters={"max_tokens": 100})


def set_to(bench: Bench, limit: str | None) -> None:
    amount = None if limit is None else Decimal(limit)
    set_project_budget(actor=bench.cast.manager, project=bench.cast.project, limit=amount)


def test_it_begins_nothing_that_could_cost_more_than_is_left(bench: Bench) -> None:
    set_to(bench, "0.25")
    endpoint, stories = dear(bench), [make_story(bench.cast) for _ in range(3)]
    with pytest.raises(Stopped, match=NO_BUDGET_LEFT):
        bench.start(endpoints=[endpoint], stories=stories)
    failed = Job.objects.get()
    assert (failed.state, failed.reason, set(states(failed))) == ("failed", NO_BUDGET_LEFT, {"cancelled"})
    with pytest.raises(Conflict, match=r"has 0\.25 left, and this may cost 0\.3"):
        bench.start(endpoints=[endpoint], stories=stories, budget=Decimal("0.3"))
    first = bench.start(endpoints=[endpoint], stories=stories[:2])
    assert Budget.objects.get(job=first.batch.job).limit == Decimal("0.2")  # its estimate is its budget now
    with pytest.raises(Stopped, match=NO_BUDGET_LEFT):
        bench.start(endpoints=[endpoint], stories=stories[2:])
    work_off(first.waiting)
    now = budget_state(bench.cast.project)
    assert now.promised == 0
    assert 0 < now.spent < Decimal("0.2")
    if now.left is not None and now.left >= Decimal("0.1"):  # what was not spent is free again
        assert bench.start(endpoints=[endpoint], stories=stories[2:]).calls == 1


def test_it_gives_back_what_a_cancelled_job_was_promised(bench: Bench) -> None:
    set_to(bench, "1")
    started = bench.start(endpoints=[dear(bench)], budget=Decimal("0.9"))
    assert budget_state(bench.cast.project).left == Decimal("0.1")
    cancel_job(actor=bench.cast.manager, job=started.batch.job)
    assert budget_state(bench.cast.project).left == 1


def test_it_raises_no_job_over_what_the_project_has_left(bench: Bench) -> None:
    set_to(bench, "1")
    job = pause_job(
        actor=bench.cast.manager, job=bench.start(endpoints=[dear(bench)], budget=Decimal("0.5")).batch.job
    )
    with pytest.raises(Conflict):
        resume_job(actor=bench.cast.manager, job=job, limit=Decimal(2))
    resume_job(actor=bench.cast.manager, job=job, limit=Decimal(1))
    assert budget_state(bench.cast.project).left == 0
    set_to(bench, None)
    assert bench.start(endpoints=[bench.endpoint]).calls == 1


def test_it_is_set_by_managers_on_the_page_of_models(bench: Bench) -> None:
    where = reverse("generation:set_budget", args=[bench.cast.project.slug])
    assert signed_in(bench.cast.manager).post(where, {"limit": "12.5"}).status_code == 302
    assert budget_state(bench.cast.project).limit == Decimal("12.5")
    assert signed_in(bench.cast.manager).post(where, {"limit": "-1"}).status_code == 302
    assert budget_state(bench.cast.project).limit == Decimal("12.5")
    assert signed_in(bench.cast.writer).post(where, {"limit": "1"}).status_code == 403
    page = reverse("generation:endpoints", args=[bench.cast.project.slug])
    assert 'value="12.5"' in signed_in(bench.cast.manager).get(page).content.decode()
    with pytest.raises(Forbidden):
        set_project_budget(actor=bench.cast.writer, project=bench.cast.project, limit=Decimal(1))
    with pytest.raises(Unusable):
        set_to(bench, "-1")
