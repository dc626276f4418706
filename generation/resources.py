"""The export table of candidates."""

from __future__ import annotations

from generation.models import Candidate
from parable.formats.table_writer import Cell
from web.tables import ExportResource, Rows, column, moment, worked_out


def _joined(candidate: Candidate) -> Cell:
    found = {adoption.option.revision.item_id for adoption in candidate.adoptions.all()}
    return "; ".join(map(str, sorted(found))) or None


class CandidateResource(ExportResource):
    """Exports candidates as received, with their prompt and model, and the items that use them."""

    number = column("pk")
    story_id = column("story__ref")
    text = column("text")
    purpose = column("template__purpose")
    prompt = column("template__name")
    prompt_version = column("template__version")
    generator = column("generator")
    items = worked_out(_joined)
    created = moment("created_at")
    project = column("project__slug")

    class Meta:
        model = Candidate
        fields = (
            "number", "story_id", "text", "purpose", "prompt", "prompt_version", "generator", "items",
            "created", "project",
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all candidates, oldest first.

        The relations that a row needs are prefetched.
        """
        rows = Candidate.objects.select_related("project", "story", "template")
        return rows.prefetch_related("adoptions__option__revision").order_by("pk")
