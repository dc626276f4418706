"""A release folder is read whole, or what is wrong with it is said with file, line and field."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from parable.formats.errors import ErrorCode, english_with_place
from parable.formats.release_folder import read_release_folder
from tests.parable.release_folders import item, write_release

ITEMS = (item("crow-1", split="dev"), item("crow-2"), item("fox-m-1", task="moral"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a release whose test answers are kept back."""
    return write_release(tmp_path / "release", ITEMS, withheld=True)


def _answers(folder: Path, *rows: object) -> Path:
    path = folder.parent / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_it_reads_both_splits_and_what_the_manifest_says(folder: Path) -> None:
    found = read_release_folder(folder)
    assert not found.errors
    assert (found.name, found.title, found.version, found.language) == ("fables", "Fables", "1.2.0", "en")
    assert [(one.id, one.split, one.answer) for one in found.items] == [
        ("crow-1", "dev", 1),
        ("crow-2", "test", None),
        ("fox-m-1", "test", None),
    ]
    assert found.withheld == ("crow-2", "fox-m-1")
    assert [one.id for one in found.of_split("dev")] == ["crow-1"]


def test_it_fills_in_withheld_answers(folder: Path) -> None:
    rows = {"id": "crow-2", "answer": 1}, {"id": "fox-m-1", "answer_letter": "B"}
    found = read_release_folder(folder, answers=_answers(folder, *rows))
    assert not found.errors
    assert not found.withheld


@pytest.mark.parametrize(
    ("row", "field", "code"),
    [
        ({"id": "crow-9", "answer": 1}, "id", ErrorCode.UNKNOWN_ITEM),
        ({"answer": 1}, "id", ErrorCode.MISSING),
        ({"id": "crow-2", "answer": -1}, "answer", ErrorCode.MISSING),
        ({"id": "crow-2", "answer": 4}, "answer", ErrorCode.KEY_OUTSIDE),
        ({"id": "crow-1", "answer": 0}, "answer", ErrorCode.ANSWER_DIFFERS),
    ],
)
def test_it_names_line_and_field_of_a_wrong_answer(
    folder: Path, row: dict[str, object], field: str, code: ErrorCode
) -> None:
    found = read_release_folder(folder, answers=_answers(folder, {"id": "crow-1", "answer": 1}, row))
    assert [(error.row, error.field, error.code) for error in found.errors] == [(2, field, code)]
    assert "answers.jsonl, row 2" in english_with_place(found.errors[0])


def test_it_refuses_a_folder_without_items(tmp_path: Path) -> None:
    assert [error.code for error in read_release_folder(tmp_path).errors] == [ErrorCode.NOT_A_RELEASE]


def test_it_refuses_an_id_that_stands_twice_and_an_item_of_the_other_split(folder: Path) -> None:
    line = (folder / "dev" / "commonsense.jsonl").read_text(encoding="utf-8")
    (folder / "test" / "more.jsonl").write_text(line, encoding="utf-8")
    codes = {error.code for error in read_release_folder(folder).errors}
    assert codes == {ErrorCode.ID_TWICE, ErrorCode.OTHER_SPLIT}


def test_it_names_the_files_that_are_not_what_the_manifest_says(folder: Path) -> None:
    manifest = {"files": {"dev/commonsense.jsonl": {"sha256": "0" * 64}, "gone.jsonl": {"sha256": "1"}}}
    (folder / "MANIFEST.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert read_release_folder(folder).changed == ("dev/commonsense.jsonl", "gone.jsonl")


def test_it_refuses_a_manifest_that_is_no_json(folder: Path) -> None:
    (folder / "MANIFEST.json").write_text("{", encoding="utf-8")
    assert [error.code for error in read_release_folder(folder).errors] == [ErrorCode.NOT_JSON]


def test_it_reads_no_file_outside_the_folder(folder: Path) -> None:
    """Even where the hash is right: a manifest says nothing of other people's files."""
    secret = folder.parent / "secret"
    secret.write_text("crow")
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    entry = {"sha256": hashlib.sha256(b"crow").hexdigest()}
    strange = [
        "../secret", str(secret), "dev/../../secret", "dev/..", "dev//x", "", "/", ".", "dev", "a\x00b",
        "a\ud800b", "..\\secret", "c:/secret", "a" * 300, "pipe",
    ]  # fmt: skip
    os.mkfifo(folder / "pipe")
    manifest["files"] |= dict.fromkeys(strange, entry)
    (folder / "MANIFEST.json").write_text(json.dumps(manifest))
    found = read_release_folder(folder)
    assert not found.errors
    assert len(found.changed) == len(strange)
    assert all(name.isprintable() for name in found.changed)


def test_it_waits_for_no_pipe(folder: Path) -> None:
    os.mkfifo(folder / "dev" / "pipe.jsonl")
    (error,) = read_release_folder(folder).errors
    assert (error.file, error.code) == (str(folder / "dev" / "pipe.jsonl"), ErrorCode.UNREADABLE_FILE)
