"""`make advisories` decides which locked versions an advisory affects, and believes no silence."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.architecture import BASE

sys.path.insert(0, str(BASE / "scripts"))  # as of a script of that folder
advisories = importlib.import_module("advisories")
sys.path.remove(str(BASE / "scripts"))


def _known(*events: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"id": "PYSEC-1", "affected": [{"ranges": [{"type": "ECOSYSTEM", "events": events}]}]} | more


FIXED = _known({"introduced": "2.0"}, {"fixed": "2.4"}, {"introduced": "3.0"}, {"fixed": "3.0.1"})


@pytest.mark.parametrize(
    ("known", "version", "is_affected"),
    [
        (FIXED, "1.9", False),
        (FIXED, "2.0", True),
        (FIXED, "2.3.9", True),
        (FIXED, "2.4", False),
        (FIXED, "2.10", False),
        (FIXED, "3.0", True),
        (FIXED, "3.0.1", False),
        (_known({"introduced": "0"}), "9", True),
        (_known({"introduced": "0"}, {"last_affected": "9"}), "9", True),
        (_known({"introduced": "0"}, {"last_affected": "9"}), "9.0.1", False),
        (_known({"introduced": "0"}, withdrawn="2024-01-01T00:00:00Z"), "9", False),
        ({"id": "PYSEC-1", "affected": [{"versions": [1.5]}]}, "1.5", True),
        ({"id": "PYSEC-1", "affected": [{"ranges": [{"type": "GIT", "events": []}]}]}, "1.5", False),
    ],
)
def test_it_decides_whether_a_version_is_affected(
    known: dict[str, Any], version: str, is_affected: bool
) -> None:
    assert advisories.is_affected(known, version) is is_affected


def test_it_reads_what_affects_the_locks_from_a_clone(tmp_path: Path) -> None:
    folder = tmp_path / "vulns" / "crow"
    folder.mkdir(parents=True)
    for number, known in enumerate((FIXED, _known({"introduced": "9"}))):
        (folder / f"PYSEC-{number}.yaml").write_text(json.dumps(known))
    found = list(advisories.read_clone(tmp_path, {"crow": {"2.1", "2.4"}, "fox": {"1"}}))
    assert found == [
        {"package": "crow", "version": "2.1", "id": "PYSEC-1", "aliases": [], "fixed": ["2.4", "3.0.1"]}
    ]
    with pytest.raises(SystemExit, match="is not a clone"):
        list(advisories.read_clone(folder, {}))


def test_it_does_not_take_silence_for_safety(monkeypatch: pytest.MonkeyPatch) -> None:
    """pip-audit exits with 0 where the index has no advisories at all."""
    unknown = {"name": "jinja2", "skip_reason": "Dependency not found on PyPI"}
    monkeypatch.setattr(advisories, "_audit", lambda *_all: {"dependencies": [unknown]})
    with pytest.raises(SystemExit, match="has no advisories"):
        advisories.ask_index()
    sound = {"name": "Typing_Extensions", "version": "1", "vulns": []}
    with pytest.raises(SystemExit, match="does not know jinja2"):
        advisories.advisories_of({"dependencies": [unknown, sound]})
    held = sound | {"vulns": [{"id": "PYSEC-1", "aliases": ["CVE-2"], "fix_versions": ["2"]}]}
    assert advisories.advisories_of({"dependencies": [held]}) == [
        advisories.entry("typing-extensions", "1", "PYSEC-1", ["CVE-2"], ["2"])
    ]


def test_no_locked_version_has_a_vulnerability_that_is_fixed_elsewhere() -> None:
    listed = json.loads(advisories.LIST.read_text(encoding="utf-8"))
    assert set(listed) == {"date", "source", "advisories"}
    locked = advisories.locked_versions()
    assert len(locked) > 100
    held = [one for one in listed["advisories"] if one["version"] in locked.get(one["package"], ())]
    assert [one for one in held if one["fixed"]] == []


def test_a_folder_that_is_no_clone_changes_nothing(tmp_path: Path) -> None:
    before = advisories.LIST.read_bytes()
    done = subprocess.run(
        [sys.executable, "scripts/advisories.py", "--from", str(tmp_path)],
        cwd=BASE, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, "is not a clone" in done.stderr) == (1, True)
    assert advisories.LIST.read_bytes() == before
