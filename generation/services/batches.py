"""Batches of calls, and the candidates that are read out of their answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Unusable, require
from accounts.models import User
from corpus.models import Story, StoryRevision
from generation.models import Batch, Candidate, PromptTemplate, Purpose, StemQuestion
from generation.permissions import may_draft
from generation.queries import GENERATE, PASTED, Question, prompt_for, questions
from generation.similarity import flags
from jobs import services as jobs
from jobs.errors import NO_CANDIDATES
from jobs.models import Call, Endpoint, EndpointKind
from jobs.titles import CANDIDATES
from jobs.titles import PASTED as PASTED_TITLE
from parable.formats.options import normalise_option
from parable.llm.parsing import candidates_schema, parse_candidates
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
    require(may_draft(actor, project))
    _check_choice(project, stories, templates, endpoints)
    asked = questions(stories, templates, endpoints)
    if not asked:
        raise Unusable(_("These templates show the moral, and none of the stories has one."))
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
        raise Conflict(_("All of this has been asked before. Ask again on purpose, or choose other prompts."))
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
            problems[name] = _("Choose at least one.")
        elif any(one.project_id != project.pk for one in chosen):
            problems[name] = _("One of these belongs to another project.")
    if any(one.purpose == Purpose.WRONG_OPTIONS for one in templates):
        problems["templates"] = _("A prompt about a stem is asked from the desk, where the stem is written.")
    if any(one.retired_at or one.kind == EndpointKind.BY_HAND for one in endpoints):
        problems["endpoints"] = _("One of these endpoints cannot be asked by a worker.")
    if problems:
        raise Unusable(" ".join(problems.values()), problems)


def run_call(*, call_id: int, goes_on: bool = False) -> jobs.Ran:
    """Ask what a waiting call asks and keep the candidates; safe to run twice."""
    return jobs.run_call(call_id=call_id, keep=keep_candidates, goes_on=goes_on)


def run_claimed(*, claim: jobs.Claim, goes_on: bool = False) -> jobs.Ran:
    """Ask a call that took over the lane of the one before it."""
    return jobs.run_claimed(claim=claim, keep=keep_candidates, goes_on=goes_on)


def keep_candidates(call: Call) -> str:
    """Read a call's answer into candidates; answers a reason where there are none in it.

    A call is answered once, so there are none yet; were there some, the database would refuse these.
    """
    template = _template(call.subject["template"])
    revision = StoryRevision.objects.select_related("story").get(pk=call.subject["story_revision"])
    parsed = parse_candidates(call.raw_response, wanted=template.wanted)
    right = _right_beside(call, template, revision)
    Candidate.objects.bulk_create(
        _candidate(call, template, revision, position, text, right)
        for position, text in enumerate(parsed.candidates)
    )
    return "" if parsed.candidates else NO_CANDIDATES


def _right_beside(call: Call, template: PromptTemplate, revision: StoryRevision) -> str:
    """What is right beside these proposals: the key of the stem that they are for, else the moral."""
    if template.purpose != Purpose.WRONG_OPTIONS:
        return revision.moral
    asked = StemQuestion.objects.filter(call=call).values_list("key", flat=True)
    return asked.first() or ""


@lru_cache(maxsize=100)
def _template(pk: int) -> PromptTemplate:
    """A version never changes: a batch reads it once and not once a call."""
    return PromptTemplate.objects.get(pk=pk)


def _candidate(
    call: Call, template: PromptTemplate, revision: StoryRevision, position: int, text: str, right: str
) -> Candidate:
    story = revision.story
    found = flags(text, moral=right, story=revision.text, language=story.language)
    return Candidate(
        project_id=story.project_id,
        story=story,
        story_revision=revision,
        template=template,
        endpoint=call.endpoint,
        call=call,
        position=position,
        generator=_generator(call),
        text=text,
        normalised=normalise_option(text),
        flags=[{"code": flag.code} | ({"number": flag.number} if flag.number else {}) for flag in found],
    )


def _generator(call: Call) -> str:
    """The model as the endpoint names it; by hand, as the person named it who brought the answer."""
    by_hand = call.endpoint.kind == EndpointKind.BY_HAND
    return str(call.subject["answered_by"]) if by_hand else call.model


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
    require(may_draft(actor, story.project))
    check_pasted(story, template, endpoint, model, answer)
    if template.purpose == Purpose.WRONG_OPTIONS:
        raise Unusable(_("A prompt about a stem is asked from the desk, where the stem is written."))
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
        message = _("No proposal could be read out of this. Paste the answer with its list.")
        raise Unusable(message, {"answer": message})
    return list(call.candidates.order_by("position"))


def check_pasted(story: Story, template: PromptTemplate, endpoint: Endpoint, model: str, answer: str) -> None:
    """Raise `Unusable`, naming the fields, where an answer brought by hand cannot be kept."""
    problems = {}
    if {template.project_id, endpoint.project_id} != {story.project_id}:
        problems["template"] = _("One of these belongs to another project.")
    if endpoint.kind != EndpointKind.BY_HAND or endpoint.retired_at:
        problems["endpoint"] = _("Choose an endpoint that is asked by hand.")
    if not 1 <= len(model.strip()) <= LONGEST_MODEL_NAME:
        problems["model"] = _("Name the model that answered.")
    if not answer.strip() or len(answer) > LARGEST_ANSWER or "\x00" in answer:
        problems["answer"] = _("Paste the whole answer, at most %(n)d characters.") % {"n": LARGEST_ANSWER}
    if problems:
        raise Unusable(" ".join(problems.values()), problems)
