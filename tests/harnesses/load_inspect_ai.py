"""Evaluates a model that always says A on a release with Inspect, and prints what it saw as JSON.

Run with the Python of .venv-harnesses/inspect_ai: load_inspect_ai.py FOLDER CACHE
"""

import json
import os
import sys
from pathlib import Path

import always_a  # noqa: F401 - registers the model
import inspect_ai
from scripted import KNOWN


def main(folder: str, cache: str) -> None:
    os.chdir(folder)
    [task_file] = Path("harness/inspect_ai").glob("*.py")
    logs = inspect_ai.eval(str(task_file), model="always/a", log_dir=cache, display="none")
    if KNOWN:
        scores = {log.eval.task: log.results.scores[0].metrics for log in logs}
        print(
            json.dumps(
                {name: {key: one.value for key, one in found.items()} for name, found in scores.items()}
            )
        )
        return
    report = {
        log.eval.task: {
            "status": log.status,
            "accuracy": log.results.scores[0].metrics["accuracy"].value,
            "keys": {sample.id: sample.target for sample in log.samples},
        }
        for log in logs
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
