"""The items of dev, and of train if there is one, as examples for fine-tuning.

Test items are never used.
"""

import json
from collections.abc import Iterable
from typing import Final

from parable.formats.format import joined
from parable.formats.records import ItemRecord, ReleaseRecord, released
from parable.kinds import kind_of
from parable.splits import DEV, TRAIN
from release.card.layouts import Layout

TAUGHT: Final = (TRAIN, DEV)
"""The splits that a model may be fine-tuned on, best first."""


def instruction_files(records: Iterable[ReleaseRecord], layout: Layout) -> list[tuple[str, bytes, int]]:
    """Return (name, content, rows) of each split's example files, in the two formats that trainers read."""
    listed = list(records)
    return [
        made
        for split in TAUGHT
        for made in _files(split, [one for one in listed if one.split == split], layout)
    ]


def _files(split: str, records: Iterable[ReleaseRecord], layout: Layout) -> list[tuple[str, bytes, int]]:
    """Return (name, content, rows) of a split's files; prompts follow the layout, answers are letters only.

    An example also has the item's id and the canary, which trainers ignore.
    """
    asked = [
        (record, prompt_of(record.item, layout.prompt(record.item.language)), answer)
        for record in records
        if not record.withheld and (answer := answer_of(record.item))
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


def prompt_of(item: ItemRecord, template: str) -> str:
    """Return an item's prompt: from the template or, if the answer is not one option, from its task."""
    question = kind_of(item.task).question
    chosen = template if question.is_one_option else question.template(item.language)
    return question.put(chosen, released(item), range(len(item.choices)))


def answer_of(item: ItemRecord) -> str:
    """Return the answer that is expected of an examinee, or "" if it cannot be given in a few words."""
    return kind_of(item.task).question.words(released(item))


def _alpaca(prompt: str) -> dict[str, str]:
    """Return the prompt's first paragraph as instruction, and the rest as input."""
    wanted, _gap, of = prompt.partition("\n\n")
    return {"instruction": wanted, "input": of}


def _said(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _marks(record: ReleaseRecord) -> dict[str, str]:
    return {"id": record.item.id, "canary": record.canary}
