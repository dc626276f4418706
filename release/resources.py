"""Export of releases and their items."""

from __future__ import annotations

from import_export.fields import Field

from parable.formats.option_marks import LETTERS
from parable.formats.table_writer import Cell
from release.assembly.records import right_letters
from release.models import Release, ReleaseItem
from web.tables import ExportResource, Rows, column, in_turn, moment, worked_out


def _of_record(name: str) -> Field:
    def cell(row: ReleaseItem) -> Cell:
        value = row.record.get(name)
        return "; ".join(value) if isinstance(value, list) else value

    return worked_out(cell)


def _choices(row: ReleaseItem) -> list[Cell]:
    choices: list[Cell] = row.record["choices"]
    return choices


def _answer(row: ReleaseItem) -> Cell:
    """Return the letters of the correct options, in released order."""
    return right_letters(row.record)


class ReleaseResource(ExportResource):
    """Export of releases. Seeds are omitted, because they would reveal withheld answers."""

    project = column("project__slug")
    version = column("version")
    state = column("state")
    reason = column("reason")
    created_by = column("created_by__name")
    created = moment("created_at")
    ready = moment("ready_at")
    withdrawn = moment("withdrawn_at")

    class Meta:
        model = Release
        fields = (
            "project", "version", "state", "reason", "created_by", "created", "ready", "withdrawn",
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all releases, oldest first."""
        return Release.objects.select_related("project", "created_by").order_by("pk")


class ReleaseItemResource(ExportResource):
    """Export of items as they are in releases, including keys."""

    project_path = "release__project"

    release = column("release__version")
    id = column("public_id")
    source_id = _of_record("source_id")
    split = column("split")
    number = column("number")
    item = column("item_id")
    task = _of_record("task")
    style = _of_record("style")
    story_id = _of_record("story_id")
    question = _of_record("question")
    A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z = in_turn(  # noqa: E741 - letters
        _choices, columns=26
    )
    answer = worked_out(_answer)
    type = _of_record("types")
    generators = _of_record("generators")
    explanation = _of_record("explanation")
    project = column("release__project__slug")

    class Meta:
        model = ReleaseItem
        fields = (
            "release", "id", "source_id", "split", "number", "item", "task", "style", "story_id", "question",
            *LETTERS, "answer", "type", "generators", "explanation", "project",
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all items, ordered by release and number."""
        return ReleaseItem.objects.select_related("release__project").order_by("release", "number")
