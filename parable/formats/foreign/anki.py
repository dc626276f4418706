"""Anki decks (`.apkg`, `.colpkg`): the fields of each note are the columns, named as in its note type.

The newest collection in the package is read; if it is compressed with Zstandard, this needs the package
`zstandard`, or "Support older Anki versions" ticked at the export. Fields are HTML and become plain text.
Notes of several note types may have different fields. Scheduling, media and cards are not read.

A deck that Parable writes has a note and a card for each item: the story, the stem and the options on its
front, the letter of the key and the explanation on its back. The note of an item always has the same id, so
that a second import does not duplicate it.

Made by *File*, *Export*, *Anki Deck Package* in Anki, or by genanki. Tried with Anki 26.9.3 and genanki
0.13.1.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import sha1, sha256
from pathlib import Path
from typing import Final

from parable.extras import require
from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.format import LOSABLE, Content, Format, Rows, Writer
from parable.formats.markup import MarkedTexts, Parts, as_html
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile
from parable.formats.zip_parts import zip_parts

_NEWEST, _NEW, _OLD = "collection.anki21b", "collection.anki21", "collection.anki2"
_SEPARATOR: Final = "\x1f"


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    parts = Parts(file.raw)
    newest = next((name for name in (_NEWEST, _NEW, _OLD) if name in parts), _OLD)
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
    """Return for each note of a collection the names of its fields, and the fields as one text."""
    if not data:  # sqlite3 raises MemoryError
        raise InputError(ErrorCode.NOT_ZIP, field=FILE)
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
    except (sqlite3.Error, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
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
    """Yield the id of each note type with the names of its fields, from the table `fields` or from JSON."""
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


_FIELDS: Final = ("id", "story_id", "title", "story", "question")
_REST: Final = ("answer", "explanation", "task", "split", "language")
_DECK: Final = 1_600_000_000_001
"""The id of the deck and of the note type that are written."""
_AT: Final = 1_600_000_000
"""The time of all rows, in seconds; constant, so that the same items give the same bytes."""
_SCHEMA: Final = """
CREATE TABLE col (id integer primary key, crt integer not null, mod integer not null, scm integer not null,
    ver integer not null, dty integer not null, usn integer not null, ls integer not null, conf text not null,
    models text not null, decks text not null, dconf text not null, tags text not null);
CREATE TABLE notes (id integer primary key, guid text not null, mid integer not null, mod integer not null,
    usn integer not null, tags text not null, flds text not null, sfld integer not null,
    csum integer not null, flags integer not null, data text not null);
CREATE TABLE cards (id integer primary key, nid integer not null, did integer not null, ord integer not null,
    mod integer not null, usn integer not null, type integer not null, queue integer not null,
    due integer not null, ivl integer not null, factor integer not null, reps integer not null,
    lapses integer not null, left integer not null, odue integer not null, odid integer not null,
    flags integer not null, data text not null);
CREATE TABLE revlog (id integer primary key, cid integer not null, usn integer not null,
    ease integer not null, ivl integer not null, lastIvl integer not null, factor integer not null,
    time integer not null, type integer not null);
CREATE TABLE graves (usn integer not null, oid integer not null, type integer not null);
CREATE INDEX ix_notes_usn ON notes (usn);
CREATE INDEX ix_cards_usn ON cards (usn);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE INDEX ix_cards_sched ON cards (did, queue, due);
CREATE INDEX ix_revlog_cid ON revlog (cid);
CREATE INDEX ix_notes_csum ON notes (csum);
"""


def _parts(items: Iterable[ItemRecord]) -> Iterator[bytes]:
    """Yield a package with a collection in the format of an older Anki, which later versions also read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _OLD
        with closing(sqlite3.connect(path)) as database:
            database.executescript(_SCHEMA)
            _write(database, items)
        with path.open("rb") as file:
            yield from zip_parts([(_OLD, iter(lambda: file.read(1 << 16), b"")), ("media", [b"{}"])])


def _write(database: sqlite3.Connection, items: Iterable[ItemRecord]) -> None:
    # The number of fields for options is known only after all items.
    database.execute("CREATE TEMP TABLE drafts (id integer primary key, said text)")
    most = 0
    for item in items:
        right = (item.answer,) if item.answer is not None else item.answers
        said = {name: str(getattr(item, name) or "") for name in (*_FIELDS, *_REST) if name != "answer"}
        said |= dict(zip(LETTERS, item.choices, strict=False))
        said["answer"] = ", ".join(LETTERS[place] for place in right)
        database.execute("INSERT INTO drafts (said) VALUES (?)", [json.dumps(said)])
        most = max(most, len(item.choices))
    letters = LETTERS[:most]
    names = [*_FIELDS, *letters, *_REST]
    for number, text in database.execute("SELECT id, said FROM drafts ORDER BY id").fetchall():
        said = json.loads(text)
        fields = [as_html(said.get(name, "")) for name in names]
        guid = sha256(f"{said['task']} {said['id']}".encode()).hexdigest()[:16]
        first = int(sha1(fields[0].encode(), usedforsecurity=False).hexdigest()[:8], 16)
        note = _AT * 1000 + number
        database.execute(
            "INSERT INTO notes VALUES (?, ?, ?, ?, -1, '', ?, ?, ?, 0, '')",
            [note, guid, _DECK, _AT, _SEPARATOR.join(fields), fields[0], first],
        )
        database.execute(
            "INSERT INTO cards VALUES (?, ?, ?, 0, ?, -1, 0, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, '')",
            [note, note, _DECK, _AT, number],
        )
    database.execute("DROP TABLE drafts")
    deck = {"id": _DECK, "name": "Parable", "mod": _AT, "usn": -1, "conf": 1}
    deck |= {"desc": "", "dyn": 0, "collapsed": False, "extendNew": 0, "extendRev": 0}
    deck |= {name: [0, 0] for name in ("newToday", "revToday", "lrnToday", "timeToday")}
    model = _note_type(names, letters)
    held = ("{}", json.dumps({str(_DECK): model}), json.dumps({str(_DECK): deck}), "{}", "{}")
    database.execute(
        "INSERT INTO col VALUES (1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, ?)",
        [_AT, _AT * 1000, _AT * 1000, *held],
    )
    database.commit()


def _note_type(names: Sequence[str], letters: Sequence[str]) -> dict[str, object]:
    """Return the note type of these fields with one card."""
    options = "".join(f"{{{{#{one}}}}}<p>{one}. {{{{{one}}}}}</p>{{{{/{one}}}}}" for one in letters)
    front = "{{#story}}<p>{{story}}</p><hr>{{/story}}<p>{{question}}</p>" + options
    back = (
        "{{FrontSide}}<hr id=answer><p>{{answer}}</p>{{#explanation}}<p>{{explanation}}</p>{{/explanation}}"
    )
    card = {"name": "Card 1", "ord": 0, "qfmt": front, "afmt": back, "did": None, "bqfmt": "", "bafmt": ""}
    fields = [
        {"name": name, "ord": at, "sticky": False, "rtl": False, "font": "Arial", "size": 20, "media": []}
        for at, name in enumerate(names)
    ]
    return {
        "id": _DECK,
        "name": "Parable",
        "type": 0,
        "mod": _AT,
        "usn": -1,
        "sortf": 0,
        "did": _DECK,
        "tmpls": [card],
        "flds": fields,
        "css": ".card { font-size: 20px; text-align: left; }",
        "latexPre": "",
        "latexPost": "",
        "req": [[0, "any", [names.index("question")]]],
        "tags": [],
        "vers": [],
    }


FORMAT: Final = Format(
    code="anki",
    label="Anki deck",
    label_zh="Anki 牌组",
    contents=frozenset({Content.ARCHIVE}),
    detect=lambda file: bool({_NEWEST, _NEW, _OLD} & file.parts),
    rows=_rows,
    writer=Writer(
        suffix=".apkg",
        parts=_parts,
        kinds=lambda kind: kind.has_options and kind.has_keys,
        holds=frozenset(LOSABLE) - {"types", "style", "generators"},
    ),
)
