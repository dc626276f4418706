"""Simulated answers of models and readers to the release of the third sample project ("kinds").

Each examinee has a line of digits, one per item: `1` correct, `0` nearly correct, `-` no answer.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any, Final

from django.db import transaction

from accounts.models import User
from dashboard.services.kinds_files import near
from dashboard.services.sample_jobs import finish_jobs
from evaluation.models import ExamineeKind, Portion, Run
from evaluation.queries.run import IMPORT
from evaluation.services import (
    answer_place,
    invite_to_panel,
    keep_panel_links,
    next_place,
    open_panel,
    order_import,
)
from parable.kinds import kind_of
from parable.kinds.question import Given
from release.models import Release, ReleaseItem

RIGHT: Final = "1"
SILENT: Final = "-"


def bring_model_answers(*, actor: User, release: Release, words: Mapping[str, Any]) -> None:
    """Import the answers of all simulated models; importing the same file again has no effect."""
    lines = (json.dumps(line, ensure_ascii=False) for line in _lines(release, words))
    data = "\n".join(lines).encode()
    file = order_import(actor=actor, release=release, name=words["file"], data=data)
    finish_jobs(IMPORT, file.pk)


def _lines(release: Release, words: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    items = list(ReleaseItem.objects.filter(release=release).order_by("number"))
    for name, digits in words["examinees"].items():
        for item, digit in zip(items, cycle(digits), strict=False):
            record = answered_record(item.record, digit)
            text = kind_of(record["task"]).question.words(record) if digit != SILENT else words["none"]
            yield {"model": name, "item_id": item.public_id, "repeat": 1, "text": text}


def answered_record(record: Mapping[str, Any], digit: str) -> Mapping[str, Any]:
    """Return the record with a simulated answer instead of the correct one.

    `digit` is `1` for the correct answer; for any other digit the answer is nearly correct.
    """
    return record if digit == RIGHT else near(record)


@transaction.atomic
def invite_panel(*, actor: User, release: Release, words: Mapping[str, Any]) -> None:
    """Open a panel, and record the simulated answers of its people. Do nothing if there is a panel."""
    if Run.objects.filter(release=release, examinee__kind=ExamineeKind.PANEL).exists():
        return
    run = open_panel(actor=actor, release=release, split=Portion.BOTH, sample_size=words["items"])
    issued = invite_to_panel(actor=actor, run=run, names=words["names"], items_each=words["items"])
    keep_panel_links(actor=actor, run=run, issued=issued)
    for seat, digits in zip((one.seat for one in issued), words["answered"], strict=True):
        for digit in digits:
            place = next_place(seat=seat)
            if place is None:
                break
            record = place.item.record
            right = kind_of(record["task"]).question.right(answered_record(record, digit))
            answer_place(seat=seat, position=place.position, shown=_as_shown(record, right, place.order))


def _as_shown(record: Mapping[str, Any], given: Given, order: list[int]) -> Given:
    """Return an answer with positions on the person's page instead of positions in the release."""
    if isinstance(given, int):
        return order.index(given)
    if isinstance(given, list):
        places = [order.index(place) for place in given]
        return places if kind_of(record["task"]).answer == "order" else sorted(places)
    return given
