"""Keys guessed from options: held against the same classifier, worked out text by text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from math import log
from random import Random

import numpy as np
import pytest

from parable.formats.records import ItemRecord, key_within
from parable.quality.gates import GATES, ItemSet, options_only
from parable.quality.gates import grams as gates_grams
from parable.quality.gates.grams import Options, read_options
from parable.quality.gates.naive_bayes import SEED, Guesses, find_folds, guess
from tests.parable.planted import clean

ODD = ("", "a", "aa", "\x00", "狐狸", "狐狐狐", "\U00020000\u200b", "\ud800a", "é", "ａ a", "?")


def odd_items(seed: int) -> list[ItemRecord]:
    """Items of two to five options in both languages, some of odd or repeated characters."""
    draw = Random(seed)  # noqa: S311 - nothing secret
    found: list[ItemRecord] = []
    for number, item in enumerate((*clean(60, seed), *clean(60, seed, chinese=True))):
        choices = [*item.choices, *draw.sample(ODD, draw.randrange(2))]
        draw.shuffle(choices)
        choices = [draw.choice((one, one, one + one, draw.choice(ODD) + one)) for one in choices]
        stem = draw.choice((item.question, draw.choice(choices), "", "\U0001f98a?"))
        found.append(
            replace(
                item,
                id=str(number),
                story_id=draw.choice((item.story_id, f"s-{draw.randrange(12)}")),
                question=stem,
                choices=tuple(choices),
                answer=draw.randrange(len(choices)),
            )
        )
    return found


def grams(text: str) -> Counter[str]:
    """Count the characters and the pairs of a text."""
    return Counter([*text, *map("".join, pairwise(text))])


def overlap(option: str, stem: str) -> dict[int, int]:
    """Count an option's characters and pairs that the stem has, and its characters that it has not."""
    found = Counter(
        (len(gram) - 1) if gram in grams(stem) else 2
        for gram in grams(option).elements()
        if gram in grams(stem) or len(gram) == 1
    )
    return {column: found[column] for column in range(3)}


def plainly(items: list[ItemRecord], folds: list[int], *, with_stem: bool) -> list[list[float]]:
    """Return the log odds of each option of each item, learned from the items of other folds."""
    said = [
        [grams(one) + Counter(overlap(one, item.question) if with_stem else {}) for one in item.choices]
        for item in items
    ]
    width = (
        len({gram for own in said for one in own for gram in one if isinstance(gram, str)}) + 3 * with_stem
    )
    found = []
    for own, fold in zip(said, folds, strict=True):
        keys: Counter[object] = Counter()
        wrong: Counter[object] = Counter()
        for item, others, where in zip(items, said, folds, strict=True):
            for place, one in enumerate(others if where != fold else ()):
                (keys if place == item.answer else wrong).update(one)
        totals = log(keys.total() + width) - log(wrong.total() + width)
        found.append(
            [
                sum(
                    times * (log(keys[gram] + 1) - log(wrong[gram] + 1) - totals)
                    for gram, times in one.items()
                )
                for one in own
            ]
        )
    return found


@pytest.mark.parametrize("seed", range(4))
def test_it_guesses_what_is_worked_out_option_by_option(seed: int) -> None:
    items = odd_items(seed)
    options = read_options(items, with_stem=True)
    guesses, folds = guess(options), find_folds(options, np.random.default_rng(SEED))
    assert guesses is not None
    assert folds is not None
    for found, with_stem in zip(guesses, (False, True), strict=True):
        values = plainly(items, folds.tolist(), with_stem=with_stem)
        for item, own, score, lead in zip(items, values, found.scores, found.leads, strict=True):
            key = own.pop(key_within(item))
            assert lead == pytest.approx(key - max(own), abs=1e-9)
            tied = [one for one in own if abs(one - key) < 1e-7]
            assert score == (0 if key < max(own) - 1e-7 else 1 / (1 + len(tied)))


@pytest.mark.parametrize("most_cells", [0, gates_grams._MOST_CELLS])
def test_characters_and_pairs_are_numbered_in_order(most_cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters by their code points and then pairs, in tables or by sorting; others have no number."""
    monkeypatch.setattr(gates_grams, "_MOST_CELLS", most_cells)
    said = [choice for item in odd_items(3) for choice in item.choices]
    for texts in ([], [""], ["ba", "", "狐狸 b\U0001f98a", "ab ab\ud800"], said):
        counted = sum(map(grams, texts), Counter())
        known = sorted(counted, key=lambda gram: (len(gram), gram))
        numbers = gates_grams._GramNumbers(texts)
        assert numbers.width == len(known)
        for others in (texts, [f"{text}c狐{text[::-1]}" for text in texts]):
            found = numbers.of(others)
            for text, (first, last) in zip(others, pairwise(found.bounds), strict=True):
                own = Counter(known[number] for number in found.numbers[first:last])
                assert own == Counter(gram for gram in grams(text).elements() if gram in counted)


def test_it_counts_what_options_repeat_of_their_stem(monkeypatch: pytest.MonkeyPatch) -> None:
    items = odd_items(7)
    monkeypatch.setattr(gates_grams, "_AT_ONCE", 7)
    found = read_options(items, with_stem=True).overlap
    assert found.tolist() == [
        [*overlap(option, item.question).values()] for item in items for option in item.choices
    ]
    assert read_options(items).overlap.shape == (len(found), 0)


@pytest.mark.parametrize("choices", [("", ""), ("a", "b")])
def test_it_guesses_options_without_pairs(choices: tuple[str, ...]) -> None:
    items = [replace(item, choices=choices, answer=0, question="") for item in clean(20, 3)]
    guesses = guess(read_options(items, with_stem=True))
    assert guesses is not None
    assert guesses.alone.accuracy == (0.5 if choices == ("", "") else 1)


def test_it_learns_once_for_both_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    learned: list[int] = []

    def counted(options: Options) -> Guesses | None:
        learned.append(len(options.keys))
        return guess(options)

    monkeypatch.setattr(options_only, "guess", counted)
    items = ItemSet(tuple(clean(120, 5)))
    for gate in ("options_only", "no_story"):
        GATES[gate].judge(items)
        GATES[gate].judge(items)
    assert sum(learned) == 120
    GATES["no_story"].judge(replace(items, items=items.items[:100]))
    assert sum(learned) == 220
