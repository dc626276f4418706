"""Queries of the yield and cost of prompts and models. The database aggregates them."""

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final

from django.db.models import (
    Aggregate,
    Avg,
    BigIntegerField,
    Count,
    Exists,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    StdDev,
    Sum,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from annotation.models import State
from core.invariants import present
from generation.models import Adoption, Candidate, PromptTemplate
from generation.queries.batch import GENERATE, PASTED
from jobs.models import Call, CallState, Endpoint
from parable.psychometrics.bootstrap import wilson_interval
from projects.models import Project
from web.cached_counts import COUNTED_ANEW, cached, named

Z: Final = 1.96
_GONE: Final = (State.WITHDRAWN, State.REJECTED)
_FINAL: Final = (CallState.DONE, CallState.REFUSED, CallState.FAILED)


Rows = list[dict[str, Any]]


class Percentile(Aggregate):
    """A percentile of the rows, interpolated between neighbouring values."""

    template = "percentile_cont(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True, slots=True)
class Filter:
    """The filters of the yield report. All of them apply to the calls that brought the candidates."""

    template: str = ""
    endpoint: int | None = None
    purpose: str = ""
    since: date | None = None
    until: date | None = None
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its n and the ends of its 95 % interval; None stands for missing values."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


OUTCOMES: Final[dict[str, dict[str, Any]]] = {
    "kept": {},
    "unchanged": {"edit_distance": 0},
    "distractors": {"option__is_key": False},
}
"""For each count of used candidates, the conditions on their adoptions."""


@dataclass(frozen=True, slots=True)
class Yield:
    """The yield of one version of a prompt with one endpoint.

    `kept`: the number of candidates used in an item that is neither withdrawn nor rejected; `distractors`:
    the number of these that are distractors. `distance`: the mean edit distance of the used candidates.
    `median` and `p95`: latency in seconds.
    """

    template: PromptTemplate | None
    endpoint: Endpoint | None
    calls: int = 0
    failed: int = 0
    refused: int = 0
    proposed: int = 0
    kept: int = 0
    unchanged: int = 0
    distractors: int = 0
    cost: Decimal = Decimal(0)
    median: float | None = None
    p95: float | None = None
    distance: Estimate = field(default_factory=lambda: Estimate(0))

    @property
    def retention(self) -> Estimate:
        """Return the share of candidates that were used."""
        return share(self.kept, self.proposed)

    @property
    def cost_per_distractor(self) -> Decimal | None:
        """Return the cost per used distractor, or None if no distractor was used."""
        return self.cost / self.distractors if self.distractors else None


@dataclass(frozen=True, slots=True)
class Report:
    """The yield report: a row for each prompt and endpoint that were used together, and the total."""

    rows: tuple[Yield, ...]
    total: Yield


def share(count: int, n: int) -> Estimate:
    """Return a share as an estimate with Wilson's interval."""
    if not n:
        return Estimate(0)
    return Estimate(n, count / n, *wilson_interval(count, n))


def mean(n: int, value: float | None, deviation: float | None) -> Estimate:
    """Return a mean of shares as an estimate with a normal interval; without an interval if n is below 2."""
    if not n or value is None:
        return Estimate(n)
    if n < 2 or deviation is None:
        return Estimate(n, value)
    around = Z * deviation / math.sqrt(n)
    return Estimate(n, value, max(0.0, value - around), min(1.0, value + around))


def report(project: Project, wanted: Filter) -> Report:
    """Return the yield of the project's prompts and endpoints. Large reports are cached for a minute."""
    rows, total = cached(
        named("yield:1", project, wanted),
        lambda: _counted(project, wanted),
        is_large=lambda found: found[1].proposed > COUNTED_ANEW,
    )
    templates = PromptTemplate.objects.in_bulk({template for template, _endpoint in rows})
    endpoints = Endpoint.objects.in_bulk({endpoint for _template, endpoint in rows})
    made = [
        replace(row, template=templates[template], endpoint=endpoints[endpoint])
        for (template, endpoint), row in rows.items()
    ]
    return Report(tuple(sorted(made, key=_order)), total)


def _counted(project: Project, wanted: Filter) -> tuple[dict[tuple[int, int], Yield], Yield]:
    """Return the yields by (prompt id, endpoint id), and their total, in five queries."""
    calls = _calls(project, wanted)
    candidates = Candidate.objects.filter(project=project, call__in=calls.values("pk"))
    adoptions = Adoption.objects.filter(candidate__in=candidates.values("pk")).exclude(
        option__revision__item__state__in=_GONE
    )
    asked = calls.order_by().values("by_template", by_endpoint=F("endpoint"))
    asked = asked.annotate(
        calls=Count("pk"),
        failed=Count("pk", filter=Q(state=CallState.FAILED)),
        refused=Count("pk", filter=Q(state=CallState.REFUSED)),
        paid=Sum("cost"),
        **_latencies(),
    )
    proposed = candidates.order_by().values(by_template=F("template"), by_endpoint=F("endpoint"))
    proposed = proposed.annotate(proposed=Count("pk"))
    kept = adoptions.order_by().values(
        by_template=F("candidate__template"), by_endpoint=F("candidate__endpoint")
    )
    kept = kept.annotate(
        **{name: Count("candidate", distinct=True, filter=Q(**only)) for name, only in OUTCOMES.items()},
        adopted=Count("pk"),
        changed=Avg("edit_distance"),
        deviation=StdDev("edit_distance", sample=True),
    )
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for grouped in (asked, proposed, kept):
        for row in grouped:
            counts = dict(row)
            found.setdefault((counts.pop("by_template"), counts.pop("by_endpoint")), {}).update(counts)
    made = {numbers: _yield(counts) for numbers, counts in found.items()}
    return made, _total(made.values(), adoptions, calls)


def yielded(wanted: Filter, *, version: int | None, outcome: str) -> Q:
    """Return a `Q` on the candidates that a count of the report includes.

    `version`: the id of the only template; None for all. The conditions are on the candidate and its call,
    so that the first page of a long list uses an index.
    """
    found = Q(**{f"call__{name}": value for name, value in _narrowed(wanted).items()})
    if version is not None:
        found &= Q(template=version)
    if outcome not in OUTCOMES:
        return found
    kept = Adoption.objects.filter(candidate=OuterRef("pk"))
    kept = kept.exclude(option__revision__item__state__in=_GONE)
    return found & Q(Exists(kept.filter(**OUTCOMES[outcome])))


def _order(row: Yield) -> tuple[str, int, str]:
    template = present(row.template, "only the total has none")
    return template.name, -template.version, str(row.endpoint)


def _narrowed(wanted: Filter) -> dict[str, Any]:
    """Return the filters as lookups on calls. The filters by prompt and purpose are left out."""
    narrowed = {
        "endpoint": wanted.endpoint,
        "job": wanted.batch,
        "finished_at__date__gte": wanted.since,
        "finished_at__date__lte": wanted.until,
    }
    given = {name: value for name, value in narrowed.items() if value is not None}
    return {"job__kind__in": [GENERATE, PASTED], "state__in": _FINAL, **given}


def _calls(project: Project, wanted: Filter) -> QuerySet[Any]:
    templates = PromptTemplate.objects.filter(project=project)
    if wanted.template:
        templates = templates.filter(name=wanted.template)
    if wanted.purpose:
        templates = templates.filter(purpose=wanted.purpose)
    calls = Call.objects.filter(job__project=project, **_narrowed(wanted))
    named = calls.annotate(by_template=Cast(KT("subject__template"), BigIntegerField()))
    return named.filter(by_template__in=templates.values("pk"))


def _latencies() -> dict[str, Percentile]:
    return {
        "median": Percentile("latency_ms", share=0.5),
        "p95": Percentile("latency_ms", share=0.95),
    }


def _yield(counts: dict[str, Any]) -> Yield:
    plain = ("calls", "failed", "refused", "proposed", "kept", "unchanged", "distractors")
    return Yield(
        template=None,
        endpoint=None,
        cost=counts.get("paid") or Decimal(0),
        median=_seconds(counts.get("median")),
        p95=_seconds(counts.get("p95")),
        distance=mean(counts.get("adopted", 0), counts.get("changed"), counts.get("deviation")),
        **{name: counts.get(name, 0) for name in plain},
    )


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _total(rows: Collection[Yield], adoptions: QuerySet[Adoption], calls: QuerySet[Any]) -> Yield:
    summed = ("calls", "failed", "refused", "proposed", "kept", "unchanged", "distractors")
    counts: dict[str, Any] = {name: sum(getattr(row, name) for row in rows) for name in summed}
    counts |= {"paid": sum((row.cost for row in rows), Decimal(0))}
    counts |= calls.aggregate(**_latencies())
    edits = adoptions.aggregate(
        adopted=Count("pk"), changed=Avg("edit_distance"), deviation=StdDev("edit_distance", sample=True)
    )
    return _yield(counts | edits)
