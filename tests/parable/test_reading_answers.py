"""Which option an answer picks: a table of answers, and what must hold for any text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parable.llm.presentation import read_put
from parable.reading.answers import (
    CHOSEN,
    CONTRADICTING,
    OUTCOMES,
    REFUSED,
    UNPARSED,
    Reading,
    read_answer,
    read_strictly,
)
from tests.costs import multiple
from tests.parable.answer_templates import CASES, make_cases, read_sets
from tests.parable.answers_of_models import CHINESE, EN, ENGLISH, OTHERS, ZH
from tests.parable.compared_answers import COMPARED
from tests.parable.compared_answers import GROUPS as COMPARISONS
from tests.parable.misread_answers import GROUPS, MISREAD
from tests.parable.odd_answers import ODD, STOPS

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
TABLE = [*((EN, *row) for row in ENGLISH), *((ZH, *row) for row in CHINESE), *OTHERS, *ODD]


def said(reading: Reading) -> str:
    return LETTERS[reading.choice] if reading.choice is not None else reading.outcome


def test_it_has_a_table_of_answers_in_both_languages() -> None:
    assert len(ENGLISH) >= 80
    assert len(CHINESE) >= 80
    assert len(ODD) >= 390
    assert len(MISREAD) >= 580
    assert len(COMPARED) >= 285
    assert len({(options, answer) for options, answer, _read, _why in TABLE}) == len(TABLE)


@pytest.mark.parametrize(("options", "answer", "wanted", "why"), TABLE)
def test_it_reads_what_an_answer_picks(options: tuple[str, ...], answer: str, wanted: str, why: str) -> None:
    assert said(read_answer(answer, options)) == wanted, why


@pytest.mark.parametrize(("why", "options", "rows"), [*GROUPS, *COMPARISONS])
def test_it_reads_answers_of_the_kinds_that_are_often_misread(
    why: str, options: tuple[str, ...], rows: tuple[tuple[str, str], ...]
) -> None:
    read = [(answer, said(read_answer(answer, options))) for answer, _wanted in rows]
    assert read == list(rows), why


def test_it_never_counts_as_chosen_a_letter_with_the_words_of_another_option() -> None:
    found = read_answer("C. Slow and steady wins the race", EN)
    assert found == Reading(CONTRADICTING, None, (2, 3), "letter")
    assert read_answer("C. It had begun to rain", EN).choice == 2


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("B", "B"),
        ("b", "B"),
        ("Ｂ．", "B"),
        ("（B）", "B"),
        (" B。\n", "B"),
        ("<think>A or B?</think>B", "B"),
        ("B is right", UNPARSED),
        ("答案：B", UNPARSED),
        ("**B**", UNPARSED),
        ("AB", UNPARSED),
        ("E", UNPARSED),
        ("", UNPARSED),
        ("<think>B", UNPARSED),
    ],
)
def test_it_reads_strictly_one_letter_only(answer: str, wanted: str) -> None:
    assert said(read_strictly(answer, 4)) == wanted


@pytest.mark.parametrize(("options", "answer", "wanted", "why"), TABLE)
def test_it_never_reads_strictly_what_it_does_not_read_leniently(
    options: tuple[str, ...], answer: str, wanted: str, why: str
) -> None:
    strictly = read_strictly(answer, len(options))
    if strictly.outcome == CHOSEN:
        assert strictly.choice == read_answer(answer, options).choice


def test_it_says_by_what_it_was_decided() -> None:
    by = {
        answer: read_answer(answer, EN).by for answer in ("Answer: B", "A is wrong, B is", "the hare was ill")
    }
    assert list(by.values()) == ["marker", "letter", "text"]
    assert read_answer("A or C", EN).named == (0, 2)
    assert read_answer("I'm sorry, I can't help with that.", EN) == Reading(REFUSED)


@pytest.mark.parametrize("count", [0, 1, 27])
def test_it_refuses_items_of_too_few_or_too_many_options(count: int) -> None:
    with pytest.raises(ValueError, match="2 to 26"):
        read_answer("A", [f"option {number}" for number in range(count)])


@pytest.mark.parametrize("count", range(2, 27))
def test_it_reads_every_letter_of_every_number_of_options(count: int) -> None:
    options = [f"the animal number {number}" for number in range(1, 27)]
    for index, letter in enumerate(LETTERS if count > 8 else LETTERS[:8]):
        wanted = letter if index < count else UNPARSED
        for answer in (letter, f"({letter})", f"答案：{letter}", f"The answer is {letter}."):
            assert said(read_answer(answer, options[:count])) == wanted, answer


PIECES = [
    *EN,
    *ZH,
    "A",
    "B",
    "Ｃ",
    "答案：",
    "the answer is ",
    "not ",
    "不选",
    "\n",
    "<think>",
    "</think>",
    ", ",
    "。",
    " and ",
]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=14).map("".join))
def test_it_always_answers_with_one_of_the_outcomes(answer: str) -> None:
    for options in (EN, ZH):
        found = read_answer(answer, options)
        assert found.outcome in OUTCOMES
        assert (found.choice is not None) == (found.outcome == CHOSEN)
        assert found == read_answer(answer, options)


@given(st.permutations(range(4)), st.sampled_from(["{}", "答案：{}", "I think {} is meant."]))
def test_it_follows_an_option_wherever_it_stands(order: list[int], frame: str) -> None:
    options = [EN[place] for place in order]
    found = read_answer(frame.format(EN[1]), options)
    assert found.choice == order.index(1)


@pytest.mark.parametrize(
    "answer",
    ["A " * 50_000, "答案" * 50_000, "(" * 100_000, "A, " * 40_000, "\\boxed{" * 20_000, "<answer>" * 20_000],
)
def test_it_takes_no_long_time_over_any_answer(answer: str) -> None:
    ordinary = (f"{ENGLISH[0]} is what I think, since the hare slept. " * 3000)[: len(answer)]
    assert read_answer(answer, EN).outcome in OUTCOMES
    assert multiple(lambda: read_answer(answer, EN), lambda: read_answer(ordinary, EN)) < 100


LONG = ["A ", "?\n\n\n", "Question: x\nAnswer: B\n"]
LONGER = ["(", "选B，因为A不对。", "<|im_end|>", "<", "1. a a a a\n", STOPS[2], "答案", "\u0301\u0323"]


@pytest.mark.parametrize("unit", [*LONG, *(pytest.param(unit, marks=pytest.mark.drill) for unit in LONGER)])
def test_it_reads_an_answer_of_a_megabyte_in_linear_time(unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (125_000, 1_000_000))
    assert read_answer(long, STOPS).outcome in OUTCOMES
    assert multiple(lambda: read_answer(long, STOPS), lambda: read_answer(short, STOPS)) < 16


def named_wrongly(shared_data: Path, count: int) -> tuple[list[str], float]:
    """The answers that were read as another option than they mean, and the share that was read."""
    cases = list(make_cases(read_sets(shared_data), count))
    assert len({case.set for case in cases}) >= 7
    read = [read_answer(case.answer, case.options).choice for case in cases]
    wrong = [
        f"{case.set}: {case.answer!r} of {case.options}: {found}"
        for case, found in zip(cases, read, strict=True)
        if found not in {None, case.meant}
    ]
    meant = [(case, found) for case, found in zip(cases, read, strict=True) if case.meant is not None]
    return wrong, sum(found is not None for _case, found in meant) / len(meant)


@pytest.mark.parametrize("count", [2_000, pytest.param(CASES, marks=pytest.mark.drill)])
def test_it_names_no_wrong_option_of_any_set(shared_data: Path, count: int) -> None:
    wrong, share = named_wrongly(shared_data, count)
    assert not wrong
    assert share > 0.99


def test_it_takes_a_letter_for_the_letter_unless_it_is_the_very_words_of_another_option() -> None:
    options = ("10", "1", "i", "a")
    assert said(read_answer("A", options)) == "A"
    assert read_answer("a", options).named == (0, 3)
    assert read_put("a", choices=options, order=(0, 1, 2, 3)).strict_choice is None
    assert read_put("A", choices=options, order=(1, 0, 2, 3)).strict_choice == 1
