"""Prompt templates are filled in by hand's rules: a few variables, everything else is text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parable.llm.prompts import fill, unknown_variables, used_variables
from parable.llm.tokens import estimate_prompt_tokens, estimate_tokens

VALUES = {"title": "The Crow", "story": "A crow sat {here}.", "moral": "Beware.", "n": "3"}


def test_it_fills_the_four_variables() -> None:
    assert (
        fill("{n} for {title}: {story} Not: {moral}", VALUES)
        == "3 for The Crow: A crow sat {here}. Not: Beware."
    )


def test_it_fills_a_chinese_template() -> None:
    template = "请为《{title}》拟{n}个错误的寓意。"
    assert fill(template, VALUES) == "请为《The Crow》拟3个错误的寓意。"


@pytest.mark.parametrize(
    "text",
    [
        "{title.__class__}",
        "{title!r}",
        "{title:>10}",
        "{0}",
        "{}",
        "{{ title }}",
        "{% include 'x' %}",
        "{Title}",
        "{ title }",
        "%(title)s",
        "$title ${title_}",
        "｛title｝",
        '{"morals": ["a", "b"]}',
        "{unknown}",
        "{title",
        "title}",
        "#{title_}",
        "{story[0]}",
        "{moral.__init__.__globals__}",
        r"\1 \g<0>",
    ],
)
def test_everything_else_in_braces_is_plain_text(text: str) -> None:
    assert fill(text, VALUES) == text


def test_a_value_is_never_filled_in_again() -> None:
    values = {"title": "{moral}", "story": "{title} {story} {n}", "moral": "secret", "n": r"\1"}
    assert fill("{title}|{story}|{n}", values) == r"{moral}|{title} {story} {n}|\1"


def test_a_variable_without_a_value_stays_as_it_is() -> None:
    assert fill("{title}: {moral}", {"title": "The Crow"}) == "The Crow: {moral}"
    assert used_variables("{moral} {title} {moral} {other}") == ("moral", "title")


@given(st.text(), st.fixed_dictionaries({name: st.text() for name in VALUES}))
def test_a_text_without_variables_comes_out_as_it_went_in(text: str, values: dict[str, str]) -> None:
    if not used_variables(text):
        assert fill(text, values) == text


@pytest.mark.parametrize(
    ("template", "hint"),
    [
        ("{title} {story}", ()),
        ("{Title} and { story } and {Title}", ("{Title}", "{ story }")),
        ("{{ title }}", ("{{ title }}",)),
        ("{{title}}", ()),
        ("{title.upper} {story!r}", ("{title.upper}", "{story!r}")),
        ("｛story｝ {故事}", ("｛story｝", "{故事}")),
        ('Answer as {"morals": ["..."]}.', ()),
        ("{a longer remark in braces}", ()),
        ("{% if x %}", ("{% if x %}",)[:0]),
    ],
)
def test_it_hints_at_what_looks_like_a_variable(template: str, hint: tuple[str, ...]) -> None:
    assert unknown_variables(template) == hint


def test_it_estimates_tokens_of_both_scripts() -> None:
    english = "The fox praised the crow until she opened her beak to sing. " * 10
    chinese = "狐狸夸奖乌鸦，乌鸦张开嘴唱歌，肉就掉了下来。" * 10
    assert 0.2 * len(english) <= estimate_tokens(english) <= 0.3 * len(english)
    assert 0.7 * len(chinese) <= estimate_tokens(chinese) <= 1.1 * len(chinese)
    assert estimate_tokens("") == 0
    assert estimate_tokens("龟 hare") == 3


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one: str, two: str) -> None:
    assert estimate_tokens(one + two) >= max(estimate_tokens(one), estimate_tokens(two))
    assert estimate_prompt_tokens(one, two) > estimate_tokens(one + two)
