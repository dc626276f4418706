"""What imports of stories and of items ask alike: files, their columns, a look at every row."""

from corpus.upload.columns import ColumnsForm, TableOffer, describe_tables
from corpus.upload.jobs import register_jobs
from corpus.upload.steps import ImportPage, UploadForm
from corpus.upload.stories import STORIES, stories_read

__all__ = [
    "STORIES",
    "ColumnsForm",
    "ImportPage",
    "TableOffer",
    "UploadForm",
    "describe_tables",
    "register_jobs",
    "stories_read",
]
