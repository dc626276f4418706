"""The tables in docs/ that are made from measurements: the lines of a benchmark are stored, then rendered.

In a document, `<!-- figures: NAME -->` begins the table of a benchmark, and `<!-- /figures -->` ends it.
"""

import json
import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.lines import Line, table

BASE: Final = Path(__file__).resolve().parent.parent
FIGURES: Final = BASE / "benchmarks" / "figures"
MARKED: Final = re.compile(r"(<!-- figures: (?P<name>\w+) -->\n).*?(<!-- /figures -->)", re.DOTALL)


def keep(name: str, lines: Sequence[Line]) -> None:
    """Store the lines of a benchmark, with the day, the machine's cores and memory, and its load."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GB,"
        f" Python {platform.python_version()}",
        "load": round(os.getloadavg()[2], 1),
    }
    FIGURES.mkdir(exist_ok=True)
    said = [json.dumps(one, ensure_ascii=False) for one in (about, *lines)]
    (FIGURES / f"{name}.jsonl").write_text("\n".join([*said, ""]), encoding="utf-8")


def write_tables() -> None:
    """Write the tables of all documents again."""
    for path in documents():
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")


def documents() -> list[Path]:
    """Return the documents that have such tables."""
    return [path for path in sorted((BASE / "docs").glob("*.md")) if MARKED.search(path.read_text("utf-8"))]


def written(text: str) -> str:
    """Return a document with its tables made from the stored lines."""
    return MARKED.sub(lambda found: found[1] + figures(found["name"]) + found[3], text)


def figures(name: str) -> str:
    """Return when and where a benchmark was run, and its table; if no lines are stored, how to run it."""
    path = FIGURES / f"{name}.jsonl"
    if not path.is_file():
        return f'Not kept yet: `make bench BENCH="{name} --write"`.\n'
    about, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    visible = [one for one in lines if not one.get("apart")]
    message = f"{about['date']}, {about['machine']}; load {about['load']} (mean of 15 minutes)."
    return f"{message} `make bench BENCH={name}`\n\n{table(visible)}\n"
