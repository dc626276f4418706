"""Ready tasks for three evaluation harnesses, each reading the release's own JSONL, offline, from anywhere.

Prompts and the reading of answers are those of `score.py`, which the tasks take from the folder they lie in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_PROGRAM: Final = """
RELEASE = Path(__file__).resolve().parents[2]


def _program():
    spec = importlib.util.spec_from_file_location("@TAG@_score", RELEASE / "score.py")
    program = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = program
    spec.loader.exec_module(program)
    return program


program = sys.modules.get("@TAG@_score") or _program()
"""

_LM_EVAL_ITEMS: Final = (
    '''"""The items of @TITLE@ for lm-evaluation-harness.

Canary GUID: @CANARY@. Benchmark data should never stand in training data.
"""

import importlib.util
import sys
from pathlib import Path

import datasets
'''
    + _PROGRAM
    + """

def _items(task):
    found = {split: program.read_items(RELEASE, task=task, split=split) for split in ("dev", "test")}
    return datasets.DatasetDict(
        {split: datasets.Dataset.from_list(items) for split, items in found.items() if items}
    )


def commonsense(**_):
    return _items("commonsense")


def moral(**_):
    return _items("moral")


def prompt(doc):
    return program.prompt_of(doc)


def letters(doc):
    return list(program.LETTERS[: len(doc["choices"])])


def judge(doc, results):
    return {"acc": float(program.judge_text(results[0], doc) == program.CORRECT)}
"""
)

_LM_EVAL_TASK: Final = """# @TITLE@, @TASK@, for lm-evaluation-harness:
#   lm_eval --include_path harness/lm_eval --tasks @TAG@_@TASK@ --model ...
# Canary GUID: @CANARY@. Benchmark data should never stand in training data.
task: @TAG@_@TASK@
tag: @TAG@
custom_dataset: !function items.@TASK@
test_split: @SPLIT@
@FEWSHOT@output_type: multiple_choice
doc_to_text: !function items.prompt
doc_to_choice: !function items.letters
doc_to_target: answer
target_delimiter: "@DELIMITER@"
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: "@VERSION@"
  canary: @CANARY@
"""

_LM_EVAL_GEN: Final = """# @TITLE@, @TASK@, for lm-evaluation-harness and models that only write:
#   lm_eval --include_path harness/lm_eval --tasks @TAG@_@TASK@_gen --model ...
# Canary GUID: @CANARY@. Benchmark data should never stand in training data.
task: @TAG@_@TASK@_gen
tag: @TAG@_gen
custom_dataset: !function items.@TASK@
test_split: @SPLIT@
output_type: generate_until
doc_to_text: !function items.prompt
doc_to_target: answer_letter
process_results: !function items.judge
generation_kwargs:
  until: ["<|im_end|>"]
  do_sample: false
  max_gen_toks: 1024
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: "@VERSION@"
  canary: @CANARY@
"""

_INSPECT: Final = (
    '''"""@TITLE@ for Inspect:

    inspect eval harness/inspect_ai/@TAG@.py --model ...

Canary GUID: @CANARY@. Benchmark data should never stand in training data.
"""

import importlib.util
import sys
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer, stderr
from inspect_ai.solver import generate
'''
    + _PROGRAM
    + """

def _sample(item):
    told = {name: item[name] for name in ("story_id", "types", "style", "choices", "answer", "canary")}
    return Sample(
        id=item["id"],
        input=program.prompt_of(item),
        choices=item["choices"],
        target=item["answer_letter"],
        metadata=told,
    )


def _items(name, split):
    items = program.read_items(RELEASE, task=name, split=split)
    if any(item["answer"] == -1 for item in items):
        raise ValueError("The answers of this split are withheld; take dev.")
    samples = [_sample(item) for item in items]
    return Task(
        dataset=MemoryDataset(samples, name=f"@TAG@_{name}_{split}"),
        solver=generate(),
        scorer=read(),
        metadata={"version": "@VERSION@", "canary": "@CANARY@"},
    )


@scorer(metrics=[accuracy(), stderr()])
def read():
    async def score(state, target):
        outcome = program.judge_text(state.output.completion, state.metadata)
        value = CORRECT if outcome == program.CORRECT else INCORRECT
        return Score(value=value, answer=state.output.completion, explanation=outcome)

    return score
"""
)

_INSPECT_TASK: Final = """

@task
def @TAG@_@TASK@(split: str = "@SPLIT@") -> Task:
    return _items("@TASK@", split)
"""

_OPENCOMPASS_ITEMS: Final = (
    '''"""The items of @TITLE@ for OpenCompass.

Canary GUID: @CANARY@. Benchmark data should never stand in training data.
"""

import importlib.util
import sys
from pathlib import Path

from datasets import Dataset
from opencompass.datasets.base import BaseDataset
from opencompass.openicl.icl_evaluator import BaseEvaluator
'''
    + _PROGRAM
    + """

class @CLASS@Dataset(BaseDataset):
    @staticmethod
    def load(task, split):
        items = program.read_items(RELEASE, task=task, split=split)
        return Dataset.from_list([{**item, "prompt": program.prompt_of(item)} for item in items])


class @CLASS@Evaluator(BaseEvaluator):
    def score(self, predictions, references, test_set):
        outcomes = [program.judge_text(text, item) for text, item in zip(predictions, test_set)]
        told = program.totals(outcomes)
        return {**told, "accuracy": 100 * (told["accuracy"] or 0)}
"""
)

_OPENCOMPASS: Final = """# @TITLE@ for OpenCompass. In this folder, beside a config of your models:
#   PYTHONPATH=. opencompass eval.py          (eval.py: with read_base(): from .@TAG@ import datasets)
# Canary GUID: @CANARY@. Benchmark data should never stand in training data.
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

from @TAG@_items import @CLASS@Dataset, @CLASS@Evaluator

datasets = [
    dict(
        abbr=f"@TAG@_{task}",
        type=@CLASS@Dataset,
        task=task,
        split=split,
        reader_cfg=dict(input_columns=["prompt"], output_column="answer_letter"),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate, template=dict(round=[dict(role="HUMAN", prompt="{prompt}")])
            ),
            retriever=dict(type=ZeroRetriever),
            inferencer=dict(type=GenInferencer),
        ),
        eval_cfg=dict(evaluator=dict(type=@CLASS@Evaluator)),
    )
    for task, split in @TASKS@
]
"""


@dataclass(frozen=True, slots=True)
class Told:
    """What the tasks say of a release: its short name, title, version, language and canary.

    `splits`: by task the split that is measured on; `few_shot`: the tasks whose dev items may stand before
    a question as examples.
    """

    name: str
    title: str
    version: str
    language: str
    canary: str
    splits: Mapping[str, str]
    few_shot: Sequence[str] = ()

    @property
    def tag(self) -> str:
        """The name as it may stand in programs."""
        bare = self.name.replace("-", "_")
        return bare if bare[:1].isalpha() else f"set_{bare}"


def harness_files(told: Told) -> Iterator[tuple[str, str]]:
    """The tasks by file name."""
    yield "harness/lm_eval/items.py", _filled(_LM_EVAL_ITEMS, told)
    for task in told.splits:
        yield f"harness/lm_eval/{told.tag}_{task}.yaml", _filled(_LM_EVAL_TASK, told, task)
        yield f"harness/lm_eval/{told.tag}_{task}_gen.yaml", _filled(_LM_EVAL_GEN, told, task)
    inspect = "".join(_filled(_INSPECT_TASK, told, task) for task in told.splits)
    yield f"harness/inspect_ai/{told.tag}.py", _filled(_INSPECT, told) + inspect
    yield f"harness/opencompass/{told.tag}_items.py", _filled(_OPENCOMPASS_ITEMS, told)
    yield f"harness/opencompass/{told.tag}.py", _filled(_OPENCOMPASS, told)


def _filled(template: str, told: Told, task: str = "") -> str:
    few_shot = "fewshot_split: dev\n" if task in told.few_shot else ""
    pairs = tuple((name, split) for name, split in told.splits.items())
    values = {
        "TAG": told.tag,
        "CLASS": "".join(word.capitalize() for word in told.tag.split("_")),
        "TITLE": _quiet(told.title),
        "VERSION": told.version,
        "CANARY": told.canary,
        "DELIMITER": "" if told.language == "zh" else " ",
        "TASK": task,
        "SPLIT": told.splits.get(task, ""),
        "FEWSHOT": few_shot,
        "TASKS": repr(pairs),
    }
    for name, value in values.items():
        template = template.replace(f"@{name}@", value)
    return template


def _quiet(title: str) -> str:
    """A title that can end neither a comment nor a docstring."""
    return " ".join(title.replace("\\", " ").replace('"', "'").replace("@", " ").split())
