"""Reads items from a table, including unfinished items (drafts), whose absent fields stay empty.

Made by any spreadsheet, saved as XLSX or CSV. Tried with LibreOffice 7.4.7, pandas 3.1.1 and XlsxWriter
3.3.1.
"""

# Names tasks: the layout of a published set names its tasks.

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from parable.formats import limits
from parable.formats.crmus import COMMONSENSE, MORAL
from parable.formats.errors import ErrorCode, excerpt
from parable.formats.fields import RowFields
from parable.formats.format import Format, ItemFile
from parable.formats.keys import FROM_ONE, Numbers, find_numbers, read_key_field
from parable.formats.labels import TypeCodes, codes_of, split_types
from parable.formats.option_marks import LETTERS
from parable.formats.options import equal_pair, is_blank
from parable.formats.other_answers import ORDER, has_one_answer, read_several
from parable.formats.records import HUMAN, MACHINE, ItemRecord
from parable.formats.tables import Table
from parable.kinds import codes as task_codes
from parable.kinds import kind_of
from parable.splits import split_named

STANDARD_MORAL_STEMS: Final = frozenset(
    {"下列哪个选项最符合故事说明的寓意？", "Which option best fits the moral of the story?"}
)
"""Stems by which a row without a task is recognised as a moral item."""

_OPTION_FIELDS: Final = tuple(LETTERS[: limits.MAX_OPTIONS])


ITEM_COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "id": "id",
        "编号": "id",
        "task": "task",
        "任务": "task",
        "storyid": "story_id",
        "故事编号": "story_id",
        "title": "title",
        "标题": "title",
        "story": "story",
        "text": "story",
        "故事": "story",
        "question": "question",
        "stem": "question",
        "题干": "question",
        "题目": "question",
        "题号": "id",
        "正确答案": "answer",
        "参考答案": "answer",
        "标准答案": "answer",
        "解析": "explanation",
        "答案解析": "explanation",
        "正确选项": "answer",
        "correctanswer": "answer",
        "问题": "question",
        "answer": "answer",
        "key": "answer",
        "答案": "answer",
        "type": "type",
        "types": "type",
        "类型": "type",
        "explanation": "explanation",
        "解释": "explanation",
        "style": "style",
        "风格": "style",
        "language": "language",
        "语言": "language",
    }
    | {
        name: option
        for number, option in enumerate(_OPTION_FIELDS, start=1)
        for letter in [option.casefold()]
        for name in (letter, f"option{letter}", f"选项{letter}", f"option{number}", f"选项{number}")
    }
)
"""The field that each column of an item table fills, by column name as `fold_name` returns it."""

ITEM_TABLE_FIELDS: Final = tuple(dict.fromkeys(ITEM_COLUMNS.values()))
"""The fields that a table of items may fill, in the order in which a page offers them."""

REQUIRED_COLUMNS: Final = ("story", "story_id")
"""A table to be imported needs at least one of these columns, since each item needs its story."""
ANY_COLUMNS: Final = ("question", *REQUIRED_COLUMNS)
"""A table that is only judged needs at least one of these columns."""

_TASK_NAMES: Final = MappingProxyType(
    {
        "cr": COMMONSENSE,
        "常识": COMMONSENSE,
        "常识推理": COMMONSENSE,
        "mu": MORAL,
        "寓意": MORAL,
        "寓意理解": MORAL,
    }
)
_STYLE_NAMES: Final = MappingProxyType({HUMAN: HUMAN, "人工": HUMAN, MACHINE: MACHINE, "机器": MACHINE})


def read_table_item(row: RowFields, *, codes: TypeCodes, numbers: Numbers = FROM_ONE) -> ItemRecord:
    """Return the item that a row describes; callers must discard it if `row` has errors."""
    question = row.text("question", limits.MAX_STEM_CHARS)
    types = codes_of(row, "type", split_types(row.text("type", limits.MAX_NAME_CHARS)), codes)
    likely = MORAL if question in STANDARD_MORAL_STEMS and not types else COMMONSENSE
    task = _named(row, "task", task_names()) or likely
    choices, answer, answers = _choices_and_answer(row, task, numbers)
    if not question and not choices:
        row.remark("question", ErrorCode.NO_WORDS)
    story_id = row.identifier("story_id") or None
    is_ours = not row.rules.is_judged_elsewhere
    return ItemRecord(
        id=row.identifier("id") or ("" if is_ours else row.place),
        task=task,
        story_id=story_id,
        title=row.text("title", limits.MAX_TITLE_CHARS),
        story=row.text("story", limits.MAX_STORY_CHARS, required=is_ours and story_id is None),
        question=question,
        choices=choices,
        answer=answer,
        answers=answers,
        types=types,
        style=_named(row, "style", _STYLE_NAMES) or HUMAN,
        explanation=row.text("explanation", limits.MAX_EXPLANATION_CHARS) or None,
        language=row.line("language", limits.MAX_LANGUAGE_CHARS),
        split=split_named(split := row.line("split", limits.MAX_NAME_CHARS)) or split or None,
    )


def task_names() -> dict[str, str]:
    """Return the task codes by name: by the code itself, and by names in tables of the published set."""
    return {code: code for code in task_codes()} | _TASK_NAMES


def _named(row: RowFields, field: str, names: Mapping[str, str]) -> str:
    found = row.line(field, limits.MAX_NAME_CHARS)
    code = names.get(found.casefold(), "")
    if found and not code:
        row.error(field, ErrorCode.UNKNOWN_VALUE, found=excerpt(found), allowed=", ".join(names))
    return code


def _choices_and_answer(
    row: RowFields, task: str, numbers: Numbers
) -> tuple[tuple[str, ...], int | None, tuple[int, ...]]:
    """Return (non-empty options, position of the key or None, positions of several keys)."""
    cells = option_cells(row)
    is_ours = not row.rules.is_judged_elsewhere
    for empty in (at for at, cell in enumerate(cells) if is_ours and is_blank(cell)):
        row.remark(_OPTION_FIELDS[empty], ErrorCode.LOST_OPTION)
    filled = [place for place, cell in enumerate(cells) if not (is_ours and is_blank(cell))]
    choices = tuple(cells[place] for place in filled)
    row.keep_typed([row.values.get(LETTERS[place]) for place in filled], choices)
    if is_ours and (pair := equal_pair(choices)):
        first, second = (_OPTION_FIELDS[filled[place]] for place in pair)
        row.error(second, ErrorCode.EQUAL_OPTIONS, first=first, second=second)
    if not has_one_answer(task):
        return choices, None, _several(row, task, cells, filled, numbers)
    key = read_key_field(row, cells, numbers)
    if key is not None and key not in filled:
        row.refuse_key("answer", ErrorCode.KEY_ON_EMPTY, found=excerpt(row.values["answer"]))
    return choices, filled.index(key) if key in filled else None, ()


def _several(
    row: RowFields, task: str, cells: tuple[str, ...], filled: list[int], numbers: Numbers
) -> tuple[int, ...]:
    """Return the positions that the letters in the answer name; () if unusable.

    Positions are those among the filled options.
    """
    text = row.line("answer", limits.MAX_ANSWER_CHARS)
    is_order = kind_of(task).answer == ORDER
    if is_order and len(filled) < len(cells):
        return ()  # an order with an empty option between is half finished
    places = read_several(row, "answer", text, task, len(cells), numbers)
    if set(places) - set(filled):
        row.refuse_key("answer", ErrorCode.KEY_ON_EMPTY, found=excerpt(text))
        return ()
    return tuple(filled.index(place) for place in places)


def option_cells(row: RowFields) -> tuple[str, ...]:
    """Return the option cells up to the last filled one, without letters before the options."""
    cells = [row.text(field, limits.MAX_OPTION_CHARS) for field in _OPTION_FIELDS]
    while cells and is_blank(cells[-1]):
        cells.pop()
    texts = list(row.unmarked(_OPTION_FIELDS[0], cells))
    while texts and is_blank(texts[-1]):
        texts.pop()
    return tuple(texts)


def numbered_answers(rows: Iterable[RowFields]) -> Iterator[tuple[int, object, tuple[str, ...]]]:
    """Yield the row number, the answer and the options of each row of a table, as `find_numbers` expects."""
    for row in rows:
        options = [str(row.values.get(field) or "") for field in _OPTION_FIELDS]
        while options and is_blank(options[-1]):
            options.pop()
        yield row.row, row.values.get("answer"), tuple(options)


def number_of_first(row: Mapping[str, str]) -> int | None:
    """Return 0 if the columns of options are numbered from 0 ("answer0", "answer1"), else None."""
    found = [re.search(r"(\d+)\D*$", row[field]) for field in _OPTION_FIELDS if field in row]
    numbers = [int(match[1]) for match in found if match]
    return 0 if len(found) > 1 and numbers == [*range(len(found))] else None


def _read(source: ItemFile) -> None:
    rules = source.rules
    table = Table(
        source.file,
        source.errors,
        ITEM_COLUMNS,
        required=ANY_COLUMNS if rules.is_judged_elsewhere else REQUIRED_COLUMNS,
        columns=source.columns,
        rules=rules,
        sheet=source.sheet,
    )
    source.items.ignore(table.ignored, cells=0)
    rows = deque(table)
    counted = find_numbers(
        numbered_answers(rows),
        given=source.numbers,
        named=number_of_first(table.shown),
        is_judged_elsewhere=rules.is_judged_elsewhere,
    )
    while rows:  # frees each row once it is read: rows and items of a large file need much memory
        fields = rows.popleft()
        source.items.ignore(fields.unread)
        source.items.add(fields, read_table_item(fields, codes=source.codes, numbers=counted))


FORMAT: Final = Format(code="table", label="table (XLSX or CSV)", label_zh="表格（XLSX 或 CSV）", read=_read)
