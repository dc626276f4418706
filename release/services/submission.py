"""Services for what teams submit for the organisers to run: prompts, and models behind an address.

A team acts by its link. It is shown no result of a run; the organisers decide what is run and published.
"""

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from accounts.services import record_event, system_account
from core.errors import Conflict, Hidden, Unusable
from jobs.models import Endpoint
from jobs.services import create_guest_endpoint, retire_guest_endpoint
from release.models import Submission, SubmissionKind, Team
from release.prompt import PROMPT
from release.queries.submission import prompt_fields, prompt_problems, submissions
from release.queries.team import team_of
from release.services.turn import lock_turn

LONGEST_SUBMISSION: Final = 40
"""The most characters of a submission's name. With its team and model, it becomes an examinee's name."""
SUBMISSION_LIMITS: Final = {"submission": "30/h/ip"}
"""The limits on the number of submissions from one IP address; each may look up a host."""


@transaction.atomic
def submit_prompt(*, token: str, name: str, texts: Mapping[str, str]) -> Submission:
    """Store a team's prompts, given by field of `prompt_fields`; an empty one is the usual one of its task.

    They are checked by the rule for prompts of the project's own runs. Raise `Hidden` or `Conflict` for an
    invalid link, `Conflict` if the team has no uploads left, `Unusable` with the invalid fields.
    """
    team = lock_turn(token)
    fields = prompt_fields(team.release)
    given = {one.field: texts[one.field] for one in fields if texts.get(one.field, "").strip()}
    given = {one.field: given[one.field] for one in fields if given.get(one.field, one.usual) != one.usual}
    prompts = {one.task: given[one.field] for one in fields if one.field in given and one.field != PROMPT}
    problems = _name_problems(team, name) | prompt_problems(given.get(PROMPT), prompts)
    if not given:
        problems[fields[0].field] = _("Change at least one prompt.")
    if problems:
        raise Unusable(problems)
    return _keep(team, SubmissionKind.PROMPT, name, prompt=given.get(PROMPT, ""), prompts=prompts)


@sensitive_variables("key")
@transaction.atomic
def submit_model(*, token: str, name: str, base_url: str, model: str, key: str = "") -> Submission:
    """Store the address, name and API key of a team's model. The key is sealed as those of the project are.

    Only servers that an administrator has allowed are accepted. Raise like `submit_prompt`.
    """
    team = lock_turn(token)
    if problems := _name_problems(team, name):
        raise Unusable(problems)
    endpoint = create_guest_endpoint(
        project=team.release.project,
        # the names of endpoints are unique in a project, and so are the ids of teams
        name=f"{team.pk}: {' '.join(name.split())}",
        base_url=base_url,
        model=model,
        key=key,
    )
    return _keep(team, SubmissionKind.MODEL, name, endpoint=endpoint)


def _name_problems(team: Team, name: str) -> dict[str, str]:
    text = " ".join(name.split())
    if not text or len(text) > LONGEST_SUBMISSION:
        return {"name": _("Enter a name of at most %(most)d characters.") % {"most": LONGEST_SUBMISSION}}
    if submissions(team).filter(name=text).exists():
        return {"name": _("Your team has already submitted something under this name.")}
    return {}


def _keep(
    team: Team,
    kind: SubmissionKind,
    name: str,
    *,
    prompt: str = "",
    prompts: Mapping[str, str] | None = None,
    endpoint: Endpoint | None = None,
) -> Submission:
    submission = Submission.objects.create(
        team=team, kind=kind, name=" ".join(name.split()), prompt=prompt, prompts=dict(prompts or {}),
        endpoint=endpoint,
    )  # fmt: skip
    detail = {"team": team.name, "kind": kind.value}
    record_event(actor=system_account(), verb="submit_to_run", subject=submission, detail=detail)
    return submission


@transaction.atomic
def withdraw_submission(*, token: str, pk: int) -> Submission:
    """Withdraw one of a team's own submissions and delete the key of its model. It cannot be run any more.

    Answers that it has given stay. Raise `Hidden` for another team's submission.
    """
    team = team_of(token)
    submission = Submission.objects.select_for_update(of=("self",)).filter(team=team, pk=pk).first()
    if submission is None:
        raise Hidden(_("Submission not found."))
    if submission.withdrawn_at is None:
        _withdraw(submission)
        record_event(actor=system_account(), verb="withdraw_submission", subject=submission)
    return submission


def withdraw_submissions(*, team: Team) -> None:
    """Withdraw all submissions of a team whose link is withdrawn. The caller must check who does that."""
    for submission in Submission.objects.select_for_update(of=("self",)).filter(team=team, withdrawn_at=None):
        _withdraw(submission)


def _withdraw(submission: Submission) -> None:
    submission.withdrawn_at = timezone.now()
    submission.save(update_fields=["withdrawn_at"])
    if submission.endpoint is not None:
        retire_guest_endpoint(endpoint=submission.endpoint)


@transaction.atomic
def record_submission_run(*, actor: User, submission: Submission) -> None:
    """Record that a submission is run. The caller must check that the actor may run it.

    Raise `Conflict` if its team has withdrawn it.
    """
    submission = Submission.objects.select_for_update(of=("self",)).get(pk=submission.pk)
    if submission.withdrawn_at is not None:
        raise Conflict(_("The team has withdrawn this submission."))
    if submission.started_at is None:
        submission.started_at = timezone.now()
        submission.save(update_fields=["started_at"])
    record_event(actor=actor, verb="run_submission", subject=submission)
