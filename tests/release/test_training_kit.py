"""The kit for fine-tuning: dev items alone, one prompt in both shapes, given to managers.

The readers of TRL and LLaMA-Factory load it in tests/drills/test_harnesses.py where they are installed; here
their documented shapes are checked.
"""

from __future__ import annotations

import ast
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

from accounts.models import AuditEvent, User
from annotation.models import KeyExposure
from parable.formats.records import ReleaseRecord
from parable.llm.conditions import CRMUS_PROMPT
from release.assembly.records import release_records
from release.files.training_kit import examples
from release.models import Release, ReleaseItem
from tests.factories import Cast, make_project
from tests.release.folders import frozen, write_kit
from tests.release.made import ALLOWED, bring, built, records


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_both_trainers_get_the_same_dev_items_and_prompt(tmp_path: Path) -> None:
    release = frozen()
    kit = write_kit(release, CRMUS_PROMPT, tmp_path / "kit")
    trl, alpaca = rows(kit / "trl.jsonl"), rows(kit / "llama_factory.jsonl")
    dev = {one.public_id: one.record for one in release.items if one.split == "dev"}
    assert {row["id"] for row in trl} == dev.keys() == {row["id"] for row in alpaca}
    for one, other in zip(trl, alpaca, strict=True):
        assert list(one) == ["prompt", "completion", "id", "canary"]
        assert list(other) == ["instruction", "input", "output", "id", "canary"]
        (asked,), (answered,) = one["prompt"], one["completion"]
        assert (asked["role"], answered["role"]) == ("user", "assistant")
        assert asked["content"] == other["instruction"]
        assert other["input"] == ""
        assert answered["content"] == other["output"] == "ABCD"[dev[one["id"]]["answer"]]
        assert asked["content"].startswith("根据故事回答下面的单项选择题，只给出答案即可：\n故事")


def test_the_settings_name_the_files_of_the_kit(tmp_path: Path) -> None:
    kit = write_kit(frozen(), CRMUS_PROMPT, tmp_path / "kit")
    settings = yaml.safe_load((kit / "train_llama_factory.yaml").read_text(encoding="utf-8"))
    listed = json.loads((kit / "dataset_info.json").read_text(encoding="utf-8"))[settings["dataset"]]
    assert (settings["stage"], settings["finetuning_type"]) == ("sft", "lora")
    assert set(listed["columns"].values()) <= rows(kit / listed["file_name"])[0].keys()
    program = (kit / "train_trl.py").read_text(encoding="utf-8")
    ast.parse(program)
    assert 'data_files="trl.jsonl"' in program
    assert not [file for file in kit.iterdir() if "@" in file.read_text(encoding="utf-8").replace("@T", "")]


@pytest.mark.parametrize("change", [{"split": "test"}, {"withheld": True}])
def test_it_trains_on_nothing_but_dev(change: dict[str, Any]) -> None:
    release = frozen()
    found = release_records(release.items, recipe=release.recipe, marker=release.canary)
    dev: ReleaseRecord = next(one for one in found if one.split == "dev")
    assert next(examples([dev], CRMUS_PROMPT)).id == dev.item.id
    with pytest.raises(ValueError, match="not for training"):
        next(examples([replace(dev, **change)], CRMUS_PROMPT))


@pytest.fixture
def cast(db: Any) -> Cast:
    made = make_project()
    bring(made, records())
    return made


def fetched(user: User, release: Release, query: str = "") -> Any:
    client = Client()
    client.force_login(user)
    return client.get(f"/p/{release.project.slug}/releases/{release.version}/fine-tuning.zip{query}")


@pytest.mark.parametrize("is_withheld", [False, True])
def test_a_manager_takes_it_along_and_has_seen_the_dev_keys(cast: Cast, is_withheld: bool) -> None:
    recipe = replace(ALLOWED, withhold_test=is_withheld)
    release = built(cast, seed=None if is_withheld else "7", recipe=recipe)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(fetched(cast.manager, release, "?prompt=crmus"))))
    assert archive.testzip() is None
    dev = ReleaseItem.objects.filter(release=release, split="dev")
    (name,) = [one for one in archive.namelist() if one.endswith("/trl.jsonl")]
    rows = [json.loads(line) for line in archive.read(name).decode().splitlines()]
    assert {one["id"] for one in rows} == set(dev.values_list("public_id", flat=True))
    assert rows[0]["prompt"][0]["content"].startswith("根据故事")
    seen = KeyExposure.objects.filter(user=cast.manager, task="commonsense")
    solved = dev.filter(item__task="commonsense")
    assert set(seen.values_list("item", flat=True)) == set(solved.values_list("item", flat=True))
    event = AuditEvent.objects.get(verb="download_release", subject_id=release.pk)
    assert event.detail == {"file": "fine-tuning.zip"}


def test_others_do_not_get_it(cast: Cast) -> None:
    release = built(cast)
    client = Client()
    client.force_login(cast.manager)
    page = client.get(f"/p/{cast.project.slug}/releases/1.0.0").content.decode()
    assert "fine-tuning.zip?prompt=crmus" in page
    assert fetched(cast.writer, release).status_code == 403
    assert fetched(cast.outsider, release).status_code == 404
    assert fetched(cast.manager, release, "?prompt=none").status_code == 404
    assert not AuditEvent.objects.filter(verb="download_release").exists()
