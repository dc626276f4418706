"""The gates that test a whole set: what they find, what they let pass, and when they speak."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from parable.formats.items import read_items
from parable.formats.records import ItemRecord
from parable.quality.gates import (
    ERROR,
    GATES,
    NOT_APPLICABLE,
    OK,
    WARNING,
    GateResult,
    ItemSet,
    judge,
)
from parable.quality.gates.decision_rule import Measured, Trial, decide
from tests.parable.planted import ITEM_LEVEL, SET_LEVEL, clean, plant_in_items, plant_in_set

CLEAN = clean(240, 5)


def answer(gate: str, items: list[ItemRecord], **fields: Any) -> GateResult:
    results = GATES[gate].judge(ItemSet(tuple(items), **fields))
    return next(result for result in results if result.task in {"commonsense", None})


def test_it_finds_nothing_in_a_clean_set() -> None:
    verdicts = {result.verdict for result in judge(ItemSet(tuple(CLEAN), is_foreign=True))}
    assert verdicts == {OK, NOT_APPLICABLE}


@pytest.mark.parametrize("kind", SET_LEVEL)
def test_it_finds_a_defect_that_gives_away_a_third_of_the_keys(kind: str) -> None:
    gate, spoil = SET_LEVEL[kind]
    found = answer(gate, plant_in_set(CLEAN, spoil, 0.3, 5), is_foreign=True)
    assert found.verdict == ERROR
    assert found.items
    assert isinstance(found.low, float)
    assert isinstance(found.figure, float)
    assert isinstance(found.high, float)
    assert 0.3 <= found.low < found.figure < found.high


@pytest.mark.parametrize("kind", ITEM_LEVEL)
def test_it_names_each_item_with_a_defect_of_its_own(kind: str) -> None:
    gate, spoil = ITEM_LEVEL[kind]
    planted = plant_in_items(CLEAN, spoil, 5)
    found = answer(gate, planted.items)
    assert found.verdict in {WARNING, ERROR}
    assert planted.ids <= set(found.items)
    assert answer(gate, CLEAN).verdict in {OK, NOT_APPLICABLE}


def test_it_shares_ties_and_takes_their_exact_variance() -> None:
    tied = ItemRecord("i", "moral", "s", "", "", "?", ("aa", "bb", "c", "d"), 0)
    found = next(one for one in GATES["length_artefact"].judge(ItemSet((tied,) * 100)) if one.task == "moral")
    longest, shortest = found.detail["tried"]
    assert (longest["accuracy"], shortest["accuracy"]) == (0.5, 0.0)
    # each item adds 1/(4*2) - 1/16 = 1/16: the spread of the mean is 1/40, and 0.25 is ten of them
    assert (longest["z"], shortest["z"]) == (10.0, -10.0)


ECHO = ("the old grey wolf", "he saw the old grey", "because of the rain", "a lamb", "the wolf was old")
"""A stem, then options: the first says two neighbouring pairs of it, the last none side by side."""


@pytest.mark.parametrize(
    ("stem", "choices", "accuracy"),
    [
        (ECHO[0], ECHO[1:], 1.0),  # the key alone repeats the stem
        (ECHO[0], (ECHO[2], ECHO[1], *ECHO[3:]), 0.0),  # a wrong option does
        ("那只老灰狼", ("老灰狼来了", "灰狼不来", "下雨了", "小羊"), 1.0),
        ("那只老灰狼", ("老灰狼来了", "它是老灰狼", "下雨了", "小羊"), 0.5),  # two tie
    ],
)
def test_it_tries_the_option_that_repeats_most_of_its_stem(
    stem: str, choices: tuple[str, ...], accuracy: float
) -> None:
    item = ItemRecord("i", "commonsense", "s", "", "", stem, choices, 0)
    found = answer("no_story", [item] * 100)
    assert [one["accuracy"] for one in found.detail["tried"]] == [accuracy]


@pytest.mark.parametrize(("stem", "standard"), [("Why?", ""), (ECHO[0], ECHO[0])])
def test_it_tries_no_such_thing_where_nothing_is_repeated_or_the_stem_is_standard(
    stem: str, standard: str
) -> None:
    item = ItemRecord("i", "commonsense", "s", "", "", stem, ECHO[1:], 0)
    assert "tried" not in answer("no_story", [item] * 100, standard_stems=frozenset({standard})).detail


@pytest.mark.parametrize(
    ("accuracy", "low", "tests", "verdict"),
    [
        (0.30, 0.27, 1, OK),
        (0.34, 0.29, 1, WARNING),
        (0.34, 0.29, 50, OK),
        (0.40, 0.299, 1, WARNING),
        (0.40, 0.30, 1, ERROR),
    ],
)
def test_it_speaks_by_one_rule(accuracy: float, low: float, tests: int, verdict: str) -> None:
    trial = Trial("longest", accuracy, low, accuracy + 0.1, chance=0.25, expected=0.25, spread=0.03)
    assert decide(Measured("length_artefact", "moral", 200, (trial,)), tests).verdict == verdict


def test_it_prints_figure_and_interval_of_few_items_and_does_not_judge_them() -> None:
    spoiled = plant_in_set(CLEAN[:96], SET_LEVEL["the key is the longest"][1], 0.6, 5)
    for gate in ("length_artefact", "options_only", "no_story", "sibling_leak"):
        found = answer(gate, spoiled)
        assert found.verdict == NOT_APPLICABLE
        assert None not in {found.figure, found.low, found.high}


def test_it_counts_every_test_of_the_run() -> None:
    together = judge(ItemSet(tuple(CLEAN), is_foreign=True))
    tests = {result.detail["tests"] for result in together if "tests" in result.detail}
    # position, longest, shortest, options only, no story, siblings; likeness, story; order, place, turn, type
    assert tests == {6 + 2 + 1 + 3 + 1 + 4}  # no options differ in form


def test_it_answers_the_same_each_time_and_in_any_order_of_runs() -> None:
    first = [result.as_json() for result in judge(ItemSet(tuple(CLEAN)))]
    answer("options_only", CLEAN[:120])
    assert first == [result.as_json() for result in judge(ItemSet(tuple(CLEAN)))]


def test_it_judges_items_of_two_to_eight_options() -> None:
    draw = Random(3)  # noqa: S311 - nothing secret
    mixed = []
    for item in CLEAN:
        many = draw.randint(2, 8)
        choices = tuple(f"{choice}{index}" for index, choice in enumerate((*item.choices, *item.choices)))
        mixed.append(replace(item, choices=choices[:many], answer=draw.randrange(many)))
    results = judge(ItemSet(tuple(mixed), is_foreign=True))
    chances = {round(result.detail["chance"], 3) for result in results if "chance" in result.detail}
    assert chances == {round(sum(1 / len(item.choices) for item in mixed) / len(mixed), 3)}
    assert not [result.id for result in results if result.verdict == ERROR]


@pytest.mark.parametrize("items", [[], CLEAN[:1], [replace(one, answer=None) for one in CLEAN]])
def test_it_judges_sets_of_nothing_one_item_and_no_keys(items: list[ItemRecord]) -> None:
    assert {result.id for result in judge(ItemSet(tuple(items)))} == set(GATES)


def test_it_says_that_items_disagree_on_the_key() -> None:
    twin = replace(CLEAN[0], id="other", answer=3 - (CLEAN[0].answer or 0))
    found = answer("duplicates", [CLEAN[0], twin])
    assert (found.verdict, found.figure, found.detail["at_odds"]) == (ERROR, 2, 1)
    elsewhere = replace(twin, story_id="another", story="Another.")
    assert answer("duplicates", [CLEAN[0], elsewhere]).verdict == WARNING


def test_it_names_the_items_whose_keys_contradict_each_other() -> None:
    def said(*items: ItemRecord) -> list[str]:
        return GATES["duplicates"].facts(answer("duplicates", list(items)).detail, str)

    twin = replace(CLEAN[0], id="twin", choices=CLEAN[0].choices[::-1])
    place = CLEAN[0].answer or 0
    agreeing, other = replace(twin, answer=3 - place), replace(twin, answer=place)
    assert said(CLEAN[0], agreeing) == []
    assert said(CLEAN[0], other) == ["Their keys contradict each other, so one is wrong: i-0, twin."]
    counted = GATES["duplicates"].facts({"at_odds": 1}, str)
    assert counted == ["Groups of equal items whose keys contradict each other: 1."]


@pytest.mark.parametrize(
    ("one", "other", "is_repeated"),
    [
        ("3.(5 points) Who came?", "17. (5 points)Who came?", True),
        ("3．(5分)谁来了？", "14．(5分)谁来了？", True),
        ("第3题 谁来了？", "第12题：谁来了？", True),
        ("(1) Who came?", "(22)Who came?", True),
        ("1、谁来了？", "2、谁来了？", True),
        ("Question 4: Who came?", "Who came?", True),
        ("Q12. Who came?", "q 3) Who came?", True),
        ("No. 7 Who came?", "Who came?", True),
        ("3.5 kg fell. Who came?", "4.5 kg fell. Who came?", False),
        ("1984: Who came?", "1985: Who came?", False),
        ("3 foxes came. Who left?", "4 foxes came. Who left?", False),
        ("Questioned, who came?", "Who came?", False),
        ("1. Who came?", "1. Who left?", False),
    ],
)
def test_a_number_in_front_of_a_stem_makes_no_other_item(one: str, other: str, is_repeated: bool) -> None:
    twins = [replace(CLEAN[0], id=stem, question=stem) for stem in (one, other)]
    assert answer("duplicates", twins).figure == (2 if is_repeated else 0)


@pytest.mark.parametrize(("without", "named"), [(0, 0), (1, 1), (9, 9), (10, 0), (20, 0)])
def test_it_names_the_few_items_without_a_story(without: int, named: int) -> None:
    items = [
        replace(one, story="", story_id=None, title="") if number < without else one
        for number, one in enumerate(CLEAN[:20])
    ]
    found = answer("story_drift", items)
    assert found.items == tuple(one.id for one in items[:named])
    said = GATES["story_drift"].facts(found.detail, str)
    assert said == ([f"Items without a story: {named}."] if named else [])


def test_it_takes_equal_titles_of_unlike_stories_for_two_stories() -> None:
    one, other = (replace(item, story_id=None, title="Wolf") for item in (CLEAN[0], CLEAN[8]))
    assert answer("story_drift", [one, other]).verdict == OK
    spaced = replace(one, id="spaced", story=one.story.replace(" ", "  ", 1))
    assert answer("story_drift", [one, other, spaced]).items == ("spaced",)


@pytest.mark.parametrize(
    ("choices", "kind"),
    [
        (("猫", "狗", "鸟", "A. Milne"), "scripts"),
        (("A. Milne", "Dickens", "Poe", "Twain"), None),
        (("猫 狗", "狗", "鸟", "鱼"), "white_space"),
        (("猫", "DNA 检测", "鸟", "鱼"), None),
        (("３只", "3只", "四只", "五只"), "scripts"),
        (("1", "2", "三", "四"), None),
    ],
)
def test_it_looks_at_the_form_of_options(choices: tuple[str, ...], kind: str | None) -> None:
    found = answer("option_format", [replace(CLEAN[0], choices=choices)])
    assert found.verdict == (WARNING if kind else OK)
    assert [name for name, count in found.detail.items() if count] == ([kind] if kind else [])


@pytest.mark.parametrize(
    "choices",
    [
        ("A.猫", "B.狗", "C.鸟", "D.鱼"),
        ("(C)猫", "(A)狗", "(D)鸟", "(B)鱼"),  # a release made of them had “B．(C)…”
        ("①猫", "②狗", "③鸟", "④鱼"),
        ("A、猫", "B、狗", "鸟", "鱼"),
        ("1. cat", "2. dog", "3. hen", "4. cod"),
    ],
)
def test_options_with_letters_of_their_own_fail_the_set(choices: tuple[str, ...]) -> None:
    found = answer("option_format", [*CLEAN[1:4], replace(CLEAN[0], choices=choices)])
    assert (found.verdict, found.items, found.detail["letters"]) == (ERROR, (CLEAN[0].id,), 1)


def test_it_judges_options_as_they_were_typed() -> None:
    items = [replace(CLEAN[number], choices=("a", "b", "c", "d")) for number in range(3)]
    typed = {("commonsense", one.id): ("A. a", "B. b", "C. c", "D. d") for one in items}
    assert answer("option_format", items, as_typed=typed).verdict == OK
    typed["commonsense", items[1].id] = ("A、a", "B、b", "C、c", "D、d")
    assert answer("option_format", items, as_typed=typed).items == (items[1].id,)


def test_it_asks_for_the_types_that_a_project_has() -> None:
    assert answer("type_coverage", CLEAN, types=("social", "musical")).detail["missing"] == [
        ["dev", "musical"],
        ["test", "musical"],
    ]


def test_it_finds_what_the_published_moral_items_give_away(shared_data: Path) -> None:
    path = shared_data / "crmus" / "published_format" / "dev_CRMUS_MU.json"
    items = read_items(path, name=path.name).records
    found = {result.id: result for result in judge(ItemSet(items, is_foreign=True)) if result.task == "moral"}
    assert found["length_artefact"].verdict == ERROR
    assert found["options_only"].verdict == ERROR
    assert found["key_position"].verdict == OK
    assert found["length_artefact"].detail["rule"] == "longest"
    assert found["length_artefact"].figure == pytest.approx(0.3724)
    assert 0.45 < float(found["options_only"].figure or 0) < 0.56
