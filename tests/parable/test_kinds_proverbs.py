"""The figures of narratives beside their proverbs: as published, and as they were counted independently."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from parable.formats.epic import NARRATIVES, PROVERBS
from parable.formats.layouts import read_layout
from parable.kinds.averages import Score
from parable.kinds.proverb import (
    LENGTHS,
    Narrative,
    Overlap,
    Proverb,
    SpanPair,
    grams,
    narrative_counts,
    overlap_of,
    score_alignment,
    score_span,
    split_at_spaces,
    split_letters,
)
from parable.kinds.proverb_overlap import chance_overlap, mean_overlap, overlap_between
from parable.kinds.proverb_ratings import RatingFigures, rating_figures

EXACT = 1e-12
TOKENISERS = {"lowercase_whitespace": split_at_spaces, "letters_without_contraction_endings": split_letters}


@cache
def epic(folder: Path) -> tuple[tuple[Narrative, ...], tuple[Proverb, ...], dict[str, Any]]:
    published = folder / "epic" / "published_format"
    narratives = read_layout(published / "full_dataset.json", name="narratives", layout=NARRATIVES)
    proverbs = read_layout(published / "all_proverbs.json", name="proverbs", layout=PROVERBS)
    oracle = json.loads((folder / "epic" / "oracle.json").read_text(encoding="utf-8"))
    return narratives.records, proverbs.records, oracle


def test_it_counts_what_table_2_prints(shared_data: Path) -> None:
    narratives, _proverbs, oracle = epic(shared_data)
    known, counts = oracle["shared_subset"], narrative_counts(narratives)
    table = known["table2_lowercase_whitespace"]
    assert (counts.narratives, counts.proverbs) == (known["narratives"], known["proverbs"])
    assert (counts.pairs, counts.exact_pairs) == (
        known["aligned_pairs"],
        known["pairs_exact_on_both_sides"],
    )
    assert {str(pairs): n for pairs, n in counts.by_pairs.items()} == known["narratives_by_pair_count"]
    assert counts.vocabulary == table["vocabulary_of_narratives"]
    assert (counts.bigrams, counts.trigrams) == (table["unique_bigrams"], table["unique_trigrams"])
    means = (counts.tokens, counts.pairs_per_narrative, counts.proverb_span, counts.narrative_span)
    assert means == pytest.approx(
        (
            table["tokens_per_narrative"],
            table["aligned_pairs_per_narrative"],
            table["words_per_proverb_span"],
            table["words_per_narrative_span"],
        ),
        abs=EXACT,
    )


@pytest.mark.parametrize("length", LENGTHS)
def test_it_counts_what_table_3_prints(shared_data: Path, length: int) -> None:
    narratives, proverbs, oracle = epic(shared_data)
    known = oracle["shared_subset"]
    pairs = [(one.proverb, one.text) for one in narratives]
    for code, tokenise in TOKENISERS.items():
        check(mean_overlap(pairs, length, tokenise), known[f"table3_{code}"], length)
    texts = [one.text for one in narratives]
    chance = chance_overlap([one.text for one in proverbs], texts, length, split_letters)
    check(chance, known["chance_overlap_mean_over_all_proverb_narrative_pairs"], length)


def check(found: Overlap, expected: dict[str, dict[str, float]], length: int) -> None:
    assert found.jaccard == pytest.approx(expected["jaccard"][str(length)], abs=EXACT)
    assert found.shared == pytest.approx(expected["common"][str(length)], abs=EXACT)


def test_it_compares_narratives_with_each_other(shared_data: Path) -> None:
    narratives, _proverbs, oracle = epic(shared_data)
    known = oracle["shared_subset"]["mean_unigram_jaccard_between_narratives"]
    found = overlap_between(
        [one.text for one in narratives], [one.proverb for one in narratives], 1, split_letters
    )
    assert found == pytest.approx((known["same_proverb"], known["different_proverb"]), abs=1e-8)


def test_it_finds_the_words_that_a_narrative_takes_from_its_proverb(shared_data: Path) -> None:
    narratives, _proverbs, oracle = epic(shared_data)
    by_id = {one.id: one for one in narratives}
    for example in oracle["examples_shared"]:
        one = by_id[example["id"]]
        for length in LENGTHS:
            proverb, text = (grams(split_letters(side), length) for side in (one.proverb, one.text))
            assert sorted(map(" ".join, proverb & text)) == example["common"][str(length)]
            assert overlap_of(proverb, text).jaccard == pytest.approx(example["jaccard"][str(length)])


@pytest.mark.parametrize(
    ("text", "at_spaces", "letters"),
    [
        ("A stitch, in TIME.", ["a", "stitch,", "in", "time."], ["a", "stitch", "in", "time"]),
        ("Don't; he'd, it's", ["don't;", "he'd,", "it's"], ["do", "he", "it"]),
        ("We’ll see they’ve", ["we’ll", "see", "they’ve"], ["we", "see", "they"]),
        ("O'Brien's 3 cats_x", ["o'brien's", "3", "cats_x"], ["o", "brien", "cats", "x"]),
        (" \n", [], []),
    ],
)
def test_it_tokenises_in_both_published_ways(text: str, at_spaces: list[str], letters: list[str]) -> None:
    assert split_at_spaces(text) == at_spaces
    assert split_letters(text) == letters


@pytest.mark.parametrize(
    ("first", "second", "length", "overlap"),
    [
        ("a b c", "b c d", 1, Overlap(0.5, 2)),
        ("a b c", "b c d", 2, Overlap(1 / 3, 1)),
        ("a b c", "b c d", 3, Overlap(0, 0)),
        ("a a", "a", 1, Overlap(1, 1)),
        ("a", "a", 2, Overlap(0, 0)),
        ("", "", 1, Overlap(0, 0)),
    ],
)
def test_it_measures_overlap_by_sets(first: str, second: str, length: int, overlap: Overlap) -> None:
    assert mean_overlap([(first, second)], length, split_letters) == overlap
    assert chance_overlap([first], [second], length, split_letters) == overlap


def test_it_has_no_overlap_of_nothing() -> None:
    assert mean_overlap([], 1, split_letters) == Overlap(0, 0)
    assert chance_overlap([], ["a"], 1, split_letters) == Overlap(0, 0)
    assert overlap_between(["a"], ["x"], 1, split_letters) == (0, 0)
    assert narrative_counts([]).tokens == 0


def narrative(*pairs: tuple[str, str]) -> Narrative:
    return Narrative("Q1N1", "a b", "c d e", tuple(SpanPair(*pair) for pair in pairs))


@pytest.mark.parametrize(
    ("gold", "predicted", "score"),
    [
        ("The old man", "the old man", Score(1, 1, 1)),
        ("the old man", "old man, here", Score(1 / 3, 1 / 3, 1 / 3)),
        ("the old man sat", "old", Score(1, 1 / 4, 2 / 5)),
        ("a a b", "a", Score(1, 1 / 2, 2 / 3)),
        ("the old man", "", Score(0, 0, 0)),
        ("", "the old man", Score(0, 0, 0)),
    ],
)
def test_it_scores_a_span_by_the_sets_of_its_tokens(gold: str, predicted: str, score: Score) -> None:
    found = score_span(gold, predicted)
    assert (found.precision, found.recall, found.f1) == pytest.approx(
        (score.precision, score.recall, score.f1)
    )


def test_it_scores_an_alignment_slot_by_slot() -> None:
    gold = narrative(("a", "c d"), ("b", "e"), ("", ""))
    assert score_alignment(gold, gold) == Score(1, 1, 1)
    one_short = narrative(("a", "c"), ("", ""), ("", ""))
    found = score_alignment(gold, one_short)
    assert (found.precision, found.recall) == (0.5, 0.25)
    one_more = narrative(("a", "c d"), ("b", "e"), ("a b", "c d e"))
    assert score_alignment(gold, one_more).precision == pytest.approx(2 / 3)
    assert score_alignment(narrative(), narrative(("", ""))) == Score(0, 0, 0)


def test_it_counts_three_as_good_where_raters_agree() -> None:
    ratings = [(3, 5), (2, 3), (1, 2), (3, 4), (2, 4), (4,), ()]
    assert rating_figures(ratings) == RatingFigures(6, 11, 3.0, 3 / 5)
    assert rating_figures([(4,)]).agreement is None
    assert rating_figures([]) == RatingFigures(0, 0, None, None)
    with pytest.raises(ValueError, match="A rating is one of"):
        rating_figures([(0, 3)])
