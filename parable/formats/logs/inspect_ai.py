"""Inspect: a log as `.eval`, whose members are compressed by Zstandard, or as JSON.

The id of an item is the id of its sample, the repeat is the epoch, and the model is that of the evaluation.
The answer is the completion of the output; a sample that ended in an error has none and counts as failed. A
`.eval` needs the package `zstandard` and is read a sample at a time; a log as JSON is read whole, up to 256
MB: convert a larger one by `inspect log convert --to eval`. The tool's verdict is the first score that is C
or I, or 1 or 0.

Made by `inspect eval`, in `logs`. Tried with inspect-ai 0.3.285.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from parable.formats.answer_log import AnswerLog, Answers
from parable.formats.errors import FILE, ErrorCode, InputError
from parable.formats.log_parts import as_object
from parable.formats.sources import UNZIPPING
from parable.formats.zip_directory import read_directory, read_member, size_of

_ZIP_MARK: Final = b"PK\x03\x04"
_HEADER, _START = "header.json", "_journal/start.json"
_SAMPLE: Final = re.compile(r"samples/.+_epoch_(\d+)\.json")
_LONGEST_LOG: Final = 256 * 1024 * 1024
_LONGEST_PART: Final = 64 * 1024 * 1024
_RIGHT: Final[Mapping[object, bool]] = {"C": True, "I": False, 1: True, 0: False}


def _detect(path: Path, head: bytes) -> bool:
    if head.startswith(_ZIP_MARK):
        with path.open("rb") as file:
            return is_archived(file)
    return head.lstrip()[:1] == b"{" and b'"eval_id"' in head and b'"status"' in head


def is_archived(file: BinaryIO) -> bool:
    """Return whether an open file is an Inspect log in the format `.eval`."""
    try:
        return any(member.name in {_HEADER, _START} for member in read_directory(file))
    except (*UNZIPPING, struct.error, OSError):
        return False


def _read(path: Path) -> Answers:
    with path.open("rb") as file:
        is_archive = file.read(len(_ZIP_MARK)) == _ZIP_MARK
    parts = _archived(path) if is_archive else _whole(path)
    header = next(parts)
    model = str(as_object(header.get("eval")).get("model", ""))
    for row, sample in enumerate(parts, start=1):
        epoch = sample.get("epoch")
        values: dict[str, object] = {
            "model": model,
            "item_id": str(sample.get("id", "")),
            "repeat": epoch if type(epoch) is int else 1,
            "tool_says": _verdict(sample),
        }
        output = sample.get("output") if isinstance(sample.get("output"), dict) else {}
        text = output.get("completion") if output else None
        choices = output.get("choices") if output else None
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            stop = choices[0].get("stop_reason")
            values |= (
                {"finish_reason": {"max_tokens": "length"}.get(stop, stop)} if isinstance(stop, str) else {}
            )
        if isinstance(text, str) and not (sample.get("error") and not text):
            values["text"] = text
        else:
            values["outcome"] = "failed"
        yield row, values


def _verdict(sample: Mapping[str, Any]) -> bool | None:
    scores = sample.get("scores")
    for score in scores.values() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else None
        if isinstance(value, str | int | float) and value in _RIGHT:
            return _RIGHT[value]
    return None


def _whole(path: Path) -> Iterator[Mapping[str, Any]]:
    if (size := path.stat().st_size) > _LONGEST_LOG:
        raise InputError(ErrorCode.FILE_TOO_LARGE, field=FILE, size=size, limit=_LONGEST_LOG)
    log = _object(path.read_bytes())
    yield log
    samples = log.get("samples")
    yield from (one for one in (samples if isinstance(samples, list) else []) if isinstance(one, dict))


def _archived(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open("rb") as file:
            header, samples = _parts(file)
            yield _object(_unpacked(file, header))
            for sample in samples:
                yield _object(_unpacked(file, sample))
    except (*UNZIPPING, struct.error, KeyError) as error:
        raise InputError(ErrorCode.NOT_ZIP, field=FILE) from error


def _parts(file: BinaryIO) -> tuple[tuple[int, ...], Iterator[tuple[int, ...]]]:
    """Return the arguments with which `read_member` reads the header and each sample.

    Samples are sorted by name.
    """
    headers: dict[str, tuple[int, ...]] = {}
    places: dict[str, int] = {}
    numbers = array("Q")
    for member in read_directory(file):
        if member.name in {_HEADER, _START}:
            headers[member.name] = member.numbers
        elif _SAMPLE.fullmatch(member.name):
            places[member.name] = len(numbers)
            numbers.extend(member.numbers)
    header = headers.get(_HEADER) or headers[_START]
    ordered = [places[name] for name in sorted(places)]
    return header, (tuple(numbers[at : at + len(header)]) for at in ordered)


def _unpacked(file: BinaryIO, numbers: tuple[int, ...]) -> bytes:
    if size_of(numbers) > _LONGEST_PART:
        raise InputError(ErrorCode.ZIP_TOO_LARGE, field=FILE, limit=_LONGEST_PART)
    return read_member(file, numbers, _LONGEST_PART)


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InputError(
            ErrorCode.NOT_JSON,
            field=FILE,
            line=error.lineno,
            column=error.colno,
            near=data[:20].decode("utf-8", "replace"),
        ) from error
    if not isinstance(found, dict):
        raise InputError(ErrorCode.NOT_AN_OBJECT, field=FILE, found=str(found)[:20])
    return found


LOG: Final = AnswerLog(code="inspect_ai", label="Inspect (log)", detect=_detect, read=_read)
