"""The import of stories: how a worker reads an upload of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.models import Upload
from corpus.outcome import ImportResult
from corpus.services import import_stories, read_files
from corpus.upload.columns import describe_tables
from parable.formats import STORY_FIELDS, Reading, StoryRecord, read_stories, story_columns


class StoriesImporter:
    """Reads files of stories."""

    purpose = "stories"

    def read(self, upload: Upload) -> list[Reading[StoryRecord]]:
        """Read the files as stories."""
        return [
            read_stories(data, name=name, columns=upload.columns.get(str(number)))
            for number, (name, data) in enumerate(read_files(upload))
        ]

    def run(self, upload: Upload, readings: Sequence[Reading[StoryRecord]], *, dry_run: bool) -> ImportResult:
        """Import what was read, or find out what would become of it."""
        return import_stories(
            actor=upload.created_by, project=upload.project, readings=readings, dry_run=dry_run
        )

    def describe(self, upload: Upload) -> Mapping[str, Any]:
        """Describe the columns of each file."""
        files = [(name, story_columns(data), STORY_FIELDS) for name, data in read_files(upload)]
        return {"tables": describe_tables(files)}


STORIES = StoriesImporter()
