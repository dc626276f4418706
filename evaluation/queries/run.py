"""Queries for runs: their questions, progress, responses and result tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, F, Func, IntegerField, Q, QuerySet, Sum
from django.db.models.functions import MD5, Greatest
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from evaluation.models import (
    ExamineeKind,
    OptionOrder,
    PartialInput,
    Portion,
    ReadingKind,
    Response,
    ResultTables,
    Run,
)
from evaluation.permissions import may_see_results
from jobs.models import Call, CallState, Endpoint
from jobs.pricing import most_it_may_cost
from jobs.queries import is_over, unfinished_subjects
from parable.kinds import codes, kind_of
from parable.llm import presentation
from parable.llm.tokens import estimate_prompt_tokens
from parable.reading.answers import CUT_OFF
from parable.reading.partial_inputs import other_stories, partial_item, stories_in
from parable.reading.question import zero_shot
from parable.splits import TRAIN
from projects.models import Project
from release.models import Release, ReleaseItem, ReleaseState
from web.cached_counts import COUNTED_ANEW, cached_each, named

MEASURE: Final = "evaluate"
"""The kind of the jobs in which models answer the items of a release."""
CALIBRATE: Final = "calibrate"
IMPORT: Final = "import_responses"
TABLES: Final = "count_results"
COMPARE_PARTIAL: Final = "count_probe"
"""The kinds of this app's other jobs: `CALIBRATE`, `IMPORT`, `TABLES` and `COMPARE_PARTIAL`."""
MOST_NAMES: Final = 5
LOOKED_AT: Final = 40
"""The number of items from which the cost of a run is extrapolated; they are drawn by their public ids."""


def measurable_releases(project: Project) -> QuerySet[Release]:
    """Return the project's releases that are ready, newest first; only these can be measured."""
    return Release.objects.filter(project=project, state=ReleaseState.READY).order_by("-pk")


def release_to_measure(project: Project) -> Release | None:
    """Return a ready release to measure: the newest with runs, or else the newest.

    Return None if no release is ready.
    """
    found = measurable_releases(project)
    answered = Run.objects.filter(release__in=found).order_by("-release").select_related("release").first()
    return answered.release if answered else found.first()


LARGE_OF_A_RELEASE: Final = ("release__manifest", "release__recipe", "release__failure_details")
"""Large columns of a release, which are deferred when many runs are read with their releases."""


def runs(project: Project) -> QuerySet[Run]:
    """Return the project's runs, newest first."""
    found = Run.objects.filter(release__project=project)
    return found.select_related("release__project", "examinee", "job", "created_by").order_by("-pk")


def get_run(*, user: User, project: Project, pk: int) -> Run:
    """Return a run. Raise `Hidden` if the user may not see it."""
    run = runs(project).filter(pk=pk).first()
    if run is None or not may_see_results(user, project):
        raise Hidden(_("Run not found."))
    return run


def default_prompt(project: Project) -> str:
    """Return the paper's zero-shot prompt in the language of the project's stories."""
    return zero_shot(project.language)


def tasks_with_prompts(project: Project) -> list[str]:
    """Return the tasks in the project's releases that are not answered with one option."""
    counts = measurable_releases(project).values_list("manifest__counts", flat=True)
    found = {task for of_release in counts for task in of_release or ()}
    return [code for code in codes() if code in found and not kind_of(code).question.is_one_option]


# --- questions of a run --------------------------------------------------------------------------


def items_in(release: Release, split: str) -> QuerySet[ReleaseItem]:
    """Return the items of a release in the splits of this portion, in release order."""
    found = ReleaseItem.objects.filter(release=release, split__in=Portion(split).splits)
    return found.order_by("number")


def portions(project: Project) -> list[tuple[str, str]]:
    """Return (code, name) of the portions that can be run.

    Portions with train need a release with this split.
    """
    has_train = measurable_releases(project).filter(recipe__has_key="train_share").exists()
    return [(one.value, str(one.label)) for one in Portion if has_train or TRAIN not in one.splits]


def portion_of(splits: Iterable[str]) -> Portion:
    """Return the portion that covers these splits."""
    found = set(splits)
    if len(found) == 1:
        return Portion(found.pop())
    return Portion.ALL if TRAIN in found else Portion.BOTH


def asked_items(run: Run) -> list[ReleaseItem]:
    """Return the items that a run asks, in release order.

    Only id, public id, split and record are loaded. The sample of a run never changes. The record includes
    the key.
    """
    found = items_in(run.release, run.split)
    if run.sample_size is not None:
        found = found.filter(pk__in=[pk for pk, _name in sampled_ids(run)])
    return list(found.only("public_id", "split", "record"))


def sampled_ids(run: Run) -> list[tuple[int, str]]:
    """Return (id, public id) of each item in the sample of a run."""
    known = list(items_in(run.release, run.split).values_list("pk", "public_id"))
    drawn = set(presentation.sample([name for _pk, name in known], run.sample_size, seed=run.seed))
    return [(pk, name) for pk, name in known if name in drawn]


@dataclass(frozen=True, slots=True)
class Place:
    """One question of a run: item, repeat (from 1), rotation (from 0), and order of the options."""

    item: ReleaseItem
    repeat: int
    rotation: int
    order: presentation.Order


def places_of(run: Run, items: list[ReleaseItem]) -> list[Place]:
    """Return all questions of a run.

    They are sorted by repeat, so that an aborted run has complete repeats.
    """
    return [
        Place(item, repeat, rotation, order)
        for repeat in range(1, run.repeats + 1)
        for item in items
        for rotation, order in enumerate(
            presentation.orders_of(
                len(item.record["choices"]), run.order, seed=run.seed, item=item.public_id, repeat=repeat
            )
        )
    ]


def prompt_of(run: Run, place: Place, others: Mapping[str, str]) -> str:
    """Return the exact prompt to send. `others` is the result of `others_of`."""
    record = partial_item(run.probe, place.item.record, others)
    return _prompt(run.prompt, run.prompts, record, place.order)


def others_of(release: Release, probe: str, seed: str) -> dict[str, str]:
    """Return {story id: text of another story} for a release, or {} unless `probe` replaces stories."""
    if probe != PartialInput.OTHER_STORY:
        return {}
    names = ("record__story_id", "record__story")
    rows = items_in(release, Portion.ALL).values_list(*names)
    return other_stories(stories_in([{"story_id": name, "story": text} for name, text in rows]), seed)


def _prompt(
    prompt: str, prompts: Mapping[str, str], record: Mapping[str, Any], order: presentation.Order
) -> str:
    """Return the prompt for one item. `prompts` has the templates of tasks not answered with one option."""
    question = kind_of(record["task"]).question
    template = prompt
    if not question.is_one_option:
        template = prompts.get(record["task"]) or question.template(record["language"])
    return question.put(template, record, order)


@dataclass(frozen=True, slots=True)
class Asking:
    """The settings of a run."""

    release: Release
    prompt: str
    split: str = Portion.BOTH
    repeats: int = 1
    order: str = OptionOrder.RELEASED
    seed: str = "0"
    sample_size: int | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    probe: str = PartialInput.WHOLE


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of calls of a run to one endpoint, their prompt tokens and their maximum cost."""

    endpoint: Endpoint
    calls: int
    tokens_in: int
    cost: Decimal


def estimates(asking: Asking, endpoints: Iterable[Endpoint]) -> list[Estimate]:
    """Return the estimated cost of a run at each endpoint, extrapolated from a sample of the items."""
    found = items_in(asking.release, asking.split)
    some = found.order_by(MD5("public_id")).values_list("record", flat=True)[:LOOKED_AT]
    prompts = [
        _prompt(asking.prompt, asking.prompts, record, tuple(range(len(record["choices"]))))
        for record in some
    ]
    options = Func(F("record__choices"), function="jsonb_array_length", output_field=IntegerField())
    length = Greatest(options, 1)
    sums = found.order_by().aggregate(items=Count("pk"), options=Sum(length))
    items: int = sums["items"]
    kept = items if asking.sample_size is None else min(items, asking.sample_size)
    each = sums["options"] / items if asking.order == OptionOrder.CIRCULAR and items else 1
    calls = round(kept * each) * asking.repeats
    return [_estimate(endpoint, calls, prompts) for endpoint in endpoints]


def _estimate(endpoint: Endpoint, calls: int, prompts: list[str]) -> Estimate:
    if not prompts:
        return Estimate(endpoint, 0, 0, Decimal(0))
    costs = (
        most_it_may_cost(
            prompt, endpoint.parameters, price_in=endpoint.price_in, price_out=endpoint.price_out
        )
        for prompt in prompts
    )
    tokens = sum(map(estimate_prompt_tokens, prompts))
    return Estimate(
        endpoint, calls, tokens * calls // len(prompts), sum(costs, Decimal(0)) * calls / len(prompts)
    )


# --- progress and outcomes ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of expected and received responses of a run, by outcome.

    `waiting`: the number of responses that may still arrive; when the run is over, missing responses count as
    failed. `cut_off`: the number of answers that ended at the token limit. `only_thought`: the number of
    answers with reasoning only. The last two are 0 if several runs are counted at once.
    """

    asked: int
    readings: Mapping[str, int]
    correct: int
    waiting: int
    cut_off: int = 0
    only_thought: int = 0

    @property
    def accuracy(self) -> float | None:
        """The proportion of correct responses, or None while responses are still expected."""
        return self.correct / self.asked if self.asked and not self.waiting else None


def tally(run: Run) -> Tally:
    """Return the counts of a run's responses by outcome, including answers cut off and without text."""
    ended = Response.objects.filter(run=run).aggregate(
        cut_off=Count("pk", filter=Q(served__finish_reason__in=[*CUT_OFF, *map(str.upper, CUT_OFF)])),
        only_thought=Count("pk", filter=Q(served__only_thought=True)),
    )
    return replace(tallies([run])[run.pk], **ended)


def other_models(run: Run) -> list[str]:
    """Return the model names reported by the server that differ from the requested name, at most five."""
    asked = run.settings.get("model", "")
    names = Response.objects.filter(run=run).exclude(served__answered_by=None).order_by()
    found = names.values_list("served__answered_by", flat=True).distinct()
    return sorted(name for name in found if name != asked)[:MOST_NAMES]


def tallies(found: list[Run]) -> dict[int, Tally]:
    """Return the counts of several runs by run id, with two queries. They lack `cut_off` and `only_thought`.

    Counts of large finished runs are cached for a minute.
    """
    # no more responses can arrive; for panels, that is never certain
    over = {
        run.pk
        for run in found
        if run.examinee.kind != ExamineeKind.PANEL and (run.job is None or is_over(run.job))
    }
    names = {run.pk: named("answers:1", run, run.pk in over) for run in found}
    came = cached_each(
        names,
        _answers,
        is_large=lambda run, rows: run in over and sum(n for _kind, n, _right in rows) > COUNTED_ANEW,
    )
    lost = Call.objects.filter(job__in=[run.job_id for run in found if run.job_id])
    lost = lost.filter(state__in=[CallState.REFUSED, CallState.FAILED]).order_by()
    gone: dict[tuple[int, str], int] = {
        (row["job"], row["state"]): row["n"] for row in lost.values("job", "state").annotate(n=Count("pk"))
    }
    return {run.pk: _tally(run, came[run.pk], gone) for run in found}


def _answers(runs: Sequence[int]) -> dict[int, list[tuple[str, int, int]]]:
    """Return (outcome, number of answers, number of correct answers) by run."""
    came: dict[int, list[tuple[str, int, int]]] = {run: [] for run in runs}
    rows = Response.objects.filter(run__in=runs).order_by().values("run", "reading")
    for row in rows.annotate(n=Count("pk"), right=Count("pk", filter=Q(correct=True))):
        came[row["run"]].append((row["reading"], row["n"], row["right"]))
    return came


def _tally(run: Run, came: list[tuple[str, int, int]], gone: Mapping[tuple[int, str], int]) -> Tally:
    readings = {str(kind): 0 for kind in ReadingKind}
    for reading, n, _right in came:
        readings[reading] += n
    if run.job_id:
        readings[ReadingKind.REFUSED] += gone.get((run.job_id, CallState.REFUSED), 0)
        readings[ReadingKind.FAILED] += gone.get((run.job_id, CallState.FAILED), 0)
    asked = sum(readings.values()) if run.examinee.kind == ExamineeKind.PANEL else run.asked
    left = max(0, asked - sum(readings.values()))
    if run.job is None or is_over(run.job):
        readings[ReadingKind.FAILED] += left
        left = 0
    return Tally(asked, readings, sum(right for _kind, _n, right in came), left)


# --- tables of results ----------------------------------------------------------------------


def answered_runs(release: Release) -> list[Run]:
    """Return the release's finished runs and its panels, newest first, without partial-input runs."""
    # the release is known, and the creator is not shown: a page may list hundreds
    found = Run.objects.filter(release=release, probe=PartialInput.WHOLE).select_related("examinee", "job")
    found = found.defer("prompt", "prompts", "probe_figures", "job__result").order_by("-pk")
    return [run for run in found if run.job is None or is_over(run.job)]


def newest_of_each(found: Iterable[Run]) -> list[Run]:
    """Return the newest run of each examinee.

    `found` must be sorted, newest first.
    """
    seen: dict[int, Run] = {}
    for run in found:
        seen.setdefault(run.examinee_id, run)
    return list(seen.values())


def has_models(runs: Iterable[Run]) -> bool:
    """Return whether at least one of the runs is of a model."""
    return any(run.examinee.kind != ExamineeKind.PANEL for run in runs)


def names_of(runs: Sequence[Run]) -> dict[int, str]:
    """Return the display name of each run by id: the examinee's name, with the run id if it is not unique."""
    names = [run.examinee.name for run in runs]
    return {
        run.pk: name if names.count(name) == 1 else f"{name} #{run.pk}"
        for run, name in zip(runs, names, strict=True)
    }


def split_of(found: Iterable[Run]) -> str:
    """Return the portion that all of these runs cover, or `BOTH` if their portions differ."""
    portions_asked = {run.split for run in found}
    return portions_asked.pop() if len(portions_asked) == 1 else Portion.BOTH


def results_of(project: Project) -> QuerySet[ResultTables]:
    """Return the project's sets of result tables, without the content of the tables.

    Sets that were never computed come first, then the most recently computed. `is_waiting`: whether a job is
    to compute the set.
    """
    found = ResultTables.objects.filter(release__project=project).select_related("release").defer("tables")
    found = found.annotate(n=Count("runs"), is_waiting=Q(pk__in=unfinished_subjects(TABLES)))
    return found.order_by(F("counted_at").desc(nulls_first=True), "-pk")


def newest_results(project: Project) -> int | None:
    """Return the primary key of the most recently computed set of result tables, or None."""
    found = ResultTables.objects.filter(release__project=project, counted_at__isnull=False)
    return found.order_by("-counted_at", "-pk").values_list("pk", flat=True).first()


def get_results(*, user: User, project: Project, pk: int) -> ResultTables:
    """Return one set of result tables. Raise `Hidden` if the user may not see it."""
    found = ResultTables.objects.filter(release__project=project, pk=pk).select_related("release__project")
    results = found.first()
    if results is None or not may_see_results(user, project):
        raise Hidden(_("Results not found."))
    return results


def answers_since(results: ResultTables) -> int:
    """Return the number of panel answers that arrived after these results were computed."""
    panels = results.runs.filter(examinee__kind=ExamineeKind.PANEL)
    return Response.objects.filter(run__in=panels, pk__gt=results.counted_upto).count()
