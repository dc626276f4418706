#!/usr/bin/env bash
# lighteval shows a question its own answer where its examples come from the split that is measured.
#
# Expected: `sample_fewshot_examples` gets rid of the document that is evaluated, as its comment says, so of a
# task that measures and takes examples from one split, no prompt holds the asked question among its examples.
# What happens: version 0.13.0 compares the two documents as wholes, and the one that is evaluated has got its
# task's name by then, which the same document among the examples has not: they are never equal, and it stays.
# A task that names no split for examples, and has none called train, dev or valid, takes those of the measured
# one, too. A document whose class compares by an id of its own is left out.
# Output seen on 30 November 2026 (Python 3.11, x86-64):
#   lighteval version 0.13.0, examples of the measured split: 4 of 8 prompts hold their own question twice
#   lighteval version 0.13.0, examples of no named split: 4 of 8 prompts hold their own question twice
#   lighteval version 0.13.0, examples of another split: 0 of 8 prompts hold their own question twice
#   lighteval version 0.13.0, documents equal by id: 0 of 8 prompts hold their own question twice
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


class ById(Doc):
    def __eq__(self, other):
        return isinstance(other, Doc) and self.query == other.query


def prompt(line, _name=""):
    return Doc(query=line["stem"], choices=[" red", " blue"], gold_index=line["answer"])


def prompt_by_id(line, _name=""):
    return ById(query=line["stem"], choices=[" red", " blue"], gold_index=line["answer"])


def task(name, asks, examples):
    return LightevalTaskConfig(
        name=name,
        prompt_function=asks,
        hf_repo=str(Path("data").resolve()),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        few_shots_split=examples,
        metrics=[Metrics.loglikelihood_acc],
    )


TASKS_TABLE = [
    task("measured", prompt, "test"),
    task("unnamed", prompt, None),
    task("other", prompt, "train"),
    task("by_id", prompt_by_id, "test"),
]
PYTHON

cat >measure.py <<'PYTHON'
import json
import sys
from importlib.metadata import version
from pathlib import Path

import lighteval
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.prompt_manager import PromptManager
from lighteval.tasks.registry import Registry

# a file of a task of its own, which it would fetch as it starts
(Path(lighteval.__file__).parent / "tasks" / "tasks" / "tinyBenchmarks.pkl").touch()
Path("data").mkdir()
for split in ("train", "test"):
    rows = [{"stem": f"What is {split} {n}?", "answer": n % 2} for n in range(8)]
    Path("data", f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
wanted = {
    "measured": "examples of the measured split",
    "unnamed": "examples of no named split",
    "other": "examples of another split",
    "by_id": "documents equal by id",
}
tasks = Registry(tasks=",".join(f"{name}|4" for name in wanted), custom_tasks="tasks.py").load_tasks()
LightevalTask.load_datasets(tasks)
repeated = {}
for name, words in wanted.items():
    docs = tasks[f"{name}|4"].get_docs()
    repeated[name] = sum(PromptManager().prepare_prompt(doc).count(doc.query) > 1 for doc in docs)
    count = f"{repeated[name]} of {len(docs)} prompts hold their own question twice"
    print(f"lighteval version {version('lighteval')}, {words}: {count}")
sys.exit(0 if repeated["measured"] > 0 and repeated["unnamed"] > 0 and repeated["other"] == repeated["by_id"] == 0 else 1)
PYTHON
HF_HUB_OFFLINE=1 HF_HOME=$folder/cache HOME=$folder tools/bin/python measure.py 2>errors.txt || { tail -5 errors.txt; exit 1; }
