"""Writes all tables and plots of an evaluation to files in one folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from parable.commands.results.layouts import LAYOUTS, Layout, as_markdown
from parable.commands.results.plots import UNDRAWN, plot
from parable.psychometrics.results.tables import Table

FORMS: Final[Mapping[str, Layout]] = MappingProxyType(
    {**LAYOUTS, "svg": lambda table, language: plot(table, language).encode()}
)
ENDINGS: Final = (*FORMS,)
TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "svg": "image/svg+xml",
}


def write_tables(folder: Path, tables: Sequence[Table], language: str) -> list[Path]:
    """Write each table in every format, and `results.md` with all tables; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for table in tables:
        for ending in endings_of(table):
            written.append(folder / f"{table.code}.{ending}")
            written[-1].write_bytes(one_file(table, ending, language))
    written.append(folder / "results.md")
    written[-1].write_bytes("\n".join(as_markdown(table, language) for table in tables).encode())
    return written


def endings_of(table: Table) -> list[str]:
    """Return the file formats of a table; tables without a chart have no SVG."""
    return [ending for ending in ENDINGS if ending != "svg" or table.code not in UNDRAWN]


def one_file(table: Table, ending: str, language: str) -> bytes:
    """Return a table in one format, always the same bytes; raise KeyError for an unknown format."""
    return FORMS[ending](table, language)
