"""The charts of results: every table has them, in both languages, with the figures of its rows."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from parable.charts import Chart
from parable.commands.results.plots import plots
from parable.psychometrics.results.evaluation import TABLES, make_tables
from parable.psychometrics.results.sheets import Answer, make_sheet
from parable.psychometrics.results.tables import Table
from tests.parable.test_results_plots import ITEMS, RELEASED, THIRD


@cache
def found() -> dict[str, Table]:
    """A good examinee that was asked three times, and a poor one whose answers name two options at times."""
    good = [
        Answer(fact.id, "chosen", (fact.key + (at * repeat) % 7 // 6) % 4, fact.key, repeat=repeat)
        for at, fact in enumerate(ITEMS.facts)
        for repeat in (1, 2, 3)
    ]
    poor = [
        Answer(fact.id, "chosen", at % 4, at % 4) if at % 3 else Answer(fact.id, "ambiguous")
        for at, fact in enumerate(ITEMS.facts)
    ]
    sheets = [make_sheet("glm-4", ITEMS, good), make_sheet("晓鱼", ITEMS, poor)]
    third = make_sheet("third", ITEMS, THIRD)
    more = make_tables(ITEMS, [*sheets, third], released=RELEASED)
    return {table.code: table for table in (*more, *make_tables(ITEMS, sheets))}


def _drawn(code: str, language: str = "en") -> list[Chart]:
    return plots(found()[code], language)


def _says(chart: Chart, tag: str = "text") -> list[str]:
    return [mark.says for mark in chart.marks if mark.tag == tag and mark.says]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("code", [code for code in TABLES if code not in {"measures", "figures"}])
def test_it_draws_every_table_and_nothing_without_rows(code: str, language: str) -> None:
    charts = _drawn(code, language)
    assert charts
    named = {"type_counts": "Social", "contents": "Moral", "variance": "Commonsense"}.get(code, "glm-4")
    if language == "en" or named == "glm-4":
        assert all(named in " ".join(_says(chart)) for chart in charts)
    assert not any("random" in " ".join(_says(chart)).lower() for chart in charts)
    assert plots(replace(found()[code], rows=()), language) == []


def test_it_draws_each_accuracy_with_its_interval_and_chance() -> None:
    commonsense, moral, score = _drawn("accuracy")
    assert [chart.caption for chart in (commonsense, moral, score)] == ["Commonsense", "Moral", "Score"]
    for chart in (commonsense, moral, score):
        kinds = [mark.kind for mark in chart.marks]
        assert (kinds.count("dot"), kinds.count("span"), kinds.count("chance")) == (2, 2, 2)
    [cell] = [row.cells[1] for row in found()["accuracy"].rows if row.cells[0] == "晓鱼"]
    assert isinstance(cell, tuple)
    assert cell[0] is not None
    assert any(f"{100 * cell[0]:.2f}" in words for words in _says(commonsense))


def test_it_says_of_each_part_how_many_answers_came_back_so() -> None:
    for chart in _drawn("outcomes"):
        bars = [mark for mark in chart.marks if mark.tag == "rect" and mark.says]
        assert {mark.says.split(":")[0] for mark in bars} == {"correct", "wrong", "several"}
        assert sum(float(mark.at["width"]) for mark in bars) == pytest.approx(2 * 344, abs=0.5)


def test_it_draws_both_styles_of_an_examinee() -> None:
    [moral] = [chart for chart in _drawn("styles") if chart.caption == "Moral"]
    kinds = [mark.kind for mark in moral.marks]
    assert kinds.count("dot") == kinds.count("open") == 3, "two examinees and the legend"


def test_it_draws_a_pair_from_both_sides() -> None:
    for chart in _drawn("pairs"):
        there, back = (mark.says.rstrip("*") for mark in chart.marks if mark.kind == "on-field")
        assert float(there) == -float(back) != 0
