"""Keys that form, likeness or order give away, and what splits share: planted, the gates must find it.

`make bench BENCH=planted` measures the same over ten seeds, and 200 clean sets.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parable.commands.item_files import read_files
from parable.quality.gates import ERROR, GATES, WARNING, ItemSet, judge
from tests.parable.artefacts import ARTEFACTS, TESTS_OF_A_RUN, is_found
from tests.parable.planted import clean

pytestmark = pytest.mark.drill

ITEMS = 500
SEED = 1


@pytest.mark.parametrize("chinese", [False, True])
@pytest.mark.parametrize("name", ARTEFACTS)
def test_it_finds_an_artefact_in_one_of_six_items(name: str, *, chinese: bool) -> None:
    assert is_found(ARTEFACTS[name], clean(ITEMS, SEED, chinese=chinese), SEED)


def test_a_run_of_all_gates_makes_as_many_tests_as_the_drills_count() -> None:
    results = judge(ItemSet(tuple(clean(ITEMS, 0)), is_foreign=True))
    tests = {one.detail["tests"] for one in results if "tests" in one.detail}
    assert tests == {TESTS_OF_A_RUN - 1}  # and one for form, in which these options do not differ


NAMED = {
    ("MMLU_Pro", "tells"): {"stray_space", "end_stop"},
    ("MMLU_Pro", "length_artefact"): {"longest"},
    ("OBQA", "length_artefact"): {"longest"},
    ("SIQA", "length_artefact"): {"longest"},
}
"""What the README of the public sets lists, by set and gate."""
PUBLIC = ("MMLU_Pro", "OBQA", "SIQA", "MMLU", "ARC", "CQA", "HellaSwag", "PIQA")
OF_FORM = ("length_artefact", "tells", "convergence", "story_overlap", "key_sequence")


@pytest.mark.parametrize("name", PUBLIC)
def test_it_names_the_artefacts_of_public_sets_and_no_others(shared_data: Path, name: str) -> None:
    items = read_files([shared_data / "mcq_sets" / f"{name}.jsonl"]).items
    results = {one.id: one for one in judge(items, [GATES[gate] for gate in OF_FORM]) if one.task != "moral"}
    for gate, result in results.items():
        due = NAMED.get((name, gate), set())
        assert due <= _rules(result.detail)
        if name not in {"MMLU_Pro", "OBQA", "SIQA"}:
            assert result.verdict not in {WARNING, ERROR}


def _rules(detail: Any) -> set[str]:
    return {one["rule"] for one in detail.get("spoken", ())}
