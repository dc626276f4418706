"""Saves prompts as rows of calls before they are dispatched; the same prompt is saved only once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from jobs.models import Call, CallState, Endpoint, Job, JobState
from jobs.queries import fingerprint_of, states_of
from jobs.services.budget import add_estimate, hold_for, lock_project_budget, take_share
from parable.llm.tokens import estimate_tokens

BATCH: Final = 1000
MOST_REPEATS: Final = 100
DEAD: Final = frozenset({CallState.FAILED, CallState.CANCELLED})


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt for one endpoint. `subject` has the ids of the rows that the answer will be about.

    `schema` is the JSON schema of the answer, sent to servers that support schemas.
    """

    endpoint: Endpoint
    prompt: str
    subject: Mapping[str, int]
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """The numbers of calls created, and of prompts skipped because an earlier call had sent them."""

    created: int
    already_asked: int


@transaction.atomic
def create_calls(*, job: Job, asked: Sequence[Asked], again: bool = False) -> Created:
    """Save the prompts of a job as calls, and allow the calls to be dispatched.

    A prompt that already has a call is skipped, unless `again` or that call failed or was cancelled.
    Concurrent batches of a project run one after the other, so that the second sees the calls of the first.
    Raises `Conflict` if the project's budget has too little left.
    """
    created = add_calls(job=job, asked=asked, again=again)
    close_calls(job=job)
    return created


@transaction.atomic
def add_calls(*, job: Job, asked: Sequence[Asked], again: bool = False) -> Created:
    """Save some of a job's prompts as calls, which are not dispatched before `close_calls` is called."""
    lock_project_budget(job.own_project_id)
    waiting, created = list(asked), 0
    skipped = 0
    for repeat in range(MOST_REPEATS):
        prints = {fingerprint_of(one.endpoint, one.prompt, one.subject, repeat): one for one in waiting}
        known = states_of(prints)
        fresh = [_row(job, one, name) for name, one in prints.items() if name not in known]
        # a concurrent batch may have inserted some of these calls
        before = Call.objects.filter(job=job).count()
        Call.objects.bulk_create(fresh, batch_size=BATCH, ignore_conflicts=True)
        add_estimate(job.pk, sum((hold_for(call, call.endpoint) for call in fresh), Decimal(0)))
        created += Call.objects.filter(job=job).count() - before
        waiting = [prints[name] for name, state in known.items() if again or state in DEAD]
        skipped += len(known) - len(waiting)
        if not waiting:
            break
    return Created(created, skipped)


@transaction.atomic
def close_calls(*, job: Job) -> None:
    """Reserve the job's budget and allow its calls to be dispatched, once all of them are saved.

    Raises `Conflict` if the project's budget has too little left.
    """
    lock_project_budget(job.own_project_id)
    take_share(job)
    total = Call.objects.filter(job=job).count()
    Job.objects.filter(pk=job.pk).update(total=total, has_calls=True)


def _row(job: Job, one: Asked, fingerprint: str) -> Call:
    return Call(
        job=job,
        endpoint=one.endpoint,
        fingerprint=fingerprint,
        subject=dict(one.subject),
        prompt=one.prompt,
        model=one.endpoint.model,
        parameters=one.endpoint.parameters,
        schema=dict(one.schema) if one.schema else None,
    )


def word_as_now(calls: QuerySet[Call]) -> None:
    """Update the model and parameters of these failed calls to the current settings of their endpoints."""
    for call in calls.select_related("endpoint"):
        now = call.endpoint
        if (call.model, call.parameters) == (now.model, now.parameters):
            continue
        call.model, call.parameters, call.asked_as = now.model, now.parameters, ""
        repeat = 0  # the lowest number that no call with this prompt has yet
        while states_of([name := fingerprint_of(call.endpoint, call.prompt, call.subject, repeat)]):
            repeat += 1
        call.fingerprint = name
        call.save(update_fields=["model", "parameters", "asked_as", "fingerprint"])


@transaction.atomic
def record_pasted_answer(*, job: Job, asked: Asked, answer: str, model: str) -> Call:
    """Save an answer that a user pasted as a finished call without cost, and finish the job.

    The same prompt may be answered in this way any number of times.
    """
    repeat = Call.objects.filter(endpoint=asked.endpoint).count()
    while states_of([fingerprint_of(asked.endpoint, asked.prompt, asked.subject, repeat)]):
        repeat += 1
    call = _row(job, asked, fingerprint_of(asked.endpoint, asked.prompt, asked.subject, repeat))
    now = timezone.now()
    call.state, call.started_at, call.finished_at = CallState.DONE, now, now
    call.attempts, call.raw_response = 1, answer
    call.tokens_in, call.tokens_out = estimate_tokens(asked.prompt), estimate_tokens(answer)
    call.subject = {**call.subject, "answered_by": model}
    call.save()
    job.state, job.total, job.started_at, job.finished_at = JobState.DONE, 1, now, now
    job.save(update_fields=["state", "total", "started_at", "finished_at"])
    return call
