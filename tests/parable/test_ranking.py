"""Findings are ranked by harm, and one sentence says whether a set can be cheated."""

from typing import Any

import pytest

from parable.quality.gates import GateResult
from parable.quality.ranking import (
    HINT,
    NO_KEYS,
    NO_SHORTCUT,
    SHORTCUT,
    TOO_FEW,
    Answer,
    answer_of,
    effect,
    idle,
    passed,
    rank,
)


def rule(name: str, verdict: str, low: float = 0.3, **more: Any) -> GateResult:
    detail = {"spoken": [{"rule": "longest"}], "chance": 0.25, **more}
    return GateResult(name, "commonsense", verdict, 0.5, low, 0.6, 0.4, ("a", "b"), 120, detail)


def other(name: str, verdict: str, items: int = 1, **detail: Any) -> GateResult:
    return GateResult(name, None, verdict, items, items=tuple(map(str, range(items))), detail=detail)


EARLY = GateResult(
    "tells",
    "commonsense",
    "not_applicable",
    0.9,
    0.6,
    0.95,
    None,
    (),
    40,
    {"stands_out": ["a"], "chance": 0.25},
)


def test_findings_are_in_the_order_of_harm() -> None:
    results = [
        other("rights", "error", 9),
        rule("length_artefact", "warning", 0.4),
        other("duplicates", "error", 3),
        rule("key_position", "error", 0.35),
        rule("options_only", "error", 0.4),
        other("explanations", "warning", 50),
        rule("no_story", "ok"),
        EARLY,
    ]
    checks = {"equal_options": ["a", "b"], "absolute_terms": ["c"] * 7, "vague_terms": ["c"] * 8}
    found = rank(results, checks, ["equal_options"])
    assert [(one.id, one.severity, one.count) for one in found] == [
        ("options_only", "error", 2),  # a rule is worse the further it is above chance
        ("key_position", "error", 2),
        ("duplicates", "error", 3),  # what a model may have seen
        ("equal_options", "error", 2),  # what is wrong
        ("rights", "error", 9),
        ("tells", "warning", 1),  # too few items to test, but far from chance
        ("length_artefact", "warning", 2),
        ("explanations", "warning", 50),
        ("vague_terms", "warning", 8),  # form: more items first
        ("absolute_terms", "warning", 7),
    ]


def test_faulty_items_are_found_once() -> None:
    gate = other("faulty_items", "error", 2, failed=["equal_options"])
    assert [one.id for one in rank([gate], {"equal_options": ["a", "b"]}, ["equal_options"])] == [
        "equal_options"
    ]
    contradicts = other("faulty_items", "error", 2, failed=["equal_options", "contradiction"])
    found = rank([contradicts], {"equal_options": ["a"]}, ["equal_options"])
    assert {one.id for one in found} == {"equal_options", "faulty_items"}


@pytest.mark.parametrize(
    ("results", "keyed", "answer"),
    [
        ([], {}, Answer(NO_KEYS)),
        ([], {"commonsense": 0}, Answer(NO_KEYS)),
        ([rule("no_story", "ok")], {"commonsense": 99}, Answer(TOO_FEW, keyed=99)),
        ([rule("no_story", "ok")], {"commonsense": 100}, Answer(NO_SHORTCUT, keyed=100)),
        ([rule("no_story", "ok")], {"commonsense": 60, "moral": 60}, Answer(TOO_FEW, keyed=60)),
        ([EARLY], {"commonsense": 40}, Answer(TOO_FEW, keyed=40)),
        ([other("rights", "error")], {"commonsense": 100}, Answer(NO_SHORTCUT, keyed=100)),
        ([rule("tells", "warning")], {"commonsense": 100}, Answer(HINT, 1, 100, 0)),
        (
            [rule("tells", "warning", 0.5), rule("tells", "error", 0.3), rule("no_story", "error", 0.4)],
            {"commonsense": 100},
            Answer(SHORTCUT, 2, 100, 2),
        ),
        # one gate in two tasks is one way
        ([rule("tells", "error"), rule("tells", "error")], {"commonsense": 100}, Answer(SHORTCUT, 1, 100, 0)),
        # a warning about single items is no rule
        (
            [other("sibling_leak", "warning", 3, chance=0.25)],
            {"commonsense": 100},
            Answer(NO_SHORTCUT, keyed=100),
        ),
    ],
)
def test_a_set_can_be_cheated_or_not(
    results: list[GateResult], keyed: dict[str, int], answer: Answer
) -> None:
    assert answer_of(results, keyed) == answer


def test_an_effect_is_the_share_of_what_is_left_above_chance() -> None:
    assert effect(rule("tells", "error", 0.625)) == pytest.approx(0.5)
    assert effect(rule("tells", "error", 0.2)) == 0
    assert effect(rule("tells", "ok", 0.9)) == 0
    assert effect(other("rights", "error")) == 0


def test_the_others_pass_or_do_not_apply() -> None:
    results = [rule("no_story", "ok"), other("rights", "not_applicable"), EARLY, rule("tells", "error")]
    assert [one.id for one in passed(results)] == ["no_story"]
    assert [one.id for one in idle(results)] == ["rights"]
