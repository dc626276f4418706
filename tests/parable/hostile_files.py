"""Files that are broken, by accident or on purpose, and what is to be said of each."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

CRMUS_ITEM: Mapping[str, Any] = {
    "id": "1_1",
    "title": "乌鸦和水罐",
    "story": "乌鸦口渴了。",
    "question": "它可能做什么？",
    "options": ["A．投石子", "B．飞走", "C．睡觉", "D．唱歌"],
    "answer": "A",
    "type": "物理常识",
}
PARABLE_ITEM: Mapping[str, Any] = {
    "id": "crow-c1",
    "task": "commonsense",
    "story_id": "crow",
    "title": "The crow",
    "story": "A crow was thirsty.",
    "question": "What may it do?",
    "choices": ["drop pebbles", "fly away", "sleep", "sing"],
    "answer": 0,
    "answer_letter": "A",
    "types": ["physical"],
}
DEEP = "[" * 100_000 + "]" * 100_000


def crmus(**changes: Any) -> bytes:
    """A list of two items, the first sound, the second with these changes; ... leaves a field out."""
    return json.dumps([{**CRMUS_ITEM, "id": "0_0"}, _changed(CRMUS_ITEM, changes)]).encode()


def lines(**changes: Any) -> bytes:
    """Two lines of our own, the first sound, the second with these changes; ... leaves a field out."""
    items = [{**PARABLE_ITEM, "id": "sound"}, _changed(PARABLE_ITEM, changes)]
    return "".join(json.dumps(item) + "\n" for item in items).encode()


def published(**changes: Any) -> bytes:
    """A line of SpaCE2024 with these changes."""
    item = {"qid": "1", "text": "山上有树。", "question": "何处？", "answer": ["A"]}
    return json.dumps(item | {"option": {"A": "上", "B": "下", "C": "左", "D": "右"}} | changes).encode()


def own(words: str) -> bytes:
    """A line of ours with an answer of its own form, in which these words are marked."""
    item = {"id": "1", "task": "anomaly_spans", "story": "山上有树。", "question": "", "choices": []}
    marks = [[{"role": "S1", "text": words, "positions": [0]}]]
    return json.dumps(item | {"own": {"answer": marks}}).encode()


def _changed(item: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**item, **changes}.items() if value is not ...}


class Case(NamedTuple):
    """Input, and what is said of it: row, field and code."""

    label: str
    data: bytes
    row: int
    field: str
    code: str
    format: str = "auto"


CASES = [
    # The whole file.
    Case("empty", b"", 1, "file", "empty_file"),
    Case("only white space", b" \n\t\n", 1, "file", "empty_file"),
    Case("not JSON", b"this is not JSON", 1, "file", "unknown_format"),
    Case("not JSON, asked for as such", b"not JSON\nat all\n", 1, "row", "not_json", "parable"),
    Case("not JSON, asked for as crmus", b"not JSON", 1, "row", "not_json", "crmus"),
    Case("a JSON text", b'"hello"', 1, "row", "not_an_object", "crmus"),
    Case("a JSON number", b"12", 1, "row", "not_an_object", "parable"),
    Case("one object over many lines", b'{\n "data": [1]\n}', 1, "file", "wrong_shape"),
    Case("a list of texts", b'["a", "b"]', 2, "row", "not_an_object"),
    Case("a list that is cut off", crmus()[:-40], 2, "file", "unclosed_list"),
    Case("text after the list", crmus() + b" {}", 3, "file", "text_after_list"),
    Case("UTF-16 that breaks off", crmus().decode().encode("utf-16")[:-1], 1, "file", "utf16"),
    Case("UTF-32", crmus().decode().encode("utf-32"), 1, "file", "utf16"),
    Case(
        "GBK that breaks off",
        json.dumps([CRMUS_ITEM], ensure_ascii=False).encode("gb18030") + b"\xd2",
        1,
        "file",
        "not_utf8",
    ),
    Case("a picture", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", 1, "file", "other_file"),
    Case("one byte that is not UTF-8", lines(title="@").replace(b"@", b"\xff"), 2, "title", "not_utf8"),
    Case("a spreadsheet that is none", b"PK\x03\x04 nothing", 1, "file", "not_xlsx"),
    Case("a spreadsheet as JSON", b"PK\x03\x04 nothing", 1, "file", "is_spreadsheet", "crmus"),
    Case("an old Excel file", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 1, "file", "old_excel"),
    # A row of JSON.
    Case("a broken line", lines() + b'{"id": "x", \n', 3, "id", "not_json"),
    Case("an element without its end", crmus(title="@").replace(b'@"', b""), 2, "title", "not_json"),
    Case("a comma too many", crmus()[:-1] + b",]", 3, "row", "not_json"),
    Case("nesting 100,000 deep in a list", b'[{"story": ' + DEEP.encode() + b"}]", 1, "story", "too_deep"),
    Case("nesting 100,000 deep in a line", b'{"story": ' + DEEP.encode() + b"}", 1, "story", "too_deep"),
    Case("nothing but 100,000 brackets", DEEP[:100_000].encode(), 1, "row", "too_deep"),
    Case(
        "a field twice",
        crmus(title="@").replace(b'"@"', b'"a", "answer": "B"'), 2, "answer", "duplicate_field",
    ),
    Case("NaN", lines(answer=float("nan")), 2, "answer", "not_a_number"),
    Case("infinity", lines(answer=-float("inf")), 2, "answer", "not_a_number"),
    Case(
        "a number of 5,000 digits",
        lines(answer="@").replace(b'"@"', b"9" * 5000), 2, "answer", "number_too_long",
    ),
    Case("a bare NUL", lines(title="@").replace(b"@", b"\x00"), 2, "title", "control_character"),
    # Fields.
    Case("no story", crmus(story=...), 2, "story", "missing"),
    Case("a story of white space", crmus(story=" \u3000\n"), 2, "story", "missing"),
    Case("a story of invisible marks", crmus(story="\u200b\ufeff"), 2, "story", "missing"),
    Case("no question", lines(question=None), 2, "question", "missing"),
    Case("no id", lines(id=""), 2, "id", "missing"),
    Case("an id over two lines", lines(id="a\nb"), 2, "id", "line_break"),
    Case("a story that is true", crmus(story=True), 2, "story", "not_text"),
    Case("a title that is a list", crmus(title=["a"]), 2, "title", "not_text"),
    Case("an id that is 1.5", crmus(id=1.5), 2, "id", "not_text"),
    Case("an escaped NUL", crmus(story="a\x00b"), 2, "story", "control_character"),
    Case("an escape character", lines(question="a\x1b[31mb"), 2, "question", "control_character"),
    Case("a lone surrogate", crmus(story="a\ud800b"), 2, "story", "lone_surrogate"),
    Case("a story of 10 MB", crmus(story="x" * 10_000_000), 2, "story", "too_long"),
    Case(
        "an option of 10 MB",
        crmus(options=["A．x" + "x" * 10_000_000, "B．y"]), 2, "options[A]", "too_long",
    ),
    Case("an answer of 10 MB", crmus(answer="A" * 10_000_000), 2, "answer", "too_long"),
    Case("an unknown task", lines(task="riddle"), 2, "task", "unknown_value"),
    Case(
        "a task that is a list, in the first row",
        json.dumps({**PARABLE_ITEM, "task": ["moral"]}).encode(), 1, "task", "not_text",
    ),
    Case("an answer that is no option, as published", published(answer=["AB"]), 1, "answer", "bad_answers"),
    Case("a NUL in a text, as published", published(text="a\0b"), 1, "text", "control_character"),
    Case("a NUL in an answer of its own form", own("a\0b"), 1, "own", "control_character"),
    Case("a lone surrogate in it", own("a\ud800b"), 1, "own", "lone_surrogate"),
    Case("no task", lines(task=None), 2, "task", "missing"),
    Case("an unknown style", lines(style="alien"), 2, "style", "unknown_value"),
    Case("an unknown domain", crmus(domain="near"), 2, "domain", "unknown_value"),
    Case("an unknown type", crmus(type="社会常识、化学常识"), 2, "type", "unknown_type"),
    Case("an empty type", crmus(type=""), 2, "type", "missing"),
    Case("types that are no list", lines(types="social"), 2, "types", "not_a_list"),
    Case("a type that is a number", lines(types=["social", 3]), 2, "types[2]", "not_text"),
    Case("too many generators", lines(generators=["m"] * 21), 2, "generators", "too_many_entries"),
    # Options and key.
    Case("no options", crmus(options=...), 2, "options", "missing"),
    Case("an empty list of options", crmus(options=[]), 2, "options", "too_few_options"),
    Case("one option", lines(choices=["a"]), 2, "choices", "too_few_options"),
    Case("27 options", crmus(options=[f"o{n}" for n in range(27)]), 2, "options", "too_many_options"),
    Case("options that are an object", crmus(options={"A": "a"}), 2, "options", "not_a_list"),
    Case("an option that is null", lines(choices=["a", None]), 2, "choices[B]", "not_text"),
    Case("an option of its letter only", crmus(options=["A．a", "B．"]), 2, "options[B]", "missing"),
    Case("equal options", lines(choices=["a", "b", "a", "c"]), 2, "choices", "equal_options"),
    Case(
        "options equal but for width and case",
        crmus(options=["A．Ａ B", "B．a  b"]), 2, "options", "equal_options",
    ),
    Case("letters out of order", crmus(options=["B．b", "A．a"]), 2, "options", "option_letters"),
    Case("two keys", crmus(answer="AB"), 2, "answer", "two_keys"),
    Case("two keys, set apart", crmus(answer="A、C"), 2, "answer", "two_keys"),
    Case("two keys in a list", crmus(answer=["A", "C"]), 2, "answer", "two_keys"),
    Case("two keys in our own lines", lines(answer=[0, 2]), 2, "answer", "two_keys"),
    Case("two letters in our own lines", lines(answer="A,C"), 2, "answer", "two_keys"),
    Case("a key outside the options", crmus(answer="E"), 2, "answer", "key_outside"),
    Case("a position outside the options", lines(answer=4), 2, "answer", "key_outside"),
    Case("a position below -1", lines(answer=-2), 2, "answer", "key_outside"),
    Case("a word for an answer", crmus(answer="none"), 2, "answer", "bad_answer"),
    Case("a number for a letter", crmus(answer=1), 2, "answer", "open_numbers"),
    Case("another letter for a number", lines(answer="B"), 2, "answer_letter", "answer_mismatch"),
    Case("an answer that is true", lines(answer=True), 2, "answer", "bad_answer"),
    Case("an answer that is 1.5", lines(answer=1.5), 2, "answer", "bad_answer"),
    Case("an answer and another letter", lines(answer_letter="B"), 2, "answer_letter", "answer_mismatch"),
    Case("an id twice, with other words", crmus(id="0_0", question="？"), 2, "id", "duplicate_id"),
    # Tables.
    Case("a table without stories", b"id,question\n1,why?\n", 1, "story", "missing_column", "table"),
    Case("a table without stories, not named as one", b"id,question\n1,why?\n", 1, "story", "missing_column"),
    Case("a column twice", b"id,story,text\n1,a,b\n", 1, "text", "duplicate_column"),
    Case("a separator in a bare text", b"id,story\n1,one, two\n", 2, "row", "extra_cells"),
    Case("a quotation mark never closed", b'id,story\n1,a\n2,"one\n', 3, "row", "unclosed_quote"),
    Case("a quotation mark inside", b'id,story\n1,"a" b\n2,c\n', 2, "row", "broken_csv"),
    Case("a NUL in a cell", b"id,story\n1,a\x00b\n", 2, "story", "control_character"),
    Case("a cell of 10 MB", b"id,story\n1," + b"x" * 10_000_000, 2, "story", "too_long"),
    Case("a byte that is not UTF-8 in a cell", b"id,story\n1,a\xffb\n", 2, "story", "not_utf8"),
    Case("20,000 empty columns", b"story" + b"," * 20_000, 1, "row", "too_many_columns"),
    Case("65 columns", b"story" + b",x" * 64, 1, "row", "too_many_columns"),
    Case("two keys in a table", b"story,A,B,answer\ns,a,b,1;2\n", 2, "answer", "two_keys"),
    Case("a key without its option", b"story,A,B,C,answer\ns,a,,c,B\n", 2, "answer", "key_on_empty"),
    Case("equal options in a table", "故事,选项A,选项B\ns,x,Ｘ\n".encode(), 2, "选项B", "equal_options"),
]  # fmt: skip

STORY_CASES: list[tuple[bytes, int, str, str]] = [
    (b"", 1, "file", "empty_file"),
    (b"hello", 1, "file", "unknown_format"),
    (b'{"title": "a"}', 1, "text", "missing"),
    (b'[{"text": "a"}, {"text": 3}]', 2, "text", "not_text"),
    (b'{"text": "a", "moral": ["b"]}', 1, "moral", "not_text"),
    (b'{"text": "a", "language": "' + b"x" * 40 + b'"}', 1, "language", "too_long"),
    (b'{"id": "1", "text": "a"}\n{"id": "1", "text": "b"}', 2, "id", "duplicate_id"),
    ("编号,故事\n1,甲\n1,乙\n".encode(), 3, "编号", "duplicate_id"),
    (b"title,moral\na,b\n", 1, "text", "missing_column"),
    (b"id\n1\n", 1, "text", "missing_column"),
    ('{"text": "a"}'.encode("utf-16")[:-1], 1, "file", "utf16"),
]
