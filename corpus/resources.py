"""Export of stories from the admin, with column names that an import recognises."""

from __future__ import annotations

from corpus.models import Story
from corpus.queries import exported_id
from parable.formats.records import FURTHER_FIELDS
from web.tables import ExportResource, Rows, column, worked_out


class StoryResource(ExportResource):
    """Export of the current revisions of stories, including morals."""

    project = column("project__slug")
    id = worked_out(exported_id)
    title = column("current__title")
    text = column("current__text")
    moral = column("current__moral")
    moral_origin = column("current__moral_origin")
    revision = column("current__number")

    class Meta:
        model = Story
        fields = (
            "id", "title", "text", "moral", "language", "source", "rights", "moral_origin", "revision",
            "project", *FURTHER_FIELDS,
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all stories in order of creation."""
        return Story.objects.select_related("project", "current").order_by("pk")
