"""Loads releases as docs/releases.md says, with five libraries, and prints the rows that each sees as JSON.

Run with the Python of .venv-harnesses/datasets: load_releases.py FOLDER CACHE

FOLDER holds the folders of releases, in each of them its items as `items.parquet`, too. The result names the
release, the way of loading and the file: {RELEASE: {WAY: {FILE: [ROW, ...]}}}.
"""

import json
import math
import sys
import warnings
from pathlib import Path

import datasets
import duckdb
import mlcroissant
import pandas as pd
import polars as pl
import yaml

DUCKDB_TYPES = {
    "string": "VARCHAR",
    "int64": "BIGINT",
    ("sequence", "string"): "VARCHAR[]",
    ("sequence", "int64"): "BIGINT[]",
}


def plain(value: object) -> object:
    """Return a cell as JSON has it: texts for bytes, lists for arrays, None for not-a-number."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float) and (math.isnan(value) or value.is_integer()):
        return None if math.isnan(value) else int(value)  # pandas has no whole numbers beside missing ones
    return value if isinstance(value, str | int | float | None) else repr(value)


def front_matter(folder: Path) -> dict:
    return yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


def duckdb_columns(folder: Path, task: str) -> dict:
    """Return the columns of a task's files with their types, as the front matter of the card has them."""
    (features,) = (
        one["features"] for one in front_matter(folder)["dataset_info"] if one["config_name"] == task
    )
    return {
        one["name"]: DUCKDB_TYPES[one["dtype"] if "dtype" in one else ("sequence", one["sequence"])]
        for one in features
    }


def by_configuration(folder: Path, cache: Path) -> dict:
    """Return the rows of each configuration of the card, under the names of the files that they came from."""
    seen = {}
    for config in front_matter(folder)["configs"]:
        loaded = datasets.load_dataset(str(folder), config["config_name"], cache_dir=str(cache / folder.name))
        for one in config["data_files"]:
            seen["+".join(one["path"])] = [*loaded[one["split"]]]
    return seen


def by_croissant(folder: Path) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        described = mlcroissant.Dataset(str(folder / "croissant.json"))
    return {
        f"{found.uuid.replace('_', '/', 1)}.jsonl": [
            {name.removeprefix(f"{found.uuid}/"): cell for name, cell in row.items()}
            for row in described.records(found.uuid)
        ]
        for found in described.metadata.record_sets
    }


def loaded(folder: Path, cache: Path) -> dict:
    lines = {str(file.relative_to(folder)): file for file in sorted(folder.glob("*/*.jsonl"))}
    lines = {name: file for name, file in lines.items() if not name.startswith("instruction/")}
    table = folder / "items.parquet"
    return {
        "datasets": by_configuration(folder, cache),
        "mlcroissant": by_croissant(folder),
        "pandas": {
            name: pd.read_json(file, lines=True, dtype=False).to_dict("records")
            for name, file in lines.items()
        },
        "polars": {
            name: pl.read_ndjson(file, infer_schema_length=None).to_dicts() for name, file in lines.items()
        },
        "duckdb": {
            name: duckdb.read_json(str(file), columns=duckdb_columns(folder, file.stem))
            .to_arrow_table()
            .to_pylist()
            for name, file in lines.items()
        },
        "datasets, Parquet": {
            table.name: [
                *datasets.load_dataset(
                    "parquet", data_files=str(table), split="train", cache_dir=str(cache / folder.name)
                )
            ]
        },
        "pandas, Parquet": {table.name: pd.read_parquet(table).to_dict("records")},
        "polars, Parquet": {table.name: pl.read_parquet(table).to_dicts()},
        "duckdb, Parquet": {table.name: duckdb.from_parquet(str(table)).to_arrow_table().to_pylist()},
    }


def main(folder: str, cache: str) -> None:
    datasets.disable_progress_bars()
    report = {
        release.name: {
            way: {
                name: [{key: plain(cell) for key, cell in row.items()} for row in rows]
                for name, rows in files.items()
            }
            for way, files in loaded(release, Path(cache)).items()
        }
        for release in sorted(Path(folder).iterdir())
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
