#!/usr/bin/env bash
# lm-evaluation-harness writes log-likelihoods of its samples as text, and says nowhere which option was chosen.
#
# Expected: in `samples_TASK_TIME.jsonl` (`--log_samples`) `resps` of a multiple-choice task holds numbers and
# booleans, as the harness itself computed them, or the chosen option.
# What happens: version 0.4.13 writes each as a pair of texts (`["-0.5", "True"]`), so that a reader who takes the
# largest compares words: "-0.5" < "-1.5" holds for texts. The choice is not written; it is the first option with
# the highest number, and a tie is not marked. The task's metric `acc` beside it is a number.
# Output seen on 29 November 2026 (Python 3.11, x86-64):
#   lm-eval 0.4.13: resps [[["-1.5", "True"]], [["-0.5", "True"]], [["-0.5", "True"]]], acc 1.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install lm-eval==0.4.13 2>pip.txt || { tail -5 pip.txt; exit 1; }

cat >measure.py <<'PYTHON'
import json
from importlib.metadata import version
from pathlib import Path

import lm_eval
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

LIKELIHOODS = {" red": -1.5, " blue": -0.5, " green": -0.5}


class Fixed(LM):
    """Gives each option a likelihood of its own."""

    def loglikelihood(self, requests):
        return [(LIKELIHOODS[request.args[1]], True) for request in requests]

    def generate_until(self, requests):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError


row = {"stem": "Which is cold?", "choices": ["red", "blue", "green"], "answer": 1}
Path("test.jsonl").write_text(json.dumps(row) + "\n")
Path("cold.yaml").write_text(
    """\
task: cold
dataset_path: json
dataset_kwargs: {data_files: {test: test.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{stem}}"
doc_to_choice: choices
doc_to_target: answer
"""
)
manager = TaskManager(include_path=".", include_defaults=False)
found = lm_eval.simple_evaluate(
    model=Fixed(), tasks=["cold"], task_manager=manager, bootstrap_iters=0, log_samples=True
)
samples = found.pop("samples")
tracker = EvaluationTracker(output_path="out")
tracker.save_results_aggregated(results=found, samples=samples)
tracker.save_results_samples(task_name="cold", samples=samples["cold"])
[file] = Path("out").rglob("samples_*.jsonl")
written = json.loads(file.read_text())
print(f"lm-eval {version('lm_eval')}: resps {json.dumps(written['resps'])}, acc {written['acc']}")
texts = [[["-1.5", "True"]], [["-0.5", "True"]], [["-0.5", "True"]]]
raise SystemExit(0 if (written["resps"], written["acc"]) == (texts, 1.0) else "this has changed")
PYTHON
HF_HUB_OFFLINE=1 HF_HOME=$folder/cache tools/bin/python measure.py 2>errors.txt || { tail -5 errors.txt; exit 1; }
