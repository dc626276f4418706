"""Proposals are read out of whatever a model writes."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parable.llm.proposals import LONGEST_TEXT, candidates_schema, parse_candidates
from tests.costs import multiple
from tests.parable.llm_answers import CHINESE_LISTS, ENGLISH_LISTS, ROWS, Row

PIECES = (
    "1.",
    "2、",
    "①",
    "- ",
    "{",
    "[",
    '"',
    "“",
    "}",
    "]",
    ":",
    ",",
    "\n",
    "<think>",
    "</think>",
    "**",
    "|",
    "a",
    "龟",
)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("1. Slow wins.\n2. Pride falls.\n3. Do not tr", 2),
        ("1. Slow wins.\n2. Pride falls.\n3. Do not trust", 2),
        ("1. Slow wins.\n2. Pride falls.", 2),
        ("1. Slow wins\n2. Pride falls\n", 2),
        ("1. **Slow wins**\n2. **Pride falls**", 2),
        ("1. Slow wins\n2. Pride falls\n\nThese morals are chosen so that a rea", 2),
        ("1. 慢者胜。\n2. 骄者败。\n3. 不要轻信", 2),
        ("- Slow wins.\n- Pride falls because", 1),
        ('{"candidates": ["Slow wins", "Pride fal', 1),
        ('{"candidates": ["Slow wins", "Pride falls"]}', 2),
        ("Slow and steady wins the", 0),
    ],
)
def test_it_keeps_no_half_sentence_of_an_answer_that_was_cut_off(text: str, kept: int) -> None:
    whole = parse_candidates(text, wanted=3).candidates
    assert parse_candidates(text, wanted=3, is_cut=True).candidates == whole[:kept]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_it_reads_what_a_person_would_read(row: Row) -> None:
    parsed = parse_candidates(row.text, wanted=row.wanted)
    assert (parsed.candidates, parsed.shape) == (row.candidates, row.shape)


def test_the_table_covers_both_languages() -> None:
    assert len(ROWS) >= 100
    assert len(ENGLISH_LISTS) >= 25
    assert len(CHINESE_LISTS) >= 25
    assert len({row.name for row in ROWS}) == len(ROWS)


@given(st.text(), st.none() | st.integers(0, 9))
def test_it_never_fails_and_gives_clean_lines(text: str, wanted: int | None) -> None:
    for candidate in parse_candidates(text, wanted=wanted).candidates:
        assert candidate == candidate.strip() != ""
        assert "\n" not in candidate
        assert "\x00" not in candidate


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_it_never_fails_on_broken_marks(text: str) -> None:
    parse_candidates(text, wanted=3)


@given(
    st.lists(
        st.sampled_from(["骄傲使人落后", "Wait and see", "It's late", "慢就是快"]), min_size=2, max_size=9
    )
)
def test_it_keeps_order_and_doubles(wordings: list[str]) -> None:
    text = "\n".join(f"{number}. {wording}" for number, wording in enumerate(wordings, start=1))
    assert parse_candidates(text, wanted=len(wordings)).candidates == tuple(wordings)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 25_000,
        '["' * 15_000,
        '{"a":' * 10_000,
        '["' + 'a" ' * 15_000,
        "1. " * 15_000,
        "①" * 25_000,
        "**" * 22_500,
        "<think>" * 7_500,
        "|" * 37_500,
        "- " * 22_500,
        "\n".join(f"{n % 90}. x" for n in range(10_000)),
        "1. x\n" * 10_000,
        "1. x\n2. y\n" * 5_000,
        "1. x\ny\n" * 6_250,
        '["a b"] ' * 6_250,
        "x" * (LONGEST_TEXT * 2),
        '"' * 37_500,
        "   " * 15_000 + "x",
        "错误" * 22_500,
        "(" * 37_500,
        "_" * 37_500,
    ],
    ids=lambda text: text[:6].strip(),
)
def test_it_takes_no_longer_for_a_hostile_text(text: str) -> None:
    ordinary = ("1. Slow and steady wins the race.\n2. Pride comes before a fall.\n" * 6000)[: len(text)]
    parse = partial(parse_candidates, wanted=3)
    assert multiple(lambda: parse(text), lambda: parse(ordinary)) < 30


def test_markup_stays_text() -> None:
    parsed = parse_candidates("1. <script>alert(1)</script> wins.\n2. {{ title }} loses.", wanted=2)
    assert parsed.candidates == ("<script>alert(1)</script> wins.", "{{ title }} loses.")


def test_the_schema_asks_for_one_list_of_strings() -> None:
    assert candidates_schema()["required"] == ["candidates"]
    assert parse_candidates('{"candidates": ["a b", "c d"]}', wanted=2).candidates == ("a b", "c d")
