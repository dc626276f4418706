"""What all checks have in common: documented, in plain sentences, quick, and right about published items."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from parable.formats.items import read_items
from parable.quality.item import (
    CHECKS,
    DESK,
    ERROR,
    RULES,
    WARNING,
    ItemSpec,
    ItemView,
    OptionView,
    SiblingView,
    english,
    judge,
)
from parable.quality.item.from_records import view_items
from parable.quality.item.rules import CODES
from tests.costs import multiple
from tests.parable.quality_items import EN, ZH, with_options

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "checks.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `(\w+)`: (.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL))
DEFENDED = re.findall(r"`(\w+)`", PAGE.split("## Errors that fire on published items")[1].split("##")[0])

FAULTY: tuple[ItemView, ...] = (
    ItemView("commonsense", "zh"),
    replace(with_options(EN, "", "x" * 2001), types=("unheard of",), spec=ItemSpec(4, frozenset({"social"}))),
    replace(
        with_options(ZH, "A．松鼠", "B．松鼠", "", "以上都是", key=None),
        stem="松鼠。",
        explanation="Because of it.",
    ),
    replace(with_options(ZH, "松鼠在冬天会睡很长很长的一觉", "必须玩", "总是玩", "总是玩了", "都不对")),
    replace(with_options(EN, "The squirrel", "covered them with leaves"), stem="Is the squirrel a fox?"),
    replace(
        EN, siblings=(SiblingView(EN.stem),), options=tuple(OptionView(text, True) for text in ("x", "X"))
    ),
)
FAULTY += (replace(with_options(EN, "Yes", "No"), task="true_false"), replace(EN, task="cloze"))
FAULTY += (
    replace(EN, task="multiple", options=tuple(OptionView(text, True) for text in ("x", "y"))),
    replace(EN, task="ordering"),
)
WITH_STORY = with_options(EN, "Save in good times", "Trust nobody", "Laugh last", "Run fast")
FAULTY += tuple(
    replace(
        WITH_STORY,
        task="moral",
        stem=EN.standard_stem,
        style=style,
        siblings=(
            SiblingView(EN.standard_stem, ("Save in good times", "x", "y"), "Save in good times", "7"),
        ),
    )
    for style in ("human", "machine")
)
BREAKS_RULES: tuple[ItemView, ...] = (
    replace(with_options(EN, "Option 1", "They went home", "red", "roots", "the nest"), stem="Why did the"),
    replace(EN, explanation="So the answer is B.", stem="What may it be, an owl or _____ cat? (Answer: A)"),
    replace(with_options(EN, "Always so", "Perhaps so", "None of these", "All of these"), stem="Not a what?"),
    replace(with_options(EN, "3 days", "2 days", "A and B"), stem="Which is not so? " * 40),
    replace(with_options(EN, "a very long key about squirrels that hide cones", "no", "so")),
    with_options(
        EN, "The oak feeds birds and mice", "The oak feeds birds", "The elm feeds mice", "The oak and mice"
    ),
    with_options(EN, "7 cones", "3 cones", "5 cones"),
)
FOUND = [finding for item in FAULTY + BREAKS_RULES for finding in judge(item, CHECKS.values())]


def test_it_documents_every_check_once() -> None:
    assert list(SECTIONS) == list(CHECKS)
    assert len(re.findall(r"^### ", PAGE, re.MULTILINE)) == len(CHECKS)


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_it_documents_what_why_and_how(check: object) -> None:
    known = CHECKS[check.id]  # type: ignore[attr-defined]  # a check
    section = SECTIONS[known.id]
    assert section.startswith(f"{known.name}\n\n{known.severity.capitalize()}; ")
    for sentence in (known.looks_at, known.why, known.fix):
        assert sentence in section
    assert re.search(r"Rate: \d+\.\d % of 497 \(\d+ of \d+", section)
    assert ("moral items" in section.split("- **")[0]) == known.applies_to("moral")


def test_it_speaks_in_sentences() -> None:
    for check in CHECKS.values():
        assert check.severity in {ERROR, WARNING}
        for sentence in (check.says, check.looks_at, check.why, check.fix):
            assert sentence.endswith((".", "”."))
        assert not check.name.endswith(".")


def test_it_fills_the_sentence_of_every_finding() -> None:
    assert {finding.check for finding in FOUND} == set(CHECKS)
    for finding in FOUND:
        wanted = set(re.findall(r"%\((\w+)\)", CHECKS[finding.check].says))
        assert wanted <= set(finding.params)
        assert "%(" not in english(finding)
        assert finding.severity == CHECKS[finding.check].severity


def test_it_looks_after_nineteen_rules_and_shows_none_at_the_desk() -> None:
    assert sorted(RULES.values()) == sorted(CODES)
    assert {check.id for check in CHECKS.values() if not check.at_desk} == set(RULES)
    assert all(check.at_desk for check in DESK)
    assert {finding.check for finding in judge(BREAKS_RULES[2])}.isdisjoint(RULES)


def test_it_names_places_that_the_form_has() -> None:
    form = re.compile(r"stem|key|options|types|explanation|option-[1-8]")
    assert all(form.fullmatch(finding.place) for finding in FOUND)


def test_it_answers_the_same_for_text_of_any_width() -> None:
    wide = with_options(ZH, "Ａ．留到冬天吃", "Ｂ．送给小鱼", "Ｃ．盖新房子", "Ｄ．换一顶帽")
    narrow = with_options(ZH, "A.留到冬天吃", "B.送给小鱼", "C.盖新房子", "D.换一顶帽")
    assert judge(wide) == judge(narrow)


@pytest.mark.parametrize("sound", [ZH, EN], ids=["zh", "en"])
def test_it_judges_a_long_story_with_many_siblings_at_once(sound: ItemView) -> None:
    siblings = tuple(
        SiblingView(
            f"{sound.story[n : n + 40]}{n}?", tuple(f"{sound.story[n : n + 25]}{k}" for k in range(4))
        )
        for n in range(20)
    )
    item = replace(sound, story=(sound.story * 60)[:3000], siblings=siblings)
    numbers = count()

    def judge_again(judged: ItemView) -> None:
        number = next(numbers)
        judge(replace(judged, stem=f"{sound.stem}{number}", story=judged.story + str(number)))

    alone = replace(item, siblings=siblings[:1])
    # Measured at 5; where each sibling is looked at from the start, it is 20.
    assert multiple(lambda: judge_again(item), lambda: judge_again(alone)) < 15


@pytest.mark.parametrize(
    "text",
    [
        "a" * 2000,
        "what " * 400,
        "不可能的" * 500,
        "的" * 2000,
        "1." * 1000,
        "((((" * 500,
        "不" * 2000,
        "is " * 600,
        "…" * 2000,
    ],
)
def test_it_is_quick_with_hostile_text(text: str) -> None:
    ordinary = (ZH.story * (len(text) // len(ZH.story) + 1))[: len(text)]
    assert multiple(lambda: judge_all(_full_of(text)), lambda: judge_all(_full_of(ordinary))) < 10


def judge_all(item: ItemView) -> None:
    judge(item, CHECKS.values())


def _full_of(text: str) -> ItemView:
    return replace(
        with_options(ZH, *(text + str(n) for n in range(8))),
        stem=text + text,
        explanation=text * 4,
        story=text * 10,
        siblings=tuple(SiblingView(f"{text}{n}", (text,) * 8) for n in range(20)),
    )


def test_it_fires_errors_on_one_in_a_hundred_published_items_at_most(shared_data: Path) -> None:
    folder = shared_data / "crmus" / "published_format"
    records = [
        record
        for name in ("dev_CRMUS_CR.json", "dev_CRMUS_MU.json")
        for record in read_items(folder / name, name=name).records
        if record.answer is not None
    ]
    standard = next(record.question for record in records if record.task == "moral")
    items = view_items(records, language="zh", standard_stem=standard)
    assert len(items) == 497
    for check in CHECKS.values():
        if check.severity == ERROR and check.id not in DEFENDED:
            fired = sum(bool(judge(item, [check])) for item in items)
            assert fired <= len(items) / 100, check.id
