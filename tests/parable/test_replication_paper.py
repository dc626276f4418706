"""The paper's tables from the counts behind them: each cell equal as printed, and files that LaTeX takes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import scipy

from parable.commands.results.files import ENDINGS, one_file
from parable.psychometrics.results.contents import Content
from parable.psychometrics.results.evaluation import make_tables
from parable.psychometrics.results.papers import CRMUS
from parable.psychometrics.results.replication import Published, compare, replication_table
from parable.psychometrics.results.sheets import make_sheet
from parable.psychometrics.results.tables import Table
from tests.parable.paper_matrix import PAIRS, answers_of, items_of_paper, published

PAPER = ("contents", "type_counts", "accuracy", "types", "styles", "repeats", "ranks")
COMPILER = next(filter(None, map(shutil.which, ("xelatex", "lualatex"))), None)
DOCUMENT = r"""\documentclass{article}
\usepackage{fontspec,booktabs}
\setmainfont{Noto Serif CJK SC}
\begin{document}
%s
\end{document}
"""


@pytest.fixture(scope="module")
def paper() -> dict[str, Any]:
    """Return what the paper printed."""
    return published()


@pytest.fixture(scope="module")
def tables(paper: dict[str, Any]) -> list[Table]:
    """Return our tables of the ten models, from the counts behind the paper's."""
    items = items_of_paper(paper)
    sheets = [make_sheet(one["model"], items, answers_of(one, items, paper)) for one in paper["models"]]
    test = [Content(fact.task, "test", fact.types) for fact in items.facts]
    return make_tables(items, sheets, released=[*_dev(paper), *test])


def _dev(paper: dict[str, Any]) -> Iterator[Content]:
    """Items of the dev split, with as many of each type as the whole set has beyond the test split."""
    left = {
        kind: count - paper["test_tags_per_type"][kind]
        for kind, count in paper["published_tags_per_type"].items()
    }
    doubles = sum(left.values()) - paper["splits"]["commonsense"]["dev"]
    for _number, pair in zip(range(doubles), cycle(PAIRS), strict=False):
        for kind in pair:
            left[kind] -= 1
        yield Content("commonsense", "dev", pair)
    yield from (Content("commonsense", "dev", (kind,)) for kind, count in left.items() for _ in range(count))
    yield from (Content("moral", "dev") for _ in range(paper["splits"]["moral"]["dev"]))


def test_every_cell_of_the_paper_is_equal_to_two_decimals(tables: list[Table]) -> None:
    found = compare(CRMUS.figures, tables)
    by_column = Counter(one.published.column for one in found)
    assert len(found) == 6 + 20 + 20 + 10 + 50 + 2 + 2 + 40 + 1
    assert (by_column["score"], by_column["accuracy_rank"], by_column["ability_rank"]) == (10, 20, 20)
    apart = [one for one in found if one.result not in {"equal", "possible"}]
    # abilities come of answers that were not published, and so does the share of items below zero
    assert Counter(one.published.column for one in apart) == {"ability_rank": 2, "negative_discrimination": 1}
    # nobody's answers were published: those that were asked twice are known by their count alone
    assert {one.published.table for one in found if one.result == "possible"} == {"repeats"}
    assert {one.published.printed for one in found if one.count and one.count[1] > 1692} == {"33.02"}


def test_the_figures_that_ship_are_those_of_the_paper(paper: dict[str, Any]) -> None:
    """Against the tables as they were typed from the paper, apart from ours."""
    found = {one.key: one.printed for one in CRMUS.figures}
    for one in paper["models"]:
        for task in ("commonsense", "moral"):
            printed = found["accuracy", one["model"], "", f"accuracy:{task}"]
            assert printed == f"{one[f'accuracy_{task}']:.2f}"
            for by, value in (("accuracy", f"accuracy_{task}"), ("ability", f"irt_{task}")):
                better = sum(other[value] > one[value] for other in paper["models"])
                assert found["ranks", one["model"], task, f"{by}_rank"] == str(1 + better)
        for kind, error in one["error_by_type"].items():
            assert found["types", one["model"], "", f"error:{kind}"] == f"{error:.2f}"
        score = 0.4 * one["accuracy_commonsense"] + 0.6 * one["accuracy_moral"]
        assert abs(float(found["accuracy", one["model"], "", "score"]) - score) <= 0.01
    negative = found["calibration", "all", "", "negative_discrimination"]
    assert float(negative) == paper["share_of_negative_discrimination"]


def test_a_wrong_cell_is_found(paper: dict[str, Any], tables: list[Table]) -> None:
    other = Published("accuracy", "GLM-4", "", "accuracy:moral", "66.10", 1056)
    (found,) = compare([other], tables)
    assert (found.result, found.difference) == ("differs", "-0.10")


def test_models_rank_by_accuracy_as_in_the_paper_and_by_ability_nearly_so(
    paper: dict[str, Any], tables: list[Table]
) -> None:
    """The paper's abilities come of answers that were not published, so their order alone is compared."""
    ranks = next(table for table in tables if table.code == "ranks")
    by_accuracy, by_ability = ranks.column("accuracy_rank"), ranks.column("ability_rank")
    for task in ("commonsense", "moral"):
        ours = {row.cells[0]: row.cells for row in ranks.rows if row.cells[1] == task}
        names = [one["model"] for one in paper["models"]]
        accuracies = [one[f"accuracy_{task}"] for one in paper["models"]]
        wanted = scipy.stats.rankdata([-value for value in accuracies])
        assert [ours[name][by_accuracy] for name in names] == wanted.tolist()
        theirs = [-one[f"irt_{task}"] for one in paper["models"]]
        order: list[Any] = [ours[name][by_ability] for name in names]
        assert scipy.stats.spearmanr(order, theirs).statistic > 0.9


@pytest.mark.parametrize("language", ["en", "zh"])
def test_latex_takes_every_table_of_the_paper(language: str, tables: list[Table]) -> None:
    """Checked for its structure; whether it compiles is a drill."""
    found = [table for table in tables if table.code in PAPER]
    assert {table.code for table in found} == set(PAPER)
    comparison = replication_table(compare(CRMUS.figures, tables))
    for table in (*found, comparison):
        _check_structure(one_file(table, "tex", language).decode())


@pytest.mark.drill
@pytest.mark.parametrize("language", ["en", "zh"])
def test_latex_compiles_every_table_of_the_paper(language: str, tables: list[Table], tmp_path: Path) -> None:
    """Each table by itself, with booktabs and, for Chinese, any font that has its signs."""
    if COMPILER is None:
        pytest.skip("No xelatex or lualatex is installed (Debian: texlive-xetex).")
    for table in (*tables, replication_table(compare(CRMUS.figures, tables))):
        text = one_file(table, "tex", language).decode()
        (tmp_path / f"{table.code}.tex").write_text(DOCUMENT % text, encoding="utf-8")
        command = [COMPILER, "-interaction=nonstopmode", "-halt-on-error", f"{table.code}.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
        log = (tmp_path / f"{table.code}.log").read_text(encoding="utf-8", errors="replace")
        assert "Missing character" not in log, table.code
        assert (tmp_path / f"{table.code}.pdf").stat().st_size > 1000


def _check_structure(text: str) -> None:
    """Check that environments and braces close, and rows have a cell a column, with no sign unescaped."""
    begun = re.findall(r"\\begin\{(\w+)\}", text)
    assert begun == re.findall(r"\\end\{(\w+)\}", text)[::-1]
    bare = re.sub(r"\\[\\&%$#_{}]", "", text)
    assert bare.count("{") == bare.count("}")
    columns = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)
    assert columns is not None
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert rows
    for row in rows:
        plain = re.sub(r"\$\\times\$|\\[&%$#_{}]|\\text\w+\{\}", "", row.removesuffix(r" \\"))
        assert plain.count("&") == len(columns[1]) - 1
        assert not re.search(r"[\\%$#_{}~^]", plain), row


def test_every_table_of_the_paper_is_a_figure_too(tables: list[Table]) -> None:
    for table in tables:
        if table.code in PAPER:
            for ending in ENDINGS:
                assert one_file(table, ending, "en")
    (types,) = [table for table in tables if table.code == "type_counts"]
    drawn = one_file(types, "svg", "en").decode()
    assert "1048 (50.10 %)" in drawn
