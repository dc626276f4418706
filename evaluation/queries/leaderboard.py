"""The leaderboard of a release: examinees ranked by accuracy, for each split, by task and over all tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Avg, Count, FloatField, Func, Q
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import NullIf
from django.utils.translation import gettext as _

from evaluation.models import ExamineeKind, OptionOrder, Response, Run
from evaluation.queries.run import runs
from jobs.models import JobState
from parable.kinds import KINDS, kind_of, score_weights
from parable.psychometrics.bootstrap import combined_interval, wilson_interval
from release.models import Release, ReleaseItem, Split
from release.score import step_of

ALL_TASKS: Final = ""
"""The task of the leaderboard over all tasks."""
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
    """

    task: str
    split: str
    standings: tuple[Standing, ...]
    chance: float | None = None

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
    rows: dict[tuple[str, str], list[_Row]] = defaultdict(list)
    for task, split, answered in _newest(release, sizes):
        is_withheld = release.recipe["withhold_test"] and split == Split.TEST
        step = step_of(sizes[task, split]) if is_withheld else 0
        if answered.counts.items >= step:  # else too few items for one step
            rows[split, task].append(answered.row(step))
    found = []
    for split in _ORDER:
        by_task = {task: rows[split, task] for task in sorted(KINDS) if rows.get((split, task))}
        guessed = {task: cells[task, split][1] for task in by_task}
        if len(by_task) > 1:
            weights = _weights({task: sizes[task, split] for task in by_task})
            by_task = {ALL_TASKS: list(_overall(by_task, weights))} | by_task
            guessed[ALL_TASKS] = _weighted(weights, guessed)
        found += [
            Board(task, split, tuple(_ranked(each)), guessed[task]) for task, each in by_task.items() if each
        ]
    return found


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
    """The number of correct answers, of all answers, and of items with an answer."""

    right: int
    answers: int
    items: int

    def share(self, step: int) -> float:
        """Return the accuracy, rounded down to a multiple of `step` items; 0 means no rounding."""
        if not step:
            return self.right / self.answers
        return self.right * self.items // (self.answers * step) * step / self.items


@dataclass(frozen=True, slots=True)
class _Answered:
    """A run of an examinee with its counts for one leaderboard."""

    run: Run
    counts: _Counts

    def row(self, step: int) -> _Row:
        n, share = self.counts.items, self.counts.share(step)
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
    for (run_id, task, split), counted in sorted(_counted(newest.values()).items(), reverse=True):
        run = newest[run_id]
        if (run.examinee_id, task, split) not in seen:
            seen.add((run.examinee_id, task, split))
            size, is_panel = sizes[task, split], run.examinee.kind == ExamineeKind.PANEL
            # a model is counted over all items, a panel over those that it answered
            counts = counted if is_panel else _Counts(counted.right, size * run.repeats, size)
            yield task, split, _Answered(run, counts)


def _counted(found: Iterable[Run]) -> dict[tuple[int, str, str], _Counts]:
    """Return the counts of answers by run, task and split."""
    rows = (
        Response.objects.filter(run__in=found)
        .order_by()
        .values("run", "item__record__task", "item__split")
        .annotate(
            right=Count("pk", filter=Q(correct=True)),
            answers=Count("pk"),
            items=Count("item", distinct=True),
        )
    )
    return {
        (row["run"], row["item__record__task"], row["item__split"]): _Counts(
            row["right"], row["answers"], row["items"]
        )
        for row in rows
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
    for row in sorted(rows, key=lambda one: (-one.accuracy, one.name)):
        yield Standing(
            first=1 + sum(other.low > row.high for other in rows),
            last=len(rows) - sum(other.high < row.low for other in rows),
            name=row.name,
            is_people=row.is_people,
            n=row.n,
            accuracy=row.accuracy,
            low=row.low,
            high=row.high,
            step=row.step,
        )
