"""What the programming interface answers is what its schema says, for every operation of the URL table."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from pytest_django import DjangoDbBlocker

from tests.access.routes import Route, patterns, routes, site_objects
from tests.access.test_matrix import undone
from tests.access.world import Scene, make_scene
from tests.shared_rows import shared_rows

API: Final = "/api/v1/"
ROLES: Final = ("manager", "reviewer", "reviewer2", "writer")
"""The second reviewer is the one who has claimed a request."""
TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "integer": (int,),
    "number": (int, float), "null": (type(None),),
}  # fmt: skip
LIMITS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "minLength": lambda value, limit: len(value) >= limit,
    "maxLength": lambda value, limit: len(value) <= limit,
    "minItems": lambda value, limit: len(value) >= limit,
    "maxItems": lambda value, limit: len(value) <= limit,
}
READ_AS: Final[dict[str, Callable[[str], object]]] = {
    "uuid": UUID,
    "date": date.fromisoformat,
    "date-time": datetime.fromisoformat,
}
"""What reads a text of a format; it raises ValueError for any other text."""
NOT_READ_HERE: Final = frozenset(
    {
        "api_activity",  # of administrators; a project's has the same shape
        "api_draft",  # of writer2, who is nobody here
        "api_results_table",  # the scene's results and calibrations were not computed
        "api_results_table_file",
        "api_results_records",
        "api_published_file",
        "api_short_form",
    }
)
"""Routes whose objects no role of the scene can read, with a reason beside each."""


class Checker:
    """Checks values against schemas of OpenAPI 3.0, as much of it as ours uses; other names are faults."""

    def __init__(self, described: Mapping[str, Any]) -> None:
        self.shapes: Mapping[str, Any] = described["components"]["schemas"]

    def faults(self, value: Any, shape: Mapping[str, Any], at: str = "") -> list[str]:
        """Return what is wrong with a value, each with the path to it."""
        shape = self._resolved(shape)
        if value is None and shape.get("nullable"):
            return []
        for part in shape.get("allOf", ()):
            if found := self.faults(value, part, at):
                return found
        if "oneOf" in shape:
            fitting = [one for one in shape["oneOf"] if not self.faults(value, one, at)]
            return [] if len(fitting) == 1 else [f"{at}: {value!r} fits {len(fitting)} of several shapes"]
        if "enum" in shape and value not in shape["enum"]:
            return [f"{at}: {value!r} is none of {shape['enum']}"]
        kind = shape.get("type")
        if kind and not self._is(value, kind):
            return [f"{at}: {value!r} is no {kind}"]
        found = [
            f"{at}: {value!r} is beyond {name} {shape[name]}"
            for name, fits in LIMITS.items()
            if name in shape and not fits(value, shape[name])
        ]
        if kind == "string" and (read := READ_AS.get(shape.get("format", ""))):
            found += self._misread(value, read, at)
        if kind == "array":
            for index, one in enumerate(value):
                found += self.faults(one, shape["items"], f"{at}/{index}")
        return found + (self._of_object(value, shape, at) if kind == "object" else [])

    def _resolved(self, shape: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in shape:
            shape = self.shapes[shape["$ref"].rpartition("/")[2]]
        return shape

    @staticmethod
    def _is(value: Any, kind: str) -> bool:
        return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))

    @staticmethod
    def _misread(value: str, read: Callable[[str], object], at: str) -> list[str]:
        try:
            read(value)
        except ValueError:
            return [f"{at}: {value!r} cannot be read"]
        return []

    def _of_object(self, value: Mapping[str, Any], shape: Mapping[str, Any], at: str) -> list[str]:
        named: Mapping[str, Any] = shape.get("properties", {})
        others = shape.get("additionalProperties", not named)
        found = [f"{at}: {name} is missing" for name in shape.get("required", ()) if name not in value]
        for name, one in value.items():
            if name in named:
                found += self.faults(one, named[name], f"{at}/{name}")
            elif isinstance(others, Mapping):
                found += self.faults(one, others, f"{at}/{name}")
            elif not others:
                found.append(f"{at}: {name} is not described")
        return found


@pytest.fixture(scope="module")
def _scene(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Scene]:
    with shared_rows(django_db_blocker, make_scene) as made:
        yield made


@pytest.fixture
def scene(_scene: Scene, db: None, caplog: pytest.LogCaptureFixture) -> Scene:
    caplog.set_level(logging.CRITICAL, "django.request")
    return _scene


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found


def by_path() -> dict[str, Route]:
    """Our routes of the programming interface, by their paths as the schema writes them."""
    ours, found = {route.name: route for route in routes()}, {}
    for name, pattern in patterns():
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern)).replace("{pk}", "{id}")
        if name in ours and name.startswith("api_"):
            found[f"{API}{path}"] = ours[name]
    return found


def client_of(scene: Scene, role: str) -> Client:
    if role in scene.browsers:
        return scene.browsers[role]
    client = Client(raise_request_exception=False)
    client.force_login(getattr(scene.ours.cast, role))
    return client


def checked(answer: HttpResponseBase, operation: Mapping[str, Any], checker: Checker) -> list[str]:
    """What is wrong with an answer: a status, type or value that the operation does not name."""
    status = str(answer.status_code)
    said = operation["responses"].get(status) or operation["responses"].get(f"{status[0]}XX")
    if said is None or status[0] == "5":
        return [f"status {status} is not described"]
    body = answer.getvalue()
    contents = said.get("content", {})
    if not contents:
        return [f"status {status} is described without a body"] if body else []
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    if kind not in contents:
        return [f"status {status} is {kind}, described are {', '.join(contents)}"]
    is_json = kind in ("application/json", "application/problem+json")
    return checker.faults(json.loads(body), contents[kind]["schema"]) if is_json else []


def test_the_schema_has_every_route_and_method(described: dict[str, Any]) -> None:
    paths = {path: {one.upper() for one in operations} for path, operations in described["paths"].items()}
    assert paths.keys() == by_path().keys()
    for path, route in by_path().items():
        assert route.methods is None or paths[path] == route.methods, path


def test_every_object_and_list_is_as_the_schema_says(scene: Scene, described: dict[str, Any]) -> None:
    checker, addresses, faults, read = Checker(described), by_path(), [], set[str]()
    objects = site_objects(scene.ours, scene.site)
    reading = {path: one["get"] for path, one in described["paths"].items() if "get" in one}
    for role in ROLES:
        client = client_of(scene, role)
        for path, operation in reading.items():
            address = addresses[path].address(objects, objects)
            with undone():
                answer = client.get(address)
                found = checked(answer, operation, checker)
            faults += [f"{role} GET {address} {one}" for one in found]
            if answer.status_code < 300:
                read.add(path)
    assert faults == []
    assert {addresses[path].name for path in reading.keys() - read} == NOT_READ_HERE


def test_every_answer_to_an_empty_request_is_as_the_schema_says(
    scene: Scene, described: dict[str, Any]
) -> None:
    checker, addresses, faults = Checker(described), by_path(), []
    objects = site_objects(scene.ours, scene.site)
    for role in ROLES:
        client = client_of(scene, role)
        for path, operations in described["paths"].items():
            address = addresses[path].address(objects, objects)
            for method, operation in operations.items():
                if method in {"post", "put", "patch", "delete"}:
                    with undone():
                        answer = getattr(client, method)(address, {}, content_type="application/json")
                        found = checked(answer, operation, checker)
                    faults += [f"{role} {method} {address} {one}" for one in found]
    assert faults == []


SHAPES: Final = {
    "One": {
        "type": "object",
        "properties": {"a": {"type": "integer", "nullable": True}, "b": {"type": "string", "format": "uuid"}},
        "required": ["a"],
    },
    "Colour": {"type": "string", "enum": ["red", "blue"]},
}
LIST: Final = {"type": "array", "items": {"type": "integer", "maximum": 3}, "maxItems": 2}
ONE: Final = {"$ref": "#/components/schemas/One"}


@pytest.mark.parametrize(
    ("value", "shape", "is_right"),
    [
        ({"a": 1}, ONE, True),
        ({"a": None, "b": "6b1d6f52-4a06-4a55-a0b6-6b0f3a1c2d3e"}, ONE, True),
        ({}, ONE, False),
        ({"a": "1"}, ONE, False),
        ({"a": True}, ONE, False),
        ({"a": 1, "b": "no"}, ONE, False),
        ({"a": 1, "c": 1}, ONE, False),
        (None, ONE, False),
        (None, {"allOf": [ONE], "nullable": True}, True),
        ("red", {"$ref": "#/components/schemas/Colour"}, True),
        ("green", {"$ref": "#/components/schemas/Colour"}, False),
        (None, {"oneOf": [{"$ref": "#/components/schemas/Colour"}, {"enum": [None]}]}, True),
        ("green", {"oneOf": [{"$ref": "#/components/schemas/Colour"}, {"enum": [""]}]}, False),
        ([1, 3], LIST, True),
        ([4], LIST, False),
        ([1, 2, 3], LIST, False),
        ({"x": 1}, {"type": "object", "additionalProperties": {"type": "integer"}}, True),
        ({"x": "1"}, {"type": "object", "additionalProperties": {"type": "integer"}}, False),
        ({"x": "1"}, {"type": "object", "additionalProperties": {}}, True),
        ("2026-11-30T02:00:00Z", {"type": "string", "format": "date-time"}, True),
        ("yesterday", {"type": "string", "format": "date-time"}, False),
    ],
)
def test_a_value_is_checked_by_its_shape(value: Any, shape: Mapping[str, Any], is_right: bool) -> None:
    found = Checker({"components": {"schemas": SHAPES}}).faults(value, shape)
    assert (not found) is is_right, found
