"""Published figures beside ours in the browser: uploaded by a manager, compared, and as files."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation import services
from evaluation.models import Calibration, PublishedFigures, ResultTables
from release.queries.release import frozen_items
from tests.evaluation.measuring import Bench, brought, signed_in

HEAD = "table,row,task,column,published,n\n"


@pytest.fixture
def results(bench: Bench) -> ResultTables:
    """The tables of three models: always right, always wrong, and always the first option."""
    lines = []
    for one in frozen_items(bench.release):
        key = one.record["answer"]
        for model, choice in (("right", key), ("wrong", 1 - min(key, 1)), ("first", 0)):
            data = {"model": model, "item_id": one.public_id, "repeat": 1, "choice": choice}
            lines.append(json.dumps(data) + "\n")
    runs = brought(bench.release, bench.cast.manager, "".join(lines).encode())
    made = services.order_results(actor=bench.cast.manager, release=bench.release, runs=runs)
    services.count_results(results_id=made.pk)
    made.refresh_from_db()
    return made


def address(bench: Bench, results: ResultTables, name: str = "replication", *more: str) -> str:
    return reverse(f"evaluation:{name}", args=[bench.cast.project.slug, results.pk, *more])


def send(client: Client, bench: Bench, results: ResultTables, text: str) -> Any:
    file = SimpleUploadedFile("paper.csv", text.encode(), content_type="text/csv")
    return client.post(address(bench, results), {"source": "Table 5", "file": file})


def test_the_tables_of_a_paper_are_all_there(results: ResultTables) -> None:
    tables = {table["code"]: table for table in results.tables}
    assert {"contents", "type_counts", "accuracy", "types", "ranks"} <= tables.keys()
    total = tables["contents"]["rows"][-1]["cells"]
    assert total[0] == "all"
    assert total[1] + total[2] == total[3] == 21
    best = next(row["cells"] for row in tables["ranks"]["rows"] if row["cells"][0] == "right")
    assert (best[3], best[5]) == (1, 1)


def test_a_manager_lays_figures_beside_ours_and_takes_the_comparison_along(
    bench: Bench, results: ResultTables
) -> None:
    client = signed_in(bench.cast.manager)
    blank = client.get(address(bench, results, "figures_template")).content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(blank)))
    assert {row["table"] for row in rows} >= {"accuracy", "types", "ranks", "contents"}
    filled = blank.replace("accuracy,right,,accuracy:moral,,", "accuracy,right,,accuracy:moral,100.00,9")
    filled += "accuracy,wrong,,accuracy:moral,12.50,8\r\naccuracy,absent,,accuracy:moral,62.50,8\r\n"
    assert send(client, bench, results, filled).status_code == 302
    page = client.get(address(bench, results)).content.decode()
    assert "3 published figures: 1 equal, 1 different, 1 possible, 0 that" in page
    assert "Table 5" in page
    behind = re.findall(rf'href="({address(bench, results, "result_items")}[^"]+)">([^<]+)<', page)
    assert [ours for _link, ours in behind] == ["100.00", "0.00"]  # none for a figure from a whole count
    assert client.get(unescape(behind[0][0])).text.count("data-move") == 9
    sheet = client.get(address(bench, results, "replication_file", "csv")).content.decode("utf-8-sig")
    by_row = {row["Row"]: row for row in csv.DictReader(io.StringIO(sheet))}
    assert (by_row["right"]["Parable"], by_row["right"]["Result"]) == ("100.00", "equal")
    assert (by_row["wrong"]["Parable"], by_row["wrong"]["Difference"]) == ("0.00", "-12.5")
    absent = by_row["absent"]
    assert (absent["Parable"], absent["Count"], absent["Result"]) == ("", "5 (n = 8)", "possible")
    for ending, begins in (("tex", b"\\begin{table}"), ("md", b"## "), ("svg", b"<svg")):
        assert client.get(address(bench, results, "replication_file", ending)).content.startswith(begins)
    assert client.get(address(bench, results, "replication_file", "exe")).status_code == 404


def test_a_manager_takes_the_figures_of_the_paper_that_ships(bench: Bench, results: ResultTables) -> None:
    client = signed_in(bench.cast.manager)
    Calibration.objects.create(
        release=bench.release, model="3pl", made_by=bench.cast.manager,
        parameters={"analysis": {"summary": {"negative": {"share": 0.0224}}}},
    )  # fmt: skip
    Calibration.objects.create(release=bench.release, model="3pl", made_by=bench.cast.manager)  # waits
    assert client.post(address(bench, results), {"paper": "crmus"}).status_code == 302
    assert client.post(address(bench, results), {"paper": "another"}).status_code == 400
    page = client.get(address(bench, results)).content.decode()
    assert "CC BY 4.0" in page
    sheet = client.get(address(bench, results, "replication_file", "csv")).content.decode("utf-8-sig")
    rows = {(row["Row"], row["Column"]): row for row in csv.DictReader(io.StringIO(sheet))}
    assert (rows["GLM-4", "accuracy:moral"]["Published"], rows["GLM-4", "score"]["Parable"]) == ("66.00", "")
    ours = rows["All", "negative_discrimination"]
    assert (ours["Published"], ours["Parable"], ours["Result"]) == ("2.2", "2.2", "equal")


def test_a_file_that_cannot_be_read_changes_nothing(bench: Bench, results: ResultTables) -> None:
    client = signed_in(bench.cast.manager)
    send(client, bench, results, HEAD + "accuracy,right,,accuracy:moral,100.00,9\n")
    for text, said in (
        (HEAD + "accuracy,right,,accuracy:moral,many,9\n", "Row 2, published: Expected a number"),
        ("a,b\n1,2\n", "no column “table”"),
        (HEAD + "accuracy,right,,accuracy:moral,,\n", "The column “published” is empty."),
    ):
        answer = send(client, bench, results, text)
        assert answer.status_code == 400
        assert said in answer.content.decode()
    assert PublishedFigures.objects.get().figures[0]["printed"] == "100.00"


def test_others_do_not_see_it_and_many_figures_ask_no_more_queries(
    bench: Bench, results: ResultTables
) -> None:
    names = [("replication",), ("figures_template",), ("replication_file", "csv")]
    for user, wanted in ((bench.cast.writer, 403), (bench.cast.outsider, 404)):
        client = signed_in(user)
        assert {client.get(address(bench, results, *name)).status_code for name in names} == {wanted}
        assert send(client, bench, results, HEAD).status_code == wanted
    manager = signed_in(bench.cast.manager)
    assert manager.get(address(bench, results, "replication_file", "csv")).status_code == 404
    counts = []
    for number in (1, 50):
        lines = "".join(f"accuracy,m{one},,accuracy:moral,12.50,8\n" for one in range(number))
        send(manager, bench, results, HEAD + lines)
        with CaptureQueriesContext(connection) as asked:
            manager.get(address(bench, results))
        counts.append(len(asked))
    assert counts[0] == counts[1]
