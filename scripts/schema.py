"""Write the schema of the programming interface to docs/openapi.json, and say what a client would lose.

Usage: python -m scripts.schema [--check]

A path, method, parameter or field that goes away, or a parameter or field of a request that becomes required,
breaks clients: it is refused unless the changelog names it in backquotes under "Removed". `--check` writes
nothing, and exits with 1 if the file is not the schema of the code.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

BASE: Final = Path(__file__).resolve().parent.parent
FILE: Final = BASE / "docs" / "openapi.json"
CHANGELOG: Final = BASE / "CHANGELOG.md"
METHODS: Final = ("get", "post", "put", "patch", "delete")
Schema = dict[str, Any]


def main() -> int:
    """Write or check the file; return 1 if something went away that the changelog does not name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    now = schema_of_the_code()
    before = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"paths": {}}
    lost = sorted(set(broken(before, now)) - named_as_removed(CHANGELOG.read_text(encoding="utf-8")))
    for one in lost:
        print(f"{one}: clients may use it. Name it in CHANGELOG.md under “Removed”.", file=sys.stderr)
    if lost:
        return 1
    text = json.dumps(now, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    if not options.check:
        FILE.write_text(text, encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != text:
        print("docs/openapi.json is not the schema of the code: python -m scripts.schema", file=sys.stderr)
        return 1
    return 0


def schema_of_the_code() -> Schema:
    """Return the schema that the site serves, in English."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.offline")
    import django  # noqa: PLC0415 - needs the settings
    from django.utils import translation  # noqa: PLC0415

    django.setup()
    from drf_spectacular.generators import SchemaGenerator  # noqa: PLC0415

    with translation.override("en"):
        generator: Any = SchemaGenerator  # it has no annotations
        made = generator().get_schema(request=None, public=True)
    return json.loads(json.dumps(made, default=str))  # type: ignore[no-any-return]  # it was an object


def broken(before: Schema, now: Schema) -> Iterator[str]:
    """Yield what clients of the schema `before` would miss in the schema `now`.

    A path or method that went away is named as `GET /path`, a parameter or field of one as `GET /path: name`.
    """
    for path, methods in before["paths"].items():
        for method in METHODS:
            if method not in methods:
                continue
            name = f"{method.upper()} {path}"
            if method not in now["paths"].get(path, {}):
                yield name
                continue
            old, new = methods[method], now["paths"][path][method]
            for what, was, now_is in (
                ("parameter", _parameters(old), _parameters(new)),
                ("sent", _fields(before, _request(old)), _fields(now, _request(new))),
            ):
                yield from (f"{name}: {one}" for one in was.keys() - now_is.keys())
                newly = {one for one, needed in now_is.items() if needed and not was.get(one)}
                yield from (f"{name}: {one} ({what}, now required)" for one in newly)
            for status, answer in _answers(old).items():
                there = _answers(new).get(status)
                if there is None:
                    yield f"{name}: {status}"
                else:
                    gone = _fields(before, answer).keys() - _fields(now, there).keys()
                    yield from (f"{name}: {status} {one}" for one in gone)


def named_as_removed(changelog: str) -> set[str]:
    """Return what the changelog names in backquotes in its sections called “Removed”."""
    sections = re.findall(r"^### Removed\n(.*?)(?=^##|\Z)", changelog, re.MULTILINE | re.DOTALL)
    return {name for section in sections for name in re.findall(r"`([^`]+)`", section)}


def _parameters(operation: Schema) -> dict[str, bool]:
    return {one["name"]: one.get("required", False) for one in operation.get("parameters", [])}


def _request(operation: Schema) -> Schema:
    return _json(operation.get("requestBody", {}))


def _answers(operation: Schema) -> dict[str, Schema]:
    found = operation.get("responses", {}).items()
    return {status: _json(answer) for status, answer in found if status.startswith("2")}


def _json(body: Schema) -> Schema:
    contents = body.get("content", {}).values()
    schema: Schema = next((content.get("schema", {}) for content in contents), {})
    return schema


def _fields(schema: Schema, part: Schema, path: str = "", depth: int = 0) -> dict[str, bool]:
    """Return the fields of an object by their paths, with whether each is required."""
    if depth > 8:
        return {}
    if "$ref" in part:
        part = schema["components"]["schemas"][part["$ref"].rpartition("/")[2]]
    found: dict[str, bool] = {}
    for inside in part.get("allOf", []):
        found |= _fields(schema, inside, path, depth + 1)
    if "items" in part:
        found |= _fields(schema, part["items"], f"{path}[]", depth + 1)
    for name, field in part.get("properties", {}).items():
        place = f"{path}.{name}" if path else name
        found[place] = name in part.get("required", ())
        found |= _fields(schema, field, place, depth + 1)
    return found


if __name__ == "__main__":
    sys.exit(main())
