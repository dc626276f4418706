#!/usr/bin/env bash
# lm-evaluation-harness shows a question its own answer where a task names no split for its examples.
#
# Expected: of a task without `fewshot_split`, examples are drawn from other documents than the one asked, as
# they are where the split is named.
# What happens: version 0.4.13 samples them from the documents that are measured and leaves the asked one in.
# Only a task whose `fewshot_split` names the very split that is measured leaves it out; one that names another
# split shows examples of that. So a data set needs `fewshot_split` in every task file, or `num_fewshot: 0`.
# Output seen on 28 November 2026 (Python 3.11, x86-64):
#   lm-eval version 0.4.13, fewshot_split unnamed: 4 of 8 prompts hold their own question among the examples
#   lm-eval version 0.4.13, fewshot_split same: 0 of 8 prompts hold their own question among the examples
#   lm-eval version 0.4.13, fewshot_split other: 0 of 8 prompts hold their own question among the examples
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install lm-eval==0.4.13 2>pip.txt || { tail -5 pip.txt; exit 1; }

cat >measure.py <<'PYTHON'
import json
import sys
from importlib.metadata import version
from pathlib import Path

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager


class Silent(LM):
    """Calls every continuation equally likely: only the prompts matter here."""

    def loglikelihood(self, requests):
        return [(0.0, False) for _ in requests]

    def generate_until(self, requests):
        return ["" for _ in requests]

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError


def lines(split, count):
    return "".join(
        json.dumps({"stem": f"What is {split} {n}?", "choices": ["red", "blue"], "answer": n % 2}) + "\n"
        for n in range(count)
    )


Path("dev.jsonl").write_text(lines("dev", 8))
Path("test.jsonl").write_text(lines("test", 8))
task = """\
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{dev: dev.jsonl, test: test.jsonl}}}}
test_split: test
{more}
output_type: multiple_choice
doc_to_text: "{{{{stem}}}}"
doc_to_choice: choices
doc_to_target: answer
"""
wanted = {"unnamed": "", "same": "fewshot_split: test", "other": "fewshot_split: dev"}
for name, more in wanted.items():
    Path(f"{name}.yaml").write_text(task.format(name=name, more=more))
found = lm_eval.simple_evaluate(
    model=Silent(),
    tasks=list(wanted),
    task_manager=TaskManager(include_path=".", include_defaults=False),
    num_fewshot=4,
    bootstrap_iters=0,
    log_samples=True,
)
told = {}
for name in wanted:
    prompts = [(row["doc"]["stem"], row["arguments"][0][0]) for row in found["samples"][name]]
    told[name] = sum(prompt.count(stem) > 1 for stem, prompt in prompts)
    count = f"{told[name]} of {len(prompts)} prompts hold their own question among the examples"
    print(f"lm-eval version {version('lm_eval')}, fewshot_split {name}: {count}")
sys.exit(0 if told["unnamed"] > 0 and told["same"] == told["other"] == 0 else 1)
PYTHON
HF_HUB_OFFLINE=1 HF_HOME=$folder/cache tools/bin/python measure.py 2>errors.txt || { tail -5 errors.txt; exit 1; }
