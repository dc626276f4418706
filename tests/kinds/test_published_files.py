"""Published files come into a project and leave it as they were; what contradicts itself is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client
from django.urls import reverse

from accounts.services import get_or_create_placeholder
from annotation.kinds import item_kind
from annotation.models import Item, State
from annotation.services import import_items
from corpus.outcome import ImportResult
from parable.formats import read_items
from parable.formats.kind_files import LAYOUTS
from parable.formats.records import ItemRecord, Reading, released
from parable.kinds import KINDS, kind_of
from parable.quality.kinds import CHECKS
from tests.factories import Cast, make_project

FILES: Final = {
    "space2023/task1_train.jsonl": ("anomaly_spans", 3367),
    "space2023/task1_dev.jsonl": ("anomaly_spans", 496),
    "space2023/task1_test_input.jsonl": ("anomaly_spans", 915),
    "space2023/task2_train.jsonl": ("step_tuples", 1060),
    "space2023/task2_dev.jsonl": ("step_tuples", 131),
    "space2023/task3_examples.jsonl": ("scene_pairs", 7),
    "space2024/SpaCE2024_train.jsonl": ("multiple", 3420),
    "space2024/SpaCE_dev_answer.jsonl": ("multiple", 1021),
    "epic/published_format/full_dataset.json": ("proverb_narratives", 1750),
}
"""Each with its task and number of items; `task2_test_input` has the fields of task 1 without answers."""

ODD: Final = {
    "space2023/task1_train.jsonl": {"1-train-712": "span_misspelled", "1-train-678": "unequal_groups"},
    "space2023/task2_train.jsonl": {"2-train-559": "no_place"},
    "epic/published_format/full_dataset.json": {
        "Q157N3": "span_absent", "Q171N6": "span_absent",
        "Q11N5": "proverb_quoted", "Q126N9": "narrative_long",
    },
}  # fmt: skip
"""By file the records that contradict themselves, or nearly, with the check that says so."""


def rows_of(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = (
        json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    )
    return rows


def written(record: ItemRecord) -> object:
    published = kind_of(record.task).published
    assert published is not None
    return LAYOUTS[published.layouts[0]].write(published.value(released(record)))


@pytest.mark.drill
@pytest.mark.parametrize("name", FILES)
def test_every_record_becomes_an_item_and_is_written_as_it_stood(shared_data: Path, name: str) -> None:
    task, count = FILES[name]
    reading = read_items(shared_data / name, name=name)
    assert (reading.format, reading.errors, reading.ignored) == ("published", (), ())
    assert {record.task for record in reading.records} == {task}
    rows = rows_of(shared_data / name)
    assert len(rows) == len(reading.records) == count
    kind = item_kind(task)
    for row, record in zip(rows, reading.records, strict=True):
        fields = kind.answer_fields(kind.content_of(record)) if record.own else {"own": record.own}
        if task != "multiple":
            assert fields["own"] == record.own, record.id
        assert json.dumps(written(record)) == json.dumps(row), record.id


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project("zh", tasks=[code for code, kind in KINDS.items() if kind.published])


def some(folder: Path, name: str, most: int = 15) -> Reading[ItemRecord]:
    """The odd records of a file, and the first of the others, as a file of its own."""
    rows = rows_of(folder / name)
    id_field = "pk" if "pk" in rows[0] else "qid"
    odd = [row for row in rows if row[id_field] in ODD.get(name, {})]
    filtered = [*odd, *(row for row in rows[:most] if row not in odd)]
    if name.endswith(".json"):
        return read_items(json.dumps(filtered).encode(), name=name)
    return read_items("".join(json.dumps(row) + "\n" for row in filtered).encode(), name=name)


def sent(answer: Any) -> bytes:
    """A file that was sent while its items were read."""
    assert answer.streaming
    pieces = list(answer.streaming_content)
    assert len(pieces) >= Item.objects.filter(task=answer.wsgi_request.resolver_match.kwargs["task"]).count()
    return b"".join(pieces)


def bring(cast: Cast, readings: list[Reading[ItemRecord]], *, dry_run: bool = False) -> ImportResult:
    return import_items(
        actor=cast.manager,
        project=cast.project,
        readings=readings,
        state=State.VERIFIED,
        writer=get_or_create_placeholder(actor=cast.manager, name="Beida"),
        dry_run=dry_run,
    )


def test_files_come_into_a_project_and_leave_it_as_they_were(
    cast: Cast, client: Client, shared_data: Path
) -> None:
    readings = [some(shared_data, name) for name in FILES]
    seen: dict[str, ItemRecord] = {}
    for reading in readings:
        for record in reading.records:
            seen.setdefault(f"{record.task} {record.id}", record)
    assert not bring(cast, readings).issues
    assert Item.objects.filter(state=State.DRAFT).count() == 15, "test texts have no answer"
    client.force_login(cast.manager)
    page = client.get(reverse("dashboard:exports", args=[cast.project.slug])).content.decode()
    for task in {task for task, _count in FILES.values()}:
        address = reverse("dashboard:export_published", args=[cast.project.slug, task])
        assert address in page
        data = sent(client.post(address))
        again = read_items(data, name="export")
        wanted = [written(record) for record in seen.values() if record.task == task]
        assert [json.dumps(written(record)) for record in again.records] == list(map(json.dumps, wanted))
        rows = json.loads(data) if data.startswith(b"[") else list(map(json.loads, data.splitlines()))
        assert list(map(json.dumps, rows)) == list(map(json.dumps, wanted))
    assert bring(cast, readings, dry_run=True).counts()["unchanged"] == len(seen)


@pytest.mark.parametrize("name", ODD)
def test_records_that_contradict_themselves_are_named_row_by_row(
    cast: Cast, shared_data: Path, name: str
) -> None:
    reading = some(shared_data, name)
    found = bring(cast, [reading], dry_run=True)
    assert not found.is_broken
    rows = {row.record.id: row.row for row in reading.rows}
    named = {(note.row, note.message) for note in found.notes}
    for record, check in ODD[name].items():
        assert (rows[record], CHECKS[check].name) in named, record
        assert record in (found.item_checks or {})[check]


def test_only_a_manager_takes_them_out(cast: Cast, client: Client) -> None:
    client.force_login(cast.writer)
    address = reverse("dashboard:export_published", args=[cast.project.slug, "step_tuples"])
    assert client.post(address).status_code in {403, 404}
    client.force_login(cast.manager)
    assert client.post(address).status_code == 404, "there are no such items"
