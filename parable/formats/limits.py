"""Limits of what the readers accept; each is far above what real files contain."""

from dataclasses import dataclass
from typing import Final

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
MAX_ROWS: Final = 200_000
"""Rows read from one file."""
LONG_FILE_BYTES: Final = 16 * 1024 * 1024
"""A larger file of lines that is only judged is read line by line ..."""
MAX_LONG_FILE_BYTES: Final = 8 * 1024 * 1024 * 1024
MAX_LONG_ROWS: Final = 2_000_000
"""... and may be so large, and have so many rows."""
MAX_ERRORS: Final = 1_000
"""Errors collected before reading stops; by then nobody reads on."""

MAX_REMARKS: Final = 200
"""Remarks of one file, each a code and field with all the rows that it concerns."""

MAX_NESTING: Final = 32
"""Levels of lists and objects within one JSON row; a row of ours needs two."""
MAX_VALUES_PER_ROW: Final = 1_000_000
"""Values in one JSON row, so that a file of brackets cannot fill the memory."""
MAX_DIGITS: Final = 20
"""Digits of a whole number in JSON."""

MAX_UNPACKED_BYTES: Final = 64 * 1024 * 1024
"""What the parts of a spreadsheet that are read may unpack to; usual is about ten times their size."""
LEAST_UNPACKED_BYTES: Final = 2 * 1024 * 1024
MAX_UNPACKED_TIMES: Final = 40
"""A small file may unpack to the former, a larger one to so many times its size; no usual one comes near."""
MAX_SHEET_CHARS: Final = MAX_UNPACKED_BYTES
LEAST_SHEET_CHARS: Final = 8 * 1024 * 1024
MAX_CHARS_PER_BYTE: Final = 100
"""Characters of all cells together, in any file and by its size: it keeps a text once that a million cells
repeat."""
MAX_STYLES: Final = 65_536
"""Formats of cells: what Excel can hold."""
MAX_SHEETS: Final = 1_000
MAX_PARTS: Final = 2_000
"""Files inside a spreadsheet file."""
MAX_COLUMNS: Final = 64
"""Columns of a table."""
MAX_SHEET_COLUMNS: Final = 16_384
"""Columns of a table, empty ones included: what Excel can hold."""
MAX_SHEET_ROWS: Final = 1_048_576
"""Rows of a spreadsheet, empty ones included: what Excel can hold."""

MAX_PATH_CHARS: Final = 1_000
MAX_NAME_BYTES: Final = 255
"""Of a file that a manifest names, and of one part of it: what file systems can hold."""

MAX_ID_CHARS: Final = 200
MAX_TITLE_CHARS: Final = 500
MAX_STORY_CHARS: Final = 100_000
MAX_MORAL_CHARS: Final = 4_000
MAX_STEM_CHARS: Final = 4_000
MAX_OPTION_CHARS: Final = 2_000
MAX_EXPLANATION_CHARS: Final = 10_000
MAX_SOURCE_CHARS: Final = 2_000
"""Of a story's source, and of its rights."""
MAX_NAME_CHARS: Final = 200
"""Of one entry in a list of types or generators, and of a split's name."""
MAX_LANGUAGE_CHARS: Final = 35
MAX_ANSWER_CHARS: Final = 100
MAX_ENTRIES: Final = 20
"""Entries in a list of types or generators."""

MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 26
"""As many as there are letters."""


@dataclass(frozen=True, slots=True)
class ItemRules:
    """What a reader requires of an item: our items must be storable, those of others must be checkable.

    Where `is_judged_elsewhere`, equal and empty options and control characters in texts are no errors, an
    unusable key is a remark, and an item needs neither an id nor a task nor a story: the row gives the id,
    the task is the usual one, and each item is a story of its own. Where it `keeps_marks`, letters before
    options are a part of them: a release is read as it was written.
    """

    most_options: int = MAX_OPTIONS
    is_judged_elsewhere: bool = False
    keeps_marks: bool = False


OURS: Final = ItemRules()
ANYBODYS: Final = ItemRules(is_judged_elsewhere=True)
RELEASED: Final = ItemRules(keeps_marks=True)
