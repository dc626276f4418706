"""`push` without a hub: what it would send, and what it does not send at all."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from parable.__main__ import main
from tests.parable.release_folders import item, write_release

REPO = "lab/fables"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = write_release(tmp_path / "release", [item(f"s-{n}") for n in range(8)])
    manifest = json.loads((made / "MANIFEST.json").read_bytes())
    manifest["files"] = {
        path.relative_to(made).as_posix(): {"sha256": sha256(path.read_bytes()).hexdigest()}
        for path in made.rglob("*.jsonl")
    }
    (made / "MANIFEST.json").write_text(json.dumps(manifest), encoding="utf-8")
    return made


def test_it_names_each_file_that_would_be_sent_and_asks_nobody(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "test-answers.jsonl").write_text("{}", encoding="utf-8")
    assert main(["push", str(folder), "--repo", REPO, "--dry-run", "--json"]) == 0
    said = capsys.readouterr().out.splitlines()
    figures = json.loads(said[-1])
    listed = {*json.loads((folder / "MANIFEST.json").read_bytes())["files"]}
    own = {name for name in ("MANIFEST.json", "SHA256SUMS") if (folder / name).exists()}
    assert {*figures["files"]} == listed | own
    assert "test-answers.jsonl" not in figures["files"]
    assert figures["bytes"] == sum((folder / name).stat().st_size for name in figures["files"])
    assert said[-2] == "A new data set would be private; --public makes it public."


def change(folder: Path) -> str:
    next(folder.rglob("*.jsonl")).write_text("{}\n", encoding="utf-8")
    return "differ from the manifest"


def remove(folder: Path) -> str:
    next(folder.rglob("*.jsonl")).unlink()
    return "are missing"


def lead_outside(folder: Path) -> str:
    manifest = json.loads((folder / "MANIFEST.json").read_bytes())
    manifest["files"]["../secret"] = {"sha256": "0" * 64}
    (folder.parent / "secret").write_text("x", encoding="utf-8")
    (folder / "MANIFEST.json").write_text(json.dumps(manifest), encoding="utf-8")
    return "are missing"


def spoil(folder: Path) -> str:
    (folder / "MANIFEST.json").write_text("[]", encoding="utf-8")
    return "is no release"


@pytest.mark.parametrize("break_it", [change, remove, lead_outside, spoil])
@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_it_sends_nothing_of_a_release_that_is_not_as_it_was_built(
    folder: Path, break_it: object, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(break_it)
    said = break_it(folder)
    assert main(["push", str(folder), "--repo", REPO, "--endpoint", "http://127.0.0.1:9", *more]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("repo", ["fables", "a/b/c", "", "https://hub/a/b"])
def test_it_asks_for_a_name_with_its_owner(
    folder: Path, repo: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["push", str(folder), "--repo", repo, "--dry-run"]) == 2
    assert "OWNER/NAME" in capsys.readouterr().err
    assert main(["push", str(folder / "no"), "--repo", REPO, "--language", "zh"]) == 2
    assert "不是" in capsys.readouterr().err


@pytest.mark.parametrize(
    "address", ["http://hub.example", "ftp://hub.example", "https://me:word@hub.example"]
)
def test_a_token_is_sent_encrypted_or_to_this_machine(
    folder: Path, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["push", str(folder), "--repo", REPO, "--endpoint", address]) == 2
    assert "Tokens are sent over https:// only" in capsys.readouterr().err
    monkeypatch.setenv("HF_ENDPOINT", address)
    assert main(["push", str(folder), "--repo", REPO]) == 2
    assert "Tokens are sent over https:// only" in capsys.readouterr().err


def test_without_the_package_it_is_asked_for_by_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("parable.extras.find_spec", lambda _package: None)
    assert main(["push", str(folder), "--repo", REPO]) == 2
    assert 'pip install "parable[hub]"' in capsys.readouterr().err
