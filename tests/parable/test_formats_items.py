"""Items are read from our own lines, from the CRMUS layout and from tables."""

import json
from pathlib import Path
from typing import Any

import pytest

from parable.formats import COMMONSENSE, HUMAN, MACHINE, MORAL, ItemRecord, english, read_items, type_codes
from parable.formats.limits import ANYBODYS
from parable.quality.item.from_records import unfinished
from tests.parable.hostile_files import CRMUS_ITEM, PARABLE_ITEM

CROW = ItemRecord(
    id="1_1",
    task=COMMONSENSE,
    story_id=None,
    title="乌鸦和水罐",
    story="乌鸦口渴了。",
    question="它可能做什么？",
    choices=("投石子", "飞走", "睡觉", "唱歌"),
    answer=0,
    types=("physical",),
)


def one(data: object, name: str = "items", **options: Any) -> ItemRecord:
    """The only item of a file of JSON, in which nothing is wrong."""
    reading = read_items(json.dumps(data, ensure_ascii=False).encode(), name=name, **options)
    assert reading.errors == ()
    (record,) = reading.records
    return record


def missing(record: ItemRecord) -> tuple[str, ...]:
    """The places of what keeps a record from being an item."""
    return tuple(finding.place for finding in unfinished(record))


def test_it_reads_the_crmus_layout() -> None:
    assert one([CRMUS_ITEM]) == CROW


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("dev_CRMUS_CR.json", "dev"),
        ("data/test_CRMUS_CR_public.json", "test"),
        ("C:\\data\\test.json", "test"),
        ("device.json", None),
        ("items.json", None),
    ],
)
def test_it_knows_the_split_of_a_crmus_file_by_its_name(name: str, split: str | None) -> None:
    assert one([CRMUS_ITEM], name=name).split == split


def test_it_takes_a_crmus_item_without_type_as_moral_and_human() -> None:
    item = {name: value for name, value in CRMUS_ITEM.items() if name != "type"}

    assert (one([item]).task, one([item]).types, one([item]).style) == (MORAL, (), HUMAN)
    assert one([item | {"type": None}]).task == MORAL
    assert one([item | {"style": "machine"}]).style == MACHINE


@pytest.mark.parametrize(
    "types", ["物理常识、社会常识", "社会常识、物理常识", "社会常识, 物理常识", "physical、社会常识"]
)
def test_it_reads_types_in_any_order(types: str) -> None:
    assert set(one([{**CRMUS_ITEM, "type": types}]).types) == {"physical", "social"}


def test_it_knows_the_types_of_a_project() -> None:
    codes = type_codes({"legal": "法律常识"})

    assert one([{**CRMUS_ITEM, "type": "法律常识"}], types=codes).types == ("legal",)
    assert one({**PARABLE_ITEM, "types": ["legal"]}, types=codes).types == ("legal",)
    assert read_items(json.dumps(PARABLE_ITEM).encode(), name="items", types=codes).errors
    assert one({**PARABLE_ITEM, "types": ["anything"]}).types == ("anything",)


@pytest.mark.parametrize("answer", ["", None, " "])
def test_it_reads_crmus_items_without_a_key(answer: str | None) -> None:
    assert one([{**CRMUS_ITEM, "answer": answer}]).answer is None
    assert one([{name: value for name, value in CRMUS_ITEM.items() if name != "answer"}]).answer is None


def test_it_reads_letters_past_d_and_full_width_ones() -> None:
    options = ["Ａ．甲", "Ｂ．乙", "Ｃ．丙", "Ｄ．丁", "Ｅ．戊", "Ｆ．己"]

    assert one([{**CRMUS_ITEM, "options": options, "answer": "Ｆ"}]).answer == 5
    assert one([{**CRMUS_ITEM, "options": options, "answer": "Ｆ"}]).choices[5] == "己"


def test_it_keeps_text_as_it_came_but_for_outer_white_space() -> None:
    record = one([{**CRMUS_ITEM, "story": "\u3000 第一段 \r\n\t第二段  \n", "title": " 题 目 "}])

    assert (record.story, record.title) == ("第一段 \n\t第二段", "题 目")


def test_it_reads_our_own_lines() -> None:
    record = one(
        {**PARABLE_ITEM, "split": "dev", "style": "machine", "generators": ["glm-4", "glm-4"], "canary": "x"}
    )

    assert (record.id, record.story_id, record.split) == ("crow-c1", "crow", "dev")
    assert (record.answer, record.style, record.generators) == (0, MACHINE, ("glm-4",))
    assert (record.explanation, record.domain, missing(record)) == (None, None, ())


@pytest.mark.parametrize(
    "answer", [{"answer": -1, "answer_letter": None}, {"answer": None, "answer_letter": None}]
)
def test_it_reads_our_own_lines_without_a_key(answer: dict[str, Any]) -> None:
    record = one({**PARABLE_ITEM, **answer})

    assert record.answer is None
    assert missing(record) == ("key",)


def test_it_takes_a_line_without_a_story_where_it_names_one() -> None:
    record = one({**{name: value for name, value in PARABLE_ITEM.items() if name != "story"}})

    assert (record.story_id, record.story) == ("crow", "")


def test_it_takes_numbers_as_ids() -> None:
    assert one({**PARABLE_ITEM, "id": 12}).id == "12"


def test_it_takes_letters_off_lines_of_others_and_not_of_a_release() -> None:
    item = {**PARABLE_ITEM, "choices": ["A. Milne", "B. Potter"]}
    assert one({**item, "canary": "x"}).choices == ("A. Milne", "B. Potter")
    reading = read_items(json.dumps(item).encode(), name="items")
    assert [row.record.choices for row in reading.rows] == [("Milne", "Potter")]
    assert [english(remark) for remark in reading.remarks] == [
        "Letters before the options, such as “A.”, were removed."
    ]


def test_it_says_which_fields_nobody_reads() -> None:
    reading = read_items(json.dumps({**PARABLE_ITEM, "note": 1, "anwser": 2}).encode(), name="items")

    assert reading.ignored == ("anwser", "note")


def test_it_returns_a_repeated_row_twice() -> None:
    line = json.dumps(PARABLE_ITEM).encode() + b"\n"

    reading = read_items(line + b"\n" + line, name="items")

    assert [row.row for row in reading.rows] == [1, 3]
    assert reading.errors == ()


def test_it_lets_the_two_tasks_share_an_id() -> None:
    items = [CRMUS_ITEM, {name: value for name, value in CRMUS_ITEM.items() if name != "type"}]

    reading = read_items(json.dumps(items).encode(), name="items")

    assert [record.task for record in reading.records] == [COMMONSENSE, MORAL]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (json.dumps([CRMUS_ITEM]), "crmus"),
        (json.dumps(CRMUS_ITEM), "crmus"),
        (json.dumps(PARABLE_ITEM), "parable"),
        (json.dumps([PARABLE_ITEM], indent=2), "parable"),
        ("\n\n  []\n", "crmus"),
        ("story,A,B\nx,a,b\n", "table"),
    ],
)
def test_it_detects_the_format_by_the_content(data: str, found: str) -> None:
    for text in (data, "\ufeff" + data):
        reading = read_items(text.encode(), name="items")
        assert reading.errors == ()
        assert reading.format == found


def test_it_reads_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "dev_items.json"
    path.write_text(json.dumps([CRMUS_ITEM]), encoding="utf-8")

    assert read_items(path, name=path.name).records[0].split == "dev"


CHINESE_TABLE = """编号,标题,故事,题干,选项A,选项B,选项C,选项D,答案,类型,解释,任务,风格
c1,乌鸦,"乌鸦口渴了。
它看见水罐。",它做什么？,A．投石子,B．飞走,C．睡觉,,A,物理常识、社会常识,石子沉底。,常识推理,人工
,,狐狸来了。,,,,,,,,,,
m1,,狐狸来了。,下列哪个选项最符合故事说明的寓意？,甲,乙,,,2,,,,机器
"""


def test_it_reads_half_finished_items_from_a_table() -> None:
    reading = read_items(CHINESE_TABLE.encode("utf-8-sig"), name="table.csv")

    assert reading.errors == ()
    assert [row.row for row in reading.rows] == [2, 4, 5]
    whole, empty, moral = reading.records
    assert (whole.story, whole.choices, whole.answer) == (
        "乌鸦口渴了。\n它看见水罐。",
        ("投石子", "飞走", "睡觉"),
        0,
    )
    assert (whole.types, whole.explanation, missing(whole)) == (("physical", "social"), "石子沉底。", ())
    assert (empty.id, empty.task, missing(empty)) == (
        "",
        COMMONSENSE,
        ("stem", "options", "key", "types"),
    )
    assert (moral.task, moral.style, moral.answer, missing(moral)) == (MORAL, MACHINE, 1, ())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_it_finds_the_separator_of_a_table(separator: str) -> None:
    rows = [["Story", "Question", "Option 1", "option_2", "KEY"], ["s; or, so", "q", "a", "b", "B"]]
    text = "\r\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows)

    (record,) = read_items(text.encode(), name="table").records

    assert (record.story, record.choices, record.answer) == ("s; or, so", ("a", "b"), 1)


def test_it_keeps_the_key_where_an_option_before_it_is_empty() -> None:
    (record,) = read_items(b"story,A,B,C,answer\ns,a,,c,C\n", name="table").records

    assert (record.choices, record.answer) == (("a", "c"), 1)


STORY = "A hare slept under a tree."
FIELDS = ("id", "story", "question", "A", "B", "answer")
CELLS = [(f"i-{number}", STORY, f"Who slept in {number}?", "a hare", "a fox", "A") for number in range(3)]


def table(*names: str) -> bytes:
    return "\n".join(",".join(cells) for cells in [names, *CELLS]).encode()


def objects(options: str) -> list[str]:
    return [
        json.dumps(
            {"id": cells[0], "story": STORY, "question": cells[2], options: ["A. a", "B. b"], "answer": "A"}
        )
        for cells in CELLS
    ]


@pytest.mark.parametrize(
    ("data", "read_as"),
    [
        (table(*FIELDS), "table"),
        (table("number", "passage", "prompt", "choice1", "choice2", "gold"), "mapped"),
        (f"[{','.join(objects('options'))}]".encode(), "crmus"),
        ("\n".join(objects("choices")).encode(), "parable"),
    ],
)
def test_a_story_that_many_rows_have_is_kept_once(data: bytes, read_as: str) -> None:
    found = read_items(data, name="t", rules=ANYBODYS)
    assert found.format == read_as
    assert [one.story for one in found.records] == [STORY] * 3
    assert len({id(one.story) for one in found.records}) == 1
