"""Responses to one item in all releases, and the item's newest calibration. Reads only."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Max, OuterRef, Q, Subquery

from evaluation.models import Calibration, ExamineeKind, PartialInput, Response, Run
from evaluation.queries.calibration import one_item
from parable.formats.option_marks import LETTERS
from parable.formats.options import letter
from parable.kinds.question import Given
from release.models import ReleaseItem

MOST_RUNS: Final = 200
"""The maximum number of listed runs; the newest are listed."""


@dataclass(frozen=True, slots=True)
class ItemAnswers:
    """The responses of one run to one item, counted.

    `choices`: counts by released position, with None for unreadable answers. `said`: counts of answers that
    are not a single option, by their letters or their JSON. `right`: the number of correct answers.
    """

    run: Run
    released: ReleaseItem
    choices: Mapping[int | None, int]
    right: int
    last: datetime
    said: Mapping[str, int] = field(default_factory=dict)

    @property
    def chosen(self) -> Iterator[tuple[int, int]]:
        """The pairs (released position, count), including positions in answers of several options."""
        yield from ((place, n) for place, n in self.choices.items() if place is not None)
        for letters, n in self.said.items():
            if letters.isalpha() and letters.isupper():
                yield from ((LETTERS.index(one), n) for one in letters)

    @property
    def n(self) -> int:
        """The number of answers."""
        return sum(self.choices.values()) + sum(self.said.values())

    @property
    def is_panel(self) -> bool:
        """Whether the examinee is a panel of people, each of whom answered once."""
        return self.run.examinee.kind == ExamineeKind.PANEL

    @property
    def letters(self) -> str:
        """The answers with their counts, such as "A × 3, B"; answers of several options come first."""
        counted = sorted(self.choices.items(), key=lambda one: (-one[1], one[0] is None, one[0]))
        named = [("–" if place is None else letter(place), n) for place, n in counted]
        named = sorted(self.said.items(), key=lambda one: (-one[1], one[0])) + named
        return ", ".join(name if n == 1 else f"{name} × {n}" for name, n in named)


def answers_to(item: int, released: Mapping[int, ReleaseItem]) -> list[ItemAnswers]:
    """Return an item's responses by run, newest run first. `released` is the result of `released_of`.

    At most `MOST_RUNS` runs are returned, with two queries.
    """
    rows = (
        Response.objects.filter(item__item=item, run__probe=PartialInput.WHOLE)
        .order_by()
        .values("run", "item", "choice", "given")
        .annotate(n=Count("pk"), right=Count("pk", filter=Q(correct=True)), last=Max("at"))
    )
    by_run: defaultdict[tuple[int, int], list[Any]] = defaultdict(list)
    for row in rows:
        by_run[row["run"], row["item"]].append(row)
    newest = sorted(by_run, reverse=True)[:MOST_RUNS]
    runs = Run.objects.filter(pk__in=[run for run, _released in newest]).select_related("examinee")
    known = {run.pk: run for run in runs}
    found = []
    for run, of in newest:
        if of in released:
            came = by_run[run, of]
            choices = {row["choice"]: row["n"] for row in came if row["given"] is None}
            counts = {_letters(row["given"]): row["n"] for row in came if row["given"] is not None}
            right, last = sum(row["right"] for row in came), max(row["last"] for row in came)
            found.append(ItemAnswers(known[run], released[of], choices, right, last, counts))
    return found


def released_of(item: int) -> dict[int, ReleaseItem]:
    """Return the `ReleaseItem` rows of an item in all releases, by their id."""
    found = ReleaseItem.objects.filter(item=item).select_related("release")
    return {one.pk: one for one in found.defer("release__manifest", "release__recipe").order_by("release")}


def _letters(given: Given) -> str:
    """Return an answer of positions as letters, and any other answer as JSON."""
    are_places = isinstance(given, list) and all(type(one) is int for one in given)
    return "".join(map(letter, given)) if are_places else json.dumps(given, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """An item's row in a calibration, with the item's public id there."""

    calibration: Calibration
    name: str
    row: Mapping[str, Any]


def calibrated(item: int) -> Calibrated | None:
    """Return the item's row in the newest finished calibration of the item's releases, or None."""
    name = ReleaseItem.objects.filter(release=OuterRef("release"), item=item).values("public_id")[:1]
    found = Calibration.objects.filter(release__items__item=item).exclude(parameters={})
    newest = (
        found.select_related("release")
        .defer("release__manifest", "release__recipe", "parameters")
        .annotate(name=Subquery(name))
        .order_by("-pk")
        .first()
    )
    if newest is None:
        return None
    public_id = str(vars(newest)["name"])
    row = one_item(newest, public_id)
    return None if row is None else Calibrated(newest, public_id, row)
