"""Models of jobs, of paid calls to LLMs, and of the endpoints that are called."""

from datetime import timedelta
from decimal import Decimal
from typing import ClassVar, Final

from django.db import models
from django.db.models import F, Q
from django.db.models.fields.json import KeyTransform
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from core.invariants import present
from jobs.errors import sentence
from jobs.job_types import job_type_of
from jobs.titles import title_of
from projects.models import Project


class EndpointKind(models.TextChoices):
    """How an endpoint is called: over HTTP, or by hand."""

    OPENAI = "openai", _("OpenAI-compatible")
    MANUAL = "by_hand", _("by hand: copy the prompt, paste the answer")


class Endpoint(models.Model):
    """An LLM that can be called, with its prices and rate limits.

    The API key is not stored in this row. It is either in an environment variable of the workers, named by
    `key_variable` and bound to the server by a `KeyBinding`, or encrypted in a `StoredKey`.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="endpoints")
    name = models.CharField(_("name"), max_length=80)
    kind = models.CharField(_("kind"), max_length=10, choices=EndpointKind, default=EndpointKind.OPENAI)
    base_url = models.CharField(_("base URL"), max_length=400, blank=True)  # blank for endpoints used by hand
    model = models.CharField(_("model"), max_length=120)
    key_variable = models.CharField(_("environment variable with the API key"), max_length=80, blank=True)
    parameters = models.JSONField(_("parameters"), default=dict, blank=True)
    # per million tokens, in the project's currency
    price_in = models.DecimalField(_("input price"), max_digits=12, decimal_places=4, default=Decimal(0))
    price_out = models.DecimalField(_("output price"), max_digits=12, decimal_places=4, default=Decimal(0))
    requests_per_minute = models.PositiveIntegerField(_("requests per minute"), default=60)
    tokens_per_minute = models.PositiveIntegerField(_("tokens per minute"), default=100_000)
    parallel_calls = models.PositiveSmallIntegerField(_("parallel calls"), default=4)
    timeout_seconds = models.PositiveSmallIntegerField(_("timeout in seconds"), default=60)
    # whether the server supports JSON schemas; unknown until one has been sent
    takes_schema = models.BooleanField(_("supports JSON schema"), null=True, blank=True, editable=False)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("endpoint")
        verbose_name_plural = _("endpoints")
        ordering: ClassVar[list[str]] = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="jobs_endpoint_name"),
            models.CheckConstraint(
                condition=Q(kind="by_hand") | ~Q(base_url=""), name="jobs_endpoint_has_an_address"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class StoredKey(models.Model):
    """The encrypted API key of an endpoint. Managers store it; it is decrypted only to make calls."""

    endpoint = models.OneToOneField(Endpoint, on_delete=models.PROTECT, related_name="stored_key")
    sealed = models.TextField(editable=False)
    stored_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    stored_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("stored key")
        verbose_name_plural = _("stored keys")

    def __str__(self) -> str:
        return f"{self.endpoint_id}"


class AllowedHost(models.Model):
    """A server, by exact host name and port, to which an administrator allows API keys to be sent."""

    host = models.CharField(_("host"), max_length=253)
    port = models.PositiveIntegerField(_("port"), default=443)
    note = models.CharField(_("note"), max_length=200, blank=True)
    allowed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    allowed_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("allowed host")
        verbose_name_plural = _("allowed hosts")
        ordering: ClassVar[list[str]] = ["host", "port"]
        constraints = [models.UniqueConstraint(fields=["host", "port"], name="jobs_allowed_host")]

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class KeyBinding(models.Model):
    """The only server to which the API key in an environment variable may be sent.

    Administrators set it.
    """

    variable = models.CharField(_("environment variable"), max_length=80, unique=True)
    host = models.ForeignKey(AllowedHost, on_delete=models.PROTECT, related_name="bindings")
    bound_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    bound_at = models.DateTimeField(auto_now=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("key binding")
        verbose_name_plural = _("key bindings")
        ordering: ClassVar[list[str]] = ["variable"]

    def __str__(self) -> str:
        return f"{self.variable} → {self.host}"


class JobState(models.TextChoices):
    """The states of a job."""

    PENDING = "pending", _("waiting to start")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


LOST_AFTER: Final = timedelta(seconds=60)
"""A job is dispatched again after this time without a heartbeat, or without a worker that starts it."""
MOST_LOSSES: Final = 3
"""The number of lost workers after which a job fails."""
OPEN: Final = (JobState.PENDING, JobState.RUNNING)
"""The states in which a job continues without a user's action."""
UNFINISHED: Final = (*OPEN, JobState.PAUSED)


class Job(models.Model):
    """Long-running work in the background. The row is the job; a Celery task only triggers it.

    `subject` is the id of the row that the job is about, if its type is registered with `jobs.job_types`.
    """

    # none: the job is about no project, and only its own page shows it
    project = models.ForeignKey(Project, on_delete=models.PROTECT, null=True, related_name="jobs")
    kind = models.CharField(max_length=40)
    subject = models.BigIntegerField(null=True, blank=True)
    # a code of `titles`, or text; empty if the job type has a title
    title_code = models.CharField(max_length=200, blank=True)
    title_about = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=JobState, default=JobState.PENDING)
    # the current step of the job type, and the progress within this step; `total` is 0 if unknown
    step = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    # a code of `errors`, or a person's text
    reason = models.TextField(blank=True)
    result = models.JSONField(default=dict, blank=True)
    # whether all calls of the job are saved; these are then dispatched singly, and no worker claims the job
    has_calls = models.BooleanField(default=False)
    # the number of attempts, except those ended by an outage; only the last attempt may close the job, and
    # after `MOST_LOSSES` lost attempts the job fails
    attempts = models.PositiveSmallIntegerField(default=0)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "jobs_work"
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        ordering: ClassVar[list[str]] = ["-id"]
        indexes = [
            models.Index(
                fields=["state", "heartbeat_at"],
                condition=Q(state__in=["pending", "running"]),
                name="jobs_unfinished",
            ),
            models.Index(fields=["kind", "subject", "-id"], name="jobs_by_subject"),
            models.Index(fields=["project", "-id"], name="jobs_by_project"),
            models.Index(
                fields=["project", "-finished_at"],
                condition=Q(finished_at__isnull=False),
                name="jobs_ended",
            ),
        ]
        constraints = [
            # At most one job of each kind and subject may wait, while another one may run.
            models.UniqueConstraint(
                fields=["kind", "subject"], condition=Q(state="pending"), name="jobs_one_waits"
            ),
            models.CheckConstraint(
                condition=Q(subject__isnull=False) | ~Q(title_code=""), name="jobs_have_a_title"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def own_project(self) -> Project:
        """The project of a job that has one, as all jobs that call LLMs have."""
        return present(self.project, "a job of this kind is about a project")

    @property
    def own_project_id(self) -> int:
        """The id of the project of a job that has one."""
        return present(self.project_id, "a job of this kind is about a project")

    @property
    def title(self) -> str:
        """The title of the job in the current language."""
        return title_of(self.title_code, self.title_about, kind=self.kind)

    @property
    def is_unfinished(self) -> bool:
        """Whether the job is waiting for a worker or running."""
        return self.state in OPEN

    @property
    def is_silent(self) -> bool:
        """Whether the job is unfinished and has had no heartbeat for a minute."""
        since = self.heartbeat_at or self.created_at
        return self.is_unfinished and timezone.now() - since > LOST_AFTER

    @property
    def has_failed(self) -> bool:
        """Whether the job failed."""
        return self.state == JobState.FAILED

    @property
    def why(self) -> str:
        """The reason why the job failed or is paused, in the current language; "" without a reason."""
        return sentence(self.reason) if self.reason else ""

    @property
    def meter(self) -> tuple[int, int]:
        """The progress as (done, total).

        Both count steps if the job type has them. The total is 0 if it is unknown.
        """
        job_type = job_type_of(self.kind)
        steps = job_type.steps if job_type else None
        return (self.step, len(steps) - 1) if steps else (self.done, self.total)

    @property
    def step_label(self) -> str:
        """The name of the current step; "" if the job type has no steps."""
        job_type = job_type_of(self.kind)
        return str(job_type.steps(self.step).label) if job_type and job_type.steps else ""


class Budget(models.Model):
    """The spending limit of a job. `held` is reserved for calls in flight; `spent` is the cost so far."""

    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="budget")
    limit = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    estimate = models.DecimalField(max_digits=14, decimal_places=6, default=Decimal(0))
    held = models.DecimalField(max_digits=14, decimal_places=6, default=Decimal(0))
    spent = models.DecimalField(max_digits=14, decimal_places=6, default=Decimal(0))

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(held__gte=0, spent__gte=0), name="jobs_budget_not_negative"),
            models.CheckConstraint(
                condition=Q(limit__isnull=True) | Q(held=0) | Q(limit__gte=F("held")),
                name="jobs_never_hold_more_than_the_limit",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.spent} / {self.limit}"


class ProjectBudget(models.Model):
    """The limit of a project's spending on LLMs. The budgets of its jobs are reserved from this amount."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="model_budget")
    # null: no limit
    limit = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    set_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    set_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("budget of a project")
        verbose_name_plural = _("budgets of projects")
        constraints = [
            models.CheckConstraint(
                condition=Q(limit__isnull=True) | Q(limit__gte=0), name="jobs_project_budget_not_negative"
            )
        ]

    def __str__(self) -> str:
        return f"{self.project_id}: {self.limit}"


class CallState(models.TextChoices):
    """The state of a call to an endpoint."""

    PENDING = "pending", _("waiting")
    RUNNING = "running", _("asking")
    DONE = "done", _("answered")
    REFUSED = "refused", _("blocked by a content filter")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class AnswerFormat(models.TextChoices):
    """The format in which an endpoint was requested to answer a call."""

    SCHEMA = "schema", _("with a JSON schema")
    PLAIN = "plain", _("as plain text")


class Call(models.Model):
    """A prompt to an endpoint, with its answer. Its unique `fingerprint` prevents paying for it twice."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="calls")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="calls")
    fingerprint = models.CharField(max_length=64, unique=True)
    subject = models.JSONField(default=dict)
    prompt = models.TextField()
    # a snapshot of the endpoint: editing it does not change this call
    model = models.CharField(max_length=120, blank=True)
    parameters = models.JSONField(default=dict)
    # the schema for structured output, if the server supports it; `asked_as` is the format used
    schema = models.JSONField(null=True, blank=True)
    asked_as = models.CharField(max_length=10, choices=AnswerFormat, blank=True)
    state = models.CharField(max_length=10, choices=CallState, default=CallState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    raw_response = models.TextField(blank=True)
    reason_code = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=400, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    held = models.DecimalField(max_digits=14, decimal_places=6, default=Decimal(0))
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=Decimal(0))
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    # a pending call may be dispatched (again) from this time on; until then, a worker has it or it must wait
    due_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("call")
        verbose_name_plural = _("calls")
        ordering: ClassVar[list[str]] = ["id"]
        indexes = [
            # includes the columns of a project's cost: its calls, with their prompts, are many pages
            models.Index(
                fields=["job", "state"],
                include=["endpoint", "model", "cost", "tokens_in", "tokens_out"],
                name="jobs_call_by_state",
            ),
            models.Index(
                fields=["endpoint", "state", "due_at"],
                condition=Q(state__in=["pending", "running"]),
                name="jobs_call_unfinished",
            ),
            # calls about a story are many fewer than those of its project
            models.Index(KeyTransform("story", "subject"), name="jobs_call_by_story"),
        ]

    def __str__(self) -> str:
        return f"{self.endpoint_id}: {self.fingerprint[:12]}"
