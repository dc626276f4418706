"""Evaluates a scripted model on a release with lighteval, and prints what it saw as one JSON object.

Run with the Python of .venv-harnesses/lighteval: load_lighteval.py FOLDER CACHE

The tasks are measured without examples, then with three. lighteval loads the model from this file, too.
"""

import json
import sys
from pathlib import Path

import lighteval
from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.prompt_manager import PromptManager
from lighteval.utils.cache_management import SampleCache

sys.path.insert(0, str(Path(__file__).parent))  # lighteval loads this file without its folder
from scripted import KNOWN, said


class Scripted(LightevalModel):
    """Writes down each prompt and its answer in the folder it runs in."""

    tokenizer = None
    add_special_tokens = False
    max_length = 8192

    def __init__(self, config):
        self.config = config
        self._cache = SampleCache(config)
        self._manager = PromptManager()

    def greedy_until(self, docs):
        answers = [KNOWN[doc.query] if KNOWN else said(number) for number, doc in enumerate(docs)]
        self._note(docs, answers)
        return [ModelResponse(text=[answer]) for answer in answers]

    def loglikelihood(self, docs):
        chosen = [number % len(doc.choices) for number, doc in enumerate(docs)]
        self._note(docs, chosen)
        return [
            ModelResponse(logprobs=[-float(place != choice) for place in range(len(doc.choices))])
            for doc, choice in zip(docs, chosen, strict=True)
        ]

    def loglikelihood_rolling(self, docs):
        raise NotImplementedError  # abstract in lighteval, and asked by none of these tasks

    def _note(self, docs, answers):
        with Path("asked.jsonl").open("a", encoding="utf-8") as file:
            for doc, answer in zip(docs, answers, strict=True):
                row = {"task": doc.task_name, "id": doc.specific["id"], "answer": answer}
                row |= {"prompt": self._manager.prepare_prompt(doc), "choices": doc.choices}
                file.write(json.dumps(row) + "\n")


def main(folder: str, cache: str) -> None:
    # lighteval 0.13.0 fetches this file of a task of its own as it starts, and does not start without it.
    (Path(lighteval.__file__).parent / "tasks" / "tasks" / "tinyBenchmarks.pkl").touch()
    from lighteval.__main__ import app

    [tasks] = Path(folder).glob("harness/lighteval/*.py")
    report = {}
    if KNOWN:
        names = json.loads(Path("tasks.json").read_text(encoding="utf-8"))
        command = ["custom", "scripted", __file__, ",".join(f"{tasks.stem}_{name}_gen|0" for name in names)]
        found = app([*command, "--custom-tasks", str(tasks), "--output-dir", cache], standalone_mode=False)
        results = {
            f"{tasks.stem}_{name}_gen": found["results"][f"{tasks.stem}_{name}_gen:0"] for name in names
        }
        print(
            json.dumps({name: {key: float(one) for key, one in of.items()} for name, of in results.items()})
        )
        return
    for shots in ("0", "3"):
        names = [f"{tasks.stem}_{task}{way}" for task in ("commonsense", "moral") for way in ("", "_gen")]
        command = ["custom", "scripted", __file__, ",".join(f"{name}|{shots}" for name in names)]
        command += ["--custom-tasks", str(tasks), "--output-dir", cache]
        try:
            found = app(command, standalone_mode=False)
        except ValueError as error:
            report[shots] = {"refused": str(error)}
            continue
        rows = [json.loads(line) for line in Path("asked.jsonl").read_text(encoding="utf-8").splitlines()]
        report[shots] = {
            name: {
                "accuracy": found["results"][f"{name}:{shots}"]["acc"],
                "prompts": {row["id"]: row["prompt"] for row in rows if row["task"] == f"{name}|{shots}"},
                "said": {row["id"]: row["answer"] for row in rows if row["task"] == f"{name}|{shots}"},
                "choices": {row["id"]: row["choices"] for row in rows if row["task"] == f"{name}|{shots}"},
            }
            for name in names
        }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
