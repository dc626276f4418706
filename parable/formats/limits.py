"""Limits of the input that readers accept; each is far above the size of real files."""

from dataclasses import dataclass
from typing import Final

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
MAX_ROWS: Final = 200_000
"""Maximum number of rows that are read from one file."""
LONG_FILE_BYTES: Final = 16 * 1024 * 1024
"""Size in bytes above which files of JSON lines are read line by line, if they are only judged."""
MAX_LONG_FILE_BYTES: Final = 8 * 1024 * 1024 * 1024
MAX_LONG_ROWS: Final = 2_000_000
"""Maximum number of rows of a file that is read line by line."""
MAX_ERRORS: Final = 1_000
"""Number of errors in a file after which reading stops."""

MAX_REMARKS: Final = 200
"""Maximum number of remarks on one file; one remark covers all rows with the same code and field."""

MAX_NESTING: Final = 32
"""Maximum number of levels of lists and objects within one JSON row; our own rows need two."""
MAX_VALUES_PER_ROW: Final = 1_000_000
"""Maximum number of values in one JSON row, so that a file of brackets cannot fill the memory."""
MAX_DIGITS: Final = 20
"""Maximum number of digits of a whole number in JSON."""

MAX_UNPACKED_BYTES: Final = 64 * 1024 * 1024
"""Maximum size of the unpacked parts of a spreadsheet, in bytes; about ten times its size is usual."""
LEAST_UNPACKED_BYTES: Final = 2 * 1024 * 1024
MAX_UNPACKED_TIMES: Final = 40
"""A file may unpack to this many times its size, or to `LEAST_UNPACKED_BYTES` if that is more."""
MAX_SHEET_CHARS: Final = MAX_UNPACKED_BYTES
LEAST_SHEET_CHARS: Final = 8 * 1024 * 1024
MAX_CHARS_PER_BYTE: Final = 100
"""Maximum number of characters in all cells per byte of the file: many cells may repeat one stored text."""
MAX_STYLES: Final = 65_536
"""Maximum number of cell formats; as many as Excel can hold."""
MAX_SHEETS: Final = 1_000
MAX_PARTS: Final = 2_000
"""Maximum number of files inside a spreadsheet file."""
MAX_COLUMNS: Final = 64
"""Maximum number of columns of a table."""
MAX_SHEET_COLUMNS: Final = 16_384
"""Maximum number of columns of a table, including empty ones; as many as Excel can hold."""
MAX_SHEET_ROWS: Final = 1_048_576
"""Maximum number of rows of a spreadsheet, including empty ones; as many as Excel can hold."""

MAX_PATH_CHARS: Final = 1_000
MAX_NAME_BYTES: Final = 255
"""Maximum length of one part of a path in a manifest, in bytes; as much as file systems can hold."""

MAX_ID_CHARS: Final = 200
MAX_TITLE_CHARS: Final = 500
MAX_STORY_CHARS: Final = 100_000
MAX_MORAL_CHARS: Final = 4_000
MAX_STEM_CHARS: Final = 4_000
MAX_OPTION_CHARS: Final = 2_000
MAX_EXPLANATION_CHARS: Final = 10_000
MAX_SOURCE_CHARS: Final = 2_000
"""Maximum number of characters in the source of a story, and in its rights."""
MAX_NAME_CHARS: Final = 200
"""Maximum number of characters in a type, in a generator, and in the name of a split."""
MAX_LANGUAGE_CHARS: Final = 35
MAX_ANSWER_CHARS: Final = 100
MAX_ENTRIES: Final = 20
"""Maximum number of entries in a list of types or generators."""

MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 26
"""Maximum number of options of an item; as many as there are letters."""


@dataclass(frozen=True, slots=True)
class ItemRules:
    """Rules for reading an item: strict for items to be stored, lenient for items that are only checked.

    With `is_judged_elsewhere`, equal or empty options and control characters are not errors, an unusable key
    is a remark, and an item needs no id, task or story: the row number then gives the id, the task is the
    default, and each item counts as a story of its own. With `keeps_marks`, letters before options remain
    part of the options: a release is read as it was written.
    """

    most_options: int = MAX_OPTIONS
    is_judged_elsewhere: bool = False
    keeps_marks: bool = False


OURS: Final = ItemRules()
ANYBODYS: Final = ItemRules(is_judged_elsewhere=True)
RELEASED: Final = ItemRules(keeps_marks=True)
