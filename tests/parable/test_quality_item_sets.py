"""The checks of single items over whole sets: what they list, and what a set fails by."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from parable.commands.figures import number_found
from parable.formats.records import ItemRecord
from parable.psychometrics.bootstrap import wilson_interval
from parable.quality.item import RULES
from parable.quality.item.from_records import MOST_SIBLINGS, language_of, view_set
from parable.quality.item.sets import is_telling, judge_set, tail
from parable.quality.item.words import Units, alike, language_named
from tests.parable.planted import clean

SOUND = clean(60, 3)


def quoted(record: ItemRecord) -> ItemRecord:
    """The item with its key in its stem."""
    return replace(record, question=f"{record.question} {record.choices[record.answer or 0]}?")


def test_it_fails_no_clean_set() -> None:
    found = judge_set(SOUND)
    assert (found.failed, found.items, found.looked_at, found.is_sample) == ((), 60, 60, False)
    assert found.as_json()["rules"] == RULES


@pytest.mark.parametrize("items", [50, 60])
def test_it_fails_fifty_keys_quoted_in_their_stems(items: int) -> None:
    found = judge_set([quoted(one) if index < 50 else one for index, one in enumerate(SOUND[:items])])
    assert found.failed == ("stem_names_key",)
    assert found.found["stem_names_key"] == tuple(one.id for one in SOUND[:50])


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"choices": ("the fox", "a crow", "the owl", "Option D")}, "placeholder_option"),
        ({"question": "Why did the"}, "unfinished_stem"),
        ({"question": "Who came? (Answer: A)"}, "stem_gives_letter"),
        ({"explanation": "The answer is B.", "answer": 0}, "explanation_names_other"),
        ({"choices": ("the fox", "a crow", "the owl", "")}, "empty_option"),
        ({"choices": ("the fox", "a crow", "the owl", "a crow")}, "equal_options"),
        ({"choices": ("the fox", "a crow", "the owl", ""), "answer": 3}, "key_empty"),
    ],
)
def test_it_fails_by_one_item_that_is_surely_wrong(changes: dict[str, Any], check: str) -> None:
    spoiled = replace(SOUND[7], **changes)
    found = judge_set([*SOUND[:7], spoiled, *SOUND[8:]])
    assert check in found.failed
    assert found.found[check] == (spoiled.id,)
    assert found.sentences[check].check == check


ARABIC = ItemRecord(
    id="ar",
    task="commonsense",
    story_id="crow",
    title="",
    story="رأى الثعلب غرابا على شجرة وفي فمه قطعة جبن، فمدح صوته.",
    question="ماذا أراد الثعلب",
    choices=("الصداقة", "الجبنة", "الأغنية", "الشجرة"),
    answer=1,
    explanation="كان الغراب يحمل جبنة.",
)


@pytest.mark.parametrize("said", ["ar", "ara", "العربية", ""])
def test_checks_that_read_words_pass_over_languages_that_they_do_not_know(said: str) -> None:
    items = [replace(ARABIC, id=f"ar{n}", story_id=f"{n}", story=f"{ARABIC.story} {n}") for n in range(6)]
    found = judge_set([replace(one, language=said) for one in items])
    assert set(found.found) <= {"type_missing"}
    assert (found.unread, found.as_json()["unread"]) == (6, 6)


def test_their_form_is_judged_all_the_same() -> None:
    found = judge_set([replace(ARABIC, language="ar", choices=("الجبنة", "", "الجبنة", "x"))])
    assert {"empty_option", "equal_options"} <= set(found.found)


@pytest.mark.parametrize(
    ("said", "is_named"), [("en", True), ("en-GB", True), ("English", True), ("zh", True), ("it", False)]
)
def test_an_item_in_another_language_than_it_says_is_named_where_that_one_is_known(
    said: str, is_named: bool
) -> None:
    found = judge_set([replace(ARABIC, language=said)])
    assert ("wrong_language" in found.found, found.unread) == (is_named, 0 if is_named else 1)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("zh", "zh"),
        ("zh-Hans-CN", "zh"),
        ("zh_TW", "zh"),
        ("Chinese (Simplified)", "zh"),
        ("中文", "zh"),
        ("cmn", "zh"),
        ("EN-us", "en"),
        ("eng", "en"),
        ("英文", "en"),
        ("", ""),
        ("it", "it"),
        ("enm", "enm"),
        ("zha", "zha"),
    ],
)
def test_it_knows_a_language_by_its_codes_and_names(said: str, code: str) -> None:
    assert language_named(said) == code


def test_it_lists_options_that_differ_in_case_and_fails_no_set_by_them() -> None:
    found = judge_set([replace(SOUND[0], choices=("RR", "Rr", "rr", "R"))])
    assert found.found["equal_options"]
    assert found.failed == ()


def test_it_lists_what_breaks_a_rule_and_fails_no_set_by_it() -> None:
    found = judge_set([replace(SOUND[0], choices=("the fox", "a crow", "the owl", "All of the above"))])
    assert found.found["all_option"] == found.found["all_of_the_above"] == (SOUND[0].id,)
    assert found.failed == ()


def test_it_leaves_out_what_a_whole_split_lacks() -> None:
    keyless = [replace(one, answer=None, split="test") for one in SOUND[:20]]
    both = [*keyless, *(replace(one, split="dev") for one in SOUND[20:])]
    assert "key_missing" not in judge_set(both).found
    one_more = replace(both[30], answer=None)
    assert judge_set([*both[:30], one_more, *both[31:]]).found["key_missing"] == (one_more.id,)


def test_it_looks_at_a_sample_of_a_large_set_and_at_all_for_empty_and_equal_options() -> None:
    spoiled = [replace(one, choices=(*one.choices[:2], one.choices[0], "")) for one in SOUND]
    found = judge_set(spoiled, sample=10)
    assert (found.looked_at, found.items, found.is_sample) == (10, 60, True)
    assert len(found.found["empty_option"]) == len(found.found["equal_options"]) == 60
    assert {"empty_option", "equal_options"} <= set(found.failed)
    unfinished = judge_set([replace(one, question="Why did the") for one in SOUND], sample=10)
    assert len(unfinished.found["unfinished_stem"]) == 10
    assert found.share("empty_option") is None
    assert unfinished.share("unfinished_stem") == (1.0, *wilson_interval(10, 10))
    assert unfinished.share("stem_missing") == (0.0, *wilson_interval(0, 10))
    assert number_found(unfinished, "unfinished_stem") == "n = 10, 100.0%, 95 % 72.2% – 100.0%"
    assert number_found(found, "empty_option") == "n = 60"
    assert unfinished.as_json()["looked_at"] == 10
    assert {"looked_at", "shares"}.isdisjoint(judge_set(SOUND).as_json())
    assert judge_set(SOUND, sample=10) == judge_set(SOUND, sample=10)


def test_it_tells_quoted_keys_from_chance() -> None:
    assert tail(5, 5, 0.25) == pytest.approx(0.25**5)
    assert tail(0, 9, 0.25) == pytest.approx(1.0)
    assert tail(3, 4, 1.0) == 1.0
    assert is_telling([(True, 0.25)] * 5, 100)  # 5 of 100 items, p = .00098
    assert not is_telling([(True, 0.25)] * 5, 101)  # less than one in twenty
    assert is_telling([(True, 0.25)] * 10, 10_000)
    assert not is_telling([(True, 0.25)] * 9, 10_000)
    assert not is_telling([(True, 0.25)] * 10 + [(False, 0.25)] * 20, 100)
    assert not is_telling([(True, 0.25)] * 4, 4)


def test_it_reads_the_language_from_the_words() -> None:
    record = replace(SOUND[0], language="")
    assert language_of(replace(record, question="为什么？", choices=("a", "b"))) == "zh"
    assert language_of(replace(record, question="Why?", choices=("a", "b"))) == "en"
    chinese = replace(record, question="它为什么走？", choices=("饿", "累"))
    assert "wrong_language" not in judge_set([chinese]).found


def test_it_compares_no_items_of_no_story_and_of_a_story_with_too_many() -> None:
    alone = [replace(one, story="", story_id=None) for one in SOUND]
    assert all(view.siblings == () for view in view_set(alone))
    together = [replace(SOUND[0], id=str(number), story="one") for number in range(MOST_SIBLINGS)]
    assert len(view_set(together)[0].siblings) == MOST_SIBLINGS - 1
    assert view_set([*together, replace(SOUND[0], id="more", story="one")])[0].siblings == ()


def test_it_makes_an_item_once_for_all_that_it_stands_beside() -> None:
    """A story of sixty items has sixty views beside others, or twice as many, not 3,540."""
    together = [
        replace(one, id=f"{number}", story="one", task="moral" if number % 2 else one.task)
        for number, one in enumerate(SOUND[:MOST_SIBLINGS])
    ]
    views = view_set(together)
    made = {id(sibling) for view in views for sibling in view.siblings}
    assert len(made) <= 2 * MOST_SIBLINGS
    assert [one.name for one in views[1].siblings if one.key] == [*map(str, range(3, MOST_SIBLINGS, 2))]
    assert not any(one.key for one in views[0].siblings)


def _dice(one: Units, other: Units) -> float:
    def share(ours: list[Any], theirs: list[Any]) -> float:
        return 2 * (Counter(ours) & Counter(theirs)).total() / (len(ours) + len(theirs))

    return share([*one], [*other]) + share([*pairwise(one)] or [one], [*pairwise(other)] or [other])


@pytest.mark.parametrize("least", [0.5, 0.6, 0.8, 1.0])
def test_it_calls_wordings_alike_by_what_both_have_as_often(least: float) -> None:
    draw = Random(7)  # noqa: S311 - a sample, no secret
    found = set()
    for _pair in range(3000):
        one, other = (tuple(draw.choices("abc", k=draw.randint(1, 6))) for _side in range(2))
        found.add(alike(one, other, least))
        assert alike(one, other, least) == (_dice(one, other) >= 2 * least), (one, other)
    assert found == {True, False}
    assert not alike((), (), least)
    assert not alike(("a",), (), least)


def test_it_leaves_standard_stems_alone() -> None:
    records = [replace(one, task="moral", question="Which one") for one in SOUND[:5]]
    assert "unfocused_stem" in judge_set(records).found
    assert "unfocused_stem" not in judge_set(records, standard_stems={"which one?"}).found
