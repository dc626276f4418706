"""Importer of items, and of the stories uploaded with them. It runs in the worker that processes uploads."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypedDict, cast

from accounts.models import User
from annotation.models import Item, State
from annotation.queries.item import items_by_ref, type_codes
from annotation.services import (
    import_items_as,
    import_stories_and_items,
    record_key_exposures,
    record_moral_exposures,
)
from corpus.models import Upload
from corpus.outcome import ImportResult, carry_out
from corpus.services import Files
from corpus.upload import TableOffer, describe_tables, stories_read
from parable.formats import (
    CRMUS,
    ITEM_TABLE_FIELDS,
    JSON_FIELDS,
    REQUIRED_STORY_FIELDS,
    STORY_FIELDS,
    Column,
    ItemRecord,
    Reading,
    StoryRecord,
    item_columns,
    json_item_columns,
    read_items,
    read_stories,
    story_columns,
)
from parable.formats.format import Format
from parable.formats.item_tables import REQUIRED_COLUMNS
from parable.formats.items import FORMATS, MAPPED, PARABLE
from parable.formats.labels import TypeCodes
from parable.formats.mapped_items import is_of_others, lacks_story, offer_mapping
from parable.formats.mapping import MAPPED_FIELDS, ItemMapping, mapping_chosen
from parable.formats.source_file import SourceFile
from parable.formats.tables import Columns
from projects.models import Project

IMPORT_STATES: Final = (State.DRAFT.value, State.IN_REVIEW.value, State.VERIFIED.value)
"""The states in which complete items can be imported."""


class ItemsImporter:
    """Imports files of items, with the options that the user chose for the upload."""

    purpose = "items"

    def read(self, upload: Upload, files: Files) -> list[Reading[StoryRecord] | Reading[ItemRecord]]:
        """Return the content of each file: first the files of stories, then those of items."""
        codes, said = type_codes(upload.project), upload.options
        sheet = said.get("sheet", "")
        stories: list[Reading[StoryRecord]] = []
        items: list[Reading[ItemRecord]] = []
        are_stories = _hold_stories([_looks_like_stories(file, sheet) for _name, file in files])
        for number, (name, file) in enumerate(files):
            columns = upload.columns.get(str(number))
            if are_stories[number]:
                stories.append(read_stories(file, name=name, columns=columns, sheet=sheet))
            else:
                numbers = int(said["numbers"]) if said.get("numbers") else None
                items.append(
                    read_items(
                        file,
                        name=name,
                        format=said["format"],
                        types=codes,
                        numbers=numbers,
                        sheet=sheet,
                        task=said.get("task", ""),
                        **by_columns(file, columns, sheet, said["format"]),
                    )
                )
        return [*stories, *items]

    def run(
        self,
        upload: Upload,
        readings: Sequence[Reading[StoryRecord] | Reading[ItemRecord]],
        *,
        dry_run: bool,
    ) -> ImportResult:
        """Import the records, or preview the import.

        If the preview displayed keys, record that the user saw them.
        """
        actor, project = upload.created_by, upload.project
        stories: list[Reading[StoryRecord]] = []
        items: list[Reading[ItemRecord]] = []
        for reading in readings:  # files without valid rows count as items
            if any(isinstance(record, StoryRecord) for record in reading.records):
                stories.append(cast("Reading[StoryRecord]", reading))
            else:
                items.append(cast("Reading[ItemRecord]", reading))
        result = import_stories_and_items(
            actor=actor,
            project=project,
            stories=stories,
            items=items,
            state=upload.options["state"],
            writer_name=upload.options["writer"],
            dry_run=dry_run,
            may_replace=bool(upload.options.get("replace")),
        )
        if upload.keys_shown and not (dry_run or result.is_broken):
            record_key_exposures(actor=actor, items=Item.objects.filter(project=project, ref__in=result.refs))
            record_moral_exposures(actor=actor, stories=stories_read(project, stories))
        return result

    def describe(self, upload: Upload, files: Files) -> Mapping[str, Any]:
        """Return the columns of each file, and whether some or all files look like files of stories."""
        sheet = upload.options.get("sheet", "")
        look_like_stories = [_looks_like_stories(file, sheet) for _name, file in files]
        are_stories = _hold_stories(look_like_stories)
        said = upload.options["format"]
        tables = [
            table_of(name, file, sheet, are_stories=is_one, said=said, codes=type_codes(upload.project))
            for (name, file), is_one in zip(files, are_stories, strict=True)
        ]
        return {
            "tables": describe_tables(tables),
            "are_stories": all(look_like_stories),
            "has_stories": any(are_stories),
        }


def table_of(
    name: str,
    file: SourceFile,
    sheet: str,
    *,
    said: str,
    codes: TypeCodes | None = None,
    are_stories: bool = False,
) -> TableOffer:
    """Return a file's columns, the fields they can be assigned to, and the groups of required fields."""
    if are_stories:
        return TableOffer(name, story_columns(file, sheet), STORY_FIELDS, (REQUIRED_STORY_FIELDS,))
    if said == CRMUS:
        return TableOffer(name)
    named = FORMATS.get(said)
    if _is_mapped(file, sheet, named) and (offer := offer_mapping(file, codes, sheet, named)) is not None:
        fields: dict[str, str] = {}
        for field, held in offer.mapping.columns.items():
            fields = dict.fromkeys(held, field) | fields  # a stem with options in it is offered as a stem
        found = [Column(one, fields.get(one, "")) for one in offer.names]
        return TableOffer(name, found, MAPPED_FIELDS, offer.required, samples=offer.samples, with_words=True)
    if columns := item_columns(file, sheet):
        return TableOffer(name, columns, ITEM_TABLE_FIELDS, (REQUIRED_COLUMNS,))
    return TableOffer(name, json_item_columns(file), JSON_FIELDS)


def _is_mapped(file: SourceFile, sheet: str, said: Format | None) -> bool:
    """Return whether the user must assign columns: the file's layout is unknown, or it lacks the stories."""
    if said is None or said.book is not None:
        return is_of_others(file, sheet) or lacks_story(file, sheet)
    return said.rows is not None or said.code == MAPPED


class ByColumns(TypedDict):
    """The arguments of `read_items` that assign a file's columns to fields."""

    columns: Columns | None
    mapping: ItemMapping | str


def by_columns(file: SourceFile, columns: Columns | None, sheet: str, code: str) -> ByColumns:
    """Return the chosen columns as arguments of `read_items`.

    For a foreign layout, they become a `mapping`.
    """
    if columns is not None and _is_mapped(file, sheet, FORMATS.get(code)):
        return {"columns": None, "mapping": mapping_chosen(columns)}
    return {"columns": columns, "mapping": ""}


def _hold_stories(found: list[bool]) -> list[bool]:
    """Decide for each file whether it is read as stories.

    `found` is whether it looks like stories. If all files look like stories, none is read as stories: the
    column of stems may just have an unknown name, and the user is asked to assign it.
    """
    return [False] * len(found) if all(found) else found


def _looks_like_stories(file: SourceFile, sheet: str) -> bool:
    """Return whether a file has a column of story texts and no column of stems."""

    def filled(columns: Sequence[Column]) -> set[str]:
        return {column.field for column in columns}

    is_item = "question" in filled(item_columns(file, sheet)) | filled(json_item_columns(file))
    return "text" in filled(story_columns(file, sheet)) and not is_item


ITEMS: Final = ItemsImporter()


class Imported(NamedTuple):
    """The result of an import, with the id of each row's item; None for a row that was not written."""

    result: ImportResult
    ids: list[int | None]


def import_rows(
    *,
    actor: User,
    project: Project,
    rows: bytes,
    state: str,
    writer_name: str,
    dry_run: bool = False,
    may_replace: bool = False,
) -> Imported:
    """Import items that a request has sent, one JSON object a line, as a file of Parable JSONL is."""
    reading = read_items(rows, name="items", format=PARABLE, types=type_codes(project), numbers=0)
    result = carry_out(
        lambda is_dry: import_items_as(
            actor=actor,
            project=project,
            readings=[reading],
            state=state,
            writer_name=writer_name,
            dry_run=is_dry,
            may_replace=may_replace,
        ),
        dry_run=dry_run,
    )
    if result.is_broken or result.dry_run:
        return Imported(result, [])
    by_name = items_by_ref(project, result.refs)
    ids: list[int | None] = [None] * max((row.row for row in reading.rows), default=0)
    for row, ref in zip(reading.rows, result.refs, strict=True):
        ids[row.row - 1] = by_name.get((row.record.task, ref))
    return Imported(result, ids)
