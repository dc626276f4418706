"""`make outdated` reads our locks as they are written."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys

import pytest

from tests.architecture import BASE

OUTDATED = runpy.run_path(str(BASE / "scripts" / "outdated.py"))
older, unpinned, versions = (OUTDATED[name] for name in ("older", "unpinned", "versions"))

LOCK = """\
# Written by `make lock`
allauth==65.0.0 \\
    --hash=sha256:aa==bb
    # via parable
Psycopg[binary]==3.2.1 ; sys_platform != 'win32' \\
    --hash=sha256:cc
psycopg==3.1.0 ; sys_platform == 'win32' \\
    --hash=sha256:dd
"""


def test_it_reads_versions_and_systems_of_a_lock() -> None:
    assert versions(LOCK) == {"allauth": ["65.0.0"], "psycopg": ["3.2.1", "3.1.0"]}
    assert unpinned(LOCK) == [
        "allauth",
        "Psycopg ; sys_platform != 'win32'",
        "psycopg ; sys_platform == 'win32'",
    ]


@pytest.mark.parametrize(
    ("newest", "behind"),
    [("65.0.0", []), ("65.0.1", [("allauth", "65.0.0")])],
)
def test_it_names_what_is_behind(newest: str, behind: list[tuple[str, str]]) -> None:
    held = versions(LOCK)
    assert older(held, {"allauth": [newest], "psycopg": ["3.2.1"]}) == behind


def test_it_finds_every_package_of_our_locks() -> None:
    for lock in OUTDATED["REQUIREMENTS"].glob("*.txt"):
        text = lock.read_text(encoding="utf-8")
        pinned = [line for line in text.splitlines() if line[:1].isalnum()]
        assert sum(map(len, versions(text).values())) == len(pinned) > 0


def test_it_says_so_where_the_index_cannot_be_reached() -> None:
    asked = subprocess.run(
        [sys.executable, "scripts/outdated.py"],
        env=os.environ | {"UV_OFFLINE": "1", "UV_NO_CACHE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=BASE,
    )
    assert asked.returncode == 1
    assert asked.stderr.startswith("The package index could not be asked, so nothing was compared:")
