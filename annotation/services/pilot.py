"""Services for pilots, in which several writers get the same stories, and for re-reviews of older items."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import Pilot, PilotStory
from annotation.permissions import may_write
from annotation.queries.pilot import older_items, older_name
from annotation.services.assignment import name_writers
from annotation.services.item import request_another_look
from core.errors import Conflict, Unusable, require
from corpus.models import Story
from projects.models import Project
from projects.permissions import Permission, has_permission
from projects.queries import current_guideline
from web.cached_counts import forget

MOST_STORIES: Final = 20
MOST_WRITERS: Final = 60
LONGEST_NOTE: Final = 20_000
AT_ONCE: Final = 200
"""The maximum number of items that one request sends to review again, so that it does not take too long."""


@transaction.atomic
def start_pilot(
    *,
    actor: User,
    project: Project,
    name: str,
    stories: Sequence[Story],
    writers: Sequence[User],
    due_on: date | None = None,
) -> Pilot:
    """Start a pilot: assign the same stories to all of these writers. Only managers may.

    Each writer gets each story, regardless of the project's number of writers per story. Raise `Unusable`
    naming `name`, `stories` or `writers`.
    """
    require(has_permission(actor, project, Permission.CHANGE_WRITING))
    fields: dict[str, str] = {}
    if not name.strip() or len(name.strip()) > 100:
        fields["name"] = _("Give the pilot a name of at most 100 characters.")
    if not 1 <= len(stories) <= MOST_STORIES or any(story.project_id != project.pk for story in stories):
        fields["stories"] = _("Select 1 to %(most)d stories of this project.") % {"most": MOST_STORIES}
    if not 2 <= len(writers) <= MOST_WRITERS or not all(may_write(writer, project) for writer in writers):
        fields["writers"] = _("Select 2 to %(most)d writers of this project.") % {"most": MOST_WRITERS}
    if fields:
        raise Unusable(fields)
    pilot = Pilot.objects.create(
        project=project, name=name.strip(), guideline=current_guideline(project), created_by=actor
    )
    pilot.writers.set(writers)
    PilotStory.objects.bulk_create(PilotStory(pilot=pilot, story=story) for story in stories)
    for story in stories:
        name_writers(actor=actor, story=story, writers=writers, due_on=due_on)
    record_event(actor=actor, verb="start_pilot", subject=pilot)
    return pilot


@transaction.atomic
def note_on_pilot(*, actor: User, link: PilotStory, text: str) -> PilotStory:
    """Save the manager's notes on the items of one story of a pilot."""
    require(has_permission(actor, link.pilot.project, Permission.CHANGE_WRITING))
    if len(text) > LONGEST_NOTE:
        message = _("The notes exceed %(most)d characters.") % {"most": LONGEST_NOTE}
        raise Unusable(message, "note")
    link.note = text.strip()
    link.save(update_fields=["note"])
    return link


@transaction.atomic
def end_pilot(*, actor: User, pilot: Pilot) -> Pilot:
    """End a pilot, so that its writers may review each other's items. Only managers may, and only once."""
    require(has_permission(actor, pilot.project, Permission.CHANGE_WRITING))
    pilot = Pilot.objects.select_for_update(of=("self",)).get(pk=pilot.pk)
    if pilot.ended_at is not None:
        raise Conflict(_("This pilot has already ended."))
    pilot.ended_at = timezone.now()
    pilot.save(update_fields=["ended_at"])
    record_event(actor=actor, verb="end_pilot", subject=pilot)
    return pilot


@transaction.atomic
def look_again_at_older_items(
    *, actor: User, project: Project, reason: str, task: str = "", kind: str = ""
) -> int:
    """Send the oldest `AT_ONCE` of the project's `older_items` to review again.

    `task` and `kind` (the code of a commonsense type) are filters. Return how many items were sent; call
    again for the rest. Only managers may, with a reason.
    """
    require(has_permission(actor, project, Permission.CHANGE_WRITING))
    if not reason.strip():
        raise Unusable(_("Enter a reason."), "reason")
    found = older_items(project, task=task, kind=kind).select_for_update(of=("self",), skip_locked=True)
    items = list(found.select_related("project")[:AT_ONCE])
    for item in items:
        request_another_look(actor=actor, item=item, reason=reason)
    transaction.on_commit(lambda: forget([older_name(project, task=task, kind=kind)]))
    return len(items)
