"""Marks: typed plainly, made of published answers and back, compared between two people, and merged."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest

from parable.formats.epic import NARRATIVES
from parable.formats.layouts import read_layout
from parable.formats.space import ANOMALY, STEP
from parable.kinds import anomaly, proverb, step
from parable.kinds.comparison import DIFFERENT, ONLY_FIRST, ONLY_SECOND, SAME, Pick, agreement, compare, merge
from parable.kinds.marks import Groups, Mark, in_order, locate, runs, without_blanks, write_plainly
from parable.kinds.spans import Span

TEXT = "瓶子边是香油，包裹里是鸡蛋，瓶子空了。"

TYPED = [
    ("包裹里", Span("包裹里", (7, 8, 9))),
    ("瓶子", Span("瓶子", (0, 1))),
    ("瓶子@14", Span("瓶子", (14, 15))),
    ("瓶子…空了", Span("瓶子空了", (0, 1, 16, 17))),
    ("空了…瓶子", Span("空了瓶子", (16, 17, 0, 1))),
    ("瓶子…瓶子", Span("瓶子瓶子", (0, 1, 14, 15))),
    (" 鸡蛋 ", Span("鸡蛋", (11, 12))),
    ("鸭蛋", Span("鸭蛋", ())),
    ("瓶子@3", Span("瓶子@3", ())),
    ("瓶子…鸭蛋", Span("瓶子…鸭蛋", ())),
    ("", Span("", ())),
]


@pytest.mark.parametrize(("typed", "span"), TYPED)
def test_it_finds_what_somebody_typed(typed: str, span: Span) -> None:
    assert locate(typed, TEXT) == span


@pytest.mark.parametrize("span", [span for _typed, span in TYPED if span.positions])
def test_what_it_writes_plainly_is_found_again(span: Span) -> None:
    written = write_plainly(Mark("S1", span.text, span.positions), TEXT)
    assert locate(written, TEXT) == span


def test_pieces_follow_the_order_of_the_span() -> None:
    assert runs((0, 1, 2, 4, 5, 9)) == [(0, 2), (4, 5), (9, 9)]
    assert runs((5, 4, 4)) == [(5, 5), (4, 4), (4, 4)]
    assert runs(()) == []


def typed_and_found(marks: Iterable[Mark], context: str) -> bool:
    return all(locate(write_plainly(mark, context), context).positions == mark.positions for mark in marks)


def test_published_anomalies_become_marks_and_back(shared_data: Path) -> None:
    path = shared_data / "space2023" / "task1_dev.jsonl"
    records = read_layout(path, name=path.name, layout=ANOMALY).records
    assert records
    for one in records:
        alternatives = one.alternatives or ()
        groups = anomaly.to_marks(alternatives)
        assert anomaly.from_marks(groups) == alternatives
        assert all(in_order(group, anomaly.ORDER) == group for group in groups)
        assert anomaly.score(groups, groups) == 1.0
        assert typed_and_found(chain.from_iterable(groups), one.context or "")


def test_published_tuples_become_marks_and_back(shared_data: Path) -> None:
    path = shared_data / "space2023" / "task2_dev.jsonl"
    records = read_layout(path, name=path.name, layout=STEP).records
    assert records
    for one in records:
        groups = step.to_marks(one.tuples or ())
        assert step.from_marks(groups) == one.tuples
        assert step.by_entity(groups) == groups
        assert step.mentions_from_marks(step.mentions_to_marks(one.corefs)) == one.corefs
        assert typed_and_found(chain.from_iterable(groups), one.context or "")


def test_published_narratives_become_marks_and_back(shared_data: Path) -> None:
    path = shared_data / "epic" / "published_format" / "full_dataset.json"
    without = 0
    for one in read_layout(path, name=path.name, layout=NARRATIVES).records:
        groups = proverb.to_marks(one)
        assert proverb.from_marks(groups) == one.slots
        without += sum(not mark.positions for group in groups for mark in group)
    assert without > 0  # the wordings that do not stand in their texts are kept


def mark(role: str, *positions: int, label: str = "") -> Mark:
    return Mark(role, "".join(TEXT[one] for one in positions), positions, label)


FIRST: Groups = (
    (mark("S1", 4, 5), mark("P1", 0, 1, 2), mark("E1", 3)),
    (mark("S1", 11, 12), mark("P1", 7, 8, 9)),
)
SECOND: Groups = (
    (mark("S1", 14, 15),),
    (mark("S1", 5, 4), mark("P1", 0, 1), mark("S2", 11, 12)),
)


def test_it_pairs_what_belongs_together_and_marks_the_differences() -> None:
    pair, alone, other = compare(FIRST, SECOND, anomaly.likeness)
    assert (pair.first, pair.second) == (0, 1)
    outcomes = {one.role: one.outcome for one in pair.roles}
    assert outcomes == {"S1": SAME, "P1": DIFFERENT, "E1": ONLY_FIRST, "S2": ONLY_SECOND}
    assert not pair.is_same
    assert (alone.first, alone.second, alone.likeness) == (1, None, 0.0)
    assert (other.first, other.second) == (None, 0)
    assert {one.outcome for one in alone.roles} == {ONLY_FIRST}
    assert {one.outcome for one in other.roles} == {ONLY_SECOND}


def test_the_same_answers_agree_wholly_and_different_ones_not_at_all() -> None:
    assert agreement(compare(FIRST, FIRST, anomaly.likeness)) == 1.0
    assert agreement(compare(FIRST, (), anomaly.likeness)) == 0.0
    assert agreement(compare((), (), anomaly.likeness)) == 1.0
    between = agreement(compare(FIRST, SECOND, anomaly.likeness))
    assert between == agreement(compare(SECOND, FIRST, anomaly.likeness))
    assert between == pytest.approx(2 * anomaly.likeness(FIRST[0], SECOND[1]) / 4)


def test_labels_are_compared_as_well() -> None:
    past, now = (mark("时间", label="过去"),), (mark("时间", label="说话时"),)
    (only,) = compare((past,), (past,), step.likeness)
    assert only.is_same
    assert {one.outcome for found in compare((past,), (now,), step.likeness) for one in found.roles} == {
        ONLY_FIRST,
        ONLY_SECOND,
    }


def test_sets_of_mentions_are_the_same_in_any_order() -> None:
    bottle, egg = Mark("", "瓶子", (0, 1)), Mark("", "鸡蛋", (11, 12))
    assert merge([((bottle, egg),), ((egg, bottle),)], [Pick(0, 0), Pick(1, 0)]) == ((bottle, egg),)


def test_an_adjudicator_merges_by_picking() -> None:
    assert merge([FIRST, SECOND], [Pick(1, 0), Pick(0, 1), Pick(0, 1)]) == (FIRST[1], SECOND[0])
    assert merge([FIRST, FIRST], [Pick(0, 0), Pick(1, 0)]) == (FIRST[0],)
    assert merge([FIRST], []) == ()
    for missing in (Pick(0, 2), Pick(1, 0), Pick(0, -1)):
        with pytest.raises(ValueError, match="no group"):
            merge([FIRST], [missing])


def test_blank_marks_and_groups_go() -> None:
    assert without_blanks([[Mark("S1")], [Mark("S1"), mark("P1", 0)], []]) == ((mark("P1", 0),),)
    assert without_blanks([[Mark("时间", label="过去")]]) == ((Mark("时间", label="过去"),),)
