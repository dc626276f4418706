"""A writer's own share of what only many items show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parable.formats.records import ItemRecord
from parable.quality.item.from_records import view_items
from parable.quality.shares import Share, shares
from tests.parable.quality_items import ZH, with_options


def test_it_says_in_how_many_items_the_key_is_longest() -> None:
    longest = with_options(ZH, "吃三颗松果", "睡觉", "唱歌", "跳舞")
    shortest = with_options(ZH, "吃", "睡觉", "唱歌", "跳舞")
    tied = with_options(ZH, "吃松果", "睡大觉", "唱歌", "跳舞")
    other = with_options(ZH, "吃松", "睡大觉呢", "唱歌", "跳舞")
    found = shares([longest] * 3 + [shortest, tied, other])
    assert found.items == 6
    assert (found.longest_key.count, found.longest_key.items) == (3, 6)
    assert found.longest_key.expected == pytest.approx(4 / 4)
    assert found.shortest_key.count == 1
    assert found.shortest_key.expected == pytest.approx(1 / 4)


def test_it_expects_less_of_items_with_more_options() -> None:
    two, four = with_options(ZH, "吃松果", "睡觉"), with_options(ZH, "吃松果", "睡觉", "唱歌", "跳舞")
    assert shares([two, four]).longest_key.expected == pytest.approx(1 / 2 + 1 / 4)


def test_it_counts_types_and_warnings() -> None:
    warned = with_options(ZH, "因为冬天太冷了没有东西吃", "玩", "唱", "跳")
    found = shares([replace(ZH, types=("social", "temporal")), ZH, replace(warned, types=("social",))])
    assert found.types == {"social": 2, "temporal": 1, "biological": 1}
    assert found.findings == {"longest_key": 1}


def test_it_leaves_unfinished_items_out() -> None:
    unfinished = [
        with_options(ZH, "吃", "睡", key=None),
        with_options(ZH, "吃"),
        with_options(ZH, "吃", " "),
        with_options(ZH, "", "睡"),
    ]
    assert shares(unfinished) == shares([])
    assert shares([]).longest_key == Share(0, 0, 0.0)


def test_it_does_not_mind_the_order_of_items() -> None:
    items = [with_options(ZH, "吃" * n, "睡觉", key=n % 2) for n in range(1, 6)]
    assert shares(items) == shares(reversed(items))


def _record(number: int, story: str, **changes: object) -> ItemRecord:
    fields: dict[str, object] = {
        "id": f"i-{number}",
        "task": "commonsense",
        "story_id": None,
        "title": "",
        "story": story,
        "question": f"问题{number}？",
        "choices": ("甲", "乙"),
        "answer": 1,
    }
    return ItemRecord(**(fields | changes))  # type: ignore[arg-type]  # a test's shorthand


def test_it_sees_records_beside_the_others_of_their_story() -> None:
    records = [
        _record(1, "一个 故事"),
        _record(2, "一个  故事"),
        _record(3, "别的故事"),
        _record(4, "", story_id="s"),
    ]
    one, two, three, four = view_items(records, language="zh")
    assert [sibling.stem for sibling in one.siblings] == ["问题2？"]
    assert [sibling.stem for sibling in two.siblings] == ["问题1？"]
    assert three.siblings == four.siblings == ()
    assert [option.is_key for option in one.options] == [False, True]
    assert one.language == "zh"


def test_it_keeps_what_the_record_says_of_language_and_gives_moral_items_their_stem() -> None:
    records = [_record(1, "s", language="en", task="moral", explanation=None, answer=None), _record(2, "t")]
    moral, commonsense = view_items(records, language="zh", standard_stem="寓意？")
    assert (moral.language, moral.standard_stem, moral.explanation) == ("en", "寓意？", "")
    assert moral.key is None
    assert commonsense.standard_stem == ""
