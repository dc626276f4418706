"""Code shared by the pages that import stories and items: uploads, columns and previews."""

from corpus.upload.columns import ColumnsForm, TableOffer, describe_tables
from corpus.upload.jobs import register_jobs
from corpus.upload.steps import ImportPage, UploadForm, sheet_field
from corpus.upload.stories import STORIES, import_story_rows, stories_read

__all__ = [
    "STORIES",
    "ColumnsForm",
    "ImportPage",
    "TableOffer",
    "UploadForm",
    "describe_tables",
    "import_story_rows",
    "register_jobs",
    "sheet_field",
    "stories_read",
]
