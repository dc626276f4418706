"""Generation in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from annotation.exposure import keys_at, morals_at
from generation.models import Adoption, Batch, Candidate, PromptTemplate, StemQuestion, Trial
from jobs.models import Call
from web.admin import ReadOnlyAdmin, follow_rows

follow_rows(Candidate, morals_at("story"), listed=True)
follow_rows(Adoption, keys_at("option__revision__item"), listed=True)
follow_rows(StemQuestion, keys_at("revision__item"))
follow_rows(Trial, keys_at("revision__item"))
# what a model was sent may hold the moral of its story
follow_rows(Call, morals_at("candidates__story"))


@admin.register(PromptTemplate)
class PromptTemplateAdmin(ReadOnlyAdmin):
    """Versions of prompt templates."""

    list_display = ("name", "version", "purpose", "project", "author", "created_at")
    list_select_related = ("project", "author")
    list_filter = ("purpose",)
    search_fields = ("name", "project__slug")


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    """Batches of calls."""

    list_display = ("id", "project", "job", "created_at")
    list_select_related = ("project", "job")
    search_fields = ("project__slug", "job__title_code")


@admin.register(Candidate)
class CandidateAdmin(ReadOnlyAdmin):
    """What models proposed, as it came."""

    list_display = ("text", "story", "generator", "template", "created_at")
    list_select_related = ("story__current", "template")
    search_fields = ("text", "generator", "project__slug")


@admin.register(Adoption)
class AdoptionAdmin(ReadOnlyAdmin):
    """What became of candidates."""

    list_display = ("original_text", "option", "adopted_by", "at")
    list_select_related = ("option", "adopted_by")
    search_fields = ("original_text", "adopted_by__name")


@admin.register(StemQuestion)
class StemQuestionAdmin(ReadOnlyAdmin):
    """Stems for which models were asked for wrong options."""

    list_display = ("stem", "endpoint", "template", "asked_by", "at")
    list_select_related = ("endpoint", "template", "asked_by")
    search_fields = ("stem", "endpoint__name", "asked_by__name")


@admin.register(Trial)
class TrialAdmin(ReadOnlyAdmin):
    """Items that models tried while they were being written."""

    list_display = ("endpoint", "story_revision", "asked_by", "outcome", "is_correct", "at")
    list_select_related = ("endpoint", "story_revision", "asked_by")
    list_filter = ("outcome",)
    search_fields = ("endpoint__name", "asked_by__name")
