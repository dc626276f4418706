"""The export table of items. An import recognises its column names."""

from __future__ import annotations

from annotation.models import Item, Option
from corpus.queries import exported_id
from parable.formats.option_marks import LETTERS
from parable.formats.options import letter
from parable.formats.table_writer import Cell
from web.tables import ExportResource, Rows, column, in_turn, moment, worked_out


def _options(item: Item) -> list[Option]:
    return sorted(item.current.options.all(), key=lambda option: option.position) if item.current else []


def _texts(item: Item) -> list[Cell]:
    return [option.text for option in _options(item)]


def _answer(item: Item) -> Cell:
    """Return the letters of the keys; of an order, the letters of all options in correct order.

    Letters follow the writer's order.
    """
    options = _options(item)
    ranked = sorted((option.rank, place) for place, option in enumerate(options) if option.rank is not None)
    places = [place for _rank, place in ranked] or [at for at, one in enumerate(options) if one.is_key]
    return "".join(map(letter, places)) or None


def _types(item: Item) -> Cell:
    return "; ".join(sorted(type_.code for type_ in item.current.types.all())) if item.current else None


class ItemResource(ExportResource):
    """Exports items in their current wording, with keys. An item that was never submitted has no texts."""

    number = column("pk")
    id = worked_out(exported_id)
    task = column("task")
    style = column("style")
    state = column("state")
    writer = column("writer__name")
    story_id = worked_out(lambda item: exported_id(item.story))
    question = column("current__stem")
    A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z = in_turn(  # noqa: E741 - letters
        _texts, columns=26
    )
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
            "id", "task", "style", "state", "writer", "story_id", "question", *LETTERS, "answer", "type",
            "explanation", "language", "generators", "revision", "created", "number", "project",
        )  # fmt: skip
        export_order = fields

    def get_queryset(self) -> Rows:
        """Return all items, oldest first.

        The relations that a row needs are prefetched.
        """
        rows = Item.objects.select_related("project", "story", "writer", "current")
        return rows.prefetch_related("current__options", "current__types").order_by("pk")
