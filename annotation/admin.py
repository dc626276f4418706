"""Annotation in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from annotation.exposure import keys_at, morals_at
from annotation.models import (
    Comment,
    DraftContributor,
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
from web.admin import ExportingAdmin, ReadOnlyAdmin, follow_rows

follow_rows(Item, keys_at("pk"), exported=True)
follow_rows(Option, keys_at("revision__item"), listed=True)
follow_rows(ItemDraft, keys_at("item"))
follow_rows(Span, keys_at("revision__item"), listed=True)
follow_rows(SceneJudgement, keys_at("revision__item"), listed=True)
follow_rows(Narrative, keys_at("revision__item"))
follow_rows(Story, morals_at("pk"), exported=True)
follow_rows(StoryRevision, morals_at("story"))


@admin.register(Item)
class ItemAdmin(ExportingAdmin):
    """Items and where they stand."""

    resource_classes = (ItemResource,)
    list_display = ("id", "project", "story", "task", "style", "writer", "state", "created_at")
    list_select_related = ("project", "story__current", "writer")
    list_filter = ("state", "task", "style")
    search_fields = ("ref", "current__stem", "project__slug")


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    """Wordings of items."""

    list_display = ("__str__", "stem", "author", "story_revision", "guideline", "created_at")
    list_select_related = ("author", "story_revision", "guideline__project")
    search_fields = ("stem", "author__name")


@admin.register(Option)
class OptionAdmin(ReadOnlyAdmin):
    """Options, and which of them is the key."""

    list_display = ("text", "revision", "position", "is_key")
    list_select_related = ("revision",)
    list_filter = ("is_key",)
    search_fields = ("text",)


@admin.register(Span)
class SpanAdmin(ReadOnlyAdmin):
    """What is marked in a text."""

    list_display = ("revision", "layer", "group", "role", "text", "label")
    list_select_related = ("revision",)
    list_filter = ("layer",)
    search_fields = ("text",)


@admin.register(SceneJudgement)
class SceneJudgementAdmin(ReadOnlyAdmin):
    """Second texts, and whether they show the same scene."""

    list_display = ("revision", "is_same", "element", "second_text")
    list_select_related = ("revision",)
    list_filter = ("is_same", "element")
    search_fields = ("second_text",)


@admin.register(Narrative)
class NarrativeAdmin(ReadOnlyAdmin):
    """Narratives that go with a proverb."""

    list_display = ("revision", "text")
    list_select_related = ("revision",)
    search_fields = ("text",)


@admin.register(ItemDraft)
class ItemDraftAdmin(ReadOnlyAdmin):
    """What is being typed."""

    list_display = ("id", "project", "story", "writer", "task", "updated_at", "submitted_as", "deleted_at")
    list_select_related = ("project", "story__current", "writer", "submitted_as")
    list_filter = ("task", "style")
    search_fields = ("writer__name", "project__slug")


@admin.register(DraftContributor)
class DraftContributorAdmin(ReadOnlyAdmin):
    """Who has saved words into a draft."""

    list_display = ("draft", "user")
    list_select_related = ("draft", "user")
    search_fields = ("user__name",)


@admin.register(RevisionAuthor)
class RevisionAuthorAdmin(ReadOnlyAdmin):
    """Who wrote words of a revision, and so never judges its item."""

    list_display = ("revision", "user")
    list_select_related = ("revision", "user")
    search_fields = ("user__name", "=revision__item__id")


@admin.register(Transition)
class TransitionAdmin(ReadOnlyAdmin):
    """Every move of every item."""

    list_display = ("item", "from_state", "to_state", "cause", "actor", "at")
    list_select_related = ("item", "actor")
    list_filter = ("to_state", "cause")
    search_fields = ("=item__id", "actor__name", "reason")


@admin.register(KeyExposure)
class KeyExposureAdmin(ReadOnlyAdmin):
    """People who are no longer blind to an item, or to those of a story."""

    list_display = ("user", "story", "item", "task", "at")
    list_select_related = ("user", "story__current", "item")
    list_filter = ("task",)
    search_fields = ("user__name", "story__ref")


@admin.register(Comment)
class CommentAdmin(ReadOnlyAdmin):
    """Words about items."""

    list_display = ("item", "author", "text", "at")
    list_select_related = ("item", "author")
    search_fields = ("text", "author__name")


@admin.register(WritingAssignment)
class WritingAssignmentAdmin(ReadOnlyAdmin):
    """Who owes items about which story."""

    list_display = ("story", "writer", "source", "due_on", "created_at", "given_back_at")
    list_select_related = ("story__current", "writer")
    list_filter = ("source",)
    search_fields = ("writer__name", "story__ref")


@admin.register(Pilot)
class PilotAdmin(ReadOnlyAdmin):
    """Stories given to several writers at once."""

    list_display = ("name", "project", "guideline", "created_by", "created_at", "ended_at")
    list_select_related = ("project", "guideline__project", "created_by")


@admin.register(PilotStory)
class PilotStoryAdmin(ReadOnlyAdmin):
    """What managers noted on the items of a pilot's story."""

    list_display = ("pilot", "story", "note")
    list_select_related = ("pilot", "story__current")


@admin.register(TypeTarget)
class TypeTargetAdmin(ReadOnlyAdmin):
    """How many items of a type each story should have."""

    list_display = ("type", "per_story", "share")
    list_select_related = ("type",)


@admin.register(Reservation)
class ReservationAdmin(ReadOnlyAdmin):
    """Stories kept for a type or a writer."""

    list_display = ("story", "type", "writer", "created_by", "created_at")
    list_select_related = ("story__current", "type", "writer", "created_by")
    search_fields = ("story__ref", "writer__name")


@admin.register(HandOver)
class HandOverAdmin(ReadOnlyAdmin):
    """Whose work went to whom."""

    list_display = ("project", "leaver", "receiver", "actor", "at", "undone_at")
    list_select_related = ("project", "leaver", "receiver", "actor")
    search_fields = ("leaver__name", "receiver__name", "project__slug")
