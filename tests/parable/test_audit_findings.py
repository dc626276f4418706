"""What an audit finds is the same, byte for byte, however it is worked out: held against a stored file.

Where a rule is changed on purpose, `ADD_FINDINGS=1` writes the file anew.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import TYPE_CHECKING, Final

import pytest

from parable.__main__ import main
from parable.formats import option_marks, options
from parable.formats.parable_jsonl import write_items_jsonl
from parable.formats.records import ItemRecord, ReleaseRecord
from parable.quality.gates import numbers
from parable.quality.gates.unit_numbers import UnitNumbers
from parable.quality.item import cues, stem, wording, words
from parable.quality.item import options as item_options
from parable.quality.item.base import ItemView, OptionView
from tests.parable.planted import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

STORED: Final = Path(__file__).with_name("audit_findings.json")
SINGLE: Final = """
all none of these both A b and C I iii only are correct not which is except always never some may km
3 1,200 ½ 1/2 以上 都 不 对 选项 正确 没有 哪个 什么 和 、 ① ③ 一定 有时 三 天 无法判断 a. (B) 1. Ⓐ
____ ？ ? . 。 狐狸跑了 Ａ beleive 的的 因为 其他 全 错误的 选项C TODO
"""
SEVERAL: Final = (
    "the above",
    "least likely",
    "option 1",
    "( )",
    "the fox ran",
    "\u200b",
    " ",
    "cannot be told",
)
PARTS: Final = (*SINGLE.split(), *SEVERAL)
NAMED: Final = (
    "a",
    "(b)",
    "C",
    "1",
    "ii",
    "①",
    "选项a",
    "option b",
    "前两",
    "以上",
    "all",
    "none",
    "neither",
    "其他",
)
JOINED: Final = ("", " ", "、", " and ", "和", " of the ", ", ", " & ", "的", "选项")
ENDS: Final = (
    "",
    "above",
    "都对",
    "正确",
    "c",
    "3",
    "③",
    "these",
    "is correct",
    "不是",
    "只有 b",
    "options",
    "全错",
)
JOINS: Final = [f"{one}{joined}{end}" for one in NAMED for joined in JOINED for end in ENDS]
"""Options that speak of others, or nearly."""


def phrases(count: int, seed: int) -> list[str]:
    """Texts of a few parts each, most of which some rule looks for."""
    draw = Random(seed)  # noqa: S311 - nothing secret
    return [
        draw.choice(("", " ")).join(draw.choices(PARTS, k=draw.randint(1, 6))) for _phrase in range(count)
    ]


def odd_items() -> list[ItemRecord]:
    """Sound items in both languages; every second has options or a stem that some rule looks for."""
    draw, units = Random(3), phrases(2000, 3)  # noqa: S311 - nothing secret
    items = [*clean(160, 5), *(replace(one, id=f"z-{one.id}", story_id=f"z-{one.story_id}")
                               for one in clean(160, 6, chinese=True))]  # fmt: skip
    found = []
    for number, item in enumerate(items):
        if number % 2:
            choices = [draw.choice(units) if draw.random() < 0.6 else one for one in item.choices]
            stem = draw.choice((item.question, f"{draw.choice(units)}{item.question}", draw.choice(units)))
            item = replace(item, choices=tuple(choices), question=stem, explanation=draw.choice(units))  # noqa: PLW2901 - as drawn
        found.append(item)
    return found


def test_findings_are_those_of_a_stored_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = (ReleaseRecord(item, item.split or "dev", "") for item in odd_items())
    (tmp_path / "items.jsonl").write_bytes(write_items_jsonl(items))
    assert main(["audit", str(tmp_path / "items.jsonl"), "--json"]) == 1
    output = capsys.readouterr().out.replace(str(tmp_path), "")
    if os.environ.get("ADD_FINDINGS"):
        STORED.write_text(output, encoding="utf-8")
    assert output == STORED.read_text(encoding="utf-8")


def _negative(text: str) -> object:
    return [*wording.NegativeStem().find(ItemView("commonsense", "en", stem=text))]


def _blank(text: str) -> object:
    return [*stem.BlankInStem().find(ItemView("commonsense", "en", stem=text))]


@pytest.mark.parametrize(
    ("module", "asked_first", "look"),
    [
        (cues, "_MAY_SPEAK", cues.meaning),
        (cues, "_MAY_SPEAK", cues.refers),
        (cues, "_MAY_SPEAK", cues.sums_up),
        (wording, "_MAY_BE_LABEL", wording.labels),
        (item_options, "_ANY_NUMBER", item_options.amount),
        (wording, "_MAY_BE_NEGATIVE", _negative),
        (stem, "_MAY_BE_BLANK", _blank),
        (option_marks, "MAY_BE_MARK", lambda text: option_marks.typed_marks([text, "B. x", text])),
        (option_marks, "MAY_BE_MARK", lambda text: option_marks.typed_marks([text, "x"])),
    ],
)
def test_what_is_asked_first_passes_over_nothing(
    module: ModuleType, asked_first: str, look: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [*phrases(6000, 8), *JOINS]
    found = [look(text) for text in texts]
    assert 30 < sum(map(bool, found)) < len(found)
    monkeypatch.setattr(module, asked_first, re.compile(""))
    for cached in (cues.meaning, wording.labels, item_options.amount):
        cached.cache_clear()
    assert [look(text) for text in texts] == found


def _view(*texts: str) -> ItemView:
    options = tuple(OptionView(text, is_key=not index) for index, text in enumerate(texts))
    return ItemView("commonsense", "", stem="Who came?", options=options)


_SAID: Final = """
always|not|everyone|no one|nothing|must|some|(most)|may|5|most|likely|without|exception|a apple|an cat|he have
they is|what have|3 child|the the|dont|so,then|end.Next|two  gaps|所有|所有人|任何|任何人|一定|不一定
有时|大多|的的|了了|是是非|，，|。。|？,|真的的确|三五|二十|foxes|running|3,000|a, b|1) x; y|seven
狐狸|老狐狸跑|乌鸦
"""
SAID: Final = tuple(part for line in _SAID.split("\n") for part in line.split("|") if part)


@pytest.mark.parametrize(
    ("where", "asked_first", "passing", "look"),
    [
        (words.Terms, "may_be_in", lambda _terms, _texts: True, wording.AbsoluteTerms().find),
        (words.Terms, "may_be_in", lambda _terms, _texts: True, wording.VagueTerms().find),
        (words.Terms, "may_be_in", lambda _terms, _texts: True, wording.AbsolutesInDistractors().find),
        (cues, "_may_slip_in_english", lambda _texts: True, cues.UnclearWording().find),
        (cues, "_MAY_BE_CHINESE", re.compile(""), cues.UnclearWording().find),
        (cues, "_may_gather", lambda _key, _others: True, cues.KeyGathersOptions().find),
        (wording, "_MAY_SPLIT", re.compile(""), lambda view: [wording._parts(text) for text in view.texts]),
        (numbers, "_MAY_BE_NUMBER", re.compile(""), lambda view: numbers.ranks(view.texts)),
    ],
)
def test_what_is_asked_of_an_item_first_passes_over_nothing(
    where: object,
    asked_first: str,
    passing: object,
    look: Callable[[ItemView], Iterable[object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = Random(12)  # noqa: S311 - nothing secret
    pool = [*SAID, *phrases(300, 12)]
    views = [
        _view(*(" ".join(draw.choices(SAID if number % 2 else pool, k=draw.randint(1, 4))) for _ in range(4)))
        for number in range(3000)
    ]
    found = [[*look(view)] for view in views]
    assert sum(map(bool, found)) > 2
    monkeypatch.setattr(where, asked_first, passing)
    assert [[*look(view)] for view in views] == found


def test_text_of_chinese_characters_alone_is_read_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    signs = "老狐狸跑了三千二十半的其全部都对〇㐀鿿"
    draw = Random(4)  # noqa: S311 - nothing secret
    texts = ["".join(draw.choices(signs, k=draw.randint(1, 9))) + draw.choice(("", "", "？", "。", " 3", "x"))
             for _text in range(600)]  # fmt: skip
    looks = (
        words.fold,
        words.units,
        words.bare,
        words.same_form,
        item_options.amount,
        cues.parts,
        cues.content_units,
    )
    found = [[look(text) for look in looks] for text in texts]
    for module in (words, options):
        monkeypatch.setattr(module, "HAN_ALONE", re.compile("(?!)"))
    for look in looks:
        look.cache_clear()
    cues._stems.cache_clear()
    assert [[look(text) for look in looks] for text in texts] == found


@pytest.mark.parametrize("mixed", [False, True])
def test_units_have_one_number_however_they_are_read(*, mixed: bool) -> None:
    draw = Random(9)  # noqa: S311 - nothing secret
    kinds = ("狐狸，跑〇", "fox RAN. it's", "３ + 5%", "老fox々", "", "。", "豈\U00020001")
    texts = draw.choices(kinds if mixed else ("狐狸，跑〇", "", "老々。𠀁"), k=60)
    known = UnitNumbers()
    numbered, owners = known.of(texts)
    expected = [(unit, place) for place, text in enumerate(texts) for unit in words.units(text)]
    assert owners.tolist() == [place for _unit, place in expected]
    by_unit: dict[str, set[int]] = {}
    for (unit, _place), number in zip(expected, numbered.tolist(), strict=True):
        by_unit.setdefault(unit, set()).add(number)
    assert all(len(own) == 1 for own in by_unit.values())
    assert len({number for own in by_unit.values() for number in own}) == len(by_unit)
    assert max(numbered.tolist()) < known.width


def test_forms_of_several_texts_are_those_of_each() -> None:
    draw, pool = Random(9), [*phrases(60, 9), *["狐狸", "", "狐狸跑了", "Ａ狐", "狐 狸"] * 12]  # noqa: S311 - nothing secret
    for _item in range(500):
        texts = tuple(draw.choices(pool, k=3))
        assert words.same_forms(texts) == tuple(map(words.same_form, texts))
