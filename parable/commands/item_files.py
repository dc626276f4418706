"""Reads items from files of any known format, with their options as typed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parable.formats.errors import FILE, ErrorCode, RowError
from parable.formats.format import Begin
from parable.formats.items import AUTO, read_items
from parable.formats.limits import ANYBODYS
from parable.formats.records import ItemRecord, Reading
from parable.formats.release_folder import read_decided_stories, read_release_folder
from parable.formats.shared_ids import with_distinct_ids
from parable.kinds import kind_of
from parable.quality.gates import ItemSet
from parable.quality.story_groups import name_stories
from parable.splits import split_named

Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Files:
    """The contents of files: a set of items, and the errors and remarks of all readings."""

    items: ItemSet
    errors: tuple[RowError, ...]
    remarks: tuple[RowError, ...] = ()


def read_each(
    paths: Iterable[Path],
    *,
    code: str = AUTO,
    numbers: int | None = None,
    sheet: str = "",
    mapping: str = "",
    begin: Begin | None = None,
) -> list[tuple[Path, Reading[ItemRecord]]]:
    """Read each file and return the readings, sorted by path.

    Ids that several files share get the file's label. `code`: the format of all files, detected by default.
    `numbers`: the number (0 or 1) of the first option, if a person states it. `sheet`: the sheet to read in
    spreadsheets. `mapping`: which columns have which fields. `begin`: starts work in another process, which
    then reads parts of a long file.
    """
    ordered = sorted(paths)
    readings = (
        read_items(
            path,
            name=_shown(path),
            format=code,
            rules=ANYBODYS,
            numbers=numbers,
            sheet=sheet,
            mapping=mapping,
            begin=begin,
        )
        for path in ordered
    )
    return [*zip(ordered, with_distinct_ids([*readings]), strict=True)]


def read_files(
    paths: Iterable[Path],
    *,
    code: str = AUTO,
    numbers: int | None = None,
    sheet: str = "",
    mapping: str = "",
    begin: Begin | None = None,
) -> Files:
    """Return the items of all files as one set; all wordings of a story get one story id.

    If the names of the files contain more than one split, a file whose rows have no split gets the split in
    its name. Stories of a release's files keep their ids. The errors are those of all files. The parameters
    are those of `read_each`.
    """
    records: list[ItemRecord] = []
    errors: list[RowError] = []
    remarks: list[RowError] = []
    typed: dict[Name, tuple[str, ...]] = {}
    decided: set[str] = set()
    suspected: dict[str, str] = {}
    readings = read_each(paths, code=code, numbers=numbers, sheet=sheet, mapping=mapping, begin=begin)
    by_name = {path: split_named(path.name) or split_named(path.parent.name) for path, _reading in readings}
    for path, reading in readings:
        known = read_decided_stories(path.parent.parent)
        found = reading.records if known is None else _with_own_stories(reading.records, path.parent.parent)
        if known is not None:
            decided |= {record.story_id for record in found if record.story_id}
            suspected |= known
        split = by_name[path]
        if split and len(set(by_name.values()) - {None}) > 1 and not any(one.split for one in found):
            found = [replace(one, split=split) for one in found]
            remarks.append(RowError(_shown(path), 1, FILE, ErrorCode.SPLIT_BY_NAME, {"split": split}))
        records += found
        errors += reading.errors
        remarks += reading.remarks
        typed |= {(row.record.task, row.record.id): row.typed for row in reading.rows if row.typed}
    records, likely = name_stories(records, decided=decided)
    items = ItemSet(
        tuple(records),
        standard_stems=_standard_stems(records),
        as_typed=typed,
        is_foreign=True,
        suspected=likely | suspected,
    )
    return Files(items, tuple(errors), tuple(remarks))


def _with_own_stories(records: Sequence[ItemRecord], folder: Path) -> Sequence[ItemRecord]:
    """Return the items of a release's file.

    Items without a story id, as in the CRMUS layout, get one.
    """
    if all(record.story_id for record in records):
        return records
    ids: Mapping[str, str | None] = {
        item.story.strip(): item.story_id for item in read_release_folder(folder).items
    }
    return [replace(one, story_id=one.story_id or ids.get(one.story.strip())) for one in records]


def _shown(path: Path) -> str:
    return str(path).encode(errors="replace").decode()


def _standard_stems(records: Sequence[ItemRecord]) -> frozenset[str]:
    """Return the stem of more than half of the items in tasks with a standard stem.

    Return an empty set if no stem is so frequent.
    """
    stems = [record.question for record in records if kind_of(record.task).shares_stem]
    usual = (
        max(set(stems), key=lambda stem: (stems.count(stem), stem)) if len(set(stems)) < 100 and stems else ""
    )
    return frozenset({usual}) if usual and stems.count(usual) * 2 > len(stems) else frozenset()
