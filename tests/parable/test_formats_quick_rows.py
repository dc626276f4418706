"""Rows of JSON that are read by a quick way are read as they are by the way that takes any row."""

import json
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parable.commands.second_process import this_process
from parable.formats import json_reader, limits, parable_jsonl, read_items, type_codes
from parable.formats.errors import ErrorList, InputError
from parable.formats.fields import RowFields
from parable.formats.keys import FROM_ZERO, Numbers
from parable.formats.limits import ANYBODYS, OURS, RELEASED, ItemRules
from parable.formats.parable_jsonl import read_parable_item

ROW: Final[dict[str, Any]] = {
    "id": "i-1", "source_id": "", "task": "commonsense", "split": "dev", "story_id": "s-1", "title": "乌鸦",
    "story": "乌鸦口渴了。", "question": "它可能做什么？", "choices": ["投石子", "飞走", "睡觉", "唱歌"],
    "answer": 0, "answer_letter": "A", "types": ["physical"], "style": "human", "generators": [],
    "explanation": None, "language": "zh",
}  # fmt: skip

ODD: Final[tuple[Any, ...]] = (
    None, "", " ", " a", "a ", "a | b", "|", "a\nb", "a\u0085", "\u200b", "\u3000", "x" * 40, "x" * 250,
    "x" * 600, "x" * 2_001, "x" * 4_001, "x" * 10_001, "x" * 100_001, 0, 1, -1, 4, True,
    False, 1.0, "0", "A", "B", "a", "E",
    "moral", "true_false", "cloze", "ordering", "anomaly", "human", "machine", "in", "out", "dev", "physical",
    "Physical", [], [""], ["a"], ["a", "a"], ["a", " b"], ["a", None], ["a", 1], ["a", "x" * 201],
    ["a", "x" * 2_001], ["A. 投石子", "B. 飞走"], ["B. 投石子", "A. 飞走"], ["投石子", "投石子", "飞走"],
    [str(number) for number in range(21)], [str(number) for number in range(27)], {}, {"A": "a", "B": "b"},
)  # fmt: skip
"""Values of which each field takes some as they are, cleans some and refuses some."""


def read(values: dict[str, Any], rules: ItemRules, numbers: Numbers, *, coded: bool) -> tuple[Any, ...]:
    """What comes of a row: the record where it is sound, its state, and what is said of it."""
    errors = ErrorList("items.jsonl")
    row = RowFields(3, values, errors, rules=rules)
    found = read_parable_item(row, codes=type_codes() if coded else None, numbers=numbers)
    return found if row.sound else None, row.typed, row.trimmed, row.remarks, errors.in_order()


def read_both(
    values: dict[str, Any], rules: ItemRules, numbers: Numbers = FROM_ZERO, *, coded: bool = False
) -> None:
    """Compare the quick way with the other one."""
    found = read(values, rules, numbers, coded=coded)
    with patch.object(parable_jsonl, "_read_plain_item", return_value=None):
        assert read(values, rules, numbers, coded=coded) == found


@pytest.mark.parametrize("rules", [OURS, ANYBODYS, RELEASED])
@pytest.mark.parametrize("field", [*ROW, "domain", "canary", "answers", "other"])
def test_an_item_with_one_odd_field_is_read_the_same_in_both_ways(field: str, rules: ItemRules) -> None:
    for value in ODD:
        read_both(ROW | {field: value}, rules)
        read_both(ROW | {field: value, "canary": "c"}, rules, coded=True)
    read_both({name: value for name, value in ROW.items() if name != field}, rules)
    read_both(ROW, rules, Numbers(1))


@given(
    st.dictionaries(st.sampled_from([*ROW, "domain", "canary"]), st.sampled_from(ODD), max_size=6),
    st.sampled_from([OURS, ANYBODYS, RELEASED]),
    st.booleans(),
)
@settings(max_examples=300)
def test_an_item_is_read_the_same_in_both_ways(
    changed: dict[str, Any], rules: ItemRules, coded: bool
) -> None:
    read_both(ROW | changed, rules, coded=coded)


def test_a_line_as_a_release_has_it_is_read_the_quick_way() -> None:
    with patch.object(parable_jsonl, "_read_any_item", side_effect=AssertionError):
        for rules in (OURS, ANYBODYS, RELEASED):
            for row in (ROW, ROW | {"canary": "c", "domain": "in", "answer": 3, "answer_letter": "D"}):
                assert read(row, rules, FROM_ZERO, coded=True)[0] is not None


def decoded(text: str) -> object:
    """The value, with types that `==` does not tell apart, or the error."""
    try:
        return repr(json_reader._decode(text))
    except (InputError, json.JSONDecodeError) as error:
        return type(error), str(error), vars(error)


VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


def decode_both(text: str) -> None:
    """Compare the quick way with the other one."""
    found = decoded(text)
    with patch.object(json_reader, "_flat_object", return_value=None):
        assert decoded(text) == found


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", 'c"', "d\\", "e:"]), VALUES), max_size=4),
    st.sampled_from(["", " ", "\t"]),
    st.booleans(),
)
@example([("a", 1), ("a", 2)], "", False)
@example([("a", "\\"), ("a", 'x"')], " ", False)
@example([("a", 10**19)], "", False)
@example([("a", 10**21)], "", False)
@settings(max_examples=400)
def test_an_object_is_decoded_the_same_in_both_ways(
    pairs: list[tuple[str, object]], space: str, ascii_only: bool
) -> None:
    written = [[json.dumps(part, ensure_ascii=ascii_only) for part in pair] for pair in pairs]
    decode_both("{" + ",".join(f"{space}:".join(pair) for pair in written) + "}")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a\\\\": "x\\\\", "a\\\\": "y\\\\"}', '{"a": "x", "a" : "y"}',
        '{"a": ["b"], "a": []}', '{"a": "\\\\", "a": "\\""}',
        '{"a": 123456789012345678901234}', '{"a": 18446744073709551616}', '{"a": [18446744073709551616]}',
        '{"a": 1e400}', '{"a": NaN}', '{"a": "\t"}', '{"a": "\\ud800"}', '{"a": "\udcff"}', '{"a": 1} x', "{",
        '{"a": {"b": 1, "b": 2}}', '{"a": -0}', '{"a": 01}', '{"\\u0061": 1, "a": 2}', "[1]", '"a"', "",
    ],
)  # fmt: skip
def test_odd_json_is_decoded_the_same_in_both_ways(text: str) -> None:
    decode_both(text)


def test_flat_objects_are_decoded_the_quick_way() -> None:
    for row in (ROW, ROW | {"story": 'Er sagte: "Ja."\nNein.'}):
        for ascii_only in (True, False):
            text = json.dumps(row, ensure_ascii=ascii_only)
            assert json_reader._flat_object(text) == row


def line_of(number: int, **changed: Any) -> str:
    """A line of ours."""
    row = ROW | {"id": f"i-{number}", "story_id": f"s-{number // 4}", "canary": "c"} | changed
    return json.dumps(row, ensure_ascii=False)


LINES: Final = [line_of(number) for number in range(40)]
FILES: Final = {
    "plain": "\n".join(LINES) + "\n",
    "without a last line end": "\n".join(LINES),
    "with a mark, empty lines and others' line ends": "\ufeff" + "\r\n\n".join(LINES) + "\n\n",
    "an item twice": "\n".join([*LINES, LINES[0]]),
    "an id twice": "\n".join([*LINES, line_of(0, question="为什么？")]),
    "a line that is broken": "\n".join([*LINES[:30], "{", *LINES[30:]]),
    "a line without an id": "\n".join([*LINES[:30], line_of(30, id=None), *LINES[31:]]),
    "an unknown field": "\n".join([*LINES[:30], line_of(30, other=1), *LINES[31:]]),
    "letters before options": "\n".join([*LINES[:30], line_of(30, choices=["A. a", "B. b"]), *LINES[31:]]),
    "a first line that is not plain": "\n".join([line_of(0, title=" a"), *LINES[1:]]),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("size", [1, 700, 3_000, 100_000])
def test_a_long_file_is_read_the_same_in_parts(
    name: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(FILES[name], encoding="utf-8", newline="")
    monkeypatch.setattr(limits, "LONG_FILE_BYTES", 100)
    monkeypatch.setattr(parable_jsonl, "_PART", size)
    whole = read_items(path, name=path.name, rules=ANYBODYS)
    assert read_items(path, name=path.name, rules=ANYBODYS, begin=this_process().begin) == whole
    assert len(whole.rows) >= 30


@pytest.mark.parametrize("size", [1, 60, 700, 100_000])
def test_parts_of_a_file_end_at_the_ends_of_lines(size: int, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(FILES["plain"], encoding="utf-8")
    data = path.read_bytes()
    parts = [data[start:end] for start, end in json_reader.line_parts(path, size)]
    assert b"".join(parts) == data
    assert all(part.endswith(b"\n") and len(part) >= min(size, len(data)) for part in parts[:-1])


def test_a_long_file_of_plain_lines_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(FILES["plain"], encoding="utf-8")
    monkeypatch.setattr(limits, "LONG_FILE_BYTES", 100)
    monkeypatch.setattr(parable_jsonl, "read_json_items", lambda *_all, **_named: pytest.fail("line by line"))
    found = read_items(path, name=path.name, rules=ANYBODYS, begin=this_process().begin)
    assert [row.row for row in found.rows] == [*range(1, 41)]
