"""Services for trials: a model solves an item that is being written.

The result hints at the item's difficulty.
"""

from dataclasses import dataclass, field
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.content import ItemContent, tidy
from annotation.models import Item
from annotation.permissions import may_write
from core.errors import Unusable, require
from core.invariants import present
from corpus.models import Story, StoryRevision
from generation.models import Trial
from generation.queries.trial import TRY, same_trial
from generation.trial import Posed, pose
from jobs import services as jobs
from jobs.models import Call, Endpoint, EndpointKind
from jobs.titles import TRIED
from parable.formats.options import equal_pair
from parable.reading.answers import FEWEST, MOST, is_cut_off, read_answer, read_cut_off


@dataclass(frozen=True, slots=True)
class TrialStarted:
    """The trial, whether it is an earlier one that is used again, and the ids of the calls to dispatch."""

    trial: Trial
    is_earlier: bool
    waiting: list[int] = field(default_factory=list)


@transaction.atomic
def try_item(
    *,
    actor: User,
    story: Story,
    draft: UUID,
    content: ItemContent,
    endpoint: Endpoint,
    item: Item | None = None,
    again: bool = False,
) -> TrialStarted:
    """Have an endpoint solve this item. An earlier trial of an equal item is used, unless `again`.

    `draft` is the actor's own draft, `item` the item that the draft revises, if any. Raise `Unusable` if the
    item is incomplete. The caller dispatches the calls in `waiting` after the commit.
    """
    require(may_write(actor, story.project))
    if endpoint.project_id != story.project_id:
        raise Unusable(_("One of these belongs to another project."))
    if endpoint.retired_at or endpoint.kind == EndpointKind.MANUAL:
        raise Unusable(_("One of these endpoints is used by hand and cannot be asked by a worker."))
    posed = posed_item(story, content)
    # If a user clicks twice, the second request waits here, and then finds the first.
    Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
    earlier = same_trial(endpoint, posed.words)
    if earlier is not None and not again:
        return TrialStarted(earlier, is_earlier=True)
    job = jobs.start_job(actor=actor, project=story.project, kind=TRY, title=TRIED)
    asked = jobs.Asked(endpoint, posed.prompt, {"solves": current_wording(story).pk})
    jobs.create_calls(job=job, asked=[asked], again=True)
    trial = Trial.objects.create(
        call=Call.objects.get(job=job),
        endpoint=endpoint,
        story_revision=current_wording(story),
        asked_by=actor,
        draft=draft,
        revision=item.current if item else None,
        words=posed.words,
        options=list(posed.options),
        key=posed.key,
    )
    return TrialStarted(trial, is_earlier=False, waiting=jobs.wake_calls(job_id=job.pk))


def current_wording(story: Story) -> StoryRevision:
    """Return the current revision of the story."""
    return present(story.current, "every story has a first revision")


def posed_item(story: Story, content: ItemContent) -> Posed:
    """Return the item in the form in which a model gets it. Raise `Unusable` if it is incomplete."""
    words, current = tidy(content), current_wording(story)
    texts = [option.text for option in words.options if option.text]
    if not words.stem:
        raise Unusable(_("Write the stem first."))
    if not FEWEST <= len(texts) <= MOST:
        raise Unusable(_("Write at least two options first."))
    if equal_pair(texts):
        raise Unusable(_("Two options are the same."))
    if words.key is None or not words.key.text:
        raise Unusable(_("Mark the key first, so that the answer can be compared with it."))
    return pose(
        story=current.text, language=story.language, stem=words.stem, options=texts, key=words.key.text
    )


def run_trial(*, call_id: int) -> jobs.CallResult:
    """Run a waiting trial and save the parsed answer. Safe to run twice."""
    return jobs.run_call(call_id=call_id, keep=keep_reading)


def keep_reading(call: Call) -> str:
    """Parse a model's answer and save the outcome in its trial. Return ""."""
    trial = Trial.objects.get(call=call)
    finish = str(call.subject.get("finish_reason", ""))
    reading = (read_cut_off if is_cut_off(finish) else read_answer)(call.raw_response, trial.options)
    trial.outcome, trial.choice = reading.outcome, reading.choice
    trial.is_correct = reading.choice == trial.key if reading.choice is not None else None
    trial.save(update_fields=["outcome", "choice", "is_correct"])
    return ""
