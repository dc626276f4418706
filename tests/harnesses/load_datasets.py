"""Loads a release with `datasets` and with `mlcroissant`, and prints what they see as one JSON object.

Run with the Python of .venv-harnesses/datasets: load_datasets.py FOLDER CACHE
"""

import json
import sys
import warnings

import datasets
import mlcroissant


def main(folder: str, cache: str) -> None:
    seen = {}
    for name in ("all", "commonsense", "moral"):
        loaded = datasets.load_dataset(folder, name, cache_dir=cache)
        seen[name] = {
            split: {row["id"]: [row["answer"], row["choices"]] for row in loaded[split]} for split in loaded
        }
    default = datasets.load_dataset(folder, cache_dir=cache)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        croissant = mlcroissant.Dataset(f"{folder}/croissant.json")
    records = {
        found.uuid: {
            row[f"{found.uuid}/id"].decode(): int(row[f"{found.uuid}/answer"])
            for row in croissant.records(found.uuid)
        }
        for found in croissant.metadata.record_sets
    }
    issues = croissant.metadata.ctx.issues
    report = {
        "configs": seen,
        "default": {split: len(default[split]) for split in default},
        "croissant": records,
        "errors": sorted(map(str, issues.errors)),
        "warnings": sorted(map(str, issues.warnings)),
        "responsible": [croissant.metadata.data_use_cases, croissant.metadata.personal_sensitive_information],
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
