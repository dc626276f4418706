"""Reads damaged files of the kinds that are named, with bounded memory, and prints what came of each kind.

`python -m tests.drills.fuzzed_reading FIRST LAST KIND...` prints a JSON object a kind, with the crashes by
their stack. It is a process of its own: its limit of memory would be one of the tests, too.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
import traceback
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from parable.commands.matrices import UnusableMatrixError
from parable.commands.rating_rows import read_rows
from parable.formats.answer_log import log_of
from parable.formats.asked_items import Words
from parable.formats.errors import InputError, RowError, english_with_place
from parable.formats.format import Format
from parable.formats.items import AUTO, FORMATS, ITEM_FORMATS, item_columns, json_item_columns, read_items
from parable.formats.kind_files import LAYOUTS, Answers, read_answers
from parable.formats.limits import ANYBODYS, OURS, ItemRules
from parable.formats.mapped_items import is_of_others, lacks_story, offer_mapping
from parable.formats.records import Reading
from parable.formats.responses import read_responses
from parable.formats.source_file import SourceFile
from parable.formats.stories import foreign_story_columns, read_stories, story_columns
from tests.drills.fuzzing import damaged

MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of addresses that reading may take beside what was loaded before it."""
SAMPLED: Final = 50
"""Of so many files one is measured by its memory, which takes several times the time."""
OPTIONS: Final = {
    f"small-fables-{letter}-{number:06}": 4 for letter in "cm" for number in range(1, 4)
} | dict.fromkeys(("a", "b", "c", "crow", "fox", "1", "2"), 4)
WORDS: Final = [Words(name, "A fox.", f"Who {name}?", ("a", "b", "c", "d")) for name in OPTIONS]


@dataclass(slots=True)
class Found:
    """What came of the files of a kind; `crashes` are stacks by the numbers of the files they came of."""

    kind: str
    files: int = 0
    records: int = 0
    refusals: int = 0
    slowest: float = 0.0
    slowest_file: int = 0
    most_memory: int = 0
    crashes: dict[str, list[int]] = field(default_factory=dict)

    def timed(self, seconds: float, number: int) -> None:
        """Keep the time of the slowest reading; where memory is traced, it takes several times as long."""
        if seconds > self.slowest and not tracemalloc.is_tracing():
            self.slowest, self.slowest_file = seconds, number


def readings_of(name: str, data: bytes, code: str, number: int) -> Iterator[partial[Any]]:
    """Yield the ways in which commands and pages read a file, each other number by other rules."""
    rules = (OURS, ANYBODYS)[:: 1 if number % 2 else -1]
    mapping = "story:A fable." if number % 3 else ""
    read = partial(read_items, data, name=name)
    yield partial(read, rules=rules[0])
    said = code if code in ITEM_FORMATS else AUTO
    yield partial(read, format=said, numbers=number % 2, mapping=mapping, rules=rules[1])
    yield partial(read_stories, data, name=name)
    yield partial(offers_of, SourceFile(data), FORMATS[code] if number % 2 else None)
    if code == "published":
        yield from (partial(read_answers, data, name=name, layout=layout) for layout in LAYOUTS.values())


def offers_of(file: SourceFile, said: Format | None) -> list[object]:
    """Return what the pages of an import keep of a file before they read it."""
    is_of_others(file)
    lacks_story(file)
    looks = (item_columns, json_item_columns, story_columns, foreign_story_columns)
    columns = [[asdict(column) for column in look(file)] for look in looks]
    offer = offer_mapping(file, said=said)
    return [columns, [offer.names, offer.samples] if offer else None]


def check_outcome(outcome: object, rules: ItemRules) -> int:
    """Return the number of records; raise AssertionError for an error without a place or words.

    Raise it also for a text that PostgreSQL does not store, unless items are only judged by their rules.
    """
    if isinstance(outcome, Reading | Answers):
        check_errors([*outcome.errors, *(outcome.remarks if isinstance(outcome, Reading) else ())])
    if not isinstance(outcome, Reading):
        check_texts(outcome if isinstance(outcome, list) else [])
        return 0
    for row in outcome.rows:
        assert row.row >= 1, row
        said = asdict(row.record)
        json.dumps(said, allow_nan=False)
        check_texts(json.loads(json.dumps(said).replace("\\u0000", "")) if rules is ANYBODYS else said)
    check_texts([outcome.ignored, outcome.trimmed])
    return len(outcome.rows)


def check_errors(errors: Sequence[RowError]) -> None:
    """Raise AssertionError for an error without a place or words, or with signs that cannot be shown."""
    for error in errors:
        assert error.row >= 1, error
        assert error.field, error
        check_texts([error.field, error.params, english_with_place(error), error.items])


def check_texts(value: object) -> None:
    """Raise AssertionError for a text in a JSON value that PostgreSQL does not store."""
    if isinstance(value, str):
        assert "\0" not in value, value
        value.encode()
    elif isinstance(value, Mapping):
        check_texts([*value.items()])
    elif isinstance(value, list | tuple):
        for one in value:
            check_texts(one)


def read_file(found: Found, number: int, folder: Path) -> None:
    """Read a file as what it may be, and count what came of it."""
    name, data = damaged(found.kind, number)
    codes: set[str] = set()
    records = 0
    if found.kind.startswith("log "):
        began = time.process_time()
        records = _read_log(name, data, folder, codes)
        found.timed(time.process_time() - began, number)
    else:
        for read in readings_of(name, data, found.kind, number):
            began = time.process_time()
            outcome = read()
            found.timed(time.process_time() - began, number)
            records = max(records, check_outcome(outcome, read.keywords.get("rules", OURS)))
            codes |= {error.code for error in getattr(outcome, "errors", ())}
    found.records += records
    found.refusals += not records and bool(codes)


def _read_log(name: str, data: bytes, folder: Path, codes: set[str]) -> int:
    """Read a file of answers as `score`, `raters` and the pages read it, and return how many it has."""
    path = folder / name
    path.write_bytes(data)
    log = log_of(path, data[:4096])
    read = 0
    if log is not None:
        with suppress(InputError):
            for _row, values in log.read(path):
                read += 1
                assert [type(values[field]) for field in ("model", "item_id")] == [str, str], values
    with suppress(UnusableMatrixError):
        read_rows([path])
    for tasks in ({}, dict.fromkeys(OPTIONS, "anomaly_spans")):
        responses = read_responses([path], options=OPTIONS, tasks=tasks, words=WORDS)
        check_errors(responses.errors)
        for record in responses.records:
            check_texts([record.model, record.item_id, record.choice])
            json.dumps(astuple(record), allow_nan=False)
        codes |= {error.code for error in responses.errors}
        read = max(read, len(responses.records))
    return read


def read_kind(kind: str, numbers: range) -> Found:
    """Read the files of a kind that have these numbers."""
    found = Found(kind)
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            is_sample = number % SAMPLED == 1
            if is_sample:
                tracemalloc.start()
            try:
                read_file(found, number, Path(folder))
            except Exception:  # noqa: BLE001 - which one it is, is what is sought
                found.crashes.setdefault(traceback.format_exc(limit=-6), []).append(number)
            if is_sample:
                found.most_memory = max(found.most_memory, tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()
            found.files += 1
    return found


def bound_memory() -> None:
    """Refuse more memory than reading may take."""
    held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))


def main() -> None:
    first, last, kinds = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    for kind in kinds:
        damaged(kind, 0)
    bound_memory()
    for kind in kinds:
        print(json.dumps(asdict(read_kind(kind, range(first, last)))), flush=True)


if __name__ == "__main__":
    main()
