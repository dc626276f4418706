"""The admin of the app `review`, read-only."""

from __future__ import annotations

from annotation.admin_exposure import keys_at
from review.models import (
    AnswerDraft,
    AnswerJudgement,
    AnswerSpan,
    CriterionRating,
    ModelJudgement,
    Postponement,
    PracticeItem,
    PracticeResult,
    Review,
    ReviewRequest,
    ReviewStatistics,
    Substitute,
)
from review.resources import RatingResource, ReviewResource
from web.admin import follow_rows, show_rows

follow_rows(Review, keys_at("item"))
follow_rows(PracticeItem, keys_at("made_from"))

show_rows(
    ReviewRequest,
    "id project item revision stage number state claimed_by lease_expires_at opened_at",
    filters="stage state",
    search="=item__id claimed_by__name project__slug",
)
show_rows(
    Review,
    "id item revision stage reviewer answer is_correct blind rating disposition judged_at",
    filters="stage blind rating disposition",
    search="=item__id reviewer__name comment",
    tables=(ReviewResource, RatingResource),
)
show_rows(Postponement, "id user request at", search="user__name")
show_rows(ReviewStatistics, "id project counted_at counted_upto", search="project__slug")
show_rows(
    PracticeItem,
    "id project task story expected_answer made_by made_at retired_at",
    joins="story__current",
    filters="task expected_answer",
    search="project__slug lesson",
)
show_rows(
    PracticeResult,
    "id review is_right findings lesson_seen_at",
    filters="is_right",
    search="review__reviewer__name",
)
show_rows(Substitute, "id request person named_by at", search="person__name named_by__name")
show_rows(AnswerSpan, "review layer group role text label", filters="layer", search="text")
show_rows(AnswerJudgement, "review is_same element", filters="is_same element")
show_rows(ModelJudgement, "revision model rating broken outcome at", filters="outcome", search="model")
show_rows(CriterionRating, "review criterion value", filters="criterion")
show_rows(AnswerDraft, "request reviewer saved_at", search="reviewer__name")
