"""EvalScope: `predictions/MODEL/BENCHMARK_SUBSET.jsonl`, and the file of the same name under `reviews`.

The id of an item is the `id` in the metadata of its sample, which `general_mcq` takes from the field `id` of
a row; without an id, the item is found by the words of the prompt. A prediction has the model, the text and
its finish reason; a review has the text and the verdict, which is the main score if that is 1 or 0. If both
files are given, each answer counts once. The model of a review is named in the predictions beside it, else in
its last message, else by its folder. Repeats are numbered by the review, in predictions by their order. A
request that failed leaves no row in either file.

Made by a run, in its `work_dir`. Tried with EvalScope 1.14.1, `general_mcq`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from parable.formats.answer_log import AnswerLog, Answers, Repeats, verdict_of
from parable.formats.errors import InputError
from parable.formats.log_parts import as_list, as_object, log_lines

_PREDICTION: Final = re.compile(rb'\s*\{"index": ?\d+, ?"model": ?"(?:[^"\\]|\\.)*+", ?"model_output": ?[{n]')
_REVIEW: Final = re.compile(rb'\s*\{"index": ?\d+, ?"(?:target|input)": ?["\[n]')
_ENDS: Final[Mapping[str, str]] = {"max_tokens": "length", "model_length": "length", "unknown": ""}

_UNKNOWN: Final = "unknown"
"""The id that `general_mcq` writes for a row without an id."""


def _detect(_path: Path, head: bytes) -> bool:
    head = head.removeprefix(b"\xef\xbb\xbf")
    return bool(_PREDICTION.match(head) or _REVIEW.match(head))


def _read(path: Path) -> Answers:
    repeats = Repeats()
    known: dict[str, int] = {}
    model = _model_beside(path)
    for row, line in log_lines(path):
        score = as_object(line.get("sample_score"))
        values = _prediction(line) if "model_output" in line else _review(line, score, model, path)
        about = as_object(score.get("sample_metadata") if score else line.get("metadata"))
        messages = [one for one in as_list(line.get("messages")) if isinstance(one, dict)]
        asked = next((_text(one.get("content")) for one in messages[::-1] if one.get("role") == "user"), "")
        item, index = str(about.get("id", "")), str(line.get("index"))
        if isinstance(number := score.get("generation_index"), int):
            repeat = number + 1
        elif index in known:  # asked again after a pause
            repeat = known[index]
        else:
            name = item if item and item != _UNKNOWN else asked
            repeat = known[index] = repeats.next(name)
        yield (
            row,
            {**values, "item_id": "" if item == _UNKNOWN else item, "asked": asked, "repeat": repeat},
        )


def _prediction(line: Mapping[str, Any]) -> dict[str, object]:
    output = as_object(line.get("model_output"))
    choice = as_object(next(iter(as_list(output.get("choices"))), None))
    message = choice.get("message")
    values: dict[str, object] = {"model": str(line.get("model") or output.get("model") or "")}
    end = choice.get("stop_reason")
    if isinstance(end, str) and _ENDS.get(end, end):
        values["finish_reason"] = _ENDS.get(end, end)
    text = _text(message.get("content")) if isinstance(message, dict) else ""
    return values | (
        {"outcome": "failed"} if not choice or (output.get("error") and not text) else {"text": text}
    )


def _review(line: Mapping[str, Any], sample: Mapping[str, Any], model: str, path: Path) -> dict[str, object]:
    score, last = (
        as_object(sample.get("score")),
        as_object(next(reversed(as_list(line.get("messages"))), None)),
    )
    text = score.get("prediction")
    if not isinstance(text, str):
        text = _text(last.get("content"))
    value = as_object(score.get("value"))
    main = value.get(str(score.get("main_score_name")), next(iter(value.values()), None))
    is_usable = score.get("status", "success") == "success"
    named = last.get("model") if last.get("role") == "assistant" else None
    return {
        "model": model or str(named or "") or path.parent.name,
        "text": text,
        "tool_says": verdict_of(main) if is_usable else None,
    }


def _model_beside(path: Path) -> str:
    """Return the model that the predictions beside a review name; "" if there are no predictions."""
    try:
        beside = path.parents[2] / "predictions" / path.parent.name / path.name
        if path.parent.parent.name == "reviews" and beside.is_file():
            return str(next(log_lines(beside), (1, {}))[1].get("model", ""))
    except (IndexError, OSError, InputError):
        pass
    return ""


def _text(content: object) -> str:
    """Return the text of a message, with its parts joined as EvalScope joins them, and without reasoning."""
    if isinstance(content, str):
        return content
    parts = [
        one.get("text") for one in as_list(content) if isinstance(one, dict) and one.get("type") == "text"
    ]
    return "\n".join(one for one in parts if isinstance(one, str))


LOG: Final = AnswerLog(code="evalscope", label="EvalScope (predictions, reviews)", detect=_detect, read=_read)
