"""What a recipe for a release may say: each field that will not do is named."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from core.errors import Unusable
from release.assembly.recipe import EMPTY, Recipe
from release.options import LONGEST_CONTACT, OPTIONS
from release.services import read_recipe


def recipe(**said: Any) -> Any:
    return read_recipe(**({"dev_share": "0.2", "split": "story"} | said))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("dev_share", "a fifth"),
        ("dev_share", "0"),
        ("dev_share", "1"),
        ("split", "fable"),
        ("allow", ["no_such_gate"]),
        ("tasks", ["riddle"]),
        ("styles", ["baroque"]),
        ("contact", "x" * (LONGEST_CONTACT + 1)),
        ("contact", "two\nlines"),
    ],
)
def test_it_names_the_field_that_will_not_do(field: str, value: Any) -> None:
    with pytest.raises(Unusable) as refused:
        recipe(**{field: value})
    assert field in refused.value.fields


def test_it_takes_what_just_fits() -> None:
    assert recipe(contact="x" * LONGEST_CONTACT).contact == "x" * LONGEST_CONTACT
    assert recipe(dev_share="0.20").dev_share == "0.2"


def test_all_tasks_are_as_good_as_none_named() -> None:
    assert recipe(tasks=["moral", "commonsense"]).tasks == ()
    assert recipe(tasks=["moral"]).tasks == ("moral",)
    three = ("commonsense", "moral", "cloze")
    assert recipe(tasks=["moral", "commonsense"], offered=three).tasks == ("commonsense", "moral")
    assert recipe(tasks=three, offered=three).tasks == ()


def test_every_part_of_a_recipe_is_an_option() -> None:
    names = [one.name for one in fields(Recipe)]
    of_draft = {"allow", "reason", "without", "layout"}
    assert sorted(option.name for option in OPTIONS) == sorted({*names, "version", "seed"} - of_draft)


def test_a_recipe_of_before_an_option_was_added_is_read_and_written_alike() -> None:
    stored = {
        "split": "item",
        "dev_share": "0.2",
        "withhold_test": False,
        "allow": [],
        "reason": "",
        "layout": 1,
    }
    assert Recipe.from_json(stored) == Recipe(split="item", dev_share="0.2", layout=1)
    assert Recipe.from_json(stored).as_json() == stored
    with_all = EMPTY.as_json() | {"tasks": ["moral"], "dev_items": {"moral": 2}, "out_stories": 1}
    assert Recipe.from_json(with_all).as_json() == with_all
