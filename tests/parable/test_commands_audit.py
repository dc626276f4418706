"""`audit` over files: what it prints, how it ends, and the report that it writes."""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import gettext

from parable.__main__ import main
from parable.commands import audit
from parable.commands.audit import judged
from parable.commands.item_files import read_files
from parable.commands.second_process import Worker, second_process, this_process
from parable.formats.errors import SENTENCES
from parable.formats.items import read_items
from parable.formats.parable_jsonl import write_items_jsonl
from parable.formats.records import ItemRecord, ReleaseRecord
from parable.quality.gates import GATES, ItemSet
from parable.quality.item import CHECKS, RULES
from parable.quality.item.sets import judge_set
from parable.sentences import translate
from parable.splits import split_named
from tests.architecture import BASE
from tests.parable.planted import SET_LEVEL, clean, plant_in_set

SPOILED = plant_in_set(clean(120, 5), SET_LEVEL["the key is the longest"][1], 0.5, 5)


def file_of(items: list[ItemRecord], path: Path) -> Path:
    records = (ReleaseRecord(item, item.split or "dev", "canary") for item in items)
    path.write_bytes(write_items_jsonl(records))
    return path


def last_line(text: str) -> dict[str, object]:
    data = json.loads(text.splitlines()[-1])
    assert isinstance(data, dict)
    return data


def test_it_leaves_with_zero_where_no_gate_stops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file_of(clean(120, 5), tmp_path / "items.jsonl")
    assert main(["audit", str(path), "--json"]) == 0
    output = last_line(capsys.readouterr().out)
    assert (list(output), output["items"]) == (["items", "gates", "item_checks", "rules", "remarks"], 120)


def test_it_reads_files_in_the_format_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file_of(clean(120, 5), tmp_path / "items.jsonl")
    assert main(["audit", str(path), "--format", "parable"]) == 0
    assert main(["audit", str(path), "--format", "moodle"]) == 2
    assert main(["audit", str(path), "--format", "docx"]) == 2
    assert "There is no format docx. Known: auto, parable" in capsys.readouterr().err


@pytest.mark.parametrize("items", [clean(120, 5), SPOILED], ids=["clean", "spoiled"])
def test_two_processes_find_what_one_finds(items: list[ItemRecord]) -> None:
    whole = ItemSet(tuple(items), is_foreign=True)
    with second_process(audit.__name__) as other:
        assert judged(whole, other) == judged(whole, this_process())


def test_a_large_file_is_audited_by_two_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(SPOILED, tmp_path / "items.jsonl")
    assert main(["audit", str(path), "--json"]) == 1
    alone = last_line(capsys.readouterr().out)
    monkeypatch.setattr(audit, "LARGE", len(SPOILED) - 1)
    monkeypatch.setattr(audit, "LARGE_BYTES", path.stat().st_size - 1)
    assert main(["audit", str(path), "--json"]) == 1
    assert last_line(capsys.readouterr().out) == alone


def test_it_leaves_with_one_and_names_items_where_a_gate_stops(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file_of(SPOILED, tmp_path / "items.jsonl")
    assert main(["audit", str(path), "--json"]) == 1
    out = capsys.readouterr().out
    assert "Shorten keys or lengthen distractors" in out
    gates = last_line(out)["gates"]
    assert isinstance(gates, list)
    assert {gate["id"] for gate in gates} == set(GATES)
    fields = ["id", "task", "verdict", "figure", "low", "high", "threshold", "items"]
    assert all(list(gate) == fields for gate in gates)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "file: The file is empty."),
        (b'{"id": "a"', "row 1"),
        (b"\xff\xfe", "UTF-16"),
        (b"[]", "These files have no items."),
    ],
)
def test_it_leaves_with_two_and_a_sentence_where_a_file_is_unusable(
    content: bytes, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "items.json"
    path.write_bytes(content)
    assert main(["audit", str(path), "--json"]) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert last_line(printed.out)["gates"] == []


def test_it_names_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl, row 1, file: Cannot open the file" in capsys.readouterr().err


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_writes_a_report_that_needs_nothing_beside_itself(language: str, tmp_path: Path) -> None:
    items = [*SPOILED[:-1]]
    path = file_of(items, tmp_path / "items.jsonl")
    for folder in ("one", "two"):
        assert main(["audit", str(path), "--report", str(tmp_path / folder), "--language", language]) == 1
    for name in ("audit.html", "audit.md"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    page = (tmp_path / "one" / "audit.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 3
    assert not re.search(r"<script|<link|<img|<iframe|src=|@import|url\(http", page)
    written = page + (tmp_path / "one" / "audit.md").read_text(encoding="utf-8")
    title = "Audit of 119 items" if language == "en" else "119 道题的检查报告"
    assert written.count(title) == 3


def test_it_escapes_what_a_file_says(tmp_path: Path) -> None:
    marked = [
        ItemRecord(
            id=f"<script>{number}", task="moral", story_id=f"s{number}", title="", story="x", question="q|?",
            choices=tuple(f"<img src=x>{index}{'!' * (8 * (index == number % 4))}" for index in range(4)),
            answer=number % 4,
        )
        for number in range(120)
    ]  # fmt: skip
    path = file_of(marked, tmp_path / "items.jsonl")
    main(["audit", str(path), "--report", str(tmp_path / "out")])
    page = (tmp_path / "out" / "audit.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "<img" not in page


def test_it_judges_several_files_as_one_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = clean(120, 5)
    paths = [file_of(items[:60], tmp_path / "a.jsonl"), file_of(items[60:], tmp_path / "b.jsonl")]
    assert main(["audit", *map(str, paths), "--json"]) == 0
    assert last_line(capsys.readouterr().out)["items"] == 120


def test_it_is_a_command_of_manage_py_and_starts_no_server(shared_data: Path) -> None:
    path = shared_data / "crmus" / "published_format" / "dev_CRMUS_MU.json"
    done = subprocess.run(
        [sys.executable, "manage.py", "audit", str(path), "--json"],
        cwd=BASE, capture_output=True, text=True, timeout=120, check=False,
        env={"PATH": "", "PARABLE_HOME": "/nowhere/at/all"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    gates = {
        gate["id"]: gate
        for gate in json.loads(done.stdout.splitlines()[-1])["gates"]
        if gate["task"] in {None, "moral"}
    }
    assert gates["length_artefact"]["verdict"] == "error"
    assert gates["options_only"]["verdict"] == "error"
    assert gates["key_position"]["verdict"] == "ok"


def test_it_imports_no_django() -> None:
    program = (
        "import sys; from importlib import import_module; from parable.__main__ import COMMANDS;"
        "[import_module('parable.commands.' + name.replace('-', '_')) for name in COMMANDS];"
        "sys.exit('django' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=BASE, timeout=60, check=False)
    assert done.returncode == 0


def test_it_says_in_chinese_what_the_site_says() -> None:
    of_gates = {getattr(gate, name) for gate in GATES.values() for name in ("name", "looks_at", "why", "fix")}
    with translation.override("zh-hans"):
        for sentence in {*of_gates, *SENTENCES.values()}:
            assert sentence != translate(sentence, "zh") == gettext(sentence), sentence


def test_it_says_what_is_wrong_with_a_file_in_chinese(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": "i", "task": "moral", "choices": 3}\n', encoding="utf-8")
    assert main(["audit", str(path), "--language", "zh", "--json"]) == 2
    output = capsys.readouterr()
    assert "items.jsonl，第 1 行，choices：应为列表，而不是“3”。" in output.err
    errors = last_line(output.out)["errors"]
    assert isinstance(errors, list)
    assert all(re.search("[一-鿿]", one["message"]) for one in errors)


def test_it_loads_no_numbers_and_no_plots_before_they_are_wanted() -> None:
    """Every command of the site begins with this module."""
    program = (
        "import sys, config.command_line; print({'numpy', 'scipy', 'parable.charts'} & set(sys.modules))"
        "; import parable.commands.audit; print('parable.charts' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=BASE, check=True)
    assert answer.stdout.split("\n")[:2] == ["set()", "False"]


def test_it_refuses_a_command_that_it_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frobnicate"]) == 2
    assert "audit" in capsys.readouterr().err


def test_it_runs_the_item_checks_and_names_the_rule_of_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = clean(120, 5)
    items[3] = replace(items[3], choices=("a fox", "a crow", "an owl", "All of the above"))
    assert main(["audit", str(file_of(items, tmp_path / "items.jsonl")), "--json"]) == 0
    out = capsys.readouterr().out
    said = last_line(out)
    assert said["rules"] == RULES
    checks = said["item_checks"]
    assert isinstance(checks, dict)
    assert checks["all_option"] == checks["all_of_the_above"] == [items[3].id]
    assert set(checks) <= set(CHECKS)
    assert "Checks of single items: 120 items." in out
    assert "all_option [no_all_of_the_above]: “All of the above” by meaning (n = 1)" in out


def test_it_fails_fifty_keys_that_their_stems_quote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [replace(one, question=f"{one.question} {one.choices[one.answer or 0]}?") for one in clean(50, 5)]
    assert main(["audit", str(file_of(items, tmp_path / "items.jsonl")), "--json"]) == 1
    out = capsys.readouterr().out
    assert "failed  stem_names_key" in out
    checks = last_line(out)["item_checks"]
    assert isinstance(checks, dict)
    assert len(checks["stem_names_key"]) == 50


def test_it_judges_anybodys_items_by_what_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[dict[str, object]] = [
        {"question": "Which came first?", "choices": list("abcdefghijklmnopqrstuvwxyz"), "answer_index": 25},
        {"question": "Which came last?", "choices": ["owl", "fox", "owl"], "answer_index": 1},
        {"question": "Which came \u0080 second?", "choices": ["owl", "", "fox"], "answer_index": 0},
    ]
    path = tmp_path / "theirs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["audit", str(path), "--json", "--report", str(tmp_path / "out")]) == 1
    output = last_line(capsys.readouterr().out)
    checks = output["item_checks"]
    assert isinstance(checks, dict)
    assert output["items"] == 3
    assert checks["equal_options"] == ["theirs-2"]
    assert checks["empty_option"] == ["theirs-3"]
    assert checks["unclear_wording"] == ["theirs-3"]
    written = (tmp_path / "out" / "audit.md").read_text(encoding="utf-8")
    assert "| Equal options (equal\\_options) |  | failed | 1 | theirs-2 |" in written
    assert "equal_options" in (tmp_path / "out" / "audit.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Which?", "choices": [*"abcdefghijklmnopqrstuvwxyz", "more"], "answer_index": 0},
        {"question": "Which?", "choices": ["one"], "answer_index": 0},
        {"question": "", "choices": ["one", "two"], "answer_index": 0},
    ],
)
def test_it_still_leaves_with_two_where_a_row_cannot_be_read(row: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "theirs.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["audit", str(path)]) == 2


def test_it_reads_tables_with_more_than_eight_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "id,story,question,A,B,C,D,E,F,G,H,I,J,answer"
    row = "x,Once upon a time.,Which came first?,owl,fox,owl,ant,bee,cat,dog,eel,gnu,hen,J"
    path = tmp_path / "theirs.csv"
    path.write_text(f"{head}\n{row}\n", encoding="utf-8")
    assert main(["audit", str(path), "--json"]) == 1
    checks = last_line(capsys.readouterr().out)["item_checks"]
    assert isinstance(checks, dict)
    assert checks["equal_options"] == ["x"]
    assert "key_missing" not in checks
    (error,) = read_items(path, name="theirs.csv").errors
    assert error.code == "equal_options"


def test_it_names_the_equal_options_of_public_sets(shared_data: Path) -> None:
    counts = {"CQA": 12, "MMLU_Pro": 2, "ARC": 1, "MMLU": 1, "SIQA": 1}
    for name, equal in counts.items():
        files = read_files([shared_data / "mcq_sets" / f"{name}.jsonl"])
        found = judge_set(files.items.items, checks=[CHECKS["equal_options"]])
        assert (files.errors, found.items, len(found.found["equal_options"])) == ((), 1000, equal)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train.jsonl", "train"),
        ("c3-val_2.csv", "dev"),
        ("Validation.json", "dev"),
        ("mctest.test.jsonl", "test"),
        ("train_test_pairs.jsonl", None),
        ("latest.jsonl", None),
        ("devices.csv", None),
    ],
)
def test_the_name_of_a_file_may_say_its_split(name: str, split: str | None) -> None:
    assert split_named(name) == split


def test_a_story_in_two_files_named_by_split_is_a_leak(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = "A fox saw a crow with a piece of cheese in a tree and praised her voice until she sang."
    paths = []
    for number, name in enumerate(("train", "test")):
        item = {
            "id": f"{name}1", "story": story, "question": f"What came {number}?",
            "choices": [f"{name} one", f"{name} two", f"{name} three", f"{name} four"], "answer": 1,
        }  # fmt: skip
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text(json.dumps(item) + "\n", encoding="utf-8")
    assert main(["audit", *map(str, paths), "--json"]) == 1
    out = capsys.readouterr()
    assert "by the name of the file it is train" in out.out + out.err
    [leak] = [one for one in json.loads(out.out.splitlines()[-1])["gates"] if one["id"] == "split_leak"]
    assert (leak["verdict"], leak["items"]) == ("error", ["test1"])


def test_no_garbage_is_searched_for_during_an_audit_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[bool] = []

    def note(items: ItemSet, other: Worker) -> object:
        found.append(gc.isenabled())
        return judged(items, other)

    monkeypatch.setattr("parable.commands.audit.judged", note)
    assert main(["audit", str(file_of(clean(8, 1), tmp_path / "items.jsonl"))]) in {0, 1}
    assert found == [False]
    assert gc.isenabled()
