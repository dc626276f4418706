"""The importer of stories, which workers run."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from accounts.models import User
from corpus.hooks import announce_morals
from corpus.models import Story, Upload
from corpus.outcome import ImportResult, carry_out
from corpus.services import Files, import_stories, text_hash
from corpus.upload.columns import TableOffer, describe_tables
from parable.formats import (
    REQUIRED_STORY_FIELDS,
    STORY_FIELDS,
    Reading,
    StoryRecord,
    read_stories,
    story_columns,
)
from parable.formats.stories import JSONL, foreign_story_columns
from projects.models import Project


class StoriesImporter:
    """Imports files of stories; an `Importer`."""

    purpose = "stories"

    def read(self, upload: Upload, files: Files) -> list[Reading[StoryRecord]]:
        """Return the stories of each file."""
        sheet = upload.options.get("sheet", "")
        return [
            read_stories(file, name=name, columns=upload.columns.get(str(number)), sheet=sheet)
            for number, (name, file) in enumerate(files)
        ]

    def run(self, upload: Upload, readings: Sequence[Reading[StoryRecord]], *, dry_run: bool) -> ImportResult:
        """Import the stories; with `dry_run`, write nothing. Return the outcome of each row.

        If the preview showed morals to the user, record that the user has read those of the imported stories.
        """
        actor, project = upload.created_by, upload.project
        result = import_stories(actor=actor, project=project, readings=readings, dry_run=dry_run)
        if upload.keys_shown and not (dry_run or result.is_broken):
            announce_morals(actor=actor, stories=stories_read(project, readings))
        return result

    def describe(self, upload: Upload, files: Files) -> Mapping[str, Any]:
        """Return the columns of each file, for the preview."""
        sheet = upload.options.get("sheet", "")
        offers = (
            TableOffer(
                name,
                foreign_story_columns(file) or story_columns(file, sheet),
                STORY_FIELDS,
                (REQUIRED_STORY_FIELDS,),
            )
            for name, file in files
        )
        return {"tables": describe_tables(offers)}


def import_story_rows(
    *, actor: User, project: Project, rows: bytes, dry_run: bool = False
) -> tuple[ImportResult, list[int | None]]:
    """Import stories that a request has sent, one JSON object a line, as a file is.

    Return the result with the id of each row's story.
    """
    reading = read_stories(rows, name="stories", format=JSONL)
    result = carry_out(
        lambda is_dry: import_stories(actor=actor, project=project, readings=[reading], dry_run=is_dry),
        dry_run=dry_run,
    )
    if result.is_broken or result.dry_run:
        return result, []
    ids: list[int | None] = [None] * max((row.row for row in reading.rows), default=0)
    by_hash = dict(stories_read(project, [reading]).values_list("text_hash", "pk"))
    for row in reading.rows:
        ids[row.row - 1] = by_hash.get(text_hash(row.record.text))
    return result, ids


def stories_read(project: Project, readings: Sequence[Reading[StoryRecord]]) -> QuerySet[Story]:
    """Return the stories of the project that have the same text as one of the records."""
    hashes = {text_hash(record.text) for reading in readings for record in reading.records}
    return Story.objects.filter(project=project, text_hash__in=hashes)


STORIES = StoriesImporter()
