"""Frozen, numbered sets. What is copied here never changes with what it was copied from."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Item, Revision
from jobs.models import Job
from projects.models import Project


class ReleaseState(models.TextChoices):
    """Where a release stands."""

    BUILDING = "building", _("building")
    READY = "ready", _("ready")
    FAILED = "failed", _("failed")
    WITHDRAWN = "withdrawn", _("withdrawn")


class Step(models.IntegerChoices):
    """How far a build is; each is noted when it begins."""

    WAITING = 0, _("waiting for a worker")
    CHOOSING = 1, _("reading the verified items")
    PLACING = 2, _("drawing splits and key positions")
    JUDGING = 3, _("checking the gates")
    WRITING = 4, _("writing and hashing the files")
    FREEZING = 5, _("freezing the items")


class Failure(models.TextChoices):
    """Why a build could not go on; each label is a sentence that the row's details fill in."""

    NOTHING_VERIFIED = "nothing_verified", _("No item is verified any more.")
    NOT_WRITTEN = "not_written", _("The files could not be written: %(reason)s.")
    FAULT = "fault", _("A fault in Parable stopped the build; the log says which (release %(number)d).")


class Split(models.TextChoices):
    """The two halves of a release."""

    DEV = "dev", _("dev")
    TEST = "test", _("test")


class Release(models.Model):
    """One version of a project's benchmark. Immutable once ready, by triggers."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    version = models.CharField(_("version"), max_length=40)
    # as text: 128-bit seeds do not fit an integer column
    seed = models.CharField(_("seed"), max_length=64)
    recipe = models.JSONField(_("recipe"))
    state = models.CharField(max_length=10, choices=ReleaseState, default=ReleaseState.BUILDING)
    # the manifest without its date: names, hashes, counts
    manifest = models.JSONField(default=dict, blank=True)
    # in a person's words: why it was withdrawn
    reason = models.TextField(blank=True)
    # in nobody's words: why the build failed, said anew in the language of whoever reads it
    failure = models.CharField(max_length=20, choices=Failure, blank=True, default="")
    failure_details = models.JSONField(default=dict, blank=True)
    step = models.PositiveSmallIntegerField(choices=Step, default=Step.WAITING)
    # a sign of life from who builds it
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, null=True, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ready_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("release")
        verbose_name_plural = _("releases")
        ordering: ClassVar[list[str]] = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "version"], condition=~Q(state="failed"), name="release_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.project.slug} {self.version}"

    @property
    def why(self) -> str:
        """Why it failed or was withdrawn, a failure in the language of who asks; empty where neither."""
        return self.reason or str(self.get_failure_display()) % self.failure_details


class ReleaseItem(models.Model):
    """One item as it stands in a release: its split, its options' order and the frozen record."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="+")
    split = models.CharField(max_length=4, choices=Split)
    # place in its file, and the id it carries for good
    number = models.PositiveIntegerField()
    public_id = models.CharField(max_length=120)
    # positions of the revision's options in released order
    order = models.JSONField()
    record = models.JSONField()

    class Meta:
        verbose_name = _("released item")
        verbose_name_plural = _("released items")
        ordering: ClassVar[list[str]] = ["release", "number"]
        constraints = [
            models.UniqueConstraint(fields=["release", "item"], name="release_item_once"),
            models.UniqueConstraint(fields=["release", "public_id"], name="release_public_id"),
            models.UniqueConstraint(fields=["release", "number"], name="release_number"),
        ]
        indexes = [models.Index(fields=["item"], name="release_by_item")]

    def __str__(self) -> str:
        return self.public_id


class Artifact(models.Model):
    """One file of a release, found by its content's SHA-256."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="artifacts")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    bytes = models.PositiveBigIntegerField()
    rows = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = _("file")
        verbose_name_plural = _("files")
        ordering: ClassVar[list[str]] = ["name"]
        constraints = [models.UniqueConstraint(fields=["release", "name"], name="release_artifact_name")]

    def __str__(self) -> str:
        return self.name


class GateCheck(models.Model):
    """What the gates say of items that are not released yet, as last found. The row is the job."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="+")
    wanted_at = models.DateTimeField(null=True, blank=True)
    # what has been looked at so far, of how many parts; and the last sign of life of who looks
    done = models.PositiveIntegerField(default=0)
    parts = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    # a fault ended the last attempt
    failed_at = models.DateTimeField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    # what stood in the project at that moment: where nothing has moved since, the night has nothing to do
    seen = models.JSONField(default=list, blank=True)
    findings = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("check of the gates")
        verbose_name_plural = _("checks of the gates")

    def __str__(self) -> str:
        return f"{self.project_id}"

    @property
    def is_under_way(self) -> bool:
        """Whether somebody has asked for a check that has neither ended nor failed yet."""
        ends = [end for end in (self.checked_at, self.failed_at) if end is not None]
        return self.wanted_at is not None and all(end < self.wanted_at for end in ends)

    @property
    def has_failed(self) -> bool:
        """Whether the last attempt ended in a fault."""
        return self.failed_at is not None and (self.checked_at is None or self.checked_at < self.failed_at)
