"""The table of items, under the names by which an import knows its columns."""

from __future__ import annotations

from import_export.fields import Field

from accounts.resources import ExportResource, Rows, column, moment, worked_out
from annotation.models import Item, Option
from parable.formats.options import letter
from parable.formats.table_writing import Cell


def _options(item: Item) -> list[Option]:
    return sorted(item.current.options.all(), key=lambda option: option.position) if item.current else []


def _choice(position: int) -> Field:
    def cell(item: Item) -> Cell:
        options = _options(item)
        return options[position].text if position < len(options) else None

    return worked_out(cell)


def _answer(item: Item) -> Cell:
    """The key's letter in the writer's own order, which is nobody else's."""
    return next((letter(place) for place, option in enumerate(_options(item)) if option.is_key), None)


def _types(item: Item) -> Cell:
    return "; ".join(sorted(type_.code for type_ in item.current.types.all())) if item.current else None


class ItemResource(ExportResource):
    """Items in their present wording, keys included; drafts without a wording have no words here."""

    number = column("pk")
    id = column("ref")
    task = column("task")
    style = column("style")
    state = column("state")
    writer = column("writer__name")
    story_id = column("story__ref")
    question = column("current__stem")
    A = _choice(0)
    B = _choice(1)
    C = _choice(2)
    D = _choice(3)
    E = _choice(4)
    F = _choice(5)
    G = _choice(6)
    H = _choice(7)
    answer = worked_out(_answer)
    type = worked_out(_types)
    explanation = column("current__explanation")
    language = column("story__language")
    generators = column("generators")
    revision = column("current__number")
    created = moment("created_at")
    project = column("project__slug")

    class Meta:
        model = Item
        fields = (
            "id", "task", "style", "state", "writer", "story_id", "question", *"ABCDEFGH", "answer", "type",
            "explanation", "language", "generators", "revision", "created", "number", "project",
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all, oldest first, with what each row shows read for many at once."""
        rows = Item.objects.select_related("project", "story", "writer", "current")
        return rows.prefetch_related("current__options", "current__types").order_by("pk")
