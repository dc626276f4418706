"""Files of every format, damaged by a seed: in their bytes, and in their JSON, XML, archives and cells.

The same kind and number give the same file.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import sqlite3
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import pyarrow as pa
import zstandard
from pyarrow import parquet

from parable.formats.answer_log import answer_logs, log_of
from parable.formats.items import FORMATS, MAPPED, read_items
from parable.formats.limits import ANYBODYS
from parable.formats.published import write_published
from parable.formats.source_file import SourceFile
from tests.foreign_layouts import FOREIGN
from tests.parable.hostile_files import CRMUS_ITEM, PARABLE_ITEM
from tests.parable.test_formats_foreign import EXAM, ITEMS, TASKS
from tests.parable.test_formats_gift import FILE as GIFT
from tests.parable.test_formats_ods import ROW, plain, row
from tests.parable.test_formats_ods import items as ods_of
from tests.parable.test_formats_registry import SETS
from tests.parable.written_tables import WrittenTable, as_csv, as_xlsx

FILES: Final = Path(__file__).parents[1] / "parable" / "foreign"
RESPONSES: Final = "responses"
"""Our own lines of answers, which are read where a file is no log of another tool."""
LOGS: Final = (*(log.code for log in answer_logs()), RESPONSES)
KINDS: Final = (*FORMATS, *(f"log {code}" for code in LOGS))

Chance = random.Random
Named = tuple[str, bytes]
"""A file with its name, by which some are read."""

_TABLE: Final = WrittenTable([(["a fox", "a hen"], 0), (["乌鸦", "1986. 年", "兔子"], 2)], mark="{}. ")
_ANSWERS: Final = b"".join(
    json.dumps(one).encode() + b"\n"
    for one in (
        {"model": "m", "item_id": "a", "repeat": 1, "text": "B", "finish_reason": "stop"},
        {"model": "m", "item_id": "b", "repeat": 2, "choice": 1, "order": [1, 0, 2, 3], "rotation": 1},
        {"model": "m", "item_id": "c", "outcome": "failed", "tool_says": True},
    )
)

_SPAN: Final = {"text": "山上", "idxes": [0, 1]}
_PUBLISHED: Final = {
    "space2021-1": [{"qID": "1", "context": "山上有树。", "judge1": True}],
    "space2022-2": {
        "qid": "1",
        "context": "山上有树。",
        "reasons": [{"fragments": [{"role": "S1", **_SPAN}], "type": "A"}],
    },
    "space2022-3": {
        "qid": "1",
        "context": "山上有树。",
        "corefs": [[_SPAN]],
        "non_corefs": [],
        "outputs": [[_SPAN, *[None] * 2, "真", *[None] * 14]],
    },
    "space2023-2": {
        "qid": "1",
        "context": "山上有树。",
        "results": [
            [{"role": "空间实体", "fragment": _SPAN}, {"role": "时间", "fragment": _SPAN, "label": "之前"}]
        ],
    },
    "space2023-3": {
        "qid": "1",
        "context1": "山上。",
        "context2": "山下。",
        "results": [{"judge": "false", "reason": "处所"}],
    },
    "space2024": {
        "qid": "1",
        "text": "山上有树。",
        "question": "何处？",
        "option": {"A": "山上", "B": "山下", "C": 3, "D": "家"},
        "answer": ["A"],
    },
    "epic": [
        {
            "pk": "1",
            "fields": {"quote": "Too many cooks.", "narrative": "Five cooks met."}
            | {f"span_{one}_{at}": "" for one in ("quote", "narrative") for at in range(1, 6)},
        }
    ],
}


@cache
def sources() -> Mapping[str, Sequence[Named]]:
    """The sound files of each kind: those of tools, those of tests, and what our own writers write."""
    found: dict[str, list[Named]] = defaultdict(list)
    for name, data in _sound_files():
        of_a_tool = SourceFile(data).format
        read = read_items(data, name=name, rules=ANYBODYS)
        if of_a_tool or read.format:
            code = of_a_tool.code if of_a_tool else read.format if read.records else MAPPED
            found[code].append((name, data))
    for path in sorted(FILES.rglob("*")):
        if path.is_file() and (log := log_of(path, path.read_bytes()[:4096])) is not None:
            found[f"log {log.code}"].append((path.name, path.read_bytes()))
    found[f"log {RESPONSES}"].append(("answers.jsonl", _ANSWERS))
    return {kind: found[kind] for kind in KINDS}


def _sound_files() -> Iterator[Named]:
    for path in sorted(FILES.iterdir()):
        if path.is_file() and path.suffix not in {".sh", ".md"}:
            data = path.read_bytes()
            yield path.name, _packed(_read_of_word(data)) if path.suffix == ".docx" else data
    yield from ((one.name, one.data) for one in FOREIGN)
    yield from ((f"{name}.json", data) for name, data in TASKS.items())
    yield from ((f"{name}.txt", text.encode()) for name, (text, _items) in EXAM.items())
    for code, form in FORMATS.items():
        for number, items in enumerate([*SETS, ITEMS]):
            with suppress(ValueError, KeyError):
                if form.writer is not None:
                    yield f"{code}{number}{form.writer.suffix}", form.writer.whole(items)
    yield "dev_CRMUS_CR.json", json.dumps([CRMUS_ITEM]).encode()
    yield "own.jsonl", json.dumps(PARABLE_ITEM).encode()
    yield "gift.txt", GIFT.encode()
    yield "items.ods", ods_of(row(plain(*ROW)), row(plain("故事", *ROW[1:])))
    yield "items.csv", as_csv(_TABLE)
    yield "items.xlsx", as_xlsx(_TABLE)
    for name in ("brat.zip", "label_studio_spans.json"):
        records = read_items((FILES / name).read_bytes(), name=name, rules=ANYBODYS).records
        yield f"{name}.published.jsonl", write_published(records)
        writer = FORMATS["parable"].writer
        if writer is not None:
            yield f"{name}.own.jsonl", writer.whole(records)
    yield from ((f"{code}.json", json.dumps(one).encode()) for code, one in _PUBLISHED.items())


def damaged(kind: str, number: int) -> Named:
    """The file of a kind with this number; number 0 is the first sound one itself."""
    chance = random.Random(f"{kind} {number}")  # noqa: S311 - any damage will do
    name, data = chance.choice(sources()[kind]) if number else sources()[kind][0]
    return name, _damaged(data, chance) if number else data


def _read_of_word(data: bytes) -> list[Named]:
    """The members of a Word document that are read: styles and themes are most of its size."""
    named = ((part.filename, content) for part, content in _members(data))
    return [(name, content) for name, content in named if name in {"word/document.xml", "word/numbering.xml"}]


_NOT_SOUND: Final = (
    *(ValueError, TypeError, LookupError, OverflowError, RecursionError, csv.Error, sqlite3.Error),
    *(zipfile.BadZipFile, zstandard.ZstdError, ET.ParseError, pa.ArrowException),
)
"""What is raised where a file is damaged once more from within."""


def _damaged(data: bytes, chance: Chance) -> bytes:
    """Damage what the bytes are, or the bytes themselves; at times both."""
    made = data
    if chance.random() < 0.75:
        with suppress(*_NOT_SOUND):
            made = _way(data)(data, chance)
    return made if made != data and chance.random() < 0.85 else _in_bytes(made, chance)


def _way(data: bytes) -> Callable[[bytes, Chance], bytes]:
    """How a file of this beginning is damaged from within."""
    head = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:16]
    for mark, way in _WAYS.items():
        if head.startswith(mark):
            return way
    return _in_text


ODD_TEXTS: Final = (
    *("", " ", "\u3000", "0", "-1", "1.5", "1e999", "nan", "inf", "9" * 30, "9" * 5000, "٣", "²", "Ⅳ", "１"),
    *("A", "Z", "a", "A,B", "AB", "A;A", "-", "true", "False", "null", "None", "[]", "{}", "x" * 3000),
    *("\0", "\x1b[31m", "\ud800", "\udc00", "\ud83d", "\u2028", "\r", "a\r\nb", "\ufeff", "\u202e"),
    *("<b>x</b>", "<img src=x>", "&#0;", "&#xD800;", "&#99999999999;", "&lt", "]]>", "<!--", "../x", "/"),
    *("%s%(x)d", "{0}", "$1", "\\", '"', "'", "\t", "a,b", "1-5 ABCDE", "1-99999 A", "::", "{=a ~b}", "🐦"),
    *("S1", "E1", "P1", "commonsense", "multiple", "anomaly_spans", "moral", "ordering", "true_false"),
)  # fmt: skip
ODD_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 2, 1.5, -0.0, 1e308, 10**18, 10**25, float("nan"), float("inf")),
    *([], {}, [[]], [{}], [None], {"": ""}, {"a": {}}, [1, 2], ["a", "b"], [["a", "b"], ["c"]], [[[[]]]]),
    *({"id": "x"}, {"A": "a", "B": "b"}, [{"id": 1, "text": "a"}, {"id": 1, "text": "a"}], [0, 1, "S1"]),
)


def _odd(chance: Chance) -> Any:
    return chance.choice(ODD_VALUES if chance.random() < 0.5 else ODD_TEXTS)


def _count(chance: Chance) -> int:
    """How many places are damaged: mostly one, so that what comes behind it is reached, too."""
    return chance.choice((1, 1, 1, 1, 2, 3, 6))


def _in_bytes(data: bytes, chance: Chance) -> bytes:
    made = bytearray(data)
    for _ in range(_count(chance)):
        start = chance.randrange(len(made) + 1)
        piece = made[start : start + chance.choice((1, 2, 8, 40, 400))]
        match chance.randrange(6):
            case 0 if made:
                made[start % len(made)] ^= 1 << chance.randrange(8)
            case 1:
                del made[start : start + len(piece)]
            case 2:
                del made[start:]
            case 3:
                made[start:start] = piece * chance.choice((1, 2, 50, 2000) if len(piece) < 50 else (1, 3, 20))
            case 4:
                made[start:start] = chance.choice(ODD_TEXTS).encode("utf-8", "surrogatepass")
            case _:
                made[start : start + len(piece)] = chance.randbytes(len(piece))
    return bytes(made)


_TEXT_PIECE: Final = re.compile(r"\n+|[^\W_]+|[^\w\s]+|\s+")


def _in_text(data: bytes, chance: Chance) -> bytes:
    """Damage words, signs and lines of a text, and the cells of a table."""
    text = data.decode("utf-8", "surrogateescape")
    if chance.random() < 0.3:
        separator = chance.choice("\n,\t;")
        pieces = text.split(separator)
    else:
        separator, pieces = "", _TEXT_PIECE.findall(text)
    for _ in range(_count(chance)):
        at = chance.randrange(len(pieces) + 1)
        match chance.randrange(5):
            case 0:
                del pieces[at : at + chance.choice((1, 1, 3))]
            case 1:
                pieces[at:at] = pieces[at : at + 3] * chance.choice((1, 1, 2, 60))
            case 2:
                pieces[at : at + 1] = [chance.choice(ODD_TEXTS)]
            case 3:
                pieces[at:at] = [chance.choice(ODD_TEXTS)]
            case _:
                other = chance.randrange(len(pieces) + 1)
                pieces[at : at + 1], pieces[other : other + 1] = (
                    pieces[other : other + 1],
                    pieces[at : at + 1],
                )
    made = separator.join(pieces).encode("utf-8", "surrogatepass")
    return made.decode("utf-8", "surrogatepass").encode("utf-16") if chance.random() < 0.02 else made


def _in_json(data: bytes, chance: Chance) -> bytes:
    """Damage values of a JSON text, of a JSON value a line or of one value."""
    text = data.decode("utf-8-sig")
    try:
        values, is_lines = [json.loads(text)], False
    except json.JSONDecodeError:
        values, is_lines = [json.loads(line) for line in text.splitlines() if line.strip()], True
    for _ in range(_count(chance)):
        at = chance.randrange(len(values))
        values[at] = _with_odd_value(values[at], chance)
    escapes = chance.random() < 0.5
    texts = [json.dumps(value, ensure_ascii=escapes) for value in values]
    made = "\n".join(texts) + "\n" * is_lines
    if chance.random() < 0.12:
        made = _in_json_text(made, chance)
    return made.encode("utf-8", "surrogatepass")


def _with_odd_value(value: Any, chance: Chance) -> Any:
    """A JSON value in which one place is odd: replaced, gone, renamed, doubled, or taken from elsewhere."""
    places = [*_places(value)]
    place = chance.choice(places)
    odd = _odd(chance) if chance.random() < 0.7 else _at(value, chance.choice(places))
    if not place:
        return [value, odd] if chance.random() < 0.5 else odd
    copy = json.loads(json.dumps(value))
    around, last = _at(copy, place[:-1]), place[-1]
    match chance.randrange(7):
        case 0:
            del around[last]
        case 1 if isinstance(around, dict):
            names = [name for one in places for name in one if isinstance(name, str)]
            around[chance.choice([*names, *ODD_TEXTS])] = around.pop(last)
        case 2 if isinstance(around, dict):
            around[chance.choice([*around, *ODD_TEXTS])] = odd
        case 3 if isinstance(around, list):
            around[last:last] = [around[last]] * chance.choice((1, 2, 30))
        case 4:
            around[last] = [around[last]] if chance.random() < 0.5 else {"a": around[last]}
        case _:
            around[last] = odd
    return copy


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in pairs:
        yield from _places(inner, (*path, name))


def _at(value: Any, path: Sequence[Any]) -> Any:
    for name in path:
        value = value[name]
    return value


def _in_json_text(text: str, chance: Chance) -> str:
    """Put in what no JSON writer writes: names twice, deep nests, long numbers, lone escapes."""
    places = [found.start() for found in re.finditer(r"[\[{:,]", text)]
    at = chance.choice(places) + 1 if places else 0
    depth = chance.choice((10, 31, 40, 900, 5000))
    odd = chance.choice(
        (
            *("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth, "[" * depth, "9" * 400, "-"),
            *('"\\ud800"', '"\\u0000"', '"a": 1, "a": 2,', '"id": 1, "id": "1",', "NaN", "-Infinity"),
            *(text[at : at + 60], '"\\x"', '"\t"', ",", "]", "}", '"', "\n", "\x00"),
        )
    )  # fmt: skip
    end = at + chance.choice((0, 0, 1, 6))
    return text[:at] + odd + text[end:]


def _in_xml(data: bytes, chance: Chance) -> bytes:
    """Damage elements, attributes and texts of XML."""
    if chance.random() < 0.2:
        return _in_xml_text(data.decode(), chance).encode("utf-8", "surrogatepass")
    root = ET.fromstring(data)  # noqa: S314 - our own files
    for _ in range(_count(chance)):
        pairs = [(above, child) for above in root.iter() for child in above]
        (_in_elements if chance.random() < 0.4 else _in_words)(pairs, chance)
    made: bytes = ET.tostring(root, "utf-8", xml_declaration=chance.random() < 0.7)
    return made


def _in_elements(pairs: Sequence[tuple[Element, Element]], chance: Chance) -> None:
    """Take out, repeat, move or rename an element, given each with the one around it."""
    above, child = chance.choice(pairs)
    other = chance.choice(pairs)[1]
    match chance.randrange(4):
        case 0:
            above.remove(child)
        case 1:
            for _each in range(chance.choice((1, 1, 30))):
                above.insert(chance.randrange(len(above) + 1), child)
        case 2:
            other.append(_copy(child))
        case _:
            child.tag = chance.choice([other.tag, "a"])


def _in_words(pairs: Sequence[tuple[Element, Element]], chance: Chance) -> None:
    """Change an attribute or the words of an element."""
    child = chance.choice(pairs)[1]
    names = [*child.attrib]
    match chance.randrange(5):
        case 0 if names:
            del child.attrib[chance.choice(names)]
        case 1 if names:
            child.attrib[chance.choice(names)] = _xml_text(chance)
        case 2:
            others = [name for _above, one in pairs for name in one.attrib]
            child.attrib[chance.choice([*others, "a"])] = _xml_text(chance)
        case 3:
            child.tail = _xml_text(chance)
        case _:
            child.text = _xml_text(chance)


def _copy(element: Element) -> Element:
    return ET.fromstring(ET.tostring(element))  # noqa: S314 - our own files


def _xml_text(chance: Chance) -> str:
    """A text that XML can hold."""
    text = chance.choice(ODD_TEXTS) if chance.random() < 0.8 else str(chance.choice(ODD_VALUES))
    return "".join(
        char for char in text if char in "\t\n" or (char >= " " and not "\ud800" <= char <= "\udfff")
    )


def _in_xml_text(text: str, chance: Chance) -> str:
    places = [found.start() for found in re.finditer('[<>"=/ ]', text)]
    at = chance.choice(places)
    odd = chance.choice(
        (
            *("&#0;", "&#xD800;", "&x;", "&", "<", ">", "</a>", "<a>", "<![CDATA[", "]]>", "<!--", "<?xml?>"),
            *("\0", "\ud800", '<!DOCTYPE a [<!ENTITY x "y">]>', "<a>" * 150, "<a>" * 150 + "</a>" * 150),
            *('a="1"', 'xmlns:q="q" ', "q:"),
        )
    )
    return text[:at] + odd + text[at + chance.choice((0, 0, 1)) :]


def _in_archive(data: bytes, chance: Chance) -> bytes:
    """Damage the members of an archive, whose sums are right again, or the archive itself."""
    parts = [(part.filename, content) for part, content in _members(data)]
    for _ in range(chance.choice((1, 1, 1, 2))):
        at = chance.randrange(len(parts))
        name, content = parts[at]
        match chance.randrange(10):
            case 0:
                del parts[at]
                if not parts:
                    break
            case 1:
                other = chance.choice(
                    [*(other for other, _data in parts), "a.xml", "../a", "", name + "/", name.upper()]
                )
                parts[at] = other, content
            case 2:
                parts[at] = (
                    name,
                    chance.choice([*(other for _name, other in parts), b"", b"\xff\xfe", b"{}", b"<a/>"]),
                )
            case 3:
                parts.append((name, content))
            case _:
                parts[at] = name, _damaged(content, chance)
    return _packed(parts, zipfile.ZIP_STORED if chance.random() < 0.3 else zipfile.ZIP_DEFLATED)


def _packed(parts: Sequence[Named], way: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(held, "w") as archive:
        warnings.simplefilter("ignore", UserWarning)  # a name may be there twice
        for name, content in parts:
            archive.writestr(
                zipfile.ZipInfo(name), content, zipfile.ZIP_STORED if name == "mimetype" else way
            )
    return held.getvalue()


def _members(data: bytes) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """The members of an archive with their contents, those packed by Zstandard, too."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for part in archive.infolist():
            if part.compress_type == 93:
                start = part.header_offset + 30
                start += sum(int.from_bytes(data[start - at : start - at + 2], "little") for at in (4, 2))
                packed = data[start : start + part.compress_size]
                yield part, zstandard.ZstdDecompressor().decompressobj().decompress(packed)
            else:
                yield part, archive.read(part)


def _in_database(data: bytes, chance: Chance) -> bytes:
    """Damage cells, columns and tables of an SQLite database."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data)
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = chance.choice([*tables, *({"notes", "col"} & {*tables})])
        columns = [one[1] for one in database.execute(f"PRAGMA table_info({table})")]
        column = chance.choice(columns)
        match chance.randrange(8):
            case 0:
                database.execute(f"DROP TABLE {table}")
            case 1:
                database.execute(f"ALTER TABLE {table} RENAME TO renamed")
            case 2:
                database.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO renamed")
            case 3:
                database.execute(f"DELETE FROM {table}")
            case 4:
                database.execute(f"UPDATE {table} SET {column} = ?", [chance.randbytes(9)])
            case 5 if "col" in tables:
                [(models,)] = database.execute("SELECT models FROM col").fetchall()
                changed = _in_json(models.encode(), chance).decode("utf-8", "replace")
                database.execute("UPDATE col SET models = ?", [changed])
            case _:
                odd = _odd(chance)
                odd = odd if isinstance(odd, str | int | float | None) else json.dumps(odd)
                odd = odd.encode("utf-8", "replace").decode() if isinstance(odd, str) else odd
                database.execute(f"UPDATE {table} SET {column} = ?", [odd])
        database.commit()
        return database.serialize()


_ODD_CELLS: Final = (
    (None, pa.null()),
    (1.5, pa.float32()),
    (b"\xff\x00", pa.binary()),
    (10**17, pa.timestamp("ns")),
    (10**9, pa.duration("s")),
    (10, pa.date32()),
    ([("a", 1)], pa.map_(pa.string(), pa.int64())),
    ({"a": [b"\xff"]}, pa.struct({"a": pa.list_(pa.binary())})),
)


def _in_parquet(data: bytes, chance: Chance) -> bytes:
    """Damage the values, columns and metadata of a table, and write it anew."""
    try:
        # its threads end the process where memory is limited, as it is here
        table = parquet.ParquetFile(io.BytesIO(data), pre_buffer=False).read(use_threads=False)
    except (pa.ArrowException, OSError):
        return data  # a part of an archive that was damaged before
    rows = _with_odd_value(table.to_pylist(), chance) if chance.random() < 0.7 else table.to_pylist()
    metadata = table.schema.metadata or {}
    if chance.random() < 0.4:
        metadata = {
            b"huggingface": _in_json(metadata.get(b"huggingface", b'{"info": {"features": {}}}'), chance)
        }
    if not (isinstance(rows, list) and all(isinstance(one, dict) for one in rows)):
        return data
    made = pa.Table.from_pylist(rows).replace_schema_metadata(metadata)
    if chance.random() < 0.3 and made.num_columns:
        at = chance.randrange(made.num_columns)
        value, kind = chance.choice(_ODD_CELLS)
        cells = pa.array([value] * made.num_rows, kind)
        made = made.set_column(at, made.column_names[at], cells)
    held = io.BytesIO()
    parquet.write_table(made, held)
    return held.getvalue()


def _packed_by_zstandard(data: bytes, chance: Chance) -> bytes:
    unpacked = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return zstandard.ZstdCompressor().compress(_damaged(unpacked, chance))


_WAYS: Final[Mapping[bytes, Callable[[bytes, Chance], bytes]]] = {
    b"PK\x03\x04": _in_archive,
    b"PAR1": _in_parquet,
    b"SQLite format 3": _in_database,
    b"\x28\xb5\x2f\xfd": _packed_by_zstandard,
    b"<": _in_xml,
    b"{": _in_json,
    b"[": _in_json,
}
