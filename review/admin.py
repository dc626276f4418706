"""Review in the admin: to look at, never to change."""

from __future__ import annotations

from django.contrib import admin

from annotation.exposure import keys_at
from review.models import (
    AnswerDraft,
    AnswerJudgement,
    AnswerSpan,
    CriterionRating,
    Deputy,
    GoldItem,
    ModelJudgement,
    Postponement,
    PracticeResult,
    Review,
    ReviewRequest,
    ReviewStatistics,
)
from review.resources import RatingResource, ReviewResource
from web.admin import ExportingAdmin, ReadOnlyAdmin, follow_rows

follow_rows(Review, keys_at("item"))
follow_rows(GoldItem, keys_at("made_from"))


@admin.register(ReviewRequest)
class ReviewRequestAdmin(ReadOnlyAdmin):
    """Requests in the queue."""

    list_display = (
        "id",
        "project",
        "item",
        "revision",
        "stage",
        "number",
        "state",
        "claimed_by",
        "lease_expires_at",
        "opened_at",
    )
    list_select_related = ("project", "item", "revision", "claimed_by")
    list_filter = ("stage", "state")
    search_fields = ("=item__id", "claimed_by__name", "project__slug")


@admin.register(Review)
class ReviewAdmin(ExportingAdmin):
    """What people found, blind answers included."""

    resource_classes = (ReviewResource, RatingResource)
    list_display = (
        "id",
        "item",
        "revision",
        "stage",
        "reviewer",
        "answer",
        "is_correct",
        "blind",
        "rating",
        "disposition",
        "judged_at",
    )
    list_select_related = ("item", "revision", "reviewer")
    list_filter = ("stage", "blind", "rating", "disposition")
    search_fields = ("=item__id", "reviewer__name", "comment")


@admin.register(Postponement)
class PostponementAdmin(ReadOnlyAdmin):
    """Requests that somebody would rather take later."""

    list_display = ("id", "user", "request", "at")
    list_select_related = ("user", "request")
    search_fields = ("user__name",)


@admin.register(ReviewStatistics)
class ReviewStatisticsAdmin(ReadOnlyAdmin):
    """When the figures of each project's reviews were asked for and counted."""

    list_display = ("id", "project", "counted_at", "counted_upto")
    list_select_related = ("project",)
    search_fields = ("project__slug",)


@admin.register(GoldItem)
class GoldItemAdmin(ReadOnlyAdmin):
    """Practice items and what is right about them."""

    list_display = ("id", "project", "task", "story", "expected_answer", "made_by", "made_at", "retired_at")
    list_select_related = ("project", "story__current", "made_by")
    list_filter = ("task", "expected_answer")
    search_fields = ("project__slug", "lesson")


@admin.register(PracticeResult)
class PracticeResultAdmin(ReadOnlyAdmin):
    """What was right about reviewers' verdicts on practice items."""

    list_display = ("id", "review", "is_right", "findings", "lesson_seen_at")
    list_select_related = ("review",)
    list_filter = ("is_right",)
    search_fields = ("review__reviewer__name",)


@admin.register(Deputy)
class DeputyAdmin(ReadOnlyAdmin):
    """Who was named to take which request, and by whom."""

    list_display = ("id", "request", "person", "named_by", "at")
    list_select_related = ("request", "person", "named_by")
    search_fields = ("person__name", "named_by__name")


@admin.register(AnswerSpan)
class AnswerSpanAdmin(ReadOnlyAdmin):
    """What reviewers marked blind."""

    list_display = ("review", "layer", "group", "role", "text", "label")
    list_select_related = ("review",)
    list_filter = ("layer",)
    search_fields = ("text",)


@admin.register(AnswerJudgement)
class AnswerJudgementAdmin(ReadOnlyAdmin):
    """What reviewers said of two texts, blind."""

    list_display = ("review", "is_same", "element")
    list_select_related = ("review",)
    list_filter = ("is_same", "element")


@admin.register(ModelJudgement)
class ModelJudgementAdmin(ReadOnlyAdmin):
    """What language models said of items."""

    list_display = ("revision", "model", "rating", "broken", "outcome", "at")
    list_select_related = ("revision",)
    list_filter = ("outcome",)
    search_fields = ("model",)


@admin.register(CriterionRating)
class CriterionRatingAdmin(ReadOnlyAdmin):
    """Ratings by criteria."""

    list_display = ("review", "criterion", "value")
    list_select_related = ("review",)
    list_filter = ("criterion",)


@admin.register(AnswerDraft)
class AnswerDraftAdmin(ReadOnlyAdmin):
    """Answers that are begun."""

    list_display = ("request", "reviewer", "saved_at")
    list_select_related = ("request", "reviewer")
    search_fields = ("reviewer__name",)
