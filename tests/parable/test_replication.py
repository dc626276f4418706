"""Published figures beside ours: from answers, from whole counts, or nothing to compare."""

from __future__ import annotations

from typing import Any

import pytest

from parable.commands.results.files import ENDINGS, one_file
from parable.formats.published_figures import read_figures, write_figures
from parable.psychometrics.results.contents import Content, contents_table, type_counts_table
from parable.psychometrics.results.replication import (
    Published,
    compare,
    figures,
    replication_table,
    whole_count,
)
from parable.psychometrics.results.tables import Column, Kind, Row, Table, bare

ACCURACY = Table(
    "accuracy",
    (Column("examinee", Kind.NAME), Column("accuracy", Kind.SHARE, "moral", 8)),
    (Row(("m", bare(5 / 8))), Row(("random", bare(0.25)), "random")),
)


def one(printed: str, n: int | None = None, **changes: str) -> Published:
    key = {"table": "accuracy", "row": "m", "task": "", "column": "accuracy:moral"} | changes
    return Published(**key, printed=printed, n=n)


@pytest.mark.parametrize(
    ("published", "ours", "result", "count"),
    [
        (one("62.50", 8), "62.50", "equal", (5, 8)),
        (one("62.5"), "62.5", "equal", None),
        (one("63"), "63", "equal", None),  # 62.5 to no decimals, halves up
        (one("75.00", 8), "62.50", "differs", (6, 8)),
        (one("62.50", row="M"), "62.50", "equal", None),
        (one("37.50", 8, row="n"), "", "possible", (3, 8)),  # true of any percent that a count gives
        (one("31.25", 8, row="n"), "", "possible", (5, 16)),  # each asked twice
        (one("31.26", 8, row="n"), "", "no_figure", None),  # no count gives it
        (one("31.25", row="n"), "", "no_figure", None),
        (one("25.00", row="random"), "", "no_figure", None),
    ],
)
def test_it_compares_to_as_many_decimals_as_were_printed(
    published: Published, ours: str, result: str, count: tuple[int, int] | None
) -> None:
    (found,) = compare([published], [ACCURACY])
    assert (found.ours, found.result, found.count) == (ours, result, count)


def test_a_percent_that_no_count_of_the_items_gives_is_found() -> None:
    assert whole_count("83.45", 1692) == (1412, 1692)
    assert whole_count("33.02", 1056) == (1046, 3168)
    assert whole_count("33.02", 5) is None


def test_it_says_how_far_apart_two_figures_are() -> None:
    found = compare([one("75.00"), one("62.50"), one("37.50", 8, row="n"), one("1", row="n")], [ACCURACY])
    assert [each.difference for each in found] == ["-12.50", "0", "", ""]
    table = replication_table(found)
    assert table.params == {"figures": 4, "equal": 1, "differs": 1, "possible": 1, "no_figure": 1}
    for ending in set(ENDINGS) - {"svg"}:
        for language in ("en", "zh"):
            said = one_file(table, ending, language).decode()
            assert "-12.5" in said
            assert "'-" not in said
            assert "accuracy:moral" in said.replace("\\", "")


def test_it_counts_types_and_splits() -> None:
    items = [
        Content("commonsense", "dev", ("social",)),
        Content("commonsense", "test", ("social", "physical")),
        Content("moral", "test"),
    ]
    contents = figures([contents_table(items, ["commonsense", "moral"])])
    assert {key[1:]: value for key, value in contents.items()} == {
        ("commonsense", "", "count:dev"): 1,
        ("commonsense", "", "count:test"): 1,
        ("commonsense", "", "count:all"): 2,
        ("moral", "", "count:dev"): 0,
        ("moral", "", "count:test"): 1,
        ("moral", "", "count:all"): 1,
        ("all", "", "count:dev"): 1,
        ("all", "", "count:test"): 2,
        ("all", "", "count:all"): 3,
    }
    types = figures([type_counts_table(items, ["social", "physical"])])
    assert types["type_counts", "social", "", "share_of_items"] == 100.0
    assert types["type_counts", "physical", "", "share_of_items"] == 50.0
    assert types["type_counts", "social", "", "share_of_labels"] == pytest.approx(200 / 3)


def read(*lines: str) -> Any:
    return read_figures("\n".join(("table,row,task,column,published,n", *lines)).encode(), "f.csv")


def test_it_reads_the_file_that_it_writes_once_figures_are_filled_in() -> None:
    blank = write_figures(figures([ACCURACY]))
    assert read_figures(blank, "f.csv") == ([], ())
    found, errors = read_figures(blank.replace(b"accuracy:moral,,", b"accuracy:moral,62.50 %,8"), "f.csv")
    assert errors == ()
    assert found == [one("62.50", 8)]


@pytest.mark.parametrize(
    ("line", "field", "code"),
    [
        ("accuracy,m,,accuracy:moral,a lot,", "published", "not_decimal"),
        ("accuracy,m,,accuracy:moral,1e5,", "published", "not_decimal"),
        ("accuracy,m,,accuracy:moral,50,0", "n", "not_whole_number"),
        ("accuracy,,,accuracy:moral,50,", "row", "missing"),
        (f"accuracy,{'m' * 300},,accuracy:moral,50,", "row", "too_long"),
    ],
)
def test_it_names_the_line_that_cannot_be_read(line: str, field: str, code: str) -> None:
    _found, errors = read("accuracy,m,,accuracy:moral,50,", line)
    assert [(one.row, one.field, one.code) for one in errors] == [(3, field, code)]


def test_it_refuses_what_is_no_table_of_figures() -> None:
    for data, code in (
        (b"", "empty_file"),
        (b"a,b\n1,2\n", "missing_column"),
        (b"PK\x03\x04", "is_spreadsheet"),
    ):
        assert [error.code for error in read_figures(data, "f.csv")[1]] == [code]
