"""Items that are held to the checks together: each check finds in them what it finds in one alone."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from parable.quality.item import CHECKS, Batch, ItemView, OptionView, SiblingView, judge, judge_batch
from parable.quality.item.batch import Lines, at_line_start, by_lines, on_a_line
from tests.parable.quality_items import EN, ZH, with_options
from tests.parable.test_quality_item_checks import BREAKS_RULES, FAULTY

UNUSUAL = with_options(EN, "2\u00b3", "2^3", "8")
"""Options that are equal, though their folded texts are not."""
SPOILED = (ZH, *FAULTY, EN, *BREAKS_RULES, UNUSUAL)
PHRASES = (
    *(
        "",
        " ",
        "\u200b",
        "a",
        "A",
        "I",
        "B. x",
        "（Ｃ）狐狸",
        "①②",
        "选项A",
        "Option 2",
        "xxx",
        "TODO",
        "待定",
        "……",
        "?!",
    ),
    *(
        "以上都是",
        "都不对",
        "无法判断",
        "all of the above",
        "none",
        "A and B",
        "I and III only",
        "true, false",
    ),
    *(
        "必须",
        "always",
        "no\none",
        "Perhaps",
        "大概",
        "3 days",
        "20 minutes",
        "三天",
        "1/2",
        "2³",
        "2^3",
        "ＦＯＸ",
        "fox",
    ),
    *(
        "红狐狸",
        "红狐狸的",
        "the red fox",
        "red fox.",
        "Fuchs und Rabe",
        "русский",
        "因为饿了",
        "，因为",
        "is to",
        "quickly",
    ),
    *(
        "为什么",
        "哪一项不是错误的",
        "what is not a",
        "Why did the",
        "有多少个",
        "一共____个",
        "(A)",
        "答案：B",
        "The answer is C.",
    ),
    *(
        "了了",
        "的的",
        "the the",
        "a owl",
        "dont",
        "<b>",
        "&nbsp;",
        "it may be",
        "a what?",
        "somewhat",
        "except",
        "\ud800",
    ),
    *("x" * 2001, "很" * 130, "word " * 61, "松鼠把松果藏在树洞里，留到大雪盖住林子的冬天再吃"),
)


def _drawn(draw: Random) -> ItemView:
    """A spoiled item with other phrases in some of its texts."""
    item = draw.choice(SPOILED)

    def say(text: str) -> str:
        parts = [draw.choice(PHRASES), text if draw.random() < 0.5 else "", draw.choice(PHRASES)]
        return text if draw.random() < 0.5 else draw.choice(["", " ", "\n"]).join(parts)

    return replace(
        item,
        task=draw.choice([item.task, "commonsense", "moral", "multiple"]),
        language=draw.choice([item.language, "", "zh", "en", "fr"]),
        stem=say(item.stem),
        options=tuple(
            OptionView(say(one.text), one.is_key, one.rank)
            for one in item.options
            for _time in range(draw.choice([1, 1, 1, 2]))
        ),
        explanation=say(item.explanation),
        siblings=(
            *item.siblings,
            SiblingView(say(item.stem), item.texts, say(item.texts[0]) if item.texts else "", "9"),
        ),
    )


@pytest.mark.parametrize("seed", range(6))
def test_it_finds_in_a_batch_what_it_finds_in_each_item(seed: int) -> None:
    draw = Random(seed)  # noqa: S311 -- a sample, no secret
    items = [*SPOILED, *(_drawn(draw) for _item in range(400))]
    draw.shuffle(items)
    for check in CHECKS.values():
        batch = Batch(items)
        asked = check.candidates(batch)
        assert len(asked) == len({*asked})
        found = {
            index for index, item in enumerate(items) if check.applies_to(item.task) and [*check.find(item)]
        }
        assert found, check.id
        assert found <= {*asked}, check.id
    assert judge_batch(Batch(items), CHECKS.values()) == [judge(item, CHECKS.values()) for item in items]


def test_it_judges_no_items() -> None:
    assert judge_batch(Batch(()), CHECKS.values()) == []


def test_it_asks_few_checks_about_sound_items() -> None:
    batch = Batch([ZH, EN] * 10)
    asked = sum(len(check.candidates(batch)) for check in CHECKS.values())
    assert asked < len(CHECKS) * len(batch.items) / 2


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (re.compile("b"), {0, 2}),
        (re.compile("a\\s+b"), {0, 1}),  # from the second into the third
        (by_lines(re.compile("a$")), {0, 1}),
        (at_line_start(re.compile("b|c")), {0, 2, 3}),
        (on_a_line(re.compile("a|c|d")), {0, 1, 3}),
    ],
)
def test_it_names_the_items_in_whose_lines_a_pattern_is_found(
    pattern: re.Pattern[str], found: set[int]
) -> None:
    lines = Lines(["a\nb", "a", "b b", "c", ""])
    assert lines.having(pattern) == found
