"""Stories are read from JSON, CSV and XLSX, and what is written reads back equal."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parable.formats import StoryRecord, read_stories, write_stories_csv, write_stories_jsonl
from parable.formats.format import Format
from parable.formats.items import FORMATS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile
from parable.formats.stories import foreign_story_columns

CROW = StoryRecord("crow", "乌鸦", "乌鸦口渴了。\n它飞走了。", "动脑筋。", "zh", "Perry 390", "CC BY 4.0")
BARE = StoryRecord("", "", "狐狸来了。")
HEADERS = "编号,标题,故事,寓意,语言,来源,权利"

CLEAN = st.characters(exclude_categories=["Cs", "Cc"])
LINES = st.text(CLEAN | st.sampled_from("\n\t,;\"'"), max_size=40).map(str.strip)
WORDS = st.text(st.characters(categories=["L", "N", "P"]), max_size=12)
STORIES = st.builds(
    StoryRecord,
    id=WORDS,
    title=LINES,
    text=LINES.map(lambda text: text + "。"),
    moral=LINES.map(lambda text: text or None),
    language=st.sampled_from(["zh", "en", ""]),
    source=LINES,
    rights=st.none() | st.just("CC BY 4.0"),
)


OBJECTS = [
    {"id": "crow", "title": "乌鸦", "text": CROW.text, "moral": "动脑筋。", "language": "zh"}
    | {"source": "Perry 390", "rights": "CC BY 4.0"},
    {"text": BARE.text, "moral": None},
]
TABLE = f"""{HEADERS}
crow,乌鸦,"{CROW.text}",动脑筋。,zh,Perry 390,CC BY 4.0
,,{BARE.text},,,,
"""


@pytest.mark.parametrize("data", [json.dumps(OBJECTS).encode(), TABLE.encode("utf-8-sig")])
def test_it_reads_stories_with_their_rows(data: bytes) -> None:
    reading = read_stories(data, name="stories")

    assert reading.errors == ()
    assert reading.records == (CROW, BARE)
    assert [row.row for row in reading.rows] == ([1, 2] if reading.format == "jsonl" else [2, 4])


def test_it_reads_a_story_written_with_english_headers_and_says_what_it_leaves() -> None:
    reading = read_stories(b"ID;Title;Text;Notes\n1;a;b;c\n", name="stories")

    assert (reading.format, reading.ignored) == ("csv", ("Notes",))
    assert reading.records == (StoryRecord("1", "a", "b"),)


@settings(deadline=None)
@example([StoryRecord("", "", "。", source="'\n0"), StoryRecord("", "''=1", "'+1")])
@given(st.lists(STORIES, max_size=5, unique_by=lambda story: story.id or story))
def test_it_reads_back_the_stories_it_wrote(stories: list[StoryRecord]) -> None:
    for data in (write_stories_jsonl(stories), write_stories_csv(stories)):
        reading = read_stories(data, name="stories", format="jsonl" if data[:1] in b"{" else "csv")
        assert reading.records == tuple(stories)
        assert [error for error in reading.errors if error.code != "empty_file"] == []


ITEM = ItemRecord(
    "c1", "commonsense", "s1", "乌鸦", "A story.\n\nTwo.", "Why?", ("x", "y"), 1, ("social",), language="en"
)
ITEMS = [ITEM, replace(ITEM, id="c2", question="Who?"), replace(ITEM, id="c3", story_id="s2", story="Other.")]
HOLDING = [one for one in FORMATS.values() if one.writer is not None and "story" in one.writer.holds]


@pytest.mark.parametrize("one", HOLDING, ids=lambda one: one.code)
def test_it_reads_each_story_of_a_file_of_items_once(one: Format) -> None:
    assert one.writer is not None
    reading = read_stories(one.writer.whole(ITEMS), name="items")
    held = {"id": "story_id", "title": "title", "language": "language"}
    expected = [
        StoryRecord(
            text=item.story,
            **{
                field: getattr(item, name) if name in one.writer.holds else "" for field, name in held.items()
            },
        )
        for item in (ITEM, ITEMS[2])
    ]
    assert reading.errors == ()
    assert [*reading.records] == expected
    assert "mapped" in [remark.code for remark in reading.remarks]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"Who?\nA. a crow\nB. a hare\nANSWER: B\n", "no_stories"),
        (b'[{"id": "1", "passage": ["One.", "Two."], "question": "Q?"}, {"passage": 7}]', None),
        (b'[{"id": "1", "data": {"words": "A."}, "annotations": []}]', "no_stories"),
    ],
)
def test_it_reads_lists_of_paragraphs_and_says_where_there_is_no_story(data: bytes, said: str | None) -> None:
    reading = read_stories(data, name="items")
    assert [error.code for error in reading.errors] == ([said] if said else [])
    assert [story.text for story in reading.records] == ([] if said else ["One.\nTwo."])


def test_a_first_story_that_comes_late_is_read() -> None:
    rows = [{"data": {"q": f"Question {n}?"}, "annotations": []} for n in range(300)]
    rows.append({"data": {"q": "Last?", "story": "A crow."}, "annotations": []})
    reading = read_stories(json.dumps(rows).encode(), name="tasks")
    assert [story.text for story in reading.records] == ["A crow."]


def test_columns_of_other_tools_are_offered_and_may_be_chosen() -> None:
    data = b'[{"id": 1, "data": {"words": "A.", "title": "T", "q": "Q?"}, "annotations": []}]'
    assert {one.name: one.field for one in foreign_story_columns(SourceFile(data))} == {
        "id": "", "words": "", "title": "title", "q": "",
    }  # fmt: skip
    reading = read_stories(data, name="items", columns={"text": "words"})
    assert [story.text for story in reading.records] == ["A."]
    assert foreign_story_columns(SourceFile(b'[{"text": "A."}]')) == ()


def test_it_writes_lines_without_escapes() -> None:
    (line,) = write_stories_jsonl([CROW]).decode().splitlines()

    assert line.startswith(
        '{"id": "crow", "title": "乌鸦", "text": "乌鸦口渴了。\\n它飞走了。", "moral": "动脑筋。"'
    )


def test_it_reads_the_published_fables(shared_data: Path) -> None:
    for folder, count in (("aesop_en", 353), ("crmus", 307)):
        reading = read_stories(shared_data / folder / "stories.jsonl", name=folder)
        assert reading.errors == ()
        assert len(reading.rows) == count
