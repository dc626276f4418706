"""Writes the answers of a model as records of Every Eval Ever: an aggregate, and an instance for each answer.

The records follow schema 0.3.0. `input.raw` is the prompt that Parable makes of the item, with the options in
the order shown; the prompt that the model received may differ. Instances contain the keys, and the canary in
their metadata.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from parable.extras import installed_version
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord, released
from parable.formats.responses import FAILED, REFUSED, ResponseRecord
from parable.kinds import kind_of
from parable.psychometrics.bootstrap import LEVEL
from parable.psychometrics.results.evaluation import score_object
from parable.psychometrics.results.sheets import Answer, AnswerColumns, Asked, Items

SCHEMA: Final = "0.3.0"
_UNSAFE: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_UNKNOWN: Final = "unknown"
_ERRORS: Final[Mapping[str, str]] = {FAILED: "no answer was received", REFUSED: "refused"}

Read = Callable[[ResponseRecord, ItemRecord], Answer]
Item = Callable[[str], ItemRecord]
Files = Iterator[tuple[str, Iterator[bytes]]]
"""Pairs of a file's path and its contents, which must be read before the next pair is requested."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A model and the release that it answered; `at` is the time of the records, in seconds since 1970."""

    model: str
    release: str
    version: str
    canary: str
    at: float

    @property
    def id(self) -> str:
        """The identifier of this evaluation in all of its records."""
        return f"{self.release}/{self.model}/{self.at}"

    @property
    def path(self) -> str:
        """The path of the files without extension: by release, developer and model."""
        developer, slash, model = self.model.partition("/")
        parts = (self.release, developer, model) if slash else (self.release, _UNKNOWN, self.model)
        name = UUID(bytes=sha256(self.id.encode()).digest()[:16], version=4)
        folders = (_UNSAFE.sub("_", part).rstrip(". ") or _UNKNOWN for part in parts)
        return "/".join(("data", *folders, str(name)))


def record_files(
    about: Measured,
    items: Items,
    item_of: Item,
    responses: Iterable[ResponseRecord],
    asked: Callable[[AnswerColumns], Iterable[Asked]],
    read: Read,
) -> Files:
    """Yield two files for a model: its answers as instances, then their aggregate.

    `asked` returns the questions that count for the answers given; one without an answer counts as failed.
    `read` returns the answer in a response.
    """
    sheet, digest, rows = AnswerColumns(about.model, items), sha256(), 0

    def instances() -> Iterator[bytes]:
        nonlocal rows
        for one in _all(about.model, sheet, items, responses, asked):
            item = item_of(one.item_id)
            answer = read(one, item)
            sheet.add(answer)
            key = items.facts[items.row[one.item_id]].key
            instance = _instance(about, item, one, answer, is_right=answer.choice == key)
            line = json.dumps(instance, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
            digest.update(line)
            rows += 1
            yield line

    def aggregate() -> Iterator[bytes]:
        models: Any = score_object(items, [sheet.columns(asked(sheet))])["models"]
        found = _aggregate(about, models[about.model], digest.hexdigest(), rows)
        yield json.dumps(found, ensure_ascii=False, indent=2).encode("utf-8", "replace")

    yield f"{about.path}_samples.jsonl", instances()
    yield f"{about.path}.json", aggregate()


def _all(
    model: str,
    sheet: AnswerColumns,
    items: Items,
    responses: Iterable[ResponseRecord],
    asked: Callable[[AnswerColumns], Iterable[Asked]],
) -> Iterator[ResponseRecord]:
    """Yield the responses to these items, then a failed response for each unanswered question."""
    yield from (one for one in responses if one.model == model and one.item_id in items.row)
    for item, repeat, rotation in [one for one in asked(sheet) if one not in sheet]:
        yield ResponseRecord(model, item, repeat, rotation, None, None, None, FAILED)


def write_records(folder: Path, files: Files) -> list[Path]:
    """Write files below a folder; return their paths."""
    written = []
    for name, parts in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(parts)
        written.append(path)
    return written


def _instance(
    about: Measured, item: ItemRecord, one: ResponseRecord, answer: Answer, *, is_right: bool
) -> dict[str, object]:
    question, known = kind_of(item.task).question, released(item)
    order = one.order or tuple(range(len(item.choices)))
    raw = question.put(question.template(item.language), known, order)
    reference = [_shown(question.right(known), order)]
    hashed = json.dumps({"raw": raw, "reference": reference}, sort_keys=True)
    given = one.text if one.text is not None else None if one.choice is None else _shown(one.choice, order)
    has_letter = question.is_one_option and answer.choice is not None
    return {
        "schema_version": SCHEMA,
        "evaluation_id": about.id,
        "model_id": about.model,
        "evaluation_name": _name(about, item.task),
        "evaluation_result_id": _result(item.task),
        "sample_id": item.id,
        "sample_hash": sha256(hashed.encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": raw,
            "reference": reference,
            "choices": [item.choices[place] for place in order] or None,
        },
        "output": {"raw": [] if given is None else [given]},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": _shown(answer.choice, order),
                "extraction_method": "custom",
                "is_terminal": True,
            }
        ]
        if has_letter
        else [],
        "evaluation": {"score": float(is_right), "is_correct": is_right, "num_turns": 1},
        "error": _ERRORS.get(one.outcome or ""),
        "metadata": {
            "epoch": str(one.repeat),
            "outcome": answer.outcome,
            "task": item.task,
            "split": item.split or "",
            "story_id": item.story_id or "",
            **({"stop_reason": one.finish_reason} if one.finish_reason else {}),
            **({"option_order": list(order), "option_rotation": one.rotation} if one.order else {}),
            **({"canary": about.canary} if about.canary else {}),
        },
    }


def _shown(given: Any, order: Sequence[int]) -> str:
    """Return an answer as letters of options in the order shown, or as JSON if it is not made of options."""
    places = [given] if type(given) is int else given
    if isinstance(places, list | tuple) and all(type(one) is int for one in places):
        return ", ".join(LETTERS[order.index(place)] for place in places)
    return json.dumps(given, ensure_ascii=False)


def _aggregate(about: Measured, scores: Mapping[str, Any], checksum: str, rows: int) -> dict[str, object]:
    at = str(about.at)
    developer = about.path.split("/")[2]
    return {
        "schema_version": SCHEMA,
        "evaluation_id": about.id,
        "retrieved_timestamp": at,
        "source_metadata": {
            "source_name": "Parable",
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": "parable", "version": installed_version() or _UNKNOWN},
        "model_info": {
            "name": about.model,
            "id": about.model,
            "developer": developer,
            "additional_details": {"deployment_type": _UNKNOWN, "model_availability": _UNKNOWN},
        },
        "evaluation_results": [
            _result_of(about, task, found)
            for task, found in scores.items()
            if isinstance(found, Mapping) and "strict_accuracy" in found
        ],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{about.path}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": checksum,
            "total_rows": rows,
        },
    }


def _result_of(about: Measured, task: str, found: Mapping[str, Any]) -> dict[str, object]:
    interval = {
        "lower": found["low"],
        "upper": found["high"],
        "confidence_level": LEVEL,
        "method": "Wilson, clustered by story",
    }
    has_interval = found["low"] is not None and found["high"] is not None
    return {
        "evaluation_result_id": _result(task),
        "evaluation_name": _name(about, task),
        "source_data": {
            "dataset_name": about.release,
            "source_type": "other",
            "additional_details": {"version": about.version, "task": task},
        },
        "metric_config": {
            "evaluation_description": "Share of answers that are right, of all that were asked for",
            "metric_id": "accuracy",
            "metric_name": "Accuracy",
            "metric_kind": "accuracy",
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {
            "score": found["accuracy"],
            "details": {
                name: str(value)
                for name, value in found.items()
                if name not in {"accuracy", "low", "high"} and value is not None
            },
            "uncertainty": {
                **({"confidence_interval": interval} if has_interval else {}),
                "num_samples": found["n"],
            },
        },
    }


def _name(about: Measured, task: str) -> str:
    return f"{about.release} {task}"


def _result(task: str) -> str:
    return f"{task}:accuracy"
