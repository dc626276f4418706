"""Reads and writes the files of Parable: stories, items in our own and other formats, releases.

Readers never raise for bad input: a `Reading` has the valid rows and the errors. An error is a code with
parameters, which `english` turns into a sentence. The package works without Django.
"""

# Names tasks: the layout of a published set names its tasks.

from parable.formats.crmus import COMMONSENSE, CRMUS_TASKS, MORAL, split_of_name, with_domains, write_crmus
from parable.formats.errors import (
    SENTENCES,
    ErrorCode,
    RowError,
    english,
    english_with_place,
    parameters,
)
from parable.formats.item_tables import ITEM_TABLE_FIELDS
from parable.formats.items import (
    AUTO,
    CRMUS,
    ITEM_FORMATS,
    JSON_FIELDS,
    PARABLE,
    PUBLISHED,
    TABLE,
    item_columns,
    json_item_columns,
    read_items,
)
from parable.formats.labels import CHINESE_LABELS, type_codes
from parable.formats.options import letter, normalise_option
from parable.formats.parable_jsonl import PARABLE_FIELDS, write_items_jsonl
from parable.formats.records import (
    HUMAN,
    MACHINE,
    STYLES,
    WITHHELD,
    ItemRecord,
    Reading,
    ReleaseRecord,
    Row,
    StoryRecord,
)
from parable.formats.stories import (
    CSV,
    JSONL,
    REQUIRED_STORY_FIELDS,
    STORY_FIELDS,
    STORY_FORMATS,
    XLSX,
    read_stories,
    story_columns,
    write_stories_csv,
    write_stories_jsonl,
)
from parable.formats.tables import Column

__all__ = [
    "AUTO",
    "CHINESE_LABELS",
    "COMMONSENSE",
    "CRMUS",
    "CRMUS_TASKS",
    "CSV",
    "HUMAN",
    "ITEM_FORMATS",
    "ITEM_TABLE_FIELDS",
    "JSONL",
    "JSON_FIELDS",
    "MACHINE",
    "MORAL",
    "PARABLE",
    "PARABLE_FIELDS",
    "PUBLISHED",
    "REQUIRED_STORY_FIELDS",
    "SENTENCES",
    "STORY_FIELDS",
    "STORY_FORMATS",
    "STYLES",
    "TABLE",
    "WITHHELD",
    "XLSX",
    "Column",
    "ErrorCode",
    "ItemRecord",
    "Reading",
    "ReleaseRecord",
    "Row",
    "RowError",
    "StoryRecord",
    "english",
    "english_with_place",
    "item_columns",
    "json_item_columns",
    "letter",
    "normalise_option",
    "parameters",
    "read_items",
    "read_stories",
    "split_of_name",
    "story_columns",
    "type_codes",
    "with_domains",
    "write_crmus",
    "write_items_jsonl",
    "write_stories_csv",
    "write_stories_jsonl",
]
