"""What a model is asked of each kind that has a form of its own, and how its answer is read."""

from __future__ import annotations

from typing import Any

import pytest

from parable.kinds import kind_of
from parable.reading.json_answers import find_json

TEXT = "瓶子边是香油，包裹里是鸡蛋，瓶子里空空的。"
ANOMALY: dict[str, Any] = {
    "task": "anomaly_spans",
    "story": TEXT,
    "question": "",
    "language": "zh",
    "choices": [],
}
STEP = ANOMALY | {"task": "step_tuples"}
SCENE = ANOMALY | {
    "task": "scene_pairs",
    "own": {"second": "瓶子边是醋。", "same": False},
    "explanation": "不同。",
}
NARRATIVE = {
    "task": "proverb_narratives", "story": "Too many cooks spoil the broth", "question": "", "language": "en",
    "choices": [], "own": {"narrative": "Five managers, and nothing was built."},
}  # fmt: skip


def mark(role: str, text: str, *positions: int, **more: str) -> dict[str, Any]:
    return {"role": role, "text": text, "positions": list(positions)} | more


S1, P1 = mark("S1", "香油", 4, 5), mark("P1", "瓶子边", 0, 1, 2)
ONE = {"answer": [[S1, P1]]}


@pytest.mark.parametrize(
    ("item", "text", "given", "strict"),
    [
        (ANOMALY, '[{"S1": "香油", "P1": "瓶子边"}]', ONE, True),
        (ANOMALY, '[{"P1": "瓶子边", "S1": "香油", "X": "空"}]', ONE, True),
        (ANOMALY, '想一想：[1]\n```json\n[{"S1": "香油", "P1": "瓶子边"}]\n```', ONE, False),
        (ANOMALY, '[{"S1": "瓶子…空空"}]', {"answer": [[mark("S1", "瓶子空空", 0, 1, 17, 18)]]}, True),
        (ANOMALY, '[{"S1": "瓶子@14"}]', {"answer": [[mark("S1", "瓶子", 14, 15)]]}, True),
        (ANOMALY, '[{"S1": "醋"}]', {"answer": [[mark("S1", "醋")]]}, True),
        (ANOMALY, "[]", {"answer": []}, True),
        (ANOMALY, "我不知道。", None, False),
        (ANOMALY, '{"S1": "香油"}', None, False),
        (
            STEP,
            '[{"空间实体": "香油", "时间": "说话时", "处所": "瓶子边"}]',
            {
                "answer": [
                    [
                        mark("空间实体", "香油", 4, 5), mark("时间", "", label="说话时"),
                        mark("处所", "瓶子边", 0, 1, 2),
                    ]
                ]
            },
            True,
        ),
        (
            STEP,
            '[{"空间实体": "鸡蛋", "时间": {"label": "之前", "text": "空"}, "事实性": "真"}]',
            {
                "answer": [
                    [
                        mark("空间实体", "鸡蛋", 11, 12), mark("事实性", "真"),
                        mark("时间", "空", 17, label="之前"),
                    ]
                ]
            },
            True,
        ),
        (SCENE, '{"same": false, "reason": "边与里不同"}', {"same": False, "reason": "边与里不同"}, True),
        (SCENE, '{"same": "true"}', {"same": True}, True),
        (SCENE, "same: True，因为……", {"same": True}, False),
        (SCENE, '{"same": 1}', None, False),
        (SCENE, "也许", None, False),
        (
            NARRATIVE,
            '[{"proverb": "Too many cooks", "narrative": "Five managers"}]',
            {
                "alignment": [
                    [
                        mark("proverb", "Too many cooks", *range(14), target="proverb"),
                        mark("narrative", "Five managers", *range(13), target="narrative"),
                    ]
                ]
            },
            True,
        ),
    ],
)  # fmt: skip
def test_it_reads_an_answer(item: dict[str, Any], text: str, given: Any, strict: bool) -> None:
    read = kind_of(item["task"]).question.read(text, item, ())
    assert (read.outcome, read.given) == ("unparsed" if given is None else "chosen", given)
    assert read.strict == (given if strict else None)


@pytest.mark.parametrize("item", [ANOMALY | {"own": ONE}, STEP, SCENE, NARRATIVE])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_it_is_asked_with_all_that_is_shown_and_nothing_else(item: dict[str, Any], language: str) -> None:
    question = kind_of(item["task"]).question
    asked = question.put(question.template(language), item, ())
    assert all(name in question.template(language) for name in question.wanted)
    for text in (item["story"], *question.asked_of(item).values()):
        assert text in asked
    assert "{" + "story" not in asked
    assert "4, 5" not in asked


@pytest.mark.parametrize("item", [ANOMALY | {"own": ONE}, SCENE])
def test_the_right_answer_in_words_is_read_as_right(item: dict[str, Any]) -> None:
    kind = kind_of(item["task"])
    read = kind.question.read(kind.question.words(item), item, ())
    assert kind.is_right(read.strict, kind.question.right(item))


def test_the_last_value_of_the_wanted_type_counts() -> None:
    assert find_json('{"a": [1]} then [2] and {"b": 3}', list) == [2]
    assert find_json("[[[", list) is None
