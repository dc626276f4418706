"""The paper's tables from the counts behind them: each cell equal as printed, and files that LaTeX takes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import scipy

from parable.commands.results.files import ENDINGS, one_file
from parable.psychometrics.results.contents import Content
from parable.psychometrics.results.evaluation import make_tables
from parable.psychometrics.results.replication import Published, compare, replication_table
from parable.psychometrics.results.sheets import make_sheet
from parable.psychometrics.results.tables import Table
from tests.parable.paper_matrix import PAIRS, answers_of, items_of_paper, published

PAPER = ("contents", "type_counts", "accuracy", "types", "styles", "repeats", "ranks")
COMPILER = next(filter(None, map(shutil.which, ("xelatex", "lualatex", "tectonic"))), None)


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


def printed(paper: dict[str, Any]) -> Iterator[Published]:
    """Every figure of the paper that its counts determine: all but the abilities of its response models."""
    n = {task: paper["splits"][task]["test"] for task in ("commonsense", "moral")}
    for task in n:
        for split, ours in (("dev", "dev"), ("test", "test"), ("total", "all")):
            yield Published("contents", task, "", f"count:{ours}", str(paper["splits"][task][split]))
    for kind, tags in paper["test_tags_per_type"].items():
        yield Published("type_counts", kind, "", "count:test", str(tags))
        yield Published("type_counts", kind, "", "count:all", str(paper["published_tags_per_type"][kind]))
    for one in paper["models"]:
        for task, items in n.items():
            value = f"{one[f'accuracy_{task}']:.2f}"
            yield Published("accuracy", one["model"], "", f"accuracy:{task}", value, items)
        for kind, error in one["error_by_type"].items():
            tags = paper["test_tags_per_type"][kind]
            yield Published("types", one["model"], "", f"error:{kind}", f"{error:.2f}", tags)
    for style, value in paper["style_accuracy"].items():
        yield Published("styles", "GLM-4", "moral", f"accuracy:{style}", f"{value:.2f}")
    for task, value in paper["inconsistency"]["GLM-4"].items():
        yield Published("repeats", "GLM-4", task, "first_two", f"{value:.2f}", n[task])


def test_every_cell_of_the_paper_is_equal_to_two_decimals(paper: dict[str, Any], tables: list[Table]) -> None:
    found = compare(printed(paper), tables)
    assert len(found) == 6 + 10 + 20 + 50 + 2 + 2
    assert [one for one in found if one.result != "equal"] == []
    # nobody's answers were published: those that were asked twice are known by their count alone
    assert {one.published.table for one in found if one.basis == "from_count"} == {"repeats"}
    assert {one.published.printed for one in found if one.count and one.count[1] > 1692} == {"33.02"}


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
def test_latex_takes_every_table_of_the_paper(
    language: str, paper: dict[str, Any], tables: list[Table], tmp_path: Path
) -> None:
    """Compiled where a LaTeX is installed, else checked for its structure alone."""
    found = [table for table in tables if table.code in PAPER]
    assert {table.code for table in found} == set(PAPER)
    comparison = replication_table(compare(printed(paper), tables))
    texts = [one_file(table, "tex", language).decode() for table in (*found, comparison)]
    for text in texts:
        _check_structure(text)
    if COMPILER:
        document = "\n".join(
            [r"\documentclass{ctexart}\usepackage{booktabs}\begin{document}", *texts, r"\end{document}"]
        )
        (tmp_path / "tables.tex").write_text(document, encoding="utf-8")
        done = subprocess.run(
            [COMPILER, "tables.tex"], cwd=tmp_path, capture_output=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout[-2000:]


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
