"""Each contract of import-linter is broken on purpose: it must notice."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import BASE, STREET

pytestmark = pytest.mark.drill

PLANTED = {
    "An app imports only from apps below it in the street": (
        "accounts/queries.py",
        "import annotation.models",
    ),
    "A layer imports only from layers below it": ("review/models.py", "import review.services"),
    "Plain packages and pure modules know no Django": ("annotation/lifecycle.py", "import django.db"),
    "The installable core knows no Django, however indirectly": ("parable/planted.py", "import django"),
    "Nobody but parable.llm talks to a vendor of models": ("generation/tasks.py", "import openai"),
    "No app uses another's views, forms or tasks": ("review/services/planted.py", "import corpus.forms"),
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy the sources, so that defects can be planted in them."""
    for name in (*STREET, "config", "parable"):
        shutil.copytree(BASE / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(BASE / "pyproject.toml", tmp_path)
    (tmp_path / "corpus" / "forms.py").touch()
    return tmp_path


def _lint(folder: Path) -> str:
    program = (
        "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as run; run()"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, "--no-cache", "--no-logo"],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return answer.stdout + answer.stderr


@pytest.mark.parametrize("contract", PLANTED)
def test_it_notices_a_planted_import(contract: str, copy: Path) -> None:
    assert f"{contract} KEPT" in _lint(copy)
    path, line = PLANTED[contract]
    target = copy / path
    text = target.read_text(encoding="utf-8") if target.exists() else ""
    target.write_text(f"{text}\n{line}\n", encoding="utf-8")
    assert f"{contract} BROKEN" in _lint(copy)
