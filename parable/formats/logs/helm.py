"""HELM: `scenario_state.json` of a run.

The id of an item is the id of its instance; if the scenario gives no ids, HELM numbers the instances (`id0`),
and the item is found by the words of the prompt. Each completion is an answer as the model gave it; the
repeat counts trials and completions. Answers to perturbed texts are left out. The tool's verdict is
`exact_match` in the `per_instance_stats.json` beside the file, if it is there. Runs that ask about each
option alone (`multiple_choice_separate_original`) are refused. The file is one object, read a request at a
time; a request has at most 4 MB.

Made by `helm-run`, in `benchmark_output/runs/SUITE/RUN`. Tried with the adapter, client and metric of
crfm-helm 0.5.16.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from parable.formats.answer_log import AnswerLog, Answers, Repeats, verdict_of
from parable.formats.errors import FILE, ErrorCode, InputError, excerpt
from parable.formats.log_parts import as_list, as_object, log_elements, log_members

_MARK: Final = re.compile(rb'\s*\{\s*"adapter_spec":\s*\{')
_STATES: Final = "request_states"


def _read(path: Path) -> Answers:
    verdicts = _verdicts(path.with_name("per_instance_stats.json"))
    named, row = "", 0
    repeats = Repeats()
    for name, value in log_members(path, each_of=_STATES):
        if name == "adapter_spec":
            named = str(as_object(value).get("model", ""))
            method = str(as_object(value).get("method", ""))
            if method.startswith("multiple_choice_separate"):
                raise InputError(ErrorCode.NOT_OF_FORMAT, field=FILE, format=f"HELM ({excerpt(method)})")
        if name != _STATES:
            continue
        row += 1
        state = as_object(value)
        instance, request = as_object(state.get("instance")), as_object(state.get("request"))
        if not instance:
            raise InputError(ErrorCode.NOT_AN_OBJECT, row=row, found=str(value)[:20])
        if instance.get("perturbation"):
            continue
        item, asked = str(instance.get("id", "")), _asked(request)
        trial = state.get("train_trial_index", 0)
        told = {
            "model": str(request.get("model", "")) or named,
            "item_id": item,
            "asked": asked,
            "tool_says": verdicts.get(trial, {}).get(item) if isinstance(trial, int) else None,
        }
        for answer in _answers(as_object(state.get("result"))):
            yield row, {**told, **answer, "repeat": repeats.next(item or asked)}


def _answers(result: Mapping[str, Any]) -> list[dict[str, object]]:
    """Return the completions of a request as answers.

    Return one failed answer if there are none, or the request failed.
    """
    found: list[dict[str, object]] = []
    for one in as_list(result.get("completions")):
        if isinstance(text := as_object(one).get("text"), str):
            end = as_object(as_object(one).get("finish_reason")).get("reason")
            found.append({"text": text, **({"finish_reason": end} if isinstance(end, str) else {})})
    return found if found and result.get("success", True) else [{"outcome": "failed"}]


def _asked(request: Mapping[str, Any]) -> str:
    """Return the text sent to the model: the last message, or else the prompt."""
    messages = request.get("messages")
    last = as_object(messages[-1]).get("content") if isinstance(messages, list) and messages else None
    text = last or request.get("prompt")
    return text if isinstance(text, str) else ""


def _verdicts(path: Path) -> Mapping[int, Mapping[str, bool]]:
    """Return HELM's verdicts by trial and instance, from the statistics beside a run.

    Instances with perturbed texts are left out. Return {} if the statistics cannot be read.
    """
    found: defaultdict[int, dict[str, bool]] = defaultdict(dict)
    try:
        for one in map(as_object, log_elements(path)):
            trial = one.get("train_trial_index", 0)
            if one.get("perturbation") or not isinstance(trial, int):
                continue
            for stat in one.get("stats") or ():
                is_it = as_object(as_object(stat).get("name")).get("name") == "exact_match"
                if is_it and (said := verdict_of(as_object(stat).get("mean"))) is not None:
                    found[trial][str(one.get("instance_id", ""))] = said
    except (OSError, InputError, TypeError):
        return {}
    return found


LOG: Final = AnswerLog(
    code="helm", label="HELM (scenario state)", detect=lambda _path, head: bool(_MARK.match(head)), read=_read
)
