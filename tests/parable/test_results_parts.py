"""Mean scores by genre and by the number of fragments, and the change of rank beside ability and accuracy."""

from __future__ import annotations

import pytest

from parable.commands.results.layouts import LAYOUTS, cells
from parable.kinds import kind_of
from parable.kinds.mark_json import write_groups
from parable.kinds.marks import Mark, locate
from parable.psychometrics.bootstrap import shared_ranks
from parable.psychometrics.results.ability_ranks import rank_change
from parable.psychometrics.results.evaluation import make_tables
from parable.psychometrics.results.sheets import Answer, ItemFact, Items, make_sheet
from parable.psychometrics.results.tables import Cell, Column, Kind, Row, Table

TEXT = "灯挂在墙上，猫睡在炉子边。"


def items(genres: tuple[str, ...], sizes: tuple[tuple[int, ...], ...]) -> Items:
    return Items(
        ItemFact(
            f"i{at}", "anomaly_spans", f"s{at}", at, 0, chance=0.0, is_one=False, genre=genre, sizes=size
        )
        for at, (genre, size) in enumerate(zip(genres, sizes, strict=True))
    )


def parts(known: Items, scores: tuple[float, ...]) -> dict[tuple[str, str], tuple[Cell, ...]]:
    """By kind and name of a part, its number of items and its mean."""
    answers = [Answer(f"i{at}", "chosen", -2, -2, score=score) for at, score in enumerate(scores)]
    found = {one.code: one for one in make_tables(known, [make_sheet("m", known, answers)])}
    if "parts" not in found:
        return {}
    for layout in LAYOUTS.values():
        assert layout(found["parts"], "zh")
    return {(str(row.cells[3]), str(row.cells[4])): row.cells[6:8] for row in found["parts"].rows}


def test_it_gives_the_mean_of_each_genre_and_size_and_counts_an_item_in_each_of_its_sizes() -> None:
    known = items(("sport", "sport", "news", "news"), ((3,), (3, 6), (6,), (1,)))
    assert parts(known, (1.0, 0.5, 0.25, 0.0)) == {
        ("genre", "news"): (2, 0.125),
        ("genre", "sport"): (2, 0.75),
        ("size", "1"): (1, 0.0),
        ("size", "3"): (2, 0.75),
        ("size", "6"): (2, 0.375),
    }


@pytest.mark.parametrize(
    ("genres", "sizes"), [(("", "", ""), ((3,), (3,), (3,))), (("news", "", "news"), ((), (), ()))]
)
def test_a_task_of_one_part_has_no_parts(genres: tuple[str, ...], sizes: tuple[tuple[int, ...], ...]) -> None:
    assert parts(items(genres, sizes), (1.0, 0.5, 0.0)) == {}


def test_an_anomaly_is_of_the_sizes_of_its_alternatives() -> None:
    def group(*words: str) -> tuple[Mark, ...]:
        spans = [locate(one, TEXT) for one in words]
        return tuple(
            Mark(role, span.text, span.positions)
            for role, span in zip(("S1", "P1", "E1"), spans, strict=False)
        )

    right = {"answer": write_groups([group("灯", "墙上", "挂"), group("猫", "炉子边"), group("灯", "墙上")])}
    assert kind_of("anomaly_spans").sizes(right) == (2, 3)
    for other in (None, {}, {"answer": None}):
        assert kind_of("anomaly_spans").sizes(other) == ()
    assert kind_of("moral").sizes(2) == ()


@pytest.mark.parametrize(
    ("by_accuracy", "by_ability", "change", "shown"),
    [(3, 1, 2, "+2"), (1, 3, -2, "-2"), (2, 2, 0, "0"), (None, 1, None, "–"), (1, None, None, "–")],
)
def test_a_change_of_rank_is_above_0_where_ability_ranks_higher(
    by_accuracy: int | None, by_ability: int | None, change: int | None, shown: str
) -> None:
    assert rank_change(by_accuracy, by_ability) == change
    table = Table("ranks", (Column("examinee", Kind.NAME), Column("rank_change", Kind.CHANGE)), ())
    assert str(cells(table, Row(("m", change)), "en")[1]) == shown


@pytest.mark.parametrize(
    ("task", "headline"),
    [("moral", "accuracy"), ("ordering", "accuracy"), ("anomaly_spans", "f1"), ("scene_pairs", "accuracy")],
)
def test_a_kind_is_ranked_by_the_f1_of_its_official_scorer_or_by_accuracy(task: str, headline: str) -> None:
    assert kind_of(task).headline == headline


@pytest.mark.parametrize(
    ("spans", "ranks"),
    [
        ([], []),
        ([(0.1, 0.9)], [(1, 1)]),
        ([(0.8, 0.9), (0.5, 0.6)], [(1, 1), (2, 2)]),
        ([(0.5, 0.6), (0.6, 0.7), (0.1, 0.2)], [(1, 2), (1, 2), (3, 3)]),
        ([(0.0, 1.0), (0.8, 0.9), (0.1, 0.2)], [(1, 3), (1, 2), (2, 3)]),
    ],
)
def test_overlapping_intervals_share_ranks(
    spans: list[tuple[float, float]], ranks: list[tuple[int, int]]
) -> None:
    assert shared_ranks(spans) == ranks
