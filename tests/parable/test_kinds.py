"""The registry of tasks: its entries, and what may be asked of them."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import get_args

import pytest

from parable.kinds import KINDS, Trait, codes, codes_among, first_code, kind_of, score_weights
from parable.quality.gates import GATES, ItemSet
from parable.quality.item import CHECKS
from tests.parable.release_folders import item

WITH_OPTIONS = {"has_options", "has_stem"}
USUAL = {"is_usual", "asks"} | WITH_OPTIONS


def test_it_has_the_tasks_in_the_order_in_which_they_are_shown() -> None:
    assert codes() == tuple(KINDS)
    assert codes()[:2] == ("commonsense", "moral")
    assert first_code() == "commonsense"
    assert [kind_of(code).code for code in codes()] == [*codes()]
    with pytest.raises(KeyError):
        kind_of("no_such_task")


@pytest.mark.parametrize(
    ("code", "names", "weight", "properties"),
    [
        (
            "commonsense",
            ("commonsense", "Commonsense item", "Commonsense items"),
            0.4,
            {"requires_types", "requires_explanation", "is_owed", "drafts_by_stem"} | USUAL,
        ),
        (
            "moral",
            ("moral", "Moral item", "Moral items"),
            0.6,
            {"shares_stem", "exposed_by_story", "key_from_moral", "has_machine_style", "marks_each_option"}
            | USUAL,
        ),
        (
            "true_false",
            ("true or false", "True/false item", "True/false items"),
            0,
            {"requires_explanation"} | WITH_OPTIONS,
        ),
        (
            "cloze",
            ("cloze", "Cloze item", "Cloze items"),
            0,
            {"requires_explanation", "asks", "requires_blank"} | WITH_OPTIONS,
        ),
    ],
)
def test_each_task_has_its_names_its_weight_and_these_properties(
    code: str, names: tuple[str, str, str], weight: float, properties: set[Trait]
) -> None:
    kind = kind_of(code)
    assert (kind.name, kind.item_name, kind.items_name) == names
    assert kind.weight == weight
    assert kind.brief.endswith(".")
    assert {name for name in get_args(Trait) if getattr(kind, name) is True} == properties
    assert all(code in codes(name) for name in properties)


def test_it_names_the_first_task_of_a_property() -> None:
    assert first_code("has_machine_style") == "moral"


def test_other_tasks_than_the_usual_ones_are_there_where_they_are_found() -> None:
    assert codes("is_usual") == codes_among([]) == codes_among(["moral"]) == ("commonsense", "moral")
    assert codes_among(["cloze", "plot"]) == ("commonsense", "moral", "cloze")
    with_cloze = ItemSet((item("s-1", "cloze"), item("s-2")))
    for gate in GATES.values():
        looked_at = gate.tasks_in(with_cloze)
        assert "true_false" not in looked_at
        assert ("cloze" in looked_at) == ("cloze" in gate.tasks)


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
    of_theme = {check.id for check in CHECKS.values() if check.applies_to("theme")}
    of_commonsense = {check.id for check in CHECKS.values() if check.applies_to("commonsense")}
    assert of_commonsense - of_theme == {"type_missing"}
    assert [gate.id for gate in GATES.values() if "theme" not in gate.tasks] == ["type_coverage"]
