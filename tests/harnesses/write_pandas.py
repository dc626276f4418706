"""Writes tables as scripts do: pandas frames into CSV, and into workbooks by two libraries.

Run with the Python of .venv-harnesses/pandas: write_pandas.py TABLES.json FOLDER. A key that is a number is
one in the frame, so pandas writes 1.0 as soon as one is missing.
"""

import json
import sys
from pathlib import Path

import pandas as pd


def main(tables: str, folder: str) -> None:
    for number, rows in enumerate(json.loads(Path(tables).read_text(encoding="utf-8"))):
        frame = pd.DataFrame(rows[1:], columns=rows[0])
        frame.to_csv(Path(folder) / f"{number}.csv", index=False)
        for engine in ("openpyxl", "xlsxwriter"):
            frame.to_excel(Path(folder) / f"{number}.{engine}.xlsx", index=False, engine=engine)


if __name__ == "__main__":
    main(*sys.argv[1:])
