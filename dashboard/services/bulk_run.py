"""Bulk actions on runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from django.db.models import QuerySet

from accounts.queries import events_about
from core.errors import Conflict
from core.invariants import present
from dashboard.models import BulkAction, Verb
from dashboard.services.bulk_rows import Change, RowActions, before_of, each
from evaluation.models import Run
from jobs import hooks
from jobs.models import Job
from jobs.services import cancel_job, pause_job, resume_job, retry_failed, wake_calls

_STEPS: Final[Mapping[str, Callable[..., Job]]] = {
    Verb.PAUSE: pause_job,
    Verb.RESUME: resume_job,
    Verb.CANCEL: cancel_job,
    Verb.RETRY: retry_failed,
}
_BACK: Final = {Verb.PAUSE: Verb.RESUME, Verb.RESUME: Verb.PAUSE}


def _do_to(bulk: BulkAction, chunk: Sequence[int]) -> list[Change]:
    """Pause, resume, cancel or retry the jobs of these runs; return pairs of run id and event id.

    Jobs that have ended are not changed.
    """
    return each(_runs(chunk), lambda run: _step(bulk, run, Verb(bulk.verb)))


def _undo(bulk: BulkAction, chunk: Sequence[int]) -> list[Change]:
    """Resume the runs that the action paused, or pause those that it resumed; skip runs changed since."""
    before, verb = before_of(bulk), _BACK[Verb(bulk.verb)]
    return each(_runs(chunk), lambda run: _step(bulk, run, verb, since=before[run.pk]))


def _runs(chunk: Sequence[int]) -> QuerySet[Run]:
    found = Run.objects.filter(pk__in=chunk, job__isnull=False)
    return found.select_related("job__project").order_by("pk")


def _step(bulk: BulkAction, run: Run, verb: Verb, since: int | None = None) -> Change:
    """Pause, resume, cancel or retry the job of one run; return the run's id and the id of the audit event.

    With `since`, raise `Conflict` unless the event with this id was the last one about the job.
    """
    job = _STEPS[verb](actor=bulk.actor, job=present(run.job, "the caller has looked"))
    # the job is locked now, so no other change comes between
    event, *earlier = events_about(job).values_list("pk", flat=True)[:2]
    if since is not None and earlier != [since]:
        raise Conflict("the run was steered since")
    if verb in (Verb.RESUME, Verb.RETRY):
        hooks.dispatch_calls(job.kind, wake_calls(job_id=job.pk))
    return [run.pk, event]


RUN_ACTIONS: Final = RowActions(
    verbs=(Verb.PAUSE, Verb.RESUME, Verb.RETRY, Verb.CANCEL),
    do=_do_to,
    undo=_undo,
    final=(Verb.RETRY, Verb.CANCEL),
)
"""The bulk actions on runs. Retrying and cancelling cannot be undone, as calls cost money."""
