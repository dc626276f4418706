"""Tables of reviews and of scores."""

from __future__ import annotations

from review.models import Review
from review.queries.sibling import with_key_shown
from web.tables import ExportResource, Rows, column, moment


class ReviewResource(ExportResource):
    """What people found in items, blind answers and words included."""

    project_path = "item__project"

    item = column("item_id")
    task = column("item__task")
    revision = column("revision__number")
    stage = column("stage")
    reviewer = column("reviewer__name")
    blind = column("blind")
    misclick = column("misclick")
    answer = column("answer")
    correct = column("is_correct")
    rating = column("rating")
    flaws = column("flaws")
    disposition = column("disposition")
    comment = column("comment")
    about = column("about")
    seconds = column("seconds")
    solved = moment("solved_at")
    judged = moment("judged_at")
    project = column("item__project__slug")

    class Meta:
        model = Review
        fields = (
            "item", "task", "revision", "stage", "reviewer", "blind", "misclick", "answer", "correct",
            "rating", "flaws", "disposition", "comment", "about", "seconds", "solved", "judged", "project",
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all whose reviewer has been shown the key, oldest first."""
        rows = Review.objects.select_related("item__project", "revision", "reviewer")
        return with_key_shown(rows).order_by("pk")


class RatingResource(ExportResource):
    """Scores alone in long form, as programs for agreement read them: unit, coder, value."""

    project_path = "item__project"

    item = column("item_id")
    story = column("item__story__ref")
    task = column("item__task")
    stage = column("stage")
    reviewer = column("reviewer_id")
    rating = column("rating")

    class Meta:
        model = Review
        fields = ("item", "story", "task", "stage", "reviewer", "rating")
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return the reviews that count: judged in time, and not slipped."""
        rows = Review.objects.filter(judged_at__isnull=False, late_at=None, misclick=False)
        return rows.exclude(rating=None).select_related("item__story").order_by("pk")
