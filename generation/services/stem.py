"""Services for distractors that models propose for a stem while it is being written."""

from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from annotation import services as annotation
from annotation.content import ItemContent, OptionContent, from_json, tidy, to_json
from annotation.models import Item, ItemDraft
from annotation.permissions import may_write
from core.errors import Conflict, Unusable, require
from corpus.models import Story
from generation.models import Candidate, PromptTemplate, Purpose, StemQuestion
from generation.prompt import needs_key
from generation.queries.batch import GENERATE, PASTED
from generation.queries.stem import same_question, stem_prompt, words_of
from generation.services.batch import check_pasted, keep_pasted
from generation.services.trial import current_wording
from jobs import services as jobs
from jobs.models import Call, Endpoint, EndpointKind
from jobs.titles import CANDIDATES
from jobs.titles import PASTED as PASTED_TITLE
from parable.llm.proposals import candidates_schema
from projects.permissions import Permission, permissions_of


@dataclass(frozen=True, slots=True)
class OptionsOrder:
    """The recorded request, whether it uses an earlier call, and the ids of the calls to dispatch."""

    question: StemQuestion
    is_earlier: bool
    waiting: list[int] = field(default_factory=list)


@transaction.atomic
def ask_for_options(
    *,
    actor: User,
    story: Story,
    draft: UUID,
    content: ItemContent,
    template: PromptTemplate,
    endpoint: Endpoint,
    item: Item | None = None,
    again: bool = False,
) -> OptionsOrder:
    """Request distractors for this stem.

    The result of an earlier call with this prompt is used, unless `again`.

    `draft` is the actor's own draft, `item` the item that the draft revises, if any. Raise `Unusable` if the
    stem, or a key that the prompt includes, is missing. The caller dispatches the calls in `waiting` after
    the commit.
    """
    require(may_write(actor, story.project))
    _check_template(story, template)
    if endpoint.project_id != story.project_id:
        raise Unusable(_("One of these belongs to another project."))
    if endpoint.retired_at or endpoint.kind == EndpointKind.MANUAL:
        raise Unusable(_("One of these endpoints is used by hand and cannot be asked by a worker."))
    prompt = stem_prompt(template, story, content)
    # If a user clicks twice, the second request waits here, and then finds the first.
    Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
    # If the prompt has the key, the answer to another user's request could reveal it to a user who solves
    # items.
    solves = permissions_of(actor, template.project) & (Permission.REVIEW | Permission.VERIFY)
    whose = actor if solves and needs_key(template.text) else None
    earlier = None if again else same_question(endpoint, template, prompt, whose)
    if earlier is not None:
        return OptionsOrder(_note(earlier.call, actor, template, draft, content, item), is_earlier=True)
    job = jobs.start_job(actor=actor, project=story.project, kind=GENERATE, title=CANDIDATES, about={"n": 1})
    jobs.create_calls(job=job, asked=[_asked(endpoint, prompt, story, template)], again=True)
    question = _note(Call.objects.get(job=job), actor, template, draft, content, item)
    return OptionsOrder(question, is_earlier=False, waiting=jobs.wake_calls(job_id=job.pk))


@transaction.atomic
def paste_options(
    *,
    actor: User,
    story: Story,
    draft: UUID,
    content: ItemContent,
    template: PromptTemplate,
    endpoint: Endpoint,
    model: str,
    answer: str,
    item: Item | None = None,
) -> list[Candidate]:
    """Save an answer that was pasted for this stem's prompt, and return its candidates.

    Raise `Unusable` if no candidate can be read from it; then nothing is saved.
    """
    require(may_write(actor, story.project))
    _check_template(story, template)
    check_pasted(story, template, endpoint, model, answer)
    prompt = stem_prompt(template, story, content)
    job = jobs.start_job(actor=actor, project=story.project, kind=PASTED, title=PASTED_TITLE)
    asked = _asked(endpoint, prompt, story, template)
    call = jobs.record_pasted_answer(job=job, asked=asked, answer=answer, model=model.strip())
    _note(call, actor, template, draft, content, item)
    return keep_pasted(call)


def _check_template(story: Story, template: PromptTemplate) -> None:
    if template.project_id != story.project_id:
        raise Unusable(_("One of these belongs to another project."))
    if template.purpose != Purpose.WRONG_OPTIONS:
        raise Unusable(_("Select a prompt that asks for distractors for a stem."))


def _asked(endpoint: Endpoint, prompt: str, story: Story, template: PromptTemplate) -> jobs.Asked:
    # `story` is left out: the story's page lists only calls about its moral.
    subject = {"story_revision": current_wording(story).pk, "template": template.pk}
    return jobs.Asked(endpoint, prompt, subject, candidates_schema(template.wanted))


def _note(
    call: Call,
    actor: User,
    template: PromptTemplate,
    draft: UUID,
    content: ItemContent,
    item: Item | None,
) -> StemQuestion:
    """Save a request for the draft's distractors with the call that answers it, new or reused."""
    words = tidy(content)
    wanted = {
        "endpoint": call.endpoint,
        "template": template,
        "story_revision_id": call.subject["story_revision"],
        "revision": item.current if item else None,
        "stem": words.stem,
        "key": words.key.text if words.key else "",
        "words": words_of(call.prompt),
    }
    note, _created = StemQuestion.objects.get_or_create(
        call=call, asked_by=actor, draft=draft, defaults=wanted
    )
    return note


@transaction.atomic
def take_option(*, actor: User, draft: ItemDraft, candidate: Candidate) -> ItemDraft:
    """Fill the draft's first empty distractor with a candidate.

    Raise `Conflict` if no distractor is empty.
    """
    require(may_write(actor, draft.project))
    if not StemQuestion.objects.filter(
        call=candidate.call_id, asked_by=actor, draft=draft.client_id
    ).exists():
        raise Unusable(_("This proposal belongs to another story."))
    content = from_json(draft.content)
    wanted = draft.project.options_per_item
    options = [*content.options, *[OptionContent("")] * wanted][: max(wanted, len(content.options))]
    empty = (place for place, one in enumerate(options) if not one.text.strip() and not one.is_key)
    place = next(empty, None)
    if place is None:
        raise Conflict(_("All distractors are filled. Clear one first."))
    options[place] = OptionContent(candidate.text, candidate=candidate.pk)
    return annotation.save_draft(
        actor=actor,
        project=draft.project,
        story=draft.story,
        task=draft.task,
        style=draft.style,
        item=draft.item,
        client_id=draft.client_id,
        sequence=draft.sequence + 1,
        content=to_json(replace(content, options=tuple(options))),
    )
