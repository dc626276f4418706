"""Distinguishes ids that several files share, such as 0, 1, 2, by prefixing them with a label of the file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from parable.formats.errors import ErrorCode, RowError, excerpt
from parable.formats.limits import MAX_ID_CHARS
from parable.formats.records import ItemRecord, Reading, Row


def file_labels(names: Sequence[str]) -> list[str]:
    """Return a label for each file, used in ids: its stem, or its full name if files share the stem."""
    stems = [PurePath(name.replace("\\", "/")).stem for name in names]
    counts = Counter(stems)
    return [stem if counts[stem] == 1 else name for stem, name in zip(stems, names, strict=True)]


def id_in_file(label: str, name: str) -> str:
    """Return an id prefixed with the label of its file."""
    return f"{label}:{name}"[-MAX_ID_CHARS:]


def shared_names(names: Sequence[set[tuple[str, str]]]) -> set[tuple[str, str]]:
    """Return the pairs of task and id that occur in several files."""
    counts = Counter(name for of_file in names for name in of_file)
    return {name for name, files in counts.items() if files > 1}


def with_distinct_ids(readings: Sequence[Reading[ItemRecord]]) -> list[Reading[ItemRecord]]:
    """Return the readings; in files that share an id, all ids of items are prefixed with the file's label.

    A remark reports this. In these files, the ids of stories also get the prefix if several files use the id
    and no text of the story is in all of them.
    """
    if len(readings) < 2:
        return [*readings]
    names = [{(one.task, one.id) for one in reading.records} for reading in readings]
    shared = shared_names(names)
    labels = file_labels([reading.name for reading in readings])
    apart = _other_stories(readings)
    return [
        _named_by_file(reading, label, apart) if of_file & shared else reading
        for reading, label, of_file in zip(readings, labels, names, strict=True)
    ]


def _other_stories(readings: Sequence[Reading[ItemRecord]]) -> set[str]:
    """Return the story ids that files use for different stories: no text of the id is in all these files."""
    texts: dict[str, dict[str, set[str]]] = {}
    for reading in readings:
        for one in reading.records:
            if one.story_id and one.story:
                texts.setdefault(one.story_id, {}).setdefault(reading.name, set()).add(one.story)
    return {
        name
        for name, by_file in texts.items()
        if len(by_file) > 1 and not set.intersection(*by_file.values())
    }


def _named_by_file(reading: Reading[ItemRecord], label: str, apart: set[str]) -> Reading[ItemRecord]:
    rows: list[Row[ItemRecord]] = []
    for row in reading.rows:
        one = row.record
        story_id = id_in_file(label, one.story_id) if one.story_id in apart and one.story_id else one.story_id
        rows.append(replace(row, record=replace(one, id=id_in_file(label, one.id), story_id=story_id)))
    first = reading.rows[0]
    params: dict[str, int | str] = {
        "found": excerpt(first.record.id),
        "named": excerpt(rows[0].record.id),
    }
    said = RowError(reading.name, first.row, "id", ErrorCode.SHARED_IDS, params, (first.row,))
    return replace(reading, rows=tuple(rows), remarks=(*reading.remarks, said))
