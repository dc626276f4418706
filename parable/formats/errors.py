"""Error codes of files, with their parameters and English sentences.

Remarks have the same form as errors but refuse nothing: they report values that are read differently than
they are written.

A code never changes its meaning; its parameters are those that its sentence in `SENTENCES` names. Sentences
are in gettext's percent format and are translated where they are shown: by commands with
`parable.sentences.translate`, by the site with Django's `gettext`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from types import MappingProxyType
from typing import Final

from parable.formats import limits
from parable.sentences import gettext_noop as _

FILE: Final = "file"
"""The `field` of an error that concerns the whole file."""
ROW: Final = "row"
"""The `field` of an error that concerns a whole row."""

_EXCERPT_CHARS: Final = 60
_NAMES_LISTED: Final = 20
_PARAMETER: Final = re.compile(r"%\((\w+)\)[sd]")
_NEVER_SHOWN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Characters that databases cannot store, or that files or pages cannot contain."""

Parameter = int | str


class ErrorCode(StrEnum):
    """The reasons for which a file, a row or a field is refused."""

    # The whole file.
    UNREADABLE_FILE = "unreadable_file"
    FILE_TOO_LARGE = "file_too_large"
    EMPTY_FILE = "empty_file"
    NO_ROWS = "no_rows"
    NOT_OF_FORMAT = "not_of_format"
    UTF16 = "utf16"
    IS_SPREADSHEET = "is_spreadsheet"
    OTHER_FILE = "other_file"
    OTHER_THAN_LINES = "other_than_lines"
    OTHER_THAN_RESPONSES = "other_than_responses"
    OTHER_FIELDS = "other_fields"
    NOT_UTF8 = "not_utf8"
    UNKNOWN_FORMAT = "unknown_format"
    WRONG_SHAPE = "wrong_shape"
    UNCLOSED_LIST = "unclosed_list"
    TEXT_AFTER_LIST = "text_after_list"
    TOO_MANY_ROWS = "too_many_rows"
    TOO_MANY_ERRORS = "too_many_errors"
    # A row of JSON.
    NOT_JSON = "not_json"
    NOT_AN_OBJECT = "not_an_object"
    TOO_DEEP = "too_deep"
    TOO_MANY_VALUES = "too_many_values"
    DUPLICATE_FIELD = "duplicate_field"
    NOT_A_NUMBER = "not_a_number"
    NUMBER_TOO_LONG = "number_too_long"
    # XML, and archives of other tools.
    NOT_XML = "not_xml"
    XML_DOCTYPE = "xml_doctype"
    NOT_ZIP = "not_zip"
    PART_MISSING = "part_missing"
    WHICH_CONFIG = "which_config"
    ZIP_TOO_LARGE = "zip_too_large"
    # A table.
    NOT_XLSX = "not_xlsx"
    OLD_EXCEL = "old_excel"
    XLSX_TOO_LARGE = "xlsx_too_large"
    XLSX_TOO_DENSE = "xlsx_too_dense"
    XLSX_TOO_MANY_PARTS = "xlsx_too_many_parts"
    XLSX_TOO_MANY_SHEETS = "xlsx_too_many_sheets"
    XLSX_TOO_MANY_STYLES = "xlsx_too_many_styles"
    XLSX_TOO_MANY_CHARS = "xlsx_too_many_chars"
    XLSX_TOO_MANY_MERGED = "xlsx_too_many_merged"
    XLSX_LONG_TAG = "xlsx_long_tag"
    BROKEN_CSV = "broken_csv"
    UNCLOSED_QUOTE = "unclosed_quote"
    MISSING_COLUMN = "missing_column"
    DUPLICATE_COLUMN = "duplicate_column"
    TOO_MANY_COLUMNS = "too_many_columns"
    EXTRA_CELLS = "extra_cells"
    CELL_IS_DATE = "cell_is_date"
    CELL_IS_ERROR = "cell_is_error"
    CELL_HAS_NO_VALUE = "cell_has_no_value"
    # A field.
    MISSING = "missing"
    NOT_TEXT = "not_text"
    NOT_A_LIST = "not_a_list"
    NOT_WHOLE_NUMBER = "not_whole_number"
    NOT_DECIMAL = "not_decimal"
    TOO_LONG = "too_long"
    TOO_MANY_ENTRIES = "too_many_entries"
    CONTROL_CHARACTER = "control_character"
    LONE_SURROGATE = "lone_surrogate"
    LINE_BREAK = "line_break"
    UNKNOWN_VALUE = "unknown_value"
    UNKNOWN_TYPE = "unknown_type"
    # Options and key.
    TOO_FEW_OPTIONS = "too_few_options"
    TOO_MANY_OPTIONS = "too_many_options"
    EQUAL_OPTIONS = "equal_options"
    OPTION_LETTERS = "option_letters"
    TWO_KEYS = "two_keys"
    KEY_OUTSIDE = "key_outside"
    KEY_ON_EMPTY = "key_on_empty"
    BAD_ANSWER = "bad_answer"
    BAD_ANSWERS = "bad_answers"
    ANSWER_MISMATCH = "answer_mismatch"
    AMBIGUOUS_KEY = "ambiguous_key"
    OPEN_NUMBERS = "open_numbers"
    SEVERAL_TASKS = "several_tasks"
    KEY_NO_TEXT = "key_no_text"
    MIXED_NUMBERS = "mixed_numbers"
    # A layout of a published set.
    OUTSIDE_LAYOUT = "outside_layout"
    # A foreign layout, read by a mapping.
    UNMAPPED = "unmapped"
    RIVAL_KEYS = "rival_keys"
    STORY_MISSING = "story_missing"
    NO_STORIES = "no_stories"
    NO_QUESTIONS = "no_questions"
    NO_ITEMS = "no_items"
    WHICH_QUESTION = "which_question"
    MAP_WORDS = "map_words"
    MAP_COLUMN = "map_column"
    # Spans that another tool marked in a text.
    SPAN_OUTSIDE = "span_outside"
    SPAN_MISSPELLED = "span_misspelled"
    ROLE_TWICE = "role_twice"
    # Comparisons of rows.
    DUPLICATE_ID = "duplicate_id"
    # A release in a folder, and answers to its items.
    NOT_A_RELEASE = "not_a_release"
    OTHER_SPLIT = "other_split"
    ID_TWICE = "id_twice"
    UNKNOWN_ITEM = "unknown_item"
    UNKNOWN_PROMPT = "unknown_prompt"
    ANSWER_DIFFERS = "answer_differs"
    ANSWERED_TWICE = "answered_twice"
    BAD_ORDER = "bad_order"
    NO_RESPONSES = "no_responses"
    ARCHIVE_OR_SHEET = "archive_or_sheet"
    # Remarks: values that are read differently than written. They refuse nothing.
    UNREAD_COLUMN = "unread_column"
    MARKS_REMOVED = "marks_removed"
    MARKS_KEPT = "marks_kept"
    NUMBERS_FROM = "numbers_from"
    KEY_BY_WORDS = "key_by_words"
    LOST_OPTION = "lost_option"
    NO_WORDS = "no_words"
    SHARED_IDS = "shared_ids"
    NUMBER_AS_SHOWN = "number_as_shown"
    NUMBER_AS_STORED = "number_as_stored"
    FORMULA_NOT_COMPUTED = "formula_not_computed"
    STRUCK_OUT = "struck_out"
    CELL_IS_MERGED = "cell_is_merged"
    ROW_HIDDEN = "row_hidden"
    COLUMN_HIDDEN = "column_hidden"
    NO_SUCH_SHEET = "no_such_sheet"
    ROW_ABOVE_NAMES = "row_above_names"
    SHEET_READ = "sheet_read"
    SHEET_NOT_READ = "sheet_not_read"
    CONFIG_READ = "config_read"
    PART_READ = "part_read"
    PART_NOT_READ = "part_not_read"
    APOSTROPHE_REMOVED = "apostrophe_removed"
    SPLIT_BY_NAME = "split_by_name"
    MAPPED = "mapped"
    RIGHT_FIRST = "right_first"
    LINES_JOINED = "lines_joined"
    NO_HEADER = "no_header"
    MARKUP_LOST = "markup_lost"
    KIND_NOT_READ = "kind_not_read"
    TEXT_NOT_READ = "text_not_read"
    KEY_BY_MARK = "key_by_mark"
    ANSWERS_NOT_KEYS = "answers_not_keys"
    HTML_AS_TEXT = "html_as_text"
    SPANS_AS_ANSWER = "spans_as_answer"
    MARKS_NOT_READ = "marks_not_read"
    LABEL_NO_ROLE = "label_no_role"
    OPTIONS_FROM_LABELS = "options_from_labels"
    ENCODING_READ = "encoding_read"
    MORE_REMARKS = "more_remarks"


@dataclass(frozen=True, slots=True)
class RowError:
    """An error in a file; `row` counts from 1, and is 1 for an error of the whole file.

    A remark (`Reading.remarks`) has the same form. It stands for all rows of a file with the same field and
    code: `row` and `params` are those of the first row, `rows` the first `limits.MAX_ERRORS` row numbers, and
    `count` the number of all rows. `items` holds the ids of the rows ("" for a row without id) if the error
    or remark is looked up by item, as unusable keys are; else ().
    """

    file: str
    row: int
    field: str
    code: ErrorCode
    params: dict[str, Parameter]
    rows: tuple[int, ...] = ()
    count: int = 1
    items: tuple[str, ...] = ()


class InputError(Exception):
    """Raised for input that cannot be read, with a code, its parameters and, where known, field and row."""

    def __init__(self, code: ErrorCode, *, field: str = ROW, row: int = 1, **params: Parameter) -> None:
        super().__init__(code)
        self.code = code
        self.field = field
        self.row = row
        self.params = _showable(params)


class ErrorList:
    """Collects the errors of one file, up to `limits.MAX_ERRORS`, after which `full` is true.

    It also collects the remarks, merged into one for each field and code, with all rows concerned.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self._errors: list[RowError] = []
        self._remarks: dict[tuple[str, ErrorCode], RowError] = {}
        self._last: dict[tuple[str, ErrorCode], int] = {}

    @property
    def full(self) -> bool:
        """Whether reading should stop."""
        return len(self._errors) > limits.MAX_ERRORS

    @property
    def codes(self) -> set[ErrorCode]:
        """The codes of the errors so far."""
        return {error.code for error in self._errors}

    def __len__(self) -> int:
        return len(self._errors)

    def add(
        self, row: int, field: str, code: ErrorCode, items: tuple[str, ...] = (), /, **params: Parameter
    ) -> None:
        """Add an error; the first error past the limit becomes `TOO_MANY_ERRORS`, later ones are ignored."""
        if self.full:
            return
        if len(self._errors) == limits.MAX_ERRORS:
            code, params, field = ErrorCode.TOO_MANY_ERRORS, {"limit": limits.MAX_ERRORS}, FILE
            items = ()
        shown = _showable(params)
        self._errors.append(RowError(self.file, row, _field(field), code, shown, items=_visible(items)))

    def remark(
        self, row: int, field: str, code: ErrorCode, items: tuple[str, ...] = (), /, **params: Parameter
    ) -> None:
        """Add a remark that a value is read differently than it is written.

        Remarks with the same field and code are merged.
        """
        field, items = _field(field), _visible(items)
        known = self._remarks.get((field, code))
        if known is None and len(self._remarks) >= limits.MAX_REMARKS:
            field, code, params, items = FILE, ErrorCode.MORE_REMARKS, {"limit": limits.MAX_REMARKS}, ()
            known = self._remarks.get((field, code))
        if known is None:
            known = RowError(self.file, row, field, code, _showable(params), (row,), items=items)
        elif row != self._last[field, code]:
            rows = (*known.rows, row) if known.count < limits.MAX_ERRORS else known.rows
            ids = (*known.items, *items) if known.count < limits.MAX_ERRORS else known.items
            known = replace(known, rows=rows, count=known.count + 1, items=ids)
        self._remarks[field, code] = known
        self._last[field, code] = row

    @property
    def remarks(self) -> tuple[RowError, ...]:
        """The remarks, sorted by the first row that each concerns."""
        return tuple(sorted(self._remarks.values(), key=lambda remark: remark.row))

    def replace_all(self, row: int, field: str, code: ErrorCode, **params: Parameter) -> None:
        """Replace all errors by the single error that caused them."""
        self._errors = []
        self.add(row, field, code, **params)

    def refuse(self, refused: InputError) -> None:
        """Add the error of a caught InputError."""
        self.add(refused.row, refused.field, refused.code, **refused.params)

    def in_order(self) -> tuple[RowError, ...]:
        """Return the errors sorted by row; errors of one row keep their order."""
        return tuple(sorted(self._errors, key=lambda error: error.row))


def can_be_shown(text: str) -> bool:
    """Return whether a text, such as the name of a column, can be stored and shown as it is."""
    return text.isprintable() or _NEVER_SHOWN.search(text) is None


def printable(text: str) -> str:
    """Replace characters that cannot be displayed by their code points, such as `U+0000`."""
    return text if text.isprintable() else _NEVER_SHOWN.sub(lambda sign: f"U+{ord(sign[0]):04X}", text)


def _field(name: str) -> str:
    """Return the field of an error, or `ROW` for a column without a name."""
    return printable(name) or ROW


def _visible(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(printable, texts)) if texts else texts


def _showable(params: dict[str, Parameter]) -> dict[str, Parameter]:
    """Return parameters with replacements for characters that cannot be displayed."""
    return {name: printable(value) if isinstance(value, str) else value for name, value in params.items()}


def listed(names: Iterable[str]) -> str:
    """Return names of fields or columns joined for a message: the first few, each shortened."""
    some = [excerpt(name) for name in names if name]
    return ", ".join([*some[:_NAMES_LISTED], *(["…"] if len(some) > _NAMES_LISTED else [])]) or "–"


def excerpt(value: object) -> str:
    """Return a short excerpt of a value for a message, printable on one line."""
    text = value if isinstance(value, str) else str(value)
    short = text[:_EXCERPT_CHARS] + ("…" if len(text) > _EXCERPT_CHARS else "")
    return "".join(char if char.isprintable() else f"U+{ord(char):04X}" for char in short)


SENTENCES: Final[Mapping[ErrorCode, str]] = MappingProxyType(
    {
        ErrorCode.UNREADABLE_FILE: _("Cannot open the file: %(reason)s."),
        ErrorCode.FILE_TOO_LARGE: _("The file has %(size)d bytes; the limit is %(limit)d."),
        ErrorCode.EMPTY_FILE: _("The file is empty."),
        ErrorCode.NO_ROWS: _("The file has no rows."),
        ErrorCode.NOT_OF_FORMAT: _("The file cannot be read as %(format)s."),
        ErrorCode.UTF16: _(
            "The file is UTF-16 or UTF-32. Save it as UTF-8 (Excel: “CSV UTF-8”; Notepad: encoding UTF-8)."
        ),
        ErrorCode.IS_SPREADSHEET: _("The file is a spreadsheet, not text; read it as a table."),
        ErrorCode.OTHER_FILE: _(
            "The file is of the kind %(kind)s. Supported: JSON, JSON lines, CSV, XLSX, ODS, Parquet, Word,"
            " Moodle XML, GIFT, Aiken, QTI and Anki; export it as one of these."
        ),
        ErrorCode.OTHER_THAN_LINES: _("The file is of the kind %(kind)s. Expected: one JSON object a line."),
        ErrorCode.OTHER_THAN_RESPONSES: _(
            "The file is of the kind %(kind)s. Expected: one JSON object a line, with model, item_id, repeat"
            " and text."
        ),
        ErrorCode.OTHER_FIELDS: _(
            "No row has a field “%(missing)s”. The fields of the file: %(found)s. The nearest layout,"
            " %(layout)s, has: %(wanted)s. Rename them, or choose them under “Columns” on the import page."
        ),
        ErrorCode.NOT_UTF8: _(
            "Byte 0x%(byte)s is not UTF-8. If the file is in GBK or another encoding, save it as UTF-8."
        ),
        ErrorCode.UNKNOWN_FORMAT: _(
            "Unknown format. Supported: a JSON list of items, JSON lines, a table (XLSX, CSV, ODS) with"
            " column names in the first row, and files of other tools: %(formats)s."
        ),
        ErrorCode.WRONG_SHAPE: _("The JSON must be a list of objects, or one object per line."),
        ErrorCode.UNCLOSED_LIST: _("The list has no end; the file may be cut off (line %(line)d)."),
        ErrorCode.TEXT_AFTER_LIST: _("Text after the end of the list (line %(line)d)."),
        ErrorCode.TOO_MANY_ROWS: _("The file has more than %(limit)d rows; split it."),
        ErrorCode.TOO_MANY_ERRORS: _("More than %(limit)d errors; the rest is not shown."),
        ErrorCode.NOT_JSON: _("Invalid JSON (line %(line)d, column %(column)d, near “%(near)s”)."),
        ErrorCode.NOT_AN_OBJECT: _("Expected an object in curly brackets, not “%(found)s”."),
        ErrorCode.TOO_DEEP: _("The value is nested more than %(limit)d levels deep."),
        ErrorCode.TOO_MANY_VALUES: _("The row has more than %(limit)d values."),
        ErrorCode.DUPLICATE_FIELD: _("The field occurs twice in one object."),
        ErrorCode.NOT_A_NUMBER: _("“%(found)s” is not a JSON value."),
        ErrorCode.NUMBER_TOO_LONG: _("The number has more than %(limit)d digits."),
        ErrorCode.NOT_XML: _("Invalid XML (line %(line)d, column %(column)d)."),
        ErrorCode.XML_DOCTYPE: _("The XML has a document type (<!DOCTYPE …>), which is not read. Remove it."),
        ErrorCode.NOT_ZIP: _("Cannot read this ZIP file. Export it again, without a password."),
        ErrorCode.PART_MISSING: _("The file has nothing called “%(found)s”, which “%(place)s” refers to."),
        ErrorCode.WHICH_CONFIG: _(
            "The data set has several configurations: %(found)s. Choose one: --sheet NAME, or “Sheet or"
            " configuration” on the import page."
        ),
        ErrorCode.ZIP_TOO_LARGE: _("A file in the archive unpacks to more than %(limit)d bytes."),
        ErrorCode.NOT_XLSX: _("Cannot read this XLSX file. Open it in Excel and save it again."),
        ErrorCode.OLD_EXCEL: _(
            "The file is an old Excel file (.xls) or password-protected. Save it as XLSX without a password."
        ),
        ErrorCode.XLSX_TOO_LARGE: _("The unpacked spreadsheet exceeds %(limit)d bytes."),
        ErrorCode.XLSX_TOO_DENSE: _(
            "The spreadsheet unpacks to more than %(limit)d bytes, which is far too much for its size."
        ),
        ErrorCode.XLSX_TOO_MANY_PARTS: _("The spreadsheet has more than %(limit)d files inside."),
        ErrorCode.XLSX_TOO_MANY_SHEETS: _("The spreadsheet has more than %(limit)d sheets."),
        ErrorCode.XLSX_TOO_MANY_STYLES: _("The spreadsheet has more than %(limit)d cell formats."),
        ErrorCode.XLSX_TOO_MANY_CHARS: _(
            "The cells of the spreadsheet have more than %(limit)d characters together."
        ),
        ErrorCode.XLSX_TOO_MANY_MERGED: _("Merged cells of the spreadsheet cover more than %(limit)d rows."),
        ErrorCode.XLSX_LONG_TAG: _("The spreadsheet has an XML tag or comment of more than %(limit)d bytes."),
        ErrorCode.BROKEN_CSV: _("The quotation marks in this row do not match."),
        ErrorCode.UNCLOSED_QUOTE: _("A quotation mark in this row is not closed."),
        ErrorCode.MISSING_COLUMN: _("The table has no column “%(column)s”. Its columns: %(found)s."),
        ErrorCode.DUPLICATE_COLUMN: _("The table has this column twice."),
        ErrorCode.TOO_MANY_COLUMNS: _("The table has more than %(limit)d columns."),
        ErrorCode.EXTRA_CELLS: _("The row has more cells than the table has columns."),
        ErrorCode.CELL_IS_DATE: _(
            "The spreadsheet turned this cell into a date. Format it as text and enter it again."
        ),
        ErrorCode.CELL_IS_ERROR: _("The cell has the spreadsheet error %(found)s."),
        ErrorCode.CELL_HAS_NO_VALUE: _(
            "The cell has a formula without a stored value. Open the file in Excel and save it again."
        ),
        ErrorCode.MISSING: _("The field is missing or empty."),
        ErrorCode.NOT_TEXT: _("Expected text, not “%(found)s”."),
        ErrorCode.NOT_A_LIST: _("Expected a list, not “%(found)s”."),
        ErrorCode.NOT_WHOLE_NUMBER: _("Expected a whole number, not “%(found)s”."),
        ErrorCode.NOT_DECIMAL: _("Expected a number such as 83.45, not “%(found)s”."),
        ErrorCode.TOO_LONG: _("The text has %(length)d characters; at most %(limit)d are allowed."),
        ErrorCode.TOO_MANY_ENTRIES: _("The list has %(count)d entries; at most %(limit)d are allowed."),
        ErrorCode.CONTROL_CHARACTER: _("The text contains the invisible control character %(character)s."),
        ErrorCode.LONE_SURROGATE: _("The text contains %(character)s, an incomplete character."),
        ErrorCode.LINE_BREAK: _("The text must be on one line."),
        ErrorCode.UNKNOWN_VALUE: _("“%(found)s” is not one of: %(allowed)s."),
        ErrorCode.UNKNOWN_TYPE: _("Unknown commonsense type “%(found)s”."),
        ErrorCode.TOO_FEW_OPTIONS: _("An item needs at least %(limit)d options; this one has %(count)d."),
        ErrorCode.TOO_MANY_OPTIONS: _("An item has at most %(limit)d options; this one has %(count)d."),
        ErrorCode.EQUAL_OPTIONS: _("Options %(first)s and %(second)s are equal."),
        ErrorCode.OPTION_LETTERS: _("The letters before the options are out of order: %(found)s."),
        ErrorCode.TWO_KEYS: _("The answer names more than one option: “%(found)s”."),
        ErrorCode.KEY_OUTSIDE: _("The answer “%(found)s” is none of the %(count)d options."),
        ErrorCode.KEY_ON_EMPTY: _("The answer “%(found)s” names an empty option."),
        ErrorCode.BAD_ANSWER: _("“%(found)s” does not name an option; expected a single letter."),
        ErrorCode.BAD_ANSWERS: _("“%(found)s” does not name options; expected letters, each once."),
        ErrorCode.ANSWER_MISMATCH: _("The answer and its letter “%(found)s” name different options."),
        ErrorCode.AMBIGUOUS_KEY: _(
            "“%(found)s” is ambiguous: it may mean option %(place)s, and it is the text of option %(text)s."
        ),
        ErrorCode.OPEN_NUMBERS: _(
            "The answers are numbers, and nothing in the file says whether they count from 0 or from 1."
            " Say so: --numbers 0 or --numbers 1, or “Answers that are numbers” on the import page."
        ),
        ErrorCode.SEVERAL_TASKS: _(
            "The fields of the file fit items of several tasks: %(tasks)s. Say which: --task, or “Task” on"
            " the import page."
        ),
        ErrorCode.MIXED_NUMBERS: _(
            "The answers are numbers that count from 0 in row %(zero_row)d (a 0) and from 1 in row"
            " %(count_row)d (the number of options). Correct them, or say how they count: --numbers 0 or"
            " --numbers 1, or “Answers that are numbers” on the import page."
        ),
        ErrorCode.KEY_NO_TEXT: _("The answer “%(found)s” is the text of no option, or of several."),
        ErrorCode.UNMAPPED: _(
            "The layout of the file is not certain. Missing: %(missing)s. Its columns: %(found)s. Choose them"
            " with %(option)s, or under “Columns” on the import page."
        ),
        ErrorCode.RIVAL_KEYS: _(
            "Several columns may be the key, and they name different options: %(found)s. Choose one with"
            " %(option)s, or under “Columns” on the import page."
        ),
        ErrorCode.NO_STORIES: _("The file has no column of stories."),
        ErrorCode.NO_QUESTIONS: _(
            "The file has texts and no questions. Import it as stories, or say what is asked of all texts:"
            " --map stem:WORDS, or “Stem of all rows” on the import page."
        ),
        ErrorCode.NO_ITEMS: _(
            "The file contains answers of annotators and no items. Import the items from the file that they"
            " were given, and these answers under Import responses."
        ),
        ErrorCode.WHICH_QUESTION: _(
            "Several questions were answered, and none is named “answer”: %(found)s. Rename the one that the"
            " items ask."
        ),
        ErrorCode.SPAN_OUTSIDE: _("The span %(found)s is outside the text of %(length)d characters."),
        ErrorCode.SPAN_MISSPELLED: _("The span %(found)s should spell “%(words)s” and spells “%(there)s”."),
        ErrorCode.ROLE_TWICE: _(
            "The role %(role)s occurs twice among spans that belong together. Link the spans of each answer"
            " by relations."
        ),
        ErrorCode.STORY_MISSING: _(
            "No column was recognised as the story. Its columns: %(found)s. Choose one with %(option)s, or"
            " under “Columns” on the import page; one text for all rows will do, too."
        ),
        ErrorCode.MAP_WORDS: _("Cannot read “%(found)s”. Expected %(form)s, with the fields %(fields)s."),
        ErrorCode.MAP_COLUMN: _("The file has no column “%(column)s”. Its columns: %(found)s."),
        ErrorCode.OUTSIDE_LAYOUT: _("The value does not fit the layout of this file."),
        ErrorCode.DUPLICATE_ID: _("Row %(first_row)d has the same ID with different text."),
        ErrorCode.NOT_A_RELEASE: _(
            "The folder has no release: dev/ or test/ with files such as moral.jsonl is missing."
        ),
        ErrorCode.OTHER_SPLIT: _("The item is marked as “%(found)s” but is in “%(split)s”."),
        ErrorCode.ID_TWICE: _("The same ID is already in %(file)s, row %(first_row)d."),
        ErrorCode.UNKNOWN_PROMPT: _(
            "The log does not name the item, and no single item of the release has all its words (story,"
            " question and options) in the prompt “%(found)s”."
        ),
        ErrorCode.UNKNOWN_ITEM: _("The release has no item “%(found)s”."),
        ErrorCode.ANSWER_DIFFERS: _("The answer in the release is %(found)s."),
        ErrorCode.ANSWERED_TWICE: _(
            "The model already has a different answer to this item in the same repeat, in"
            " %(file)s, row %(first_row)d."
        ),
        ErrorCode.NO_RESPONSES: _(
            "This is a file of another kind: %(what)s, with the fields %(found)s. Expected: one JSON object"
            " a line, with model, item_id, repeat and text."
        ),
        ErrorCode.ARCHIVE_OR_SHEET: _(
            "The file is a ZIP archive, such as a spreadsheet or a log of Inspect (.eval). Expected: one JSON"
            " object a line, with model, item_id, repeat and text."
        ),
        ErrorCode.BAD_ORDER: _(
            "“%(found)s” is not an order of the options: each of %(wanted)s must occur once."
        ),
        ErrorCode.UNREAD_COLUMN: _("The column is not read; filled cells in it: %(cells)d."),
        ErrorCode.MARKS_REMOVED: _("Letters before the options, such as “%(found)s”, were removed."),
        ErrorCode.MARKS_KEPT: _(
            "Letters or numbers before options that may belong to them were kept: “%(found)s”."
        ),
        ErrorCode.NUMBERS_FROM: _(
            "The numbers count from %(first)d: “%(found)s” is read as option %(letter)s."
        ),
        ErrorCode.KEY_BY_WORDS: _("“%(found)s” is the text of option %(letter)s and is read as that option."),
        ErrorCode.LOST_OPTION: _("The option is empty, and options after it are not: it was left out."),
        ErrorCode.NO_WORDS: _("The row has neither a stem nor options."),
        ErrorCode.SHARED_IDS: _(
            "Several files have the same IDs, which are kept apart: “%(found)s” is called “%(named)s”."
        ),
        ErrorCode.NUMBER_AS_SHOWN: _("The number is read as its format shows it: “%(found)s”."),
        ErrorCode.NUMBER_AS_STORED: _(
            "The number is read without its format, which the file does not settle: “%(found)s”."
        ),
        ErrorCode.FORMULA_NOT_COMPUTED: _(
            "The cell has a formula that no spreadsheet program has calculated yet: “%(found)s” may not be"
            " what it shows. Open the file in Excel and save it again."
        ),
        ErrorCode.STRUCK_OUT: _("Struck-out words are not read: “%(found)s”."),
        ErrorCode.CELL_IS_MERGED: _("The merged cell of row %(first_row)d also counts here."),
        ErrorCode.ROW_HIDDEN: _("The row is hidden or filtered out in the spreadsheet, and is read."),
        ErrorCode.COLUMN_HIDDEN: _("The column is hidden in the spreadsheet, and is read."),
        ErrorCode.NO_SUCH_SHEET: _("The file has no sheet “%(found)s”. Its sheets: %(sheets)s."),
        ErrorCode.ROW_ABOVE_NAMES: _("The row is above the names of the columns, and is not read."),
        ErrorCode.SHEET_READ: _(
            "Of the sheets of the file, this one is read. To read another: --sheet, or “Sheet or"
            " configuration” on the import page."
        ),
        ErrorCode.SHEET_NOT_READ: _("This sheet is not read; filled rows in it: %(rows)d."),
        ErrorCode.CONFIG_READ: _(
            "Of the configurations of the data set (%(found)s), this one is read. To read another: --sheet,"
            " or “Sheet or configuration” on the import page."
        ),
        ErrorCode.PART_READ: _("Rows %(first)d to %(last)d are of this file, split %(split)s."),
        ErrorCode.PART_NOT_READ: _("The file is not read: most files of the data set are %(kind)s."),
        ErrorCode.SPLIT_BY_NAME: _("No row says its split; by the name of the file it is %(split)s."),
        ErrorCode.MAPPED: _("The file is read as: %(mapping)s."),
        ErrorCode.RIGHT_FIRST: _("The right option is apart from the others; it is read as option A."),
        ErrorCode.LINES_JOINED: _("The lines of a list are read as one text, each on a line of its own."),
        ErrorCode.MARKUP_LOST: _("Plain text has no place for: %(found)s. The rest is read."),
        ErrorCode.NO_HEADER: _("The first row names no columns; they are taken for: %(found)s."),
        ErrorCode.KIND_NOT_READ: _("A question of the kind “%(kind)s” is not read."),
        ErrorCode.TEXT_NOT_READ: _("Text that belongs to no question is not read: “%(found)s”."),
        ErrorCode.KEY_BY_MARK: _("Option %(letter)s alone is marked (%(mark)s) and is read as the key."),
        ErrorCode.ANSWERS_NOT_KEYS: _(
            "Answers of annotators and models are not read as keys; answers here: %(count)d."
        ),
        ErrorCode.HTML_AS_TEXT: _("The text has HTML and is read as plain text."),
        ErrorCode.SPANS_AS_ANSWER: _(
            "The marked spans are read as the answer of the item, their labels as roles."
        ),
        ErrorCode.MARKS_NOT_READ: _("Annotations of the kind “%(kind)s” are not read."),
        ErrorCode.LABEL_NO_ROLE: _(
            "Spans labelled “%(found)s” are not read; labels that are roles: %(allowed)s."
        ),
        ErrorCode.OPTIONS_FROM_LABELS: _(
            "The options are the labels in the file: %(found)s. Labels that were never chosen are not in it."
        ),
        ErrorCode.ENCODING_READ: _("The file is not UTF-8; it is read as %(encoding)s."),
        ErrorCode.APOSTROPHE_REMOVED: _(
            "The apostrophe that keeps a spreadsheet from running “%(found)s” is no part of the text."
        ),
        ErrorCode.MORE_REMARKS: _("More than %(limit)d kinds of remarks; the rest is not shown."),
    }
)
IN_ROWS: Final = _("(%(n)d rows: %(rows)s)")
OF_ITEM: Final = _("Item: %(id)s.")
_ROWS_NAMED: Final = 8


def parameters(code: ErrorCode) -> frozenset[str]:
    """Return the names of the parameters that the sentence of an error code contains."""
    return frozenset(_PARAMETER.findall(SENTENCES[code]))


def error_message(error: RowError, translate: Callable[[str], str] = str) -> str:
    """Return the message of an error, without file and field; the rows are listed if there are several."""
    sentence = translate(SENTENCES[error.code]) % error.params
    if error.count == 1:
        of_item = error.items and error.items[0]
        return f"{sentence} {translate(OF_ITEM) % {'id': excerpt(error.items[0])}}" if of_item else sentence
    named = [
        f"{row} ({excerpt(item)})" if item else str(row)
        for row, item in zip_longest(error.rows[:_ROWS_NAMED], error.items[:_ROWS_NAMED])
    ]
    named += ["…"] if error.count > _ROWS_NAMED else []
    return f"{sentence} {translate(IN_ROWS) % {'n': error.count, 'rows': ', '.join(named)}}"


def grouped(errors: Iterable[RowError]) -> list[RowError]:
    """Merge the errors that have the same file, field and code.

    A merged error has all rows, and the first error's parameters.
    """
    found: dict[tuple[str, str, ErrorCode], RowError] = {}
    for error in errors:
        name = (error.file, error.field, error.code)
        known = found.get(name, replace(error, rows=(), items=(), count=0))
        rows, items = (*known.rows, error.row), (*known.items, *error.items)
        found[name] = replace(known, rows=rows, items=items, count=known.count + 1)
    return [*found.values()]


def english(error: RowError) -> str:
    """Return the English message of an error, without file, row and field."""
    return error_message(error)


def english_with_place(error: RowError) -> str:
    """Return the English message of an error with file, row and field: `items.jsonl, row 3, answer: ...`."""
    return f"{error.file}, row {error.row}, {error.field}: {english(error)}"
