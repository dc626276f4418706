"""`convert`: what it writes in each format, what it says is lost, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from parable.__main__ import main
from parable.formats.conversion import Conversion, lost_words, used_by
from parable.formats.format import LINES, LOSABLE, Format
from parable.formats.items import FORMATS, read_items
from parable.formats.limits import ANYBODYS
from parable.formats.parable_jsonl import write_items_jsonl
from parable.formats.records import ItemRecord, ReleaseRecord

WRITTEN = [one for one in FORMATS.values() if one.writer is not None]
CROW = "A crow found a jug.\n\nIt dropped pebbles into it: {stones} = water ~ 50%."
FULL = ItemRecord(
    "crow-9", "commonsense", "s1", "乌鸦喝水", CROW, "谁渴了？\n再想。", ("乌鸦\n黑", "兔子"), 1,
    ("social",), "machine", ("m1",), "Why\nso.", "zh", "dev",
)  # fmt: skip
OTHER = replace(FULL, id="crow-10", task="moral", language="en", split="test", types=())
"""Differs in what a reader might guess."""
UNKEYED = replace(FULL, id="crow-11", answer=None)
JUDGEMENT = replace(
    FULL, id="crow-12", task="moral", question="Plain?", choices=("a", "b"), types=(), style="human"
)


def written(items: list[ItemRecord], path: Path) -> Path:
    path.write_bytes(write_items_jsonl(ReleaseRecord(one, one.split or "dev", "") for one in items))
    return path


@pytest.mark.parametrize("one", WRITTEN, ids=lambda one: one.code)
def test_a_format_holds_what_it_says_and_nothing_more(one: Format) -> None:
    assert one.writer is not None
    held = set(LOSABLE)
    for item in (FULL, OTHER):
        [found] = read_items(one.writer.whole([item]), name="x", format=one.code, rules=ANYBODYS).records
        same = {name for name in LOSABLE if name != LINES and getattr(found, name) == getattr(item, name)}
        held &= same | (
            {LINES} if (found.question, found.choices) == (item.question, item.choices) else set()
        )
    assert held == one.writer.holds


@pytest.mark.parametrize("one", WRITTEN, ids=lambda one: one.code)
def test_the_parts_of_a_file_are_the_file_and_an_empty_one_is_read(one: Format) -> None:
    assert one.writer is not None
    parts = [*one.writer.parts(iter([FULL] * 3))]
    assert b"".join(parts) == one.writer.whole([FULL] * 3)
    assert len(parts) > 1
    assert read_items(one.writer.whole([]), name="x", format=one.code, rules=ANYBODYS).records == ()


def test_what_an_item_has_is_what_could_be_lost() -> None:
    assert used_by(FULL) == set(LOSABLE)
    assert used_by(JUDGEMENT) == set(LOSABLE) - {LINES, "types", "style"}
    for name in LOSABLE:
        assert lost_words(name, "en") != lost_words(name, "zh")


def test_items_without_a_key_are_left_out_and_losses_counted() -> None:
    aiken = FORMATS["aiken"].writer
    assert aiken is not None
    made = Conversion(aiken)
    data = b"".join(made.parts([FULL, UNKEYED, JUDGEMENT]))
    assert data.count(b"ANSWER: ") == 2
    assert (made.written, made.left_out) == (2, ["crow-11"])
    assert made.lost == dict.fromkeys(LOSABLE, 2) | {LINES: 1, "types": 1, "style": 1}


@pytest.mark.parametrize("code", [one.code for one in WRITTEN])
def test_it_writes_a_file_that_is_read_back(
    code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = written([FULL, UNKEYED, OTHER], tmp_path / "items.jsonl"), tmp_path / "out"
    assert main(["convert", str(path), "--to", code, "--out", str(out), "--json"]) == 0
    said = capsys.readouterr().out
    figures = json.loads(said.splitlines()[-1])
    assert (figures["written"], figures["left_out"]) == (2, ["crow-11"])
    assert "crow-11" in said.splitlines()[1]
    found = read_items(out.read_bytes(), name="out", rules=ANYBODYS)
    assert found.format == code
    assert [one.answer for one in found.records] == [1, 1]
    assert {*tmp_path.iterdir()} == {path, out}


def test_it_speaks_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written([FULL], tmp_path / "items.jsonl")
    assert main(["convert", str(path), "--to", "gift", "--out", str(tmp_path / "o"), "--language", "zh"]) == 0
    assert "故事标题 (1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--to", "docx"], "There is no format docx. Known: parable, crmus, aiken"),
        (["--to", "gift", "--format", "docx"], "There is no format docx. Known: auto, parable"),
        (["--to", "gift", "--format", "moodle"], "row 1"),
        (["--to", "published"], "There is no format published"),
    ],
)
def test_what_it_cannot_do_it_says_and_writes_nothing(
    more: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = written([FULL], tmp_path / "items.jsonl"), tmp_path / "out"
    out.write_text("before", encoding="utf-8")
    assert main(["convert", str(path), *more, "--out", str(out)]) == 2
    assert said in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "before"
    assert {*tmp_path.iterdir()} == {path, out}


def test_without_an_item_to_write_the_file_before_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = written([UNKEYED], tmp_path / "items.jsonl"), tmp_path / "out"
    out.write_text("before", encoding="utf-8")
    assert main(["convert", str(path), "--to", "gift", "--out", str(out)]) == 2
    assert "No item can be written as GIFT" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "before"
    assert main(["convert", str(path), "--to", "gift", "--out", str(tmp_path / "no" / "x")]) == 2
