"""The import of items: how a worker reads an upload of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotation.models import Item
from annotation.queries.item import type_codes
from annotation.services import import_items_as, item_ref, record_keys_shown
from corpus.models import Upload
from corpus.outcome import ImportResult
from corpus.services import read_files
from corpus.upload import describe_tables
from parable.formats import (
    CRMUS,
    ITEM_TABLE_FIELDS,
    JSON_FIELDS,
    Column,
    ItemRecord,
    Reading,
    item_columns,
    json_item_columns,
    read_items,
    story_columns,
)


class ItemsImporter:
    """Reads files of items, as was chosen with them."""

    purpose = "items"

    def read(self, upload: Upload) -> list[Reading[ItemRecord]]:
        """Read the files as items."""
        codes, said = type_codes(upload.project), upload.options
        return [
            read_items(
                data,
                name=name,
                format=said["format"],
                types=codes,
                columns=upload.columns.get(str(number)),
            )
            for number, (name, data) in enumerate(read_files(upload))
        ]

    def run(self, upload: Upload, readings: Sequence[Reading[ItemRecord]], *, dry_run: bool) -> ImportResult:
        """Import what was read, or find out what would become of it; who saw the keys is exposed to them."""
        actor, project = upload.created_by, upload.project
        result = import_items_as(
            actor=actor,
            project=project,
            readings=readings,
            state=upload.options["state"],
            writer_name=upload.options["writer"],
            dry_run=dry_run,
        )
        if upload.keys_shown and not (dry_run or result.is_broken):
            refs = [item_ref(record) for reading in readings for record in reading.records]
            record_keys_shown(actor=actor, items=Item.objects.filter(project=project, ref__in=refs))
        return result

    def describe(self, upload: Upload) -> Mapping[str, Any]:
        """Describe the columns of each file, and say whether it seems to hold stories instead."""
        files = read_files(upload)
        tables = []
        for name, data in files:
            columns, fields = item_columns(data), ITEM_TABLE_FIELDS
            if not columns:
                columns, fields = json_item_columns(data), JSON_FIELDS
            tables.append((name, columns, fields))
        can_choose = upload.options["format"] != CRMUS
        return {
            "tables": describe_tables(tables) if can_choose else {},
            "are_stories": all(_looks_like_stories(data) for _name, data in files),
        }


def _looks_like_stories(data: bytes) -> bool:
    """Whether a table has the text of stories and no stems."""

    def filled(columns: tuple[Column, ...]) -> set[str]:
        return {column.field for column in columns}

    return "text" in filled(story_columns(data)) and "question" not in filled(item_columns(data))


ITEMS: Final = ItemsImporter()
