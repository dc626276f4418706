"""The public page of a release, rendered from the release, its errata and its runs.

The site and a published folder have the same files: `pages` yields their names, `page` returns their content.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from core.errors import Hidden
from evaluation.models import ExamineeKind, OptionOrder, Portion, Publication, Response, Run
from evaluation.queries.run import items_in, runs
from jobs.models import JobState
from parable.kinds import KINDS
from parable.psychometrics.bootstrap import wilson_interval
from release.assembly.records import right_letters
from release.models import Release, ReleaseItem, ReleaseState, Split
from release.queries.release import artifacts, get_artifact, stored_at
from release.queries.report import errata_of
from release.score import step_of

ITEMS_ON_A_PAGE: Final = 50
INDEX: Final = "index.html"
STYLE: Final = "style.css"
FILES: Final = "files/"
ITEMS_PAGE: Final = re.compile(r"items-([1-9][0-9]{0,5})\.html")


def publication_of(release: Release) -> Publication | None:
    """Return the publication of a release, or None."""
    return Publication.objects.filter(release=release).select_related("release__project").first()


def get_publication(*, slug: str, version: str) -> Publication:
    """Return the public page of a ready release. Raise `Hidden` if it is closed or does not exist."""
    opened = Publication.objects.filter(is_open=True, release__state=ReleaseState.READY)
    found = opened.select_related("release__project").filter(
        release__project__slug=slug, release__version=version
    )
    publication = found.first()
    if publication is None:
        raise Hidden(_("There is no such page."))
    return publication


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of a leaderboard: an examinee on one task and split.

    Accuracies are shares.

    `n`: the number of items or, for people, of items with an answer. Repeated answers to an item do not
    increase `n`, so they do not narrow the interval. `step`: if answers are withheld, the accuracy is rounded
    down to steps of this size, and the interval covers the whole step; otherwise 0.
    """

    rank: int
    is_tied: bool
    name: str
    is_people: bool
    n: int
    accuracy: float
    low: float
    high: float
    step: float

    @property
    def percent(self) -> str:
        """The accuracy as a percentage."""
        return f"{100 * self.accuracy:.1f}"

    @property
    def interval(self) -> str:
        """The confidence interval of the accuracy, in per cent."""
        return f"{100 * self.low:.1f}–{100 * self.high:.1f}"


@dataclass(frozen=True, slots=True)
class Board:
    """The leaderboard of one task on one split."""

    task: str
    split: str
    standings: tuple[Standing, ...]

    @property
    def task_name(self) -> str:
        """The name of the task in the current language."""
        return _(KINDS[self.task].name)


def boards(release: Release) -> list[Board]:
    """Return the leaderboards of a release. Each examinee's newest complete run on a split counts.

    A run is complete if its job has finished or if it was imported. For people, the answers given so far
    count. Examinees within each other's interval are tied. If the answers of a test are withheld, accuracies
    are rounded down to steps, as for teams (see `release.score`).
    """
    of_all = Q(order=OptionOrder.RELEASED, sample_size=None)
    is_over = Q(job=None) | Q(job__state=JobState.DONE)
    found = runs(release.project).filter(is_over, of_all | Q(examinee__kind=ExamineeKind.PANEL))
    found = found.filter(release=release)
    newest = {run.pk: run for run in found}
    rows: dict[tuple[str, str], list[_Answered]] = defaultdict(list)
    cells = ReleaseItem.objects.filter(release=release).order_by().values("record__task", "split")
    sizes = {(row["record__task"], row["split"]): row["n"] for row in cells.annotate(n=Count("pk"))}
    seen = set[tuple[int, str, str]]()
    for (run_id, task, split), counted in sorted(_counted(newest.values()).items(), reverse=True):
        run = newest[run_id]
        if (run.examinee_id, task, split) not in seen:
            seen.add((run.examinee_id, task, split))
            size, is_panel = sizes[task, split], run.examinee.kind == ExamineeKind.PANEL
            # a model is counted over all items, a panel over those that it answered
            counts = counted if is_panel else _Counts(counted.right, size * run.repeats, size)
            rows[task, split].append(_Answered(run, counts))
    found_boards = []
    for task, split in sorted(rows):
        is_withheld = release.recipe["withhold_test"] and split == Split.TEST
        step = step_of(sizes[task, split]) if is_withheld else 0
        if standings := tuple(_ranked(rows[task, split], step)):
            found_boards.append(Board(task, split, standings))
    return found_boards


@dataclass(frozen=True, slots=True)
class _Counts:
    """The number of correct answers, of all answers, and of items with an answer."""

    right: int
    answers: int
    items: int


@dataclass(frozen=True, slots=True)
class _Answered:
    """A run of an examinee with its counts for one leaderboard."""

    run: Run
    counts: _Counts

    @property
    def is_people(self) -> bool:
        return self.run.examinee.kind == ExamineeKind.PANEL

    def share(self, step: int) -> float:
        """Return the accuracy, rounded down to a multiple of `step` items; 0 means no rounding."""
        counts = self.counts
        if not step:
            return counts.right / counts.answers
        return counts.right * counts.items // (counts.answers * step) * step / counts.items


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


def _ranked(rows: Sequence[_Answered], step: int) -> Iterator[Standing]:
    """Yield the rows of the leaderboard, best first.

    Examinees that answered fewer than `step` items are left out.
    """
    ranked = []
    for one in rows:
        n, share = one.counts.items, one.share(step)
        low, _high = wilson_interval(share * n, n)
        _low, high = wilson_interval(min(share + step / n, 1) * n, n)
        if n >= step:
            ranked.append((-share, one.run.examinee.name, one, share, low, high))
    ranked.sort(key=lambda one: one[:2])
    for _key, name, one, share, low, high in ranked:
        better = sum(other[3] > share for other in ranked)
        tied = sum(other[4] <= share <= other[5] for other in ranked) > 1
        n = one.counts.items
        yield Standing(better + 1, tied, name, one.is_people, n, share, low, high, step / n)


# --- the files ------------------------------------------------------------------------------


def pages(publication: Publication) -> Iterator[str]:
    """Yield the names of all files that make up the public page."""
    release = publication.release
    yield INDEX
    yield STYLE
    count = items_in(release, Portion.DEV).count()
    for number in range(1, -(-count // ITEMS_ON_A_PAGE) + 1):
        yield f"items-{number}.html"
    for artifact in artifacts(release):
        yield FILES + artifact.name


def page(publication: Publication, name: str, *, site: str | None = None) -> bytes:
    """Return the content of one file of the public page. Raise `Hidden` if there is no file of this name.

    `site`: the prefix of the error form's address, "" on this site. If None, the page has no link to the
    form.
    """
    release = publication.release
    more: dict[str, object] = {"report_url": None if site is None else site + reverse("release:report")}
    if name.startswith(FILES):
        return stored_at(get_artifact(release, name.removeprefix(FILES)).sha256).read_bytes()
    if name == STYLE:
        return render_to_string("evaluation/public/style.css").encode()
    with translation.override("zh-hans" if release.project.language == "zh" else "en"):
        if name == INDEX:
            return render_to_string("evaluation/public/index.html", _index(publication) | more).encode()
        if (number := items_page(name)) is not None:
            return render_to_string("evaluation/public/items.html", _items(release, number) | more).encode()
    raise Hidden(_("There is no such page."))


def items_page(name: str) -> int | None:
    """Return the page number in the name of a page of items, or None for any other name."""
    found = ITEMS_PAGE.fullmatch(name)
    return int(found[1]) if found else None


def _index(publication: Publication) -> dict[str, object]:
    release = publication.release
    card = stored_at(get_artifact(release, "README.md").sha256).read_text(encoding="utf-8")
    return {
        "release": release,
        "project": release.project,
        "card": card.partition("\n---\n")[2] if card.startswith("---\n") else card,  # no front matter
        "boards": boards(release) if publication.shows_scores else [],
        "errata": list(errata_of(release)),
        "files": list(artifacts(release)),
        "has_dev": items_in(release, Portion.DEV).exists(),
        "is_withheld": release.recipe["withhold_test"],
        "sums": get_artifact(release, "SHA256SUMS").sha256,
    }


def dev_items(release: Release, number: int) -> QuerySet[ReleaseItem]:
    """Return the dev items of one page; empty if there is no such page."""
    start = (number - 1) * ITEMS_ON_A_PAGE
    return items_in(release, Portion.DEV)[start : start + ITEMS_ON_A_PAGE]


def _items(release: Release, number: int) -> dict[str, object]:
    count = items_in(release, Portion.DEV).count()
    last = -(-count // ITEMS_ON_A_PAGE)
    if not 1 <= number <= last:
        raise Hidden(_("There is no such page."))
    return {
        "release": release,
        "project": release.project,
        "items": [
            item.record | {"id": item.public_id, "answer_letters": right_letters(item.record)}
            for item in dev_items(release, number)
        ],
        "number": number,
        "before": number - 1,
        "after": number + 1,
        "last": last,
        "count": count,
    }
