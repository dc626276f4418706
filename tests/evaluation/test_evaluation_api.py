"""Evaluation for programs: runs, responses, imports, results, calibrations, panels and public pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import KeyExposure
from evaluation.models import Calibration, Examinee, PanelSeat, Response, ResponseFile, ResultTables, Run
from evaluation.queries.run import MEASURE
from jobs.models import Call, Job
from parable.formats.options import letter
from release.models import Release, ReleaseItem
from tests.evaluation.measuring import ITEMS, Bench, brought
from tests.factories import Cast, make_project
from tests.programs import Program, Sent, program
from tests.work import work_off

Released = tuple[Cast, Release]
pytestmark = pytest.mark.django_db


def manager(cast: Cast, *scopes: str) -> Program:
    return program(cast.manager, cast.project.slug, *scopes)


def lines(release: Release, model: str, *, right: int = ITEMS, repeats: int = 1) -> bytes:
    """Responses of a model, of which the first so many are right."""
    items = ReleaseItem.objects.filter(release=release).order_by("number")
    rows = [
        {
            "model": model,
            "item_id": item.public_id,
            "repeat": repeat,
            "text": letter(item.record["answer"] if at < right else (item.record["answer"] + 1) % 4),
        }
        for repeat in range(1, repeats + 1)
        for at, item in enumerate(items)
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def imported(released: Released, model: str = "m", **more: Any) -> Run:
    cast, release = released
    return brought(release, cast.manager, lines(release, model, **more), f"{model}.jsonl")[0]


# --- runs ---


def test_a_run_is_started_and_followed(bench: Bench) -> None:
    sent = {"release": "1.0.0", "endpoint": bench.endpoint.pk, "repeats": 1, "sample_size": 3, "seed": "5"}
    answer = manager(bench.cast).post("runs/", sent)
    assert answer.status_code == 202, answer.content
    run = manager(bench.cast).get(f"runs/{answer.json()['id']}/")
    assert run.json()["job"] == answer.json()["job"]
    assert {name: run.json()[name] for name in ("release", "repeats", "sample_size", "seed", "order")} == {
        "release": "1.0.0", "repeats": 1, "sample_size": 3, "seed": "5", "order": "released"
    }  # fmt: skip
    assert "{question}" in run.json()["prompt"]
    assert manager(bench.cast).get(answer.json()["url"]).status_code == 200
    assert Job.objects.get(pk=answer.json()["job"]).kind == MEASURE
    again = manager(bench.cast).get(f"runs/{answer.json()['id']}/", **{"If-None-Match": run.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"release": "9.0.0"}, "release"),
        ({"endpoint": 10**9}, "endpoint"),
        ({"prompt": "Say something."}, "prompt"),
        ({"split": "train"}, "split"),
        ({"repeats": 51}, "repeats"),
        ({"order": "random"}, "order"),
        ({"seed": ""}, "seed"),
        ({"sample_size": 0}, "sample_size"),
        ({"probe": "no_end"}, "probe"),
        ({"budget": "-1"}, "budget"),
        ({"prompts": "all"}, "prompts"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_run_that_is_wrong_names_the_field(bench: Bench, wrong: Sent, field: str) -> None:
    right = {"release": "1.0.0", "endpoint": bench.endpoint.pk}
    answer = manager(bench.cast).post("runs/", right | wrong)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert not Run.objects.filter(examinee__project=bench.cast.project).exists()


def test_a_run_sent_again_is_one_run(bench: Bench) -> None:
    sent = {"release": "1.0.0", "endpoint": bench.endpoint.pk}
    answers = [manager(bench.cast).post("runs/", sent, **{"Idempotency-Key": "k"}) for _each in range(2)]
    assert answers[0].json() == answers[1].json()
    assert Run.objects.filter(examinee__project=bench.cast.project).count() == 1


def test_an_estimate_starts_nothing(bench: Bench) -> None:
    sent = {"release": "1.0.0", "endpoint": bench.endpoint.pk, "repeats": 2}
    answer = manager(bench.cast).post("runs/estimate/", sent)
    assert (answer.status_code, answer.json()["calls"]) == (200, 2 * ITEMS)
    assert not Call.objects.exists()
    assert manager(bench.cast).post("runs/estimate/", sent | {"split": "x"}).status_code == 400


def test_runs_are_filtered_and_their_examinees_listed(released: Released) -> None:
    cast, _release = released
    first, second = imported(released, "a"), imported(released, "b", right=3)
    rows = manager(cast).all("runs/?limit=1")
    assert [row["id"] for row in rows] == [second.pk, first.pk]
    assert [row["name"] for row in manager(cast).all(f"runs/?examinee={first.examinee_id}")] == ["a"]
    assert manager(cast).all("runs/?release=9.0.0") == []
    assert manager(cast).all("runs/?kind=panel") == []
    assert manager(cast).get("runs/?colour=red").status_code == 400
    one = manager(cast).get(f"runs/{second.pk}/").json()
    assert (one["correct"], one["expected"], one["waiting"]) == (3, ITEMS, 0)
    assert one["accuracy"] == 3 / ITEMS
    names = [row["name"] for row in manager(cast).all("examinees/?kind=imported")]
    assert names == ["b", "a"]
    found = Examinee.objects.get(project=cast.project, name="a")
    assert manager(cast).get(f"examinees/{found.pk}/").json()["model"] == "a"


def test_responses_are_read_in_pages_and_their_keys_count_as_seen(released: Released) -> None:
    cast, _release = released
    run = imported(released, right=5)
    KeyExposure.objects.filter(user=cast.manager).delete()
    rows = manager(cast).all(f"runs/{run.pk}/responses/?limit=8")
    assert len(rows) == len({row["id"] for row in rows}) == ITEMS
    assert sum(row["correct"] for row in rows) == 5
    exposed = KeyExposure.objects.filter(user=cast.manager).count()
    assert exposed > 0
    assert len(manager(cast).all(f"runs/{run.pk}/responses/?correct=true")) == 5
    assert len(manager(cast).all(f"runs/{run.pk}/responses/?item_id={rows[0]['item_id']}")) == 1
    assert manager(cast).all(f"runs/{run.pk}/responses/?reading=refused") == []
    assert manager(cast).get(f"runs/{run.pk}/responses/?reading=loud").status_code == 400


def test_only_what_was_read_counts_as_seen(released: Released) -> None:
    cast, release = released
    run = imported(released)
    KeyExposure.objects.filter(user=cast.manager).delete()
    item = ReleaseItem.objects.filter(release=release, record__task="commonsense").order_by("pk")[0]
    manager(cast).all(f"runs/{run.pk}/responses/?item_id={item.public_id}")
    assert KeyExposure.objects.filter(user=cast.manager).count() == 1


def test_responses_are_downloaded_as_they_can_be_scored(released: Released) -> None:
    cast, _release = released
    run = imported(released)
    got = manager(cast).get(f"runs/{run.pk}/responses/download/", Accept="application/x-ndjson")
    assert got.status_code == 200
    rows = [json.loads(line) for line in got.getvalue().splitlines()]
    assert len(rows) == ITEMS
    assert all("correct" not in row and "key" not in row for row in rows)


def test_a_run_on_whole_items_is_compared_with_nothing(released: Released) -> None:
    run = imported(released)
    assert manager(released[0]).post(f"runs/{run.pk}/compare/").status_code == 409


# --- imports ---


def upload(cast: Cast, data: bytes, release: str = "1.0.0", name: str = "answers.jsonl") -> Any:
    return manager(cast).upload("response-files/", release=release, file=SimpleUploadedFile(name, data))


def test_a_file_is_imported_once(released: Released) -> None:
    cast, release = released
    answer = upload(cast, lines(release, "m"))
    assert answer.status_code == 202, answer.content
    file = f"response-files/{answer.json()['id']}/"
    assert manager(cast).get(file).json()["state"] == "waiting"
    work_off()
    found = manager(cast).get(file).json()
    assert (found["state"], found["responses"], found["row_errors"]) == ("done", ITEMS, [])
    assert [row["id"] for row in manager(cast).all("runs/")] == found["runs"]
    again = upload(cast, lines(release, "m"))
    assert (again.status_code, again.json()["runs"]) == (200, found["runs"])
    assert len(manager(cast).all("response-files/?state=done&release=1.0.0")) == 1


def test_a_refused_file_names_its_rows(released: Released) -> None:
    cast, release = released
    first = ReleaseItem.objects.filter(release=release).order_by("number")[0].public_id.encode()
    answer = upload(cast, lines(release, "m").replace(first, b"no-such-item", 1))
    work_off()
    found = manager(cast).get(f"response-files/{answer.json()['id']}/").json()
    assert (found["state"], found["n_errors"], found["runs"]) == ("refused", 1, [])
    assert (found["row_errors"][0]["row"], found["row_errors"][0]["field"]) == (1, "item_id")
    assert found["row_errors"][0]["message"]
    assert manager(cast).post(f"response-files/{found['id']}/retry/").status_code == 409


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"file": SimpleUploadedFile("a.jsonl", b"{}")}, "release"),
        ({"release": "1.0.0"}, "file"),
        ({"release": "9.0.0", "file": SimpleUploadedFile("a.jsonl", b"{}")}, "release"),
        ({"release": "1.0.0", "file": SimpleUploadedFile("a.png", b"\x89PNG\r\n")}, "file"),
    ],
)
def test_an_upload_that_is_wrong_names_the_field(released: Released, sent: Sent, field: str) -> None:
    answer = manager(released[0]).upload("response-files/", **sent)
    assert answer.status_code == 400
    assert field in answer.json()["fields"]
    assert not ResponseFile.objects.filter(release=released[1]).exists()


def test_a_token_that_reads_imports_nothing(released: Released) -> None:
    cast, release = released
    sent = {"release": "1.0.0", "file": SimpleUploadedFile("a.jsonl", lines(release, "m"))}
    answer = manager(cast, "read").upload("response-files/", **sent)
    assert (answer.status_code, answer.json()["code"]) == (403, "scope")


# --- results ---


def test_results_are_computed_and_read_as_json_and_as_files(released: Released) -> None:
    cast, _release = released
    runs = [imported(released, "a").pk, imported(released, "b", right=9).pk]
    answer = manager(cast).post("results/", {"release": "1.0.0", "runs": runs})
    assert answer.status_code == 202, answer.content
    at = f"results/{answer.json()['id']}/"
    assert manager(cast).get(at).json()["is_waiting"] is True
    work_off()
    found = manager(cast).get(at).json()
    assert (found["runs"], found["is_waiting"], found["n_runs"]) == (runs, False, 2)
    assert "accuracy" in found["table_codes"]
    table = manager(cast).get(f"{at}table/accuracy/").json()
    assert {"a", "b"} <= {row["cells"][0] for row in table["rows"]}
    assert len(table["rows"][0]["cells"]) == len(table["columns"])
    file = manager(cast).get(f"{at}table/accuracy/csv/", Accept="text/csv")
    assert file.headers["Content-Type"].startswith("text/csv")
    assert len(file.content.decode("utf-8-sig").splitlines()) == len(table["rows"]) + 1
    chinese = manager(cast).get(f"{at}table/accuracy/md/?language=zh").content.decode()
    assert any("\u4e00" <= sign <= "\u9fff" for sign in chinese)
    for missing in ("table/none/", "table/accuracy/pdf/", "table/none/csv/"):
        assert manager(cast).get(at + missing).status_code == 404
    assert manager(cast).post(f"{at}recalculate/").status_code == 202
    assert [row["id"] for row in manager(cast).all("results/?release=1.0.0")] == [found["id"]]
    KeyExposure.objects.filter(user=cast.manager).delete()
    assert manager(cast).get(f"{at}records/").getvalue().startswith(b"PK")
    assert KeyExposure.objects.filter(user=cast.manager).exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"release": "9.0.0"}, "release"),
        ({"runs": []}, "runs"),
        ({"runs": [10**9]}, "runs"),
        ({"split": "train"}, "split"),
        ({"rule": "guess"}, "rule"),
    ],
)
def test_results_that_are_wrong_name_the_field(released: Released, wrong: Sent, field: str) -> None:
    run = imported(released)
    answer = manager(released[0]).post("results/", {"release": "1.0.0", "runs": [run.pk]} | wrong)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert not ResultTables.objects.filter(release=released[1]).exists()


def test_runs_of_partial_items_have_no_results(released: Released) -> None:
    run = imported(released)
    Run.objects.filter(pk=run.pk).update(probe="no_story")
    answer = manager(released[0]).post("results/", {"release": "1.0.0", "runs": [run.pk]})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["runs"])


def test_published_figures_are_stored_and_compared(released: Released) -> None:
    cast, _release = released
    answer = manager(cast).post("results/", {"release": "1.0.0", "runs": [imported(released).pk]})
    work_off()
    at = f"results/{answer.json()['id']}/published/"
    before = manager(cast).get(at).json()
    assert (before["name"], before["rows"]) == ("", [])
    assert manager(cast).get(f"{at}comparison/csv/").status_code == 404
    heading, first, *_others = manager(cast).get(f"{at}template/").content.decode("utf-8-sig").splitlines()
    place = heading.split(",").index("published")
    cells = first.split(",")
    cells[place] = "0.5"
    file = SimpleUploadedFile("figures.csv", f"{heading}\n{','.join(cells)}\n".encode())
    stored = manager(cast).upload(at, file=file, published_in="A paper")
    assert stored.status_code == 200, stored.content
    assert (stored.json()["name"], stored.json()["published_in"]) == ("figures.csv", "A paper")
    assert len(stored.json()["rows"]) == 1
    assert manager(cast).get(f"{at}comparison/csv/", Accept="text/csv").status_code == 200
    assert manager(cast).post(f"{at}paper/", {"paper": "none"}).status_code == 400
    known = manager(cast).post(f"{at}paper/", {"paper": before["papers"][0]})
    assert (known.status_code, known.json()["name"] != "figures.csv") == (200, True)
    wrong = manager(cast).upload(at, file=SimpleUploadedFile("figures.csv", b"a,b\n1,2\n"))
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["file"])


# --- calibrations ---


def test_a_calibration_is_computed_and_its_items_are_read(released: Released) -> None:
    cast, _release = released
    for number in range(4):
        imported(released, f"m{number}", right=4 * number + 3)
    answer = manager(cast).post("calibrations/", {"release": "1.0.0", "model": "1pl"})
    assert answer.status_code == 202, answer.content
    at = f"calibrations/{answer.json()['id']}/"
    assert manager(cast).get(at).json()["summary"] == {}
    work_off()
    found = manager(cast).get(at).json()
    assert (found["state"], len(found["runs"]), found["model"]) == ("done", 4, "1pl")
    assert found["summary"]["items"] == ITEMS
    KeyExposure.objects.filter(user=cast.manager).delete()
    items = manager(cast).get(f"{at}items/").json()
    assert (len(items["results"]), items["next"]) == (ITEMS, None)
    assert KeyExposure.objects.filter(user=cast.manager).exists()
    first = items["results"][0]
    assert first["answered"] == 4
    one = manager(cast).get(f"{at}items/{first['id']}/").json()
    assert {name: one[name] for name in first} == first
    assert one["statistics"]["id"] == first["id"]
    assert manager(cast).get(f"{at}items/none/").status_code == 404
    assert manager(cast).get(f"{at}items/?which=suspects").status_code == 200
    assert manager(cast).get(f"{at}items/?which=luck").status_code == 400
    (row,) = manager(cast).all("calibrations/?model=1pl")
    assert (row["id"], row["state"], row["reason"]) == (found["id"], "done", "")


def test_items_of_a_calibration_come_in_pages(released: Released, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.services.calibration.SHOWN_A_PAGE", 8)
    cast, _release = released
    for number in range(3):
        imported(released, f"m{number}", right=5 * number + 3)
    answer = manager(cast).post("calibrations/", {"release": "1.0.0", "model": "1pl"})
    work_off()
    rows = manager(cast).all(f"calibrations/{answer.json()['id']}/items/")
    assert len(rows) == len({row["id"] for row in rows}) == ITEMS


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"release": "9.0.0"}, "release"),
        ({"runs": [10**9]}, "runs"),
        ({"model": "4pl"}, "model"),
        ({"priors": "luck"}, "priors"),
        ({}, "runs"),
    ],
)
def test_a_calibration_that_is_wrong_names_the_field(released: Released, wrong: Sent, field: str) -> None:
    imported(released)
    answer = manager(released[0]).post("calibrations/", {"release": "1.0.0"} | wrong)
    assert answer.status_code == 400
    assert field in answer.json()["fields"]
    assert not Calibration.objects.filter(release=released[1]).exists()


# --- panels ---


def test_a_panel_is_opened_and_its_links_are_shown_once(released: Released) -> None:
    cast, _release = released
    made = manager(cast).post("panels/", {"release": "1.0.0", "split": "both", "sample_size": 5})
    assert made.status_code == 201, made.content
    at = f"panels/{made.json()['id']}/"
    assert manager(cast).get(made.headers["Location"]).headers["ETag"] == made.headers["ETag"]
    sent = {"names": ["Ada", "Bo"], "items_each": 3}
    invited = manager(cast).post(f"{at}people/", sent, **{"Idempotency-Key": "k"})
    assert invited.status_code == 201, invited.content
    assert [row["name"] for row in invited.json()["results"]] == ["Ada", "Bo"]
    links = [row["link"] for row in invited.json()["results"]]
    again = manager(cast).post(f"{at}people/", sent, **{"Idempotency-Key": "k"})
    assert (again.status_code, PanelSeat.objects.count()) == (409, 2)
    listed = manager(cast).get(f"{at}people/").content.decode()
    assert not any(link.rpartition("/")[2] in listed for link in links)
    assert Client().get(links[0]).status_code == 200
    seat = invited.json()["results"][0]["id"]
    assert manager(cast).post(f"{at}people/{seat}/withdraw/").json()["revoked_at"]
    assert Client().get(links[0]).status_code == 409
    assert [row["id"] for row in manager(cast).all("panels/?release=1.0.0")] == [made.json()["id"]]
    run = imported(released)
    assert manager(cast).get(f"panels/{run.pk}/").status_code == 404


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"names": [], "items_each": 1}, "names"),
        ({"names": ["A"], "items_each": 9}, "items_each"),
        ({"names": ["A"], "items_each": 1, "days": 91}, "days"),
        ({"names": ["A"]}, "items_each"),
    ],
)
def test_an_invitation_that_is_wrong_names_the_field(released: Released, sent: Sent, field: str) -> None:
    cast, _release = released
    made = manager(cast).post("panels/", {"release": "1.0.0", "split": "both", "sample_size": 5})
    answer = manager(cast).post(f"panels/{made.json()['id']}/people/", sent)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])


# --- public pages ---


def test_a_public_page_is_opened_and_closed(released: Released, client: Any) -> None:
    cast, _release = released
    before = manager(cast).get("releases/1.0.0/publication/")
    assert before.json()["is_open"] is False
    opened = manager(cast).ask("put", "releases/1.0.0/publication/", {"is_open": True})
    assert (opened.json()["is_open"], opened.json()["shows_scores"]) == (True, True)
    assert client.get(opened.json()["url"]).status_code == 200
    stale = {"If-Match": before.headers["ETag"]}
    late = manager(cast).ask("put", "releases/1.0.0/publication/", {"is_open": False}, **stale)
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    manager(cast).ask("put", "releases/1.0.0/publication/", {"is_open": False})
    assert client.get(opened.json()["url"]).status_code == 404


# --- who, and what a page takes ---

LISTS = ["examinees/", "runs/", "response-files/", "results/", "calibrations/", "panels/"]


@pytest.mark.parametrize("address", [*LISTS, "releases/1.0.0/publication/"])
def test_it_is_for_those_who_see_results(released: Released, address: str) -> None:
    cast, _release = released
    for person, status in (
        (cast.manager, 200),
        (cast.writer, 403),
        (cast.reviewer, 403),
        (cast.outsider, 404),
    ):
        assert program(person, cast.project.slug).get(address).status_code == status
    absent = program(cast.outsider, "no-such-project").get(address)
    assert program(cast.outsider, cast.project.slug).get(address).json() == absent.json()


@pytest.mark.parametrize("address", ["runs/", "results/", "calibrations/", "panels/", "runs/estimate/"])
def test_a_token_that_reads_orders_nothing(released: Released, address: str) -> None:
    answer = manager(released[0], "read").post(address)
    assert (answer.status_code, answer.json()["code"]) == (403, "scope")


def test_a_run_of_another_project_is_as_if_it_were_not_there(released: Released) -> None:
    run = imported(released)
    other = make_project()
    for below in ("", "responses/", "responses/download/"):
        foreign, absent = (manager(other).get(f"runs/{pk}/{below}") for pk in (run.pk, 10**9))
        assert (foreign.status_code, foreign.json()) == (404, absent.json())


@pytest.mark.parametrize("address", [*LISTS, "responses", "people"])
def test_a_page_takes_six_statements_at_most(released: Released, address: str) -> None:
    cast, release = released
    runs = [imported(released, f"m{number}", right=5 * number + 3, repeats=2) for number in range(3)]
    panel = (
        manager(cast).post("panels/", {"release": "1.0.0", "split": "both", "sample_size": 5}).json()["id"]
    )
    manager(cast).post("panels/", {"release": "1.0.0", "split": "both", "sample_size": 5})
    manager(cast).post(f"panels/{panel}/people/", {"names": ["A", "B", "C"], "items_each": 1})
    for one in runs[:2]:
        manager(cast).post("results/", {"release": "1.0.0", "runs": [one.pk]})
    for model in ("1pl", "2pl"):
        manager(cast).post("calibrations/", {"release": "1.0.0", "model": model})
    at = {"responses": f"runs/{runs[0].pk}/responses/", "people": f"panels/{panel}/people/"}
    counts = [manager(cast).statements(f"{at.get(address, address)}?limit={limit}") for limit in (2, 1000)]
    assert counts[0] == counts[1] <= 6
    with CaptureQueriesContext(connection) as seen:
        manager(cast).get(at.get(address, address))
    assert not any('"record"' in one["sql"] for one in seen.captured_queries), "records are large"
    assert Response.objects.filter(run__release=release).exists()
