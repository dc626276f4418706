"""All tables and plots of an evaluation as files in one folder."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from parable.commands.results.layouts import LAYOUTS, as_markdown
from parable.psychometrics.results.tables import Table

ENDINGS: Final = (*LAYOUTS, "svg")
TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "svg": "image/svg+xml",
}


def write_tables(folder: Path, tables: Sequence[Table], language: str) -> list[Path]:
    """Write each table in every form, and `results.md` with all of them; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, content in _files(tables, language):
        (folder / name).write_bytes(content)
        written.append(folder / name)
    return written


def _files(tables: Sequence[Table], language: str) -> Iterator[tuple[str, bytes]]:
    for table in tables:
        for ending in ENDINGS:
            yield f"{table.code}.{ending}", one_file(table, ending, language)
    yield "results.md", "\n".join(as_markdown(table, language) for table in tables).encode()


def one_file(table: Table, ending: str, language: str) -> bytes:
    """One table in one form; the same bytes each time. Raises KeyError for an ending not in ENDINGS."""
    if ending == "svg":
        from parable.commands.results.plots import plot  # noqa: PLC0415 - who writes no plot needs no drawing

        return plot(table, language).encode()
    return LAYOUTS[ending](table, language)
