"""Items of 26 options go the whole way: released, scored by every program, compared, exported, imported."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from parable.__main__ import main
from parable.formats.option_marks import LETTERS
from parable.psychometrics.results.sheets import Answer, ItemFact, Items, make_sheet
from release.models import Artifact
from release.queries.file import stored_at
from tests.corpus.commands import run
from tests.factories import make_project
from tests.release.made import bring, built, grant_rights, record

MOST = len(LETTERS)


def keys_of(task: str, key: int) -> dict[str, Any]:
    if task == "multiple":
        return {"answer": None, "answers": (key, (key + 7) % MOST)}
    if task == "ordering":
        return {"answer": None, "answers": tuple((key + 3 * index) % MOST for index in range(MOST))}
    return {"answer": key}


@pytest.mark.django_db
@pytest.mark.parametrize("task", ["commonsense", "multiple", "ordering"])
def test_items_of_26_options_go_the_whole_way(
    task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cast = make_project(options_per_item=MOST, tasks=[task])
    bring(
        cast,
        [
            record(
                story, number, task=task, id=f"{story}-{number}", question=f"{number} in {story}?",
                choices=tuple(f"thing {story} {number} {letter * 2}" for letter in LETTERS),
                **keys_of(task, (story * 5 + number * 11 + 25) % MOST),
            )
            for story in range(6) for number in range(2)
        ],
    )  # fmt: skip
    grant_rights(cast)
    release, folder = built(cast), tmp_path / "release"
    for file in Artifact.objects.filter(release=release):
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.name).write_bytes(stored_at(file.sha256).read_bytes())
    items = [json.loads(line) for part in ("dev", "test") for line in
             (folder / part / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()]  # fmt: skip
    assert {len(item["choices"]) for item in items} == {MOST}
    answers = tmp_path / "answers.jsonl"
    with answers.open("w", encoding="utf-8") as file_of_answers:
        for repeat, order in enumerate((range(MOST), range(MOST - 1, -1, -1)), start=1):
            for item in items:
                places = item["answers"] if "answers" in item else [item["answer"]]
                shown = [LETTERS[list(order).index(place)] for place in places]
                message = f"Answer: {', '.join(shown if task == 'ordering' else sorted(shown))}"
                line = {"model": "m", "item_id": item["id"], "repeat": repeat, "text": message}
                file_of_answers.write(json.dumps(line | {"order": list(order)}) + "\n")
    program = [sys.executable, str(folder / "score.py"), str(answers), "--json"]
    by_program = json.loads(subprocess.run(program, capture_output=True, check=True, text=True).stdout)
    capsys.readouterr()
    assert main(["score", str(answers), "--release", str(folder), "--json"]) == 0
    ours = json.loads(capsys.readouterr().out.splitlines()[-1])
    for found in (by_program, ours):
        one = found["models"]["m"][task]
        assert (one["n"], one["accuracy"]) == (24, 1.0)
    assert main(["plan", str(folder), "--responses", str(answers)]) == 0
    assert main(["erratum", str(folder), str(folder), str(answers)]) == 0
    client = Client()
    client.force_login(cast.manager)
    for kind in ("csv", "xlsx", "json"):
        path = tmp_path / f"items.{kind}"
        address = reverse("dashboard:export", args=[cast.project.slug, "items", kind])
        path.write_bytes(b"".join(client.post(address)))
        assert run("import_items", path, "--project", cast.project.slug).data["unchanged"] == 12


@pytest.mark.parametrize("options", [4, 9, MOST])
def test_orders_of_options_have_different_numbers(options: int) -> None:
    """Up to eight options a number to the base of 8 did; of nine two orders had the same."""
    facts = Items([ItemFact("i", "moral", "s", 0, options)])
    orders = [tuple(order) for order in islice(permutations(range(options)), 5000)]
    orders += [tuple(reversed(order)) for order in orders[:500]] if options > 4 else []
    sheet = make_sheet(
        "m", facts, [Answer("i", "chosen", 0, rotation=n, order=order) for n, order in enumerate(orders)]
    )
    assert len(set(sheet.turn.tolist())) == len(set(orders))
    again = make_sheet("n", facts, [Answer("i", "chosen", 0, order=orders[-1])])
    assert again.turn[0] == sheet.turn[-1]
