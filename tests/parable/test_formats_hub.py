"""Data sets in the layout of the Hugging Face Hub: files and their splits, as `datasets` 5.2.0 reads them.

`DATASETS_READS` is what `load_dataset` returned for these very folders on 29 November 2026; `hub.sh` in
`foreign/` made the archive.
"""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from parable.extras import PackageMissingError
from parable.formats.errors import ErrorCode, ErrorList, InputError
from parable.formats.foreign.hub import FORMAT
from parable.formats.items import read_items
from parable.formats.limits import ANYBODYS
from parable.formats.mapped_items import offer_mapping
from parable.formats.source_file import SourceFile

ARCHIVE = Path(__file__).parent / "foreign" / "hub_datasets.zip"
CROW, LAMP = "A crow dropped pebbles into a jug.", "灯挂在墙上。"
BOTH = """configs:
- config_name: a
  data_files:
  - split: test
    path: "data/*.csv"
  - split: few_shot
    path: [x/one.csv, x/two.csv]
- config_name: b
  data_dir: deep
"""
FILES = {
    "data/z.csv": "q\n1\n",
    "data/b.csv": "q\n2\n",
    "data/sub/b.csv": "q\n9\n",
    "x/two.csv": "q\n3\n",
    "x/one.csv": "q\n4\n",
    "deep/val/v.csv": "q\n5\n",
    "deep/test-2.csv": "q\n6\n",
}
CLASSES = """dataset_info:
  features:
  - name: q
    dtype: string
  - name: label
    dtype:
      class_label:
        names:
          '0': no
          '1': "yes"
          '2': '1'
"""
LIST = "dataset_info:\n  features:\n  - {name: q, list: {class_label: {names: {'0': A, '1': B}}}}\n"


def one(settings: str) -> str:
    return f"configs:\n- config_name: q\n{settings}"


def packed(header: str, files: Mapping[str, str | bytes], folder: str = "") -> SourceFile:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(f"{folder}README.md", f"---\n{header}\n---\n# A set\n")
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(folder + name), data)  # which may have no name
    return SourceFile(held.getvalue())


def read(file: SourceFile, config: str = "") -> tuple[dict[str, list[object]], ErrorList]:
    assert FORMAT.sheet_rows is not None
    assert file.format is FORMAT
    found: dict[str, list[object]] = {}
    noted = ErrorList("set")
    for _row, values in FORMAT.sheet_rows(file, noted, config):
        found.setdefault(str(values["split"]), []).append(values.get("label", values.get("q")))
    return found, noted


DATASETS_READS: Mapping[str, tuple[str, Mapping[str, str], str, Mapping[str, list[object]]]] = {
    "a pattern, and a list of paths": (BOTH, FILES, "a", {"test": ["2", "1"], "few_shot": ["4", "3"]}),
    "a folder, by its folders before its files": (BOTH, FILES, "b", {"validation": ["5"]}),
    "the configuration called default": (
        BOTH.replace("name: b", "name: default"), FILES, "", {"validation": ["5"]},
    ),
    "the configuration that says so": (
        BOTH.replace("data_dir: deep", "data_dir: deep\n  default: true"), FILES, "", {"validation": ["5"]},
    ),
    "all files below": (one("  data_files: 'data/**'"), FILES, "", {"train": ["2", "9", "1"]}),
    "all files anywhere": (
        one("  data_files: '**/*.csv'"), FILES, "", {"train": ["2", "9", "1", "6", "5", "4", "3"]},
    ),
    "a list of patterns": (one("  data_files: ['x/*', 'data/z.csv']"), FILES, "", {"train": ["4", "3", "1"]}),
    "letters": (one("  data_files: 'data/[a-y].csv'"), FILES, "", {"train": ["2"]}),
    "a path from here": (one("  data_files: './data/z.csv'"), FILES, "", {"train": ["1"]}),
    "words in names of files": (
        "license: mit",
        {"my-train.csv": "q\n1\n", "dev_x.csv": "q\n2\n", "testing.csv": "q\n3\n", "other.csv": "q\n4\n"},
        "",
        {"train": ["1"], "validation": ["2"], "test": ["3"]},
    ),
    "words in names of folders": (
        "license: mit",
        {"train/a.csv": "q\n1\n", "test/b.csv": "q\n2\n", "val.csv": "q\n3\n"},
        "",
        {"train": ["1"], "test": ["2"]},
    ),
    "shards": (
        "license: mit",
        {
            "data/few-00000-of-00001.csv": "q\n1\n",
            "data/test-00000-of-00002.csv": "q\n2\n",
            "data/test-00001-of-00002.csv": "q\n3\n",
            "train.csv": "q\n4\n",
        },
        "",
        {"test": ["2", "3"], "few": ["1"]},
    ),
    "no words, nothing hidden": (
        "license: mit",
        {"my.csv": "q\n1\n", "sub/y.csv": "q\n3\n", ".hid/z.csv": "q\n8\n", "__p/z.csv": "q\n8\n"},
        "",
        {"train": ["1", "3"]},
    ),
    "of two kinds of files the usual": (
        "license: mit", {"a.csv": "q\n1\n", "b.jsonl": '{"q": "2"}\n'}, "", {"train": ["2"]},
    ),
    "no settings": (
        "license: mit", {"a.json": '[{"q": "1"}]', "config.json": '[{"q": "2"}]'}, "", {"train": ["1"]},
    ),
    "classes by number": (CLASSES, {"t.csv": "q,label\na,1\nb,-1\nc,2\n"}, "", {"train": ["yes", "b", "1"]}),
    "classes by name": (CLASSES, {"t.csv": "q,label\na,yes\nb,1\n"}, "", {"train": ["yes", "1"]}),
    "classes in JSON": (
        CLASSES,
        {"t.jsonl": '{"label": 2}\n{"label": "1"}\n{"label": "0"}\n{"label": "yes"}\n'},
        "",
        {"train": ["1", "1", "no", "yes"]},
    ),
    "lists of classes": (LIST, {"t.jsonl": '{"q": [1, 0]}\n'}, "", {"train": [["B", "A"]]}),
    "classes of the configuration": (
        BOTH
        + "dataset_info:\n- config_name: a\n  features:\n  - name: q\n    dtype:"
        + " {class_label: {names: {'0': z, '1': y, '2': x, '3': w, '4': v}}}\n- config_name: b\n",
        FILES,
        "a",
        {"test": ["x", "y"], "few_shot": ["v", "w"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DATASETS_READS)
@pytest.mark.parametrize("folder", ["", "fables-main/"])
def test_files_are_of_the_splits_that_datasets_gives_them(name: str, folder: str) -> None:
    header, files, config, wanted = DATASETS_READS[name]
    found, noted = read(packed(header, files, folder), config)
    assert [*found.items()] == [*wanted.items()]
    assert noted.in_order() == ()


REFUSED: Mapping[str, tuple[str, str, ErrorCode, str]] = {
    "no default": (BOTH, "", ErrorCode.WHICH_CONFIG, "a, b"),
    "no such configuration": (BOTH, "c", ErrorCode.WHICH_CONFIG, "a, b"),
    "two defaults": (
        BOTH.replace("data_dir: deep", "data_dir: deep\n  default: true").replace("name: a", "name: default"),
        "", ErrorCode.WHICH_CONFIG, "default, b",
    ),
    "a missing file": (one("  data_files: [x/one.csv, x/n.csv]"), "", ErrorCode.PART_MISSING, "x/n.csv"),
    "a pattern of none": (one("  data_files: 'nix/*'"), "", ErrorCode.PART_MISSING, "nix/*"),
    "a folder without data": (one("  data_dir: nix"), "", ErrorCode.PART_MISSING, "nix/*"),
    "a file elsewhere": (one("  data_files: ../one.csv"), "", ErrorCode.PART_MISSING, "../one.csv"),
    "an object": (one("  data_files: {test: x/*}"), "", ErrorCode.NOT_OF_FORMAT, ""),
    "no YAML": ("configs: [", "", ErrorCode.NOT_OF_FORMAT, ""),
    "no object": ("- configs", "", ErrorCode.NOT_OF_FORMAT, ""),
    "a picture": (one("  data_files: x/*.png"), "", ErrorCode.OTHER_FILE, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_there_or_not_said_is_refused_by_name(name: str) -> None:
    header, config, code, said = REFUSED[name]
    with pytest.raises(InputError) as refused:
        read(packed(header, {**FILES, "x/a.png": b"\x89PNG"}), config)
    assert refused.value.code == code
    assert refused.value.params.get("found", "") == said


@pytest.mark.parametrize("code", [ErrorCode.CONFIG_READ, ErrorCode.PART_READ, ErrorCode.PART_NOT_READ])
def test_it_says_what_is_read(code: ErrorCode) -> None:
    header = BOTH.replace("data_dir: deep", "data_dir: deep\n  default: true")
    _found, noted = read(packed(header, {**FILES, "deep/val/w.csv": "q\n7\n", "deep/val/x.json": "[]"}))
    assert [(one.row, one.field, one.params) for one in noted.remarks if one.code == code] == {
        ErrorCode.CONFIG_READ: [(1, "b", {"found": "a, b"})],
        ErrorCode.PART_READ: [
            (1, "deep/val/v.csv", {"first": 1, "last": 2, "split": "validation"}),
            (3, "deep/val/w.csv", {"first": 3, "last": 4, "split": "validation"}),
        ],
        ErrorCode.PART_NOT_READ: [(1, "deep/val/x.json", {"kind": "CSV"})],
    }[code]


def test_an_archive_of_datasets_has_every_item_with_its_key_and_its_split() -> None:
    found = read_items(ARCHIVE, name="fables.zip", sheet="riddles", rules=ANYBODYS)
    assert (found.format, found.errors) == ("hub", ())
    assert [(one.story, one.question, one.choices, one.answer, one.split) for one in found.records] == [
        (CROW, "Who was thirsty?", ("a crow", "a hare", "a fox"), 0, "train"),
        (CROW, "When did it drink?", ("2026-11-29", "8:30", "007"), 2, "dev"),
        (LAMP, "灯在何处？", ("地上", "墙上", "水中"), 1, "test"),
        (LAMP, "何物？", ("灯", "墙", "水"), None, "test"),
    ]
    assert [one.field for one in found.remarks if one.code == ErrorCode.PART_READ] == [
        f"riddles/{split}-00000-of-00001.parquet" for split in ("train", "validation", "test")
    ]


def test_the_folder_is_read_as_its_archive_without_what_is_hidden(tmp_path: Path) -> None:
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "fables" / ".git").mkdir()
    (tmp_path / "fables" / ".git" / "objects.bin").write_bytes(bytes(65 * 1024 * 1024))
    for sheet in ("riddles", "places"):
        wanted = read_items(ARCHIVE, name="fables", sheet=sheet).records
        assert read_items(tmp_path / "fables", name="fables", sheet=sheet).records == wanted != ()


def test_a_folder_or_archive_without_a_header_is_not_taken_for_a_set(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Notes\n---\n", encoding="utf-8")
    (tmp_path / "a.csv").write_text("q\n1\n", encoding="utf-8")
    assert [one.code for one in read_items(tmp_path, name="notes").errors] == [ErrorCode.UNREADABLE_FILE]
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.write(tmp_path / "README.md", "README.md")
        archive.write(tmp_path / "a.csv", "a.csv")
    assert SourceFile(held.getvalue()).format is None


def test_errors_of_a_file_have_their_row_in_the_set_and_its_own_split_wins() -> None:
    lines = '{"question": "Who?", "choices": ["a", "b"], "answer": "B", "split": "test"}\n'
    file = packed(
        "license: mit", {"train-1.jsonl": lines * 2, "train-2.jsonl": lines + '{"question"\n' + lines}
    )
    found = read_items(file, name="set", rules=ANYBODYS)
    assert [one.split for one in found.records] == ["test"] * 4
    assert [(one.row, one.code) for one in found.errors] == [(4, ErrorCode.NOT_JSON)]


def test_names_that_are_no_plain_paths_are_passed_over() -> None:
    files = {"": "q\n1\n", "../a.csv": "q\n2\n", "/b.csv": "q\n3\n", "x//c.csv": "q\n4\n", "d.csv": "q\n5\n"}
    for header in ("license: mit", one("  data_files: '**'")):
        assert read(packed(header, files))[0] == {"train": ["5"]}


def test_a_broken_file_is_named_with_its_row() -> None:
    with pytest.raises(InputError) as refused:
        read(packed("license: mit", {"a.parquet": b"PAR1", "b.parquet": b"PAR1"}))
    assert (refused.value.field, refused.value.row) == ("a.parquet", 1)


def test_the_page_is_offered_the_columns_of_the_configuration() -> None:
    offer = offer_mapping(SourceFile(ARCHIVE), sheet="places")
    assert offer is not None
    assert offer.names == ("split", "story", "question", "choices", "answer")
    assert "Who was thirsty?" not in offer.samples["question"]
    usual = offer_mapping(SourceFile(ARCHIVE))
    assert usual is not None
    assert "Who was thirsty?" in usual.samples["question"]
    assert offer_mapping(packed(BOTH, FILES)) is None


def test_a_header_can_neither_grow_nor_make_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = "a: &a [x]\n" + "".join(
        f"{n}: &{n} [*{p}, *{p}]\n" for p, n in zip("abcdefghij", "bcdefghijk", strict=True)
    )
    merged = "a: &a {x: y}\n" + "".join(
        f"{n}: &{n} {{<<: [*{p}, *{p}, *{p}, *{p}]}}\n"
        for p, n in zip("abcdefghijklmno", "bcdefghijklmnop", strict=True)
    )
    for header in (bomb, merged, "a: !!python/object/apply:os.abort []"):
        assert read(packed(header, {"t.csv": "q\n1\n"}))[0] == {"train": ["1"]}
    for header in ("configs: " + "[" * 5000, one("  data_files: &a [*a]"), "license: mit\nx: &a [*a]"):
        with pytest.raises(InputError):
            read(packed(header, FILES))
    monkeypatch.setattr("parable.formats.foreign.hub._LONGEST_HEADER", 20)
    with pytest.raises(InputError):
        read(packed("license: " + "m" * 20, FILES))


def test_it_asks_for_the_package_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.setattr("parable.extras.find_spec", lambda name: None if name == "yaml" else object())
    with pytest.raises(PackageMissingError, match=r"parable\[yaml\]"):
        read(packed("license: mit", FILES))
