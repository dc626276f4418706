"""Examples for fine-tuning from the items of dev and, if there is a split of this name, train.

Test items are never used.
"""

import json
from collections.abc import Iterable
from typing import Final

from parable.formats.format import joined
from parable.formats.records import ItemRecord, ReleaseRecord, released
from parable.kinds import kind_of
from parable.kinds.written_marks import MarksAnswer
from parable.reading.question import zero_shot
from parable.splits import DEV, TRAIN
from release.assembly.recipe import LAYOUT
from release.card.layouts import LAYOUTS, Layout

TAUGHT: Final = (TRAIN, DEV)
"""The splits that may be used for fine-tuning, preferred first."""


def instruction_files(records: Iterable[ReleaseRecord], layout: Layout) -> list[tuple[str, bytes, int]]:
    """Return (name, content, number of examples) of each file.

    Each split has a file in each of two formats.
    """
    listed = list(records)
    return [
        made
        for split in TAUGHT
        for made in _files(split, [one for one in listed if one.split == split], layout)
    ]


def _files(split: str, records: Iterable[ReleaseRecord], layout: Layout) -> list[tuple[str, bytes, int]]:
    """Return (name, content, number of examples) of the two files of a split.

    Prompts follow the layout. An example also has the item's id and the canary, which trainers ignore.
    """
    asked = [
        (record, prompt_of(record.item, layout.prompt(record.item.language), layout), answer)
        for record in records
        if not record.withheld and (answer := answer_of(record.item, layout))
    ]
    alpaca = ({**_alpaca(prompt), "output": answer, **_marks(record)} for record, prompt, answer in asked)
    chat = (
        {"messages": [_said("user", prompt), _said("assistant", answer)], **_marks(record)}
        for record, prompt, answer in asked
    )
    shapes = (("alpaca", alpaca), ("chat", chat))
    return [
        (
            f"instruction/{name}_{split}.jsonl",
            joined(f"{json.dumps(row, ensure_ascii=False)}\n".encode() for row in rows),
            len(asked),
        )
        for name, rows in shapes
        if asked
    ]


def prompt_of(item: ItemRecord, template: str, layout: Layout = LAYOUTS[LAYOUT]) -> str:
    """Return the prompt of an item. `template` is used only for items answered with one option."""
    question = kind_of(item.task).question
    chosen = template
    if not question.is_one_option:
        own = layout.own_prompts.get(item.task)
        chosen = zero_shot(item.language, own) if own else question.template(item.language)
    return question.put(chosen, released(item), range(len(item.choices)))


def answer_of(item: ItemRecord, layout: Layout = LAYOUTS[LAYOUT]) -> str:
    """Return the answer expected of an examinee, or "" if it is not a short text."""
    question = kind_of(item.task).question
    if isinstance(question, MarksAnswer) and not layout.has_occurrences:
        return question.words_by_position(released(item))
    return question.words(released(item))


def _alpaca(prompt: str) -> dict[str, str]:
    """Return the first paragraph of the prompt as instruction, and the rest as input."""
    wanted, _gap, of = prompt.partition("\n\n")
    return {"instruction": wanted, "input": of}


def _said(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _marks(record: ReleaseRecord) -> dict[str, str]:
    return {"id": record.item.id, "canary": record.canary}
