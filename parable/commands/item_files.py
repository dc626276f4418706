"""Reads items from files of any known format, with their options as typed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

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
            name=shown(path),
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
        found = reading.records if known is None else own_stories(reading.records, path.parent.parent)
        if known is not None:
            decided |= {record.story_id for record in found if record.story_id}
            suspected |= known
        records += _in_split(found, shown(path), by_name[path], set(by_name.values()), remarks)
        errors += reading.errors
        remarks += reading.remarks
        typed |= {(row.record.task, row.record.id): row.typed for row in reading.rows if row.typed}
    items = set_of(records, typed=typed, decided=decided, suspected=suspected)
    return Files(items, tuple(errors), tuple(remarks))


def as_one_set(readings: Sequence[Reading[ItemRecord]]) -> Files:
    """Return the items of readings as one set, as `read_files` does with files in a folder of their own."""
    own = with_distinct_ids([*readings])
    splits = [split_named(one.name) for one in own]
    records: list[ItemRecord] = []
    remarks: list[RowError] = []
    for reading, split in zip(own, splits, strict=True):
        records += _in_split(reading.records, reading.name, split, {*splits}, remarks)
        remarks += reading.remarks
    typed = {(row.record.task, row.record.id): row.typed for one in own for row in one.rows if row.typed}
    return Files(
        set_of(records, typed=typed), tuple(error for one in own for error in one.errors), tuple(remarks)
    )


def _in_split(
    found: Sequence[ItemRecord],
    name: str,
    split: str | None,
    splits: Collection[str | None],
    remarks: list[RowError],
) -> Sequence[ItemRecord]:
    """Return the items of a file, in the split of its name if they have none and the names have several."""
    if not split or len({*splits} - {None}) < 2 or any(one.split for one in found):
        return found
    remarks.append(RowError(name, 1, FILE, ErrorCode.SPLIT_BY_NAME, {"split": split}))
    return [replace(one, split=split) for one in found]


def set_of(
    records: Sequence[ItemRecord],
    *,
    typed: Mapping[Name, tuple[str, ...]] = MappingProxyType({}),
    decided: Collection[str] = (),
    suspected: Mapping[str, str] = MappingProxyType({}),
) -> ItemSet:
    """Return items of files as a set: each story with one id, standard stems and suspected stories found."""
    named, likely = name_stories(records, decided=decided)
    return ItemSet(
        tuple(named),
        standard_stems=_standard_stems(named),
        as_typed=typed,
        is_foreign=True,
        suspected={**likely, **suspected},
    )


def own_stories(records: Sequence[ItemRecord], folder: Path) -> Sequence[ItemRecord]:
    """Return the items of a release's file.

    Items without a story id, as in the CRMUS layout, get one.
    """
    if all(record.story_id for record in records):
        return records
    ids: Mapping[str, str | None] = {
        item.story.strip(): item.story_id for item in read_release_folder(folder).items
    }
    return [replace(one, story_id=one.story_id or ids.get(one.story.strip())) for one in records]


def shown(path: Path) -> str:
    """Return the name of a file as errors have it."""
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
