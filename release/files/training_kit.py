"""Files for fine-tuning on train, or on dev if there is no train: examples and settings for two trainers.

Both trainers use the prompt with which models are evaluated, and compute the loss on the answer only.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from parable.formats.records import ReleaseRecord
from release.files.instruction import TAUGHT, answer_of, prompt_of

TRL: Final = "trl.jsonl"
LLAMA_FACTORY: Final = "llama_factory.jsonl"
DATASET_INFO: Final = "dataset_info.json"
TEMPLATES: Final = Path(__file__).parent / "training"
"""The folder of the settings. They have placeholders for values of the release: `@DATASET@`, `@CANARY@`."""
SETTINGS: Final = ("train_trl.py", "train_llama_factory.yaml")


@dataclass(frozen=True, slots=True)
class Example:
    """A training example: the prompt, the expected answer, the item's id, and the canary."""

    prompt: str
    answer: str
    id: str
    canary: str


def examples(records: Iterable[ReleaseRecord], template: str) -> Iterator[Example]:
    """Yield an example for each record whose answer is a short text.

    `template` has the fields {story}, {question} and {options}. Raise `ValueError` for a record of the test
    split or a withheld key.
    """
    for record in records:
        if record.split not in TAUGHT or record.withheld:
            raise ValueError(f"Item {record.item.id!r} is not for training.")
        item = record.item
        if answer := answer_of(item):
            yield Example(prompt_of(item, template), answer, item.id, record.canary)


def kit_files(
    dataset: str, canary: str, read: Callable[[], Iterable[Example]]
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield (name, content) of each file. `read` returns the examples and is called once for each trainer."""
    yield TRL, _lines(map(_for_trl, read()))
    yield LLAMA_FACTORY, _lines(map(_for_llama_factory, read()))
    columns = {"prompt": "instruction", "query": "input", "response": "output"}
    info = {dataset: {"file_name": LLAMA_FACTORY, "formatting": "alpaca", "columns": columns}}
    yield DATASET_INFO, iter([(json.dumps(info, ensure_ascii=False, indent=2) + "\n").encode()])
    for name in SETTINGS:
        text = (TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")
        yield name, iter([text.replace("@DATASET@", dataset).replace("@CANARY@", canary).encode()])


def _for_trl(one: Example) -> dict[str, object]:
    """Return the example in TRL's conversational format, where the loss covers only the completion."""
    return {
        "prompt": [{"role": "user", "content": one.prompt}],
        "completion": [{"role": "assistant", "content": one.answer}],
        **_marks(one),
    }


def _for_llama_factory(one: Example) -> dict[str, object]:
    """Return the example in Alpaca format. The whole prompt is the instruction; the input is empty."""
    return {"instruction": one.prompt, "input": "", "output": one.answer, **_marks(one)}


def _marks(one: Example) -> dict[str, str]:
    return {"id": one.id, "canary": one.canary}


def _lines(rows: Iterable[Mapping[str, object]]) -> Iterator[bytes]:
    return ((json.dumps(row, ensure_ascii=False) + "\n").encode() for row in rows)
