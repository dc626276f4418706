"""Queries for runs of the prompts and models that teams submit."""

from collections.abc import Sequence

from django.db.models import QuerySet

from evaluation.models import Portion, Run
from evaluation.queries.run import Asking, default_prompt, runs
from jobs.models import Endpoint
from jobs.queries import askable_endpoints
from release.models import Submission


def asking_of(submission: Submission, *, repeats: int = 1) -> Asking:
    """Return the settings of a run of the withheld test with what a team has submitted."""
    release = submission.team.release
    return Asking(
        release=release,
        prompt=submission.prompt or default_prompt(release.project),
        split=Portion.TEST,
        repeats=repeats,
        prompts=submission.prompts,
        submission=submission,
    )


def endpoints_for(submission: Submission) -> Sequence[Endpoint]:
    """Return the team's own model, or the project's models that can be asked with the team's prompt."""
    if submission.endpoint is not None:
        return [submission.endpoint]
    return list(askable_endpoints(submission.team.release.project))


def runs_of(submission: Submission) -> QuerySet[Run]:
    """Return the runs of what a team has submitted, newest first."""
    return runs(submission.team.release.project).filter(examinee__submission=submission)
