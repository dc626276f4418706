"""Tables of statistics: of made answers exactly, of the published sets as near as a part of them allows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parable.formats.layouts import Layout, read_layout
from parable.formats.space import ANOMALY, SCENE, STEP
from parable.kinds.anomaly import Alternative, AnomalyCounts, AnomalyText, Fragment, anomaly_counts
from parable.kinds.scene import Judgement, SceneCounts, ScenePair, scene_counts
from parable.kinds.spans import Span
from parable.kinds.step import Element, StepCounts, StepText, StepTuple, step_counts
from tests.parable.kind_oracle import lines

PUBLISHED_FRAGMENTS = {1: 613, 2: 1035, 3: 3779, 4: 192, 5: 48, 6: 785}
"""Alternatives by fragments, as the paper counts its training texts."""
PUBLISHED_ROLES = {
    "空间实体": 12204, "参照实体": 218, "事件": 8527, "事实性": 463, "时间": 2143, "处所": 7309,
    "起点": 950, "终点": 1828, "方向": 3388, "朝向": 250, "部件处所": 102, "部位": 447, "形状": 130,
    "路径": 486, "距离": 218,
}  # fmt: skip
"""Elements by role, as the paper counts all its tuples."""
NEAR = 0.006
"""How far a share of seven in ten texts may be from the share of all."""


def records(folder: Path, layout: Layout[Any], *names: str) -> list[Any]:
    return [one for name in names for one in read_layout(folder / name, name=name, layout=layout).records]


def shares(counts: Mapping[Any, int]) -> dict[Any, float]:
    total = sum(counts.values())
    return {key: count / total for key, count in counts.items()}


def test_it_counts_the_published_alternatives(shared_data: Path) -> None:
    folder = shared_data / "space2023"
    counts = anomaly_counts(records(folder, ANOMALY, "task1_train.jsonl"))
    raw = [one for row in lines(folder / "task1_train.jsonl") for one in row["results"]]
    assert (counts.texts, counts.alternatives) == (3367, len(raw))
    assert counts.by_fragments == {n: sum(len(one) == n for one in raw) for n in range(1, 7)}
    assert shares(counts.by_fragments) == pytest.approx(shares(PUBLISHED_FRAGMENTS), abs=NEAR)
    assert counts.by_alternatives == {1: 2514, 2: 743, 3: 91, 4: 18, 5: 1}
    assert {roles for roles, n in counts.by_roles.items() if n == 1} == {"P1 S2 P2 E2"}
    assert counts.with_gaps / counts.fragments == pytest.approx(1337 / 22374, abs=NEAR)


def test_it_counts_the_published_tuples(shared_data: Path) -> None:
    folder = shared_data / "space2023"
    names = ("task2_train.jsonl", "task2_dev.jsonl")
    counts = step_counts(records(folder, STEP, *names))
    raw = [one for name in names for row in lines(folder / name) for one in row["results"]]
    assert (counts.texts, counts.tuples, counts.elements) == (1191, len(raw), sum(map(len, raw)))
    assert list(counts.roles) == list(PUBLISHED_ROLES)
    assert shares(counts.roles) == pytest.approx(shares(PUBLISHED_ROLES), abs=NEAR)
    assert (min(counts.by_tuples), max(counts.by_tuples)) == (1, 20)
    assert counts.labels["时间"].get("之间") is None, "it never occurs"
    assert counts.roles["参照实体"] == counts.roles["距离"]
    assert counts.labels["事实性"] == {"假": counts.roles["事实性"]}


def test_it_counts_the_published_scenes(shared_data: Path) -> None:
    counts = scene_counts(records(shared_data / "space2023", SCENE, "task3_examples.jsonl"))
    assert (counts.pairs, counts.same, counts.different) == (7, 4, 3)
    assert counts.difference == pytest.approx(9 / 7)


def test_it_counts_made_alternatives() -> None:
    def fragment(role: str, *positions: int) -> Fragment:
        return Fragment(role, Span("", positions))

    both = Alternative((fragment("S1", 0, 1), fragment("P1", 1, 3)))
    alone = Alternative((fragment("E1", 3, 2),))
    texts = [
        AnomalyText("1", "abcd", (both, alone)),
        AnomalyText("2", "ab", (Alternative((fragment("X", 0, 0),)),)),
        AnomalyText("3", None, None),
    ]
    assert anomaly_counts(texts) == AnomalyCounts(
        texts=3,
        characters=3.0,
        alternatives=3,
        by_alternatives={1: 1, 2: 1},
        by_fragments={1: 2, 2: 1},
        by_roles={"E1": 1, "S1 P1": 1, "X": 1},
        roles={"S1": 1, "P1": 1, "E1": 1, "X": 1},
        fragments=4,
        with_gaps=1,
        reordered=2,
        overlapping=1,
    )
    assert anomaly_counts([]).characters == 0


def test_it_counts_made_tuples() -> None:
    span = Span("猫", (0,))
    cat, near = Element("空间实体", span), Element("距离", None, "近")
    past = Element("时间", Span("时", (1,)), "之前")
    texts = [
        StepText("1", "猫时", (StepTuple((cat, past)), StepTuple((cat, near))), ((span,), (span,)), ()),
        StepText("2", "猫", None),
    ]
    assert step_counts(texts) == StepCounts(
        texts=2,
        characters=1.5,
        tuples=2,
        by_tuples={2: 1},
        roles={"空间实体": 2, "时间": 1, "距离": 1},
        labels={"事实性": {}, "时间": {"之前": 1}, "距离": {"近": 1}},
        elements=4,
        coreferences=2,
        non_coreferences=0,
    )


def test_it_counts_made_scenes() -> None:
    pairs = [
        ScenePair("1", "桌子上", "桌上", (Judgement(True, "因为"),)),
        ScenePair("2", "左", "右", (Judgement(False, None),)),
        ScenePair("3", None, None, None),
    ]
    assert scene_counts(pairs) == SceneCounts(3, 1, 1, 7 / 4, 1.0, 2.0)
