"""What a team is told of its responses: totals of a task, in steps too coarse to learn a key from. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from parable.formats.responses import ResponseRecord
from parable.reading.answers import CHOSEN, read_answer

FEWEST_READABLE: Final = 0.8
"""So large a share of the answers must name an option: a file of one answer is no measurement."""
MOST_REPEATS: Final = 5
COARSEST: Final = 100
SMALLEST_STEP: Final = 5
LARGEST_UPLOAD: Final = 32 * 1024 * 1024
"""Bytes: far more than a model says about any test, far less than fills the memory."""

SEVERAL_MODELS: Final = "several_models"
OTHER_ORDER: Final = "other_order"
TOO_MANY_REPEATS: Final = "too_many_repeats"
INCOMPLETE: Final = "incomplete"


@dataclass(frozen=True, slots=True)
class Keyed:
    """An item whose answer is withheld."""

    id: str
    task: str
    choices: tuple[str, ...]
    answer: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file is not scored: a code, and what its sentence needs."""

    code: str
    about: Mapping[str, Any]


def find_problem(records: Sequence[ResponseRecord], ids: Iterable[str]) -> Problem | None:
    """What keeps these responses from being scored, if anything: nothing of it depends on a key.

    One model answers every item in every repeat, in the released order of options; other items are ignored.
    """
    wanted = set(ids)
    models = sorted({record.model for record in records})
    if len(models) > 1:
        return Problem(SEVERAL_MODELS, {"models": ", ".join(models[:3])})
    if any(record.rotation or record.order is not None for record in records):
        return Problem(OTHER_ORDER, {})
    repeats = sorted({record.repeat for record in records if record.item_id in wanted})
    if len(repeats) > MOST_REPEATS:
        return Problem(TOO_MANY_REPEATS, {"most": MOST_REPEATS})
    for repeat in repeats or [1]:
        answered = {one.item_id for one in records if one.repeat == repeat and one.outcome is None}
        if missing := sorted(wanted - answered):
            return Problem(INCOMPLETE, {"n": len(missing), "repeat": repeat, "first": missing[0]})
    return None


def score(records: Iterable[ResponseRecord], items: Sequence[Keyed]) -> dict[str, Any] | None:
    """Totals by task: items, answers that named no option, and the accuracy in steps; none where too few did.

    Of several repeats the accuracy is the mean. The count of right answers itself is told nowhere.
    """
    known = {item.id: item for item in items}
    read = [(known[one.item_id], _choice(one, known[one.item_id])) for one in records if one.item_id in known]
    if sum(choice is not None for _item, choice in read) < FEWEST_READABLE * len(read):
        return None
    return {task: _total(task, read, items) for task in sorted({item.task for item in items})}


def _choice(record: ResponseRecord, item: Keyed) -> int | None:
    if record.text is None:
        return record.choice
    reading = read_answer(record.text, item.choices)
    return reading.choice if reading.outcome == CHOSEN else None


def _total(task: str, read: Sequence[tuple[Keyed, int | None]], items: Sequence[Keyed]) -> dict[str, Any]:
    n = sum(item.task == task for item in items)
    mine = [(item, choice) for item, choice in read if item.task == task]
    right = sum(choice == item.answer for item, choice in mine) * n / len(mine)
    step = step_of(n)
    return {
        "n": n,
        "unread": sum(choice is None for _item, choice in mine),
        "accuracy": min(1.0, round(round(right / step) * step / n, 4)),
        "step": round(step / n, 4),
    }


def step_of(n: int) -> int:
    """By how many items the accuracy of `n` items is told: one in a hundred, and no fewer than five."""
    return max(SMALLEST_STEP, -(-n // COARSEST))
