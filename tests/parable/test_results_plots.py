"""Plots are the same byte for byte, keep their text, and have words in both languages."""

import re
from dataclasses import replace

from parable.commands.results.layouts import LAYOUTS, cells, heading
from parable.commands.results.numbers import percent
from parable.commands.results.plots import plot
from parable.commands.results.words import WORDS, word
from parable.psychometrics.results.contents import Content
from parable.psychometrics.results.evaluation import TABLES, make_tables
from parable.psychometrics.results.sheets import PEOPLE, Answer, ItemFact, Items, make_sheet
from parable.psychometrics.results.tables import Table

ITEMS = Items(
    ItemFact(
        id=f"{task}{style}{number}",
        task=task,
        story=f"s{number % 5}",
        key=number % 4,
        options=4,
        types=("social", "temporal")[: 1 + number % 2] if task == "commonsense" else (),
        style=style,
        generators=("glm-4",) if style == "machine" else (),
    )
    for task, style in (("commonsense", "human"), ("moral", "human"), ("moral", "machine"))
    for number in range(10)
)
THIRD = [Answer(fact.id, "chosen", (fact.key + at % 2) % 4, 0) for at, fact in enumerate(ITEMS.facts)]
RELEASED = [
    Content(fact.task, "dev" if at % 5 else "test", fact.types) for at, fact in enumerate(ITEMS.facts)
]
OF_ITEMS = ("contents", "type_counts", "variance")
"""Tables that name no examinee."""


def _tables(name: str = "glm_4 & co", *, tasks: tuple[str, ...] = ("commonsense", "moral")) -> list[Table]:
    """The tables of a good and of a poor examinee, asked three times; the poor one about some tasks."""
    good = [
        Answer(fact.id, "chosen", (fact.key + (at * repeat) % 7 // 6) % 4, fact.key, repeat=repeat)
        for at, fact in enumerate(ITEMS.facts)
        for repeat in (1, 2, 3)
    ]
    poor = [
        Answer(fact.id, "chosen", at % 4, at % 4) if at % 3 else Answer(fact.id, "ambiguous")
        for at, fact in enumerate(ITEMS.facts)
        if fact.task in tasks
    ]
    sheets = [
        make_sheet(name, ITEMS, good),
        make_sheet("晓鱼", ITEMS, poor),
        make_sheet("third", ITEMS, THIRD),
    ]
    return make_tables(ITEMS, sheets, released=RELEASED)


def test_it_draws_the_same_twice_and_keeps_chinese_text() -> None:
    tables = _tables()
    assert [table.code for table in tables] == [
        code for code in TABLES if code not in {"measures", "figures"}
    ]
    for table in tables:
        drawn = plot(table, "zh")
        assert drawn == plot(Table.from_json(table.as_json()), "zh"), table.code
        assert "<image" not in drawn
        assert "晓鱼" in drawn or table.code in ("repeats", *OF_ITEMS)


def test_it_reads_a_table_that_was_stored_with_its_parameters_under_another_name() -> None:
    """Rows of before 23 November 2026 have `told`."""
    table = next(table for table in _tables() if table.params)
    kept = table.as_json()
    assert Table.from_json(kept).params == table.params
    kept["told"] = kept.pop("params")
    assert Table.from_json(kept).params == table.params


def test_it_keeps_an_examinee_on_one_line_where_it_did_one_task_only() -> None:
    styles = next(table for table in _tables(tasks=("commonsense",)) if table.code == "outcomes")
    assert plot(styles, "en").count("晓鱼") == 1


def test_it_writes_for_spreadsheets_and_typesetters() -> None:
    table = next(table for table in _tables() if table.code == "accuracy")
    latex, sheet = LAYOUTS["tex"](table, "en").decode(), LAYOUTS["csv"](table, "en").decode()
    assert r"glm\_4 \& co" in latex
    assert all(line.count("&") - line.count(r"\&") == 5 for line in latex.splitlines() if r" \\" in line)
    head, first = sheet.splitlines()[:2]
    assert "Commonsense (n = 10), from" in head
    assert len(first.split(",")) == len(re.sub(r'"[^"]*"', "", head).split(","))


def test_a_name_that_a_spreadsheet_would_run_is_defused() -> None:
    table = next(table for table in _tables("=1+1") if table.code == "accuracy")
    assert "'=1+1" in LAYOUTS["csv"](table, "en").decode()


def test_it_says_everything_in_both_languages() -> None:
    alike = {"drafted_mark", "column_accuracy", "column_error", "column_preference_p", "column_sign_flips"}
    alike |= {"column_count", "column_ours", "column_variance", "column_value"}
    assert {code for code in WORDS if word(code, "en") == word(code, "zh")} == alike
    for table in _tables():
        for language in ("en", "zh"):
            assert word(table.code, language) != table.code
            for column in table.columns:
                assert "column_" not in heading(column, language)
                assert "%(" not in heading(column, language)
            for row in table.rows:
                assert len(cells(table, row, language)) == len(table.columns)


def test_a_drafter_is_marked_in_every_table() -> None:
    for table in (one for one in _tables("GLM-4") if one.code not in OF_ITEMS):
        marked = [cells(table, row, "en")[0].text for row in table.rows]
        assert "GLM-4*" in marked, table.code
        assert replace(table, rows=()).has_drafters is False


def test_people_and_the_one_of_two_who_drafted_are_marked() -> None:
    answers = [Answer(fact.id, "chosen", fact.key) for fact in ITEMS.facts]
    sheets = [
        make_sheet("panel", ITEMS, answers, kind=PEOPLE),
        make_sheet("aa", ITEMS, answers[:-1]),
        make_sheet("glm-4", ITEMS, answers),
    ]
    found = {table.code: table for table in make_tables(ITEMS, sheets)}
    first = {cells(found["accuracy"], row, "en")[0].text for row in found["accuracy"].rows}
    assert first == {"panel (people)", "aa", "glm-4*", "Random guessing"}
    rows = [cells(found["pairs"], row, "zh") for row in found["pairs"].rows]
    assert {shown.text for row in rows for shown in row[:2]} == {"panel（真人）", "aa", "glm-4*"}


def test_halves_are_rounded_up_as_papers_do() -> None:
    assert percent(693 / 1056) == "65.63"
    assert percent(-0.00001) == "0.00"
    assert percent(None) == "–"


def test_a_question_without_an_interval_is_not_drawn() -> None:
    """Of items that were asked once nothing is known of the same items asked again."""
    once = [Answer(fact.id, "chosen", (fact.key + at % 2) % 4, 0) for at, fact in enumerate(ITEMS.facts)]
    twice = [Answer(one.item, "chosen", (at // 3) % 4, 0, repeat=2) for at, one in enumerate(once)]
    for answers, drawn in ((once, 0), ([*once, *twice], 2)):
        tables = make_tables(ITEMS, [make_sheet("third", ITEMS, answers)], released=RELEASED)
        chart = plot(next(one for one in tables if one.code == "generality"), "en")
        assert (chart.count("On this benchmark"), chart.count("· Generali")) == (drawn, 2)
