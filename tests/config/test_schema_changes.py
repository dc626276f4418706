"""The schema that is handed out is that of the code, and nothing that a client may use goes away unsaid."""

from __future__ import annotations

import copy
import json
import runpy
from collections.abc import Callable
from typing import Any

import pytest

from tests.architecture import BASE

SCRIPT = runpy.run_path(str(BASE / "scripts" / "schema.py"))

BEFORE: dict[str, Any] = {
    "paths": {
        "/a/": {
            "get": {
                "parameters": [{"name": "state"}],
                "responses": {"200": {"content": {"x": {"schema": {"$ref": "#/components/schemas/A"}}}}},
            },
            "post": {
                "requestBody": {"content": {"x": {"schema": {"$ref": "#/components/schemas/B"}}}},
                "responses": {"201": {"content": {"x": {"schema": {"$ref": "#/components/schemas/A"}}}}},
            },
        }
    },
    "components": {
        "schemas": {
            "A": {"properties": {"id": {}, "rows": {"items": {"properties": {"name": {}}}}}},
            "B": {"properties": {"name": {}, "note": {}}, "required": ["name"]},
        }
    },
}


def test_the_file_is_the_schema_of_the_code() -> None:
    assert json.loads(SCRIPT["FILE"].read_text(encoding="utf-8")) == SCRIPT["schema_of_the_code"]()


def test_what_went_away_is_in_the_changelog() -> None:
    assert SCRIPT["named_as_removed"](SCRIPT["CHANGELOG"].read_text(encoding="utf-8")) >= set()
    text = "## 1\n### Removed\n- `GET /a/`, since `POST /a/: note` went\n### Added\n- `GET /b/`\n"
    assert SCRIPT["named_as_removed"](text) == {"GET /a/", "POST /a/: note"}


def _without(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(schema: dict[str, Any]) -> None:
        for one in path[:-1]:
            schema = schema[one]
        del schema[path[-1]]

    return change


def _required(schema: dict[str, Any]) -> None:
    schema["components"]["schemas"]["B"]["required"] = ["name", "note"]


def _optional(schema: dict[str, Any]) -> None:
    schema["components"]["schemas"]["B"]["required"] = []


def _more(schema: dict[str, Any]) -> None:
    schema["paths"]["/b/"] = {}
    schema["components"]["schemas"]["A"]["properties"]["more"] = {}
    schema["paths"]["/a/"]["get"]["parameters"].append({"name": "task"})


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        (_without("paths", "/a/"), {"GET /a/", "POST /a/"}),
        (_without("paths", "/a/", "post"), {"POST /a/"}),
        (_without("paths", "/a/", "get", "parameters", 0), {"GET /a/: state"}),
        (_without("paths", "/a/", "post", "responses", "201"), {"POST /a/: 201"}),
        (_without("components", "schemas", "B", "properties", "note"), {"POST /a/: note"}),
        (
            _without("components", "schemas", "A", "properties", "rows", "items", "properties", "name"),
            {"GET /a/: 200 rows[].name", "POST /a/: 201 rows[].name"},
        ),
        (_required, {"POST /a/: note (sent, now required)"}),
        (_optional, set()),
        (_more, set()),
    ],
)
def test_it_names_what_a_client_would_miss(change: Any, lost: set[str]) -> None:
    now = copy.deepcopy(BEFORE)
    change(now)
    assert set(SCRIPT["broken"](BEFORE, now)) == lost
