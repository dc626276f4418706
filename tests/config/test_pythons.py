"""`make pythons` finds the other Pythons of a machine, and names what failed on one."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from tests.architecture import BASE

PYTHONS = runpy.run_path(str(BASE / "scripts" / "pythons.py"))
find = PYTHONS["find"]


def _python(path: Path, says: str) -> Path:
    """A program that answers what a Python of this version would, or fails as one without venv does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{says}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home and a PATH of our own; version 3.99 is in nobody's /usr/bin."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")


@pytest.mark.parametrize(
    ("says", "is_found"),
    [
        ("echo 3.99", True),
        ("echo 3.98", False),  # a shim of pyenv that leads to another
        ("echo 'pyenv: not installed' >&2; exit 127", False),
        ("echo 'No module named ensurepip' >&2; exit 1", False),
    ],
)
def test_it_takes_only_a_python_that_runs_and_makes_environments(
    tmp_path: Path, says: str, is_found: bool
) -> None:
    program = _python(tmp_path / "bin" / "python3.99", says)
    assert find("3.99") == (str(program) if is_found else None)


def test_it_looks_in_the_folder_of_pyenv(tmp_path: Path) -> None:
    _python(tmp_path / "bin" / "python3.99", "exit 127")
    program = _python(
        tmp_path / "home" / ".pyenv" / "versions" / "3.99.1" / "bin" / "python3.99", "echo 3.99"
    )
    assert find("3.99") == str(program)


def test_it_finds_nothing_where_there_is_nothing() -> None:
    assert find("3.99") is None


def test_it_names_the_step_that_fails(tmp_path: Path) -> None:
    assert PYTHONS["first_failure"]("3.99", str(_python(tmp_path / "p", "exit 1"))) == "the installation"


@pytest.mark.parametrize(
    ("asked", "tried", "others"), [([], "3.97, 3.98", "none"), (["newest"], "3.98", "3.97")]
)
def test_it_tries_all_that_are_found_or_the_newest(
    asked: list[str],
    tried: str,
    others: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for version in ("3.97", "3.98"):
        _python(tmp_path / "bin" / f"python{version}", f'[ "$1" = -c ] && echo {version} || exit 1')
    monkeypatch.setitem(PYTHONS["main"].__globals__, "RANGE", ("3.97", "3.98"))
    monkeypatch.setattr("sys.argv", ["pythons.py", *asked])
    with pytest.raises(SystemExit) as ended:
        PYTHONS["main"]()
    assert ended.value.code == 1
    output = capfd.readouterr().out
    assert (
        f"Tried beside {sys.version_info[0]}.{sys.version_info[1]}: {tried}. Not tried: {others}." in output
    )
