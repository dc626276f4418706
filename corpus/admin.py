"""Corpus in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from corpus.models import SimilarPair, Story, StoryGroup, StoryRevision, Upload
from corpus.resources import StoryResource
from web.admin import ExportingAdmin, ReadOnlyAdmin


@admin.register(Story)
class StoryAdmin(ExportingAdmin):
    """Stories; their words are in their revisions."""

    resource_classes = (StoryResource,)
    list_display = ("ref", "current", "project", "language", "rights", "created_at")
    list_select_related = ("current", "project")
    list_filter = ("language",)
    search_fields = ("ref", "current__title", "project__slug")


@admin.register(StoryRevision)
class StoryRevisionAdmin(ReadOnlyAdmin):
    """Wordings of stories, morals included."""

    list_display = ("title", "number", "moral_origin", "author", "created_at")
    list_select_related = ("author",)
    list_filter = ("moral_origin",)
    search_fields = ("title", "story__ref")


@admin.register(SimilarPair)
class SimilarPairAdmin(ReadOnlyAdmin):
    """Pairs of stories that a search found."""

    list_display = ("first", "second", "similarity", "same_title", "rejected_by")
    list_select_related = ("first__current", "second__current", "rejected_by")


@admin.register(StoryGroup)
class StoryGroupAdmin(ReadOnlyAdmin):
    """Groups of wordings that managers have confirmed."""

    list_display = ("__str__", "project", "confirmed_by", "confirmed_at")
    list_select_related = ("project", "confirmed_by")


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    """Files that wait for their import."""

    list_display = ("__str__", "project", "created_by", "purpose", "state", "created_at")
    list_select_related = ("project", "created_by")
    list_filter = ("state", "purpose")
    exclude = ("token",)
