"""The table of stories, under the names by which an import knows its columns."""

from __future__ import annotations

from corpus.models import Story
from corpus.queries import exported_id
from web.tables import ExportResource, Rows, column, worked_out


class StoryResource(ExportResource):
    """Stories in their present wording, morals included."""

    project = column("project__slug")
    id = worked_out(exported_id)
    title = column("current__title")
    text = column("current__text")
    moral = column("current__moral")
    language = column("language")
    source = column("source")
    rights = column("rights")
    genre = column("genre")
    moral_origin = column("current__moral_origin")
    revision = column("current__number")

    class Meta:
        model = Story
        fields = (
            "id", "title", "text", "moral", "language", "source", "rights", "moral_origin", "revision",
            "project", "genre",
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all, as they were brought in."""
        return Story.objects.select_related("project", "current").order_by("pk")
