"""The files of a release beside its items: that they hold together, and that they give no key away."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from parable.__main__ import main
from parable.psychometrics.agreement import FIGURES, AgreementFigure
from release.assembly.recipe import Recipe
from release.assembly.records import FrozenItem
from release.card.blocks import as_markdown
from release.card.card import Frozen, card
from release.files.folder import File, render
from tests.architecture import BASE
from tests.release.folders import RECIPE, all_files, frozen, withheld, write
from tests.release.made import record, records

NO_CANARY = ("crmus/", "SHA256SUMS")
"""Their form is fixed by others."""
ANSWERED: dict[str, Any] = {
    "accuracy": {task: {"value": 0.9, "low": 0.85, "high": 0.94, "n": 120} for task in ("", "moral")},
    "agreement": {
        "moral": {
            "twice": 40,
            "alpha": {"value": 0.61, "low": 0.4, "high": 0.8},
            "ac2": {"value": None, "low": None, "high": None},
        }
    },
    "styles": {
        "moral": {
            "human": {"value": 0.7, "low": 0.6, "high": 0.8, "n": 40},
            "machine": {"value": 0.6, "low": 0.5, "high": 0.7, "n": 80},
            "difference": {"value": 0.1, "low": -0.02, "high": 0.22, "n": 120},
        }
    },
    "written": {"moral": 30, "commonsense": 60},
    "sent": (("glm-4", "models.example.org", 2, 1, 3),),
}


def rows(files: dict[str, File], name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files[name].content.decode().splitlines()]


def text(release: Frozen) -> str:
    return as_markdown(card(release))


# --- in every file ---


def test_it_marks_every_record_and_every_file_whose_form_is_ours() -> None:
    release = frozen()
    for name, file in all_files(release).items():
        if name.startswith(NO_CANARY):
            continue
        assert release.canary in file.content.decode(), name
        if name.endswith(".jsonl"):
            assert all(row["canary"] == release.canary for row in rows(render(release), name))


def test_it_lists_and_hashes_every_file() -> None:
    files = all_files(frozen())
    listed = dict(line.split("  ")[::-1] for line in files["SHA256SUMS"].content.decode().splitlines())
    assert listed == {
        name: files[name].sha256 for name in files if name not in {"SHA256SUMS", "MANIFEST.json"}
    }
    entries = json.loads(files["MANIFEST.json"].content)["files"]
    assert entries.keys() == files.keys() - {"MANIFEST.json"}


def test_it_makes_the_same_bytes_again() -> None:
    assert all_files(frozen()) == all_files(frozen())


def test_it_prints_the_interval_of_a_gate() -> None:
    gate = {
        "id": "length_artefact", "task": "moral", "verdict": "ok", "figure": 0.31, "low": 0.27, "high": 0.36,
        "threshold": 0.3, "items": [],
    }  # fmt: skip
    other = gate | {"id": "rights", "task": None, "figure": 0, "low": None, "high": None}
    card = render(frozen(gates=(gate, other)))["README.md"].content.decode()
    assert "| Gate | Task | Verdict | Figure | 95 % interval | Threshold |" in card
    assert "| `length_artefact` | moral | passed | 0.31 | 0.27 to 0.36 | 0.3 |" in card
    assert "| `rights` |  | passed | 0 |  | 0.3 |" in card


def test_it_takes_the_programs_that_went_out_with_a_release_not_todays() -> None:
    kept = dict.fromkeys(("score.py", "reading/answers.py", "harness/lm_eval/items.py"), "# as it was\n")
    files = render(replace(frozen(), programs=kept))
    assert files["score.py"].content == b"# as it was\n"
    assert [name for name in files if name.endswith(".py")] == sorted(kept)


def test_it_adds_no_harness_to_releases_of_an_earlier_layout() -> None:
    """Those built since have two more; the other files of a harness are the same."""
    now = render(frozen())
    before = render(frozen(recipe=replace(RECIPE, layout=6)))
    added = {"harness/evalscope/small_fables.py", "harness/lighteval/small_fables.py"}
    assert now.keys() - before.keys() == added
    assert {name for name in before if before[name] != now[name]} == {"README.md", "SHA256SUMS"}


@pytest.mark.parametrize("harness", ["evalscope", "lighteval"])
def test_it_names_the_version_of_a_harness_that_its_tasks_were_run_with(harness: str) -> None:
    pins = (BASE / "tests" / "harnesses" / f"{harness}.txt").read_text(encoding="utf-8")
    [version] = re.findall(rf"^{harness}==(.+)$", pins, re.MULTILINE)
    text = render(frozen())[f"harness/{harness}/small_fables.py"].content.decode()
    assert f"(run with {version}" in text


def test_it_writes_programs_that_python_reads() -> None:
    for release in (
        frozen(name='A "quoted" \\ name\nof two lines @TAG@', slug="2-fables"),
        frozen(language="zh"),
    ):
        for name, file in render(release).items():
            if name.endswith(".py"):
                ast.parse(file.content.decode())


# --- nothing gives a key away ---


def other_keys(items: tuple[FrozenItem, ...]) -> tuple[FrozenItem, ...]:
    """The same items, each test item with another key and another explanation."""
    return tuple(
        replace(one, record={**one.record, "answer": (one.record["answer"] + 1) % 4, "explanation": "It is."})
        if one.split == "test"
        else one
        for one in items
    )


@pytest.mark.parametrize("recipe", [RECIPE, replace(RECIPE, anonymous=True), replace(RECIPE, split="item")])
def test_it_writes_the_same_files_whatever_the_withheld_keys_are(recipe: Recipe) -> None:
    """If the keys of the test were others, every byte and hash would be the same: so none reveals them."""
    gate = {
        "id": "options_only",
        "task": "moral",
        "verdict": "warning",
        "figure": 0.4,
        "low": 0.3,
        "high": 0.5,
    }
    gates = ({**gate, "threshold": 0.3, "items": ["small-fables-m-000025"]},)
    release = withheld(frozen(recipe=recipe, seed="ab" * 16, gates=gates, **ANSWERED))
    changed = replace(release, items=other_keys(release.items))
    assert changed != release
    assert all_files(changed) == all_files(release)
    published = b"".join(file.content for file in all_files(release).values())
    assert release.seed.encode() not in published
    assert any(
        all_files(replace(one, recipe=recipe)) != all_files(replace(release, recipe=recipe))
        for one in [changed]
    )


def test_it_gives_examples_of_dev_only() -> None:
    release = frozen()
    dev = {one.public_id for one in release.items if one.split == "dev"}
    for name in ("instruction/alpaca_dev.jsonl", "instruction/chat_dev.jsonl"):
        assert {row["id"] for row in rows(render(release), name)} == dev


# --- anonymous ---


def test_it_names_neither_project_nor_people_in_an_anonymous_release() -> None:
    open_one = frozen(name="Hidden Lab Fables", description="Made at Hidden Lab.", **ANSWERED)
    release = frozen(
        name="Hidden Lab Fables",
        description="Made at Hidden Lab.",
        recipe=replace(RECIPE, anonymous=True, contact="mia@hidden.example"),
        **ANSWERED,
    )
    for name, file in all_files(release).items():
        text = f"{name}\n{file.content.decode()}".lower()
        for word in ("small-fables", "small_fables", "smallfables", "hidden", "models.example.org"):
            assert word not in text, (name, word)
    assert release.canary != open_one.canary
    assert release.canary == replace(release, facts=replace(release.facts, slug="other")).canary


def test_it_names_no_id_that_items_came_with_in_an_anonymous_release() -> None:
    named = [replace(one, source_id=f"hidden-{one.id}") for one in records(6)]
    release = frozen(named, recipe=replace(RECIPE, anonymous=True))
    assert all("hidden" not in file.content.decode() for file in all_files(release).values())


# --- the ids that items came with ---


def test_it_gives_back_the_id_that_an_item_came_with() -> None:
    """In the CRMUS layout in place of ours, but where another item has it."""
    ours = "small-fables-m-000042"
    came = {"moral-0-0": "12_34", "commonsense-0-0": "12_34", "moral-0-1": ours}
    release = frozen([replace(one, source_id=came.get(one.id, "")) for one in records(6)])
    files = all_files(release)
    sources = {
        row["id"]: row["source_id"]
        for split in ("dev", "test")
        for task in ("moral", "commonsense")
        for row in rows(files, f"{split}/{task}.jsonl")
    }
    assert sorted(filter(None, sources.values())) == ["12_34", "12_34", ours]
    assert ours in sources
    filtered = {name for name, source in sources.items() if source != "12_34"}
    crmus = [
        [one["id"] for split in ("dev", "test") for one in json.loads(files[name.format(split)].content)]
        for name in ("crmus/{}_CRMUS_CR.json", "crmus/{}_CRMUS_MU.json")
    ]
    assert [len(set(ids)) for ids in crmus] == [24, 18]
    assert {name for ids in crmus for name in ids} == filtered | {"12_34"}
    assert "3 of 42 items came from files with an id" in text(release)


# --- the card ---


def test_it_shows_the_figures_of_items_people_and_models() -> None:
    page_text = text(frozen(**ANSWERED))
    assert "Items written: commonsense: 60, moral: 30." in page_text
    assert "| moral | 120 | 0.900 (0.850 to 0.940) | 40 | 0.610 (0.400 to 0.800) |  |" in page_text
    assert "| moral, human | 40 | 0.700 (0.600 to 0.800) |  |  |  |" in page_text
    assert "| moral, machine | 80 | 0.600 (0.500 to 0.700) |  |  |  |" in page_text
    assert "| glm-4 | models.example.org | 2 | 1 | 3 |" in page_text
    before = text(frozen(recipe=replace(RECIPE, layout=1), **ANSWERED))
    assert "moral understanding | 120" in before
    assert "moral understanding, human" not in before
    assert "### Positions of the key" in page_text
    unknown = text(frozen())
    assert "human accuracy and agreement are unknown" in unknown
    assert "No story, moral or item of this release was sent to a language model" in unknown


@pytest.mark.parametrize(("language", "said"), [("en", "not counted yet"), ("zh", "尚未计算")])
def test_its_card_has_the_figures_of_agreement_that_were_counted(language: str, said: str) -> None:
    """A figure of its layout always has a column, one that was added later only where it was counted."""
    agreed = {"moral": {"twice": 40, "ac2": {"value": 0.5, "low": None, "high": None}}}
    found = frozen(language=language, **{**ANSWERED, "agreement": agreed})
    before = text(found)
    assert f"| 40 | {said} | 0.500 |\n" in before
    later = AgreementFigure("later", "Later figure", lambda counts: counts / 1, lambda sums: sums[:, 0])
    with mock.patch("release.card.figures.FIGURES", (*FIGURES, later)):
        assert text(found) == before
        agreed["moral"]["later"] = {"value": 0.25, "low": None, "high": None}
        assert f"| 40 | {said} | 0.500 | 0.250 |\n" in text(found)


def test_it_shows_lengths_and_places_of_keys_of_dev_only_where_answers_are_withheld() -> None:
    page_text = text(withheld(frozen()))
    assert "### Mean length in characters (dev only" in page_text
    places = page_text.partition("### Positions of the key")[2].partition("##")[0]
    assert "| dev |" in places
    assert "| test |" not in places


def test_it_writes_the_card_in_chinese_for_a_chinese_project() -> None:
    page_text = text(frozen(language="zh", **ANSWERED))
    ours = page_text.replace(str(frozen().canary), "")
    for word in ("load_dataset", "Krippendorff", "Parable"):
        ours = ours.replace(word, "")
    assert "## 构建前发给模型的内容" in page_text
    assert "human accuracy" not in page_text
    assert "Items written" not in page_text


@pytest.mark.parametrize(
    ("licence", "code", "more"),
    [
        ("CC BY 4.0", "cc-by-4.0", None),
        ("cc-by-sa-4.0", "cc-by-sa-4.0", None),
        ("Ask us", "other", "Ask us"),
        ("", "unknown", None),
    ],
)
def test_it_writes_front_matter_that_yaml_reads(licence: str, code: str, more: str | None) -> None:
    release = frozen(licence=licence, name='Fables: "small" #1')
    header = yaml.safe_load(render(release)["README.md"].content.decode().split("---\n")[1])
    assert (header["license"], header.get("license_name")) == (code, more)
    assert (header["language"], header["size_categories"]) == (["en"], ["n<1K"])
    assert [one["config_name"] for one in header["configs"]] == ["all", "commonsense", "moral"]
    files = {path for one in header["configs"] for part in one["data_files"] for path in part["path"]}
    assert files == {name for name in render(release) if re.fullmatch("(dev|test)/.*", name)}


# --- instruction files ---


def test_it_writes_examples_in_the_shapes_that_trainers_read() -> None:
    release = frozen()
    files = render(release)
    alpaca = rows(files, "instruction/alpaca_dev.jsonl")[0]
    chat = rows(files, "instruction/chat_dev.jsonl")[0]
    item = next(row for row in rows(files, "dev/commonsense.jsonl") if row["id"] == alpaca["id"])
    assert list(alpaca) == ["instruction", "input", "output", "id", "canary"]
    assert alpaca["output"] == item["answer_letter"]
    assert [said["role"] for said in chat["messages"]] == ["user", "assistant"]
    assert chat["messages"][0]["content"] == f"{alpaca['instruction']}\n\n{alpaca['input']}"
    assert chat["messages"][0]["content"].endswith("Answer:")


# --- score.py ---


def run_score(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the program of a release by itself: no packages, no environment."""
    command = [sys.executable, "-I", "-S", str(folder / "score.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_it_writes_the_weights_of_the_registry_into_the_program() -> None:
    program = render(frozen())["score.py"].content.decode()
    assert 'WEIGHTS = {"commonsense": 0.4, "moral": 0.6}\n' in program
    assert '"by_style": cells("style", "moral"),' in program
    assert "@TASK@" not in program
    assert "@STYLED@" not in program


def test_it_scores_responses_with_nothing_but_python(tmp_path: Path) -> None:
    release = frozen([*records(4), record(4, 0, types=("social", "physical"))])
    folder = write(release, tmp_path / "release")
    said = [
        {
            "model": "m",
            "item_id": one.public_id,
            "repeat": 1,
            "text": f"Answer: {'ABCD'[one.record['answer']]}",
        }
        for one in release.items
    ]
    said[0]["text"] = "A or B"
    said[1]["text"] = ""
    said[2]["text"] = "The moon."
    key = release.items[3].record["answer"]
    said[3] |= {"text": f"At first {'ABCD'[key]} is right. But the", "finish_reason": "length"}
    said[4] |= {"text": f"{said[4]['text']}. Since the", "finish_reason": "length"}
    responses = tmp_path / "responses.jsonl"
    responses.write_text("".join(json.dumps(one) + "\n" for one in said[:-1]), encoding="utf-8")
    done = run_score(folder, responses, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)["models"]["m"]
    whole = [found["commonsense"], found["moral"]]
    assert sum(one["n"] for one in whole) == len(release.items)
    assert sum(one["correct"] for one in whole) == len(release.items) - 5
    assert (found["commonsense"]["ambiguous"], sum(one["unparsed"] for one in whole)) == (1, 3)
    assert sum(one["failed"] for one in whole) == 1
    assert sum(one["n"] for one in found["by_type"].values()) == found["commonsense"]["n"] + 1
    assert set(found["by_style"]) == {"human", "machine"}
    share = [one["accuracy"] for one in whole]
    assert found["score"] == pytest.approx(0.4 * share[0] + 0.6 * share[1], abs=1e-5)
    assert "moral" in run_score(folder, responses).stdout


def test_it_scores_as_the_platform_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Texts and choices, shown in other orders, in several repeats, some missing, some twice."""
    release = frozen([*records(4), record(4, 0, types=("social", "physical"))])
    folder, responses = write(release, tmp_path / "release"), tmp_path / "responses.jsonl"
    texts = ["A", "B or C", "", "I'm sorry, I can't help with that.", "Answer: D", None, "答案：C"]
    lines: list[dict[str, Any]] = []
    for number, one in enumerate(release.items):
        for repeat in (1, 2):
            asked = {"model": f"m{number % 2}", "item_id": one.public_id, "repeat": repeat}
            order = [3, 1, 0, 2] if number % 3 else [0, 1, 2, 3]
            text = texts[(number + repeat) % len(texts)]
            lines.append(
                asked | ({"choice": number % 4} if number % 5 == 0 else {"text": text, "order": order})
            )
    lines = [*lines[:-3], lines[0]]
    responses.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert main(["score", str(responses), "--release", str(folder), "--json"]) == 0
    theirs = json.loads(capsys.readouterr().out.strip().splitlines()[-1])["models"]
    ours = json.loads(run_score(folder, responses, "--json").stdout)["models"]
    assert ours.keys() == theirs.keys()
    for model, found in ours.items():
        for task in ("commonsense", "moral"):
            wanted = {name: theirs[model][task][name] for name in found[task]}
            assert found[task] == pytest.approx(wanted, abs=1e-5)
        types = {name: (one["n"], one["n"] - one["correct"]) for name, one in found["by_type"].items()}
        assert types == {name: (one["n"], one["wrong"]) for name, one in theirs[model]["by_type"].items()}
        styles = {name: (one["n"], one["correct"]) for name, one in found["by_style"].items()}
        assert styles == {name: (one["n"], one["correct"]) for name, one in theirs[model]["by_style"].items()}
        assert found["score"] == pytest.approx(theirs[model]["score"], abs=1e-5)


def test_it_scores_withheld_items_for_those_who_have_the_answers(tmp_path: Path) -> None:
    release = withheld(frozen())
    folder = write(release, tmp_path / "release")
    test = [one for one in release.items if one.split == "test"]
    said, answers = tmp_path / "said.jsonl", tmp_path / "answers.jsonl"
    lines = [{"model": "m", "item_id": one.public_id, "choice": one.record["answer"]} for one in test]
    said.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    keys = [{"id": one.public_id, "answer": one.record["answer"]} for one in test]
    answers.write_text("".join(json.dumps(line) + "\n" for line in keys), encoding="utf-8")
    without = run_score(folder, said, "--split", "test", "--json")
    assert "left out" in without.stderr
    assert json.loads(without.stdout) == {"models": {}, "splits": {}}
    given = json.loads(run_score(folder, said, "--split", "test", "--answers", answers, "--json").stdout)
    assert {given["models"]["m"][task]["accuracy"] for task in ("commonsense", "moral")} == {1.0}


def response_line(**fields: object) -> str:
    """A line of responses that is sound but for these fields."""
    sound = {"model": "m", "item_id": "small-fables-c-000001", "repeat": 1, "text": "A"}
    return json.dumps(sound | fields)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "not an object"),
        ('{"model": "m"}', "item_id"),
        ('{"model": "m", "item_id": "small-fables-c-000001", "choice": 9}', "none of the 4 options"),
        ('{"model": "m", "item_id": "small-fables-c-000001"}', "text or choice"),
        ('"x"', "not an object"),
        ("", "holds no answer"),
        (response_line(model=3), "must be text"),
        (response_line(text=["A"]), "must be text"),
        (response_line(repeat=[1]), "repeat must be a whole number"),
        (response_line(repeat="x"), "repeat must be a whole number"),
        (response_line(rotation=-1), "rotation must be a whole number"),
        (response_line(order=["1", 0, 2, 3]), "each option once"),
        (response_line(order=5), "each option once"),
        (response_line(outcome="gone"), "neither refused nor failed"),
        (response_line(item_id="\ud800"), "item_id"),
    ],
)
def test_it_names_the_line_that_cannot_be_scored(tmp_path: Path, line: str, word: str) -> None:
    folder = write(frozen(records(2)), tmp_path / "release")
    (tmp_path / "responses.jsonl").write_text(line, encoding="utf-8")
    done = run_score(folder, tmp_path / "responses.jsonl")
    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_a_pipe_is_read_to_its_end_and_that_is_said(tmp_path: Path) -> None:
    """By the program of a release and by every command: a pipe that nobody writes to is waited for."""
    folder = write(frozen(records(2)), tmp_path / "release")
    pipe = tmp_path / "answers"
    os.mkfifo(pipe)
    for command in (
        [sys.executable, str(folder / "score.py"), str(pipe)],
        [sys.executable, "-m", "parable", "score", str(pipe), "--release", str(folder)],
    ):
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            assert program.stderr is not None
            said = program.stderr.readline()
            assert said == f"{pipe}: not a file, but a pipe or a terminal; reading until it ends.\n"
            pipe.write_text("{}\n")
            assert program.wait(60) == 2
            assert "1" in program.stderr.read(), "the line is named"


def test_it_scores_a_model_whose_name_no_terminal_takes(tmp_path: Path) -> None:
    folder = write(frozen(records(2)), tmp_path / "release")
    (tmp_path / "said.jsonl").write_text(response_line(model="m\ud800"), encoding="utf-8")
    done = run_score(folder, tmp_path / "said.jsonl")
    assert done.returncode == 0
    assert done.stderr == "m\\ud800: answered only test, and is scored on it.\n"
    assert "m\\ud800" in done.stdout


def test_it_says_what_is_wrong_with_its_own_files_and_with_the_answers(tmp_path: Path) -> None:
    folder, said, answers = write(withheld(frozen()), tmp_path / "release"), *(tmp_path / n for n in "sa")
    one = json.loads((folder / "test" / "moral.jsonl").read_text(encoding="utf-8").splitlines()[0])
    said.write_text(response_line(item_id=one["id"]), encoding="utf-8")
    answers.write_text(json.dumps({"id": one["id"], "answer": "B"}), encoding="utf-8")
    done = run_score(folder, said, "--answers", answers)
    assert (done.returncode, done.stderr) == (2, f"{answers}, line 1: the answer is none of the 4 options.\n")
    (folder / "dev" / "moral.jsonl").write_text('{"id": "x"}', encoding="utf-8")
    done = run_score(folder, said)
    assert done.returncode == 2
    assert done.stderr.endswith("moral.jsonl, line 1: not an item of a release.\n")


def test_it_reads_answers_as_the_platform_does(tmp_path: Path) -> None:
    """The very table of the answer reader, read by the program that goes out with a release."""
    from tests.parable.test_reading_answers import TABLE, said  # noqa: PLC0415 - its tests are not ours

    folder = write(frozen(records(2)), tmp_path)
    spec = importlib.util.spec_from_file_location("score_of_a_release", folder / "score.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    wrong = [
        (answer, wanted)
        for options, answer, wanted, _why in TABLE
        if said(program.read_answer(answer, options)) != wanted
    ]
    assert len(TABLE) >= 223
    assert wrong == []
