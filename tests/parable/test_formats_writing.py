"""Releases are written in our own lines and in the CRMUS layout, exactly, and read back equal."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parable.formats import (
    COMMONSENSE,
    MACHINE,
    MORAL,
    PARABLE_FIELDS,
    STYLES,
    ItemRecord,
    ReleaseRecord,
    normalise_option,
    read_items,
    with_domains,
    write_crmus,
    write_items_jsonl,
)
from parable.splits import DEV, TEST

FOX = ItemRecord(
    id="fables-m-000017",
    task=MORAL,
    story_id="fox",
    title="狐狸",
    story="狐狸“说”：\n走。",
    question="寓意？",
    choices=("甲", "乙", "丙", "丁"),
    answer=1,
    types=("social",),
    style=MACHINE,
    generators=("glm-4",),
    explanation="因为。",
    language="zh",
    split=DEV,
)
CROW = ItemRecord(
    id="c1",
    task=COMMONSENSE,
    story_id=None,
    title="乌鸦",
    story="乌鸦口渴。",
    question="为何？",
    choices=("a", "b"),
    answer=0,
    types=("spatial", "social"),
    split=DEV,
)


def release(*items: ItemRecord, withheld: bool = False) -> list[ReleaseRecord]:
    """The items as they stand in a release."""
    return [ReleaseRecord(item, item.split or DEV, "canary", withheld) for item in items]


def test_it_writes_a_line_with_its_keys_in_order() -> None:
    assert write_items_jsonl(release(FOX)).decode() == (
        '{"id": "fables-m-000017", "source_id": "", "task": "moral", "split": "dev", "story_id": "fox", '
        '"title": "狐狸", "story": "狐狸“说”：\\n走。", "question": "寓意？", '
        '"choices": ["甲", "乙", "丙", "丁"], "answer": 1, "answer_letter": "B", "types": ["social"], '
        '"style": "machine", "generators": ["glm-4"], "explanation": "因为。", "language": "zh", '
        '"canary": "canary"}\n'
    )


def test_it_says_of_a_dev_item_whether_its_story_is_shared() -> None:
    shared = replace(FOX, domain="in")
    line = write_items_jsonl(release(shared))
    assert tuple(json.loads(line)) == PARABLE_FIELDS
    assert read_items(line, name="dev.jsonl").records == (shared,)


@pytest.mark.parametrize(
    "records", [release(FOX, withheld=True), release(replace(FOX, answer=None, explanation=None))]
)
def test_it_withholds_key_letter_and_explanation(records: list[ReleaseRecord]) -> None:
    line = json.loads(write_items_jsonl(records))

    assert tuple(line) == tuple(name for name in PARABLE_FIELDS if name != "domain")
    assert (line["answer"], line["answer_letter"], line["explanation"]) == (-1, None, None)


def test_it_writes_the_crmus_layout() -> None:
    items = [CROW, replace(FOX, split=TEST), replace(CROW, id="c2", split=TEST, answer=None)]

    files = write_crmus(release(*items))

    assert sorted(files) == [
        f"{split}_CRMUS_{task}.json" for split in ("dev", "test") for task in ("CR", "MU")
    ]
    assert files["dev_CRMUS_CR.json"].decode() == (
        '[\n    {\n        "id": "c1",\n        "title": "乌鸦",\n        "story": "乌鸦口渴。",\n'
        '        "question": "为何？",\n        "options": [\n            "A．a",\n            "B．b"\n'
        '        ],\n        "answer": "A",\n        "type": "空间常识、社会常识"\n    }\n]\n'
    )
    (moral,) = json.loads(files["test_CRMUS_MU.json"])
    assert list(moral) == ["id", "title", "story", "question", "options", "answer"]
    assert (moral["options"][3], moral["answer"]) == ("D.丁", "B")
    assert json.loads(files["test_CRMUS_CR.json"])[0]["answer"] == ""
    assert files["dev_CRMUS_MU.json"] == b"[]\n"


def test_it_empties_the_answer_of_a_withheld_item() -> None:
    (item,) = json.loads(write_crmus(release(CROW, withheld=True))["dev_CRMUS_CR.json"])

    assert item["answer"] == ""


def test_it_writes_the_domain_in_dev_only() -> None:
    files = write_crmus(release(replace(CROW, domain="in"), replace(CROW, split=TEST, domain="in")))

    assert json.loads(files["dev_CRMUS_CR.json"])[0]["domain"] == "in"
    assert "domain" not in json.loads(files["test_CRMUS_CR.json"])[0]


def test_it_writes_domains_where_the_splits_share_stories() -> None:
    other = replace(CROW, id="c2", story="另一个。")

    shared = with_domains(release(CROW, other, replace(CROW, id="c3", split=TEST, domain="out")))
    apart = with_domains(release(replace(CROW, domain="in"), replace(other, split=TEST)))

    assert [record.item.domain for record in shared] == ["in", "out", None]
    assert [record.item.domain for record in apart] == [None, None]


@pytest.mark.parametrize(
    "item",
    [
        replace(CROW, types=()),
        replace(CROW, types=("legal",)),
        replace(CROW, split="train"),
        replace(CROW, answer=2),
        replace(CROW, answer=-1),
    ],
)
def test_it_refuses_to_write_what_the_layout_cannot_say(item: ItemRecord) -> None:
    with pytest.raises(ValueError, match=r"."):
        write_crmus(release(item))


def test_it_writes_types_by_the_labels_of_a_project() -> None:
    files = write_crmus(release(replace(CROW, types=("legal",))), labels={"legal": "法律常识"})

    assert json.loads(files["dev_CRMUS_CR.json"])[0]["type"] == "法律常识"


VISIBLE = st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zs", "Zl", "Zp"])
WORD = st.text(VISIBLE, min_size=1, max_size=8)
TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\t"\\A．.、 '), max_size=30
)
PROSE = st.builds(lambda text, word: (text + word).strip(), TEXT, WORD)
OPTIONS = st.lists(
    st.one_of(PROSE, WORD.map("A.".__add__), st.sampled_from("ABCD12")),
    min_size=2,
    max_size=8,
    unique_by=normalise_option,
).map(tuple)
TYPES = st.lists(st.sampled_from(["social", "biological", "temporal", "spatial", "physical"]), unique=True)


@st.composite
def items(draw: st.DrawFn, *, number: int) -> ItemRecord:
    """Any item that a release may hold."""
    choices = draw(OPTIONS)
    task = draw(st.sampled_from([COMMONSENSE, MORAL]))
    return ItemRecord(
        id=f"{draw(WORD)}-{number}",
        task=task,
        story_id=draw(st.none() | WORD),
        title=draw(TEXT.map(str.strip)),
        story=draw(PROSE),
        question=draw(PROSE),
        choices=choices,
        answer=draw(st.none() | st.integers(0, len(choices) - 1)),
        types=tuple(draw(TYPES.filter(bool) if task == COMMONSENSE else TYPES)),
        style=draw(st.sampled_from(STYLES)),
        generators=tuple(draw(st.lists(WORD, max_size=3, unique=True))),
        explanation=draw(st.none() | PROSE),
        language=draw(st.sampled_from(["zh", "en", ""])),
        split=draw(st.sampled_from([DEV, TEST])),
    )


RELEASES = st.integers(1, 4).flatmap(
    lambda count: st.tuples(*[items(number=number) for number in range(count)])
)


@settings(deadline=None)
@given(RELEASES)
def test_it_reads_back_the_lines_it_wrote(written: tuple[ItemRecord, ...]) -> None:
    data = write_items_jsonl(release(*written))
    reading = read_items(data, name="release.jsonl")

    assert reading.errors == ()
    assert reading.ignored == ()
    assert reading.records == written
    assert write_items_jsonl(release(*reading.records)) == data


@settings(deadline=None)
@given(RELEASES)
def test_it_reads_back_the_crmus_files_it_wrote(written: tuple[ItemRecord, ...]) -> None:
    placed = with_domains(release(*written))
    said = {
        record.item.id: replace(
            record.item,
            story_id=None,
            style="human",
            generators=(),
            explanation=None,
            language="",
            types=record.item.types if record.item.task == COMMONSENSE else (),
        )
        for record in placed
    }

    readings = [read_items(data, name=name) for name, data in write_crmus(placed).items()]

    assert [error for reading in readings for error in reading.errors] == []
    assert {record.id: record for reading in readings for record in reading.records} == said


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(texts=st.lists(ANY_TEXT, min_size=7, max_size=7))
@settings(max_examples=40)
def test_it_writes_crmus_files_as_python_writes_json(texts: list[str]) -> None:
    name, title, story, question, *choices = texts
    item = replace(CROW, id=name, title=title, story=story, question=question, choices=tuple(choices))
    files = write_crmus(release(replace(item, answer=0), replace(item, answer=0, domain="in")))
    for data in files.values():
        assert data == (json.dumps(json.loads(data), indent=4, ensure_ascii=False) + "\n").encode()
    assert [one["story"] for one in json.loads(files["dev_CRMUS_CR.json"])] == [story, story]
