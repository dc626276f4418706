"""What changed between two texts: nothing is lost on the way, and no text takes for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parable.reading.differences import CHANGE, DEL, INS, SAME, Line, Part, line_diff, word_diff
from tests.costs import multiple


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        ("", "", []),
        ("one two", "one two", [Part(SAME, "one two")]),
        ("one two", "one three", [Part(SAME, "one "), Part(DEL, "two"), Part(INS, "three")]),
        ("乌鸦喝水", "乌鸦不喝水", [Part(SAME, "乌鸦"), Part(INS, "不"), Part(SAME, "喝水")]),
        (
            "in 12 days",
            "in 14 days",
            [Part(SAME, "in "), Part(DEL, "12"), Part(INS, "14"), Part(SAME, " days")],
        ),
    ],
)
def test_it_finds_what_changed_word_by_word(before: str, after: str, parts: list[Part]) -> None:
    assert word_diff(before, after) == parts


@given(st.text(max_size=60), st.text(max_size=60))
def test_it_holds_both_texts_whole(before: str, after: str) -> None:
    parts = word_diff(before, after)
    assert "".join(part.text for part in parts if part.op != INS) == before
    assert "".join(part.text for part in parts if part.op != DEL) == after


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_it_counts_every_line_once(before: list[str], after: list[str]) -> None:
    lines = line_diff("\n".join(before), "\n".join(after))
    ops = [line.op for line in lines for _ in range(line.skipped or 1)]
    assert len([op for op in ops if op != INS]) == len(before)
    assert len([op for op in ops if op != DEL]) == len(after)


def test_it_leaves_out_lines_that_stayed_and_says_how_many() -> None:
    before = [str(number) for number in range(20)]
    after = [*before[:10], "new", *before[11:]]
    lines = line_diff("\n".join(before), "\n".join(after))
    assert lines[0] == Line(SAME, [], 8)
    assert lines[3] == Line(CHANGE, [Part(DEL, "10"), Part(INS, "new")])
    assert lines[-1] == Line(SAME, [], 7)
    assert len(lines) == 7


def test_it_takes_no_longer_for_texts_that_share_nothing() -> None:
    def compare(length: int) -> None:
        word_diff("的" * 90 * length, "了的" * 45 * length)
        line_diff("a\n\n" * 20 * length, "b\n\n" * 20 * length)

    assert (
        multiple(lambda: compare(1000), lambda: compare(100)) < 40
    )  # 10 where it is linear, 100 where it is not
