"""lm-evaluation-harness: `samples_TASK_TIME.jsonl`, written with `--log_samples`.

The id of an item is the `id` of its row. Of generated answers, the model's text is read, before the tool's
filters. Of log-likelihoods, the choice is the option with the highest value, or the first of equal ones, as
in the tool. The name of the model is in the `results_TIME.json` beside the file; without that, it is the
file's name. Several answers to one item are its repeats. The tool's verdict is its metric `acc` or
`exact_match`.

Made by `lm_eval ... --log_samples --output_path DIR`. Tried with lm-eval 0.4.13.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from parable.formats.answer_log import AnswerLog, Answers
from parable.formats.errors import ErrorCode, InputError
from parable.formats.log_parts import as_list, log_lines

_LONGEST_RESULTS: Final = 64 * 1024 * 1024


def _read(path: Path) -> Answers:
    model = _model_of(path)
    for row, sample in log_lines(path):
        if not isinstance(sample.get("doc"), dict):
            raise InputError(ErrorCode.NOT_AN_OBJECT, row=row, found=str(sample)[:20])
        scores = (sample.get(name) for name in ("acc", "exact_match"))
        said = next((score for score in scores if isinstance(score, int | float)), None)
        for repeat, answer in enumerate(_answers(sample), start=1):
            yield (
                row,
                {
                    "model": model,
                    "item_id": str(sample["doc"].get("id", "")),
                    "repeat": repeat,
                    **answer,
                    "tool_says": None if said is None else bool(said),
                },
            )


def _answers(sample: Mapping[str, Any]) -> list[dict[str, object]]:
    """Return the answers of a sample: texts, or the option with the highest log-likelihood."""
    responses = as_list(sample.get("resps"))
    if responses and all(_likelihood(one) is not None for one in responses):
        scores = [_likelihood(one) or 0.0 for one in responses]
        options = sample["doc"].get("choices")
        scores = scores[: len(options)] if isinstance(options, list) and options else scores
        return [{"choice": scores.index(max(scores))}]
    texts = [text for one in responses for text in (one if isinstance(one, list) else [one])]
    return [{"text": text if isinstance(text, str) else ""} for text in texts]


def _likelihood(response: Any) -> float | None:
    """Return the log-likelihood in `[["-1.5", "True"]]`, as the tool writes it; None for a text."""
    while isinstance(response, list) and len(response) == 1:
        response = response[0]
    if not isinstance(response, list) or len(response) != 2:
        return None
    try:
        return float(response[0])
    except (TypeError, ValueError):
        return None


def _model_of(path: Path) -> str:
    time = path.stem.rpartition("_")[2]
    results = path.with_name(f"results_{time}.json")
    try:
        if results.stat().st_size <= _LONGEST_RESULTS:
            name = orjson.loads(results.read_bytes()).get("model_name")
            if isinstance(name, str) and name:
                return name
    except (OSError, orjson.JSONDecodeError, AttributeError):
        pass
    return path.stem


LOG: Final = AnswerLog(
    code="lm_eval",
    label="lm-evaluation-harness (samples)",
    detect=lambda _path, head: (
        head.lstrip()[:1] == b"{" and b'"doc_id"' in head[:200] and b'"doc"' in head[:400]
    ),
    read=_read,
)
