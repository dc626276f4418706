"""Inputs without answers whose fields fit several tasks: the file's name decides, or one is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Item
from corpus.models import Upload
from parable.formats import read_items
from parable.formats.errors import ErrorCode
from parable.formats.kind_files import LAYOUTS
from parable.formats.published import TIED_TASKS
from parable.kinds import KINDS
from tests.corpus.commands import run
from tests.factories import Cast, make_project
from tests.work import work_off

INPUT = b"".join(
    json.dumps({"qid": f"2-test-{n}", "context": f"猫睡在第{n}个炉子边。"}, ensure_ascii=False).encode()
    + b"\n"
    for n in range(3)
)
BOTH = "anomaly_spans, step_tuples"


@pytest.mark.parametrize(
    ("name", "task", "found"),
    [
        ("task2_test_input.jsonl", "", "step_tuples"),
        ("space2023/task2_test_input.jsonl", "", "step_tuples"),
        ("task1_test_input.jsonl", "", "anomaly_spans"),
        ("task2_test_input.jsonl", "anomaly_spans", "anomaly_spans"),
        ("input.jsonl", "step_tuples", "step_tuples"),
        ("input.jsonl", "", None),
        ("task3_test_input.jsonl", "", None),
        ("input.jsonl", "scene_pairs", None),
    ],
)
def test_the_task_that_is_given_counts_then_the_name(name: str, task: str, found: str | None) -> None:
    reading = read_items(INPUT, name=name, task=task)
    if found is None:
        (error,) = reading.errors
        assert (error.code, error.field, error.params) == (ErrorCode.SEVERAL_TASKS, "task", {"tasks": BOTH})
        return
    assert not reading.errors
    assert [one.task for one in reading.records] == [found] * 3


def test_every_kind_whose_inputs_fit_another_can_be_named() -> None:
    """Without their optional fields, layouts of different kinds with the same fields are those that tie."""
    first = {
        code: LAYOUTS[kind.published.layouts[0]] for code, kind in KINDS.items() if kind.published is not None
    }
    for code, layout in first.items():
        bare = frozenset(layout.fields) - layout.optional
        tied = [other for other, one in first.items() if other != code and one.fits(bare)]
        assert not tied or code in TIED_TASKS, code


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project("zh", tasks=["anomaly_spans", "step_tuples"])


def test_the_command_asks_and_is_told(cast: Cast, tmp_path: Path) -> None:
    path = tmp_path / "input.jsonl"
    path.write_bytes(INPUT)
    refused = run("import_items", path, "--project", cast.project.slug)
    assert refused.code != 0
    assert "--task" in refused.err
    assert run("import_items", path, "--project", cast.project.slug, "--task", "step_tuples").code == 0
    assert set(Item.objects.values_list("task", "state")) == {("step_tuples", "draft")}


def test_the_import_page_asks_and_is_told(cast: Cast, client: Client, tmp_path: Path) -> None:
    client.force_login(cast.manager)
    path = tmp_path / "input.jsonl"
    path.write_bytes(INPUT)
    page = reverse("annotation:import_items", args=[cast.project.slug])
    with path.open("rb") as file:
        sent = {"file": file, "format": "auto", "state": "in_review", "writer": "Beida"}
        address = client.post(page, sent).headers["Location"]
    work_off()
    shown = client.get(address).content.decode()
    assert BOTH in shown
    assert '<option value="step_tuples">' in shown
    token = Upload.objects.get().token
    client.post(page, {"upload": token, "columns": "1", "numbers": "", "sheet": "", "task": "step_tuples"})
    work_off()
    assert BOTH not in client.get(address).content.decode()
    client.post(page, {"upload": token})
    work_off()
    assert set(Item.objects.values_list("task", flat=True)) == {"step_tuples"}
    assert Item.objects.count() == 3
