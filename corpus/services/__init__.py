"""The only writer of stories, and of files that wait for an import.

Upper apps use `NewStory`, `create_stories`, `text_hash` and `sentences`, and keep uploads of their own.
"""

from corpus.services.file import (
    LARGEST_UPLOAD,
    Importer,
    choose_columns,
    drop_upload,
    fail_upload,
    find_preview,
    find_upload,
    import_upload,
    importing,
    keep_upload,
    order_import,
    preview_upload,
    previewing,
    read_files,
    retry_upload,
    show_keys,
)
from corpus.services.group import find_similar, order_search
from corpus.services.story import (
    BATCH,
    NewStory,
    create_stories,
    revise_story,
    reword_story,
    set_moral,
    set_rights,
    text_hash,
)
from corpus.services.upload import import_stories, new_story, sentences

__all__ = [
    "BATCH",
    "LARGEST_UPLOAD",
    "Importer",
    "NewStory",
    "choose_columns",
    "create_stories",
    "drop_upload",
    "fail_upload",
    "find_preview",
    "find_similar",
    "find_upload",
    "import_stories",
    "import_upload",
    "importing",
    "keep_upload",
    "new_story",
    "order_import",
    "order_search",
    "preview_upload",
    "previewing",
    "read_files",
    "retry_upload",
    "revise_story",
    "reword_story",
    "sentences",
    "set_moral",
    "set_rights",
    "show_keys",
    "text_hash",
]
