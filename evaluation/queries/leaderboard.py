"""The leaderboard of a release: examinees ranked by the measure of each task and over all tasks, by split."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final

from django.db.models import Avg, Count, FloatField, Func, Q, Sum
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Coalesce, NullIf
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.models import ExamineeKind, OptionOrder, Response, Run
from evaluation.queries.judgement import graded_reasons
from evaluation.queries.run import runs
from jobs.models import JobState
from parable.kinds import KINDS, kind_of, score_weights
from parable.kinds.base import ACCURACY, F1
from parable.psychometrics.bootstrap import combined_interval, shared_ranks, wilson_interval
from release.models import Release, ReleaseItem, Split
from release.score import step_of

ALL_TASKS: Final = ""
"""The task of the leaderboard over all tasks."""
GRADES: Final = "grades"
OVERALL: Final = "overall"
MEASURES: Final = {
    ACCURACY: gettext_lazy("Accuracy"),
    F1: gettext_lazy("F1"),
    GRADES: gettext_lazy("Graded reasons"),
    OVERALL: gettext_lazy("Score"),
}
"""What examinees are ranked by: the share of right answers; the mean F1 of the official scorers; the grades
that people gave to reasons, where those of all examinees are graded; or the score over all tasks.
"""
_ORDER: Final = (Split.TEST, Split.DEV, Split.TRAIN)


def place(share: float) -> str:
    """Return the place of a share on the axis of a drawing from 0 to 100 %, as an SVG length."""
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of a leaderboard: an examinee on one task, or on all, and one split.

    Accuracies are shares.

    `first`, `last`: the range of its rank, because examinees whose intervals overlap share ranks. `n`: the
    number of items or, for people, of items with an answer. Repeated answers to an item do not increase `n`,
    so they do not narrow the interval. `step`: if answers are withheld, the accuracy is rounded down to steps
    of this size, and the interval covers the whole step; otherwise 0.
    """

    first: int
    last: int
    name: str
    is_people: bool
    n: int
    accuracy: float
    low: float
    high: float
    step: float

    @property
    def rank(self) -> str:
        """The rank, or the first and the last of the shared ranks."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

    @property
    def percent(self) -> str:
        """The accuracy as a percentage."""
        return f"{100 * self.accuracy:.1f}"

    @property
    def interval(self) -> str:
        """The confidence interval of the accuracy, in per cent."""
        return f"{100 * self.low:.1f}–{100 * self.high:.1f}"

    @property
    def at(self) -> str:
        """The place of the accuracy on an axis from 0 to 100 %."""
        return place(self.accuracy)

    @property
    def low_at(self) -> str:
        """The place of the lower end of the interval."""
        return place(self.low)

    @property
    def high_at(self) -> str:
        """The place of the upper end of the interval."""
        return place(self.high)


@dataclass(frozen=True, slots=True)
class Board:
    """The leaderboard of one task on one split, or of all tasks together.

    `chance`: the mean probability of guessing right, or None if some items are not answered by options.
    `measure`: what the task is ranked by, a code of `MEASURES`.
    """

    task: str
    split: str
    standings: tuple[Standing, ...]
    chance: float | None = None
    measure: str = ACCURACY

    @property
    def measure_name(self) -> str:
        """The name of the measure in the current language."""
        return str(MEASURES[self.measure])

    @property
    def task_name(self) -> str:
        """The name of the task, or of the score over all tasks, in the current language."""
        return _(KINDS[self.task].name) if self.task else _("Overall score")

    @property
    def split_name(self) -> str:
        """The name of the split in the current language."""
        return str(Split(self.split).label)

    @property
    def chance_at(self) -> str:
        """The place of the chance level on the axis, or ""."""
        return "" if self.chance is None else place(self.chance)

    @property
    def n(self) -> int:
        """The largest number of items that an examinee was asked."""
        return max(one.n for one in self.standings)


def boards(release: Release) -> list[Board]:
    """Return the leaderboards of a release: test first, and in each split all tasks before the single ones.

    Each examinee's newest complete run on a split counts. A run is complete if its job has finished or if it
    was imported. For people, the answers given so far count. If the answers of a test are withheld,
    accuracies are rounded down to steps, as for teams (see `release.score`); the score over all tasks is
    computed from the rounded accuracies, so it reveals nothing more.
    """
    cells = _cells(release)
    sizes = {place: n for place, (n, _guessed) in cells.items()}
    answers: dict[tuple[str, str], list[_Answered]] = defaultdict(list)
    steps: dict[tuple[str, str], int] = {}
    for task, split, answered in _newest(release, sizes):
        is_withheld = release.recipe["withhold_test"] and split == Split.TEST
        steps[split, task] = step_of(sizes[task, split]) if is_withheld else 0
        if answered.counts.items >= steps[split, task]:  # else too few items for one step
            answers[split, task].append(answered)
    found = []
    for split in _ORDER:
        measures = {
            task: _measure(task, answers[split, task]) for task in sorted(KINDS) if answers.get((split, task))
        }
        by_task = {
            task: [one.row(steps[split, task], measure) for one in answers[split, task]]
            for task, measure in measures.items()
        }
        guessed = {task: cells[task, split][1] for task in by_task}
        if len(by_task) > 1:
            weights = _weights({task: sizes[task, split] for task in by_task})
            by_task = {ALL_TASKS: list(_overall(by_task, weights))} | by_task
            guessed[ALL_TASKS] = _weighted(weights, guessed)
            is_plain = set(measures.values()) == {ACCURACY}
            measures[ALL_TASKS] = ACCURACY if is_plain else OVERALL
        found += [
            Board(task, split, tuple(_ranked(each)), guessed[task], measures[task])
            for task, each in by_task.items()
            if each
        ]
    return found


def _measure(task: str, answered: Sequence[_Answered]) -> str:
    """Return what a task is ranked by: grades of reasons once all are graded, else the task's own measure."""
    if kind_of(task).grades_reasons and all(one.counts.graded is not None for one in answered):
        return GRADES
    return kind_of(task).headline


def _cells(release: Release) -> dict[tuple[str, str], tuple[int, float | None]]:
    """Return the number of items and the mean probability of guessing right, by task and split."""
    options = Func(
        KeyTransform("choices", "record"), function="jsonb_array_length", output_field=FloatField()
    )
    rows = ReleaseItem.objects.filter(release=release).order_by().values("record__task", "split")
    counted = rows.annotate(n=Count("pk"), guessed=Avg(1.0 / NullIf(options, 0.0)))
    return {
        (task, row["split"]): (row["n"], row["guessed"] if kind_of(task).question.is_one_option else None)
        for row in counted
        for task in [row["record__task"]]
    }


def _weights(sizes: Mapping[str, int]) -> Mapping[str, float]:
    """Return the weights of tasks in the score or, if one of those is missing, their shares of the items."""
    weights = score_weights()
    if weights.keys() <= sizes.keys():
        return weights
    return {task: n / sum(sizes.values()) for task, n in sizes.items()}


def _weighted(weights: Mapping[str, float], shares: Mapping[str, float | None]) -> float | None:
    """Return the weighted mean of shares; None if one is None."""
    found = [(weight, shares[task]) for task, weight in weights.items()]
    known = [weight * share for weight, share in found if share is not None]
    return sum(known) if len(known) == len(found) else None


@dataclass(frozen=True, slots=True)
class _Row:
    """An examinee's result, rounded down by less than `step`; `top` is the highest possible accuracy."""

    examinee: int
    name: str
    is_people: bool
    n: int
    accuracy: float
    top: float
    low: float
    high: float
    step: float


@dataclass(frozen=True, slots=True)
class _Counts:
    """The number of correct answers, of all answers, and of items with an answer.

    `credit`: the sum of partial credit. `graded`: the sum of the grades of reasons as shares of the highest
    one, or None if some are missing.
    """

    right: int
    answers: int
    items: int
    credit: float = 0.0
    graded: float | None = None

    def share(self, step: int, measure: str) -> float:
        """Return the mean by this measure, rounded down to a multiple of `step` items unless it is 0."""
        points = {F1: self.credit, GRADES: self.graded or 0.0}.get(measure, self.right)
        if not step:
            return points / self.answers
        # partial credit is not exact: an accuracy that is whole steps must not fall below the last one
        return math.floor(points * self.items / (self.answers * step) + 1e-9) * step / self.items


@dataclass(frozen=True, slots=True)
class _Answered:
    """A run of an examinee with its counts for one leaderboard."""

    run: Run
    counts: _Counts

    def row(self, step: int, measure: str = ACCURACY) -> _Row:
        # the variance of a score between 0 and 1 is at most that of right and wrong answers with the same
        # mean, so Wilson's interval also holds for partial credit
        n, share = self.counts.items, self.counts.share(step, measure)
        top = min(share + step / n, 1)
        low, high = wilson_interval(share * n, n)[0], wilson_interval(top * n, n)[1]
        examinee = self.run.examinee
        is_people = examinee.kind == ExamineeKind.PANEL
        return _Row(examinee.pk, examinee.name, is_people, n, share, top, low, high, step / n)


def _newest(release: Release, sizes: Mapping[tuple[str, str], int]) -> Iterator[tuple[str, str, _Answered]]:
    """Yield the counts of each examinee's newest complete run by task and split."""
    of_all = Q(order=OptionOrder.RELEASED, sample_size=None)
    is_over = Q(job=None) | Q(job__state=JobState.DONE)
    found = runs(release.project).filter(is_over, of_all | Q(examinee__kind=ExamineeKind.PANEL))
    newest = {run.pk: run for run in found.filter(release=release)}
    seen = set[tuple[int, str, str]]()
    for (run_id, task, split), counted in sorted(
        _counted(newest.values()).items(), key=itemgetter(0), reverse=True
    ):
        run = newest[run_id]
        if (run.examinee_id, task, split) not in seen:
            seen.add((run.examinee_id, task, split))
            size, is_panel = sizes[task, split], run.examinee.kind == ExamineeKind.PANEL
            # a model is counted over all items, a panel over those that it answered
            counts = counted if is_panel else replace(counted, answers=size * run.repeats, items=size)
            yield task, split, _Answered(run, counts)


def _counted(found: Collection[Run]) -> dict[tuple[int, str, str], _Counts]:
    """Return the counts of answers by run, task and split."""
    graded = graded_reasons(found)
    rows = (
        Response.objects.filter(run__in=found)
        .order_by()
        .values("run", "item__record__task", "item__split")
        .annotate(
            right=Count("pk", filter=Q(correct=True)),
            answers=Count("pk"),
            items=Count("item", distinct=True),
            credit=Coalesce(Sum("score"), 0.0),
        )
    )
    return {
        cell: _Counts(
            row["right"],
            row["answers"],
            row["items"],
            row["credit"],
            # without a right answer, there is no reason to grade
            graded[cell].points if cell in graded else 0.0,
        )
        for row in rows
        for cell in [(row["run"], row["item__record__task"], row["item__split"])]
    }


def _overall(by_task: Mapping[str, Sequence[_Row]], weights: Mapping[str, float]) -> Iterator[_Row]:
    """Yield the score over all tasks of the examinees that have a result in each weighted task."""
    by_examinee = {task: {row.examinee: row for row in by_task[task]} for task in weights}
    for examinee, one in next(iter(by_examinee.values())).items():
        if all(examinee in each for each in by_examinee.values()):
            parts = [(weight, by_examinee[task][examinee]) for task, weight in weights.items()]
            low, _high = combined_interval((weight, row.accuracy, row.low, row.high) for weight, row in parts)
            _low, high = combined_interval((weight, row.top, row.low, row.high) for weight, row in parts)
            yield _Row(
                examinee=examinee,
                name=one.name,
                is_people=one.is_people,
                n=sum(row.n for _weight, row in parts),
                accuracy=sum(weight * row.accuracy for weight, row in parts),
                top=sum(weight * row.top for weight, row in parts),
                step=sum(weight * row.step for weight, row in parts),
                low=low,
                high=high,
            )


def _ranked(rows: Sequence[_Row]) -> Iterator[Standing]:
    """Yield the rows of a leaderboard, best first. Examinees whose intervals overlap share ranks."""
    ordered = sorted(rows, key=lambda one: (-one.accuracy, one.name))
    ranks = shared_ranks([(row.low, row.high) for row in ordered])
    for row, (first, last) in zip(ordered, ranks, strict=True):
        yield Standing(
            first=first,
            last=last,
            name=row.name,
            is_people=row.is_people,
            n=row.n,
            accuracy=row.accuracy,
            low=row.low,
            high=row.high,
            step=row.step,
        )
