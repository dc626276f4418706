"""Answers with exactly the counts that stand behind the published tables of CRMUS.

Of 1,692 commonsense items 100 carry two types, since the tags come to 1,792; which pairs is ours to choose,
as is the style of wrong moral answers where only one model's is published.
"""

import json
import random
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from parable.commands.results.numbers import percent
from parable.psychometrics.results.sheets import Answer, ItemFact, Items

TABLES = Path(__file__).resolve().parents[3] / "shared" / "data" / "crmus_paper" / "tables.json"
OPTIONS = 4
HUMAN_ITEMS = 357
PAIRS = (("social", "biological"), ("social", "temporal"), ("social", "spatial"), ("social", "physical"))


def published() -> dict[str, Any]:
    """Return the paper's tables; the test is skipped where they are not at hand."""
    if not TABLES.exists():
        pytest.skip(f"The published tables are not there: {TABLES.name}.")
    found: dict[str, Any] = json.loads(TABLES.read_text(encoding="utf-8"))
    return found


def items_of_paper(tables: dict[str, Any]) -> Items:
    """Build items of the test split with as many of each type, pair of types and style as the paper has."""
    left = dict(tables["test_tags_per_type"])
    doubles = sum(left.values()) - tables["splits"]["commonsense"]["test"]
    typed: list[tuple[str, ...]] = []
    for _number, pair in zip(range(doubles), cycle(PAIRS), strict=False):
        typed.append(pair)
        for kind in pair:
            left[kind] -= 1
    typed += [(kind,) for kind, count in left.items() for _ in range(count)]
    facts = [_fact("c", number, types=types) for number, types in enumerate(typed)]
    moral = tables["splits"]["moral"]["test"]
    styles = ["human" if number < HUMAN_ITEMS else "machine" for number in range(moral)]
    return Items([*facts, *(_fact("m", number, style=style) for number, style in enumerate(styles))])


def _fact(task: str, number: int, *, types: tuple[str, ...] = (), style: str = "human") -> ItemFact:
    return ItemFact(
        id=f"{task}-{number}",
        task="commonsense" if task == "c" else "moral",
        story=f"story-{number % 390}",
        key=number % OPTIONS,
        options=OPTIONS,
        types=types,
        style=style,
    )


def answers_of(model: dict[str, Any], items: Items, tables: dict[str, Any]) -> Iterator[Answer]:
    """Build the answers, wrong as often as the model's row says, for each type and each style.

    One an item; but 33.02 % is no whole number of 1,056 items. Of 3 x 1,056 answers it is 1,046, so that
    model is taken to have been asked the moral items three times.
    """
    wrong = _wrong_commonsense(model, items, tables)
    moral = [fact for fact in items.facts if fact.task == "moral"]
    repeats, right = whole_counts(model["accuracy_moral"], len(moral))
    shares = [(right + repeat) // repeats for repeat in range(repeats)]
    for fact in items.facts:
        if fact.task == "commonsense":
            yield _answer(fact, is_wrong=fact.id in wrong)
    for repeat, rights in enumerate(shares, start=1):
        wrong_now = _wrong_moral(model, moral, len(moral) - rights, tables)
        yield from (_answer(fact, is_wrong=fact.id in wrong_now, repeat=repeat) for fact in moral)


def whole_counts(printed: float, items: int) -> tuple[int, int]:
    """How often items were asked at least, and how many answers were right, for a percent to be printed."""
    for repeats in range(1, 10):
        right = round(printed * items * repeats / 100)
        if percent(right / (items * repeats)) == f"{printed:.2f}":
            return repeats, right
    raise AssertionError(printed)


def _answer(fact: ItemFact, *, is_wrong: bool, repeat: int = 1) -> Answer:
    choice = (fact.key + is_wrong) % OPTIONS
    return Answer(fact.id, "chosen", choice, choice, repeat=repeat)


def _wrong_commonsense(model: dict[str, Any], items: Items, tables: dict[str, Any]) -> set[str]:
    """Choose the wrong items: errors of two types are as many as the sum over types exceeds the whole."""
    tags = tables["test_tags_per_type"]
    asked = tables["splits"]["commonsense"]["test"]
    left = {kind: round(rate * tags[kind] / 100) for kind, rate in model["error_by_type"].items()}
    whole = asked - round(model["accuracy_commonsense"] * asked / 100)
    doubles = [fact for fact in items.facts if len(fact.types) == 2]
    chosen = doubles[: sum(left.values()) - whole]
    for fact in chosen:
        for kind in fact.types:
            left[kind] -= 1
    wrong = {fact.id for fact in chosen}
    for kind, count in left.items():
        wrong |= _some(count, [fact for fact in items.facts if fact.types == (kind,)])
    return wrong


def _wrong_moral(
    model: dict[str, Any], moral: list[ItemFact], whole: int, tables: dict[str, Any]
) -> set[str]:
    if model["model"] != "GLM-4":
        return _some(whole, moral)
    human = HUMAN_ITEMS - round(tables["style_accuracy"]["human"] * HUMAN_ITEMS / 100)
    return _some(human, moral[:HUMAN_ITEMS]) | _some(whole - human, moral[HUMAN_ITEMS:])


def _some(count: int, facts: Sequence[ItemFact]) -> set[str]:
    """Draw so many of the items, the same each time, so that errors do not pile up in some stories."""
    return {fact.id for fact in random.Random(count).sample(facts, count)}  # noqa: S311 - no secret
