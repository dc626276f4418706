"""Reads responses, from `evaluate` or other programs: JSON lines, each with one answer to one item."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import attrgetter, itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from parable.formats import limits
from parable.formats.answer_log import log_of
from parable.formats.asked_items import AskedItems, Words
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, RowError, excerpt
from parable.formats.fields import RowFields, json_excerpt, refuse_unstorable
from parable.formats.json_reader import is_json, read_json_rows
from parable.formats.options import position_of_letter
from parable.formats.other_answers import has_one_answer, has_own_answer, positions_given
from parable.formats.predictions import Predictions, is_prediction
from parable.formats.sources import decode, load
from parable.formats.spool import Mapped, Spool

REFUSED: Final = "refused"
FAILED: Final = "failed"
MOST_NUMBER: Final = 32_767
"""Highest number of a repeat or a rotation."""
KNOWN_OUTCOMES: Final = (REFUSED, FAILED)
"""The outcomes that a line may give for an answer without text."""


SERVED: Final[Mapping[str, type]] = {
    "finish_reason": str,
    "answered_by": str,
    "reasoning_tokens": int,
    "only_thought": bool,
}
"""Fields that describe how an answer was served, with their types."""
LONGEST_SERVED: Final = 200
_HEAD_BYTES: Final = 4096

OWN_FIELDS: Final = frozenset({"model", "item_id", "text", "choice", "outcome", "repeat"})
"""Fields of response lines; a line with none of them belongs to another kind of file."""
MOST_FIELDS: Final = 8
FOREIGN: Final[tuple[tuple[frozenset[str], str], ...]] = (
    (frozenset({"doc", "resps"}), "lm-evaluation-harness (samples)"),
    (frozenset({"results", "configs"}), "lm-evaluation-harness (results)"),
    (frozenset({"eval", "samples"}), "Inspect (log)"),
    (frozenset({"custom_id", "response"}), "OpenAI API (batch)"),
    (frozenset({"messages"}), "chat messages"),
    (frozenset({"choices", "question"}), "benchmark items"),
    (frozenset({"options", "question"}), "benchmark items"),
    (frozenset({"item", "rating"}), "ratings"),
)
"""Names of other tools' formats by fields of their rows, for use in error messages."""

Choice = int | tuple[int, ...] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ResponseRecord:
    """An answer: its `text`, the chosen position in the release, or the outcome if there is neither.

    `choice` has several positions in tasks with several answers, and is an object in tasks whose answers have
    a form of their own.

    `repeat` numbers the times an item is asked, `rotation` the orders of options within a repeat. `order`
    lists the released positions in the order shown; None if they were shown as released. `served` holds what
    the server reported.
    """

    model: str
    item_id: str
    repeat: int
    rotation: int
    order: tuple[int, ...] | None
    text: str | None
    choice: Choice | None
    outcome: str | None
    served: Mapping[str, Any] = field(default_factory=dict, compare=False)
    tool_says: bool | None = field(default=None, compare=False)
    """Whether the tool whose log contains the answer scored it as right."""

    def __reduce__(self) -> tuple[type["ResponseRecord"], tuple[Any, ...]]:
        """Return the parts for pickling, by position."""
        return ResponseRecord, _VALUES(self)

    @property
    def finish_reason(self) -> str:
        """The server's reason for the end of the answer; empty if unknown."""
        return str(self.served.get("finish_reason", ""))


_VALUES: Final = attrgetter(*ResponseRecord.__slots__)


@dataclass(frozen=True, slots=True)
class Responses:
    """Responses read from files, and errors; if there are errors, the records must not be used.

    Records are read from a temporary file one by one.
    """

    records: Sequence[ResponseRecord]
    errors: tuple[RowError, ...]


Key = tuple[str, str, int, int]
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def read_responses(
    paths: list[Path],
    *,
    options: Mapping[str, int],
    tasks: Mapping[str, str] = NOTHING,
    words: Iterable[Words] = (),
    sources: Iterable[tuple[str, str]] = (),
    model: str = "",
) -> Responses:
    """Read lines of `{"model", "item_id", "repeat", "text"}`, or lines with `"choice"` instead of `text`.

    `options` gives the number of options of each item, `tasks` its task. `words` gives the texts of items, by
    which an item is found if a log does not name it. Lines may also be predictions in the layout of a
    published dataset: `sources` then has pairs of an item's source id and its id, and `model` is the name of
    the model, by default that of the file. Bad input gives errors with file, line and field. The
    same answer twice counts once; a later answer replaces one that failed.
    """
    found = _Found(options)
    errors: list[RowError] = []
    known = _Known(options, tasks, sources, words)
    for path in paths:
        noted = ErrorList(str(path))
        try:
            for line, values in _rows_of(path, noted, known, model or path.stem):
                found.add(RowFields(line, values, noted), tasks, str(path))
        except InputError as refused:
            noted.refuse(refused)
        errors += noted.in_order()
    return Responses(Mapped(itemgetter(0), found.responses), tuple(errors))


class _Known:
    """The items of a release, by id, by source id and by their texts, which are read only if needed."""

    def __init__(
        self,
        options: Mapping[str, int],
        tasks: Mapping[str, str],
        sources: Iterable[tuple[str, str]],
        words: Iterable[Words],
    ) -> None:
        self._ids = options
        self._tasks = tasks
        self._sources = sources
        self._words = words
        self._by_words: AskedItems | None = None
        self._predictions: Predictions | None = None

    def response(
        self, row: int, values: Mapping[str, Any], model: str, errors: ErrorList
    ) -> Mapping[str, Any] | None:
        """Return a prediction in a published layout as a response line; None, with an error, if invalid."""
        if self._predictions is None:
            self._predictions = Predictions(self._tasks, self._sources, self._all_words)
        return self._predictions.response(row, values, model, errors)

    def _all_words(self) -> Sequence[Words]:
        if not isinstance(self._words, Sequence):
            self._words = tuple(self._words)
        return self._words

    def with_item(self, row: int, values: Mapping[str, Any], errors: ErrorList) -> Mapping[str, Any] | None:
        """Return a row of a log with its item's id.

        Add an error and return None if the prompt matches no item.
        """
        asked = values.get("asked", "")
        if not asked or values.get("item_id") in self._ids:
            return values
        if self._by_words is None:
            self._by_words = AskedItems(self._all_words())
        item = self._by_words.item_of(asked) or values.get("item_id")
        if not item:
            errors.add(row, "item_id", ErrorCode.UNKNOWN_PROMPT, found=excerpt(asked.strip()))
            return None
        return {**values, "item_id": item}


def _rows_of(
    path: Path, errors: ErrorList, known: _Known, model: str
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the numbered rows of a response file, or of the log of another tool."""
    log = None
    if path.is_file():  # a pipe can be read once only
        # errors of the file are reported when it is loaded
        with suppress(OSError), path.open("rb") as file:
            log = log_of(path, file.read(_HEAD_BYTES))
    if log is not None:
        for row, read in log.read(path):
            if errors.full:
                return
            if (named := known.with_item(row, read, errors)) is not None:
                yield row, named
        return
    for line, values in read_json_rows(_text_of(path), errors):
        if is_prediction(values):
            if (response := known.response(line, values, model, errors)) is not None:
                yield line, response
            continue
        if values and not values.keys() & OWN_FIELDS:
            what = next((name for fields, name in FOREIGN if fields <= values.keys()), "JSON")
            names = excerpt(", ".join(list(values)[:MOST_FIELDS]))
            raise InputError(ErrorCode.NO_RESPONSES, field=FILE, what=what, found=names)
        yield line, values


def _text_of(path: Path) -> str:
    data = load(path, otherwise=ErrorCode.OTHER_THAN_RESPONSES)
    if data.startswith(b"PK\x03\x04"):
        raise InputError(ErrorCode.ARCHIVE_OR_SHEET, field=FILE)
    text = decode(data)
    if not is_json(text.lstrip("\ufeff")) and (head := text.lstrip("\ufeff \n").partition("\n")[0]).strip():
        is_table = "," in head or "\t" in head or ";" in head
        what = "CSV/TSV" if is_table else "text"
        raise InputError(ErrorCode.NO_RESPONSES, field=FILE, what=what, found=excerpt(head))
    return text


class _Found:
    """The answers found so far: `responses` has each with its file and line."""

    def __init__(self, options: Mapping[str, int]) -> None:
        self.responses: Spool[tuple[ResponseRecord, str, int]] = Spool()
        self._options = options
        self._place: dict[Key, int] = {}
        self._same: dict[str, str] = {name: name for name in options}
        """Names of items and models, so that all keys share one object for each name."""

    def add(self, row: RowFields, tasks: Mapping[str, str], file: str) -> None:
        """Add the answer of a valid row; add an error if the model already has a different answer."""
        record = _record(row, self._options, tasks)
        if not row.sound:
            return
        model, item = (self._same.setdefault(name, name) for name in (record.model, record.item_id))
        place = self._place.setdefault((model, item, record.repeat, record.rotation), len(self.responses))
        if place == len(self.responses):
            self.responses.append((record, file, row.row))
            return
        known, first_file, first_row = self.responses[place]
        if known.outcome == FAILED:
            self.responses.replace(place, (record, file, row.row))
        elif record == known:
            # Two files contain the answer: the server's report and the tool's score are taken from both.
            says = record.tool_says if known.tool_says is None else known.tool_says
            both = replace(known, served={**record.served, **known.served}, tool_says=says)
            self.responses.replace(place, (both, first_file, first_row))
        elif record.outcome != FAILED:
            row.error("item_id", ErrorCode.ANSWERED_TWICE, file=first_file, first_row=first_row)


def _record(row: RowFields, options: Mapping[str, int], tasks: Mapping[str, str]) -> ResponseRecord:
    item = row.identifier("item_id", required=True)
    if item and item not in options:
        row.error("item_id", ErrorCode.UNKNOWN_ITEM, found=excerpt(item))
    count = options.get(item, limits.MAX_OPTIONS)
    text = row.values.get("text")
    if text is not None and not isinstance(text, str):
        row.error("text", ErrorCode.NOT_TEXT, found=json_excerpt(text))
        text = None
    choice = _chosen(row, tasks.get(item, ""), count)
    outcome = row.one_of("outcome", KNOWN_OUTCOMES, otherwise=None)
    if outcome is None and text is None and choice is None:
        outcome = FAILED if "text" in row.values or "choice" in row.values else None
        if outcome is None:
            row.error("text", ErrorCode.MISSING)
    return ResponseRecord(
        model=row.line("model", limits.MAX_NAME_CHARS, required=True),
        item_id=item,
        repeat=_number(row, "repeat", otherwise=1),
        rotation=_number(row, "rotation", otherwise=0),
        order=_order(row, count),
        text=text if outcome is None else None,
        choice=choice if outcome is None and text is None else None,
        outcome=outcome,
        served=served_of(row.values),
        tool_says=said if isinstance(said := row.values.get("tool_says"), bool) else None,
    )


def served_of(row: Mapping[str, Any]) -> dict[str, str | int]:
    """Return the values that a server reported with an answer; values of a wrong type are left out."""
    return {
        name: row[name][:LONGEST_SERVED] if kind is str else row[name]
        for name, kind in SERVED.items()
        if type(row.get(name)) is kind and row[name] != ""
    }


def _chosen(row: RowFields, task: str, count: int) -> Choice | None:
    """Return the chosen position or, depending on the task, several positions or an object.

    Return None if invalid.
    """
    value = row.values.get("choice")
    if value is None:
        return None
    if has_one_answer(task):
        return _position(row, value, count)
    if has_own_answer(task):
        if not isinstance(value, dict):
            row.error("choice", ErrorCode.NOT_AN_OBJECT, found=json_excerpt(value))
            return None
        row.attempt("choice", lambda: refuse_unstorable(value, "choice"), otherwise=None)
        return value
    return row.attempt("choice", lambda: positions_given(value, task, count), otherwise=None)


def _position(row: RowFields, value: object, count: int) -> int | None:
    """Return the 0-based position that a number or letter names; None if it is invalid."""
    if isinstance(value, str):
        return row.attempt("choice", lambda: position_of_letter(value, count), otherwise=None)
    if isinstance(value, bool) or not isinstance(value, int):
        row.error("choice", ErrorCode.NOT_WHOLE_NUMBER, found=json_excerpt(value))
        return None
    if not 0 <= value < count:
        row.error("choice", ErrorCode.KEY_OUTSIDE, found=str(value), count=count)
        return None
    return value


def _number(row: RowFields, field: str, *, otherwise: int) -> int:
    value = row.values.get(field, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        row.error(field, ErrorCode.NOT_WHOLE_NUMBER, found=json_excerpt(value))
        return otherwise
    if value > MOST_NUMBER:
        row.error(field, ErrorCode.UNKNOWN_VALUE, found=excerpt(value), allowed=f"0 – {MOST_NUMBER}")
        return otherwise
    return value


def _order(row: RowFields, count: int) -> tuple[int, ...] | None:
    value = row.values.get("order")
    if value is None:
        return None
    if not isinstance(value, list) or sorted(map(str, value)) != sorted(map(str, range(count))):
        expected = ", ".join(str(place) for place in range(count))
        row.error("order", ErrorCode.BAD_ORDER, found=json_excerpt(value), wanted=expected)
        return None
    return tuple(int(place) for place in value)
