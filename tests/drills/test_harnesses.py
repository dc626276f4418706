"""What others read a release with: each library and harness, in an environment of its own, and offline."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parable.formats.answer_log import answer_logs
from parable.kinds import kind_of
from parable.llm.conditions import CRMUS_PROMPT
from parable.reading.answers import read_answer
from parable.reading.question import fill_question, zero_shot
from release.card.card import Frozen
from tests.architecture import BASE
from tests.kinds.released import record_of
from tests.kinds.samples import SAMPLES
from tests.release.folders import RECIPE, frozen, withheld, write, write_kit
from tests.release.made import record, records

pytestmark = pytest.mark.drill

ENVIRONMENTS = BASE / ".venv-harnesses"
PATIENCE = 300.0
"""Seconds for one of them; a calm machine needs 5 to 10."""
ITEMS = [
    *records(7),
    record(6, 4, types=("social", "temporal")),
    record(5, 4, choices=("yes", "no"), answer=1),
]
EVALSCOPE_LOG = next(log for log in answer_logs() if log.code == "evalscope")
RELEASES = {
    "open": frozen(ITEMS),
    "withheld": withheld(frozen(ITEMS, seed="ab" * 16)),
    "chinese and anonymous": frozen(
        [replace(item, language="zh") for item in ITEMS],
        language="zh",
        recipe=replace(RECIPE, anonymous=True),
    ),
}


def seen_by(harness: str, folder: Path, cache: Path, *more: str, program: str = "") -> dict[str, Any]:
    """What a harness reports of a folder; it can reach nobody, and finds no package of ours."""
    python = ENVIRONMENTS / harness / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{harness} is not installed: make harnesses")
    script = BASE / "tests" / "harnesses" / f"load_{program or harness}.py"
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(cache), "HOME": str(cache)}
    done = subprocess.run(
        [python, script, folder, cache, *more],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=cache,
        env={"PATH": os.environ["PATH"], "TMPDIR": str(cache), **nowhere, **offline},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return report


def keys(release: Frozen, task: str, split: str) -> dict[str, int]:
    """The keys in a release's files, by id."""
    is_kept_back = release.recipe.withhold_test and split == "test"
    return {
        one.public_id: -1 if is_kept_back else one.record["answer"]
        for one in release.items
        if (one.record["task"], one.split) == (task, split)
    }


def measured_on(release: Frozen) -> str:
    return "dev" if release.recipe.withhold_test else "test"


def measured(release: Frozen, task: str) -> dict[str, Mapping[str, Any]]:
    """The items of a task that harnesses measure on, by id."""
    return {
        one.public_id: one.record
        for one in release.items
        if (one.record["task"], one.split) == (task, measured_on(release))
    }


def prompts(release: Frozen, items: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The prompt with which Parable asks each item."""
    template = zero_shot(release.facts.language)
    return {
        name: fill_question(template, story=one["story"], question=one["question"], options=one["choices"])
        for name, one in items.items()
    }


def share_right(items: Mapping[str, Mapping[str, Any]], said: Mapping[str, str]) -> float:
    """The share of these answers that Parable reads as the key."""
    right = [
        name for name, one in items.items() if read_answer(said[name], one["choices"]).choice == one["answer"]
    ]
    return len(right) / len(items)


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> Frozen:
    return RELEASES[request.param]


@pytest.fixture
def folder(release: Frozen, tmp_path: Path) -> Path:
    return write(release, tmp_path / "release")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    made = tmp_path / "cache"
    made.mkdir()
    return made


def test_it_loads_with_datasets_and_validates_as_croissant(
    release: Frozen, folder: Path, cache: Path
) -> None:
    seen = seen_by("datasets", folder, cache)
    choices = {one.public_id: one.record["choices"] for one in release.items}
    for task in ("commonsense", "moral"):
        for split in ("dev", "test"):
            expected = keys(release, task, split)
            assert {name: row[0] for name, row in seen["configs"][task][split].items()} == expected
            assert seen["croissant"][f"{split}_{task}"] == expected
            assert all(row[1] == choices[name] for name, row in seen["configs"]["all"][split].items())
    assert seen["default"] == {
        split: sum(one.split == split for one in release.items) for split in ("dev", "test")
    }
    assert seen["errors"] == []
    assert [one for one in seen["warnings"] if "datePublished" not in one] == []  # no date, ever
    assert all(seen["responsible"])


def test_it_is_measured_with_lm_evaluation_harness(release: Frozen, folder: Path, cache: Path) -> None:
    seen = seen_by("lm_eval", folder, cache)
    assert len(seen) == 4
    for name, report in seen.items():
        task = "moral" if "moral" in name else "commonsense"
        assert report == {"accuracy": 1.0, "keys": keys(release, task, measured_on(release))}, name


@pytest.mark.parametrize("name", ["open", "withheld", "without dev"])
def test_no_prompt_of_lm_evaluation_harness_holds_the_key_of_what_it_asks(
    name: str, tmp_path: Path, cache: Path
) -> None:
    """Of three examples none is the question that is asked; without dev items there are no examples."""
    made = RELEASES.get(name) or replace(
        RELEASES["open"], items=tuple(replace(one, split="test") for one in RELEASES["open"].items)
    )
    seen = seen_by("lm_eval", write(made, tmp_path / "release"), cache, "3")
    for task, report in seen.items():
        assert len(report["prompts"]) >= 4, task
        for choices, prompt in report["prompts"].values():
            assert prompt.count("Answer:") == (1 if name == "without dev" else 4), task
            shown = "\n".join(f"{letter}. {one}" for letter, one in zip("ABCD", choices, strict=False))
            assert prompt.count(shown) == 1, task


def test_it_is_measured_with_inspect(release: Frozen, folder: Path, cache: Path) -> None:
    seen = seen_by("inspect_ai", folder, cache)
    assert len(seen) == 2
    for name, report in seen.items():
        wanted = keys(release, name.rpartition("_")[2], measured_on(release))
        assert report["keys"] == {item: "ABCD"[key] for item, key in wanted.items()}
        assert report["status"] == "success"
        assert report["accuracy"] == pytest.approx(sum(key == 0 for key in wanted.values()) / len(wanted))


def test_it_is_measured_with_opencompass(release: Frozen, folder: Path, cache: Path) -> None:
    seen = seen_by("opencompass", folder, cache)
    assert len(seen) == 2
    for name, report in seen.items():
        assert report["keys"] == keys(release, name.rpartition("_")[2], measured_on(release))
        assert report["accuracy"] == 1.0
        assert ("答案：" if release.facts.language == "zh" else "Answer:") in report["prompt"]


def test_it_is_measured_with_evalscope(release: Frozen, folder: Path, cache: Path) -> None:
    """A model behind an address of this machine; its log is one that Parable reads."""
    seen = seen_by("evalscope", folder, cache)
    assert len(seen) == 2
    for name, report in seen.items():
        items = measured(release, name.rpartition("_")[2])
        assert report["prompts"] == prompts(release, items)
        assert report["turns"] == [2]  # the prompt and its answer
        assert report["accuracy"] == pytest.approx(share_right(items, report["said"]), abs=5e-5)
        log = {row["item_id"]: row["text"] for _row, row in EVALSCOPE_LOG.read(Path(report["log"]))}
        assert log == report["said"]
    assert any(0 < report["accuracy"] < 1 for report in seen.values())


def test_evalscope_does_not_measure_on_withheld_answers(tmp_path: Path, cache: Path) -> None:
    seen = seen_by("evalscope", write(RELEASES["withheld"], tmp_path / "release"), cache, "test")
    assert seen["code"] != 0
    assert seen["error"] == "ValueError: The answers of this split are withheld; take dev."


def test_it_is_measured_with_lighteval(release: Frozen, folder: Path, cache: Path) -> None:
    """By likelihoods and in writing; of three examples none is the question that is asked."""
    seen = seen_by("lighteval", folder, cache)
    for name, report in seen["0"].items():
        items = measured(release, "moral" if "moral" in name else "commonsense")
        assert report["prompts"] == prompts(release, items), name
        if name.endswith("_gen"):
            share = share_right(items, report["said"])
        else:
            share = sum(report["said"][item] == one["answer"] for item, one in items.items()) / len(items)
        assert report["accuracy"] == pytest.approx(share), name
        for item, prompt in seen["3"][name]["prompts"].items():
            assert prompt.endswith(report["prompts"][item]), name
            assert prompt.count(report["prompts"][item]) == 1, name
            assert prompt.count("答案：" if release.facts.language == "zh" else "Answer:") == 4, name
    assert any(0 < report["accuracy"] < 1 for report in seen["0"].values())


def test_lighteval_gives_no_examples_without_dev_items(tmp_path: Path, cache: Path) -> None:
    made = RELEASES["open"]
    made = replace(made, items=tuple(replace(one, split="test") for one in made.items))
    seen = seen_by("lighteval", write(made, tmp_path / "release"), cache)
    assert len(seen["0"]) == 4
    assert seen["3"] == {"refused": "There are no dev items that could be examples."}


WRITTEN = [task for task in SAMPLES if not kind_of(task).question.is_one_option]
"""The kinds that are not answered by one letter; `RELEASES` has others."""


@pytest.mark.parametrize("harness", ["lm_eval", "inspect_ai", "opencompass", "evalscope", "lighteval"])
def test_it_asks_and_scores_items_that_are_not_answered_by_one_letter(
    harness: str, tmp_path: Path, cache: Path
) -> None:
    """Gold answers to half of the items of each kind, and none to the others, count half by every metric."""
    items = [record_of(SAMPLES[task], number) for task in WRITTEN for number in range(4)]
    release = frozen(items, language="zh", recipe=replace(RECIPE, dev_share="0.5"))
    folder = write(release, tmp_path / "release")
    answers: dict[str, str] = {}
    for task in WRITTEN:
        lines = (folder / "test" / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()
        question = kind_of(task).question
        for number, item in enumerate(map(json.loads, lines)):
            prompt = question.put(question.template(item["language"]), item, range(len(item["choices"])))
            answers[prompt] = "" if number % 2 else question.words(item)
        assert len(lines) % 2 == 0
    (cache / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    (cache / "tasks.json").write_text(json.dumps(WRITTEN), encoding="utf-8")
    seen = seen_by(harness, folder, cache)
    for task in WRITTEN:
        [found] = [one for name, one in seen.items() if task in name]
        whole = 100 if harness == "opencompass" else 1
        measure = kind_of(task).measure
        if harness == "inspect_ai":
            assert found["mean" if measure else "accuracy"] == 0.5, task
            continue
        right = next(found[name] for name in ("acc", "accuracy", "mean_acc") if name in found)
        assert right == whole / 2, task
        if measure:
            assert next(one for name, one in found.items() if measure in name) == whole / 2, task


@pytest.mark.parametrize("prompt", [zero_shot("zh"), CRMUS_PROMPT], ids=["Parable", "CRMUS"])
def test_two_trainers_learn_the_prompt_that_is_asked(
    prompt: str, release: Frozen, cache: Path, tmp_path: Path
) -> None:
    """Their own readers load the kit; torch is replaced and nothing is trained."""
    seen = seen_by("trainers", write_kit(release, prompt, tmp_path / "kit"), cache)
    wanted = {
        one.public_id: [
            fill_question(
                prompt,
                story=one.record["story"],
                question=one.record["question"],
                options=one.record["choices"],
            ),
            "ABCD"[one.record["answer"]],
        ]
        for one in release.items
        if one.split == "dev"
    }
    assert seen["llama_factory"] == wanted
    assert seen["trl"] == {
        name: [f"<user>{asked}</><assistant>", f"{answer}</>"] for name, (asked, answer) in wanted.items()
    }
