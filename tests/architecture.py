"""Reads our own source code for the tests of the architecture."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

BASE = Path(__file__).resolve().parent.parent
STREET: list[str] = settings.STREET
OUR_FOLDERS = [*STREET, "config", "parable", "scripts", "tests"]

ALWAYS_WRITES = {
    *("bulk_create", "bulk_update", "get_or_create", "update_or_create", "create_user", "create_superuser"),
    *("abulk_create", "abulk_update", "aget_or_create", "aupdate_or_create", "acreate_user"),
}
SAVES = {"save", "asave"}
CREATES = {"create", "acreate", "update", "aupdate"}
DELETES = {"delete", "adelete"}


@dataclass(frozen=True)
class Write:
    """A call that writes rows: its location, and the first name of its expression."""

    path: Path
    line: int
    call: str
    root: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(BASE)}:{self.line} {self.call}"


def sources(*folders: str) -> Iterator[Path]:
    """Yield the paths of our Python files, without migrations."""
    for folder in folders:
        for path in sorted((BASE / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


@cache
def writes_in(path: Path) -> tuple[Write, ...]:
    """Return the calls in a file that write rows, distinguished from look-alikes by their arguments.

    Saving a row has no positional argument (saving a file has some), updating a queryset has only keyword
    arguments (updating a dict seldom has), and deleting has none (deleting from a cache has a key).
    """
    return tuple(
        Write(path, node.lineno, f".{node.func.attr}()", _root(node.func))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _writes(node, node.func)
    )


def _writes(call: ast.Call, function: ast.Attribute) -> bool:
    name = function.attr
    if name in ALWAYS_WRITES:
        return True
    if name in SAVES:
        return not call.args and not _is_super(function)
    if name in CREATES:
        return not call.args and bool(call.keywords)
    return name in DELETES and not call.args and not call.keywords


def _is_super(function: ast.Attribute) -> bool:
    return isinstance(function.value, ast.Call) and getattr(function.value.func, "id", "") == "super"


def _root(expression: ast.expr) -> str:
    """Return the first name of a chain such as `Item.objects.filter(...).update`."""
    while not isinstance(expression, ast.Name):
        following = getattr(expression, "value", None) or getattr(expression, "func", None)
        if not isinstance(following, ast.expr):
            return ""
        expression = following
    return expression.id


def imported_from(path: Path, module: str) -> set[str]:
    """Return the names that a file imports from a module."""
    return _imports_of(path).get(module, set())


@cache
def _imports_of(path: Path) -> dict[str | None, set[str]]:
    """Return the names that a file imports, by module."""
    found: dict[str | None, set[str]] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found.setdefault(node.module, set()).update(alias.asname or alias.name for alias in node.names)
    return found


def reverse_uses(path: Path, names: set[str]) -> list[str]:
    """Return the uses of these reverse accessors in a file, such as `x.items.filter` or `items__state`."""
    return [
        f"{path}:{node.lineno}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute | ast.keyword | ast.Constant) and _follows(node, names)
    ]


def _follows(node: ast.Attribute | ast.keyword | ast.Constant, names: set[str]) -> bool:
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Attribute) and node.value.attr in names
    lookup = node.arg if isinstance(node, ast.keyword) else node.value
    return isinstance(lookup, str) and "__" in lookup and lookup.partition("__")[0] in names


def is_service(path: Path) -> bool:
    """Return whether a file is in the layer of services."""
    inside = path.relative_to(BASE).parts[1:]
    return inside[0] in ("services", "services.py")
