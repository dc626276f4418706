"""Lists that a temporary file holds, and archives of many members."""

from __future__ import annotations

import random
import struct
import tracemalloc
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import pytest

from parable.formats import spool
from parable.formats.answer_log import Repeats
from parable.formats.asked_items import Words
from parable.formats.responses import read_responses
from parable.formats.spool import Mapped, Spool
from parable.formats.zip_directory import read_directory, read_member

LIMIT = 1000


@pytest.mark.parametrize("in_memory", [1, 10_000_000])
def test_values_come_back_in_their_places(in_memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a file is written or not, in whatever order they are written and read."""
    monkeypatch.setattr(spool, "_IN_MEMORY_BYTES", in_memory)
    draw = random.Random(3)  # noqa: S311 - nothing secret
    held: Spool[str] = Spool("abc")
    expected = [*"abc"]
    for number in range(500):
        match draw.randrange(3):
            case 0:
                held.append(word := "乌" * draw.randrange(50))
                expected.append(word)
            case 1:
                held.replace(place := draw.randrange(len(expected)), f"{number}")
                expected[place] = f"{number}"
            case _:
                assert held[at := draw.randrange(-len(expected), len(expected))] == expected[at]
    assert ([*held], len(held), held[2:9]) == (expected, len(expected), expected[2:9])
    assert [*Mapped(str.upper, held)] == [one.upper() for one in expected]
    assert Mapped(len, held)[-1] == len(expected[-1])
    with pytest.raises(IndexError):
        held[len(expected)]


def test_answers_are_numbered_by_item_whatever_its_name_holds() -> None:
    repeats = Repeats()
    names = [("a", "b"), ("a", "b"), ("a\0b",), ("ab",), ("\ud83d",), ("a", "b")]
    assert [repeats.next(*one) for one in names] == [1, 2, 1, 1, 1, 3]


def archive(method: int, count: int = 3, text: bytes = b"a story") -> bytes:
    held = BytesIO()
    with ZipFile(held, "w", method) as made:
        for number in range(count):
            made.writestr(f"samples/乌鸦 {number}.json", text * (number % 5))
        made.comment = b"PK\x05\x06 is said here, too"[4:]
    return held.getvalue()


@pytest.mark.parametrize("method", [ZIP_STORED, ZIP_DEFLATED])
@pytest.mark.parametrize("count", [1, 7, 66_000])  # more than 65,535 need another directory
def test_members_are_read_as_zipfile_reads_them(method: int, count: int) -> None:
    data = archive(method, count)
    file = BytesIO(data)
    found = [*read_directory(file)]
    with ZipFile(BytesIO(data)) as known:
        assert [one.name for one in found] == known.namelist()
        for one in found[:: max(1, count // 50)]:
            assert read_member(file, one.numbers, LIMIT) == known.read(one.name)


def test_what_is_no_archive_is_refused() -> None:
    data = archive(ZIP_STORED)
    no_entries = data.replace(b"PK\x01\x02", b"PK\x09\x02")
    for broken in (b"", b"PK\x03\x04", data[:-40], data[:20] + data[60:], no_entries):
        with pytest.raises((BadZipFile, struct.error)):
            [*read_directory(BytesIO(broken))]
    file = BytesIO(data.replace(b"a story", b"a stork"))
    *_others, last = read_directory(file)
    with pytest.raises(BadZipFile, match="CRC"):
        read_member(file, last.numbers, LIMIT)
    with pytest.raises(BadZipFile):
        read_member(BytesIO(data), last.numbers, 3)


def test_memory_does_not_grow_with_the_words_of_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 2,000 answers of 2,000 characters, and as many items of 5,000, some hundred bytes each are held."""
    monkeypatch.setattr(spool, "_IN_MEMORY_BYTES", 1000)
    count, tale = 2_000, "The fox met the crow. " * 230
    words = Spool(Words(f"i{n}", f"{tale}{n}", f"Why {n}?", (f"a {n}", f"b {n}")) for n in range(count))
    path = tmp_path / "predictions" / "m" / "d.json"
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            asked = rf"{tale}{n}\nWhy {n}?\nA. a {n}\nB. b {n}"
            said = "I think it is A. " * 120
            file.write("{,"[bool(n)] + f'"{n}": {{"origin_prompt": "{asked}", "prediction": "{said}"}}')
        file.write("}")
    tracemalloc.start()
    found = read_responses([path], options={f"i{n}": 2 for n in range(count)}, words=words)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [one.item_id for one in found.records] == [f"i{n}" for n in range(count)]
    assert kept < 1.5e6
    assert peak < 12e6  # of which the part that is read at once takes most
