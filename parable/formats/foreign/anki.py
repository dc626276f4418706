"""Anki decks (`.apkg`, `.colpkg`): the fields of each note are the columns, named as in its note type.

Read is the newest collection in the package; one compressed by Zstandard needs the package `zstandard`, or
"Support older Anki versions" ticked at the export. Fields are HTML and become plain text. Notes of several
note types may have different fields. Scheduling, media and cards are not read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Final

from parable.extras import require
from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.format import Format, Rows
from parable.formats.markup import MarkedTexts, Parts
from parable.formats.source_file import SourceFile

_NEWEST, _NEW, _OLD = "collection.anki21b", "collection.anki21", "collection.anki2"
_SEPARATOR: Final = "\x1f"


def _detect(file: SourceFile) -> bool:
    return bool({_NEWEST, _NEW, _OLD} & file.parts)


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    parts = Parts(file.raw)
    newest = next(name for name in (_NEWEST, _NEW, _OLD) if name in parts)
    data = parts.read(newest)
    for row, (names, fields) in enumerate(_notes(_unpacked(data) if newest == _NEWEST else data), start=1):
        texts = MarkedTexts(errors, row)
        yield (
            row,
            {
                (names[index] if index < len(names) else f"field {index + 1}"): texts("note", text)
                for index, text in enumerate(fields.split(_SEPARATOR))
            },
        )


def _notes(data: bytes) -> list[tuple[tuple[str, ...], str]]:
    """Return the names of the fields and the fields of each note of a collection."""
    database = sqlite3.connect(":memory:")
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    try:
        database.deserialize(data)
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA query_only = ON")
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "notes" not in tables:  # a view of that name could go on for ever
            raise InputError(ErrorCode.NOT_ZIP, field=FILE)
        names = dict(_note_types(database, has_fields="fields" in tables))
        found = database.execute(
            "SELECT mid, flds FROM notes ORDER BY id LIMIT ?", [limits.MAX_ROWS + 1]
        ).fetchall()
    except (sqlite3.Error, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(ErrorCode.NOT_ZIP, field=FILE) from error
    finally:
        database.close()
    if len(found) > limits.MAX_ROWS:
        raise InputError(ErrorCode.TOO_MANY_ROWS, field=FILE, limit=limits.MAX_ROWS)
    return [(names.get(str(kind), ()), str(fields)) for kind, fields in found]


def _unpacked(data: bytes) -> bytes:
    require("zstandard")
    import zstandard

    try:
        reader = zstandard.ZstdDecompressor().stream_reader(data)
        unpacked: bytes = reader.read(limits.MAX_UNPACKED_BYTES + 1)
    except zstandard.ZstdError as error:
        raise InputError(ErrorCode.NOT_ZIP, field=FILE) from error
    if len(unpacked) > limits.MAX_UNPACKED_BYTES:
        raise InputError(ErrorCode.ZIP_TOO_LARGE, field=FILE, limit=limits.MAX_UNPACKED_BYTES)
    return unpacked


def _note_types(database: sqlite3.Connection, *, has_fields: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the numbers of the note types and the names of their fields: from a table, else from JSON."""
    if has_fields:
        held: dict[str, list[str]] = {}
        for kind, name in database.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
            held.setdefault(str(kind), []).append(str(name))
        yield from ((kind, tuple(names)) for kind, names in held.items())
        return
    (models,) = database.execute("SELECT models FROM col").fetchone()
    known: Mapping[str, Mapping[str, list[Mapping[str, str]]]] = json.loads(models)
    for kind, model in known.items():
        yield kind, tuple(str(field["name"]) for field in model["flds"])


FORMAT: Final = Format(code="anki", label="Anki deck", label_zh="Anki 牌组", detect=_detect, rows=_rows)
