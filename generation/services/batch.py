"""Services for batches of calls, and for answers pasted by hand."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.permissions import may_write
from core.errors import Conflict, Unusable, require
from corpus.models import Story
from events.models import EventKind
from events.services import NewEvent, publish
from generation.models import Batch, Candidate, PromptTemplate, Purpose
from generation.prompt import needs_moral
from generation.queries.batch import GENERATE, PASTED, estimate, prompt_for, questions
from generation.services.candidate import keep_candidates
from jobs import services as jobs
from jobs.errors import ALREADY_ASKED, NO_BUDGET_LEFT, sentence
from jobs.job_types import JobEnd, Report, Stopped, quiet
from jobs.models import OPEN, Call, Endpoint, EndpointKind, Job
from jobs.titles import CANDIDATES
from jobs.titles import PASTED as PASTED_TITLE
from parable.llm.proposals import candidates_schema
from projects.models import Project

MOST_CALLS: Final = 20_000
"""The maximum number of calls in a batch."""
BLOCK: Final = 100
"""The number of stories whose calls are saved in one transaction."""
LARGEST_ANSWER = 200_000
LONGEST_MODEL_NAME = 120


@transaction.atomic
def order_batch(
    *,
    actor: User,
    project: Project,
    stories: Sequence[int],
    templates: Sequence[PromptTemplate],
    endpoints: Sequence[Endpoint],
    budget: Decimal | None = None,
    again: bool = False,
) -> Batch:
    """Order a call for each story, template and endpoint. Calls made before are skipped, unless `again`.

    Raise `Unusable` if nothing or too much is chosen, `Conflict` if it is known that all calls were made
    before. The caller dispatches the job after the commit; the job then saves the calls.
    """
    check_batch(actor=actor, project=project, stories=stories, templates=templates, endpoints=endpoints)
    first = estimate(stories, templates, endpoints)
    if not again and first.sampled == first.stories and not first.calls:
        raise Conflict(sentence(ALREADY_ASKED))
    jobs.lock_project_budget(project.pk)
    job = jobs.start_job(
        actor=actor,
        project=project,
        kind=GENERATE,
        title=CANDIDATES,
        about={"n": len(stories)},
        limit=budget,
        is_subject=True,
    )
    if budget is not None:
        jobs.take_share(job)
    batch = Batch.objects.create(job=job, project=project, stories=list(stories), again=again)
    batch.templates.set(templates)
    batch.endpoints.set(endpoints)
    return batch


def check_batch(
    *,
    actor: User,
    project: Project,
    stories: Sequence[int],
    templates: Sequence[PromptTemplate],
    endpoints: Sequence[Endpoint],
) -> None:
    """Raise `Unusable`, naming the fields, if a batch cannot be about these. Nothing is written."""
    require(may_write(actor, project))
    problems = {}
    for name, chosen in (("templates", templates), ("endpoints", endpoints)):
        if not chosen:
            problems[name] = _("Select at least one.")
        elif any(one.project_id != project.pk for one in chosen):
            problems[name] = _("One of these belongs to another project.")
    if any(one.purpose == Purpose.WRONG_OPTIONS for one in templates):
        problems["templates"] = _("A prompt for a stem is used on the page where the stem is written.")
    if any(one.retired_at or one.kind == EndpointKind.MANUAL for one in endpoints):
        problems["endpoints"] = _("One of these endpoints is used by hand and cannot be asked by a worker.")
    if problem := _problem_of_stories(project, stories, templates, len(templates) * len(endpoints)):
        problems["stories"] = problem
    if problems:
        raise Unusable(problems)


def _problem_of_stories(
    project: Project, stories: Sequence[int], templates: Sequence[PromptTemplate], each: int
) -> str:
    if not stories:
        return _("Select at least one.")
    if len(stories) * each > MOST_CALLS:
        words = _("One batch makes at most %(most)d calls; this one would make %(n)d. Select fewer stories.")
        return words % {"most": MOST_CALLS, "n": len(stories) * each}
    found = Story.objects.filter(project=project, pk__in=stories)
    if found.count() != len(set(stories)):
        return _("One of these belongs to another project.")
    if all(needs_moral(one.text) for one in templates) and not found.exclude(current__moral="").exists():
        return _("These templates use the moral, but none of the stories has one.")
    return ""


def prepare_batch(*, job_id: int, report: Report = quiet) -> list[int]:
    """Save the calls of a batch; return the ids of the calls to dispatch.

    Each transaction saves the calls of a block of stories. Calls that are already saved are skipped. Raise
    `Stopped` if all calls were made before, or if too little of the project's budget is left.
    """
    try:
        while (batch := _write_some(job_id)) is not None:
            report(0, batch.position, len(batch.stories))
    except Stopped as stopped:
        fail_batch(job_id=job_id, reason=stopped.code)
        raise
    return jobs.wake_calls(job_id=job_id)


@transaction.atomic
def _write_some(job_id: int) -> Batch | None:
    """Save the calls of the batch's next stories. Return None if no stories are left."""
    jobs.lock_project_budget(Job.objects.values_list("project_id", flat=True).get(pk=job_id))
    job = jobs.lock_job(job_id)
    batch = Batch.objects.get(job=job)
    if job.state not in OPEN or job.has_calls:
        return None
    block = batch.stories[batch.position : batch.position + BLOCK]
    if not block:
        if not job.calls.exists():
            raise Stopped(ALREADY_ASKED)
        try:
            jobs.close_calls(job=job)
        except Conflict as refused:
            raise Stopped(NO_BUDGET_LEFT) from refused
        return None
    found = Story.objects.filter(pk__in=block).select_related("current").order_by("pk")
    asked = [
        jobs.Asked(one.endpoint, one.prompt, one.subject, candidates_schema(one.template.wanted))
        for one in questions(found, list(batch.templates.all()), list(batch.endpoints.all()))
    ]
    added = jobs.add_calls(job=job, asked=asked, again=batch.again)
    batch.already_asked += added.already_asked
    batch.position += len(block)
    batch.save(update_fields=["position", "already_asked"])
    return batch


def fail_batch(*, job_id: int, reason: str) -> None:
    """Close the job of a batch that cannot be prepared, with the reason."""
    jobs.fail_job(job=Job.objects.get(pk=job_id), reason=reason)


def run_call(*, call_id: int, goes_on: bool = False) -> jobs.CallResult:
    """Run a waiting call and save its candidates. Safe to run twice."""
    return jobs.run_call(call_id=call_id, keep=keep_candidates, goes_on=goes_on)


def run_claimed(*, claim: jobs.Claim, goes_on: bool = False) -> jobs.CallResult:
    """Run a call that has taken over the slot of a finished call."""
    return jobs.run_claimed(claim=claim, keep=keep_candidates, goes_on=goes_on)


@transaction.atomic
def paste_answer(
    *,
    actor: User,
    story: Story,
    template: PromptTemplate,
    endpoint: Endpoint,
    model: str,
    answer: str,
) -> list[Candidate]:
    """Save an answer that a user pasted, and return its candidates.

    Raise `Unusable` if no candidate can be read from it; then nothing is saved.
    """
    require(may_write(actor, story.project))
    check_pasted(story, template, endpoint, model, answer)
    if template.purpose == Purpose.WRONG_OPTIONS:
        raise Unusable(_("A prompt for a stem is used on the page where the stem is written."))
    job = jobs.start_job(actor=actor, project=story.project, kind=PASTED, title=PASTED_TITLE)
    subject = {"story": story.pk, "story_revision": story.current_id or 0, "template": template.pk}
    call = jobs.record_pasted_answer(
        job=job,
        asked=jobs.Asked(endpoint, prompt_for(template, story), subject),
        answer=answer,
        model=model.strip(),
    )
    return keep_pasted(call)


def publish_batch_end(end: JobEnd) -> None:
    """Publish that a batch has finished, if the job that has ended is that of a batch."""
    if end.kind != GENERATE:
        return
    for batch in Batch.objects.filter(job=end.job_id).values_list("pk", flat=True):
        about = {"job": end.job_id, "state": end.state}
        publish([NewEvent(end.project_id, EventKind.BATCH_FINISHED, batch, about)])


def keep_pasted(call: Call) -> list[Candidate]:
    """Save the candidates of a pasted answer and return them. Raise `Unusable` if there are none."""
    if keep_candidates(call):
        message = _("No proposals found. Paste the answer with its list.")
        raise Unusable(message, "answer")
    return list(call.candidates.order_by("position"))


def check_pasted(story: Story, template: PromptTemplate, endpoint: Endpoint, model: str, answer: str) -> None:
    """Raise `Unusable`, naming the fields, if a pasted answer cannot be saved."""
    problems = {}
    if {template.project_id, endpoint.project_id} != {story.project_id}:
        problems["template"] = _("One of these belongs to another project.")
    if endpoint.kind != EndpointKind.MANUAL or endpoint.retired_at:
        problems["endpoint"] = _("Select an endpoint that is used by hand.")
    if not 1 <= len(model.strip()) <= LONGEST_MODEL_NAME:
        problems["model"] = _("Enter the model that answered.")
    if not answer.strip() or len(answer) > LARGEST_ANSWER or "\x00" in answer:
        problems["answer"] = _("Paste the whole answer, at most %(n)d characters.") % {"n": LARGEST_ANSWER}
    if problems:
        raise Unusable(problems)
