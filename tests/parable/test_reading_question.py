"""The zero-shot prompt in both languages."""

from __future__ import annotations

import pytest

from parable.reading.answers import AMBIGUOUS, read_answer
from parable.reading.question import ZERO_SHOT, fill_question, zero_shot


@pytest.mark.parametrize(
    ("language", "wanted"), [("zh", "zh"), ("zh-Hans", "zh"), ("en", "en"), ("fr", "en")]
)
def test_it_speaks_the_language_of_the_story(language: str, wanted: str) -> None:
    assert zero_shot(language) == ZERO_SHOT[wanted]


def test_it_fills_in_story_question_and_lettered_options_once() -> None:
    prompt = fill_question(
        zero_shot("en"),
        story=" A {question} of crows.\n",
        question="Why {story}?",
        options=["one\nor", "two"],
    )
    assert "Story:\nA {question} of crows.\n\nQuestion: Why {story}?" in prompt
    assert "\nA. one or\nB. two\n\nAnswer:" in prompt


def test_it_asks_for_the_answer_only_and_an_echo_of_it_is_no_answer() -> None:
    options = ["要勤劳", "要勇敢", "要谦虚", "要诚实"]
    prompt = fill_question(zero_shot("zh"), story="从前有一只兔子。", question="寓意是？", options=options)
    assert prompt.endswith("答案：")
    assert read_answer(prompt, options).outcome == AMBIGUOUS
