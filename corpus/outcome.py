"""Results of imports and previews as plain data, which commands print and pages display."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from parable.formats.errors import RowError
from parable.formats.records import ItemRecord, Reading, StoryRecord, released
from parable.kinds import kind_of
from parable.kinds.question import LETTERS

CREATED: Final = "created"
CHANGED: Final = "changed"
UNCHANGED: Final = "unchanged"
DUPLICATE: Final = "duplicate"
BROKEN: Final = "broken"
OUTCOMES: Final = (CREATED, CHANGED, UNCHANGED, DUPLICATE, BROKEN)


@dataclass(frozen=True, slots=True)
class RowMessage:
    """A message about one field in one row of a file. Rows are counted from 1."""

    file: str
    row: int
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}, {self.row}, {self.field}: {self.message}"


@dataclass(frozen=True, slots=True)
class ReadingNote(RowMessage):
    """A note about values that were read differently than written, with a reason code and the first rows."""

    code: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """The result of importing one row, with the title of its story or item.

    `outcome` is one of `OUTCOMES`, `remark` a message such as that the key is missing.
    """

    file: str
    row: int
    outcome: str
    title: str
    remark: str = ""


@dataclass(slots=True)
class ImportResult:
    """The result of an import: the outcome of each row, the number of drafts, and errors.

    Nothing is written if `issues` is not empty.

    `notes` are about values that are stored differently than in the file, and about new stories that are
    probably wordings of another story. `remarks` are about values that are read differently than written, or
    not read.
    """

    outcomes: list[RowOutcome] = field(default_factory=list)
    drafts: int = 0
    issues: list[RowMessage] = field(default_factory=list)
    notes: list[RowMessage] = field(default_factory=list)
    remarks: list[ReadingNote] = field(default_factory=list)
    refs: Sequence[str] = ()
    """The ids of the rows' items in the project."""
    dry_run: bool = False
    suspected: int = 0
    """The number of new stories that are probably wordings of another story; only set by a dry run."""
    item_checks: Mapping[str, Sequence[str]] | None = None
    """The ids of items by the check that reports them; None if nothing was checked. Only set by a dry run."""

    def note(self, file: str, row: int, outcome: str, title: str, remark: str = "") -> None:
        """Add the outcome of a row."""
        self.outcomes.append(RowOutcome(file, row, outcome, title, remark))

    def __add__(self, other: "ImportResult") -> "ImportResult":
        """Return the sum of both results, with the rows of `other` last."""
        return ImportResult(
            outcomes=self.outcomes + other.outcomes,
            drafts=self.drafts + other.drafts,
            issues=self.issues + other.issues,
            notes=self.notes + other.notes,
            remarks=self.remarks + other.remarks,
            refs=[*self.refs, *other.refs],
            dry_run=self.dry_run and other.dry_run,
            suspected=self.suspected + other.suspected,
            item_checks=other.item_checks if self.item_checks is None else self.item_checks,
        )

    @property
    def is_broken(self) -> bool:
        """Whether any row has an error; then nothing is written."""
        return bool(self.issues)

    def counts(self) -> dict[str, int]:
        """Return the number of rows by outcome; BROKEN counts the rows with errors."""
        counted = Counter(outcome.outcome for outcome in self.outcomes)
        counts = {outcome: counted[outcome] for outcome in OUTCOMES}
        counts[BROKEN] = len({(issue.file, issue.row) for issue in self.issues})
        return counts

    def as_json(self) -> dict[str, object]:
        """Return the JSON object that import commands print as their last line."""
        return {
            **self.counts(),
            "drafts": self.drafts,
            "errors": list(map(asdict, self.issues)),
            "suspected": self.suspected,
            "notes": list(map(asdict, self.notes)),
            "remarks": list(map(asdict, self.remarks)),
            **({"item_checks": self.item_checks} if self.item_checks is not None else {}),
        }


def carry_out(run: Callable[[bool], ImportResult], *, dry_run: bool) -> ImportResult:
    """Call `run(True)`, a dry run, then `run(False)`, unless `dry_run` or a row has an error.

    The result of the import has the notes and checks of the dry run.
    """
    tried = run(True)
    if dry_run or tried.is_broken:
        tried.dry_run = dry_run
        return tried
    done = run(False)
    done.suspected, done.notes, done.item_checks = tried.suspected, tried.notes, tried.item_checks
    return done


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row of a preview, with its outcome and messages.

    `holds` is its content.
    """

    file: str
    row: int
    outcome: str
    title: str = ""
    remarks: Sequence[str] = ()
    holds: Mapping[str, Any] = field(default_factory=dict)


MOST_SHOWN: Final = 2000
"""The most rows of each outcome that a preview stores, so that it stays small."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of an import: counts of all rows, and the first rows of each outcome."""

    counts: Mapping[str, int]
    drafts: int
    rows: tuple[PreviewRow, ...]
    lacks: Mapping[str, int] = field(default_factory=dict)
    """The number of valid rows without a moral, rights, a key or an explanation."""
    suspected: int = 0
    """The number of new stories that are probably wordings of another story."""
    checks: Mapping[str, int] = field(default_factory=dict)
    """The number of items that each single-item check reports."""
    remarks: Sequence[Mapping[str, Any]] = ()
    """Notes about values that are read differently than written, each with the fields of `ReadingNote`."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Further data about the files for the page, such as the columns of tables."""

    @property
    def is_broken(self) -> bool:
        """Whether any row has an error; then the import writes nothing."""
        return self.counts[BROKEN] > 0

    @property
    def changes_anything(self) -> bool:
        """Whether the import would create or change anything."""
        return not self.is_broken and self.counts[CREATED] + self.counts[CHANGED] > 0

    def rows_of(self, outcome: str) -> list[PreviewRow]:
        """Return the stored rows with this outcome; all stored rows if `outcome` is ""."""
        return [row for row in self.rows if outcome in {"", row.outcome}]

    def hidden(self, outcome: str) -> int:
        """Return the number of rows with this outcome that are not stored.

        If `outcome` is "", count rows with any outcome.
        """
        total = self.counts[outcome] if outcome else sum(self.counts[each] for each in OUTCOMES)
        return max(total - len(self.rows_of(outcome)), 0)

    def to_json(self) -> bytes:
        """Return the preview as JSON in UTF-8, for `from_json`."""
        return json.dumps(asdict(self), ensure_ascii=False).encode()

    @classmethod
    def from_json(cls, data: bytes) -> "Preview":
        """Return the preview from the result of `to_json`."""
        said = json.loads(data)
        rows = tuple(PreviewRow(**row) for row in said.pop("rows"))
        return cls(rows=rows, **said)


def preview_of(
    result: ImportResult,
    readings: Sequence[Reading[StoryRecord] | Reading[ItemRecord]] = (),
    *,
    about: Mapping[str, Any] | None = None,
) -> Preview:
    """Return the preview of an import; its rows are in the order of the files."""
    records = {(reading.name, row.row): row.record for reading in readings for row in reading.rows}
    left = dict.fromkeys(OUTCOMES, MOST_SHOWN)
    rows = []
    for row in _preview_rows(result):
        left[row.outcome] -= 1
        if left[row.outcome] >= 0:
            rows.append(replace(row, holds=_held(records.get((row.file, row.row)))))
    lacks = Counter(name for record in records.values() for name in _lacking(record))
    checks = {check: len(ids) for check, ids in (result.item_checks or {}).items()}
    return Preview(
        result.counts(),
        result.drafts,
        tuple(rows),
        dict(lacks),
        result.suspected,
        checks,
        [*map(asdict, result.remarks)],
        about or {},
    )


MOST_CHARS: Final = 400
"""The most characters of a text that a preview stores: enough to recognise the text."""
MOST_LINES: Final = 20
"""The most lines of a correct answer that a preview stores."""


def _held(record: StoryRecord | ItemRecord | None) -> dict[str, object]:
    """Return a row's content for the preview; {} if the row has no record.

    Pages show the key or moral only on request: a user who has read it can no longer solve the item blind.
    """
    if isinstance(record, StoryRecord):
        moral = record.moral or ""
        return {
            "text": record.text[:MOST_CHARS],
            "moral": moral[:MOST_CHARS],
            "moral_chars": len(moral),
            "rights": record.rights or "",
        }
    if record is None:
        return {}
    item, question = released(record), kind_of(record.task).question
    texts = [record.story, *question.asked_of(item).values()]
    lines = question.answer_lines(question.right(item)) or [
        ", ".join(LETTERS[place] for place in record.answers)
    ]
    return {
        "stem": record.question[:MOST_CHARS],
        "options": [choice[:MOST_CHARS] for choice in record.choices],
        # for an item without options, the preview shows the texts it is about
        "texts": [] if record.choices else [str(text)[:MOST_CHARS] for text in texts if text],
        "key": record.answer,
        "is_keyed": record.is_keyed,
        "right": [line[:MOST_CHARS] for line in lines[:MOST_LINES] if line],
        "types": list(record.types),
        "task": record.task,
    }


def _lacking(record: StoryRecord | ItemRecord) -> list[str]:
    if isinstance(record, StoryRecord):
        has = {"moral": bool(record.moral), "rights": bool(record.rights)}
    else:
        has = {"key": record.is_keyed, "explanation": bool(record.explanation)}
    return [name for name, is_there in has.items() if not is_there]


def _preview_rows(result: ImportResult) -> list[PreviewRow]:
    """Return all rows of an import in the order of the files. Rows with errors have only messages."""
    files = list(dict.fromkeys([*(f.file for f in result.outcomes), *(i.file for i in result.issues)]))
    broken: dict[tuple[str, int], list[str]] = {}
    for issue in result.issues:
        broken.setdefault((issue.file, issue.row), []).append(f"{issue.field}: {issue.message}")
    notes: dict[tuple[str, int], list[str]] = {}
    for note in result.notes:
        notes.setdefault((note.file, note.row), []).append(note.message)
    rows = [
        PreviewRow(file, row, BROKEN, remarks=tuple(dict.fromkeys(remarks)))
        for (file, row), remarks in broken.items()
    ]
    rows += [
        PreviewRow(
            known.file,
            known.row,
            known.outcome,
            known.title,
            (*filter(None, [known.remark]), *notes.get((known.file, known.row), ())),
        )
        for known in result.outcomes
        if (known.file, known.row) not in broken
    ]
    rows.sort(key=lambda row: (files.index(row.file), row.row))
    return rows


def issues_of(errors: Iterable[RowError], sentences: Sequence[str]) -> list[RowMessage]:
    """Convert each row error, with its sentence, to a `RowMessage`."""
    return [
        RowMessage(error.file, error.row, error.field, sentence)
        for error, sentence in zip(errors, sentences, strict=True)
    ]
