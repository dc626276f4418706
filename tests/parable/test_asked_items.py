"""The item that a prompt asks, found by its words."""

from __future__ import annotations

import pytest

from parable.formats.asked_items import LONGEST_PROMPT, AskedItems, Words

TALE = "The fox met the crow.\nThey spoke of cheese."
ITEMS = AskedItems(
    [
        Words("why", TALE, "Why?", ("for cheese", "for fun")),
        Words("and", TALE, "And why?", ("for cheese", "for fun")),
        Words("yes", TALE, "Did they speak?", ("yes", "no")),
        Words("met", TALE, "Did they meet?", ("yes", "no")),
        Words("other", "Another tale.", "Did they meet?", ("yes", "no")),
        Words("twin 1", TALE, "Who?", ("the fox", "the crow")),
        Words("twin 2", TALE, "Who?", ("the fox", "the crow")),
    ]
)


@pytest.mark.parametrize(
    ("prompt", "item"),
    [
        (f"{TALE}\nWhy?\nfor cheese\nfor fun", "why"),
        (f"{TALE}\n\nQuestion: Why?\n\nA. for cheese\nB) for fun\nAnswer:", "why"),
        (f"{TALE}\nAnd why?\n(A) for cheese\n（B）for fun", "and"),  # the longer question
        (f"故事：{TALE}\n问题：Did they speak?\n1、yes\n2、no", "yes"),
        ("Another tale. Did they meet?\nA. yes\nB. no", "other"),
        ("The fox met the  crow. They spoke\nof cheese.\nWhy?\nfor cheese\nfor fun", "why"),
        # Shown as an example, then asked: the last one is meant, whichever it is.
        (
            f"{TALE}\nDid they speak?\nA. yes\nB. no\nAnswer: A\n\n{TALE}\nDid they meet?\nA. yes\nB. no",
            "met",
        ),
        (
            f"{TALE}\nDid they meet?\nA. yes\nB. no\nAnswer: A\n\n{TALE}\nDid they speak?\nA. yes\nB. no",
            "yes",
        ),
        ("Why?\nA. for cheese\nB. for fun", ""),  # without the story it is another question
        (f"{TALE}\nA. for cheese\nB. for fun", ""),
        (f"{TALE}\nWhy?\nA. for cheese", ""),
        (f"{TALE}\nWhy?\nA. for fun\nB. for cheese", ""),  # its letters would mean other options
        (f"{TALE}\nA. for cheese\nB. for fun\nWhy?", ""),
        (f"{TALE}\nWho?\nA. the fox\nB. the crow", ""),  # two items alike
        ("", ""),
    ],
)
def test_it_finds_the_one_item_whose_words_are_all_there(prompt: str, item: str) -> None:
    assert ITEMS.item_of(prompt) == item


def test_items_without_words_are_found_by_no_prompt() -> None:
    assert AskedItems([Words("empty", "", "", ())]).item_of("\n") == ""


@pytest.mark.parametrize(("sharing", "item"), [(20, "3"), (21, "")])
def test_a_line_that_few_items_share_finds_each_of_them(sharing: int, item: str) -> None:
    """The question stands in a line with the story: the shared option alone is a line of its own."""
    items = AskedItems(Words(str(n), "Tale.", f"Is it {n}?", ("yes",)) for n in range(sharing))
    assert items.item_of("Tale. Is it 3?\nA. yes") == item
    assert items.item_of("Tale.\nIs it 3?\nA. yes") == "3"


@pytest.mark.parametrize(("before", "item"), [(0, "why"), (1, "")])
def test_the_end_of_a_prompt_is_searched(before: int, item: str) -> None:
    shown = f"{TALE}\nWhy?\nfor cheese\nfor fun"
    filled = shown + "\n" + "x" * (LONGEST_PROMPT - len(shown) - 1 + before)
    assert ITEMS.item_of(filled) == item


def test_a_line_that_is_repeated_is_looked_up_once() -> None:
    many = AskedItems(Words(str(n), TALE * 50, f"Is it {n}?", ("yes", "no")) for n in range(20))
    assert many.item_of("yes\nno\n" * 40_000) == ""
