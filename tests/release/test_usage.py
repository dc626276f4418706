"""The code that pages of releases show; drills run it (`tests/drills/test_shown_code.py`)."""

from __future__ import annotations

import ast

import pytest

from release.files.usage import usages

NAMES = {
    "README.md", "harness/inspect_ai/fables.py", "harness/lm_eval/items.py",
    "harness/lm_eval/fables_moral.yaml", "harness/lm_eval/fables_moral_gen.yaml",
    "harness/lm_eval/fables_commonsense.yaml", "harness/lm_eval/fables_commonsense_gen.yaml",
}  # fmt: skip
ADDRESS = "https://parable.example/r/fables/1.0.0/fables-1.0.0.zip"


def test_it_fetches_and_unpacks_what_it_loads() -> None:
    python, lm_eval, inspect = usages(folder="fables-1.0.0", archive=ADDRESS, names=NAMES)
    ast.parse(python.code)
    assert ADDRESS in python.code
    assert 'load_dataset("fables-1.0.0", "all")' in python.code
    for one in (lm_eval, inspect):
        assert one.code.startswith(f"curl -fLO {ADDRESS}\npython -m zipfile -e fables-1.0.0.zip .\n")
        assert one.code.count("MODEL") == 1
    assert "--tasks fables_commonsense,fables_moral " in lm_eval.code
    assert "inspect eval fables-1.0.0/harness/inspect_ai/fables.py" in inspect.code


def test_without_an_address_it_begins_after_the_archive_is_unpacked() -> None:
    for one in usages(folder="fables-1.0.0", archive="", names=NAMES):
        assert "http" not in one.code
        assert "zip" not in one.code.lower()


@pytest.mark.parametrize("names", [set(), {"harness/lm_eval/fables_moral.yaml"}])
def test_a_release_without_harness_tasks_is_loaded_alone(names: set[str]) -> None:
    assert [one.tool for one in usages(folder="x", archive="", names=names)] == ["datasets"]
