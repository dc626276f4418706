"""The registry of tasks: its entries, and what may be asked of them."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import get_args

import pytest

from parable.kinds import KINDS, Trait, codes, first_code, kind_of, score_weights
from parable.quality.gates import GATES
from parable.quality.item import CHECKS


def test_it_has_the_tasks_in_the_order_in_which_they_are_shown() -> None:
    assert codes() == tuple(KINDS)
    assert codes()[:2] == ("commonsense", "moral")
    assert first_code() == "commonsense"
    assert [kind_of(code).code for code in codes()] == [*codes()]
    with pytest.raises(KeyError):
        kind_of("anomaly")


def test_it_answers_by_property() -> None:
    assert codes("requires_types") == codes("is_owed") == ("commonsense",)
    assert codes("key_from_moral") == codes("exposed_by_story") == ("moral",)
    assert first_code("has_machine_style") == "moral"


def test_every_property_is_a_field_of_an_entry() -> None:
    assert {one.name for one in fields(kind_of("moral")) if one.type is bool} == set(get_args(Trait))


@pytest.mark.parametrize("code", KINDS)
def test_its_codes_fit_columns_addresses_and_names_of_files(code: str) -> None:
    assert re.fullmatch(r"[a-z][a-z_]{0,19}", code)


def test_the_weights_are_those_of_the_tasks_that_count_and_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(score_weights().values()) == pytest.approx(1)
    monkeypatch.setitem(KINDS, "theme", replace(kind_of("moral"), code="theme", weight=0.0))
    assert "theme" not in score_weights()


def test_checks_and_gates_follow_the_properties_of_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "theme", replace(kind_of("commonsense"), code="theme", requires_types=False))
    of_theme = {check.id for check in CHECKS.values() if "theme" in check.tasks}
    of_commonsense = {check.id for check in CHECKS.values() if "commonsense" in check.tasks}
    assert of_commonsense - of_theme == {"type_missing"}
    assert [gate.id for gate in GATES.values() if "theme" not in gate.tasks] == ["type_coverage"]
