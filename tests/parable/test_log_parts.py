"""Logs read a part at a time."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from parable.formats import log_parts
from parable.formats.errors import ErrorCode, InputError
from parable.formats.log_parts import log_elements, log_lines, log_members

LISTED = [{"n": 1}, [], "x", 12]
HELD = {"a": {"b": [1, 2.5, None, True, '\\"é乌😀']}, "list": LISTED, "e": {}, "last": 123}


@pytest.fixture(params=[1, 2, 7, 1024 * 1024])
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The bytes that are read at once: members end anywhere in them."""
    monkeypatch.setattr(log_parts, "_CHUNK", request.param)
    return int(request.param)


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("is_ascii", [True, False])
def test_it_yields_each_member_and_each_element_of_the_list(
    indent: int | None, is_ascii: bool, tmp_path: Path
) -> None:
    file = tmp_path / "log.json"
    file.write_text(json.dumps(HELD, indent=indent, ensure_ascii=is_ascii), encoding="utf-8")
    assert dict(log_members(file)) == HELD
    assert [*log_members(file, each_of="list")] == [
        ("a", HELD["a"]),
        *(("list", one) for one in LISTED),
        ("e", {}),
        ("last", 123),
    ]
    file.write_text(json.dumps([*HELD.values()], indent=indent), encoding="utf-8-sig")
    assert [*log_elements(file)] == [*HELD.values()]


@pytest.mark.parametrize("text", ["{}", " {\n} ", '{"list": []}'])
def test_what_is_empty_is_read(text: str, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_text(text)
    assert [*log_members(file, each_of="list")] == []


def test_numbers_that_json_does_not_have_are_read(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text('{"a": NaN, "b": -Infinity, "c": "\\ud83d"}')
    assert [str(value) for _name, value in log_members(file)][:2] == ["nan", "-inf"]
    [(row, found)] = log_lines(file)
    assert (row, str(found["a"]), found["c"]) == (1, "nan", "\ud83d")


def members(path: Path) -> Iterator[Any]:
    yield from log_members(path, each_of="list")


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    ("read", "text", "code", "row", "place"),
    [
        (members, "", ErrorCode.NOT_JSON, 1, (1, 1)),
        (members, "[]", ErrorCode.NOT_JSON, 1, (1, 1)),
        (members, '{"a": 1', ErrorCode.NOT_JSON, 2, (1, 8)),
        (members, '{"a": 1}\n}', ErrorCode.NOT_JSON, 2, (2, 1)),
        (members, '{"a": 1,\n"b" 2}', ErrorCode.NOT_JSON, 2, (2, 5)),
        (members, "{1: 2}", ErrorCode.NOT_JSON, 1, (1, 2)),
        (members, '{"list": [{"n": 1},\n\n {"n": oh no}, {"n": 3}]}', ErrorCode.NOT_JSON, 2, (3, 8)),
        (members, '{"list": [1 2]}', ErrorCode.NOT_JSON, 2, (1, 13)),
        (members, '{"a": "open', ErrorCode.NOT_JSON, 1, (1, 7)),
        (members, '{"a": ' + "[" * 100_000 + "}", ErrorCode.TOO_DEEP, 1, None),
        (members, b'{"a": "\xff"}', ErrorCode.NOT_UTF8, 1, None),
        (log_lines, '{"a": 1}\n\n{"a": \n', ErrorCode.NOT_JSON, 3, (3, 7)),
        (log_lines, '{"a": 1}\n[]\n', ErrorCode.NOT_AN_OBJECT, 2, None),
        (log_lines, '{"a": ' + "[" * 100_000 + "\n", ErrorCode.TOO_DEEP, 1, None),
        (log_lines, b'{}\n{"a": "\xff"}', ErrorCode.NOT_UTF8, 2, None),
        (log_elements, '[1, {"a": }]', ErrorCode.NOT_JSON, 2, (1, 11)),
    ],
)
def test_an_error_names_the_place(
    read: Callable[[Path], Iterator[Any]],
    text: str | bytes,
    code: ErrorCode,
    row: int,
    place: tuple[int, int] | None,
    tmp_path: Path,
) -> None:
    file = tmp_path / "log"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as refused:
        list(read(file))
    assert refused.value.code == code
    assert code == ErrorCode.NOT_UTF8 or refused.value.row == row
    if place is not None:
        assert (refused.value.params["line"], refused.value.params["column"]) == place


@pytest.mark.parametrize("over", [0, 1])
def test_a_part_is_at_most_as_long_as_allowed(
    over: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_parts, "LONGEST_PART", 1000)
    file = tmp_path / "log"
    file.write_text(json.dumps({"a": "x" * (1000 - 9 + over)}))
    assert file.stat().st_size == 1000 + over
    if over:
        with pytest.raises(InputError) as refused:
            list(log_lines(file))
        assert refused.value.code == ErrorCode.TOO_LONG
    else:
        assert len(list(log_lines(file))) == 1


def test_a_broken_member_ends_the_reading_before_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_parts, "_CHUNK", 1000)
    file = tmp_path / "log.json"
    file.write_text('{"a": oops, "b": "' + "x" * 8_000_000 + '"}')
    with pytest.raises(InputError) as refused:
        list(log_members(file))
    assert (refused.value.code, refused.value.params["column"]) == (ErrorCode.NOT_JSON, 7)


def test_a_member_without_end_is_refused_as_too_long(tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_text('{"a": "' + "x" * 12_000_000 + '"}')
    with pytest.raises(InputError) as refused:
        list(log_members(file))
    assert refused.value.code == ErrorCode.TOO_LONG


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    with file.open("w") as out:
        out.write('{"list": [')
        for number in range(20_000):
            out.write(("," if number else "") + json.dumps({"n": number, "text": "x" * 1500}, indent=2))
        out.write("]}")
    tracemalloc.start()
    count = sum(1 for _ in log_members(file, each_of="list"))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 8_000_000 < file.stat().st_size
