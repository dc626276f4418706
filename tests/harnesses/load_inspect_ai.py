"""Evaluates a model that always says A on a release with Inspect, and prints what it saw as JSON.

Run with the Python of .venv-harnesses/inspect_ai: load_inspect_ai.py FOLDER CACHE
"""

import json
import os
import sys
from pathlib import Path

import inspect_ai
from inspect_ai.model import ModelAPI, ModelOutput, modelapi


@modelapi("always")
class AlwaysA(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):  # noqa: A002 - the harness calls it so
        return ModelOutput.from_content("always/a", "The answer is A, since the story says so.")

    async def count_tokens(self, *_what, **_how):
        return 1  # what counts tokens else would be fetched from the net


def main(folder: str, cache: str) -> None:
    os.chdir(folder)
    [task_file] = Path("harness/inspect_ai").glob("*.py")
    logs = inspect_ai.eval(str(task_file), model="always/a", log_dir=cache, display="none")
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
