"""The verdicts of gates depend on the items, and not on the order in which a file has them."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parable.formats.records import ItemRecord
from parable.quality.gates import GATES, ItemSet, ask, decide_set
from parable.quality.gates.sample import sample

OF_ORDER = {"key_sequence"}
"""What this gate looks at is the order."""


def items(seed: int, stories: int = 12) -> list[ItemRecord]:
    """Items some of which have a telling key, so that classifiers have something to find."""
    draw = random.Random(seed)  # noqa: S311 -- no secret
    words = ["fox", "hen", "crow", "well", "jar", "rope", "night", "song", "corn", "tree"]

    def option(is_key: bool) -> str:
        told = ["because"] if is_key and draw.random() < 0.6 else []
        return " ".join([*told, *draw.choices(words, k=draw.randint(2, 6))])

    found = []
    for story in range(stories):
        for number in range(4):
            key = draw.randrange(4)
            found.append(
                ItemRecord(
                    id=f"s{story}-{number}", task="commonsense", story_id=f"s{story}", title="",
                    story=f"Once, in year {story}, {' '.join(draw.choices(words, k=30))}.",
                    question=f"What did the {draw.choice(words)} do in {number} of {story}?",
                    choices=tuple(option(index == key) for index in range(4)), answer=key,
                    explanation=f"{' '.join(draw.choices(words, k=8))} {story} {number}.",
                    language="en", split="dev" if story % 3 else "test",
                )
            )  # fmt: skip
    return found


def said(records: list[ItemRecord]) -> list[Any]:
    whole = ItemSet(tuple(records))
    asked = [one for name, gate in GATES.items() if name not in OF_ORDER for one in ask(gate, whole)]
    decided = [one.as_json() for one in decide_set(whole, asked)]
    return [rounded(one) for one in (*map(asdict, asked), *decided)]


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        parts = [rounded(one) for one in value]
        return sorted(parts) if all(isinstance(one, str) for one in parts) else parts
    return value


@pytest.mark.parametrize("seed", [1])
def test_gates_say_the_same_of_items_in_any_order(seed: int) -> None:
    records = items(seed)
    first = said(records)

    @settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.randoms(use_true_random=False))
    def in_any_order(draw: random.Random) -> None:
        shuffled = records[:]
        draw.shuffle(shuffled)
        assert said(shuffled) == first

    in_any_order()


def test_a_sample_holds_the_same_items_in_any_order() -> None:
    records = items(3)
    shuffled = records[:]
    shuffled.sort(key=lambda one: one.id[::-1])
    chosen = {one.id for one in sample(records, 40)}
    assert len(chosen) == 40
    assert {one.id for one in sample(shuffled, 40)} == chosen
