"""Gold answers, put through prompt layout and reader, score 1.000: of kinds and of published records."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from parable.formats import read_items
from parable.formats.records import ItemRecord, released
from parable.kinds import KINDS, kind_of
from parable.kinds.marks import Mark, locate, write_by_occurrence
from tests.kinds.released import record_of
from tests.kinds.samples import SAMPLES

FILES: Final = {
    "space2022/task2_dev.jsonl": (496, 0.9295),
    "space2022/task3_dev.jsonl": (131, 0.8191),
    "space2023/task1_train.jsonl": (3367, 0.9306),
    "space2023/task1_dev.jsonl": (496, 0.9415),
    "space2023/task2_train.jsonl": (1060, 0.8224),
    "space2023/task2_dev.jsonl": (131, 0.8191),
    "space2023/task3_examples.jsonl": (7, 1.0),
    "space2024/SpaCE_dev_answer.jsonl": (1021, 1.0),
    "epic/published_format/full_dataset.json": (1750, 1.0),
}
"""Records, and the score of gold answers that do not say which occurrence of a fragment they mean."""


def scores(record: ItemRecord) -> tuple[float, float]:
    """The scores of the gold answer of an item as a model would write it, and without the occurrences."""
    kind, item = kind_of(record.task), released(record)
    order = range(len(record.choices))
    assert kind.question.put(kind.question.template(record.language), item, order)
    words = kind.question.words(item)
    bare = re.sub(r"[#@]\d+", "", words)
    texts = dict.fromkeys((words, bare))
    right = kind.question.right(item)
    found = {text: kind.scorer(kind.question.read(text, item, order).given, right) for text in texts}
    return found[words], found[bare]


@pytest.mark.parametrize("task", KINDS)
def test_the_gold_answer_of_a_kind_scores_1_000(task: str) -> None:
    assert scores(record_of(SAMPLES[task], 0)) == (1.0, 1.0)


@pytest.mark.drill
@pytest.mark.parametrize("name", FILES)
def test_the_gold_answers_of_published_records_score_1_000(shared_data: Path, name: str) -> None:
    count, without = FILES[name]
    found = [one for one in read_items(shared_data / name, name=name).records if one.is_keyed]
    assert len(found) == count
    each = {one.id: scores(one) for one in found}
    assert [name for name, (whole, _bare) in each.items() if whole < 1 - 1e-9] == []
    assert sum(bare for _whole, bare in each.values()) / count == pytest.approx(without, abs=5e-5)


TEXT = "是灯，是灯，灯是灯灯灯。"


@pytest.mark.parametrize(
    ("typed", "positions"),
    [
        ("灯", (1,)),
        ("灯#1", (1,)),
        ("灯#2", (4,)),
        ("灯＃3", (6,)),
        ("灯 # 4", (8,)),
        ("灯灯#2", (9, 10)),  # occurrences overlap
        ("是灯#2", (3, 4)),
        ("是#2…灯#6", (3, 10)),
        ("灯@4", (4,)),
        ("灯#7", ()),
        ("灯#0", ()),
        ("灯#", ()),
        ("#2", ()),
        ("灯#9999999", ()),
    ],
)
def test_a_fragment_says_which_occurrence_it_is(typed: str, positions: tuple[int, ...]) -> None:
    assert locate(typed, TEXT).positions == positions


@pytest.mark.parametrize(
    ("text", "positions", "written"),
    [
        (TEXT, (1,), "灯"),
        (TEXT, (4,), "灯#2"),
        (TEXT, (9, 10), "灯灯#2"),
        (TEXT, (3, 4), "是灯#2"),
        (TEXT, (0, 10), "是…灯#6"),
        ("灯与灯#2", (2,), "灯@2"),  # what the number would be read as stands in the text
        ("灯与灯#2", (2, 3, 4), "灯#2"),
    ],
)
def test_what_is_written_is_found_again(text: str, positions: tuple[int, ...], written: str) -> None:
    mark = Mark("S1", "".join(text[place] for place in positions), positions)
    assert write_by_occurrence(mark, text) == written
    assert locate(written, text).positions == positions
