"""Services for judgements by language models. Managers order them; blind reviewers cannot see them."""

from dataclasses import asdict
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Unusable, require
from jobs import services as jobs
from jobs.models import Call, Endpoint, EndpointKind, Job
from jobs.titles import JUDGED
from parable.quality.judge.reply import read_verdict
from projects.models import Project
from review.judge_figures import extra_ratings, judge_figures
from review.models import ModelJudgement
from review.permissions import may_change_reviews
from review.queries.model_rater import (
    JUDGE,
    flaws_named,
    judge_rows,
    prompt_of,
    question_of,
    rules_broken,
    to_judge,
)
from review.queries.statistics import rated_rows
from review.rater_figures import severity_figures

MOST_ITEMS: Final = 1000
"""The maximum number of items for which judgements can be ordered at once."""


@transaction.atomic
def order_judging(
    *, actor: User, project: Project, endpoint: Endpoint, items: int, budget: Decimal | None = None
) -> tuple[Job, list[int]]:
    """Start a job in which a model judges items that people have rated.

    Return the job and the ids of the calls to dispatch. A model is never asked about the same wording twice.
    Raise `Unusable` if there is nothing to ask.
    """
    require(may_change_reviews(actor, project))
    if endpoint.project_id != project.pk or endpoint.retired_at or endpoint.kind == EndpointKind.MANUAL:
        problem = _("One of these endpoints is used by hand and cannot be asked by a worker.")
        raise Unusable(problem, "endpoint")
    found = to_judge(project, endpoint, min(items, MOST_ITEMS))
    if not found:
        raise _nothing_left()
    prompt = prompt_of(project)
    job = jobs.start_job(
        actor=actor,
        project=project,
        kind=JUDGE,
        title=JUDGED,
        about={"n": len(found), "model": endpoint.name},
        limit=budget,
    )
    asked = [
        jobs.Asked(
            endpoint,
            question_of(one, prompt),
            {"judges": one.pk, "item": one.item_id, "story_revision": one.story_revision_id},
            prompt.schema(),
        )
        for one in found
    ]
    # Questions that still wait from an earlier order are not asked again.
    if not jobs.create_calls(job=job, asked=asked).created:
        raise _nothing_left()
    return job, jobs.wake_calls(job_id=job.pk)


def _nothing_left() -> Unusable:
    problem = _("There is no rated item that this model has not assessed yet.")
    return Unusable(problem, "items")


def run_call(*, call_id: int, goes_on: bool = False) -> jobs.CallResult:
    """Run a waiting call and save its judgement. Safe to run twice."""
    return jobs.run_call(call_id=call_id, keep=keep_judgement, goes_on=goes_on)


def run_claimed(*, claim: jobs.Claim, goes_on: bool = False) -> jobs.CallResult:
    """Run a call that has taken over the slot of a finished call."""
    return jobs.run_claimed(claim=claim, keep=keep_judgement, goes_on=goes_on)


def keep_judgement(call: Call) -> str:
    """Save the judgement in a model's reply. If the reply is unreadable, save the reason. Return ""."""
    highest = call.job.own_project.max_rating
    verdict = read_verdict(call.raw_response, highest=highest)
    ModelJudgement.objects.create(
        revision_id=call.subject["judges"],
        call=call,
        endpoint_id=call.endpoint_id,
        model=call.model,
        broken=None if verdict.broken is None else sorted(verdict.broken),
        rating=verdict.rating,
        outcome=verdict.outcome,
    )
    return ""


def count_judges(project: Project) -> dict[str, object]:
    """Return the statistics of the models that judged items (`judges`), and the severity of all raters.

    The severity, `severity_with_judges`, is estimated over people and the models that passed the
    alternative-annotator test; it is None if no model passed. Statistics of people alone do not depend on it.
    """
    rated = list(rated_rows(project))
    found, extra = [], []
    for number, rows in enumerate(judge_rows(project), start=1):
        revisions = [one.revision for one in rows.judged]
        figures = judge_figures(
            rows.judged,
            people=flaws_named(project, revisions),
            checks=rules_broken(revisions),
            rated=rated,
        )
        found.append({**asdict(figures), "name": rows.name, "lost": rows.lost, "rater": -number})
        if figures.verdict.passed:
            extra += extra_ratings(-number, rows.judged)
    if not extra:
        return {"judges": found, "severity_with_judges": None}
    severity, _adjusted = severity_figures([*rated, *extra], project.max_rating + 1)
    return {"judges": found, "severity_with_judges": asdict(severity)}
