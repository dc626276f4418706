"""Loads a Parquet file of items with four libraries, and prints the rows that each sees as one JSON object.

Run with the Python of .venv-harnesses/datasets: load_parquet.py FILE CACHE
"""

import json
import math
import sys

import datasets
import duckdb
import pandas as pd
import polars as pl


def plain(value: object) -> object:
    """Return a cell as JSON has it: pandas has arrays for lists, and a float for a number that may lack."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return None if math.isnan(value) else int(value)
    return value


def main(file: str, cache: str) -> None:
    loaded = datasets.load_dataset("parquet", data_files=file, split="train", cache_dir=cache)
    seen = {
        "datasets": [*loaded],
        "pandas": pd.read_parquet(file).to_dict("records"),
        "polars": pl.read_parquet(file).to_dicts(),
        "duckdb": duckdb.from_parquet(file).to_arrow_table().to_pylist(),
    }
    rows = {
        name: [{key: plain(cell) for key, cell in row.items()} for row in found]
        for name, found in seen.items()
    }
    print(json.dumps(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
