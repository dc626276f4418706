"""OpenCompass: `predictions/MODEL/DATASET.json`.

The file numbers its answers and has no ids of items: an item is found by the words of the prompt or, if that
has several turns, of the user's last turn. The model is the name of the folder; for an uploaded file, which
has no folder, it is the name of the file. A prediction that is a list has repeats. The file has no verdict
and no finish reason; `gold` is not read. A prediction from perplexities (`label: A`) is read as the text of
an answer. The file is one object, read an answer at a time; an answer has at most 4 MB.

Made by a run, in its `work_dir`. Tried with OpenCompass 0.5.4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from parable.formats.answer_log import AnswerLog, Answers, Repeats
from parable.formats.errors import ErrorCode, InputError, excerpt
from parable.formats.log_parts import log_members

_MARK: Final = re.compile(
    rb'\s*\{\s*"\d+":\s*\{\s*"(?:origin_prompt|prediction|gold|in-context examples|testing input)":'
)


def _read(path: Path) -> Answers:
    model = path.parent.name if path.parent.parent.name == "predictions" else path.stem
    repeats = Repeats()
    for row, (_number, value) in enumerate(log_members(path), start=1):
        if not isinstance(value, dict):
            raise InputError(ErrorCode.NOT_AN_OBJECT, row=row, found=excerpt(value))
        asked = _asked(value)
        said = value.get("prediction")
        for text in said if isinstance(said, list) else [said]:
            yield (
                row,
                {"model": model, "item_id": "", "asked": asked, "repeat": repeats.next(asked)}
                | ({"text": text} if isinstance(text, str) else {"outcome": "failed"}),
            )


def _asked(value: Mapping[str, Any]) -> str:
    """Return the text sent to the model: a prompt, or the last turn of the user in a list of turns."""
    prompt = value.get("origin_prompt", value.get("prompt", ""))
    if isinstance(prompt, list):
        turns = [one for one in prompt if isinstance(one, dict) and isinstance(one.get("prompt"), str)]
        mine = [one["prompt"] for one in turns if one.get("role") in ("HUMAN", "user")]
        return str((mine or [one["prompt"] for one in turns] or [""])[-1])
    return prompt if isinstance(prompt, str) else ""


LOG: Final = AnswerLog(
    code="opencompass",
    label="OpenCompass (predictions)",
    detect=lambda _path, head: bool(_MARK.match(head)),
    read=_read,
)
