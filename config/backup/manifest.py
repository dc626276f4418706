"""The list of contents of an archive, and how its JSON form is validated."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from config.backup.errors import BackupError

FORMAT = 1
NAME = "manifest.json"
SECRETS = "secrets.json"
_LARGEST_NUMBER = 2**63 - 1
_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Member:
    """A file in an archive: its uncompressed size in bytes, and its SHA-256."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Table:
    """A table in an archive; its member has the rows in the format of PostgreSQL's COPY."""

    name: str
    columns: list[str]
    rows: int
    member: str


@dataclass
class Manifest:
    """The list of contents of an archive."""

    made_at: str = ""
    postgresql: int = 0
    migrations: dict[str, list[str]] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    sequences: dict[str, tuple[int, bool]] = field(default_factory=dict)
    stored_keys: int = 0
    fingerprints: dict[str, list[str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    secrets: str = ""
    members: dict[str, Member] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def rows(self) -> int:
        """The number of rows in all tables together."""
        return sum(table.rows for table in self.tables)


def read_manifest(text: bytes) -> Manifest:
    """Return the list of contents from its JSON form.

    Raises BackupError, naming the invalid field.
    """
    try:
        known = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise BackupError(
            _("The list of contents of this backup cannot be read. Nothing was changed.")
        ) from None
    if not isinstance(known, dict):
        raise _invalid(NAME)
    number = known.get("format")
    if isinstance(number, int) and number > FORMAT:
        raise BackupError(
            _("This backup was made by a newer version of Parable. Use that version or a newer one.")
        )
    for name, is_right in _SHAPES.items():
        if name not in known or not is_right(known[name]):
            raise _invalid(name)
    if strange := sorted(set(known) - set(_SHAPES)):
        raise _invalid(strange[0])
    known["tables"] = [Table(**table) for table in known["tables"]]
    known["members"] = {name: Member(**member) for name, member in known["members"].items()}
    manifest = Manifest(**known)
    _require_agreement(manifest)
    return manifest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object's pairs as a dict.

    Raise ValueError if a name occurs twice, because programs differ in which value they use.
    """
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a name stands twice")
    return read


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _invalid(name: str) -> BackupError:
    message = _('The list of contents of this backup is not valid: see "%(field)s". Nothing was changed.')
    return BackupError(message % {"field": printable(name)})


def printable(name: str) -> str:
    """Return a name from an archive in a form that is safe to print: short and without control characters."""
    return ascii(name)[1:-1][:200] if not name.isprintable() else name[:200]


def _require_agreement(manifest: Manifest) -> None:
    """Raise BackupError unless each table, file and secret has exactly one member, and no member is left."""
    for table in manifest.tables:
        if table.member != f"database/{table.name}.copy":
            raise _invalid(f"tables: {table.name}")
    if manifest.secrets not in ("", SECRETS):
        raise _invalid("secrets")
    members = [table.member for table in manifest.tables] + manifest.files
    members += [manifest.secrets] if manifest.secrets else []
    if twice := [name for name, number in Counter(members).items() if number > 1]:
        raise _invalid(f"members: {twice[0]}")
    if differing := set(members) ^ set(manifest.members):
        raise _invalid(f"members: {min(differing)}")


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST_NUMBER


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()


def _is_identifier(value: Any) -> bool:
    return isinstance(value, str) and bool(_IDENTIFIER.fullmatch(value))


def _is_moment(value: Any) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _is_table(value: Any) -> bool:
    return (
        _is_record(value, Table)
        and _is_identifier(value["name"])
        and _is_list(value["columns"], _is_identifier)
        and len(set(value["columns"])) == len(value["columns"]) > 0
        and _is_count(value["rows"])
        and _is_text(value["member"])
    )


def _is_member(value: Any) -> bool:
    return (
        _is_record(value, Member)
        and _is_count(value["bytes"])
        and isinstance(value["sha256"], str)
        and bool(_SHA256.fullmatch(value["sha256"]))
    )


def _is_position(value: Any) -> bool:
    """Return whether the value is the state of a sequence: its last value, and whether that was used."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    return _is_count(value[0]) and value[0] > 0 and type(value[1]) is bool


def _is_record(value: Any, kind: type[Table | Member]) -> bool:
    return isinstance(value, dict) and set(value) == {each.name for each in fields(kind)}


def _is_list(value: Any, is_right: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(is_right, value))


def _is_mapping(value: Any, is_key: Callable[[Any], bool], is_right: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(map(is_key, value)) and all(map(is_right, value.values()))


def _are_texts(value: Any) -> bool:
    return _is_list(value, _is_text)


_SHAPES: dict[str, Callable[[Any], bool]] = {
    "format": _is_count,
    "made_at": _is_moment,
    "postgresql": _is_count,
    "migrations": lambda value: _is_mapping(value, _is_text, _are_texts),
    "tables": lambda value: _is_list(value, _is_table),
    "sequences": lambda value: _is_mapping(value, _is_identifier, _is_position),
    "stored_keys": _is_count,
    "fingerprints": lambda value: _is_mapping(value, _is_text, _are_texts),
    "files": _are_texts,
    "secrets": _is_text,
    "members": lambda value: _is_mapping(value, _is_text, _is_member),
}
