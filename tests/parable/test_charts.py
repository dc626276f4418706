"""Charts: what is drawn, what it says to readers who cannot see it, and the same as a file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.template import engines
from django.utils import translation

from parable import charts
from parable.charts import Chart, Dot, Field, Row, Scale
from parable.charts.files import INKS, RULES
from parable.charts.marks import fit, lines_of
from web.charts import chart_file

BASE = Path(__file__).parents[2]
NAME = 'a<b> & "c"\x0b'


def _kinds(chart: Chart, kind: str) -> list[dict[str, float | str]]:
    return [dict(mark.at) for mark in chart.marks if mark.kind == kind]


def _says(chart: Chart) -> list[str]:
    return [mark.says for mark in chart.marks if mark.tag == "text"]


def _plane() -> Chart:
    return charts.plane(
        "Curve", charts.numbers(-4, 4, "Ability"), charts.numbers(0, 1, most=4), bars=[(-1, 0, 0.5)],
        curve=[(-9, 0.0), (4, 1.0)], people=[(-9, NAME), (9, "far")], chance=0.5,
    )  # fmt: skip


def test_a_page_shows_it_with_its_words_and_escapes_names() -> None:
    shown = engines["django"].from_string("{{ chart }}").render({"chart": _plane()})
    root = ET.fromstring(shown)  # noqa: S314 - ours
    assert (root.tag, root.get("role"), root.get("aria-label")) == ("svg", "img", "Curve")
    assert [title.text for title in root.iter("title")] == ['a<b> & "c"', "far"]
    assert "style" not in shown


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_file_stands_by_itself_and_is_the_same_each_time(language: str) -> None:
    with translation.override(language):
        first, again = (chart_file(_plane(), "curve", "Curve of i<1>") for _time in range(2))
    assert first.content == again.content
    assert first.headers["Content-Disposition"] == 'attachment; filename="curve.svg"'
    root = ET.fromstring(first.content)  # noqa: S314 - ours
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == language
    svg = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{svg}title") == "Curve of i<1>"
    style = root.findtext(f"{svg}style") or ""
    kinds = {mark.get("class") for mark in root.iter() if mark.get("class")} - {"drawn"}
    assert all(f".{kind}" in style for kind in kinds)
    assert "@media(prefers-color-scheme:dark)" in style


def _sheet() -> tuple[dict[str, tuple[str, str]], list[tuple[str, str]]]:
    """The colours of the site's style sheet, and what it says of things in a chart."""
    css = re.sub(r"/\*.*?\*/", "", (BASE / "static/css/parable.css").read_text("utf-8"), flags=re.DOTALL)
    inks = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", css)
    css = re.sub(r"var\(--([\w-]+)\)", r"\1", css).replace("currentColor", "ink")
    css = css.replace(".part:is(.n1, .n2, .n3)", ".part.n1, .drawn .part.n2, .drawn .part.n3")
    rules = re.findall(r"^(\.drawn .*?) \{ (.*?);? \}$", css, flags=re.MULTILINE)
    ours = ((", ".join(re.findall(r"\.drawn ([^,]+)", where)), what) for where, what in rules)
    return {name: (light, dark) for name, light, dark in inks}, [*ours]


def test_a_file_has_the_colours_of_the_site_in_the_light_and_in_the_dark() -> None:
    """Whatever the style sheet says of a kind of mark, the style of a file says too."""
    inks, said = _sheet()
    assert {name: inks[name] for name in INKS} == dict(INKS)
    in_files = _rules(RULES, ",", ":")
    in_pages = _rules(said, ", ", ": ")
    assert in_pages == in_files - {(".paper", "fill", "sheet")}


def _rules(rules: Iterable[tuple[str, str]], comma: str, colon: str) -> set[tuple[str, ...]]:
    """Selector, property and colour of each declaration."""
    return {
        (where, *one.strip().split(colon))
        for wheres, what in rules
        for where in wheres.split(comma)
        for one in what.split(";")
    }


def test_an_interval_stands_in_hundredths_of_its_line() -> None:
    drawn = charts.interval("34 %", at=34, low=30, high=40, chance=25, threshold=45, tone="wrong")
    assert _kinds(drawn, "span") == [{"x1": 60, "x2": 80, "y1": 10, "y2": 10}]
    assert [at["cx"] for at in _kinds(drawn, "dot")] == [68]
    assert [at["x1"] for at in _kinds(drawn, "chance")] == [50]
    assert 'class="drawn wrong"' in str(drawn)


def test_an_interval_leaves_out_what_is_not_known() -> None:
    drawn = charts.interval("–", at=None, low=0, high=None)
    assert [mark.kind for mark in drawn.marks] == ["axis"]


def test_columns_are_as_tall_as_their_counts() -> None:
    drawn = charts.columns("A 2 · B 4 · C 0", [2, 4, 0])
    assert [at["height"] for at in _kinds(drawn, "bar")] == [11, 22, 0]
    assert charts.columns("none", []).marks
    assert charts.columns("nothing", [0, 0]).marks


def test_rows_stand_on_one_axis_with_their_figures() -> None:
    found = [
        Row("glm", "50 % (25–75)", dots=[("dot", 0.5), ("open", None)], span=(0.25, 0.75)),
        Row("gpt", "n = 4", parts=[("part right", 0.75, "right: 3"), ("part wrong", 0.25, "wrong: 1")]),
    ]
    legend = [("dot", "people"), ("part wrong", "wrong")]
    drawn = charts.by_row("Right", found, charts.shares("en"), chance=0.25, legend=legend)
    assert {"glm", "50 % (25–75)", "gpt", "0 %", "100 %", "people", "wrong"} <= set(_says(drawn))
    assert [at["x1"] for at in _kinds(drawn, "chance")] == [92, 92]
    assert _kinds(drawn, "span")[0] == {"x1": 92, "x2": 264, "y1": 26, "y2": 26}
    right, wrong = _kinds(drawn, "part right")[0], _kinds(drawn, "part wrong")[0]
    assert float(right["x"]) + float(right["width"]) == wrong["x"] == 264
    assert not _kinds(drawn, "open")


@pytest.mark.parametrize(
    ("words", "room", "fitted"),
    [
        ("crow", 4, "crow"),
        ("crows", 4, "cro…"),
        ("乌鸦", 4, "乌鸦"),
        ("乌鸦喝水", 5, "乌鸦…"),
        ("乌鸦喝水", 4, "乌…"),
    ],
)
def test_words_are_cut_to_their_room_chinese_ones_twice_as_wide(words: str, room: int, fitted: str) -> None:
    assert fit(words, room) == fitted


@pytest.mark.parametrize(
    ("words", "room", "lines"),
    [
        ("crow", 4, ["crow"]),
        ("old crow", 5, ["old", "crow"]),
        ("qwen-2.5-72b", 9, ["qwen-2.5-", "72b"]),
        ("crows", 4, ["crow", "s"]),
        ("乌鸦喝水", 5, ["乌鸦", "喝水"]),
        ("", 4, [""]),
    ],
)
def test_a_name_is_broken_into_lines_and_never_cut(words: str, room: int, lines: list[str]) -> None:
    assert lines_of(words, room) == lines


def test_names_are_whole_in_rows_and_grids() -> None:
    name = "an-organisation/a-model-with-a-very-long-name-2026-11-30-preview"
    value = "50 % (25–75)"
    rows = [Row(name, value, dots=[("dot", 0.5)]), Row("glm", "75 %", dots=[("dot", 0.75)])]
    drawn = charts.by_row("Right", rows, charts.shares("en"))
    said = _says(drawn)
    assert name == "".join(said[: said.index(value)])
    first, second = _kinds(drawn, "dot")
    plain = charts.by_row("Right", [Row("glm", "75 %", dots=[("dot", 0.5)])] * 2, charts.shares("en"))
    assert float(first["cy"]) - 26 == drawn.height - plain.height > 0, "as much lower as the name is longer"
    assert float(second["cy"]) - float(first["cy"]) == 40
    assert {name} <= set(_says(charts.grid("Points", [name], [(name, [Field("1", 1)])])))


def test_a_grid_paints_the_stronger_the_further_and_says_each_figure() -> None:
    rows = [("glm", [Field("-10.0", -1), None, Field("0.0", 0)])]
    drawn = charts.grid("Points", ["A", "B", "C"], rows)
    assert [at["fill_opacity"] for at in (*_kinds(drawn, "field less"), *_kinds(drawn, "field"))] == [
        0.34,
        0.04,
    ]
    assert [mark.says for mark in drawn.marks if mark.kind == "on-field"] == ["-10.0", "0.0"]
    assert "rotate" not in str(drawn)
    assert "rotate(-90 " in str(charts.grid("Points", ["a long name"], [("glm", [None])]))


def test_what_is_past_an_end_of_a_scale_stands_at_it() -> None:
    drawn = _plane()
    assert [at["cx"] for at in _kinds(drawn, "dot")] == [32, 392]
    assert _kinds(drawn, "curve")[0]["points"] == "32.0,172.0 392.0,12.0"
    assert _kinds(drawn, "bar")[0]["height"] == 80
    assert {"1", "0.5", "-4", "4", "Ability"} <= set(_says(drawn))


def test_each_strip_of_days_has_the_scale_of_its_highest_day() -> None:
    drawn = charts.by_day("Work", ["1 May", "2 May"], [("A", "3 in all", [1, 2]), ("B", "", [0, 0])])
    assert [at["height"] for at in _kinds(drawn, "bar")] == [17, 34, 0, 0]
    assert [mark.says for mark in drawn.marks if mark.kind == "bar"][:2] == ["1 May: 1", "2 May: 2"]
    assert _says(drawn) == ["A", "3 in all", "B", "", "1 May", "2 May"]


@pytest.mark.parametrize(
    ("scale", "ticks"),
    [
        (charts.counts(7), ["0", "2", "4", "6"]),
        (charts.counts(1), ["0", "1"]),
        (charts.counts(0), ["0", "1"]),
        (charts.counts(604), ["0", "200", "400", "600"]),
        (charts.numbers(-4, 4), ["-4", "-3", "-2", "-1", "0", "1", "2", "3", "4"]),
        (charts.numbers(0.5, 1), ["0.5", "0.6", "0.7", "0.8", "0.9", "1"]),
        (charts.shares("en"), ["0 %", "25 %", "50 %", "75 %", "100 %"]),
        (charts.shares("zh-hans", 0.08), ["0%", "2%", "4%", "6%", "8%"]),
        (charts.around([-0.2, 0.3]), ["-0.6", "-0.4", "-0.2", "0", "0.2", "0.4", "0.6", "0.8"]),
    ],
)
def test_ticks_are_at_round_numbers_within_the_scale(scale: Scale, ticks: list[str]) -> None:
    assert [words for _value, words in scale.ticks] == ticks
    assert all(scale.low <= value <= scale.high for value, _words in scale.ticks)


def test_columns_of_a_group_stand_beside_each_other_as_tall_as_their_counts() -> None:
    drawn = charts.groups("Keys", ["A", "B"], [("moral", [4, 1]), ("commonsense", [2, 0])], "keys")
    first, second = _kinds(drawn, "part")[:2], _kinds(drawn, "part refused")[:2]
    assert [at["height"] for at in (*first, *second)] == [144, 36, 72, 0]
    assert float(first[0]["x"]) + float(first[0]["width"]) + 1 == float(second[0]["x"])
    assert {"moral", "commonsense", "A", "B", "keys", "0", "4"} <= set(_says(drawn))
    assert "legend" not in _says(charts.groups("Keys", ["A"], [("", [1])], "keys"))


def test_names_of_dots_stand_where_nothing_else_does_or_are_left_out() -> None:
    dots = [Dot(0.5, 0.5, f"model {n}", f"model {n}: 0.5") for n in range(6)]
    drawn = charts.scatter("Both", charts.numbers(0, 1), charts.numbers(0, 1, most=4), dots)
    assert len([mark for mark in drawn.marks if mark.tag == "circle"]) == 6
    assert [mark.says for mark in drawn.marks if mark.tag == "circle"] == [dot.says for dot in dots]
    named = [mark for mark in drawn.marks if mark.tag == "text" and mark.says.startswith("model")]
    assert [mark.says for mark in named] == ["model 0", "model 1", "model 2", "model 3"]
    assert len({(mark.at["x"], mark.at["y"]) for mark in named}) == 4


def test_a_file_of_several_charts_has_each_under_its_name_without_overlap() -> None:
    small = [charts.columns(f"chart {n}", [n, 1]) for n in range(5)]
    root = ET.fromstring(charts.as_file(small, "All of a long title & more", "zh"))  # noqa: S314 - ours
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "zh-hans"
    groups = [group for group in root if group.tag.endswith("}g")]
    places = [tuple(map(int, re.findall(r"\d+", group.get("transform") or ""))) for group in groups]
    assert places == [(6, 28), (230, 28), (454, 28), (6, 98), (230, 98)]
    assert [group[0].text for group in groups] == [chart.caption for chart in small]
    assert (root.get("width"), root.get("height")) == ("660", "150")


def test_a_burn_up_goes_from_the_first_day_over_today_to_the_goal() -> None:
    chart = charts.burn_up("Verified", [0, 50, 100], 200, ends=2, days=("1 Nov", "today", "5 Nov"))
    (curve,) = _kinds(chart, "curve")
    assert curve["points"] == "0.0,146.0 65.5,113.0 131.0,80.0"
    goal, ahead = _kinds(chart, "chance")
    assert (goal["y1"], goal["x2"]) == (14.0, 262.0)
    assert (ahead["x1"], ahead["y1"], ahead["x2"], ahead["y2"]) == (131.0, 80.0, 262.0, 14.0)
    assert _says(chart) == ["200", "5 Nov", "100", "1 Nov", "today"]


@pytest.mark.parametrize("counts", [[0], [0, 0], [3, 5]])
def test_a_burn_up_without_a_forecast_ends_today(counts: list[int]) -> None:
    chart = charts.burn_up("Verified", counts, 0, days=("1 Nov", "today", ""))
    assert len(_kinds(chart, "chance")) == 1
    assert _says(chart)[-1] == "today"


def test_a_value_lies_in_or_beside_its_band() -> None:
    chart = charts.banded("AC2", Scale(0.0, 1.0), (0.7, 0.95), at=0.5, low=0.4, high=0.6)
    (band,), (span,), (at,) = (_kinds(chart, kind) for kind in ("part failed", "span", "dot"))
    assert (band["x"], band["width"]) == (204.8, 71.0)
    assert (span["x1"], at["cx"], span["x2"]) == (119.6, 148.0, 176.4)
    assert _says(chart) == ["0.70", "0.95", "0"]
    assert not _kinds(charts.banded("AC2", Scale(0.0, 1.0), (0.7, 0.95), at=0.5), "span")
