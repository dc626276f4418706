"""Stories are read from JSON, CSV and XLSX, and what is written reads back equal."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parable.formats import StoryRecord, read_stories, write_stories_csv, write_stories_jsonl

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
