"""Responses that download tables as CSV, XLSX or JSON."""

import tempfile
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import quote

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext as _

from core.errors import Unusable
from parable.formats.table_writer import Sheet, csv_chunks, json_chunks, save_xlsx, write_csv, write_xlsx

CSV: Final = "csv"
XLSX: Final = "xlsx"
JSON: Final = "json"
_TYPES: Final = {
    CSV: "text/csv; charset=utf-8",
    XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    JSON: "application/json",
}
_IN_MEMORY_BYTES: Final = 2**20
_CHUNK_BYTES: Final = 2**16


def table_download(sheets: Sequence[Sheet], kind: str, name: str) -> HttpResponse:
    """Return tables as a download called `name.kind`. A CSV file has only the first table.

    Raises `Unusable` if `kind` is neither "csv" nor "xlsx".
    """
    if kind not in (CSV, XLSX):
        raise Unusable(_("Tables are available as CSV or XLSX."))
    data = write_csv(sheets[0]) if kind == CSV else write_xlsx(sheets)
    response = HttpResponse(data, content_type=_TYPES[kind])
    response.headers["Content-Disposition"] = _saved_as(kind, name)
    return response


def table_stream(sheet: Sheet, kind: str, name: str) -> StreamingHttpResponse:
    """Return a long table as a download, streamed in constant memory while its rows are read.

    An XLSX file is an archive, so it is written to a temporary file first. Raises `Unusable` if `kind` is
    none of "csv", "xlsx" and "json".
    """
    if kind not in _TYPES:
        raise Unusable(_("Tables are available as CSV, XLSX or JSON."))
    chunks = {CSV: csv_chunks, XLSX: _xlsx_chunks, JSON: json_chunks}[kind](sheet)
    response = StreamingHttpResponse(chunks, content_type=_TYPES[kind])
    response.headers["Content-Disposition"] = _saved_as(kind, name)
    return response


def _xlsx_chunks(sheet: Sheet) -> Iterator[bytes]:
    with tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES) as file:
        save_xlsx([sheet], file)
        file.seek(0)
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk


def _saved_as(kind: str, name: str) -> str:
    return f"attachment; filename*=UTF-8''{quote(f'{name}.{kind}')}"
