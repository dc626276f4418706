"""Which proverb fits: options by confusion, near-synonyms, rankings of all proverbs and their figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import label_ranking_average_precision_score

from parable.__main__ import main
from parable.formats.rankings import read_rankings
from parable.kinds.proverb_choice import (
    choose_distractors,
    confused_pairs,
    key_ranks,
    near_proverbs,
)
from parable.psychometrics.retrieval import retrieval

KEYS = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "c1": "c"}
RANKED = {
    "a1": ["b", "a", "d", "c"],
    "a2": ["a", "c", "b", "d"],
    "b1": ["a", "b", "c", "d"],
    "b2": ["b", "a", "d", "c"],
    "c1": ["d", "c", "a", "b"],
}


def pairs(*found: str) -> list[frozenset[str]]:
    return [frozenset(one) for one in found]


def test_near_proverbs_are_those_that_all_narratives_of_a_proverb_suggest() -> None:
    # for a: b 1 + 1/3, c 1/4 + 1/2, d 1/3 + 1/4
    assert near_proverbs(RANKED, KEYS) == {"a": ["b", "c", "d"], "b": ["a", "c", "d"], "c": ["d", "a", "b"]}


@pytest.mark.parametrize(
    ("ranked", "near", "left_out", "count", "expected"),
    [
        ("kabcd", "dcba", (), 4, "abdc"),  # two of the narrative's own, two near the key
        ("kabcd", "abcd", (), 4, "abcd"),
        ("kabcd", "dcba", ("ka",), 4, "bcd"),  # a near-synonym of the key is no wrong option
        ("kabcd", "dcba", ("ab",), 4, "abdc"),  # of two others it does not matter
        ("k", "dcba", (), 3, "dcb"),  # the other source fills up
        ("kabcd", "", (), 3, "abc"),
        ("abk", "k", (), 4, "ab"),
        ("aabbk", "ca", (), 3, "abc"),
    ],
)
def test_options_come_from_both_kinds_of_confusion(
    ranked: str, near: str, left_out: tuple[str, ...], count: int, expected: str
) -> None:
    found = choose_distractors("k", [*ranked], [*near], left_out=pairs(*left_out), count=count)
    assert "".join(found) == expected


@given(st.permutations("kabcdef"), st.permutations("abcdef"), st.sets(st.sampled_from("abcdef"), max_size=3))
def test_no_option_is_the_key_a_synonym_or_there_twice(
    ranked: list[str], near: list[str], out: set[str]
) -> None:
    found = choose_distractors("k", ranked, near, left_out=pairs(*(f"k{one}" for one in out)), count=4)
    assert len(found) == len(set(found)) == min(4, 6 - len(out))
    assert not {*found} & ({"k"} | out)


def test_pairs_that_are_confused_in_both_directions_are_proposed_once_the_likeliest_first() -> None:
    # a and b: both of a, both of b; a and c: one of two, and c1; b and c only of b; d has no narratives
    assert confused_pairs(RANKED, KEYS) == [("a", "b"), ("a", "c")]
    assert confused_pairs(RANKED, KEYS, most=1) == [("a", "b")]
    assert confused_pairs({"a1": ["b"]}, {"a1": "a"}) == []


def test_figures_of_retrieval_by_hand() -> None:
    ranks = key_ranks({name: RANKED[name] for name in ("a1", "a2", "b1", "c1")}, KEYS)
    assert ranks == {"a1": 2, "a2": 1, "b1": 2, "b2": None, "c1": 2}
    found = retrieval((KEYS[name], rank) for name, rank in ranks.items())
    assert (found.n, found.unranked) == (5, 1)
    assert found.accuracy.value == pytest.approx(1 / 5)
    assert found.reciprocal_rank.value == pytest.approx((0.5 + 1 + 0.5 + 0 + 0.5) / 5)
    assert found.accuracy.low is not None
    assert found.accuracy.high is not None
    assert found.accuracy.low < 0.2 < found.accuracy.high
    assert retrieval([]).reciprocal_rank.value is None


@given(st.lists(st.permutations(range(6)), min_size=2, max_size=20))
def test_the_mean_reciprocal_rank_is_that_of_scikit_learn(ranked: list[list[int]]) -> None:
    """With one right label, its average precision of label ranking is the reciprocal rank."""
    scores = np.zeros((len(ranked), 6))
    for row, places in enumerate(ranked):
        scores[row, places] = np.arange(6, 0, -1)
    truth = np.zeros_like(scores)
    truth[:, 2] = 1
    found = retrieval((str(row), places.index(2) + 1) for row, places in enumerate(ranked))
    assert found.reciprocal_rank.value == pytest.approx(label_ranking_average_precision_score(truth, scores))


BY_RANK = "narrative,proverb,rank\nQ1N1,Q2,2\nQ1N1,Q1,1\nQ2N1,Q1,1\n"
BY_SCORE = """
{"narrative": "Q1N1", "proverb": "Q2", "score": 0.1}
{"narrative": "Q1N1", "proverb": "Q1", "score": 0.5}
{"narrative": "Q2N1", "proverb": "Q1", "rank": 1}
"""
EXPECTED = {"Q1N1": ("Q1", "Q2"), "Q2N1": ("Q1",)}


@pytest.mark.parametrize(
    "text",
    [
        BY_RANK,
        BY_RANK.replace(",", ";"),
        BY_RANK.replace("narrative,proverb", "pk,quote_id"),
        "narrative,proverb,logprob\nQ1N1,Q2,-3.5\nQ1N1,Q1,-1e-1\nQ2N1,Q1,0\n",
        BY_SCORE,
        '{"narrative": "Q1N1", "ranked": ["Q1", "Q2"]}\n{"narrative": "Q2N1", "ranked": ["Q1"]}',
        '[{"narrative": "Q1N1", "ranked": ["Q1", "Q2"]}, {"narrative": "Q2N1", "ranked": ["Q1"]}]',
    ],
)
def test_it_reads_ranks_scores_and_lists(text: str) -> None:
    assert dict(read_rankings(text.encode(), name="r").ranked) == EXPECTED


@pytest.mark.parametrize(
    ("text", "row", "field", "code"),
    [
        ("", 1, "file", "empty_file"),
        ("narrative,proverb\na,b\n", 1, "score", "missing_column"),
        ("narrative,rank\na,1\n", 1, "proverb", "missing_column"),
        ("narrative,proverb,rank\na,b,1\na,c,one\n", 3, "rank", "not_decimal"),
        ("narrative,proverb,rank\na,b,nan\n", 2, "rank", "not_decimal"),
        ("narrative,proverb,rank\na,,1\n", 2, "proverb", "missing"),
        ("narrative,proverb,rank\n,b,1\n", 2, "narrative", "missing"),
        ("narrative,proverb,rank\na,b\n", 2, "score", "missing"),
        ("narrative,proverb,rank\na,b,1,2\n", 2, "file", "extra_cells"),
        ('{"narrative": "a", "proverb": "b", "score": true}', 1, "score", "not_decimal"),
        ('{"narrative": "a", "ranked": ["b", 3]}', 1, "ranked", "missing"),
        ('{"narrative": "a", "proverb": "b"}', 1, "score", "missing"),
        ("{broken", 1, "row", "not_json"),
    ],
)
def test_it_refuses_rows_by_their_place(text: str, row: int, field: str, code: str) -> None:
    reading = read_rankings(text.encode(), name="r")
    assert [(one.row, one.field, one.code.value) for one in reading.errors] == [(row, field, code)]
    assert reading.ranked == {}


def narratives(folder: Path) -> Path:
    spans = {f"span_{side}_{n}": "" for n in range(1, 6) for side in ("quote", "narrative")}
    told = [
        {"pk": f"Q{quote}N{n}", "fields": {"quote": f"Proverb {quote}", "narrative": f"{quote} {n}"} | spans}
        for quote in (1, 2)
        for n in (1, 2)
    ]
    path = folder / "gold.json"
    path.write_text(json.dumps(told))
    return path


def test_the_command_prints_accuracy_and_mean_reciprocal_rank(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ranked = tmp_path / "model.jsonl"
    lines: list[dict[str, Any]] = [
        {"narrative": "Q1N1", "ranked": ["Q1", "Q2"]},
        {"narrative": "Q1N2", "ranked": ["proverb  2", "Proverb 1"]},
        {"narrative": "Q2N1", "ranked": ["A proverb of another split", "Q1", "Q2"]},
        {"narrative": "Q9N9", "ranked": ["Q2"]},
    ]
    ranked.write_text("\n".join(map(json.dumps, lines)))
    assert main(["score", str(ranked), "--gold", str(narratives(tmp_path)), "--retrieval", "--json"]) == 0
    printed = capsys.readouterr().out
    table, _brace, rest = printed.partition("{")
    assert "| model | 4 | 1 | 0.250 [" in table
    found = json.loads("{" + rest)["models"]["model"]["retrieval"]
    assert found["reciprocal_rank"]["value"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 0) / 4)


def test_the_command_refuses_a_broken_file_and_a_missing_gold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_text("narrative,proverb\na,b\n")
    assert main(["score", str(broken), "--gold", str(narratives(tmp_path)), "--retrieval"]) == 2
    assert "broken.csv, row 1, score" in capsys.readouterr().err
    assert main(["score", str(broken), "--release", str(tmp_path), "--retrieval"]) == 2
    assert "--gold" in capsys.readouterr().err
