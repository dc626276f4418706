"""Checks of answers of the published kinds: tables of sound and contradicting ones, and published sets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from parable.formats.kind_files import layout_of
from parable.formats.layouts import read_layout
from parable.kinds.anomaly import Alternative, AnomalyText, Fragment
from parable.kinds.proverb import Narrative, SpanPair
from parable.kinds.scene import Judgement, ScenePair
from parable.kinds.spans import Span
from parable.kinds.step import DISTANCE, ENTITY, FACTUALITY, REFERENCE, TIME, Element, StepText, StepTuple
from parable.quality.kinds import CHECKS, CHECKS_OF, english, judge

CONTEXT = "猫在桌上狗在床下睡觉"


def span(*positions: int) -> Span:
    return Span("".join(CONTEXT[one] for one in positions), positions)


def found(content: object) -> list[tuple[str, str]]:
    """The checks that speak, and where; each sentence can be filled."""
    findings = judge(content)
    assert all(english(one) for one in findings)
    return [(one.check, one.place) for one in findings]


def anomaly(*alternatives: str, type_: str = "") -> AnomalyText:
    """An answer whose alternatives have the roles of these words, each a span of its own."""
    made = [
        Alternative(tuple(Fragment(role, span(n)) for n, role in enumerate(words.split())), type_)
        for words in alternatives
    ]
    return AnomalyText("1", CONTEXT, tuple(made))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (anomaly("S1 P1 E1"), []),
        (anomaly("P1", "S1 P1 E1 S2 P2 E2"), []),
        (anomaly("S1 P1 E1 S2 P2"), []),
        (anomaly("S1 P1 S2 P2"), []),
        (anomaly("S1 P1 P2 E2"), []),
        (anomaly("S P E", type_="C"), []),
        (anomaly("text1 text2", type_="A"), []),
        (AnomalyText("1", CONTEXT, None), []),
        (AnomalyText("1", CONTEXT, ()), [("alternative_empty", "alternatives")]),
        (anomaly("S1", ""), [("alternative_empty", "alternative-2")]),
        (anomaly("S1 X"), [("anomaly_role_unknown", "alternative-1-X")]),
        (anomaly("S P", type_="B"), [("anomaly_role_unknown", f"alternative-1-{role}") for role in "SP"]),
        (anomaly("S1 P1", type_="C"), [("anomaly_role_unknown", f"alternative-1-{r}1") for r in "SP"]),
        (anomaly("S1 S1 E1"), [("anomaly_role_repeated", "alternative-1-S1")]),
        (anomaly("S1", "P1 S1"), [("anomaly_role_order", "alternative-2")]),
        (anomaly("S1 P1 E2"), [("second_group", "alternative-1")]),
        (anomaly("S1 P1 E1 S2"), [("unequal_groups", "alternative-1")]),
        (anomaly("P1 S2 P2 E2"), [("unequal_groups", "alternative-1")]),
    ],
)
def test_it_checks_the_roles_of_alternatives(content: AnomalyText, expected: list[tuple[str, str]]) -> None:
    assert found(content) == expected


@pytest.mark.parametrize(
    ("marked", "context", "expected"),
    [
        (span(0, 2, 5), CONTEXT, []),
        (span(3, 2), CONTEXT, []),
        (Span("觉", (9,)), CONTEXT, []),
        (Span("x", (10,)), None, []),
        (Span("", (0,)), CONTEXT, ["span_empty", "span_misspelled"]),
        (Span("猫", ()), CONTEXT, ["span_empty"]),
        (Span("x", (10,)), CONTEXT, ["span_outside"]),
        (Span("x", (-1,)), CONTEXT, ["span_outside"]),
        (Span("狗", (0,)), CONTEXT, ["span_misspelled"]),
        (Span("猫猫", (0, 0)), CONTEXT, ["position_repeated"]),
    ],
)
def test_it_holds_spans_against_their_text(marked: Span, context: str | None, expected: list[str]) -> None:
    as_anomaly = AnomalyText("1", context, (Alternative((Fragment("S1", marked),)),))
    assert found(as_anomaly) == [(check, "alternative-1-S1") for check in expected]
    sound = StepTuple((Element(ENTITY, span(0)), Element("处所", span(1))))
    as_mention = StepText("1", context, (sound,) if context else (), ((marked,),), ((marked,),))
    places = ("coreference-1", "non-coreference-1")
    assert sorted(found(as_mention)) == sorted((check, place) for check in expected for place in places)


def step(*tuples: list[Element]) -> StepText:
    return StepText("1", CONTEXT, tuple(StepTuple(tuple(one)) for one in tuples))


CAT = Element(ENTITY, span(0))
DOG = Element(ENTITY, span(4))
BED = Element(REFERENCE, span(6))
PLACE = Element("处所", span(1, 2, 3))
NEAR = Element(DISTANCE, label="近")


def timed(positions: tuple[int, ...], label: str | None) -> StepText:
    return step([CAT, Element(TIME, span(*positions) if positions else None, label), PLACE])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (step([CAT, PLACE], [DOG, PLACE]), []),
        (step([CAT, BED, NEAR]), []),
        (step([CAT, BED, Element(DISTANCE, span(8))]), []),
        (step([CAT, Element(FACTUALITY, label="假"), PLACE]), []),
        (step(), []),
        (StepText("1", CONTEXT, None), []),
        (step([CAT, Element("地方", span(1)), PLACE]), [("step_role_unknown", "tuple-1-地方")]),
        (step([CAT, PLACE, PLACE]), [("step_role_repeated", "tuple-1-处所")]),
        (step([PLACE, CAT]), [("step_role_order", "tuple-1")]),
        (step([CAT, PLACE], [PLACE]), [("entity_missing", "tuple-2")]),
        (step([CAT, BED, PLACE]), [("reference_without_distance", "tuple-1")]),
        (step([CAT, NEAR]), [("reference_without_distance", "tuple-1")]),
        (step([CAT, BED, PLACE, NEAR]), [("distance_beside_place", "tuple-1")]),
        (step([CAT]), [("no_place", "tuple-1")]),
        (step([CAT, Element("处所")]), [("element_empty", "tuple-1-处所")]),
        (step([CAT, BED, Element(DISTANCE)]), [("element_empty", "tuple-1-距离")]),
        (step([CAT, Element(FACTUALITY, span(1)), PLACE]), [("element_empty", "tuple-1-事实性")]),
        (step([CAT, Element("处所", span(1), "远")]), [("label_unknown", "tuple-1-处所")]),
        (step([CAT, BED, Element(DISTANCE, label="假")]), [("label_unknown", "tuple-1-距离")]),
        (step([CAT, BED, Element(DISTANCE, span(1), "远")]), [("label_beside_fragment", "tuple-1-距离")]),
        (
            step([CAT, Element(FACTUALITY, span(1), "假"), PLACE]),
            [("label_beside_fragment", "tuple-1-事实性")],
        ),
        (step([DOG, PLACE], [CAT, PLACE]), [("tuple_order", "tuple-2")]),
        (step([CAT, PLACE], [DOG, PLACE], [DOG, PLACE]), [("tuple_repeated", "tuple-3")]),
    ],
)
def test_it_checks_the_elements_of_tuples(content: StepText, expected: list[tuple[str, str]]) -> None:
    assert found(content) == expected


@pytest.mark.parametrize(
    ("positions", "label", "is_sound"),
    [
        ((8,), None, True),
        ((), "说话时", True),
        ((), "过去", True),
        ((), "将来", True),
        ((8,), "之时", True),
        ((8,), "之间", True),
        ((8,), "将来", False),
        ((), "之时", False),
        ((), "之后", False),
    ],
)
def test_it_has_labels_of_time_that_need_an_event(
    positions: tuple[int, ...], label: str | None, is_sound: bool
) -> None:
    expected = [] if is_sound else [("label_beside_fragment", "tuple-1-时间")]
    assert found(timed(positions, label)) == expected


def scene(first: str, second: str, *reasons: str | None) -> ScenePair:
    return ScenePair("1", first, second, tuple(Judgement(True, reason) for reason in reasons))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (scene("脖子上系着", "脖子下系着", "“脖子上”和“脖子下”"), []),
        (scene("桌上", "桌下", "上和下"), []),
        (ScenePair("1", None, None, (Judgement(True, "上"),)), []),
        (ScenePair("1", "桌上", "桌下", None), []),
        (scene("桌上", "桌上", "上"), [("texts_equal", "texts")]),
        (scene("桌上", "床下面", "桌上床下面"), [("difference_long", "texts")]),
        (scene("桌子上面", "桌子下面"), [("judgement_missing", "judgement")]),
        (scene("桌上", "桌下", "上下", "上下"), [("judgement_missing", "judgement")]),
        (scene("桌上", "桌下", " "), [("reason_missing", "reason"), *[("reason_unquoted", "reason")] * 2]),
        (scene("桌上", "桌下", None), [("reason_missing", "reason")]),
        (scene("桌上", "桌下", "因为上面"), [("reason_unquoted", "reason")]),
    ],
)
def test_it_checks_scenes(content: ScenePair, expected: list[tuple[str, str]]) -> None:
    assert found(content) == expected


def narrative(*pairs: tuple[str, str], text: str = "She sewed it at once.") -> Narrative:
    filled = [*pairs, *[("", "")] * (5 - len(pairs))]
    return Narrative("Q1N1", "A stitch in time", text, tuple(SpanPair(*pair) for pair in filled))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (narrative(("stitch", "sewed it"), ("in time", "at once")), []),
        (narrative(("", ""), ("stitch", "sewed")), []),
        (narrative(("stitch", "x"), text="x " * 100), []),
        (narrative(("stitch", "x"), text="x " * 101), [("narrative_long", "narrative")]),
        (narrative(("stitch", "\n"), text=" \n"), [("narrative_empty", "narrative")]),
        (narrative(("stitch", "IN"), text="Sew: stitch, IN time!"), [("proverb_quoted", "narrative")]),
        (narrative(("stitch", "in"), text="a stitch in haste"), [("proverb_quoted", "narrative")]),
        (narrative(("stitch", "in"), text="stitch in haste"), []),
        (narrative(), [("pairs_missing", "pairs")]),
        (narrative(("stitch", "")), [("pair_half", "pair-1-narrative")]),
        (narrative(("stitch", "sewed"), ("", "sewed")), [("pair_half", "pair-2-proverb")]),
        (narrative(("Stitch", "sewed")), [("span_absent", "pair-1-proverb")]),
    ],
)  # fmt: skip
def test_it_checks_narratives(content: Narrative, expected: list[tuple[str, str]]) -> None:
    assert found(content) == expected


def test_what_has_no_kind_has_no_checks() -> None:
    assert judge("a text") == ()


def test_every_check_has_an_id_of_its_own() -> None:
    classes = {type(check) for checks in CHECKS_OF.values() for check in checks}
    assert len(CHECKS) == len(classes)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("space2022/task2_dev.jsonl", {}),
        ("space2023/task1_dev.jsonl", {}),
        ("space2023/task1_train.jsonl", {"unequal_groups": 1, "span_misspelled": 1}),
        ("space2023/task2_dev.jsonl", {}),
        ("space2023/task2_train.jsonl", {"no_place": 3}),
        ("space2023/task3_examples.jsonl", {}),
        (
            "epic/published_format/full_dataset.json",
            {"proverb_quoted": 7, "narrative_long": 39, "span_absent": 12},
        ),
    ],
)
def test_it_finds_what_the_published_sets_contradict(
    shared_data: Path, name: str, expected: dict[str, int]
) -> None:
    layout: Any = layout_of(shared_data / name)
    records = read_layout(shared_data / name, name=name, layout=layout).records
    assert Counter(one.check for record in records for one in judge(record)) == expected
