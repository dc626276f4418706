"""Reads a release from its folder: the items of its splits, and the answers that its files withhold."""

import hashlib
import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Final

from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, RowError, excerpt
from parable.formats.fields import RowFields, json_excerpt
from parable.formats.items import PARABLE, read_items
from parable.formats.json_reader import read_json_rows
from parable.formats.limits import RELEASED
from parable.formats.options import letter
from parable.formats.other_answers import (
    ANSWERS,
    OWN,
    has_one_answer,
    has_own_answer,
    letters_of,
    read_answers_fields,
    read_own_field,
)
from parable.formats.parable_jsonl import read_answer_fields
from parable.formats.records import ItemRecord, Row
from parable.formats.sources import decode, is_plain_path, load
from parable.formats.spool import Mapped, Spool
from parable.splits import SPLITS, is_measured

MANIFEST: Final = "MANIFEST.json"
UNDECIDED: Final = "undecided_stories"
"""The manifest field that lists groups of similar stories, neither confirmed nor rejected."""


@dataclass(frozen=True, slots=True)
class ReleaseFolder:
    """The contents of a release folder: items in file order with their `split` set, and the errors.

    `items` are read one by one from a temporary file, since a release may be too large for memory; `place`
    gives the index of an item by its id.

    An item's `answer` is None if it is withheld and no answers were given. Without a manifest, `name` is the
    name of the folder, and `version`, `title` and `canary` are ""; `language` is that of most items.
    `changed` are files that are missing or do not match their hash in the manifest.
    """

    path: Path
    name: str
    title: str
    version: str
    language: str
    canary: str
    items: Sequence[ItemRecord]
    place: Mapping[str, int]
    errors: tuple[RowError, ...]
    changed: tuple[str, ...] = ()

    @property
    def withheld(self) -> tuple[str, ...]:
        """The ids of the items without a known answer."""
        return tuple(item.id for item in self.items if not item.is_keyed)

    def item(self, name: str) -> ItemRecord:
        """Return an item by its id."""
        return self.items[self.place[name]]

    def of_split(self, split: str | None) -> tuple[ItemRecord, ...]:
        """Return the items of one split.

        For None, return those of dev and test, since train is not evaluated.
        """
        return tuple(self.each_of_split(split))

    def each_of_split(self, split: str | None) -> Iterator[ItemRecord]:
        """Yield the items that `of_split` returns."""
        return (item for item in self.items if is_measured(item.split, split))


def read_release_folder(folder: Path, *, answers: Path | None = None) -> ReleaseFolder:
    """Read the JSONL files of each split, the manifest, and the file of withheld answers, if given.

    Bad input gives errors that name file, line and field, never an exception; if there are errors, the items
    must not be used. The lines of `answers` are `{"id", "answer"}` (0-based) or `{"id", "answer_letter"}`, or
    `{"id", "answers"}` in tasks with several answers.
    """
    errors: list[RowError] = []
    rows: Spool[Row[ItemRecord]] = Spool()
    places = _places(_files(folder, rows, errors), errors)
    if not rows and not errors:
        errors.append(RowError(str(folder), 1, FILE, ErrorCode.NOT_A_RELEASE, {}))
    if answers is not None and not errors:
        _answer(rows, places, answers, errors)
    items = Mapped(attrgetter("record"), rows)
    languages = Counter(item.language for item in items)
    manifest = _manifest(folder, errors)
    return ReleaseFolder(
        path=folder,
        name=_text(manifest, "name") or folder.resolve().name,
        title=_text(manifest, "title"),
        version=_text(manifest, "version"),
        language=max(languages, key=lambda name: (languages[name], name), default=""),
        canary=_text(manifest, "canary"),
        items=items,
        place=places,
        errors=tuple(errors),
        changed=tuple(changed_files(folder, manifest)),
    )


Placed = tuple[str, int, Row[ItemRecord]]
"""The name of a file, the index of a row among the rows of all files, and the row."""


def _files(folder: Path, rows: Spool[Row[ItemRecord]], errors: list[RowError]) -> Iterator[Placed]:
    """Read the files of all splits; append their rows to `rows` with the split set, and yield them."""
    for split in SPLITS:
        for path in sorted((folder / split).glob("*.jsonl")):
            if not path.is_file():  # opening a pipe would wait for a writer
                reason: dict[str, int | str] = {"reason": "Not a regular file"}
                errors.append(RowError(str(path), 1, FILE, ErrorCode.UNREADABLE_FILE, reason))
                continue
            start = len(rows)
            errors += read_items(path, name=str(path), format=PARABLE, rules=RELEASED, spool=rows).errors
            noted = ErrorList(str(path))
            for place in range(start, len(rows)):
                row = rows[place]
                # an item must not name a split other than that of its file, and needs a story
                if row.record.split not in (None, split):
                    noted.add(
                        row.row, "split", ErrorCode.OTHER_SPLIT, found=excerpt(row.record.split), split=split
                    )
                if not row.record.story:
                    noted.add(row.row, "story", ErrorCode.MISSING)
                if row.record.split != split:
                    rows.replace(place, replace(row, record=replace(row.record, split=split)))
                yield str(path), place, row
            errors += noted.in_order()


def _places(rows: Iterable[Placed], errors: list[RowError]) -> dict[str, int]:
    """Return the index of each item by id; an id that occurs twice, in one file or in two, is an error."""
    places: dict[str, int] = {}
    firsts: dict[str, int] = {}
    """The index of the first row of each file."""
    lines = array("q")
    for file, place, row in rows:
        firsts.setdefault(file, place)
        lines.append(row.row)
        first = places.setdefault(row.record.id, place)
        if first != place:
            there = [name for name, start in firsts.items() if start <= first][-1]
            params: dict[str, int | str] = {"file": there, "first_row": lines[first]}
            errors.append(RowError(file, row.row, "id", ErrorCode.ID_TWICE, params))
    return places


def _answer(
    rows: Spool[Row[ItemRecord]], places: Mapping[str, int], path: Path, errors: list[RowError]
) -> None:
    """Add the answers in a file to the items.

    An answer to an unknown item is an error, as is one that differs from the item's known answer.
    """
    noted = ErrorList(str(path))
    try:
        for line, values in read_json_rows(decode(load(path, otherwise=ErrorCode.OTHER_THAN_LINES)), noted):
            fields = RowFields(line, values, noted)
            name = fields.identifier("id", required=True)
            if fields.sound and name not in places:
                fields.error("id", ErrorCode.UNKNOWN_ITEM, found=excerpt(name))
            if fields.sound:
                row = rows[place := places[name]]
                rows.replace(place, replace(row, record=_with_answer(row.record, fields)))
    except InputError as refused:
        noted.refuse(refused)
    errors += noted.in_order()


def _with_answer(item: ItemRecord, fields: RowFields) -> ItemRecord:
    if has_own_answer(item.task):
        return _with_own(item, fields)
    if not has_one_answer(item.task):
        return _with_answers(item, fields)
    answer = read_answer_fields(fields, item.choices)
    if answer is None and fields.sound:
        fields.error("answer", ErrorCode.MISSING)
    if answer is None:
        return item
    if item.answer not in (None, answer):
        fields.error("answer", ErrorCode.ANSWER_DIFFERS, found=letter(item.answer or 0))
    return replace(item, answer=answer)


def _with_answers(item: ItemRecord, fields: RowFields) -> ItemRecord:
    answers = read_answers_fields(fields, item.task, len(item.choices))
    if not answers and fields.sound:
        fields.error(ANSWERS, ErrorCode.MISSING)
    if answers and item.answers not in {(), answers}:
        fields.error(ANSWERS, ErrorCode.ANSWER_DIFFERS, found=letters_of(item.answers))
    return replace(item, answers=answers or item.answers)


def _with_own(item: ItemRecord, fields: RowFields) -> ItemRecord:
    given = replace(item, own=read_own_field(fields) or item.own)
    if not given.is_keyed and fields.sound:
        fields.error(OWN, ErrorCode.MISSING)
    if item.is_keyed and given.own != item.own:
        fields.error(OWN, ErrorCode.ANSWER_DIFFERS, found=json_excerpt(item.own))
    return given


def _manifest(folder: Path, errors: list[RowError]) -> Mapping[str, object]:
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    noted = ErrorList(str(path))
    found: object = {}
    try:
        found = json.loads(decode(load(path, otherwise=ErrorCode.OTHER_THAN_LINES)))
    except InputError as refused:
        noted.refuse(refused)
    except json.JSONDecodeError as error:
        near = excerpt(error.doc[error.pos :][:20])
        noted.add(error.lineno, FILE, ErrorCode.NOT_JSON, line=error.lineno, column=error.colno, near=near)
    except RecursionError:
        noted.add(1, FILE, ErrorCode.TOO_DEEP, limit=limits.MAX_NESTING)
    if not isinstance(found, dict):
        noted.add(1, FILE, ErrorCode.NOT_AN_OBJECT, found=excerpt(found))
    errors += noted.in_order()
    return found if isinstance(found, dict) else {}


def read_decided_stories(folder: Path) -> Mapping[str, str] | None:
    """Return, for each story in an undecided group, the id that sorts first in its group.

    Return None if the folder has no manifest, or if the manifest has no list of groups, as in old releases.
    """
    named = _manifest(folder, []).get(UNDECIDED)
    if not isinstance(named, list):
        return None
    groups = [list(map(str, group)) for group in named if isinstance(group, list) and group]
    return {name: min(group) for group in groups for name in group}


def changed_files(folder: Path, manifest: Mapping[str, object]) -> Iterator[str]:
    """Yield the names of files that do not match the manifest; files outside the folder are not read."""
    files = manifest.get("files")
    for name, entry in files.items() if isinstance(files, dict) else ():
        wanted = entry.get("sha256") if isinstance(entry, dict) else None
        if not is_plain_path(name):
            yield excerpt(name)
            continue
        try:
            path = folder / name
            if not path.is_file():
                yield name
                continue
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            yield name
            continue
        if wanted and found != wanted:
            yield name


def _text(manifest: Mapping[str, object], name: str) -> str:
    value = manifest.get(name)
    return value if isinstance(value, str) else ""
