"""The statistics of a task's answers as a table of results: a row a figure, with a column a split."""

from __future__ import annotations

from typing import Any

from parable.commands.results.files import endings_of
from parable.commands.results.layouts import LAYOUTS, cells, heading
from parable.commands.results.plots import plots
from parable.psychometrics.results.figures import figures_table


def pair(
    number: int, split: str, *, same: bool | None = True, second: str = "他站在桥头边。"
) -> dict[str, Any]:
    own = {"second": second} | ({} if same is None else {"same": same})
    return {
        "id": f"s-{number}", "task": "scene_pairs", "split": split, "story": "他站在桥头上。",
        "question": "", "choices": [], "explanation": "处所不同。", "own": own,
    }  # fmt: skip


ITEMS = [
    pair(1, "dev"),
    pair(2, "test", same=False),
    pair(3, "test"),
    pair(4, "test", same=None, second="他站在桥头的最边上。"),
]
OTHER = {"id": "c-1", "task": "commonsense", "split": "dev", "choices": ["a", "b"], "answer": 0}


def test_each_figure_is_counted_by_split_and_whole_of_answers_that_are_known() -> None:
    rows = {row.cells[1]: row.cells[3:] for row in figures_table([*ITEMS, OTHER]).rows}
    assert rows["pairs that can be the same scene"] == (1, 1, 2)
    assert rows["pairs that cannot"] == (0, 1, 1)
    assert rows["characters in a difference"] == (1.0, 1.0, 1.0)


def test_a_split_that_has_none_says_nothing_and_other_tasks_have_no_row() -> None:
    assert {row.cells[3] for row in figures_table(ITEMS[1:]).rows} == {None}
    assert figures_table([OTHER]).rows == ()


def test_it_is_said_in_both_languages_and_drawn_in_none() -> None:
    table = figures_table(ITEMS)
    assert [heading(column, "en") for column in table.columns] == [
        "Task", "Figure", "of", "Dev", "Test", "All",
    ]  # fmt: skip
    first = {
        language: [str(cell) for cell in cells(table, table.rows[0], language)] for language in ("en", "zh")
    }
    assert first["en"] == ["same scene or not", "pairs that can be the same scene", "", "1", "1", "2"]
    assert first["zh"][3:] == first["en"][3:]
    assert first["zh"][0] != first["en"][0]
    assert first["zh"][1] != first["en"][1]
    assert "1.00" in LAYOUTS["md"](table, "en").decode()
    assert plots(table, "en") == []
    assert "svg" not in endings_of(table)
