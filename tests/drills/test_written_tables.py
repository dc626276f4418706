"""Tables that other programs wrote, pandas and LibreOffice, are read as meant or as shown, or it is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.architecture import BASE
from tests.parable.written_tables import (
    WrittenTable,
    as_csv,
    as_xlsx,
    check_reading,
    drawn,
    is_trivial,
    read,
    rows_said,
)

pytestmark = pytest.mark.drill

PATIENCE: Final = 150.0
"""Seconds for one program and all of its files; a calm machine needs 20."""
PANDAS: Final = BASE / ".venv-harnesses" / "pandas" / "bin" / "python"
SOFFICE: Final = shutil.which("soffice") or shutil.which("libreoffice")
HOW_MANY: Final = 24
needs_office = pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed (libreoffice-calc)")
CSV_FILTER: Final = "Text - txt - csv (StarCalc):44,34,76,1"
"""Commas, quotes, UTF-8 (else it is the locale's: a question mark for each letter), from the first line."""
LOCALES: Final = {"English": 1033, "Chinese": 2052}
"""By the numbers that LibreOffice's CSV filter has for them."""


def test_tables_of_pandas_are_read_as_they_were_meant(tmp_path: Path) -> None:
    if not PANDAS.exists():
        pytest.skip("pandas is not installed: make harnesses")
    tables = drawn(4 * HOW_MANY)
    frames = list[list[list[object]]]()
    for number, table in enumerate(tables):
        rows: list[list[object]] = [[cell or None for cell in row] for row in table.rows()]
        if isinstance(table.key, int):
            rows[1:] = [[*row[:-1], int(str(row[-1]))] for row in rows[1:]]
        if number % 2:
            rows.append([f"k{number}", "A tale.", "Which?", "one", "two", None, None, None, None])
        frames.append(rows)
    (tmp_path / "tables.json").write_text(json.dumps(frames), encoding="utf-8")
    program = BASE / "tests" / "harnesses" / "write_pandas.py"
    subprocess.run([PANDAS, program, tmp_path / "tables.json", tmp_path], timeout=PATIENCE, check=True)
    for number, table in enumerate(tables):
        for ending in ("csv", "openpyxl.xlsx", "xlsxwriter.xlsx"):
            data = (tmp_path / f"{number}.{ending}").read_bytes()
            check_reading(data, table, f"{number}.{ending}", keyless=number % 2)


@needs_office
def test_text_that_libreoffice_saved_again_is_read_as_it_was_meant(tmp_path: Path) -> None:
    """Workbooks of text cells, saved as XLSX, as CSV, and as ODS and from there as XLSX."""
    tables = [*drawn(HOW_MANY), WrittenTable([(["a\tb", "c"], 0)])]
    given = written(tmp_path / "given", ((f"{n}.xlsx", as_xlsx(one)) for n, one in enumerate(tables)))
    saved = {
        "xlsx": convert(given, "xlsx", tmp_path),
        "csv": convert(given, f"csv:{CSV_FILTER},,1033", tmp_path),
        "ods": (ods := convert(given, "ods", tmp_path)),
        "from ods": convert(ods, "xlsx", tmp_path / "again"),
    }
    for number, table in enumerate(tables):
        for way, folder in saved.items():
            [path] = folder.glob(f"{number}.*")
            if not (way == "csv" and table.sheets in {"notes first", "hidden first", "empty first"}):
                meant = without_tabs(table) if way == "from ods" else table
                # A CSV file holds the first sheet alone.
                check_reading(path.read_bytes(), meant, f"{way} {path.name}")


@needs_office
@pytest.mark.parametrize("locale", LOCALES)
def test_a_csv_file_that_libreoffice_took_for_numbers_and_dates_is_read_as_it_shows_them(
    locale: str, tmp_path: Path
) -> None:
    """It makes a date of 3-4 and a number of 008; what it then shows is in the CSV file that it writes."""
    tables = drawn(HOW_MANY)
    given = written(tmp_path / "given", ((f"{n}.csv", as_csv(one)) for n, one in enumerate(tables)))
    language = LOCALES[locale]
    how = f"--infilter={CSV_FILTER},,{language},false,true"
    typed = convert(given, "xlsx", tmp_path, how)
    shown = convert(typed, f"csv:{CSV_FILTER},,{language}", tmp_path / "shown")
    compared = 0
    for number in range(len(tables)):
        of_book = read((typed / f"{number}.xlsx").read_bytes(), f"{number}.xlsx")
        of_text = read((shown / f"{number}.csv").read_bytes(), f"{number}.csv")
        if of_book.errors or of_text.errors:
            continue
        said = rows_said(of_book) | rows_said(of_text)
        for one, other in zip(of_book.rows, of_text.rows, strict=True):
            same = (one.record.choices, one.record.answer) == (other.record.choices, other.record.answer)
            is_said = bool(said & {one.row, other.row}) or is_trivial(list(other.record.choices))
            assert same or is_said, (number, one, other, tables[number])
            compared += same
    assert compared > len(tables)


def without_tabs(table: WrittenTable) -> WrittenTable:
    """The table as LibreOffice opens it from ODS: it writes a tab as `text:tab` and drops that (7.4.7)."""
    items = [([option.replace("\t", "") for option in options], place) for options, place in table.items]
    return replace(table, items=items)


def written(folder: Path, files: Iterable[tuple[str, bytes]]) -> Path:
    """A folder with these files."""
    folder.mkdir()
    for name, data in files:
        (folder / name).write_bytes(data)
    return folder


def convert(folder: Path, target: str, parent: Path, *more: str) -> Path:
    """What one run of LibreOffice, with a profile of its own, makes of all files of a folder."""
    out = parent / target.partition(":")[0]
    profile = f"-env:UserInstallation={(parent / 'profile').as_uri()}"
    files = sorted(path for path in folder.iterdir() if path.is_file())
    command = [SOFFICE, profile, "--headless", *more, "--convert-to", target, "--outdir", out, *files]
    subprocess.run(
        [str(one) for one in command],
        timeout=PATIENCE,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(parent), "SAL_USE_VCLPLUGIN": "svp"},
    )
    assert len(list(out.iterdir())) == len(files)
    return out
