"""What imports of stories and of items ask alike: a file, its columns, a look at every row."""

from corpus.upload.columns import ColumnsForm
from corpus.upload.steps import ImportPage, Tables, UploadForm

__all__ = ["ColumnsForm", "ImportPage", "Tables", "UploadForm"]
