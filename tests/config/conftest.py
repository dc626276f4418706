"""A data folder of one's own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def home() -> Iterator[Path]:
    """Make an empty data folder that every user may pass through, as root's PostgreSQL must."""
    folder = Path(tempfile.mkdtemp(prefix="parable-home-"))
    folder.chmod(0o755)
    yield folder / "var"
    for place in folder.rglob("*.place"):  # what lies elsewhere goes too
        shutil.rmtree(place.read_text(encoding="utf-8").strip(), ignore_errors=True)
    shutil.rmtree(folder)
