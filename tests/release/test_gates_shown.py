"""Gates' answers as the release page shows them, and as a manifest publishes them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from parable.quality.gates import GATES, ItemSet, judge
from release.files.folder import published_gate
from release.views import plots
from tests.parable.planted import clean


@cache
def answers() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """The answers over a clean set, with what a release keeps beside them."""
    results = judge(ItemSet(tuple(clean(120, 5)), rights={}))
    return {one.id: (one.as_json(), dict(one.detail)) for one in results if one.task != "moral"}


@pytest.mark.parametrize("gate", GATES)
def test_it_says_each_figure_in_words(gate: str) -> None:
    answer, detail = answers()[gate]
    words = plots.figure(answer, detail)
    assert words
    assert "None" not in words
    if answer["low"] is not None:
        assert "% to" in words


@pytest.mark.parametrize(
    ("gate", "one", "two"),
    [
        ("duplicates", "1 item", "2 items"),
        ("rights", "1 story unknown", "2 stories unknown"),
        ("split_leak", "1 item in common", "2 items in common"),
        ("type_coverage", "1 gap", "2 gaps"),
    ],
)
def test_it_counts_in_the_unit_of_the_gate(gate: str, one: str, two: str) -> None:
    assert [plots.figure({"id": gate, "figure": n, "low": None}, {}) for n in (1, 2)] == [one, two]


def test_it_writes_a_share_without_interval_in_per_cent() -> None:
    words = plots.figure({"id": "duplicates", "figure": 0.25, "low": None}, {})
    assert words == "25.0\N{NO-BREAK SPACE}%"


def _drawn(gate: str) -> dict[str, list[Mapping[str, Any]]]:
    """Where the marks of each kind stand."""
    chart = plots.chart(*answers()[gate])
    found: dict[str, list[Mapping[str, Any]]] = {}
    for mark in chart.marks if chart else ():
        found.setdefault(mark.kind, []).append(mark.at)
    return found


def test_it_draws_an_interval_with_its_figure_and_chance() -> None:
    drawn = _drawn("options_only")
    [interval], [point], [chance] = drawn["span"], drawn["dot"], drawn["chance"]
    assert interval["x1"] < point["cx"] < interval["x2"]
    assert chance["x1"] == chance["x2"] == 50.0  # a quarter of 200 units


@pytest.mark.parametrize("gate", ["key_position", "length_artefact"])
def test_it_draws_a_column_for_each_place_of_the_key(gate: str) -> None:
    drawn = _drawn(gate)
    bars = drawn["bar"]
    assert len(bars) == 4
    assert max(bar["height"] for bar in bars) == 22
    assert "chance" not in drawn


def test_it_draws_nothing_where_there_is_only_a_number() -> None:
    assert plots.chart(*answers()["duplicates"]) is None


@pytest.mark.parametrize("gate", GATES)
def test_it_names_no_item_by_its_key_where_keys_are_withheld(gate: str) -> None:
    answer = {**answers()[gate][0], "items": ["i-1"]}
    assert published_gate(answer, is_withheld=False)["items"] == ["i-1"]
    knows_keys = gate in {
        *("length_artefact", "options_only", "no_story", "key_sequence"),
        *("tells", "convergence", "story_overlap"),
        *("sibling_leak", "split_leak", "faulty_items"),
    }
    kept = published_gate(answer, is_withheld=True)["items"]
    assert kept == ([] if knows_keys or gate == "key_position" else ["i-1"])
