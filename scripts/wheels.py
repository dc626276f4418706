"""Prints for which systems and Python versions every locked package has a wheel.

Run by `make lock`, in the virtual environment. For each system and version, uv resolves each lock file from
wheels only, whose hashes the lock file has; nothing is installed. A package without a wheel is printed, and
the exit code is then 1: replace the package, or document in docs/dependencies.md for which systems it has no
wheel.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = {
    "Linux, x86-64": "x86_64-unknown-linux-gnu",
    "Linux, Arm": "aarch64-unknown-linux-gnu",
    "macOS, Arm": "aarch64-apple-darwin",
}
"""The platforms in uv's notation, by their name in the table: glibc 2.28 or newer, macOS 13 or newer."""
RESOLVE = [
    *(sys.executable, "-m", "uv", "--no-config", "pip", "install", "--dry-run", "--only-binary", ":all:"),
    *("--no-deps", "--require-hashes", "--requirement", "-"),
]
ENTRY = re.compile(r"^([A-Za-z0-9][\w.-]*)([^\n]*(?:\n[^\S\n]+[^\n]*)*)", re.MULTILINE)
LACKING = re.compile(r"[Bb]ecause (?:only )?([A-Za-z0-9][\w.-]*?)(?:==|[<>]=?|\s)")
COUNTED = re.compile(r"Would install (\d+) package")


def main() -> None:
    """Print the table. Exit with 1 if a package lacks a wheel."""
    without: set[str] = set()
    print(f"| lock | system | {' | '.join(f'Python {python}' for python in PYTHONS)} |")
    print(f"|---|---|{'---|' * len(PYTHONS)}")
    for lock in sorted(REQUIREMENTS.glob("*.txt")):
        text = lock.read_text(encoding="utf-8")
        for system, platform in SYSTEMS.items():
            cells = []
            for python in PYTHONS:
                count, lacking = wheels(text, python, platform)
                without.update(lacking)
                cells.append(f"{count}, not {', '.join(lacking)}" if lacking else f"all {count}")
            print(f"| {lock.stem} | {system} | {' | '.join(cells)} |", flush=True)
    if without:
        sys.exit(f"Not everywhere as a wheel: {', '.join(sorted(without))}.")


def wheels(lock: str, python: str, platform: str) -> tuple[int, list[str]]:
    """Return (number of packages with a wheel for this Python and platform, names of those without).

    Exit with a message if the package index cannot be reached.
    """
    entries = ENTRY.findall(lock)
    lacking: list[str] = []
    while True:
        with tempfile.TemporaryDirectory() as nowhere:
            asked = subprocess.run(
                [*RESOLVE, "--target", nowhere, "--python-version", python, "--python-platform", platform],
                input="\n".join(name + rest for name, rest in entries),
                capture_output=True, text=True, check=False, timeout=300,
            )  # fmt: skip
        if asked.returncode == 0:
            found = COUNTED.search(asked.stderr)
            return int(found[1]) if found else 0, lacking
        named = LACKING.search(asked.stderr)
        if named is None or named[1] not in dict(entries):
            said = asked.stderr.strip().splitlines() or ["it said nothing"]
            sys.exit(f"The package index could not be asked: {said[-1].strip()}")
        lacking.append(named[1])
        entries = [entry for entry in entries if entry[0] != named[1]]


if __name__ == "__main__":
    main()
