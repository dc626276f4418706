"""`audit --judge-model`: a language model judges too, over real HTTP, labelled as what it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parable.__main__ import main
from parable.formats.parable_jsonl import write_items_jsonl
from parable.formats.records import ReleaseRecord
from parable.llm.stub import StubServer
from parable.quality.item.rules import CODES
from parable.quality.item.sets import SEED, drawn
from tests.parable.planted import clean

NONE_RULE = "model:no_none_of_the_above"


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer(default="judge") as server:
        yield server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Six items, one of which has "None of the above" among its wrong options."""
    items = clean(6, 5)
    key = items[2].answer or 0
    texts = ["None of the above" if n == (key + 1) % 4 else one for n, one in enumerate(items[2].choices)]
    items[2] = replace(items[2], choices=tuple(texts))
    file = tmp_path / "items.jsonl"
    file.write_bytes(write_items_jsonl(ReleaseRecord(one, one.split or "dev", "canary") for one in items))
    return file


def audit(path: Path, stub: StubServer, *more: str, model: str = "m") -> int:
    return main(["audit", str(path), "--judge-model", model, "--judge-url", stub.base_url, "--json", *more])


def last(out: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(out.splitlines()[-1])
    return data


def test_nothing_is_sent_unless_a_model_is_named(
    path: Path, stub: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", str(path), "--json"]) == 0
    assert "judge" not in last(capsys.readouterr().out)
    assert not stub.log


def test_what_the_model_finds_is_labelled_as_its_own_and_fails_nothing(
    path: Path, stub: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(path, stub) == 0
    out = capsys.readouterr().out
    said = last(out)
    ids = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert said["item_checks"][NONE_RULE] == [ids[2]]
    assert said["rules"][NONE_RULE] == "no_none_of_the_above"
    assert {rule for rule in said["rules"] if rule.startswith("model:")} == {
        f"model:{code}" for code in CODES
    }
    judge = said["judge"]
    assert (judge["model"], judge["asked"], judge["judged"], judge["lost"]) == ("m", 6, 6, {})
    assert set(judge["ratings"]) == set(ids)
    assert set(judge["ratings"].values()) <= {0, 1, 2}
    assert "Assessed by the language model m: 6 of 6 items." in out
    assert len(stub.log) == 6
    bodies = [json.loads(one.body) for one in stub.log]
    assert {body["temperature"] for body in bodies} == {0}
    assert {body["response_format"]["type"] for body in bodies} == {"json_schema"}


def test_a_small_model_is_asked_rule_by_rule(
    path: Path, stub: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(path, stub, "--judge-by", "rule", "--judge-items", "2") == 0
    output = last(capsys.readouterr().out)
    assert len(stub.log) == 2 * len(CODES)
    assert output["judge"]["asked"] == 2
    assert output["judge"]["ratings"] == {}


@pytest.mark.parametrize(
    ("model", "words"),
    [("stub-declined", "6 × The model refused"), ("stub-401", "× The server requires an API key")],
)
def test_where_the_model_says_nothing_it_says_so_and_judges_nothing(
    path: Path, stub: StubServer, capsys: pytest.CaptureFixture[str], model: str, words: str
) -> None:
    assert audit(path, stub, model=model) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "The model assessed no item" in captured.err
    assert "judge" not in last(captured.out)


def test_an_answer_that_is_no_judgement_is_counted_and_not_guessed(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with StubServer(default="judge", programme=["empty", "ok"]) as stub:
        assert audit(path, stub, "--language", "zh") == 0
    captured = capsys.readouterr()
    judge = last(captured.out)["judge"]
    assert judge["judged"] + sum(judge["lost"].values()) == 6
    assert sum(judge["lost"].values()) == 2


@pytest.mark.parametrize(
    "half", [["--judge-model", "m"], ["--judge-url", "http://x"], ["--judge-items", "0"]], ids=str
)
def test_half_an_order_is_refused(path: Path, half: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(path), *half]) == 2
    assert "Provide both --judge-model and --judge-url" in capsys.readouterr().err


def test_a_sample_is_the_same_each_time_and_in_order() -> None:
    items = clean(30, 5)
    found = drawn(items, 7)
    assert found == drawn(items, 7)
    assert [one.id for one in items if one in found] == [one.id for one in found]
    assert drawn(items, 30) == items
    assert SEED


@pytest.mark.parametrize(
    ("language", "heading"), [("en", "Findings by a language model"), ("zh", "语言模型的发现")]
)
def test_a_report_has_what_the_model_found_apart_from_the_checks(
    language: str, heading: str, path: Path, stub: StubServer, tmp_path: Path
) -> None:
    assert audit(path, stub, "--report", str(tmp_path), "--language", language, model="<b>m</b>") == 0
    ids = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    text, page = ((tmp_path / name).read_text(encoding="utf-8") for name in ("audit.md", "audit.html"))
    _checks, section = text.split(f"## {heading}\n")
    found = section.split("\n## ")[0]
    assert NONE_RULE.replace("_", "\\_") in found
    assert ids[2] in found
    assert ids[1] not in found
    assert f"<h2>{heading}</h2>" in page
    assert "&lt;b&gt;m&lt;/b&gt;" in page
    assert "<b>m" not in page


def test_a_report_says_that_the_model_found_nothing(path: Path, stub: StubServer, tmp_path: Path) -> None:
    items = clean(6, 5)
    path.write_bytes(write_items_jsonl(ReleaseRecord(one, one.split or "dev", "canary") for one in items))
    assert audit(path, stub, "--report", str(tmp_path)) == 0
    text = (tmp_path / "audit.md").read_text(encoding="utf-8")
    found = text.split("## Findings by a language model\n")[1].split("\n## ")[0]
    assert found.rstrip().endswith("\n- none")
    assert main(["audit", str(path), "--report", str(tmp_path)]) == 0
    assert "language model" not in (tmp_path / "audit.md").read_text(encoding="utf-8")
