"""Flattens JSON of any shape to rows of named values: nested passages, objects by id, lists within an object.

A row has the fields of its object by name, those of inner objects by path (`question.stem`), and those of the
objects around it by name (`above.id` if the row has an `id`, too). `#name` is the name under which the object
is stored. Entries of a list that serves as a record are `#1`, `#2`, ...
"""

from collections.abc import Iterator, Mapping
from typing import Final

from parable.formats.errors import ErrorCode, ErrorList, InputError
from parable.formats.fields import json_excerpt
from parable.formats.json_reader import JsonRow, read_json_values
from parable.formats.layout_names import FLAGS, KEY, LABELS, OPTIONS, STEM, TEXTS, WRONG, families, is_named

NAME: Final = "#name"
"""The column that holds the name under which a row's object, or the list of rows, is stored."""
ABOVE: Final = "above."
_SEEN: Final = 3
"""Number of entries of a list that are examined to tell what it contains."""

Values = dict[str, object]


def read_nested_rows(text: str, errors: ErrorList) -> list[JsonRow]:
    """Return the rows of a JSON text, numbered as in the file, or among all rows if objects nest."""
    found = [(row, [*_rows(value)]) for row, value in read_json_values(text, errors)]
    if all(len(rows) <= 1 for _row, rows in found):
        return [(row, values) for row, rows in found for values in rows]
    return [*enumerate((values for _row, rows in found for values in rows), start=1)]


def holds_items(value: object) -> bool:
    """Return whether a value is an item or contains one."""
    if isinstance(value, list):
        return any(holds_items(one) for one in value[:_SEEN])
    if not isinstance(value, dict):
        return False
    return is_item(value) or any(holds_items(one) for one in [*value.values()])


def is_item(values: Mapping[str, object]) -> bool:
    """Return whether an object looks like an item: its names and values show options, or a stem and a key."""
    if families(values) or any(is_named(name, WRONG) for name in values):
        return True
    if any(
        (is_named(name, OPTIONS) and _is_several(value)) or _are_marked_texts(value)
        for name, value in values.items()
    ):
        return True
    has_stem = any(is_named(name, STEM) and isinstance(value, str) for name, value in values.items())
    return has_stem and any(is_named(name, KEY) and not holds_items(value) for name, value in values.items())


def _is_several(value: object) -> bool:
    if isinstance(value, str):
        return len(value) > 1
    if isinstance(value, list):
        return bool(value) and not any(holds_items(one) for one in value[:_SEEN])
    return isinstance(value, dict) and len(value) > 1 and not _are_objects(value)


def _are_marked_texts(value: object) -> bool:
    """Return whether a value is a list of objects that each have a text and a letter or right/wrong flag."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(one, dict) for one in value):
        return False
    return all(
        any(is_named(name, TEXTS) for name in one)
        and any(is_named(name, FLAGS) or is_named(name, LABELS) for name in one)
        and not any(holds_items(inner) for inner in one.values())
        for one in value[:_SEEN]
    ) and not any(is_item(one) for one in value[:_SEEN])


def _are_objects(value: Mapping[str, object]) -> bool:
    return bool(value) and all(isinstance(one, dict) for one in value.values())


def _is_by_name(value: object) -> bool:
    """Return whether an object maps names to items or lists of items."""
    return (
        isinstance(value, dict)
        and _are_objects(value)
        and not any(is_named(name, STEM) for name in value)
        and all(holds_items(one) for one in [*value.values()][:_SEEN])
    )


def _rows(value: object) -> Iterator[Values]:
    """Yield the rows within one value of the file; an object without options is itself a row."""
    if isinstance(value, list):
        value = {f"#{place}": one for place, one in enumerate(value, start=1)}
    if not isinstance(value, dict):
        raise InputError(ErrorCode.NOT_AN_OBJECT, found=json_excerpt(value))
    if _is_by_name(value):
        for name, one in value.items():
            yield from _below(one, {NAME: name})
        return
    flat = _flat(value)
    if is_item(flat):
        yield from _side_by_side(flat)
        return
    below = {name: one for name, one in flat.items() if isinstance(one, list | dict) and holds_items(one)}
    if not below:
        yield flat
        return
    own = {name: one for name, one in flat.items() if name not in below}
    for name, one in below.items():
        around = own | ({NAME: name} if len(below) > 1 else {})
        for inner in one if isinstance(one, list) else [one]:
            yield from _below(inner, around)


def _below(value: object, around: Values) -> Iterator[Values]:
    for own in _rows(value):
        yield own | {_apart(name, own): one for name, one in around.items()}


def _apart(name: str, own: Values) -> str:
    while name in own:
        name = ABOVE + name
    return name


def _flat(value: Mapping[str, object], before: str = "") -> Values:
    """Return the members of an object by path, with nested objects flattened; options remain one value."""
    found: Values = {}
    for name, one in value.items():
        if isinstance(one, dict) and one and not is_named(name, OPTIONS) and not _is_by_name(one):
            found |= _flat(one, f"{before}{name}.")
        else:
            found[before + name] = one
    return found


def _side_by_side(values: Values) -> Iterator[Values]:
    """Yield one row per question from parallel lists of equal length, as in RACE."""
    lists = [
        value
        for name, value in values.items()
        if is_named(name, OPTIONS)
        and isinstance(value, list)
        and value
        and all(isinstance(one, list) for one in value)
    ]
    if not lists:
        yield values
        return
    count = len(lists[0])
    several = {name for name, one in values.items() if isinstance(one, list) and len(one) == count}
    for index in range(count):
        yield {
            name: one[index] if name in several and isinstance(one, list) else one
            for name, one in values.items()
        }
