"""Reads predictions in the layouts of published datasets: an answer to an item under the id it came with."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from parable.formats.asked_items import Words
from parable.formats.errors import ErrorCode, ErrorList, InputError, excerpt
from parable.formats.fields import json_excerpt
from parable.formats.kind_files import LAYOUTS
from parable.formats.nodes import Node
from parable.kinds import KINDS, Kind, kind_of

OURS: Final = "item_id"
_EMPTY: Final[Mapping[str, Any]] = {"answer": None, "answers": (), "own": None}


class Predictions:
    """Finds the items of predictions, and reads their answers.

    `tasks` are the tasks of the items by id. `sources` are pairs of the id with which an item came and its id
    in the release. `words` returns the texts of items, by whose options answers get their places
    in the release.
    """

    def __init__(
        self,
        tasks: Mapping[str, str],
        sources: Iterable[tuple[str, str]],
        words: Callable[[], Iterable[Words]],
    ) -> None:
        self._tasks = tasks
        self._words = words
        self._options: dict[str, tuple[str, ...]] = {}
        self._ids: dict[str, str] = {}
        self._shared = set[str]()
        for source, item in sources:
            if source and self._ids.setdefault(source, item) != item:
                self._shared.add(source)  # items of two tasks have it: their own id has to be given

    def response(
        self, row: int, values: Mapping[str, Any], model: str, errors: ErrorList
    ) -> Mapping[str, Any] | None:
        """Return a prediction as a line of responses; None, with an error, if it cannot be read."""
        field, name = next((field, str(values[field])) for field in id_fields() if field in values)
        item = name if name in self._tasks or name in self._shared else self._ids.get(name, name)
        kind = kind_of(self._tasks[item]) if item in self._tasks else None
        if kind is None or kind.published is None:
            errors.add(row, field, ErrorCode.UNKNOWN_ITEM, found=excerpt(name))
            return None
        layout = LAYOUTS[kind.published.layouts[0]]
        try:
            fields = {**_EMPTY, **kind.published.fields(layout.read(Node(values)))}
            given = kind.question.right(fields)
            if kind.has_options and given is not None:
                given = self._in_released_order(kind, item, fields["choices"], given)
        except InputError as refused:
            errors.add(row, refused.field, refused.code, **refused.params)
            return None
        except ValueError:
            field = layout.fields[-1]
            errors.add(row, field, ErrorCode.BAD_ANSWERS, found=json_excerpt(values.get(field)))
            return None
        return {"model": model, "item_id": item, "choice": given}

    def _in_released_order(self, kind: Kind, item: str, shown: tuple[str, ...], given: Any) -> Any:
        """Return an answer by the places that its options have in the release; raise ValueError without."""
        if not self._options:
            self._options = {one.id: tuple(one.options) for one in self._words()}
        order = [self._options[item].index(text) for text in shown]
        return kind.question.in_released_order(given, order)


def id_fields() -> frozenset[str]:
    """Return the names of the fields that have an item's id in published layouts."""
    return frozenset(
        LAYOUTS[kind.published.layouts[0]].id_field for kind in KINDS.values() if kind.published is not None
    )


def is_prediction(values: Mapping[str, Any]) -> bool:
    """Return whether a row may be a prediction in a published layout, rather than a line of responses."""
    return OURS not in values and not id_fields().isdisjoint(values)
