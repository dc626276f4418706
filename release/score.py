"""Scores reported to a team for an upload: its best accuracy so far in each task, rounded down to steps.

Pure functions. They implement the Ladder of Blum and Hardt (2015): the reported accuracy changes only if an
upload is better than the best one by a whole step, so that uploads made to infer keys reveal next to nothing.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from parable.formats.responses import ResponseRecord
from parable.kinds import kind_of
from parable.kinds.question import Given

FEWEST_READABLE: Final = 0.8
"""The share of answers that must name an option; otherwise the upload is not scored."""
MOST_REPEATS: Final = 5
SMALLEST_STEP: Final = 5
"""The smallest step of the reported accuracy, in items; it applies to small tests."""
LARGEST_UPLOAD: Final = 32 * 1024 * 1024
"""The maximum size of an upload in bytes.

It exceeds the size of any model's responses to a test, but fits into memory.
"""

SEVERAL_MODELS: Final = "several_models"
OTHER_ORDER: Final = "other_order"
TOO_MANY_REPEATS: Final = "too_many_repeats"
INCOMPLETE: Final = "incomplete"


@dataclass(frozen=True, slots=True)
class Keyed:
    """A test item with its withheld answer. `record` is the frozen record, which some tasks need."""

    id: str
    task: str
    choices: tuple[str, ...]
    answer: Given
    record: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a file is not scored: a code, and the values for its message."""

    code: str
    about: Mapping[str, Any]


def find_problem(records: Sequence[ResponseRecord], ids: Iterable[str]) -> Refusal | None:
    """Return why these responses cannot be scored, or None. The result does not depend on the keys.

    One model must answer every item in every repeat, in the released order of options. Responses to other
    items are ignored.
    """
    wanted = set(ids)
    models = sorted({record.model for record in records})
    if len(models) > 1:
        return Refusal(SEVERAL_MODELS, {"models": ", ".join(models[:3])})
    if any(record.rotation or record.order is not None for record in records):
        return Refusal(OTHER_ORDER, {})
    repeats = sorted({record.repeat for record in records if record.item_id in wanted})
    if len(repeats) > MOST_REPEATS:
        return Refusal(TOO_MANY_REPEATS, {"most": MOST_REPEATS})
    for repeat in repeats or [1]:
        answered = {one.item_id for one in records if one.repeat == repeat and one.outcome is None}
        if missing := sorted(wanted - answered):
            return Refusal(INCOMPLETE, {"n": len(missing), "repeat": repeat, "first": missing[0]})
    return None


def score(
    records: Iterable[ResponseRecord], items: Sequence[Keyed], best: Mapping[str, float] | None = None
) -> dict[str, Any] | None:
    """Return the number of items, the number of unreadable answers and the best accuracy so far, by task.

    `best`: the accuracy that was reported to the team before, by task. Over several repeats, the accuracy is
    the mean. Return None if too few answers name an option.
    """
    known = {item.id: item for item in items}
    read = [(known[one.item_id], _choice(one, known[one.item_id])) for one in records if one.item_id in known]
    if sum(choice is not None for _item, choice in read) < FEWEST_READABLE * len(read):
        return None
    before = best or {}
    return {task: _total(task, read, items, before.get(task)) for task in sorted({one.task for one in items})}


def _choice(record: ResponseRecord, item: Keyed) -> Given:
    if record.text is None:
        return list(record.choice) if isinstance(record.choice, tuple) else record.choice
    known = item.record or {"choices": item.choices}
    return (
        kind_of(item.task)
        .question.read_as_ended(record.text, known, range(len(item.choices)), record.finish_reason)
        .given
    )


def _total(
    task: str, read: Sequence[tuple[Keyed, Given]], items: Sequence[Keyed], best: float | None
) -> dict[str, Any]:
    n = sum(item.task == task for item in items)
    mine = [(item, choice) for item, choice in read if item.task == task]
    step = step_of(n)
    scorer = kind_of(task).scorer
    reached = _rounded_down(sum(scorer(choice, item.answer) for item, choice in mine), len(mine), n)
    return {
        "n": n,
        "unparsed": sum(choice is None for _item, choice in mine),
        "accuracy": reached if best is None else max(best, reached),
        "step": round(step / n, 4),
        "is_better": best is None or reached > best,
    }


def _rounded_down(right: float, answers: int, n: int) -> float:
    """Return the accuracy on `n` items as a share, rounded down to a step.

    `right` is the sum of the scores of all `answers`; scores can be fractions. A small tolerance compensates
    floating-point errors in this sum.
    """
    step = step_of(n)
    return round(math.floor(right * n / (answers * step) + 1e-9) * step / n, 4)


def step_of(n: int) -> int:
    """Return the step of the accuracy, in items: the largest standard error, at least `SMALLEST_STEP`."""
    return max(SMALLEST_STEP, math.ceil(math.sqrt(n) / 2))


def provable_keys(items: Iterable[Keyed], *, caps: Sequence[int], in_all: int) -> int:
    """Return the maximum number of keys that teams are expected to infer if they share all results.

    `caps`: the maximum number of uploads of each team. `in_all`: the maximum of all teams together. For each
    task, a team gets a non-decreasing sequence of steps; the logarithm of the number of such sequences is the
    number of bits that it can learn. A key among c options is worth log2(c) bits; an answer without options
    counts as one bit, which overestimates what can be inferred. See docs/release_life.md for the derivation.
    """
    known = list(items)
    fewest = max(2, min((len(item.choices) for item in known if item.choices), default=2))
    # uploads spread over the teams as evenly as possible, which reveals the most
    shares, left = [0] * len(caps), min(in_all, sum(caps))
    while left:
        for place, cap in enumerate(caps):
            if left and shares[place] < cap:
                shares[place], left = shares[place] + 1, left - 1
    most = 0.0
    for task, n in Counter(item.task for item in known).items():
        has_options = kind_of(task).has_options
        bits = sum(_sequence_bits(n, uploads) for uploads in shares)
        bits += _balance_bits(n, fewest) if has_options else 0
        most += min(n, bits / math.log2(fewest if has_options else 2))
    return math.floor(most)


def _sequence_bits(n: int, uploads: int) -> float:
    """Return log2 of the number of possible sequences of results in one task."""
    steps = n // step_of(n)
    return math.log2(math.comb(uploads + steps, steps))


def _balance_bits(n: int, choices: int) -> float:
    """Return the number of bits known in advance because the keys are balanced over the positions."""
    each, more = divmod(n, choices)
    counts = [each + (index < more) for index in range(choices)]
    arrangements = math.lgamma(n + 1) - sum(math.lgamma(count + 1) for count in counts)
    return n * math.log2(choices) - arrangements / math.log(2)
