"""`push` with huggingface_hub against a hub of ours: what it is sent, a second time, and each refusal."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.architecture import BASE
from tests.hub_server import LARGE, RIGHT, Hub, hub_server
from tests.release.folders import frozen, withheld, write
from tests.release.made import records

pytestmark = pytest.mark.drill

PYTHON = BASE / ".venv-harnesses" / "datasets" / "bin" / "python"
REPO = "lab/fables"
needs_client = pytest.mark.skipif(not PYTHON.exists(), reason="datasets is not installed: make harnesses")


def push(folder: Path, address: str, *more: str, token: str = RIGHT) -> subprocess.CompletedProcess[str]:
    home = str(folder.parent)
    return subprocess.run(
        [PYTHON, "-m", "parable", "push", folder, "--repo", REPO, "--endpoint", address, *more],
        capture_output=True,
        text=True,
        timeout=120.0,
        check=False,
        cwd=BASE,
        env={
            "PATH": os.environ["PATH"],
            "HOME": home,
            "HF_HOME": home,
            "HF_TOKEN": token,
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "PYTHONPATH": str(BASE),
        },
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(withheld(frozen(records(7), seed="ab" * 16)), tmp_path / "release")


@needs_client
def test_a_hub_has_each_file_byte_for_byte_and_a_tag_for_the_version(folder: Path) -> None:
    (folder / "test-answers.jsonl").write_text('{"secret": 1}', encoding="utf-8")
    with hub_server(Hub()) as hub:
        first = push(folder, hub.address)
        assert first.returncode == 0, first.stderr
        [sent] = hub.commits
        on_disk = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.name != "test-answers.jsonl"
        }
        assert sent == on_disk
        assert any(len(data) >= LARGE for data in sent.values())
        assert hub.objects
        assert hub.visibility == {REPO: "private"}
        assert hub.summaries == ["Release 1.0.0"]
        assert hub.tags == {"1.0.0": f"{1:040x}"}
        assert f"{hub.address}/datasets/{REPO}/commit/{1:040x}" in first.stdout
        assert push(folder, hub.address, "--public").returncode == 0
        assert hub.visibility == {REPO: "private"}, "one that is there stays as its owner made it"
    with hub_server(Hub()) as hub:
        assert push(folder, hub.address, "--public").returncode == 0
        assert hub.visibility == {REPO: "public"}


@needs_client
@pytest.mark.parametrize(
    ("part", "status", "said"),
    [
        ("", 401, "does not accept the token"),
        ("/repos/create", 403, "may not write to lab/fables"),
        ("/preupload/", 404, "has no lab/fables"),
        ("/commit/", 413, "refuses files of this size"),
        ("/upload/", 413, "refuses files of this size"),
        ("/commit/", 400, "The hub refuses (400)"),
    ],
)
def test_each_refusal_is_said_in_a_sentence(folder: Path, part: str, status: int, said: str) -> None:
    with hub_server(Hub(fails={part: status} if part else {})) as hub:
        done = push(folder, hub.address, token="hf_wrong" if not part else RIGHT)
        assert done.returncode == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr
        assert "hf_" not in done.stdout + done.stderr, "no token is printed"
        assert hub.commits == []


@needs_client
def test_a_hub_that_is_away_is_said_to_be(folder: Path) -> None:
    done = push(folder, "http://127.0.0.1:9")
    assert done.returncode == 2
    assert "The hub cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
