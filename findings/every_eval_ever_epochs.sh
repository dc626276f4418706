#!/usr/bin/env bash
# Every Eval Ever says of a wrong answer that it is correct, where Inspect asked the same sample twice.
#
# Expected: each record of an instance (`UUID_samples.jsonl`) has the score of its own answer, and `is_correct`
# ("whether the final answer is correct") is false for a wrong one.
# What happens: of a log of Inspect with epochs, version 0.3.0 gives every epoch the score that Inspect reduced over
# all of them (the mean), and `is_correct` is whether that is above 0. One right answer in ten makes ten records
# with `is_correct` true. The log has each epoch's own score. Who reads records should take `is_correct` only
# where `score` is 1 or 0, and the text in `output.raw` otherwise.
# Output seen on 29 November 2026 (Python 3.12, x86-64, inspect-ai 0.3.285):
#   every_eval_ever 0.3.0: epoch 1 answers A of A: Inspect C, score 0.5, is_correct True
#   every_eval_ever 0.3.0: epoch 2 answers B of A: Inspect I, score 0.5, is_correct True
set -euo pipefail
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info[:2] < (3, 12))' || {
    echo "every_eval_ever 0.3.0 needs Python 3.12: name one by PYTHON."
    exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$python" -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install every_eval_ever==0.3.0 inspect-ai==0.3.285 2>pip.txt || {
    tail -5 pip.txt
    exit 1
}

cat >ask.py <<'PYTHON'
"""Asks one sample twice; the model answers rightly, then wrongly."""

import inspect_ai
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelAPI, ModelOutput, modelapi
from inspect_ai.scorer import match

texts = iter("AB")


@modelapi("scripted")
class Scripted(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        return ModelOutput.from_content("gpt-4o", next(texts))

    async def count_tokens(self, *_what, **_how):
        return 1  # what counts tokens else would be fetched from the net


task = Task(MemoryDataset([Sample(id="one", input="A or B?", target="A")]), scorer=match(), epochs=2)
inspect_ai.eval(task, model="scripted/gpt-4o", log_dir="logs", log_format="json", display="none", max_samples=1)
PYTHON
tools/bin/python ask.py >said.txt 2>&1 || { tail -5 said.txt; exit 1; }
sed -i 's#scripted/gpt-4o#openai/gpt-4o#g' logs/*.json # a developer of models that the converter knows
tools/bin/every_eval_ever convert inspect --log_path logs/*.json --output_dir records >said.txt 2>&1 || {
    tail -5 said.txt
    exit 1
}
cat >compare.py <<'PYTHON'
import json
from importlib.metadata import version
from pathlib import Path

[log] = Path("logs").glob("*.json")
said = {one["epoch"]: one["scores"]["match"]["value"] for one in json.loads(log.read_text())["samples"]}
[records] = Path("records").rglob("*_samples.jsonl")
for line in records.read_text().splitlines():
    one = json.loads(line)
    epoch, found = one["metadata"]["epoch"], one["evaluation"]
    print(
        f"every_eval_ever {version('every_eval_ever')}: epoch {epoch} answers {one['output']['raw'][0]} of"
        f" {one['input']['reference'][0]}: Inspect {said[int(epoch)]}, score {found['score']},"
        f" is_correct {found['is_correct']}"
    )
PYTHON
tools/bin/python compare.py | tee seen.txt
diff - seen.txt <<'SEEN'
every_eval_ever 0.3.0: epoch 1 answers A of A: Inspect C, score 0.5, is_correct True
every_eval_ever 0.3.0: epoch 2 answers B of A: Inspect I, score 0.5, is_correct True
SEEN
echo "As seen."
