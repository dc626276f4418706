"""Export tables of reviews and of ratings."""

from __future__ import annotations

from corpus.queries import exported_id
from parable.formats.options import letter
from parable.kinds import kind_of
from review.models import Review
from review.queries.sibling import with_key_revealed
from web.tables import ExportResource, Rows, column, moment, worked_out


def _chosen(review: Review) -> str | None:
    """Return the letters of the options chosen in a blind answer, with letters as in the table of items.

    If the item is answered by an order, the letters are in the order given.
    """
    if review.chosen_option is not None:
        return letter(review.chosen_option.position)
    places = [review.drawn_order[place] for place in review.several_positions]
    is_order = review.item is not None and kind_of(review.item.task).has_right_order
    return "".join(map(letter, places if is_order else sorted(places))) or None


class ReviewResource(ExportResource):
    """Export of reviews, with blind answers and comments."""

    project_path = "item__project"

    item = column("item_id")
    id = worked_out(lambda review: exported_id(review.item))
    task = column("item__task")
    revision = column("revision__number")
    stage = column("stage")
    reviewer = column("reviewer__name")
    blind = column("blind")
    misclick = column("misclick")
    answer = column("answer")
    chosen = worked_out(_chosen)
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
            "item", "id", "task", "revision", "stage", "reviewer", "blind", "misclick", "answer", "chosen",
            "correct", "rating", "flaws", "disposition", "comment", "about", "seconds", "solved", "judged",
            "project",
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return the reviews whose reviewers may know the key, oldest first."""
        rows = Review.objects.select_related("item__project", "revision", "reviewer", "chosen_option")
        return with_key_revealed(rows).order_by("pk")


class RatingResource(ExportResource):
    """Ratings in long format (unit, rater, values), as agreement programs and `parable raters` read them.

    A unit is one revision of an item, as a returned item is rated again with another wording.
    """

    project_path = "item__project"

    item = column("item_id")
    id = worked_out(lambda review: exported_id(review.item))
    revision = column("revision__number")
    story = worked_out(lambda review: exported_id(review.item.story))
    task = column("item__task")
    stage = column("stage")
    reviewer = column("reviewer_id")
    rating = column("rating")
    answer = worked_out(lambda review: review.chosen_option and letter(review.chosen_option.position))

    class Meta:
        model = Review
        fields = ("item", "id", "revision", "story", "task", "stage", "reviewer", "rating", "answer")
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return the reviews with a rating that statistics count: judged in time, and no misclick."""
        rows = Review.objects.filter(judged_at__isnull=False, late_at=None, misclick=False)
        rows = rows.exclude(rating=None).select_related("item__story", "revision", "chosen_option")
        return rows.order_by("pk")
