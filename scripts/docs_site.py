"""Builds the documentation as a site in build/docs/site; run by `make docs`.

The pages of docs/, the README as the first page, and the others of `BESIDE` are copied to build/docs/pages
with their links rewritten; mkdocs then builds them and refuses a link that leads nowhere.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

BASE: Final = Path(__file__).resolve().parent.parent
PAGES: Final = BASE / "build" / "docs" / "pages"
MKDOCS: Final = BASE / ".venv-harnesses" / "mkdocs" / "bin" / "mkdocs"
BUILD: Final = [str(MKDOCS), "build", "--strict"]
"""Not `--quiet`: what is not printed does not count as a warning."""
INSTALL: Final = [sys.executable, "scripts/install.py", "harnesses", "--only", "mkdocs"]
BESIDE: Final[Mapping[str, str]] = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "clients/python/README.md": "client.md",
    "sample/README.md": "sample.md",
}
"""Pages outside docs/, by path, and their names in the site."""
LINK: Final = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def main() -> int:
    """Collect the pages and build the site; return what mkdocs returns."""
    subprocess.run(INSTALL, cwd=BASE, check=False)
    if not MKDOCS.exists():
        print("mkdocs could not be installed; the lines above say why.", file=sys.stderr)
        return 1
    collect()
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(BUILD, cwd=BASE, env=environment, check=False).returncode


def collect() -> None:
    """Copy all pages and what they show into `PAGES`, with links that lead from there."""
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(BASE / "docs", PAGES)
    for page in PAGES.rglob("*.md"):
        _rewrite(page, BASE / "docs" / page.relative_to(PAGES))
    for source, name in BESIDE.items():
        shutil.copy(BASE / source, PAGES / name)
        _rewrite(PAGES / name, BASE / source)


def _rewrite(page: Path, source: Path) -> None:
    text = page.read_text(encoding="utf-8")
    page.write_text(LINK.sub(lambda found: _link(found, source), text), encoding="utf-8")


def _link(found: re.Match[str], source: Path) -> str:
    """Return a link to a page of the site, or the words alone where the site does not have what it names."""
    image, words, target, anchor = found[1], found[2], found[3], found[4] or ""
    if ":" in target:
        return found[0]
    try:
        inside = (source.parent / target).resolve().relative_to(BASE).as_posix()
    except ValueError:
        return words
    name = BESIDE.get(inside) or (inside.removeprefix("docs/") if inside.startswith("docs/") else "")
    return f"{image}[{words}]({name}{anchor})" if name else words


if __name__ == "__main__":
    sys.exit(main())
