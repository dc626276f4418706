"""The admin of the app `annotation`, read-only."""

from __future__ import annotations

from annotation.admin_exposure import keys_at, morals_at
from annotation.models import (
    Comment,
    DraftContributor,
    FileAudit,
    HandOver,
    Item,
    ItemDraft,
    KeyExposure,
    Narrative,
    Option,
    Pilot,
    PilotStory,
    Reservation,
    Revision,
    RevisionAuthor,
    SceneJudgement,
    Span,
    Transition,
    TypeTarget,
    WritingAssignment,
)
from annotation.resources import ItemResource
from corpus.models import Story, StoryRevision
from web.admin import follow_rows, show_rows

follow_rows(Item, keys_at("pk"), exported=True)
follow_rows(Option, keys_at("revision__item"), listed=True)
follow_rows(ItemDraft, keys_at("item"))
follow_rows(Span, keys_at("revision__item"), listed=True)
follow_rows(SceneJudgement, keys_at("revision__item"), listed=True)
follow_rows(Narrative, keys_at("revision__item"))
follow_rows(Story, morals_at("pk"), exported=True)
follow_rows(StoryRevision, morals_at("story"))

show_rows(
    Item,
    "id project story task style writer state created_at",
    joins="story__current",
    filters="state task style",
    search="ref current__stem project__slug",
    tables=(ItemResource,),
)
show_rows(
    Revision,
    "__str__ stem author story_revision guideline created_at",
    joins="guideline__project",
    search="stem author__name",
)
show_rows(Option, "text revision position is_key", filters="is_key", search="text")
show_rows(Span, "revision layer group role text label", filters="layer", search="text")
show_rows(
    SceneJudgement, "revision is_same element second_text", filters="is_same element", search="second_text"
)
show_rows(Narrative, "revision text", search="text")
show_rows(
    ItemDraft,
    "id project story writer task updated_at submitted_as deleted_at",
    joins="story__current",
    filters="task style",
    search="writer__name project__slug",
)
show_rows(DraftContributor, "draft user", search="user__name")
show_rows(RevisionAuthor, "revision user", search="user__name =revision__item__id")
show_rows(
    Transition,
    "item from_state to_state cause actor at",
    filters="to_state cause",
    search="=item__id actor__name reason",
)
show_rows(
    KeyExposure,
    "user story item task at",
    joins="story__current",
    filters="task",
    search="user__name story__ref",
)
show_rows(Comment, "item author text at", search="text author__name")
show_rows(
    WritingAssignment,
    "story writer source due_on created_at given_back_at",
    joins="story__current",
    filters="source",
    search="writer__name story__ref",
)
show_rows(
    FileAudit,
    "id created_by state created_at expires_at",
    filters="state",
    only="created_by state created_at expires_at",
)
show_rows(Pilot, "name project guideline created_by created_at ended_at", joins="guideline__project")
show_rows(PilotStory, "pilot story note", joins="story__current")
show_rows(TypeTarget, "type per_story share")
show_rows(
    Reservation,
    "story type writer created_by created_at",
    joins="story__current",
    search="story__ref writer__name",
)
show_rows(
    HandOver, "project leaver receiver actor at undone_at", search="leaver__name receiver__name project__slug"
)
