"""What imports of stories and of items ask alike: a file, its columns, a look at every row."""

from corpus.asking.columns import ColumnsForm
from corpus.asking.importing import ImportPage, Tables, UploadForm

__all__ = ["ColumnsForm", "ImportPage", "Tables", "UploadForm"]
