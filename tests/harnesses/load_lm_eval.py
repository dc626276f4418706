"""Evaluates an oracle on a release with lm-evaluation-harness, and prints what it saw as one JSON object.

Run with the Python of .venv-harnesses/lm_eval: load_lm_eval.py FOLDER CACHE [SHOTS]
"""

import json
import sys

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager
from scripted import KNOWN


class Oracle(LM):
    """Answers right wherever the release says what is right."""

    def loglikelihood(self, requests):
        return [(-float(one.args[1].strip() != one.doc["answer_letter"]), True) for one in requests]

    def generate_until(self, requests):
        if KNOWN:
            return [KNOWN[one.args[0]] for one in requests]
        return [f"I would say the answer is {one.doc['answer_letter']}." for one in requests]

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError


def main(folder: str, _cache: str, shots: str = "") -> None:
    manager = TaskManager(include_path=f"{folder}/harness/lm_eval", include_defaults=False)
    tasks = tuple(f"{task}{way}" for task in ("commonsense", "moral") for way in ("", "_gen"))
    names = sorted(name for name in manager.all_subtasks if name.endswith("_gen" if KNOWN else tasks))
    found = lm_eval.simple_evaluate(
        model=Oracle(),
        tasks=names,
        task_manager=manager,
        bootstrap_iters=0,
        log_samples=True,
        num_fewshot=int(shots) if shots else None,
    )
    if KNOWN:
        values = {name: found["results"][name] for name in names if name in found["results"]}
        print(
            json.dumps(
                {
                    name: {key.split(",")[0]: value for key, value in one.items()}
                    for name, one in values.items()
                }
            )
        )
        return
    report = {
        name: {
            "accuracy": found["results"][name]["acc,none"],
            "keys": {row["doc"]["id"]: row["doc"]["answer"] for row in found["samples"][name]},
        }
        for name in names
    }
    if shots:
        for name in names:
            report[name]["prompts"] = {
                row["doc"]["id"]: [row["doc"]["choices"], row["arguments"][0][0]]
                for row in found["samples"][name]
            }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
