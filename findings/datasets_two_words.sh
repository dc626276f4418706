#!/usr/bin/env bash
# datasets reads a file twice whose name has the word of a split twice.
#
# Expected: each file of a folder is read once. A folder without `configs` is read by the words in its names.
# What happens: version 5.2.0 looks for files by two patterns a word (`**/train[-._ 0-9]*` and
# `**/*[-._ 0-9]train[-._ 0-9]*`) and joins what each finds. A file that fits both, as `train-train.csv` or
# `train_set.train.csv` do, is loaded two times, and every item of it stands twice in the split. Nothing is said.
# Output seen on 29 November 2026 (Python 3.11, x86-64):
#   datasets 5.2.0, train, of 1 row in the file: [{'stem': 'Who drank?'}, {'stem': 'Who drank?'}]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install datasets==5.2.0 2>pip.txt || { tail -5 pip.txt; exit 1; }

cat >load.py <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

from datasets import disable_progress_bars, load_dataset

disable_progress_bars()
Path("fables").mkdir()
Path("fables/train_set.train.csv").write_text("stem\nWho drank?\n")
rows = list(load_dataset("fables", cache_dir="cache", split="train"))
print(f"datasets {version('datasets')}, train, of 1 row in the file: {rows}")
raise SystemExit(0 if len(rows) == 2 else "this has changed")
PYTHON
HF_HUB_OFFLINE=1 tools/bin/python load.py 2>errors.txt || { tail -5 errors.txt; exit 1; }
