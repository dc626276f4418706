"""`evaluate`: a release in a folder is answered over real HTTP, and what was answered is not asked twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parable.__main__ import main
from parable.commands.evaluate import SENTENCES
from parable.llm.conditions import CRMUS_PROMPT
from parable.llm.stub import StubServer
from tests.parable.release_folders import item, write_release

BASE = Path(__file__).resolve().parents[2]
ITEMS = [item(f"s{n}-c", split="dev" if n < 2 else "test") for n in range(4)] + [
    item(f"s{n}-m", "moral", language="zh") for n in range(2)
]


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", ITEMS)


def ask(folder: Path, stub: StubServer, *more: str, model: str = "stub-letter") -> int:
    out = folder.parent / "answers.jsonl"
    known = ["--model", model, "--base-url", stub.base_url, "--out", str(out)]
    return main(["evaluate", str(folder), *known, *more])


def lines(folder: Path) -> list[dict[str, Any]]:
    text = (folder.parent / "answers.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_it_asks_every_item_in_its_language_and_appends_what_came(folder: Path, stub: StubServer) -> None:
    assert ask(folder, stub, "--repeats", "2") == 0
    found = lines(folder)
    assert len(found) == len({(row["item_id"], row["repeat"]) for row in found}) == 12
    assert {row["model"] for row in found} == {"stub-letter"}
    assert all(row["text"] in "ABCD" for row in found)
    prompts = [seen.prompt for seen in stub.log]
    assert sum("A crow, s0-c, was thirsty." in prompt for prompt in prompts) == 2
    assert sum("单项选择题" in prompt for prompt in prompts) == 4
    settings = json.loads((folder.parent / "answers.asked.json").read_text(encoding="utf-8"))
    assert (settings["model"], settings["version"], set(settings["prompts"])) == (
        "stub-letter",
        "1.2.0",
        {"en", "zh"},
    )


def test_it_repeats_a_published_evaluation_to_the_letter(
    folder: Path, stub: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(folder, stub, "--condition", "crmus-repeated", "--rule", "crmus") == 0
    assert Counter(row["repeat"] for row in lines(folder)) == {1: 6, 2: 6}
    first = CRMUS_PROMPT.partition("{")[0]
    assert all(seen.prompt.startswith(first) for seen in stub.log)
    for more in (["--repeats", "3"], ["--order", "shuffled"], ["--prompt", "p.txt"]):
        assert ask(folder, stub, "--condition", "crmus", *more) == 2
        assert f"--condition crmus sets {more[0]}" in capsys.readouterr().err


def test_it_goes_on_where_it_was_broken_off(folder: Path, stub: StubServer) -> None:
    assert ask(folder, stub, "--limit", "3") == 0
    file = folder.parent / "answers.jsonl"
    with file.open("ab") as half:
        half.write(b'{"model": "stub-letter", "item_id": "s3-c", "rep')
    assert ask(folder, stub) == 0
    assert stub.counts["letter"] == len(lines(folder)) == 6
    assert ask(folder, stub) == 0
    assert stub.counts["letter"] == 6


def test_it_puts_options_in_every_rotation(folder: Path, stub: StubServer) -> None:
    assert ask(folder, stub, "--split", "dev", "--order", "circular") == 0
    found = lines(folder)
    assert sorted((row["item_id"], row["rotation"]) for row in found) == [
        (name, turn) for name in ("s0-c", "s1-c") for turn in range(4)
    ]
    assert all(row["order"][0] == row["rotation"] for row in found)


def test_it_counts_a_refusal_as_an_answer_and_a_failure_as_none(folder: Path, stub: StubServer) -> None:
    assert ask(folder, stub, "--limit", "2", model="stub-refusal") == 0
    assert [(row["text"], row["outcome"]) for row in lines(folder)] == [("", "refused")] * 2
    (folder.parent / "answers.jsonl").unlink()
    assert ask(folder, stub, "--limit", "2", model="stub-400") == 1
    assert lines(folder) == []


@pytest.mark.parametrize(
    ("model", "said", "kept"),
    [
        ("stub-cutoff", "6 of 6 answers were cut off", {"finish_reason": "length"}),
        ("stub-onlythought", "6 of 6 answers are thinking", {"finish_reason": "stop", "only_thought": True}),
        ("stub-geminithinking", "", {"finish_reason": "stop", "reasoning_tokens": 60}),
        ("stub-othermodel", "the server answered as models/seven.gguf", {"answered_by": "models/seven.gguf"}),
    ],
)
def test_it_keeps_and_says_how_answers_ended(
    folder: Path,
    stub: StubServer,
    capsys: pytest.CaptureFixture[str],
    model: str,
    said: str,
    kept: dict[str, object],
) -> None:
    assert ask(folder, stub, "--json", model=model) == 0
    assert said in capsys.readouterr().out
    assert all(row.items() >= kept.items() for row in lines(folder))
    chosen = 6 if model in {"stub-geminithinking", "stub-othermodel"} else 0
    assert main(["score", str(folder.parent / "answers.jsonl"), "--release", str(folder), "--json"]) == 0
    out = capsys.readouterr().out
    assert said in out
    found = json.loads(out.splitlines()[-1])
    tasks = [one for one in found["models"][model].values() if isinstance(one, dict) and "unparsed" in one]
    assert sum(one["unparsed"] for one in tasks) == 6 - chosen
    assert found.get("cut_off") == ({model: 6} if model == "stub-cutoff" else None)


def test_it_prints_the_servers_words_once_for_each_kind_of_failure(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programme = ("fastapidetail", "vllmlong", "403", "xaisafety", "letter", "letter")
    with StubServer(programme=("letter", *programme[:-1])) as server:
        assert ask(folder, server, "--parallel", "1", model="any") == 1
    err = capsys.readouterr().err
    assert err.count("body.top_k: Input should be an integer") == 1
    assert err.count("This key may not use the model.") == 1
    assert "1 refused. The server says: Content violates usage guidelines." in err
    assert "Stopped" not in err


def test_it_adds_up_the_tokens_of_every_reply_whatever_became_of_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three answers, a reply broken off and asked again, and a refusal: five replies of 21 + 3 tokens."""
    replies = ("othermodel", "deepseekbusy", "geminisafety", "othermodel", "othermodel")
    with StubServer(programme=replies) as server:
        more = ("--parallel", "1", "--limit", "4", "--json")
        assert ask(folder, server, *more, model="any") == 0
    out = capsys.readouterr().out
    assert "Tokens that the server counted: 63 of prompts, 9 of answers, and 48 that brought no answer" in out
    assert json.loads(out.splitlines()[-1])["tokens"] == {"prompt": 63, "completion": 9, "lost": 48}


def test_it_stops_at_once_where_no_question_can_be_answered(
    folder: Path, stub: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(folder, stub, "--parallel", "1", model="stub-401") == 1
    assert stub.counts["401"] == 1
    assert "The server requires an API key" in capsys.readouterr().err


def test_it_says_what_it_cannot_use(
    folder: Path, stub: StubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Which one?", encoding="utf-8")
    assert ask(folder, stub) == 0
    for more, words in (
        (["--prompt", str(prompt)], "needs {question} and {options}"),
        (["--parameters", "[]"], "must be a JSON object"),
        (["--parameters", '{"model": "x"}'], "must not set model"),
        (["--parameters", '{"temperature": NaN}'], "must be a JSON object"),
        (["--parameters", '{"temperature": 1e999}'], "must be a JSON object"),
        (["--prompt", str(tmp_path / "none")], "none: cannot be read: No such file"),
        (["--order", "shuffled"], "asked in another way"),
    ):
        assert ask(folder, stub, *more) == 2
        assert words in capsys.readouterr().err
    (folder.parent / "answers.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    assert ask(folder, stub) == 2
    assert "answers.jsonl, line 1" in capsys.readouterr().err
    assert ask(tmp_path / "nowhere", stub) == 2
    (folder.parent / "answers.jsonl").unlink()
    assert ask(folder, stub, "--base-url", "not a url") == 2
    assert "base URL" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--timeout", "nan", "seconds"),
        ("--timeout", "0", "seconds"),
        ("--limit", "x", "whole number"),
        ("--repeats", "0", "at least 1"),
        ("--model", " ", "not a name"),
        ("--model", "m\udc80", "not a name"),
    ],
)
def test_it_refuses_what_is_no_number_or_name(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, words: str
) -> None:
    known = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    with pytest.raises(SystemExit) as left:
        main(["evaluate", str(folder), *known, option, value])
    assert left.value.code == 2
    assert words in capsys.readouterr().err


def test_it_has_a_sentence_for_each_way_in_which_a_question_can_fail() -> None:
    source = "".join(
        (BASE / "parable" / "llm" / f"{name}.py").read_text(encoding="utf-8")
        for name in ("addresses", "client", "errors", "transport", "replies")
    )
    codes = set(re.findall(r'code="(\w+)"|default_code = "(\w+)"', source))
    never_end = {"content_filter", "model_declined", "schema_refused", "address_inside", "parameter_reserved"}
    assert {one or other for one, other in codes} - never_end <= SENTENCES.keys()


def test_it_leaves_alone_a_file_whose_last_line_is_not_its_own(
    folder: Path, stub: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder.parent / "answers.jsonl"
    file.write_text("notes of somebody, without an end of line", encoding="utf-8")
    assert ask(folder, stub) == 2
    assert "Name another file with --out" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8").startswith("notes of somebody")


@pytest.mark.drill
def test_it_loses_no_answer_to_kill_9(folder: Path) -> None:
    with StubServer(latency=0.15) as stub:
        command = [sys.executable, "-m", "parable", "evaluate", str(folder), "--model", "stub-letter"]
        command += ["--base-url", stub.base_url, "--repeats", "5", "--parallel", "2"]
        command += ["--out", str(folder.parent / "answers.jsonl")]
        env = {**os.environ, "PYTHONPATH": str(BASE)}
        with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as program:
            until = time.monotonic() + 30
            while sum(stub.counts.values()) < 8 and time.monotonic() < until:
                time.sleep(0.05)
            program.send_signal(signal.SIGKILL)
        before = len(lines(folder))
        assert 6 <= before < 30
        assert subprocess.run(command, env=env, capture_output=True, check=False, timeout=60).returncode == 0
        assert len(lines(folder)) == 30
        assert sum(stub.counts.values()) <= 30 + 2  # what was out when it was killed is asked again


def test_it_prints_the_tables_and_the_object_that_scripts_read(
    folder: Path, stub: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(folder, stub, "--repeats", "2", "--json") == 0
    captured = capsys.readouterr()
    data = json.loads(captured.out.splitlines()[-1])["models"]["stub-letter"]
    rows = [row for row in lines(folder) if row["item_id"].endswith("-c")]
    right = sum(row["text"] == "B" for row in rows)
    assert (data["commonsense"]["n"], data["commonsense"]["correct"]) == (8, right)
    assert data["moral"]["n"] == 4
    assert "stub-letter" in captured.out
    main(["score", str(folder.parent / "answers.jsonl"), "--release", str(folder), "--json"])
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["models"]["stub-letter"] == data


def test_it_scores_what_it_has_keys_for(
    tmp_path: Path, stub: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_release(tmp_path / "withheld", ITEMS, withheld=True)
    assert ask(folder, stub, "--json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out.splitlines()[-1])["models"]["stub-letter"]["commonsense"]["n"] == 2
    assert "4 items have no key here" in captured.err
