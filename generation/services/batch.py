"""Batches of calls, and answers that a person brings in place of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.permissions import may_write
from core.errors import Conflict, Unusable, require
from corpus.models import Story
from generation.models import Batch, Candidate, PromptTemplate, Purpose
from generation.queries.batch import GENERATE, PASTED, Question, prompt_for, questions
from generation.services.candidate import keep_candidates
from jobs import services as jobs
from jobs.models import Call, Endpoint, EndpointKind
from jobs.titles import CANDIDATES
from jobs.titles import PASTED as PASTED_TITLE
from parable.llm.proposals import candidates_schema
from projects.models import Project

LARGEST_ANSWER = 200_000
LONGEST_MODEL_NAME = 120


@dataclass(frozen=True, slots=True)
class Started:
    """A batch that has begun: calls it makes, calls it need not make, and which a worker gets first."""

    batch: Batch
    calls: int
    already_asked: int
    waiting: list[int]


@transaction.atomic
def start_batch(
    *,
    actor: User,
    project: Project,
    stories: Sequence[Story],
    templates: Sequence[PromptTemplate],
    endpoints: Sequence[Endpoint],
    budget: Decimal | None = None,
    again: bool = False,
) -> Started:
    """Begin to ask stories x templates x endpoints; the same is not paid twice unless `again`.

    Raises `Unusable` where nothing is chosen, `Conflict` where all of it has been asked before. Tell a
    worker of the calls in `waiting` once the transaction stands.
    """
    require(may_write(actor, project))
    _check_choice(project, stories, templates, endpoints)
    asked = questions(stories, templates, endpoints)
    if not asked:
        raise Unusable(_("These templates use the moral, but none of the stories has one."))
    job = jobs.start_job(
        actor=actor,
        project=project,
        kind=GENERATE,
        title=CANDIDATES,
        about={"n": len(stories)},
        limit=budget,
    )
    created = jobs.create_calls(job=job, asked=[_asked(one) for one in asked], again=again)
    if not created.created:
        raise Conflict(
            _("All of these calls were made before. Repeat them on purpose, or select other prompts.")
        )
    batch = Batch.objects.create(job=job, project=project)
    batch.templates.set(templates)
    batch.endpoints.set(endpoints)
    return Started(batch, created.created, created.already_asked, jobs.wake_calls(job_id=job.pk))


def _asked(one: Question) -> jobs.Asked:
    return jobs.Asked(one.endpoint, one.prompt, one.subject, candidates_schema(one.template.wanted))


def _check_choice(
    project: Project,
    stories: Sequence[Story],
    templates: Sequence[PromptTemplate],
    endpoints: Sequence[Endpoint],
) -> None:
    problems = {}
    for name, chosen in (("stories", stories), ("templates", templates), ("endpoints", endpoints)):
        if not chosen:
            problems[name] = _("Select at least one.")
        elif any(one.project_id != project.pk for one in chosen):
            problems[name] = _("One of these belongs to another project.")
    if any(one.purpose == Purpose.WRONG_OPTIONS for one in templates):
        problems["templates"] = _("A prompt for a stem is used on the page where the stem is written.")
    if any(one.retired_at or one.kind == EndpointKind.BY_HAND for one in endpoints):
        problems["endpoints"] = _("One of these endpoints is used by hand and cannot be asked by a worker.")
    if problems:
        raise Unusable(" ".join(problems.values()), problems)


def run_call(*, call_id: int, goes_on: bool = False) -> jobs.Ran:
    """Ask what a waiting call asks and keep the candidates; safe to run twice."""
    return jobs.run_call(call_id=call_id, keep=keep_candidates, goes_on=goes_on)


def run_claimed(*, claim: jobs.Claim, goes_on: bool = False) -> jobs.Ran:
    """Ask a call that took over the lane of the one before it."""
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
    """Keep an answer that a person copied from elsewhere, and the candidates in it.

    Raises `Unusable` where no proposal can be read out of it: then nothing is kept.
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


def keep_pasted(call: Call) -> list[Candidate]:
    """Keep the candidates of an answer brought by hand; `Unusable` where there are none in it."""
    if keep_candidates(call):
        message = _("No proposals found. Paste the answer with its list.")
        raise Unusable(message, {"answer": message})
    return list(call.candidates.order_by("position"))


def check_pasted(story: Story, template: PromptTemplate, endpoint: Endpoint, model: str, answer: str) -> None:
    """Raise `Unusable`, naming the fields, where an answer brought by hand cannot be kept."""
    problems = {}
    if {template.project_id, endpoint.project_id} != {story.project_id}:
        problems["template"] = _("One of these belongs to another project.")
    if endpoint.kind != EndpointKind.BY_HAND or endpoint.retired_at:
        problems["endpoint"] = _("Select an endpoint that is used by hand.")
    if not 1 <= len(model.strip()) <= LONGEST_MODEL_NAME:
        problems["model"] = _("Enter the model that answered.")
    if not answer.strip() or len(answer) > LARGEST_ANSWER or "\x00" in answer:
        problems["answer"] = _("Paste the whole answer, at most %(n)d characters.") % {"n": LARGEST_ANSWER}
    if problems:
        raise Unusable(" ".join(problems.values()), problems)
