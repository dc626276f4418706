"""Release folders of odd texts, loaded by the libraries that people read data sets with, byte for byte."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from parable.formats.conversion import Conversion
from parable.formats.items import FORMATS
from parable.formats.records import ItemRecord
from parable.splits import TEST
from release.card.card import Frozen
from tests.architecture import BASE
from tests.drills.test_harnesses import PATIENCE, seen_by
from tests.release.folders import frozen, withheld, write

pytestmark = pytest.mark.drill

Rows = list[dict[str, Any]]
"""The rows of a file."""

MIXED: Final = (
    *("2024-01-02", " lead", "trail ", "0001", "2.50", "NA", "null", "None", "true", "8:30", "1,2", "3-4"),
    *("a\rb", "a\r\nb", "a\nb", "\ttab", "a\u2028b", "a\u2029b", "a\x85b", "a\x0bb", "a\u00a0b", "a\u200bb"),
    *(
        "x" * 3000,
        "乌鸦喝水。",
        "\U00020bb7野家",
        "🦊",
        "e\u0301",
        "ﬁ",
        "\ufeffmark",
        "50%",
        "T",
        "=1+1",
        "1e5",
    ),
    *('"', "'q'", "“双”", "\\", "\\n", "\\u0041", "{}", '{"a": 1}', "[1]", "a,b;c\td|e", "<b>&amp;</b>"),
    *("007", "nan", "2024-01-02 00:00:00"),
)
"""Texts that a library may change, side by side in a file."""
ALIKE: Final[Mapping[str, tuple[str, ...]]] = {
    "dates": tuple(f"2024-01-{day:02d}" for day in range(1, 17)),
    "moments": tuple(f"2024-01-02T08:{minute:02d}:00" for minute in range(16)),
    "zeros": tuple(f"{number:04d}" for number in range(1, 17)),
    "decimals": tuple(f"{number}.50" for number in range(16)),
    "long numbers": tuple(f"2024{number:020d}" for number in range(16)),
    "nan": ("nan",) * 16,
    "NA": ("NA",) * 16,
    "booleans": ("true", "false") * 8,
    "hours": tuple(f"{hour}:30" for hour in range(16)),
    "days": tuple(f"{day}-3-2026" for day in range(1, 17)),
    "UUIDs": tuple(f"3F2504E0-4F89-11D3-9A0C-0305E82C{number:04X}" for number in range(16)),
}
"""Texts that fill a whole column of a file and look like values of another type, by what they look like."""
COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "alike": {
        "source_id": "zeros", "story_id": "long numbers", "title": "dates", "story": "moments",
        "question": "decimals", "explanation": "UUIDs", "choices": "dates", "generators": "moments",
    },
    "alike, too": {
        "source_id": "nan", "story_id": "hours", "title": "NA", "story": "booleans",
        "question": "days", "explanation": "dates", "choices": "zeros", "generators": "decimals",
    },
}  # fmt: skip
"""What the columns of two releases look like."""
LISTS: Final = frozenset({"choices", "generators"})
CHANGED: Final[Mapping[str, frozenset[str]]] = {
    "datasets": frozenset({"dates", "moments"}),
    "mlcroissant": frozenset({"zeros", "decimals", "long numbers", "nan"}),
}
"""What libraries change, as docs/releases.md says: they convert such columns, whatever type is declared."""
LINES: Final = frozenset({"datasets", "mlcroissant", "pandas", "polars", "duckdb"})
PARQUET: Final = frozenset({f"{name}, Parquet" for name in LINES - {"mlcroissant"}})


def odd_items(columns: Mapping[str, tuple[str, ...]]) -> Iterator[ItemRecord]:
    """Yield two items, or three, for each text of the columns."""
    options = columns["choices"]
    for number in range(len(options)):
        ours: dict[str, Any] = {name: texts[number] for name, texts in columns.items()}
        ours |= {
            "id": f"item-{number}",
            "task": "moral",
            "story_id": ours["story_id"] if ours["story_id"].strip() else "blank",
            "choices": (*options[number - 1 : number], options[number], *options[:4])[: 2 + number % 3],
            "generators": (ours["generators"],) if number % 2 else (),
            "language": "zh",
        }
        yield ItemRecord(**ours, answer=number % 2)
        own = {"task": "commonsense", "types": ("social",), "explanation": None, "source_id": ""}
        yield ItemRecord(**{**ours, **own}, answer=number % 2)
        if number % 3 == 0:
            yield ItemRecord(**{**ours, "task": "multiple"}, answer=None, answers=(0, 1))


@pytest.fixture(scope="module")
def made() -> dict[str, Frozen]:
    columns = {
        name: {column: ALIKE[look] for column, look in looks.items()} for name, looks in COLUMNS.items()
    }
    columns["mixed"] = dict.fromkeys(COLUMNS["alike"], MIXED)
    releases = {name: frozen(odd_items(texts), language="zh") for name, texts in columns.items()}
    return {**releases, "withheld": withheld(releases["mixed"])}


@pytest.fixture(scope="module")
def releases(made: dict[str, Frozen], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of releases, each with the Parquet file that the site makes of its items with answers."""
    writer = FORMATS["parquet"].writer
    assert writer is not None
    root = tmp_path_factory.mktemp("releases")
    for name, release in made.items():
        folder = write(release, root / name)
        kept = [one for one in release.items if not (release.recipe.withhold_test and one.split == TEST)]
        parts = Conversion(writer).parts(one.item() for one in kept)
        (folder / "items.parquet").write_bytes(b"".join(parts))
    return root


@pytest.fixture(scope="module")
def seen(releases: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, Rows]]]:
    """The rows of each file of each release, as each library has them."""
    return seen_by("datasets", releases, tmp_path_factory.mktemp("cache"), program="releases")


def item_files(folder: Path) -> dict[str, Rows]:
    """Return the records of a release by the files that hold them."""
    files = [file for split in ("dev", "test") for file in folder.glob(f"{split}/*.jsonl")]
    return {
        str(file.relative_to(folder)): [json.loads(line) for line in file.read_bytes().split(b"\n") if line]
        for file in files
    }


def as_parquet_has_it(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the columns of our Parquet: all answers in one list, and no id from elsewhere."""
    one = record.get("answer")
    answers = record["answers"] if one is None else [one]
    left_out = {"source_id", "answer_letter", "answer_letters", "canary", "domain"}
    return {name: value for name, value in record.items() if name not in left_out} | {"answers": answers}


def changed_columns(records: Rows, rows: Rows) -> set[str]:
    """Return the columns in which rows differ from records; what a record lacks may be None in its row."""
    assert len(rows) == len(records) > 0
    return {
        name
        for record, row in zip(records, rows, strict=True)
        for name in record.keys() | row.keys()
        if record.get(name) != row.get(name, "no such column")
    }


def test_the_files_hold_each_text_as_it_was_frozen(made: dict[str, Frozen], releases: Path) -> None:
    for name, release in made.items():
        records = {record["id"]: record for found in item_files(releases / name).values() for record in found}
        assert {*records} == {one.public_id for one in release.items}
        for one in release.items:
            found = records[one.public_id]
            hidden = {"explanation"} if name == "withheld" and one.split == TEST else set()
            for field in {
                "source_id",
                "story_id",
                "title",
                "story",
                "question",
                "choices",
                "explanation",
            } - hidden:
                assert found[field] == one.record[field], (name, field)


def test_the_documented_ways_of_loading_change_no_text(
    releases: Path, seen: dict[str, dict[str, dict[str, Rows]]]
) -> None:
    """Each field of all files of an open and of a withheld release, but for what is documented."""
    assert {*seen} == {"mixed", "withheld", *COLUMNS}
    for release, ways in seen.items():
        files = item_files(releases / release)
        assert len(files) == 6
        assert {*ways} == LINES | PARQUET
        for way in LINES:
            looks = COLUMNS.get(release, {})
            expected = {column for column, look in looks.items() if look in CHANGED.get(way, ())}
            changed = set()
            assert {part for name in ways[way] for part in name.split("+")} == {*files}, way
            for name, rows in ways[way].items():
                records = [record for part in name.split("+") for record in files[part]]
                changed |= changed_columns(records, rows)
            assert changed == (expected if way == "datasets" else expected - LISTS), (release, way)


def test_parquet_changes_no_text(releases: Path, seen: dict[str, dict[str, dict[str, Rows]]]) -> None:
    """Of a withheld release, too, whose test items are not in that file."""
    for release, ways in seen.items():
        records = {
            record["id"]: as_parquet_has_it(record)
            for name, found in item_files(releases / release).items()
            for record in found
            if not (release == "withheld" and name.startswith("test/"))
        }
        for way in PARQUET:
            (rows,) = ways[way].values()
            assert {row["id"] for row in rows} == {*records}, way
            trimmed = [
                {name: value for name, value in row.items() if name != "answer_letters"} for row in rows
            ]
            assert changed_columns([records[row["id"]] for row in rows], trimmed) == set(), (release, way)


def test_jsonlite_changes_no_text(releases: Path) -> None:
    """Skipped where R or its package is not on the machine: `make harnesses` installs neither."""
    program = shutil.which("Rscript") or "false"
    has_it = [program, "-e", 'quit(status = !requireNamespace("jsonlite", quietly = TRUE))']
    if subprocess.run(has_it, check=False, capture_output=True, timeout=PATIENCE).returncode:
        pytest.skip("R with jsonlite is not installed")
    script = BASE / "tests" / "harnesses" / "load_releases.R"
    done = subprocess.run([program, script, releases], capture_output=True, check=True, timeout=PATIENCE)
    for release, files in json.loads(done.stdout).items():
        records = item_files(releases / release)
        assert {*files} == {*records}
        for name, rows in files.items():
            told = [{column: from_bytes(value) for column, value in row.items()} for row in rows]
            assert changed_columns(records[name], told) == set(), (release, name)


def from_bytes(value: Any) -> Any:
    """Return a cell whose texts are hexadecimal digits of their bytes."""
    if isinstance(value, list):
        return [from_bytes(one) for one in value]
    return bytes.fromhex(value).decode() if isinstance(value, str) else value
