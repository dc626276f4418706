"""The published prompt to the letter, and the published rule for reading answers."""

from __future__ import annotations

import pytest

from parable.llm.conditions import CONDITIONS, CRMUS_PROMPT, condition_of, find_condition
from parable.llm.presentation import put
from parable.llm.published import read_by_filter, read_put_by_filter
from parable.reading.question import missing_variables

OPTIONS = ("诚实", "勤劳的人有收获", "A lion", "骄傲")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("crmus", "故事:从前。\n问题:谁？\n选项:A. 乙 B. 甲\n答案:"),
        ("crmus-repeated", "故事:从前。\n问题:谁？\n选项:A. 乙 B. 甲\n答案:"),
        ("crmus-program", "故事:从前。\n问题:谁？\n选项:\nA. 乙\nB. 甲\n答案:"),
        ("crmus-template", "故事从前。:\n问题谁？:\n选项A. 乙\nB. 甲:\n答案:"),
    ],
)
def test_it_asks_to_the_letter(name: str, asked: str) -> None:
    condition = find_condition(name)
    assert condition is not None
    assert put(condition.prompt, story="从前。", question="谁？", choices=["甲", "乙"], order=(1, 0)) == (
        f"根据故事回答下面的单项选择题，只给出答案即可：\n{asked}"
    )


@pytest.mark.parametrize(
    ("template", "missing"),
    [
        ("{question} {options}", []),
        ("{question} {options_in_line}", []),
        ("{options_in_line}", ["{question}"]),
        ("{question} {options_in_lines}", ["{options}"]),
    ],
)
def test_options_on_one_line_are_options(template: str, missing: list[str]) -> None:
    assert missing_variables(template, ("{question}", "{options}")) == missing


def test_each_condition_has_settings_of_its_own() -> None:
    first, second, *_others = CONDITIONS
    assert (first.repeats, second.repeats) == (1, 2)
    assert (first.prompt, first.order, first.source) == (second.prompt, second.order, second.source)
    assert len({(one.prompt, one.repeats, one.order) for one in CONDITIONS}) == len(CONDITIONS)
    assert len({one.id for one in CONDITIONS}) == len(CONDITIONS)
    assert find_condition("crmus-repeated") is second
    assert find_condition("none") is None


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, "crmus"),
        ({"prompt": CRMUS_PROMPT.replace("\n", "\r\n")}, None),
        ({"repeats": 2}, "crmus-repeated"),
        ({"repeats": 3}, None),
        ({"order": "shuffled"}, None),
        ({"prompt": CRMUS_PROMPT.replace(":", "：")}, None),
    ],
)
def test_settings_carry_a_published_name_only_where_nothing_differs(
    changes: dict[str, object], wanted: str | None
) -> None:
    settings = {"prompt": CRMUS_PROMPT, "repeats": 1, "order": "released"} | changes
    found = condition_of(**settings)  # type: ignore[arg-type]
    assert (found.id if found else None) == wanted


@pytest.mark.parametrize(
    ("text", "outcome", "choice"),
    [
        ("B", "chosen", 1),
        ("答案：Ｂ。", "chosen", 1),
        ("B. 勤劳的人有收获", "chosen", 1),
        ("勤劳的人有收获", "chosen", 1),
        ("C. A lion", "chosen", 2),
        ("A和B", "ambiguous", None),
        ("选B，不选A", "ambiguous", None),
        ("A. 骄傲", "ambiguous", None),
        ("E", "unparsed", None),
        ("不知道", "unparsed", None),
        ("", "unparsed", None),
        ("ABC", "unparsed", None),
    ],
)
def test_the_filter_takes_one_candidate_and_no_other(text: str, outcome: str, choice: int | None) -> None:
    found = read_by_filter(text, OPTIONS)
    assert (found.outcome, found.choice) == (outcome, choice)


def test_the_filter_answers_with_released_positions() -> None:
    assert read_put_by_filter("A", choices=OPTIONS, order=(2, 0, 1, 3)) == ("chosen", 2)
