"""What an import did, or would do: plain values that commands print and pages show."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, Final

from parable.formats.errors import RowError

CREATED: Final = "created"
CHANGED: Final = "changed"
UNCHANGED: Final = "unchanged"
DUPLICATE: Final = "duplicate"
BROKEN: Final = "broken"
FATES: Final = (CREATED, CHANGED, UNCHANGED, DUPLICATE, BROKEN)


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing wrong at one place of a file; `row` counts from 1."""

    file: str
    row: int
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}, {self.row}, {self.field}: {self.message}"


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of one row: a fate, the row's title, and a remark (a near-duplicate, a missing key)."""

    file: str
    row: int
    fate: str
    title: str
    remark: str = ""


@dataclass(slots=True)
class ImportResult:
    """The fates of all rows, how many became drafts, and what was wrong. Nothing is written if `issues`."""

    fates: list[Fate] = field(default_factory=list)
    drafts: int = 0
    issues: list[Issue] = field(default_factory=list)
    dry_run: bool = False

    def note(self, file: str, row: int, fate: str, title: str, remark: str = "") -> None:
        """Add the fate of one row."""
        self.fates.append(Fate(file, row, fate, title, remark))

    @property
    def is_broken(self) -> bool:
        """Whether anything was wrong, so that nothing is written."""
        return bool(self.issues)

    def counts(self) -> dict[str, int]:
        """Rows by fate; `broken` counts rows with at least one issue."""
        counted = Counter(fate.fate for fate in self.fates)
        counts = {fate: counted[fate] for fate in FATES}
        counts[BROKEN] = len({(issue.file, issue.row) for issue in self.issues})
        return counts

    def as_json(self) -> dict[str, Any]:
        """The object that import commands print as their last line."""
        errors = [
            {"file": issue.file, "row": issue.row, "field": issue.field, "message": issue.message}
            for issue in self.issues
        ]
        return {**self.counts(), "drafts": self.drafts, "errors": errors}


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One row of a preview: what becomes of it, and what is to be said of it."""

    file: str
    row: int
    fate: str
    title: str = ""
    remarks: tuple[str, ...] = ()


MOST_SHOWN: Final = 2000
"""Rows of each fate that a preview keeps: more than anybody reads, and little to keep."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do, to be looked at page by page: all counts, the first rows of each fate."""

    counts: Mapping[str, int]
    drafts: int
    rows: tuple[PreviewRow, ...]

    @property
    def is_broken(self) -> bool:
        """Whether nothing would be written."""
        return self.counts[BROKEN] > 0

    def rows_of(self, fate: str) -> list[PreviewRow]:
        """The rows that are kept, or those of one fate."""
        return [row for row in self.rows if fate in {"", row.fate}]

    def hidden(self, fate: str) -> int:
        """How many rows there are besides."""
        total = self.counts[fate] if fate else sum(self.counts[each] for each in FATES)
        return max(total - len(self.rows_of(fate)), 0)

    def to_json(self) -> bytes:
        """As bytes that `from_json` reads."""
        rows = [astuple(row) for row in self.rows]
        return json.dumps([dict(self.counts), self.drafts, rows], ensure_ascii=False).encode()

    @classmethod
    def from_json(cls, data: bytes) -> "Preview":
        """What `to_json` wrote."""
        counts, drafts, rows = json.loads(data)
        shown = [PreviewRow(file, row, fate, title, tuple(said)) for file, row, fate, title, said in rows]
        return cls(counts, drafts, tuple(shown))


def preview_of(result: ImportResult) -> Preview:
    """An import as its preview keeps it, in the order of the files."""
    left = dict.fromkeys(FATES, MOST_SHOWN)
    rows = []
    for row in _preview_rows(result):
        left[row.fate] -= 1
        if left[row.fate] >= 0:
            rows.append(row)
    return Preview(result.counts(), result.drafts, tuple(rows))


def _preview_rows(result: ImportResult) -> list[PreviewRow]:
    """All rows of an import in the order of the files; broken ones say why."""
    files = list(dict.fromkeys([*(f.file for f in result.fates), *(i.file for i in result.issues)]))
    broken: dict[tuple[str, int], list[str]] = {}
    for issue in result.issues:
        broken.setdefault((issue.file, issue.row), []).append(f"{issue.field}: {issue.message}")
    rows = [
        PreviewRow(file, row, BROKEN, remarks=tuple(dict.fromkeys(remarks)))
        for (file, row), remarks in broken.items()
    ]
    rows += [
        PreviewRow(known.file, known.row, known.fate, known.title, (known.remark,) if known.remark else ())
        for known in result.fates
        if (known.file, known.row) not in broken
    ]
    rows.sort(key=lambda row: (files.index(row.file), row.row))
    return rows


def issues_of(errors: Iterable[RowError], sentences: Sequence[str]) -> list[Issue]:
    """Row errors beside their sentences, in the reader's language, as issues."""
    return [
        Issue(error.file, error.row, error.field, sentence)
        for error, sentence in zip(errors, sentences, strict=True)
    ]
