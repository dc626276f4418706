#!/usr/bin/env bash
# datasets changes texts that look like dates when it loads JSON lines, also where the column is declared a string.
#
# Expected: a JSON string comes back as the same text, above all in a column whose feature is `Value("string")`.
# What happens: version 5.2.0 lets pyarrow infer the types of a file first. A column whose strings are all ISO dates
# becomes a timestamp; where a string is asked for, the timestamp is turned into text, which has a time of day that
# the file does not have. An option "2026-11-10" of a question on dates is then another text than its key. Who
# publishes texts should give a Parquet file beside the lines and name it in `data_files`.
# Output seen on 29 November 2026 (Python 3.11, x86-64):
#   datasets 5.2.0, in the file: "2026-11-10"
#   datasets 5.2.0, as it is: Value('timestamp[s]'): datetime.datetime(2026, 11, 10, 0, 0)
#   datasets 5.2.0, declared a string: Value('string'): '2026-11-10 00:00:00'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install datasets==5.2.0 2>pip.txt || { tail -5 pip.txt; exit 1; }

cat >load.py <<'PYTHON'
import json
from importlib.metadata import version
from pathlib import Path

from datasets import Features, Value, disable_progress_bars, load_dataset

disable_progress_bars()
ROWS = [{"answer": "2026-11-10"}, {"answer": "2026-11-11"}]
Path("rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ROWS))
print(f"datasets {version('datasets')}, in the file: {json.dumps(ROWS[0]['answer'])}")
declared = Features({"answer": Value("string")})
for name, features in (("as it is", None), ("declared a string", declared)):
    rows = load_dataset("json", data_files="rows.jsonl", features=features, cache_dir="cache", split="train")
    print(f"datasets {version('datasets')}, {name}: {rows.features['answer']}: {rows[0]['answer']!r}")
raise SystemExit(0 if rows[0]["answer"] == "2026-11-10 00:00:00" else "this has changed")
PYTHON
HF_HUB_OFFLINE=1 tools/bin/python load.py 2>errors.txt || { tail -5 errors.txt; exit 1; }
