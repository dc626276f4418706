"""Services that create stories in bulk, revise them, and record their rights."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from corpus.models import METADATA, MoralOrigin, RevisionCause, Story, StoryRevision
from events.models import EventKind
from events.services import NewEvent, publish
from parable.formats.fields import one_line_end
from parable.formats.records import FURTHER_FIELDS, StoryRecord
from projects.models import Project
from projects.permissions import Permission, has_permission
from web.rows import Columns, draw_ids

BATCH: Final = 2000
_STORIES: Final = Columns(
    Story,
    *("id", "current_id", "ref", "text_hash", "project_id"),
    *("language", *METADATA, "created_by_id"),
)
_REVISIONS: Final = Columns(
    StoryRevision,
    *("id", "story_id", "number", "title", "text", "moral", "moral_origin", "cause", "author_id"),
)


@lru_cache(256)  # the items of a story are usually adjacent
def text_hash(text: str) -> str:
    """Return the SHA-256 of a story's text, trimmed and with uniform line ends. It identifies the text."""
    return hashlib.sha256(one_line_end(text).strip().encode()).hexdigest()


class CreatedStory(NamedTuple):
    """A new story: its id, the id of its first revision, its `ref`, and the hash of its text."""

    pk: int
    current_id: int
    ref: str
    text_hash: str


@transaction.atomic
def create_stories(
    *,
    actor: User,
    project: Project,
    wanted: Sequence[StoryRecord],
    cause: str = RevisionCause.IMPORTED,
) -> list[CreatedStory]:
    """Create stories in bulk, each with its first revision, and publish it as one event.

    The project must not have their texts and ids.

    A story without an id gets one.

    Primary keys are drawn first, so that a story can refer to its revision at once and no row is written
    twice: the constraint between the two is checked at the end of the transaction.
    """
    created = [
        CreatedStory(story, revision, new.id or f"story-{hashed[:12]}", hashed)
        for story, revision, new, hashed in zip(
            draw_ids(Story, len(wanted)),
            draw_ids(StoryRevision, len(wanted)),
            wanted,
            (text_hash(new.text) for new in wanted),
            strict=True,
        )
    ]
    _STORIES.write(
        (*made, project.pk, new.language, *((getattr(new, name) or "") for name in METADATA), actor.pk)
        for made, new in zip(created, wanted, strict=True)
    )
    _REVISIONS.write(
        (
            *(made.current_id, made.pk, 1, new.title, new.text, new.moral or ""),
            *((MoralOrigin.SOURCE if new.moral else MoralOrigin.NONE).value, str(cause), actor.pk),
        )
        for made, new in zip(created, wanted, strict=True)
    )
    if created:
        about = {"count": len(created), "first": created[0].pk, "last": created[-1].pk}
        publish([NewEvent(project.pk, EventKind.STORIES_IMPORTED, project.pk, about)])
    return created


@transaction.atomic
def revise_story(
    *,
    actor: User,
    story: Story,
    title: str,
    text: str,
    moral: str,
    moral_origin: str,
    reason: str,
) -> StoryRevision:
    """Create a new revision of the story. Only managers may.

    Raises `Unusable` if title, text or reason is missing, `Conflict` if another story has this text.
    """
    require(has_permission(actor, story.project, Permission.CHANGE_STORIES))
    given = {"title": title, "text": text, "reason": reason}
    missing = {name: _("This field is required.") for name, value in given.items() if not value.strip()}
    if missing:
        raise Unusable(_("Enter a title, a text and a reason for the change."), missing)
    Story.objects.select_for_update().get(pk=story.pk)
    story.refresh_from_db()
    if story.current is None:
        raise AssertionError  # every story has a first revision
    revision = StoryRevision.objects.create(
        story=story,
        number=story.current.number + 1,
        title=title.strip(),
        text=one_line_end(text).strip(),
        moral=moral.strip(),
        moral_origin=(moral_origin or MoralOrigin.OURS) if moral.strip() else MoralOrigin.NONE,
        cause=RevisionCause.EDITED,
        reason=reason.strip(),
        author=actor,
    )
    make_current(story, revision)
    record_event(actor=actor, verb="revise_story", subject=story, detail={"number": revision.number})
    return revision


@transaction.atomic
def reword_story(*, actor: User, story: Story, title: str, text: str, reason: str) -> StoryRevision:
    """Save a new title or text of the story as a revision; the moral stays the same.

    Raises `Unusable` if neither changes, otherwise like `revise_story`.
    """
    current = _current_for_change(story)
    if (current.title, current.text) == (title.strip(), text.strip()):
        raise Unusable(_("Title and text are unchanged."))
    return revise_story(
        actor=actor,
        story=story,
        title=title,
        text=one_line_end(text),
        moral=current.moral,
        moral_origin=current.moral_origin,
        reason=reason,
    )


@transaction.atomic
def set_moral(*, actor: User, story: Story, moral: str, origin: str, reason: str) -> StoryRevision:
    """Save a new moral of the story and its origin as a revision; title and text stay the same.

    Raises `Unusable` if neither changes, otherwise like `revise_story`.
    """
    current = _current_for_change(story)
    if (current.moral, current.moral_origin) == (
        moral.strip(),
        origin if moral.strip() else MoralOrigin.NONE,
    ):
        raise Unusable(_("The moral is unchanged."))
    return revise_story(
        actor=actor,
        story=story,
        title=current.title,
        text=current.text,
        moral=moral,
        moral_origin=origin if origin != MoralOrigin.NONE else "",
        reason=reason,
    )


def _current_for_change(story: Story) -> StoryRevision:
    Story.objects.select_for_update().get(pk=story.pk)
    return StoryRevision.objects.filter(story=story).latest("number")


def make_current(story: Story, revision: StoryRevision) -> None:
    """Set the story's current revision.

    Raises `Conflict` if another story of the project has the same text.
    """
    story.current, story.text_hash = revision, text_hash(revision.text)
    try:
        with transaction.atomic():
            story.save(update_fields=["current", "text_hash"])
    except IntegrityError as error:
        raise Conflict(_("Another story of this project has the same text.")) from error


@transaction.atomic
def set_rights(*, actor: User, story: Story, rights: str, evidence: str, **further: str) -> None:
    """Save the rights under which the story may be published, the evidence for them, and `further` fields.

    Only managers may. Raises `KeyError` for a field that is none of the `FURTHER_FIELDS`.
    """
    require(has_permission(actor, story.project, Permission.CHANGE_STORIES))
    if unknown := further.keys() - FURTHER_FIELDS.keys():
        raise KeyError(*unknown)
    story.rights, story.rights_evidence = rights.strip(), evidence.strip()
    for name, value in further.items():
        setattr(story, name, value.strip())
    story.save(update_fields=["rights", "rights_evidence", *further])
    record_event(actor=actor, verb="set_rights", subject=story, detail={"rights": story.rights})
