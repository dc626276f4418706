"""Measures the size of the code base in the working copy or in a commit, and prints it as a line of JSON.

Usage: python scripts/size.py [COMMIT ...]

The size is the number of characters without white space (so that denser lines gain nothing) in the `.py`,
`.html`, `.js` and `.css` files in git, separately for tests. Benchmarks and migrations are not counted. The
line also has the numbers of exemptions from checks, and of uses of `dict[str, Any]`.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
GIT = shutil.which("git") or "git"
COUNTED = (".py", ".html", ".js", ".css")
LEFT_OUT = re.compile(r"^benchmarks/|/migrations/")
EXEMPTION = re.compile(r"#\s*(?:noqa|type:\s*ignore)")
LOOSE = re.compile(r"\bdict\[str, Any\]")


def main() -> None:
    """Print a line for each given commit or, if none is given, for the working copy."""
    commits: list[str | None] = [*sys.argv[1:]]
    for commit in commits or [None]:
        print(json.dumps({"commit": commit or "working copy"} | measure(dict(read(commit)))))


def read(commit: str | None) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of every measured file."""
    if commit is None:
        names = _git("ls-files", "-z").decode().split("\0")
        yield from ((name, (BASE / name).read_text("utf-8")) for name in names if _counts(name))
        return
    with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as archive:
        for member in archive:
            if member.isfile() and _counts(member.name) and (file := archive.extractfile(member)):
                yield member.name, file.read().decode("utf-8")


def _git(*command: str) -> bytes:
    return subprocess.run([GIT, *command], cwd=BASE, check=True, capture_output=True).stdout


def _counts(name: str) -> bool:
    return name.endswith(COUNTED) and not LEFT_OUT.search(name)


def measure(files: dict[str, str]) -> dict[str, object]:
    """Return the measures of these files, which are texts by name."""
    house = {name: text for name, text in files.items() if not name.startswith("tests/")}
    python = [text for name, text in house.items() if name.endswith(".py")]
    by_kind: Counter[str] = Counter()
    for name, text in house.items():
        by_kind[Path(name).suffix[1:]] += size(text)
    return {
        "house": sum(by_kind.values()),
        **by_kind,
        "tests": sum(size(text) for name, text in files.items() if name.startswith("tests/")),
        "exemptions": sum(len(EXEMPTION.findall(text)) for text in python),
        "dict[str, Any]": sum(len(LOOSE.findall(text)) for text in python),
    }


def size(text: str) -> int:
    """Return the number of characters other than white space."""
    return len("".join(text.split()))


if __name__ == "__main__":
    main()
