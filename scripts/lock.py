"""Writes the lock files from pyproject.toml: exact versions with hashes, without index URLs.

Run by `make lock`, in the virtual environment. There are five files: the packages of a site, those of a
site that may keep its files in S3 and send traces, those for development, uv, which installs the others, and
the model of `make demo-llm`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
REQUIREMENTS = BASE / "requirements"
UV = [sys.executable, "-m", "uv", "--no-config"]
COMPILE = [*UV, "pip", "compile", "--universal", "--python-version", "3.11", "--generate-hashes"]
HEADER = "# Written by `make lock`: exact versions with hashes, for Python 3.11 to 3.14 on any machine.\n"


def main() -> None:
    """Write requirements/development.txt, serving.txt, running.txt, installer.txt and demo-llm.txt."""
    _write("development", "pyproject.toml", "--group", "site", "--group", "serving", "--group", "dev")
    # A package in several files must have the same version, so that the tests use the versions of the site.
    same = ("--constraint", "requirements/development.txt")
    _write("serving", "pyproject.toml", "--group", "site", "--group", "serving", *same)
    _write("running", "pyproject.toml", "--group", "site", *same)
    _write("installer", "requirements/installer.in")
    _write("demo-llm", "requirements/demo-llm.in", "--no-deps")


def _write(name: str, source: str, *options: str) -> None:
    made = subprocess.run(
        [*COMPILE, "--no-header", source, *options], check=True, cwd=BASE, stdout=subprocess.PIPE, text=True
    )
    text = made.stdout
    if "://" in text or not text.strip():
        sys.exit(f"The lock {name} is empty or would hold an address; nothing was written.")
    (REQUIREMENTS / f"{name}.txt").write_text(HEADER + text, encoding="utf-8")


if __name__ == "__main__":
    main()
