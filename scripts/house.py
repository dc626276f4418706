"""Print measures of how much code there is to read and change, one measure a line.

Usage: python scripts/house.py [--list functions|dataclasses] [--flows]

The Python files in git are counted, without tests, migrations and benchmarks. A private function has one
caller if its name is used once in its module, apart from its definition. `--list` prints the definitions,
`--flows` runs tests/test_flow_sizes.py for the files of each flow. The table is in docs/architecture.md.
"""

from __future__ import annotations

import argparse
import ast
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
GIT = shutil.which("git") or "git"
LEFT_OUT = re.compile(r"^(tests|benchmarks|findings)/|/migrations/")
RECORDS = {"dataclass", "NamedTuple"}


@dataclass(frozen=True)
class Place:
    """A definition: its file, line and name, and the length of its body without the docstring."""

    file: str
    line: int
    name: str
    lines: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name} ({self.lines})"


def main() -> None:
    """Print the measures, or the definitions that one of them counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", choices=["functions", "dataclasses"])
    parser.add_argument("--flows", action="store_true")
    wanted = parser.parse_args()
    files = dict(read())
    functions, records = list(single_callers(files)), list(row_classes(files))
    if wanted.list:
        for place in functions if wanted.list == "functions" else records:
            print(place)
        return
    print(f"Python files: {len(files)}")
    print(f"Python lines: {sum(text.count(chr(10)) for text in files.values())}")
    print(f"private functions with one caller: {len(functions)}")
    print(f"of them shorter than seven lines: {sum(place.lines < 7 for place in functions)}")
    print(f"dataclasses and named tuples: {len(records)}")
    if wanted.flows:
        command = [sys.executable, "-m", "pytest", "-q", "-s", "tests/test_flow_sizes.py"]
        shown = subprocess.run(command, cwd=BASE, check=True, capture_output=True, text=True).stdout
        print("\n".join(line for line in shown.splitlines() if line.startswith("flow ")))


def read() -> Iterator[tuple[str, str]]:
    """Yield (name, text) of every Python file of the repository."""
    names = subprocess.run([GIT, "ls-files", "-z", "*.py"], cwd=BASE, check=True, capture_output=True).stdout
    for name in names.decode().split("\0"):
        if name and not LEFT_OUT.search(name) and (BASE / name).exists():
            yield name, (BASE / name).read_text("utf-8")


def single_callers(files: dict[str, str]) -> Iterator[Place]:
    """Yield the private functions and methods whose name is used exactly once in their module."""
    for name, text in files.items():
        tree = ast.parse(text)
        uses = Counter(
            node.id if isinstance(node, ast.Name) else node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Name | ast.Attribute)
        )
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if node.name.startswith("_") and not node.name.endswith("__") and uses[node.name] == 1:
                documented = ast.get_docstring(node, clean=False) is not None
                body = node.body[1:] if documented else node.body
                lines = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
                yield Place(name, node.lineno, node.name, lines)


def row_classes(files: dict[str, str]) -> Iterator[Place]:
    """Yield the dataclasses and named tuples of these files."""
    for name, text in files.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                marks = [*node.decorator_list, *node.bases]
                if RECORDS & {word for mark in marks for word in re.findall(r"\w+", ast.unparse(mark))}:
                    yield Place(name, node.lineno, node.name, (node.end_lineno or 0) - node.lineno + 1)


if __name__ == "__main__":
    main()
