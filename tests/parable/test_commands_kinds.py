"""`score` and `audit` over files of other kinds than choices: what they print, refuse, and leave with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parable.__main__ import main

SPAN = {"role": "S1", "text": "猫", "idxes": [0]}
TEXT = {"qid": "1", "context": "猫在桌上", "results": [[SPAN]]}
OTHER = {"qid": "2", "context": "狗在床下", "results": [[{"role": "P1", "text": "床下", "idxes": [2, 3]}]]}
ELEMENTS = [
    {"role": "空间实体", "fragment": {"text": "猫", "idxes": [0]}},
    {"role": "处所", "fragment": {"text": "桌上", "idxes": [2, 3]}},
]
TUPLES = {"qid": "1", "context": "猫在桌上", "corefs": [], "non_corefs": [], "results": [ELEMENTS]}
SCENE = {"qid": "1", "context1": "桌上", "context2": "桌下", "results": [{"judge": "true", "reason": "上下"}]}
UNLIKE = {
    "qid": "2",
    "context1": "左边",
    "context2": "右边",
    "results": [{"judge": "false", "reason": "左右"}],
}


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def _write(name: str, *rows: dict[str, Any]) -> str:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    return _write


def last(captured: Any) -> Any:
    return json.loads(captured.out.splitlines()[-1])


def test_it_scores_each_file_of_answers_by_the_shape_of_the_right_ones(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, given = write("gold.jsonl", TEXT, OTHER), write("mine.jsonl", {"qid": "1", "results": [[SPAN]]})
    assert main(["score", given, gold, "--gold", gold, "--json"]) == 0
    captured = capsys.readouterr()
    models = last(captured)["models"]
    assert set(models) == {"mine", "gold"}
    assert models["mine"]["anomaly"]["answered"] == 1
    assert models["mine"]["anomaly"]["strict"] == {
        "n": 2, "avg_precision": 0.5, "avg_recall": 0.5, "macro_f1": 0.5, "micro_f1": 0.5
    }  # fmt: skip
    assert models["gold"]["anomaly"]["loose"]["macro_f1"] == 1
    assert "| mine | strict | 2 | 1 | 0.5000 | 0.5000 | 0.5000 | 0.5000 |" in captured.out

    assert main(["score", write("t.jsonl", TUPLES), "--gold", write("g.jsonl", TUPLES), "--json"]) == 0
    assert last(capsys.readouterr())["models"]["t"]["step"]["macro_f1"] == 1


def test_it_scores_judgements_and_their_grades(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write("gold.jsonl", SCENE, UNLIKE)
    given = write(
        "mine.jsonl", {"qid": "1", "results": [{"judge": "true"}]}, {**UNLIKE, "results": SCENE["results"]}
    )
    assert main(["score", given, "--gold", gold, "--json"]) == 0
    found = last(capsys.readouterr())["models"]["mine"]["scene"]
    assert found == {"answered": 2, "n": 2, "correct": 1, "accuracy": 0.5, "score": None}

    grades = write("grades.jsonl", {"qid": "1", "grades": [5, 4]})
    assert main(["score", given, "--gold", gold, "--grades", grades, "--json"]) == 0
    assert last(capsys.readouterr())["models"]["mine"]["scene"]["score"] == 45


def test_it_is_told_the_kind_where_the_shape_does_not_tell(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = write("gold.jsonl", {**TUPLES, "results": []})
    assert main(["score", gold, "--gold", gold, "--kind", "step", "--json"]) == 0
    assert last(capsys.readouterr())["models"]["gold"]["step"]["macro_f1"] == 0


@pytest.mark.parametrize(
    ("gold", "given", "more", "place"),
    [
        ([{"qid": "1", "context": "猫"}], [TEXT], [], ("gold.jsonl", 1, "results")),
        ([{**SCENE, "results": []}, SCENE | {"qid": "3"}], [SCENE], [], ("gold.jsonl", 1, "results")),
        ([TEXT], [{"qid": "1"}], [], ("mine.jsonl", 1, "results")),
        ([TEXT], [TEXT, {"qid": "2", "results": [{}]}], [], ("mine.jsonl", 2, "results[1]")),
        ([TEXT, {**TEXT, "context": "x"}], [TEXT], [], ("gold.jsonl", 2, "id")),
        ([SCENE], [SCENE], [{"qid": "2", "grades": [5, 5]}], ("grades.jsonl", 1, "1")),
        ([SCENE], [SCENE], [{"qid": "1", "grades": [5, 6]}], ("grades.jsonl", 1, "grades")),
        ([SCENE], [SCENE], [{"qid": "1", "grades": [5]}], ("grades.jsonl", 1, "grades")),
        ([SCENE], [SCENE], [{"qid": "1", "grades": [5, "5"]}], ("grades.jsonl", 1, "grades[2]")),
        ([{"id": 1, "question": "?"}], [TEXT], [], ("gold.jsonl", 1, "file")),
    ],
)  # fmt: skip
def test_it_names_what_cannot_be_scored(
    write: Any,
    capsys: pytest.CaptureFixture[str],
    gold: list[Any],
    given: list[Any],
    more: list[Any],
    place: tuple[str, int, str],
) -> None:
    arguments = ["score", write("mine.jsonl", *given), "--gold", write("gold.jsonl", *gold), "--json"]
    if more:
        arguments += ["--grades", write("grades.jsonl", *more)]
    assert main(arguments) == 2
    captured = capsys.readouterr()
    said = last(captured)
    assert said["models"] == {}
    assert [(Path(one["file"]).name, one["row"], one["field"]) for one in said["errors"]] == [place]
    assert said["errors"][0]["message"] in captured.err


def test_it_scores_either_a_release_or_a_published_file(write: Any) -> None:
    path = write("gold.jsonl", TEXT)
    for more in ([], ["--gold", path, "--release", path]):
        with pytest.raises(SystemExit) as stopped:
            main(["score", path, *more])
        assert stopped.value.code == 2


def test_grades_are_of_one_file(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = write("gold.jsonl", SCENE)
    assert main(["score", path, path, "--gold", path, "--grades", path]) == 2
    assert "score each file with its grades" in capsys.readouterr().err


def test_it_names_records_that_contradict_themselves(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {**TEXT, "qid": "3", "results": [[SPAN, {**SPAN, "role": "P1", "text": "桌"}]]}
    path = write("texts.jsonl", TEXT, wrong)
    assert main(["audit", path, "--json"]) == 1
    captured = capsys.readouterr()
    said = last(captured)
    assert (said["items"], said["gates"], said["layouts"]) == (2, [], ["space2023-1"])
    assert said["item_checks"] == {"span_misspelled": ["3"]}
    (finding,) = said["findings"]
    assert {name: finding[name] for name in ("row", "id", "field", "severity")} == {
        "row": 2, "id": "3", "field": "alternative-1-P1", "severity": "error"
    }  # fmt: skip
    assert f"{path}, row 2, 3, alternative-1-P1: error: {finding['message']}" in captured.out
    assert said["statistics"]["space2023-1"]["by_fragments"] == {"1": 1, "2": 1}
    assert main(["audit", path, "--language", "zh"]) == 1
    assert "第 2 行，3, alternative-1-P1：错误" in capsys.readouterr().out


def test_it_leaves_with_zero_where_there_are_warnings_alone(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [write("tuples.jsonl", {**TUPLES, "results": [ELEMENTS[:1]]}), write("scenes.jsonl", SCENE)]
    assert main(["audit", *paths, "--json"]) == 0
    captured = capsys.readouterr()
    assert set(last(captured)["statistics"]) == {"space2023-2", "space2023-3"}
    assert "Records: 2. Errors: 0. Warnings: 1." in captured.out
    judged = write("judged.jsonl", {"qid": "1", "context": "猫", "judge": 1})
    assert main(["audit", judged, "--json"]) == 0
    assert last(capsys.readouterr())["statistics"] == {"space2022-1": {}}


def test_it_refuses_files_that_it_cannot_read_or_mix(
    write: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    broken = write("broken.jsonl", TEXT, {**TEXT, "qid": "2", "results": 1})
    assert main(["audit", broken, "--json"]) == 2
    (error,) = last(capsys.readouterr())["errors"]
    assert (error["row"], error["field"]) == (2, "results")
    sound = write("sound.jsonl", TEXT)
    assert main(["audit", sound, str(tmp_path / "absent.jsonl")]) == 2
    assert "separately" in capsys.readouterr().err
    assert main(["audit", sound, "--report", str(tmp_path)]) == 2
    assert "leave out --report" in capsys.readouterr().err
