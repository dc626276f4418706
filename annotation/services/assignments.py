"""Which writer owes items about which story."""

from collections.abc import Sequence
from datetime import date

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Hidden, require
from accounts.models import User
from accounts.services import record_event
from annotation.models import AssignmentSource, WritingAssignment
from annotation.permissions import may_write
from annotation.queries import stories_wanting_writers
from corpus.models import Story
from projects.models import Project
from projects.permissions import may_manage


@transaction.atomic
def take_next_story(*, actor: User, project: Project) -> WritingAssignment | None:
    """Give the actor the oldest story that still wants a writer; None where there is none for them."""
    require(may_write(actor, project))
    story = (
        stories_wanting_writers(project, actor)
        .select_for_update(of=("self",), skip_locked=True)
        .order_by("pk")
        .first()
    )
    if story is None:
        return None
    return WritingAssignment.objects.create(story=story, writer=actor)


@transaction.atomic
def take_story(*, actor: User, story: Story) -> WritingAssignment:
    """Give the actor this story. Raises `Conflict` where it has all the writers it wants."""
    require(may_write(actor, story.project))
    Story.objects.select_for_update().get(pk=story.pk)
    mine = WritingAssignment.objects.filter(story=story, writer=actor, given_back_at=None).first()
    if mine:
        return mine
    if not stories_wanting_writers(story.project, actor).filter(pk=story.pk).exists():
        raise Conflict(_("This story has all the writers it wants."))
    return WritingAssignment.objects.create(story=story, writer=actor)


@transaction.atomic
def name_writers(
    *, actor: User, story: Story, writers: Sequence[User], due_on: date | None = None
) -> list[WritingAssignment]:
    """Give the story to these writers, by a manager's word; who has it already keeps it."""
    require(may_manage(actor, story.project))
    Story.objects.select_for_update().get(pk=story.pk)
    has = set(
        WritingAssignment.objects.filter(story=story, given_back_at=None).values_list("writer", flat=True)
    )
    made = WritingAssignment.objects.bulk_create(
        WritingAssignment(story=story, writer=writer, source=AssignmentSource.NAMED, due_on=due_on)
        for writer in writers
        if writer.pk not in has
    )
    record_event(actor=actor, verb="name_writers", subject=story, detail={"writers": [w.pk for w in writers]})
    return made


@transaction.atomic
def give_back_story(*, actor: User, assignment: WritingAssignment) -> None:
    """End an assignment; what was written stays. Its writer, or a manager."""
    if assignment.writer_id != actor.pk:
        require(may_manage(actor, assignment.story.project))
    if assignment.given_back_at is not None:
        raise Hidden(_("This story has been given back already."))
    assignment.given_back_at = timezone.now()
    assignment.save(update_fields=["given_back_at"])
