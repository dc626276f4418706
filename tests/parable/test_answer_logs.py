"""Logs of evaluation tools, as the tools wrote them: each answer is read, beside the verdict of the tool.

`foreign/README.md` says how the logs were made: on `records(3)` of the tests of releases.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parable.__main__ import main
from parable.formats.answer_log import answer_logs, log_of
from parable.formats.errors import ErrorCode, InputError
from parable.formats.responses import read_responses
from tests.release.folders import frozen, write
from tests.release.made import records

FILES = Path(__file__).parent / "foreign"
LIKELIHOODS = FILES / "samples_small_fables_commonsense_2026-11-29T01-10-53.jsonl"
TEXTS = FILES / "samples_small_fables_commonsense_gen_2026-11-29T01-10-53.jsonl"
INSPECT = FILES / "inspect_moral.eval"
OPTIONS = {f"small-fables-{letter}-{number:06}": 4 for letter in "cm" for number in range(1, 30)}


def read(path: Path) -> list[tuple[str, int, str | None, object, bool | None]]:
    found = read_responses([path], options=OPTIONS)
    assert found.errors == ()
    return [(one.item_id[-9:], one.repeat, one.text, one.choice, one.tool_says) for one in found.records]


def test_it_reads_the_likeliest_option_of_lm_eval() -> None:
    assert read(LIKELIHOODS) == [
        ("-c-000001"[-9:], 1, None, 3, True),
        ("-c-000002"[-9:], 1, None, 1, True),
        ("-c-000003"[-9:], 1, None, read(LIKELIHOODS)[2][3], True),
    ]


def test_it_reads_generated_answers_of_lm_eval_as_they_came() -> None:
    first, second, _third = read(TEXTS)
    assert first == ("-c-000001", 1, "I would say the answer is A.", None, False)
    assert second == ("-c-000002", 1, "I would say the answer is B.", None, True)


def test_it_reads_a_log_of_inspect_whose_members_zipfile_cannot_read() -> None:
    found = read(INSPECT)
    assert len(found) == 6
    assert {one[2] for one in found} == {"The answer is A, since the story says so."}
    assert sum(bool(one[4]) for one in found) == 1


def test_it_names_the_model_by_the_results_beside_the_samples(tmp_path: Path) -> None:
    samples = tmp_path / "samples_task_2026.jsonl"
    samples.write_bytes(TEXTS.read_bytes())
    assert {one.model for one in read_responses([samples], options=OPTIONS).records} == {"samples_task_2026"}
    (tmp_path / "results_2026.json").write_text('{"model_name": "org/model"}')
    assert {one.model for one in read_responses([samples], options=OPTIONS).records} == {"org/model"}


@pytest.mark.parametrize("log", [TEXTS, LIKELIHOODS, INSPECT], ids=lambda path: path.name[:20])
def test_it_compares_its_verdict_with_that_of_the_tool(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = write(frozen(records(3)), tmp_path / "release")
    assert main(["score", str(log), "--release", str(release), "--split", "test", "--json"]) == 0
    printed = capsys.readouterr().out
    [found] = json.loads(printed.splitlines()[-1])["tool_judged"].values()
    assert found == {"judged": 6 if log is INSPECT else 3, "differences": []}
    assert "are scored alike here; differences: 0." in printed


def test_it_lists_what_a_tool_judged_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = write(frozen(records(3)), tmp_path / "release")
    log = tmp_path / "samples_x_1.jsonl"
    log.write_text(TEXTS.read_text(encoding="utf-8").replace('"acc": 0.0', '"acc": 1.0'), encoding="utf-8")
    main(["score", str(log), "--release", str(release), "--split", "test"])
    assert "small-fables-c-000001: right for the tool, not here; read as A." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"doc_id": 0, "doc": {"id": "a"}, "resps": [["x"]]', ErrorCode.NOT_JSON),
        (b'{"doc_id": 0, "doc": 3}', ErrorCode.NOT_AN_OBJECT),
        (b'{"doc_id": 0, "doc": {"id": "a"}, "x": "' + b"y" * 5_000_000, ErrorCode.TOO_LONG),
    ],
)
def test_it_refuses_a_line_that_is_no_sample(line: bytes, code: ErrorCode, tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_bytes(line + b"\n")
    log = log_of(path, line[:4096])
    assert log is not None
    with pytest.raises(InputError) as refused:
        list(log.read(path))
    assert refused.value.code == code


@pytest.mark.parametrize("log", answer_logs(), ids=lambda log: log.code)
def test_no_log_is_taken_for_a_file_of_ours(log: object, tmp_path: Path) -> None:
    assert isinstance(log, type(answer_logs()[0]))
    for head in (b"", b"PK\x03\x04", b'{"model": "m", "item_id": "a", "repeat": 1, "text": "A"}', b"[]"):
        path = tmp_path / "file"
        path.write_bytes(head)
        assert not log.detect(path, head)
