"""Rows of a preview of an import: what each of them is, of every kind, and its answer on request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.annotation.conftest import SeenBy
from tests.annotation.test_import_pages import upload
from tests.factories import Cast

pytestmark = pytest.mark.django_db

FILES = Path(__file__).parents[1] / "parable" / "foreign"
SHOWN = {
    "label_studio_spans.json": ("A thirsty crow", "S1 crow · E1 dropped"),
    "brat.zip": ("到家之前，灯挂在墙上。", "S1 灯 · P1 墙上"),
    "space2023.json": ("山下。", "same: false"),
    "multiple.jsonl": ("Which?", "A, C"),
}
SCENE = {
    "qid": "1",
    "context1": "山上。",
    "context2": "山下。",
    "results": [{"judge": "false", "reason": "处所"}],
}
SEVERAL = {"id": "m", "task": "multiple", "story": "S.", "question": "Which?", "choices": ["a", "b", "c"]}
OWN = {
    "space2023.json": json.dumps(SCENE).encode(),
    "multiple.jsonl": json.dumps(SEVERAL | {"answers": [0, 2]}).encode(),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_row_of_any_kind_shows_what_it_is_and_its_answer_on_request(
    name: str, cast: Cast, seen_by: SeenBy
) -> None:
    client = seen_by(cast.manager)
    data = OWN[name] if name in OWN else (FILES / name).read_bytes()
    asked = upload(client, cast, (name, data), state="draft")
    shown, answer = SHOWN[name]
    page = client.get(asked["Location"]).content.decode()
    assert shown in page
    assert answer not in page
    assert "Has a key" in page
    client.post(
        f"/p/{cast.project.slug}/items/import", {"upload": asked["Location"].partition("=")[2], "keys": "1"}
    )
    assert answer in client.get(asked["Location"]).content.decode()
