"""The documentation is built as a site, and a link that leads nowhere stops it."""

from __future__ import annotations

import runpy
import subprocess
import sys

import pytest

from tests.architecture import BASE

pytestmark = pytest.mark.drill

SCRIPT = runpy.run_path(str(BASE / "scripts" / "docs_site.py"))


def test_the_site_is_built_and_a_dead_link_is_named() -> None:
    subprocess.run(SCRIPT["INSTALL"], cwd=BASE, check=False)
    if not SCRIPT["MKDOCS"].exists():
        pytest.skip("mkdocs could not be installed here")
    subprocess.run([sys.executable, "scripts/docs_site.py"], cwd=BASE, check=True)
    first = (BASE / "build" / "docs" / "site" / "index.html").read_text(encoding="utf-8")
    assert 'href="first_hour.html"' in first
    page = SCRIPT["PAGES"] / "gates.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n[nowhere](gates.md#nowhere)\n", encoding="utf-8")
    done = subprocess.run(SCRIPT["BUILD"], cwd=BASE, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "gates.md#nowhere" in done.stderr
