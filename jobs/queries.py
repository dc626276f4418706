"""Queries about endpoints, keys, jobs, calls and budgets. Progress is counted from calls, not stored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.db.models import Case, Count, F, Max, Min, Q, QuerySet, Sum, When
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from core.presence import presence_key
from jobs.errors import sentence
from jobs.job_types import job_type_of, job_types
from jobs.models import (
    LOST_AFTER,
    OPEN,
    UNFINISHED,
    AllowedHost,
    Budget,
    Call,
    CallState,
    Endpoint,
    EndpointKind,
    Job,
    JobState,
    KeyBinding,
    ProjectBudget,
    StoredKey,
)
from jobs.permissions import may_follow_job, may_see_job
from jobs.pricing import fingerprint
from jobs.titles import PASTED, TRIED
from parable.llm.addresses import BaseUrl, carries_keys, judge_literal, parse_base_url
from parable.llm.errors import AddressRefused
from projects.models import Project

AT_THE_DESK = (PASTED, TRIED)
FINAL = (CallState.DONE, CallState.REFUSED, CallState.FAILED, CallState.CANCELLED)
OPEN_CALLS = (CallState.PENDING, CallState.RUNNING)
# Speed is measured over the last minutes only, so that it follows changes.
SPEED_OVER = timedelta(minutes=5)
# Workers write a heartbeat every few seconds; after this long without one, pages say so.
SILENCE = timedelta(seconds=45)


def endpoints(project: Project) -> QuerySet[Endpoint]:
    """Return the project's endpoints that are not retired, by name."""
    return Endpoint.objects.filter(project=project, retired_at=None)


def askable_endpoints(project: Project) -> QuerySet[Endpoint]:
    """Return the project's endpoints that workers can call, that is, all but those used by hand."""
    return endpoints(project).exclude(kind=EndpointKind.MANUAL)


def retired_endpoints(project: Project) -> QuerySet[Endpoint]:
    """Return the project's retired endpoints, by name."""
    return Endpoint.objects.filter(project=project, retired_at__isnull=False)


def get_retired_endpoint(*, project: Project, pk: int) -> Endpoint:
    """Return a retired endpoint of the project. Raise `Hidden` if there is none."""
    endpoint = retired_endpoints(project).filter(pk=pk).first()
    if endpoint is None:
        raise Hidden(_("Endpoint not found."))
    return endpoint


def all_endpoints(project: Project) -> QuerySet[Endpoint]:
    """Return the project's endpoints, also retired ones."""
    return Endpoint.objects.filter(project=project)


def get_any_endpoint(*, project: Project, pk: int) -> Endpoint:
    """Return an endpoint of the project, also a retired one. Raise `Hidden` if there is none."""
    endpoint = all_endpoints(project).filter(pk=pk).first()
    if endpoint is None:
        raise Hidden(_("Endpoint not found."))
    return endpoint


def with_stored_keys(endpoints: Iterable[Endpoint]) -> set[int]:
    """Return the ids of those of these endpoints whose API key is stored."""
    found = StoredKey.objects.filter(endpoint__in=[endpoint.pk for endpoint in endpoints])
    return set(found.values_list("endpoint_id", flat=True))


def stored_keys(project: Project) -> dict[int, StoredKey]:
    """Return the stored keys of the project's endpoints by endpoint id, without their encrypted content."""
    found = StoredKey.objects.filter(endpoint__project=project).select_related("stored_by").defer("sealed")
    return {row.endpoint_id: row for row in found}


def get_endpoint(*, project: Project, pk: int) -> Endpoint:
    """Return an endpoint of the project that is not retired. Raise `Hidden` if there is none."""
    endpoint = endpoints(project).filter(pk=pk).first()
    if endpoint is None:
        raise Hidden(_("Endpoint not found."))
    return endpoint


def allowed_hosts() -> QuerySet[AllowedHost]:
    """Return the servers that may receive API keys."""
    return AllowedHost.objects.filter(withdrawn_at=None).select_related("allowed_by")


def get_allowed_host(pk: int) -> AllowedHost:
    """Return a server that may receive API keys. Raise `Hidden` if there is none with this id."""
    host = allowed_hosts().filter(pk=pk).first()
    if host is None:
        raise Hidden(_("This server is not on the list."))
    return host


def is_host_allowed(url: BaseUrl) -> bool:
    """Return whether API keys may be sent to the host and port of this URL."""
    return allowed_hosts().filter(host=url.host, port=url.port).exists()


def key_bindings() -> QuerySet[KeyBinding]:
    """Return the bindings of environment variables to servers; servers no longer allowed are excluded."""
    found = KeyBinding.objects.filter(withdrawn_at=None, host__withdrawn_at=None)
    return found.select_related("host", "bound_by")


def get_key_binding(pk: int) -> KeyBinding:
    """Return a current key binding. Raise `Hidden` if there is none with this id."""
    binding = key_bindings().filter(pk=pk).first()
    if binding is None:
        raise Hidden(_("This variable is not bound."))
    return binding


def is_variable_bound(variable: str, url: BaseUrl) -> bool:
    """Return whether this environment variable is bound to the host and port of the URL."""
    return key_bindings().filter(variable=variable, host__host=url.host, host__port=url.port).exists()


def key_refusal_of(endpoint: Endpoint) -> str:
    """Return why the API key in the endpoint's environment variable may not be sent; "" if it may be sent.

    The message says what to do. For plain HTTP, the client checks again the addresses to which the host
    resolves.
    """
    if not endpoint.key_variable or endpoint.kind == EndpointKind.MANUAL:
        return ""
    url = parse_base_url(endpoint.base_url)
    if not carries_keys(url):
        return _("Keys are sent over https:// only, or to this machine.")
    if is_variable_bound(endpoint.key_variable, url):
        return ""
    text = _("An administrator must first bind %(variable)s to %(host)s under “Key servers”.")
    return text % {"variable": endpoint.key_variable, "host": f"{url.host}:{url.port}"}


def host_of(endpoint: Endpoint) -> dict[str, object]:
    """Return the endpoint's server: `name` (host:port), and `is_allowed`, whether it may receive API keys.

    The name is empty for an endpoint used by hand.
    """
    if endpoint.kind == EndpointKind.MANUAL:
        return {"name": "", "is_allowed": False}
    url = parse_base_url(endpoint.base_url)
    return {"name": f"{url.host}:{url.port}", "is_allowed": is_host_allowed(url)}


def refusal_of(endpoint: Endpoint) -> str:
    """Return why the endpoint's base URL may not be called; "" if there is no objection.

    Only the URL itself is checked. The addresses to which a host name resolves are checked when it is called.
    """
    if endpoint.kind == EndpointKind.MANUAL:
        return ""
    try:
        url = parse_base_url(endpoint.base_url)
        judge_literal(url, allowed_hosts=settings.LLM_ALLOW_PRIVATE)
    except AddressRefused as error:
        return sentence(error.code)
    return ""


def stores_keys() -> bool:
    """Return whether this site is configured to store keys."""
    return bool(settings.KEY_SECRETS)


def job_of(kind: str, subject: int) -> Job | None:
    """Return the running job of this kind about a row, or else the newest; None if there is no job.

    Query the job before the row to which it writes its result. Otherwise, if the job ends between the two
    queries, a page would show no result and stop polling.
    """
    runs = Case(When(state=JobState.RUNNING, then=0), default=1)
    return Job.objects.filter(kind=kind, subject=subject).order_by(runs, "-pk").first()


def jobs_of(kind: str, subjects: Iterable[int]) -> dict[int, Job]:
    """Return the newest job of this kind for each row, by row id. Rows without a job are left out."""
    found = Job.objects.filter(kind=kind, subject__in=list(subjects)).order_by("subject", "-pk")
    return {job.subject or 0: job for job in found.distinct("subject")}


def unfinished_jobs(kind: str, subject: int) -> QuerySet[Job]:
    """Return the waiting and running jobs of this kind about the row with the id `subject`."""
    return Job.objects.filter(kind=kind, subject=subject, state__in=OPEN)


def claimable_jobs() -> QuerySet[Job]:
    """Return the jobs that a worker may claim: they wait for a worker, or their worker sends no heartbeat.

    Only jobs with a registered type and a subject. Jobs whose calls have all been saved are excluded, since
    their calls are dispatched one by one.
    """
    lost = Q(state=JobState.RUNNING) & (
        Q(heartbeat_at=None) | Q(heartbeat_at__lt=timezone.now() - LOST_AFTER)
    )
    found = Job.objects.filter(Q(state=JobState.PENDING) | lost, has_calls=False, kind__in=job_types())
    return found.filter(subject__isnull=False)


def lost_jobs() -> QuerySet[Job]:
    """Return claimable jobs created over a minute ago, oldest first; they have to be dispatched again."""
    return claimable_jobs().filter(created_at__lt=timezone.now() - LOST_AFTER).order_by("pk")


def unfinished_subjects(kind: str) -> QuerySet[Job, int | None]:
    """Return the ids of all rows that waiting or running jobs of this kind are about."""
    return Job.objects.filter(kind=kind, state__in=OPEN).values_list("subject", flat=True)


def running_jobs(project: Project) -> QuerySet[Job]:
    """Return the project's unfinished jobs, oldest first."""
    found = Job.objects.filter(project=project, state__in=UNFINISHED)
    return found.select_related("project", "budget", "created_by").order_by("pk")


def recent_jobs(project: Project) -> QuerySet[Job]:
    """Return the project's finished jobs, last finished first."""
    found = Job.objects.filter(project=project).exclude(state__in=UNFINISHED)
    return found.select_related("project", "budget", "created_by").order_by("-finished_at", "-pk")


def running_in(projects: Iterable[int], *, user: User, managed: Iterable[int]) -> QuerySet[Job]:
    """Return unfinished jobs in `projects` that concern the user.

    These are the user's own jobs and, in `managed` projects, all jobs that call LLMs.
    """
    mine = Q(created_by=user) | Q(budget__isnull=False, project__in=list(managed))
    found = Job.objects.filter(mine, project__in=list(projects), state__in=UNFINISHED)
    return found.select_related("project", "budget").order_by("pk")


def ended_in(
    projects: Iterable[int], *, user: User, managed: Iterable[int], since: datetime
) -> QuerySet[Job]:
    """Return jobs that concern the user and were done or failed after `since`.

    These are the user's own jobs and, in `managed` projects, all failed jobs. Newest first. Jobs for which
    a writer waited in the form are excluded.
    """
    mine = Q(created_by=user) | Q(state=JobState.FAILED, project__in=list(managed))
    found = Job.objects.filter(mine, project__in=list(projects), finished_at__gt=since)
    ended = found.filter(state__in=[JobState.DONE, JobState.FAILED]).exclude(title_code__in=AT_THE_DESK)
    return ended.select_related("project", "budget").order_by("-finished_at", "-pk")


def address_of(job: Job) -> str:
    """Return the URL of the job's own page if it calls LLMs, else of its result; "" if it has no page."""
    if hasattr(job, "budget"):
        return reverse("jobs:job", args=[job.own_project.slug, job.pk])
    job_type = job_type_of(job.kind)
    if job_type is None or job_type.page is None or job.subject is None:
        return ""
    return job_type.page(job.project.slug if job.project else "", job.subject, job.title_about)


def jobs(project: Project) -> QuerySet[Job]:
    """Return the project's jobs with a budget, that is, those that call LLMs, newest first."""
    found = Job.objects.filter(project=project, budget__isnull=False)
    return found.select_related("budget", "created_by")


def get_job(*, user: User, pk: int, project: Project | None = None) -> Job:
    """Return a job that calls LLMs. Raise `Hidden` if there is none or the user may not see it."""
    found = Job.objects.select_related("project", "budget", "created_by").filter(pk=pk, budget__isnull=False)
    job = found.first() if project is None else found.filter(project=project).first()
    if job is None or not may_see_job(user, job):
        raise Hidden(_("Job not found."))
    return job


def jobs_of_project(project: Project) -> QuerySet[Job]:
    """Return all jobs of the project, newest first."""
    found = Job.objects.filter(project=project)
    return found.select_related("project", "budget", "created_by").order_by("-pk")


def get_job_of_any_kind(*, user: User, pk: int) -> Job:
    """Return a job, also one that calls no LLMs. Raise `Hidden` if there is none or it is not the user's."""
    found = Job.objects.select_related("project", "budget", "created_by").filter(pk=pk).first()
    if found is None or not may_follow_job(user, found):
        raise Hidden(_("Job not found."))
    return found


def is_over(job: Job) -> bool:
    """Return whether the job is done, failed or cancelled."""
    return job.state in {JobState.DONE, JobState.FAILED, JobState.CANCELLED}


def is_at_work(job_id: int) -> bool:
    """Return whether the job is pending or running, or has calls in flight."""
    job = Job.objects.filter(pk=job_id)
    is_open = job.filter(state__in=[JobState.PENDING, JobState.RUNNING]).exists()
    return is_open or Call.objects.filter(job=job_id, state=CallState.RUNNING).exists()


def worker_seen(queue: str) -> datetime | None:
    """Return the time at which a worker of this queue was last seen, or None if it never was."""
    seen: datetime | None = cache.get(presence_key(queue))
    return seen


MOST_COUNTED: Final = 10_000
"""The most unfinished jobs that `unfinished_by_kind` reads."""


@dataclass(frozen=True, slots=True)
class UnfinishedJobs:
    """The unfinished jobs of a kind in a state: how many, and when the oldest was created."""

    kind: str
    state: str
    count: int
    oldest: datetime


def unfinished_by_kind() -> list[UnfinishedJobs]:
    """Return the waiting and running jobs of all projects by kind and state; at most `MOST_COUNTED` count."""
    read = Job.objects.filter(state__in=OPEN).order_by()[:MOST_COUNTED]
    found = Job.objects.filter(pk__in=read.values("pk")).order_by().values_list("kind", "state")
    return [UnfinishedJobs(*row) for row in found.annotate(n=Count("pk"), oldest=Min("created_at"))]


@dataclass(frozen=True, slots=True)
class Unserved:
    """The state of a job without a worker. `since` is when a worker was last seen; None if never."""

    since: datetime | None


def unserved(job: Job, queue: str) -> Unserved | None:
    """Return an `Unserved` if the job is unfinished and no worker has been seen for a while, else None."""
    if job.state not in {JobState.PENDING, JobState.RUNNING}:
        return None
    seen = max(filter(None, (worker_seen(queue), job.heartbeat_at)), default=None)
    if (seen or job.created_at) >= timezone.now() - SILENCE:
        return None
    return Unserved(seen)


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason why calls of a job failed, and the number of these calls.

    `server_says` is the server's message for one of the calls. `can_be_retried` counts the failed calls; a
    refusal by a content filter, or an answer without proposals, is final.
    """

    code: str
    sentence: str
    count: int
    server_says: str
    can_be_retried: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a job. Costs are in the project's currency; speed and time left are None if unknown."""

    total: int
    by_state: dict[str, int]
    cost: Decimal
    held: Decimal
    limit: Decimal | None
    estimate: Decimal
    per_minute: float | None
    seconds_left: int | None
    failures: list[Failure] = field(default_factory=list)

    @property
    def finished(self) -> int:
        """The number of calls in a final state."""
        return sum(self.by_state.get(state, 0) for state in FINAL)

    @property
    def left(self) -> int:
        """The number of pending and running calls."""
        return sum(self.by_state.get(state, 0) for state in OPEN_CALLS)

    @property
    def failed(self) -> int:
        """The number of calls that failed or were refused by a content filter."""
        return self.by_state.get(CallState.FAILED, 0) + self.by_state.get(CallState.REFUSED, 0)


def progress(job: Job) -> Progress:
    """Count a job's calls, and return its progress."""
    counted = Call.objects.filter(job=job).values("state").annotate(n=Count("pk"))
    by_state = {row["state"]: row["n"] for row in counted}
    budget = Budget.objects.filter(job=job).first() or Budget(job=job)
    speed = _calls_per_minute(job)
    left = sum(by_state.get(state, 0) for state in OPEN_CALLS)
    return Progress(
        total=sum(by_state.values()) or job.total,
        by_state=by_state,
        cost=budget.spent,
        held=budget.held,
        limit=budget.limit,
        estimate=budget.estimate,
        per_minute=speed,
        seconds_left=round(left / speed * 60) if speed and left and job.state == JobState.RUNNING else None,
        failures=failures(job),
    )


def _calls_per_minute(job: Job) -> float | None:
    """Return how many calls per minute the job has finished recently; None if unknown."""
    until = job.finished_at or timezone.now()
    recent = Call.objects.filter(job=job, finished_at__gt=until - SPEED_OVER, finished_at__lte=until)
    seen = recent.exclude(state=CallState.CANCELLED).aggregate(
        n=Count("pk"), first=Min("started_at"), last=Max("finished_at")
    )
    first, last = seen["first"], seen["last"]
    if not seen["n"] or first is None:
        return None
    since: datetime = max(first, until - SPEED_OVER)
    seconds: float = max((last - since).total_seconds(), 0.001)
    return round(float(seen["n"]) / seconds * 60, 1)


def failures(job: Job) -> list[Failure]:
    """Return the reasons why calls of the job failed or gave no usable answer, most frequent first."""
    rows = (
        Call.objects.filter(job=job)
        .exclude(reason_code="")
        .filter(Q(state__in=[CallState.FAILED, CallState.REFUSED]) | Q(state=CallState.DONE))
        .values("reason_code")
        .annotate(n=Count("pk"), says=Max("reason"), failed=Count("pk", filter=Q(state=CallState.FAILED)))
        .order_by("-n", "reason_code")
    )
    return [
        Failure(row["reason_code"], sentence(row["reason_code"]), row["n"], row["says"], row["failed"])
        for row in rows
    ]


def states_of(fingerprints: Iterable[str]) -> dict[str, str]:
    """Return the state of each call by its fingerprint; fingerprints without a call are left out."""
    names, found = list(fingerprints), {}
    for start in range(0, len(names), 1000):
        calls = Call.objects.filter(fingerprint__in=names[start : start + 1000])
        found.update(dict(calls.values_list("fingerprint", "state")))
    return found


def fingerprint_of(endpoint: Endpoint, prompt: str, subject: Mapping[str, int], repeat: int = 0) -> str:
    """Return the fingerprint of a prompt about this subject, sent with the endpoint's current settings."""
    asked = {
        "endpoint": endpoint.pk,
        "model": endpoint.model,
        "parameters": endpoint.parameters,
        "prompt": prompt,
        "subject": dict(subject),
    }
    return fingerprint(asked, repeat)


def spent(project: Project) -> Decimal:
    """Return the total amount that the project has spent on calls."""
    total = Budget.objects.filter(job__project=project).aggregate(total=Sum("spent"))["total"]
    return total or Decimal(0)


@dataclass(frozen=True, slots=True)
class ModelCost:
    """The number, tokens and cost of all calls to one model at one endpoint, in the project's currency."""

    endpoint: str
    model: str
    calls: int
    tokens: int
    cost: Decimal


def cost_by_model(project: Project) -> list[ModelCost]:
    """Return the project's costs by endpoint and model, highest first.

    Pending, running and cancelled calls are left out, unless they have a cost.
    """
    ended = Q(state__in=[CallState.DONE, CallState.REFUSED, CallState.FAILED]) | Q(cost__gt=0)
    rows = (
        Call.objects.filter(ended, job__project=project)
        .order_by()
        .values_list("endpoint__name", "model")
        .annotate(calls=Count("endpoint"), tokens=Sum(F("tokens_in") + F("tokens_out")), cost=Sum("cost"))
    )
    return [ModelCost(*row) for row in rows.order_by("-cost", "endpoint__name", "model")]


@dataclass(frozen=True, slots=True)
class BudgetState:
    """The state of a project's budget: its limit (None if there is none), the amounts spent and reserved."""

    limit: Decimal | None
    spent: Decimal
    promised: Decimal

    @property
    def left(self) -> Decimal | None:
        """The amount that can still be reserved: None without a limit, negative if the limit is exceeded."""
        return None if self.limit is None else self.limit - self.spent - self.promised

    @property
    def limit_as_typed(self) -> str:
        """The limit as text for a form field; "" without a limit."""
        return "" if self.limit is None else f"{self.limit.normalize():f}"


def budget_state(project: Project, *, apart_from: int | None = None) -> BudgetState:
    """Return the state of the project's budget for LLMs.

    The reservation of the job `apart_from` is left out. An unfinished job reserves what is left of its
    budget or, without a limit, of its estimate.
    """
    found = ProjectBudget.objects.filter(project=project).values_list("limit", flat=True).first()
    budgets = Budget.objects.filter(job__project=project)
    unfinished = budgets.filter(job__state__in=[JobState.PENDING, JobState.RUNNING, JobState.PAUSED])
    rest = Greatest(Coalesce("limit", "estimate") - F("spent"), F("held"))
    promised = unfinished.exclude(job=apart_from).aggregate(total=Sum(rest))["total"]
    return BudgetState(found, spent(project), promised or Decimal(0))
