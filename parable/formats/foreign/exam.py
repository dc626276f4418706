"""Plain text as teachers type tests: stories, numbered stems, lettered options, and lines with the answer.

`1.` begins a question and `A.`, `B、` or `（C）` an option; options may share a line. Paragraphs before a
question are the story of this question and of those after it, until other paragraphs follow; a short first
line is the title. The key is a line `Answer: B` or `答案：B`, a letter in the brackets of the stem, or a list
at the end (`1. B 2. C`, `1-5 BCADB`); `解析：` or `Explanation:` begins the explanation. Text that belongs to
no question is named.

Made by anybody who types a test. Tried with files of our own.
"""

from typing import Final

from parable.formats.exam_lines import Line, has_questions, read_exam
from parable.formats.format import Content, Format

_LOOKED_AT: Final = 20_000


FORMAT: Final = Format(
    code="exam",
    label="Test as plain text",
    label_zh="纯文本试卷",
    contents=frozenset({Content.TEXT}),
    detect=lambda file: has_questions(map(Line, file.plain[:_LOOKED_AT].splitlines())),
    is_loose=True,
    rows=lambda file, errors: read_exam(map(Line, file.text.splitlines()), errors),
)
