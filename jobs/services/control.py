"""Services that start, pause, resume, cancel, retry and finish jobs."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from jobs.models import OPEN, UNFINISHED, Budget, Call, CallState, Job, JobState
from jobs.permissions import may_steer_job
from jobs.services.budget import lock_budget, lock_project_budget, raise_limit, take_share
from jobs.services.call import word_as_now
from jobs.services.job import MOST_PAID_OF_PERSON, MOST_PAID_OF_PROJECT, require_room
from jobs.services.job_end import announce_end
from projects.models import Project
from projects.permissions import Permission, has_permission


def lock_job(job_id: int) -> Job:
    """Lock the job until the transaction ends and return it. Lock it before its calls and its budget."""
    return Job.objects.select_for_update(no_key=True).get(pk=job_id)


@transaction.atomic
def start_job(
    *,
    actor: User,
    project: Project,
    kind: str,
    title: str,
    about: Mapping[str, Any] | None = None,
    limit: Decimal | None = None,
    subject: int | None = None,
    is_subject: bool = False,
) -> Job:
    """Create a job with a budget (`limit` None: unlimited). Its calls are added later.

    `title` is a code of `jobs.titles`, `about` has its parameters. For a type registered with
    `jobs.job_types`, `subject` is the id of the row that the job is about, and a worker saves the calls
    (`add_calls`, `close_calls`); with `is_subject` the job itself is that row. Without either, the caller
    saves the calls.
    """
    require(has_permission(actor, project, Permission.WRITE))
    require_room(
        Job.objects.filter(state__in=OPEN, budget__isnull=False),
        actor=actor,
        project=project,
        most_of_person=MOST_PAID_OF_PERSON,
        most_of_project=MOST_PAID_OF_PROJECT,
    )
    if limit is not None and limit < 0:
        raise Unusable(_("A budget cannot be negative."), "budget")
    job = Job.objects.create(
        project=project,
        kind=kind,
        title_code=title[:200],
        title_about=dict(about or {}),
        subject=subject,
        has_calls=subject is None and not is_subject,
        created_by=actor,
    )
    if is_subject:
        job.subject = job.pk
        job.save(update_fields=["subject"])
    Budget.objects.create(job=job, limit=limit)
    record_event(actor=actor, verb="start_job", subject=job)
    return job


@transaction.atomic
def pause_job(*, actor: User, job: Job, reason: str = "") -> Job:
    """Pause a job: no more of its calls are dispatched, and calls in flight are completed.

    Raises `Conflict` if the job is neither waiting nor running.
    """
    require(may_steer_job(actor, job))
    job = lock_job(job.pk)
    if job.state not in OPEN:
        raise Conflict(_("Only a running job can be paused."))
    halt(job, reason)
    record_event(actor=actor, verb="pause_job", subject=job)
    return job


def halt(job: Job, reason: str) -> None:
    """Pause a locked job; `reason` is a code or a text."""
    job.state, job.reason = JobState.PAUSED, reason
    job.save(update_fields=["state", "reason"])


@transaction.atomic
def resume_job(*, actor: User, job: Job, limit: Decimal | None = None, without_limit: bool = False) -> Job:
    """Resume a paused job, with a new budget limit if given. Raise `Conflict` if the job is not paused."""
    require(may_steer_job(actor, job))
    lock_project_budget(job.own_project_id)
    job = lock_job(job.pk)
    if job.state != JobState.PAUSED:
        raise Conflict(_("Only a paused job can be resumed."))
    if limit is not None or without_limit:
        raise_limit(lock_budget(job.pk), None if without_limit else limit)
        take_share(job)
    _set_going(job)
    record_event(actor=actor, verb="resume_job", subject=job)
    return job


def _set_going(job: Job) -> None:
    job.state, job.reason, job.finished_at = JobState.RUNNING, "", None
    job.started_at = job.started_at or timezone.now()
    job.save(update_fields=["state", "reason", "finished_at", "started_at"])
    Call.objects.filter(job=job, state=CallState.PENDING).update(due_at=None)


@transaction.atomic
def cancel_job(*, actor: User, job: Job) -> Job:
    """Cancel a job and its pending calls; answers of calls in flight are saved, since they are paid for."""
    require(may_steer_job(actor, job))
    job = lock_job(job.pk)
    if job.state not in UNFINISHED:
        raise Conflict(_("This job has ended."))
    drop_waiting_calls(job)
    job.state, job.finished_at, job.reason = JobState.CANCELLED, timezone.now(), ""
    job.save(update_fields=["state", "finished_at", "reason"])
    announce_end(job)
    record_event(actor=actor, verb="cancel_job", subject=job)
    return job


def drop_waiting_calls(job: Job) -> None:
    """Cancel the pending calls of a job. The caller must hold the job's lock."""
    Call.objects.filter(job=job, state=CallState.PENDING).update(
        state=CallState.CANCELLED, finished_at=timezone.now(), due_at=None
    )


@transaction.atomic
def retry_failed(*, actor: User, job: Job, reason_code: str = "") -> Job:
    """Retry the failed calls of a job: all of them, or those with this reason code.

    Raises `Conflict` if no call failed. Refusals by a content filter are not retried, as they are final. A
    paused job stays paused. If the endpoint's model was changed since, the calls use the new one.
    """
    require(may_steer_job(actor, job))
    lock_project_budget(job.own_project_id)
    job = lock_job(job.pk)
    failed = Call.objects.filter(job=job, state=CallState.FAILED)
    if reason_code:
        failed = failed.filter(reason_code=reason_code)
    word_as_now(failed)
    again = failed.update(
        state=CallState.PENDING, attempts=0, reason_code="", reason="", finished_at=None, due_at=None
    )
    if not again:
        raise Conflict(_("This job has no failed calls."))
    take_share(job)
    if job.state != JobState.PAUSED:
        _set_going(job)
    record_event(
        actor=actor, verb="retry_failed", subject=job, detail={"calls": again, "reason": reason_code}
    )
    return job


@transaction.atomic
def finish_job(*, job_id: int) -> bool:
    """Close a job if all of its calls are finished; return whether this call closed it.

    The job fails if every call failed; otherwise it is done, even if some calls failed.
    """
    calls = Call.objects.filter(job=job_id)
    if calls.filter(state__in=[CallState.PENDING, CallState.RUNNING]).exists():
        return False  # queried before anything is locked, since most calls are not the last one
    job = lock_job(job_id)
    states = set(calls.values_list("state", flat=True).distinct()) if job.has_calls else set()
    if job.state not in OPEN or not states or states & {CallState.PENDING, CallState.RUNNING}:
        return False
    job.state = JobState.FAILED if states == {CallState.FAILED} else JobState.DONE
    job.finished_at = timezone.now()
    job.save(update_fields=["state", "finished_at"])
    announce_end(job)
    return True


@transaction.atomic
def fail_job(*, job: Job, reason: str) -> None:
    """Set a job to failed with a reason code, and cancel its pending calls."""
    job = lock_job(job.pk)
    drop_waiting_calls(job)
    job.state, job.reason, job.finished_at = JobState.FAILED, reason, timezone.now()
    job.save(update_fields=["state", "reason", "finished_at"])
    announce_end(job)
