"""Tables as files that a browser keeps: one table as CSV, several as a workbook."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from django.http import HttpResponse
from django.utils.translation import gettext as _

from accounts.errors import Unusable
from parable.formats.table_writing import Sheet, write_csv, write_xlsx

CSV: Final = "csv"
XLSX: Final = "xlsx"
_TYPES: Final = {
    CSV: "text/csv; charset=utf-8",
    XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def table_download(sheets: Sequence[Sheet], kind: str, name: str) -> HttpResponse:
    """The tables as a file called `name.kind`; CSV holds the first of them alone.

    Raises `Unusable` where the kind is neither `csv` nor `xlsx`.
    """
    if kind not in _TYPES:
        raise Unusable(_("Tables come as CSV or XLSX."))
    data = write_csv(sheets[0]) if kind == CSV else write_xlsx(sheets)
    response = HttpResponse(data, content_type=_TYPES[kind])
    response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(f'{name}.{kind}')}"
    return response
