"""Turns of phrase that are in keys far more often than in wrong options."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from parable.formats.items import read_items
from parable.quality.item import ItemView, OptionView
from parable.quality.item.from_records import view_items
from parable.quality.phrases import Telling, find_phrases, phrases_of, telling_phrases


def item(key: str, *wrong: str) -> ItemView:
    return ItemView("moral", "zh", options=(OptionView(key, True), *(OptionView(text) for text in wrong)))


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("只有努力", {"只有", "有努", "努力"}),
        ("Those who wait", {"those", "who", "wait", "those who", "who wait"}),
        ("学ABC好", {"abc"}),
        ("驴", set()),
        ("", set()),
        ("ＧＬＭ GLM", {"glm", "glm glm"}),
    ],
)
def test_it_reads_chinese_by_pairs_and_other_scripts_by_the_word(text: str, phrases: set[str]) -> None:
    assert phrases_of(text) == phrases


def test_it_finds_what_stands_in_keys_only() -> None:
    items = [item(f"那些第{n}个来的", f"鸟{n}飞", f"鱼{n}游", f"马{n}跑") for n in "一二三四五六七八"]
    found = telling_phrases(items)
    assert Telling("那些", 8, 8, 0, 24) in found
    assert {one.phrase for one in find_phrases("那些懒人", found)} == {"那些"}
    assert find_phrases("鸟儿", found) == ()


def test_it_leaves_out_a_word_that_a_longer_phrase_names() -> None:
    items = [item(f"those who {n}", f"birds {n}", f"fish {n}", f"mares {n}") for n in range(100, 110)]
    found = find_phrases("Those who wait", telling_phrases(items))
    assert [one.phrase for one in found] == ["those who"]


def test_it_calls_nothing_telling_that_stands_as_often_in_wrong_options() -> None:
    items = [item(f"那些人{n}", f"那些鸟{n}", f"那些鱼{n}", f"那些马{n}") for n in "一二三四五六七八"]
    assert not any(one.phrase == "那些" for one in telling_phrases(items))
    assert telling_phrases([]) == telling_phrases([item("那些")]) == ()


@pytest.fixture(scope="module")
def published(shared_data: Path) -> tuple[ItemView, ...]:
    """The keyed moral items of the published development file."""
    name = "dev_CRMUS_MU.json"
    read = read_items(shared_data / "crmus" / "published_format" / name, name=name).records
    return view_items([record for record in read if record.answer is not None], language="zh")


def test_it_finds_the_turns_of_phrase_of_published_keys(published: tuple[ItemView, ...]) -> None:
    found = {one.phrase for one in telling_phrases(published)}
    assert {"有些", "那些"} <= found
    assert len(found) < 12


def test_it_raises_few_false_alarms_where_keys_are_drawn(published: tuple[ItemView, ...]) -> None:
    alarms = 0
    for seed in range(20):
        chance = random.Random(seed)  # noqa: S311  # which keys are drawn is no secret
        drawn = [
            replace(
                one,
                options=tuple(
                    OptionView(option.text, index == key) for index, option in enumerate(one.options)
                ),
            )
            for one in published
            for key in [chance.randrange(len(one.options))]
        ]
        alarms += len(telling_phrases(drawn))
    assert alarms / 20 < 1
