"""The published CRMUS files are read completely, and written back as they were published."""

import json
from pathlib import Path

import pytest

from parable.formats import ReleaseRecord, read_items, write_crmus, write_items_jsonl

PUBLISHED = [
    ("dev_CRMUS_CR.json", 305, 305),
    ("dev_CRMUS_MU.json", 192, 192),
    ("test_CRMUS_CR_public.json", 1176, 0),
    ("test_CRMUS_MU_public.json", 729, 0),
]


@pytest.mark.parametrize(("name", "items", "keyed"), PUBLISHED)
def test_it_reads_the_published_files_and_writes_them_again(
    shared_data: Path, name: str, items: int, keyed: int
) -> None:
    data = (shared_data / "crmus" / "published_format" / name).read_bytes()
    reading = read_items(data, name=name)

    assert (reading.errors, reading.ignored, len(reading.rows)) == ((), (), items)
    assert sum(record.answer is not None for record in reading.records) == keyed
    placed = [ReleaseRecord(record, record.split or "", "canary") for record in reading.records]
    written = write_crmus(placed)
    own_name = name.replace("_public", "")
    assert read_items(written[own_name], name=own_name).records == reading.records
    assert read_items(write_items_jsonl(placed), name="own").errors == ()
    _check_same_but_for_spaces(written[own_name], data)


def _check_same_but_for_spaces(written: bytes, published: bytes) -> None:
    """Most bytes are the same; what differs are stray spaces and mixed letter prefixes in the source."""
    mark = "．" if "A．" in published.decode() else "."
    tidy = json.loads(published)
    for item in tidy:
        item["options"] = [
            f"{option.strip()[0]}{mark}{option.strip()[2:].strip()}" for option in item["options"]
        ]
        item["story"], item["question"] = item["story"].strip(), item["question"].strip()
    assert written == (json.dumps(tidy, indent=4, ensure_ascii=False) + "\n").encode()


def test_it_reads_the_same_texts_as_the_converted_set(shared_data: Path) -> None:
    for name, converted in (("dev_CRMUS_CR.json", "mcq_cr.jsonl"), ("dev_CRMUS_MU.json", "mcq_mu.jsonl")):
        lines = (shared_data / "crmus" / converted).read_text(encoding="utf-8").splitlines()
        known = {
            item["id"][len("crmus-cr-") :]: item for item in map(json.loads, lines) if item["split"] == "dev"
        }
        for record in read_items(shared_data / "crmus" / "published_format" / name, name=name).records:
            other = known.pop(record.id)
            assert list(record.choices) == [option.strip() for option in other["options"]]
            assert (record.answer, record.domain) == (other["answer"], other["domain"])
            assert list(record.types) == other.get("types", [])
        assert known == {}
