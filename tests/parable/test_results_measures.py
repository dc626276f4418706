"""Answers that are more than right or wrong: how near they come, in tables, charts and the printed object."""

from __future__ import annotations

import pytest

from parable.commands.results.layouts import as_markdown
from parable.commands.results.plots import plots
from parable.commands.score import read_response
from parable.formats.records import ItemRecord
from parable.formats.responses import ResponseRecord
from parable.psychometrics.results.evaluation import make_tables, score_object
from parable.psychometrics.results.sheets import Items, code_of, item_fact, make_sheet

OPTIONS = ("see", "drop", "rise", "drink")


def _record(task: str, number: int, answers: tuple[int, ...]) -> ItemRecord:
    name = f"{task[0]}{number}"
    return ItemRecord(name, task, f"s{number}", "", "A tale.", "Which?", OPTIONS, None, answers=answers)


RECORDS = [_record("ordering", number, (0, 1, 2, 3)) for number in range(4)]
RECORDS += [_record("multiple", number, (number % 3, 3)) for number in range(4)]
RECORDS.append(ItemRecord("c0", "commonsense", "s0", "", "A tale.", "Why?", OPTIONS, 2, types=("social",)))
SAID = {"o0": "ABCD", "o1": "BACD", "o2": "DCBA", "o3": "I cannot say", "m0": "DA", "c0": "C"}


def _response(item: str, text: str) -> ResponseRecord:
    return ResponseRecord("m", item, 1, 0, None, text, None, None)


def _sheet() -> tuple[Items, object]:
    items = Items(map(item_fact, RECORDS))
    known = {record.id: record for record in RECORDS}
    answers = [read_response(_response(item, text), known[item]) for item, text in SAID.items()]
    return items, make_sheet("m", items, answers, asked=[(record.id, 1, 0) for record in RECORDS])


def test_it_reports_the_mean_tau_of_orders_beside_their_accuracy() -> None:
    items, sheet = _sheet()
    tables = {table.code: table for table in make_tables(items, [sheet])}  # type: ignore[list-item]  # a sheet
    (row,) = tables["measures"].rows
    mean = (1 + 2 / 3 - 1 + 0) / 4
    assert list(row.cells[:6]) == ["m", "ordering", "tau", 4, 4, pytest.approx(mean)]
    assert "Kendall's tau" in as_markdown(tables["measures"], "en")
    (chart,) = plots(tables["measures"], "zh")
    assert any(mark.says == "m" for mark in chart.marks)
    found = score_object(items, [sheet])["models"]["m"]  # type: ignore[index,list-item]  # JSON
    assert (found["ordering"]["n"], found["ordering"]["correct"]) == (4, 1)
    assert found["ordering"]["tau"] == pytest.approx(mean)
    assert (found["multiple"]["n"], found["multiple"]["correct"]) == (4, 1)
    assert "tau" not in found["multiple"]


def test_it_takes_only_answers_of_one_option_for_places() -> None:
    items, sheet = _sheet()
    tables = {table.code: table for table in make_tables(items, [sheet])}  # type: ignore[list-item]  # a sheet
    assert tables["positions"].rows[0].cells[1] == 1
    assert [one.is_one for one in items.facts] == [False] * 8 + [True]
    assert items.chance.tolist() == [1 / 24] * 4 + [1 / 15] * 4 + [1 / 4]


def test_equal_answers_have_one_number_and_others_another() -> None:
    assert (code_of(None), code_of(3)) == (-1, 3)
    assert code_of([0, 2]) == code_of([0, 2]) > 8
    assert len({code_of(one) for one in ([0, 2], [2, 0], [0], {"a": 1}, {"a": 2})}) == 5
