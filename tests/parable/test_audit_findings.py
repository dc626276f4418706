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
from parable.formats import option_marks
from parable.formats.parable_jsonl import write_items_jsonl
from parable.formats.records import ItemRecord, ReleaseRecord
from parable.quality.item import meanings, negation, order, question, sums
from parable.quality.item.base import ItemView
from tests.parable.planted import clean

if TYPE_CHECKING:
    from collections.abc import Callable

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
    draw, said = Random(3), phrases(2000, 3)  # noqa: S311 - nothing secret
    items = [*clean(160, 5), *(replace(one, id=f"z-{one.id}", story_id=f"z-{one.story_id}")
                               for one in clean(160, 6, chinese=True))]  # fmt: skip
    found = []
    for number, item in enumerate(items):
        if number % 2:
            choices = [draw.choice(said) if draw.random() < 0.6 else one for one in item.choices]
            stem = draw.choice((item.question, f"{draw.choice(said)}{item.question}", draw.choice(said)))
            item = replace(item, choices=tuple(choices), question=stem, explanation=draw.choice(said))  # noqa: PLW2901
        found.append(item)
    return found


def test_findings_are_those_of_a_stored_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = (ReleaseRecord(item, item.split or "dev", "") for item in odd_items())
    (tmp_path / "items.jsonl").write_bytes(write_items_jsonl(items))
    assert main(["audit", str(tmp_path / "items.jsonl"), "--json"]) == 1
    said = capsys.readouterr().out.replace(str(tmp_path), "")
    if os.environ.get("ADD_FINDINGS"):
        STORED.write_text(said, encoding="utf-8")
    assert said == STORED.read_text(encoding="utf-8")


def _negative(stem: str) -> object:
    return [*negation.NegativeStem().find(ItemView("commonsense", "en", stem=stem))]


def _blank(stem: str) -> object:
    return [*question.BlankInStem().find(ItemView("commonsense", "en", stem=stem))]


@pytest.mark.parametrize(
    ("module", "asked_first", "look"),
    [
        (meanings, "_MAY_SPEAK", meanings.meaning),
        (meanings, "_MAY_SPEAK", meanings.refers),
        (meanings, "_MAY_SPEAK", meanings.sums_up),
        (sums, "_MAY_BE_LABEL", sums.labels),
        (order, "_ANY_NUMBER", order.amount),
        (negation, "_MAY_BE_NEGATIVE", _negative),
        (question, "_MAY_BE_BLANK", _blank),
        (option_marks, "_MAY_BE_MARK", lambda text: option_marks.typed_marks([text, "B. x", text])),
        (option_marks, "_MAY_BE_MARK", lambda text: option_marks.typed_marks([text, "x"])),
    ],
)
def test_what_is_asked_first_passes_over_nothing(
    module: ModuleType, asked_first: str, look: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [*phrases(6000, 8), *JOINS]
    found = [look(text) for text in texts]
    assert 30 < sum(map(bool, found)) < len(found)
    monkeypatch.setattr(module, asked_first, re.compile(""))
    for cached in (meanings.meaning, sums.labels, order.amount):
        cached.cache_clear()
    assert [look(text) for text in texts] == found
