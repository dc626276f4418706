"""Lists the locked packages of which a newer version has been released.

Run by `make outdated`, in the virtual environment. uv queries the package index once for each lock file;
nothing is installed or written. An outdated package is no error: a person decides whether to update it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
REQUIREMENTS = BASE / "requirements"
NEWEST = [
    *(sys.executable, "-m", "uv", "--no-config", "pip", "compile", "--universal", "--python-version", "3.11"),
    *("--no-deps", "--no-header", "--no-annotate", "-"),
]
PINNED = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[\w,-]*\])?==([^\s;\\]+)[^\S\n]*(;[^\\\n]*)?", re.MULTILINE)


def main() -> None:
    """Print a line for each outdated package: name, locked version, newest version, and lock files."""
    behind: dict[tuple[str, str, str], list[str]] = {}
    for lock in sorted(REQUIREMENTS.glob("*.txt")):
        text = lock.read_text(encoding="utf-8")
        held, newest = versions(text), versions(ask(unpinned(text)))
        for name, there in older(held, newest):
            behind.setdefault((name, there, newest[name][-1]), []).append(lock.stem)
    for (name, there, newest_one), locks in sorted(behind.items()):
        print(f"{name:32} {there:14} {newest_one:14} {', '.join(locks)}")
    print(
        f"{len(behind)} behind their newest release." if behind else "Nothing is behind its newest release."
    )


def versions(lock: str) -> dict[str, list[str]]:
    """Return the versions of each package in a lock file. There are several if they differ by system."""
    found: dict[str, list[str]] = {}
    for name, version, _marker in PINNED.findall(lock):
        found.setdefault(re.sub(r"[-_.]+", "-", name).lower(), []).append(version)
    return found


def unpinned(lock: str) -> list[str]:
    """Return the packages of a lock file without versions, but with their system markers."""
    return [f"{name} {marker}".strip() for name, _version, marker in PINNED.findall(lock)]


def older(held: dict[str, list[str]], newest: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return (name, last locked version) of each package whose newest version is not locked."""
    return [(name, has[-1]) for name, has in held.items() if name in newest and newest[name][-1] not in has]


def ask(names: Sequence[str]) -> str:
    """Return the newest version of each package as a lock. Exit if the index cannot be reached."""
    asked = subprocess.run(
        NEWEST, input="\n".join(names), capture_output=True, text=True, check=False, cwd=BASE, timeout=300
    )
    if asked.returncode:
        said = asked.stderr.strip().splitlines() or ["it said nothing"]
        sys.exit(f"The package index could not be asked, so nothing was compared: {said[-1].strip()}")
    return asked.stdout


if __name__ == "__main__":
    main()
