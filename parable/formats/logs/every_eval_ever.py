"""Every Eval Ever: the records of instances, `UUID_samples.jsonl`, or the aggregate `UUID.json` beside them.

The id of an item is `sample_id`; if the release has no such item, as in converted logs of
lm-evaluation-harness, the item is found by the words of `input.raw`. Each text of `output.raw` is an answer;
of a conversation, only the last text of the assistant. The repeat is the `epoch` in the metadata, or else the
number of records so far with the same sample and result. The tool's verdict is `is_correct`, if the score is
1 or 0 and agrees; a score in between, such as a mean over repeats, gives no verdict. The reference answers
are not read.

Records that Parable wrote also give the order in which options were shown (`option_order` and
`option_rotation` in the metadata), and the answers that were refused.

Made by `every_eval_ever convert`. Tried with every_eval_ever 0.3.0, from a log of Inspect 0.3.285.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from parable.formats.answer_log import AnswerLog, Answers, Repeats, verdict_of
from parable.formats.errors import FILE, ErrorCode, InputError
from parable.formats.log_parts import as_object, log_lines

_RECORD: Final = re.compile(rb'\s*\{"schema_version": ?"[^"]*", ?"evaluation_id": ?"')
_AGGREGATE: Final = re.compile(rb'\s*\{\s*"schema_version":\s*"[^"]*",\s*"evaluation_id":\s*"')
_INSTANCE_FIELDS: Final = (b'"sample_id"', b'"model_id"')
_MOST_DIGITS: Final = 5
_LONGEST_AGGREGATE: Final = 16 * 1024 * 1024


def _read(path: Path) -> Answers:
    with path.open("rb") as file:
        head = file.readline(4096)
    is_record = _RECORD.match(head) and any(name in head for name in _INSTANCE_FIELDS)
    repeats = Repeats()
    for row, line in log_lines(path if is_record else _samples_of(path)):
        about, shown = as_object(line.get("metadata")), as_object(line.get("input")).get("raw")
        item, asked = str(line.get("sample_id", "")), shown if isinstance(shown, str) else ""
        result = str(line.get("evaluation_id", "")), str(line.get("evaluation_result_id", ""))
        model = str(line.get("model_id", ""))
        values: dict[str, object] = {"model": model, "item_id": item, "asked": asked}
        scored = as_object(line.get("evaluation"))
        said = scored.get("is_correct")
        is_sure = isinstance(said, bool) and verdict_of(scored.get("score")) is said
        values["tool_says"] = said if is_sure else None
        if isinstance(end := about.get("stop_reason"), str) and end:
            values["finish_reason"] = {"max_tokens": "length"}.get(end, end)
        texts: list[str | None] = [*_texts(line)]
        if isinstance(order := about.get("option_order"), list):  # in records of Parable
            values |= {"order": order, "rotation": about.get("option_rotation", 0)}
        epoch = str(about.get("epoch", ""))
        ended = "refused" if line.get("error") == "refused" else "failed"
        for text in texts or [None]:
            count = repeats.next(model, item, *result)
            by_epoch = epoch.isdecimal() and len(epoch) <= _MOST_DIGITS and len(texts) < 2
            has_failed = text is None or (not text and line.get("error"))
            yield (
                row,
                values
                | ({"outcome": ended} if has_failed else {"text": text})
                | {"repeat": int(epoch) if by_epoch else count},
            )


def _texts(line: Mapping[str, Any]) -> list[str]:
    """Return the answers of a record.

    Of a conversation, return only the last text of the assistant.
    """
    raw = as_object(line.get("output")).get("raw")
    if isinstance(raw, list):
        return [one for one in raw if isinstance(one, str)]
    messages = line.get("messages")
    said = [
        one.get("content")
        for one in (messages if isinstance(messages, list) else [])
        if isinstance(one, dict) and one.get("role") == "assistant"
    ]
    return [one for one in said[-1:] if isinstance(one, str)]


def _samples_of(path: Path) -> Path:
    """Return the path of the instances beside an aggregate; raise InputError if there is no such file."""
    if (size := path.stat().st_size) > _LONGEST_AGGREGATE:
        raise InputError(ErrorCode.FILE_TOO_LARGE, field=FILE, size=size, limit=_LONGEST_AGGREGATE)
    try:
        held = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise InputError(
            ErrorCode.NOT_JSON, field=FILE, line=error.lineno, column=error.colno, near=str(path.name)[:20]
        ) from error
    named = as_object(as_object(held).get("detailed_evaluation_results")).get("file_path")
    name = str(named or f"{path.stem}_samples.jsonl").replace("\\", "/").rpartition("/")[2]
    beside = path.with_name(name) if name not in {"", ".", ".."} else path
    try:
        is_there = beside != path and beside.is_file()
    except OSError:  # no file can have this name
        is_there = False
    if not is_there:
        raise InputError(
            ErrorCode.NO_RESPONSES,
            field=FILE,
            what="Every Eval Ever (aggregate)",
            found=", ".join(as_object(held))[:60],
        )
    return beside


LOG: Final = AnswerLog(
    code="every_eval_ever",
    label="Every Eval Ever (records)",
    detect=lambda _path, head: bool(_AGGREGATE.match(head)),
    read=_read,
)
