"""Parquet, as the Hugging Face Hub stores data sets: each column is a column. Needs the package `pyarrow`.

A `ClassLabel` is read as the name of its class, which only the schema has; -1 means no label. A column of the
type `arrow.json` has JSON text in each cell, which is read as JSON. Lists and objects are read as in JSON,
bytes, dates and times as texts. Metadata of pandas and other tools, such as pickles, is not read.

Files that Parable writes have the columns of Parable JSONL with types, so that `datasets`, pandas and others
load all texts unchanged: `answers` has all keys, `answer` the key if there is only one.

Made by `to_parquet` of datasets, pandas or polars, or by the Hub for each of its data sets. Tried with
pyarrow 26.0.1 and datasets 5.2.0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from parable.extras import require
from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError
from parable.formats.format import LOSABLE, Content, Format, Rows, Writer
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile
from parable.formats.zip_parts import Outlet

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH: Final = 1_000
_BYTES_SHOWN: Final = 20
"""Number of bytes that are read of binary cells, such as pictures, which are never a text of an item."""


def _rows(file: SourceFile, _errors: ErrorList) -> Rows:
    require("parquet")
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(pa.BufferReader(file.raw), pre_buffer=False)
        is_ours = {*_COLUMNS} <= {*table.schema_arrow.names}
        held = table.metadata
        if held.num_rows > limits.MAX_ROWS:
            raise InputError(ErrorCode.TOO_MANY_ROWS, field=FILE, limit=limits.MAX_ROWS)
        if held.num_columns > limits.MAX_COLUMNS * 4:
            raise InputError(ErrorCode.TOO_MANY_COLUMNS, field=FILE, limit=limits.MAX_COLUMNS)
        sizes = (held.row_group(group).total_byte_size for group in range(held.num_row_groups))
        if sum(sizes) > limits.MAX_UNPACKED_BYTES * 4:
            raise InputError(ErrorCode.ZIP_TOO_LARGE, field=FILE, limit=limits.MAX_UNPACKED_BYTES * 4)
        readers = _readers(table.schema_arrow)
        row = 0
        # in this thread alone: threads of its own end the process where memory is limited
        for batch in table.iter_batches(batch_size=_BATCH, use_threads=False):
            for values in batch.to_pylist():
                row += 1
                cells = {name: _as_json(value) for name, value in values.items()}
                if is_ours:
                    yield row, _as_mapped(cells)
                    continue
                yield (
                    row,
                    {
                        name: readers[name](value) if name in readers and value is not None else value
                        for name, value in cells.items()
                    },
                )
    except (pa.ArrowException, OSError, ValueError, UnicodeDecodeError) as error:
        raise InputError(ErrorCode.NOT_OF_FORMAT, field=FILE, format=FORMAT.label) from error


def _readers(schema: pa.Schema) -> dict[str, Callable[[Any], object]]:
    """Return, by column name, the functions that read cells with class labels and cells with JSON."""
    found: dict[str, Callable[[Any], object]] = {}
    try:
        metadata = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        features: Mapping[str, Any] = metadata.get("info", {}).get("features", {})
    except (ValueError, AttributeError, RecursionError):
        features = {}
    for field in schema:
        said = (field.metadata or {}).get(b"ARROW:extension:name", b"")
        if said == b"arrow.json" or str(getattr(field.type, "extension_name", "")) == "arrow.json":
            found[field.name] = _json
        feature = features.get(field.name) if isinstance(features, Mapping) else None
        if isinstance(feature, Mapping) and isinstance(feature.get("names"), list):
            names = [str(name) for name in feature["names"]]
            found[field.name] = partial(_class, names)
    return found


def _as_json(value: Any) -> Any:
    """Return a cell as a JSON value: bytes and dates as texts, tuples as lists."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {str(name): _as_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(one) for one in value]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return str(value[:_BYTES_SHOWN])
    return str(value)


def _json(value: Any) -> object:
    try:
        return json.loads(value)
    except (ValueError, TypeError, RecursionError):
        return value


def _class(names: list[str], value: Any) -> object:
    is_one = isinstance(value, int) and 0 <= value < len(names)
    return names[value] if is_one else None if value == -1 else value


_LISTS: Final = {"choices": "string", "answers": "int64", "types": "string", "generators": "string"}
_COLUMNS: Final = (
    *("id", "task", "split", "story_id", "title", "story", "question", "choices", "answer", "answers"),
    *("answer_letters", "types", "style", "generators", "explanation", "language"),
)


def _as_mapped(values: Mapping[str, Any]) -> dict[str, object]:
    """Rename the fields of a row that Parable wrote to those that a mapping of columns knows."""
    found = {name: value for name, value in values.items() if value not in (None, "", [])}
    letters, types = found.pop("answer_letters", None), found.pop("types", None)
    if isinstance(types, list):
        types = "; ".join(map(str, types))
    for name in ("answer", "answers", "generators"):
        found.pop(name, None)
    return found | ({"answer": letters} if letters else {}) | ({"type": types} if types else {})


def _row(item: ItemRecord) -> dict[str, object]:
    right = (item.answer,) if item.answer is not None else item.answers
    return {name: getattr(item, name) for name in _COLUMNS if name != "answer_letters"} | {
        "answers": right,
        "answer_letters": ", ".join(LETTERS[place] for place in right),
    }


def _parts(items: Iterable[ItemRecord]) -> Iterator[bytes]:
    """Yield a file in groups of rows; its metadata describe the columns as the Hub does."""
    require("parquet")
    import pyarrow as pa
    from pyarrow import parquet

    types = {"string": pa.string(), "int64": pa.int64()}
    kinds = dict.fromkeys(_COLUMNS, "string") | {"answer": "int64"}
    features = {
        name: {"feature": {"dtype": _LISTS[name], "_type": "Value"}, "_type": "List"}
        if name in _LISTS
        else {"dtype": kind, "_type": "Value"}
        for name, kind in kinds.items()
    }
    columns = {
        name: pa.list_(types[_LISTS[name]]) if name in _LISTS else types[kind] for name, kind in kinds.items()
    }
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    schema = pa.schema([*columns.items()], metadata=metadata)
    outlet = Outlet()
    with parquet.ParquetWriter(pa.PythonFile(outlet, mode="w"), schema, compression="zstd") as writer:
        rows = map(_row, items)
        while some := [*islice(rows, _BATCH)]:
            writer.write_table(pa.Table.from_pylist(some, schema=schema))
            yield outlet.take()
    yield outlet.take()


FORMAT: Final = Format(
    code="parquet",
    label="Parquet",
    label_zh="Parquet",
    contents=frozenset({Content.BINARY}),
    detect=lambda file: file.head.startswith(b"PAR1"),
    rows=_rows,
    writer=Writer(
        suffix=".parquet",
        parts=_parts,
        kinds=lambda kind: kind.has_options and kind.has_keys,
        holds=frozenset(LOSABLE) - {"generators"},
    ),
)
