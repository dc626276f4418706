#!/usr/bin/env bash
# lighteval fetches a file from the net before it measures a task whose data are on the machine.
#
# Expected: a custom task that reads a local folder is loaded without a request, as with HF_HUB_OFFLINE=1.
# What happens: version 0.13.0 first imports all of its own tasks, and those of one benchmark ask for a file,
# which is saved in the folder of the package, each of them while it is missing. The requests ignore
# HF_HUB_OFFLINE, so on a machine without a network no task can be measured. An empty file there keeps it from
# asking; only that benchmark reads it. Here the requests are answered by a function: nothing is fetched.
# Output seen on 30 November 2026 (Python 3.11, x86-64):
#   lighteval version 0.13.0: 12 requests for tinyBenchmarks.pkl before a local task is loaded
#   lighteval version 0.13.0, empty file in its place: 0 requests
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install lighteval==0.13.0 huggingface_hub==1.33.0 xxhash==3.8.2 \
  datasets==5.2.0 transformers==5.24.0 torch==2.13.0 2>pip.txt || { tail -5 pip.txt; exit 1; }

cat >tasks.py <<'PYTHON'
from pathlib import Path

from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc


def prompt(line, _name=""):
    return Doc(query=line["stem"], choices=[" red", " blue"], gold_index=line["answer"])


TASKS_TABLE = [
    LightevalTaskConfig(
        name="local",
        prompt_function=prompt,
        hf_repo=str(Path("data").resolve()),
        hf_subset="default",
        evaluation_splits=["test"],
        metrics=[Metrics.loglikelihood_acc],
    )
]
PYTHON

cat >start.py <<'PYTHON'
import json
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import lighteval
import requests
from lighteval.tasks.registry import Registry

asked = []


def get(url, *_what, **_how):
    asked.append(url.rpartition("/")[2])
    return SimpleNamespace(status_code=404)


requests.get = get
place = Path(lighteval.__file__).parent / "tasks" / "tasks" / "tinyBenchmarks.pkl"
if sys.argv[1] == "empty":
    place.touch()
Path("data").mkdir(exist_ok=True)
Path("data", "test.jsonl").write_text(json.dumps({"stem": "What is this?", "answer": 0}) + "\n")
assert list(Registry(tasks="local|0", custom_tasks="tasks.py").load_tasks()) == ["local|0"]
version_line = f"lighteval version {version('lighteval')}"
if sys.argv[1] == "empty":
    print(f"{version_line}, empty file in its place: {len(asked)} requests")
    sys.exit(bool(asked))
print(f"{version_line}: {len(asked)} requests for {', '.join({*asked})} before a local task is loaded")
sys.exit({*asked} != {"tinyBenchmarks.pkl"})
PYTHON
for state in new empty; do
  HF_HUB_OFFLINE=1 HF_HOME=$folder/cache HOME=$folder tools/bin/python start.py $state 2>errors.txt ||
    { tail -5 errors.txt; exit 1; }
done
