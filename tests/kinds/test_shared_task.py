"""What a shared task needs of a release holds for every kind, and for one that nobody has written."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from annotation.content import ItemContent
from parable.__main__ import main
from parable.formats.errors import ErrorCode, ErrorList
from parable.formats.kind_files import LAYOUTS, layout_of
from parable.formats.layouts import read_layout
from parable.formats.predictions import Predictions
from parable.formats.records import released
from parable.kinds import KINDS, kind_of
from release.card.card import Frozen
from tests.kinds.marked import TEXT, own
from tests.kinds.released import record_of
from tests.kinds.samples import SAMPLES, Sample
from tests.kinds.unwritten import THINGS
from tests.release.folders import RECIPE, frozen, withheld, write

UNWRITTEN = Sample(
    "things", "zh", TEXT, ItemContent(own=own({"T": "香油"}, {"T": "鸡蛋"})), other=own({"T": "包裹里"})
)
EVERY = {**SAMPLES, THINGS.code: UNWRITTEN}
EACH = 6


@pytest.fixture(scope="module", autouse=True)
def _unwritten() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KINDS, THINGS.code, THINGS)
        yield


def kinds_have_samples() -> list[str]:
    """Every kind of the registry, and the unwritten one; one without a sample fails here."""
    return [*KINDS, THINGS.code]


@pytest.fixture(params=kinds_have_samples())
def sample(request: pytest.FixtureRequest) -> Sample:
    return EVERY[request.param]


@pytest.fixture
def release(sample: Sample) -> Frozen:
    items = [record_of(sample, number, source_id=f"2-official-{number}") for number in range(EACH)]
    return frozen(items, recipe=replace(RECIPE, dev_share="0.5"), language="zh")


@pytest.fixture
def folder(release: Frozen, tmp_path: Path) -> Path:
    return write(release, tmp_path / "release")


def rows(folder: Path, task: str, split: str = "test") -> list[dict[str, Any]]:
    """The items of a split as their file has them."""
    text = (folder / split / f"{task}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def said(sample: Sample, item: Mapping[str, Any], *, right: bool = True) -> str:
    """The item's own answer as a model should write it, or another one."""
    question = kind_of(sample.task).question
    if right:
        return question.words(item)
    if not sample.has_options:
        return question.words(dict(item) | {"own": {**question.asked_of(item), **sample.other}})
    if kind_of(sample.task).answer == "one":
        return "ABCD"[(item["answer"] + 1) % len(item["choices"])]
    letters: str = item["answer_letters"]
    return letters[::-1] if kind_of(sample.task).answer == "order" else letters[:1]


def responses(path: Path, texts: Mapping[str, str], model: str = "m") -> Path:
    lines = [
        json.dumps({"model": model, "item_id": name, "repeat": 1, "text": text})
        for name, text in texts.items()
    ]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def by_command(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """What `parable score --json` prints at last."""
    assert main(["score", *map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    return found


def by_program(folder: Path, *arguments: object) -> dict[str, Any]:
    """What the program of the release prints, with Python and its folder alone."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", folder / "score.py", *map(str, arguments), "--json"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_answers_to_the_test_alone_are_scored_on_the_test_alone(
    sample: Sample, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = rows(folder, sample.task)
    path = responses(tmp_path / "said.jsonl", {item["id"]: said(sample, item) for item in asked})
    command, program = by_command(capsys, path, "--release", folder), by_program(folder, path)
    for found in (command, program):
        assert found["splits"] == {"m": ["test"]}
        figures = found["models"]["m"][sample.task]
        assert (figures["n"], figures["correct"], figures["accuracy"]) == (len(asked), len(asked), 1.0)
    assert main(["score", str(path), "--release", str(folder)]) == 0
    assert "Scored splits, those that were answered: test (m)." in capsys.readouterr().out


def test_gold_answers_score_1_000_and_others_less_by_command_and_program_alike(
    sample: Sample, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through the layout of the prompt and the reader of what a model writes."""
    asked = [*rows(folder, sample.task, "dev"), *rows(folder, sample.task)]
    question = kind_of(sample.task).question
    for item in asked:
        prompt = question.put(question.template(item["language"]), item, range(len(item["choices"])))
        assert item["story"] in prompt
    both = [
        responses(
            tmp_path / f"{right}.jsonl",
            {item["id"]: said(sample, item, right=right) for item in asked},
            "gold" if right else "other",
        )
        for right in (True, False)
    ]
    measure = kind_of(sample.task).measure
    for found in (by_command(capsys, *both, "--release", folder), by_program(folder, *both)):
        gold, other = (found["models"][model][sample.task] for model in ("gold", "other"))
        assert (gold["n"], gold["correct"]) == (EACH, EACH)
        assert other["correct"] == 0
        if measure:
            assert gold[measure] == 1.0
            assert other[measure] < 1.0


def test_other_answers_get_the_same_figures_by_command_and_program(
    sample: Sample, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong, empty, without a sense, cut short, refused, missing: each counts alike."""
    asked = [*rows(folder, sample.task, "dev"), *rows(folder, sample.task)]
    texts = [
        said(sample, asked[0], right=False),
        "",
        "Hm.",
        said(sample, asked[3])[:-1],
        "I cannot answer that.",
    ]
    named = {item["id"]: text for item, text in zip(asked, texts, strict=False)}
    path = responses(tmp_path / "said.jsonl", named)
    command = by_command(capsys, path, "--release", folder)["models"]["m"][sample.task]
    program = by_program(folder, path)["models"]["m"][sample.task]
    for name, value in program.items():
        assert command[name] == pytest.approx(value, abs=1e-6), name
    assert program["failed"] == EACH - len(texts)


def test_withheld_answers_complete_its_program(sample: Sample, release: Frozen, tmp_path: Path) -> None:
    folder = write(withheld(release), tmp_path / "withheld")
    asked = rows(folder, sample.task)
    open_rows = rows(write(release, tmp_path / "open"), sample.task)
    answers = tmp_path / "answers.jsonl"
    fields = ("id", "answer", "answers", "own")
    lines = [{name: row[name] for name in fields if name in row} for row in open_rows]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    question = kind_of(sample.task).question
    assert all(question.right(item) is None for item in asked)
    path = responses(tmp_path / "said.jsonl", {item["id"]: said(sample, item) for item in open_rows})
    found = by_program(folder, path, "--answers", answers)["models"]["m"][sample.task]
    assert (found["n"], found["correct"]) == (len(asked), len(asked))


def test_its_harnesses_ask_and_score_every_kind(sample: Sample, folder: Path) -> None:
    """`tests/drills/test_harnesses.py` runs them; here is what each of them calls."""
    program = loaded(folder)
    items = program.read_items(folder, task=sample.task, split="test")
    assert len(items) == len(rows(folder, sample.task))
    question = kind_of(sample.task).question
    for item, row in zip(items, rows(folder, sample.task), strict=True):
        prompt = question.put(question.template(row["language"]), row, range(len(row["choices"])))
        assert program.prompt_of(item) == prompt
        assert program.target_of(item) == question.words(row)
        assert program.score_text(question.words(row), item) == ("correct", 1.0)
        assert program.score_text(said(sample, row, right=False), item).outcome == "wrong"
        assert program.measure_of(sample.task) == kind_of(sample.task).measure
        json.dumps(program.row_of(item))
    for path in (folder / "harness").rglob("*"):
        assert (
            not path.is_file()
            or sample.task in path.read_text(encoding="utf-8")
            or path.name.endswith("_items.py")
        )
    assert (folder / "harness" / "lm_eval" / f"small_fables_{sample.task}_gen.yaml").exists()


def loaded(folder: Path) -> Any:
    """The program of a release as a harness loads it."""
    spec = spec_from_file_location(f"score_{folder.parent.name}", folder / "score.py")
    assert spec is not None
    assert spec.loader is not None
    program = module_from_spec(spec)
    sys.modules[spec.name] = program
    spec.loader.exec_module(program)
    return program


def test_published_files_have_the_ids_with_which_items_came(sample: Sample, folder: Path) -> None:
    published = kind_of(sample.task).published
    if published is None or not published.is_released:
        assert not list((folder / "published").rglob(f"{sample.task}.*"))
        return
    (path,) = (folder / "published" / "test").glob(f"{sample.task}.*")
    layout = layout_of(path)
    assert layout is not None
    names = [
        layout.write(one)[layout.id_field] for one in read_layout(path, name="test", layout=layout).records
    ]
    assert names == [item["source_id"] for item in rows(folder, sample.task)]


def predictions(sample: Sample, path: Path, *, answered: int = EACH) -> Path | None:
    """The answers of all items as their publishers had them: by their ids, in their order of options."""
    published = kind_of(sample.task).published
    if published is None:
        return None
    layout = LAYOUTS[published.layouts[0]]
    items = [record_of(sample, number, id=f"2-official-{number}") for number in range(EACH)]
    written = [layout.write(published.value(released(item))) for item in items[:answered]]
    lines = [json.dumps(one) for one in written]
    path.write_text(f"[{','.join(lines)}]" if layout.is_list else "\n".join(lines), encoding="utf-8")
    return path


def test_predictions_in_the_published_layout_are_scored(
    sample: Sample, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = predictions(sample, tmp_path / "lab.json")
    if path is None:
        return  # a kind without a published layout
    found = by_command(capsys, path, "--release", folder)["models"]["lab"][sample.task]
    assert (found["n"], found["correct"]) == (EACH, EACH)
    unknown = tmp_path / "unknown.json"
    unknown.write_text(path.read_text(encoding="utf-8").replace("2-official-1", "2-official-9"), "utf-8")
    assert main(["score", str(unknown), "--release", str(folder)]) == 2
    assert "2-official-9" in capsys.readouterr().err


def test_a_source_id_of_two_items_names_neither() -> None:
    known = Predictions(
        {"a": "anomaly_spans", "b": "step_tuples"}, [("1", "a"), ("1", "b"), ("2", "b")], list
    )
    errors = ErrorList("said")
    unanswered = {"model": "m", "item_id": "b", "choice": None}
    assert known.response(1, {"qid": "1", "results": []}, "m", errors) is None
    assert known.response(2, {"qid": "2", "results": []}, "m", errors) == unanswered
    assert known.response(3, {"qid": "b", "results": []}, "m", errors) == unanswered
    assert known.response(4, {"qid": "2", "results": [3]}, "m", errors) is None
    assert known.response(5, {"pk": "other"}, "m", errors) is None
    found = [(one.row, one.field, one.code) for one in errors.in_order()]
    assert [(row, field) for row, field, _code in found] == [(1, "qid"), (4, "results[1]"), (5, "pk")]
    assert {code for row, _field, code in found if row != 4} == {ErrorCode.UNKNOWN_ITEM}
