"""Whether a file of items has the fields of one of our own layouts, or another's, by its first row."""

from collections.abc import Collection, Mapping
from typing import Final

from parable.formats.errors import FILE, ErrorList, InputError
from parable.formats.item_tables import ANY_COLUMNS, ITEM_COLUMNS, REQUIRED_COLUMNS, task_names
from parable.formats.json_reader import read_json_values
from parable.formats.layout_names import KEY, OPTIONS, STORY, WEAK, best_named, is_named
from parable.formats.limits import ItemRules
from parable.formats.option_marks import LETTERS
from parable.formats.published import published_layout_of
from parable.formats.source_file import SourceFile
from parable.formats.tables import fold_name, header_names

_OWN_KEYS: Final = frozenset({"answer", "answer_letter", "answer_index", "answers", "answer_letters"})


def is_of_others(file: SourceFile, sheet: str = "") -> bool:
    """Return whether a file has not the fields of a layout of ours; false where it cannot be read."""
    try:
        if not file.is_json:
            return not _is_our_table(_table_fields(file, sheet))
        if published_layout_of(file):
            return False
        first = next(iter(read_json_values(file.text, ErrorList(FILE))), None)
    except InputError:
        return False
    if first is None:
        return False
    return not (isinstance(first[1], dict) and _is_our_object(first[1]))


def lacks_story(file: SourceFile, sheet: str = "") -> bool:
    """Return whether a file in a layout of ours has neither stories nor their ids; false for another."""
    try:
        if not file.is_json:
            known = {*_table_fields(file, sheet).values()}
            return "question" in known and not {"story", "story_id"} & known
        _row, values = next(iter(read_json_values(file.text, ErrorList(FILE))), (1, {}))
    except InputError:
        return False
    return (
        isinstance(values, dict)
        and "question" in values
        and "task" not in values
        and not {"story", "story_id"} & {*values}
    )


def is_half_ours(file: SourceFile, rules: ItemRules, missing: Collection[str], sheet: str = "") -> bool:
    """Return whether a file that a mapping lacks parts of has enough of a layout of ours to be read so."""
    if file.is_json:
        _row, values = next(iter(read_json_values(file.text, ErrorList(FILE))), (1, {}))
        return isinstance(values, dict) and "question" in values and bool({"options", "choices"} & {*values})
    required = ANY_COLUMNS if rules.is_judged_elsewhere else REQUIRED_COLUMNS
    return "options" in missing or bool({*required} & {*_table_fields(file, sheet).values()})


def _table_fields(file: SourceFile, sheet: str) -> Mapping[str, str]:
    """From the names of a table's columns to the fields that they fill by our own names."""
    names = header_names(file, ITEM_COLUMNS, sheet)
    return {name: ITEM_COLUMNS.get(fold_name(name), "") for name in names if name}


def _is_our_table(fields: Mapping[str, str]) -> bool:
    known = {*fields.values()}
    others = [name for name, field in fields.items() if not field]
    has_options = {LETTERS[0], LETTERS[1]} <= known
    if not ({"question", "answer"} <= known and has_options):
        return False
    return bool({"story", "story_id"} & known) or not any(is_named(name, STORY) for name in others)


def _is_our_object(values: Mapping[str, object]) -> bool:
    if "canary" in values or values.get("task") in task_names() or not values:
        return True
    folded = {name: ITEM_COLUMNS.get(fold_name(name), "") for name in values}
    if not any(is_named(name, OPTIONS) for name in values) and {"A", "B"} <= {*folded.values()}:
        return _is_our_table(folded)
    options = next((values[name] for name in ("options", "choices") if name in values), None)
    if "question" not in values or not _are_plain(options):
        return False
    has_story = bool({"story", "story_id"} & {*values})
    has_key = bool(_OWN_KEYS & {*values})
    return (has_story or not (best_named(values, STORY) or best_named(values, WEAK))) and (
        has_key or not best_named(values, KEY)
    )


def _are_plain(options: object) -> bool:
    if isinstance(options, dict):
        return [*options] == [*LETTERS[: len(options)]] and all(
            isinstance(one, str) for one in options.values()
        )
    return isinstance(options, list) and all(not isinstance(one, dict | list) for one in options)
