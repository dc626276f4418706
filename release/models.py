"""Releases: frozen, numbered sets of items.

Values that are copied into a release do not change when the project changes.
"""

from typing import ClassVar, Final

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Item, Revision
from parable.splits import SPLITS
from projects.models import Project

TEAM_UPLOADS: Final = 10
RELEASE_UPLOADS: Final = 40
"""The default limits on the number of uploads: of one team, and of all teams of a release."""


class ReleaseState(models.TextChoices):
    """The state of a release."""

    BUILDING = "building", _("building")
    READY = "ready", _("ready")
    FAILED = "failed", _("failed")
    WITHDRAWN = "withdrawn", _("withdrawn")


class Step(models.IntegerChoices):
    """The progress of a build; each step is recorded when it begins."""

    WAITING = 0, _("waiting for a worker")
    CHOOSING = 1, _("reading the verified items")
    PLACING = 2, _("drawing splits and key positions")
    JUDGING = 3, _("checking the gates")
    WRITING = 4, _("writing and hashing files")
    FREEZING = 5, _("freezing the items")


class Failure(models.TextChoices):
    """The reason for a failed build. Each label is a sentence, formatted with `failure_details`."""

    NOTHING_VERIFIED = "nothing_verified", _("No item is verified any more.")
    NOT_WRITTEN = "not_written", _("Cannot write the files: %(reason)s.")
    FAULT = "fault", _("The build failed because of an error in Parable; see the log (release %(number)d).")


class Split(models.TextChoices):
    """The splits of a release, in the order of `parable.splits`; train is optional."""

    TRAIN = "train", _("train")
    DEV = "dev", _("dev")
    TEST = "test", _("test")


class Release(models.Model):
    """A version of a project's benchmark. Once it is ready, triggers make it immutable."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    version = models.CharField(_("version"), max_length=40)
    # as text: 128-bit seeds do not fit an integer column
    seed = models.CharField(_("seed"), max_length=64)
    recipe = models.JSONField(_("recipe"))
    # the extended release, whose items keep their id, split and option order
    extends = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    state = models.CharField(max_length=10, choices=ReleaseState, default=ReleaseState.BUILDING)
    # the manifest without its date: names, hashes, counts
    manifest = models.JSONField(default=dict, blank=True)
    # why a person withdrew the release
    reason = models.TextField(blank=True)
    # why the build failed: a code, displayed in the reader's language
    failure = models.CharField(max_length=20, choices=Failure, blank=True, default="")
    failure_details = models.JSONField(default=dict, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ready_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    # the limit for all teams together, on this release and related versions
    uploads_in_all = models.PositiveSmallIntegerField(
        _("total uploads of all teams"), default=RELEASE_UPLOADS
    )

    class Meta:
        verbose_name = _("release")
        verbose_name_plural = _("releases")
        ordering: ClassVar[list[str]] = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "version"], condition=~Q(state="failed"), name="release_version"
            ),
            models.CheckConstraint(
                condition=Q(uploads_in_all__gte=0, uploads_in_all__lte=1000), name="release_uploads_cap"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project.slug} {self.version}"

    @property
    def why(self) -> str:
        """The reason why the release failed or was withdrawn, in the current language; "" if neither."""
        return self.reason or str(self.get_failure_display()) % self.failure_details


class ReleaseItem(models.Model):
    """An item of a release: its split, the order of its options and the frozen record."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="+")
    split = models.CharField(max_length=5, choices=Split)
    # position in its file, and its permanent id
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
            models.CheckConstraint(condition=Q(split__in=SPLITS), name="release_item_split"),
        ]
        indexes = [models.Index(fields=["item"], name="release_by_item")]

    def __str__(self) -> str:
        return self.public_id


class Artifact(models.Model):
    """A file of a release, stored under the SHA-256 of its content."""

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
    """The latest results of the gates for a project's unreleased items."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="+")
    checked_at = models.DateTimeField(null=True, blank=True)
    # a fingerprint of the project at that time: if it is unchanged, the nightly check is skipped
    seen = models.JSONField(default=list, blank=True)
    findings = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("gate check")
        verbose_name_plural = _("gate checks")

    def __str__(self) -> str:
        return f"{self.project_id}"


class GateSlice(models.Model):
    """Some of a project's unreleased items, by primary key, that the gates check as a slice of all.

    The states of a finished slice, one of all its items and one of each style, are files in `folder` of the
    storage. The rows and files of a check are deleted when its slices are merged.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    folder = models.CharField(max_length=60)
    number = models.PositiveIntegerField()
    of = models.PositiveIntegerField()
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    # a fingerprint of the project when the slices were ordered
    seen = models.JSONField(default=list, blank=True)
    # the files of the states by part; empty until they are stored
    states = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("slice of a gate check")
        verbose_name_plural = _("slices of gate checks")
        ordering: ClassVar[list[str]] = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="release_gate_slice_once"),
        ]

    def __str__(self) -> str:
        return f"{self.project_id}: {self.number + 1}/{self.of}"


class Comparison(models.Model):
    """The differences between two releases, which are computed once because releases are frozen."""

    before = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    after = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(null=True, blank=True)
    # `found`: the comparison as JSON with public ids; `items`: item ids by kind of change, in released order
    found = models.JSONField(default=dict, blank=True)
    items = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("comparison")
        verbose_name_plural = _("comparisons")
        constraints = [
            models.UniqueConstraint(fields=["before", "after"], name="release_comparison_once"),
        ]

    def __str__(self) -> str:
        return f"{self.before_id} – {self.after_id}"


class ReleaseDraft(models.Model):
    """A draft of a release: its settings and the findings of the gates."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="release_drafts")
    # as typed, valid or not, by field name
    wishes = models.JSONField(default=dict)
    # the last valid values, which the gates use
    version = models.CharField(_("version"), max_length=40, blank=True)
    seed = models.CharField(max_length=64, blank=True)
    recipe = models.JSONField(default=dict)
    # used in place of the seed if test answers are withheld
    secret_seed = models.CharField(max_length=64)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    discarded_at = models.DateTimeField(null=True, blank=True)
    # the last release built from the draft; if the build failed, the draft can still be changed
    release = models.ForeignKey(
        Release, on_delete=models.PROTECT, null=True, blank=True, related_name="drafts"
    )
    # the gates: number of checks, and when the last one was complete
    checks = models.PositiveIntegerField(default=0)
    checked_at = models.DateTimeField(null=True, blank=True)
    check_seconds = models.FloatField(null=True, blank=True)
    # a fingerprint of the project and this draft at the last check
    seen = models.JSONField(default=list, blank=True)
    # items by task and split, as last drawn
    counts = models.JSONField(default=dict, blank=True)
    # stories by genre and split, as last drawn; empty if no story has a genre
    genres = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("draft of a release")
        verbose_name_plural = _("drafts of releases")
        ordering: ClassVar[list[str]] = ["-id"]
        indexes = [models.Index(fields=["project", "-id"], name="release_draft_newest")]

    def __str__(self) -> str:
        return f"{self.project_id} {self.version}"

    @property
    def is_open(self) -> bool:
        """Whether the draft can still be changed."""
        is_at_work = self.release is not None and self.release.state != ReleaseState.FAILED
        return self.discarded_at is None and not is_at_work


class DraftFinding(models.Model):
    """A gate's finding about a draft."""

    draft = models.ForeignKey(ReleaseDraft, on_delete=models.CASCADE, related_name="findings")
    gate = models.CharField(max_length=40)
    task = models.CharField(max_length=40, blank=True)
    # the number of the check with this result; an older result is displayed until the gate has run again
    check_number = models.PositiveIntegerField()
    # whether the verdict is final: that of a statistical test is final when all gates have run
    is_settled = models.BooleanField(default=False)
    answer = models.JSONField()
    detail = models.JSONField()
    # ids of the items behind the finding, ids of the items to exclude, and the result without the latter
    items = models.JSONField(default=list)
    leave_out = models.JSONField(default=list)
    without = models.JSONField(null=True)

    class Meta:
        verbose_name = _("finding of a gate")
        verbose_name_plural = _("findings of gates")
        ordering: ClassVar[list[str]] = ["draft", "gate", "task"]
        constraints = [
            models.UniqueConstraint(fields=["draft", "gate", "task"], name="release_draft_finding_once")
        ]

    def __str__(self) -> str:
        return self.gate


class DraftExclusion(models.Model):
    """A verified item that is excluded from a draft."""

    draft = models.ForeignKey(ReleaseDraft, on_delete=models.CASCADE, related_name="exclusions")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    # the finding for which it was excluded
    gate = models.CharField(max_length=40)
    task = models.CharField(max_length=40, blank=True)
    excluded_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    excluded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("item excluded from a draft")
        verbose_name_plural = _("items excluded from drafts")
        ordering: ClassVar[list[str]] = ["draft", "item"]
        constraints = [models.UniqueConstraint(fields=["draft", "item"], name="release_draft_excludes_once")]

    def __str__(self) -> str:
        return f"{self.item_id}"


class DraftOverride(models.Model):
    """A manager's override of a gate, with the reason.

    The gate then does not stop the build of the draft.
    """

    draft = models.ForeignKey(ReleaseDraft, on_delete=models.CASCADE, related_name="overrides")
    gate = models.CharField(max_length=40)
    reason = models.TextField()
    overridden_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    overridden_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("overridden gate")
        verbose_name_plural = _("overridden gates")
        ordering: ClassVar[list[str]] = ["draft", "gate"]
        constraints = [models.UniqueConstraint(fields=["draft", "gate"], name="release_draft_overrides_once")]

    def __str__(self) -> str:
        return self.gate


class ErrorKind(models.TextChoices):
    """The kind of error reported in a released item."""

    WRONG_KEY = "wrong_key", _("the key is wrong")
    SEVERAL_FIT = "several_fit", _("several options are correct")
    NONE_FIT = "none_fit", _("no option is correct")
    WORDING = "wording", _("typo or wording")
    STORY = "story", _("the story is damaged or must not be used")
    OTHER = "other", _("something else")


class Remedy(models.TextChoices):
    """The remedy for an item whose error is confirmed."""

    RETIRE = "retire", _("retire the item")
    MEND = "mend", _("send for re-review")


class Erratum(models.Model):
    """A confirmed error of a released item, to be listed in the next release."""

    released = models.ForeignKey(ReleaseItem, on_delete=models.PROTECT, related_name="errata")
    remedy = models.CharField(max_length=10, choices=Remedy)
    # for the readers of the next release; must not name a key
    note = models.TextField()
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("erratum")
        verbose_name_plural = _("errata")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return f"{self.released_id}"


class ErrorReport(models.Model):
    """A report of an error in a released item.

    A report with an unknown item id is also stored, so that the response does not reveal which items exist.
    """

    # as it was typed
    item_id_given = models.CharField(max_length=120)
    release_given = models.CharField(max_length=80, blank=True)
    released = models.ForeignKey(ReleaseItem, on_delete=models.PROTECT, null=True, related_name="reports")
    fault = models.CharField(max_length=12, choices=ErrorKind)
    text = models.TextField()
    name = models.CharField(max_length=150, blank=True)
    contact = models.CharField(max_length=200, blank=True)
    reporter = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    # the hash of the link under which the sender reads the answer
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)
    erratum = models.ForeignKey(Erratum, on_delete=models.PROTECT, null=True, related_name="reports")

    class Meta:
        verbose_name = _("error report")
        verbose_name_plural = _("error reports")
        ordering: ClassVar[list[str]] = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(answered_at=None, answered_by=None, erratum=None, answer="")
                | Q(answered_at__isnull=False, answered_by__isnull=False) & ~Q(answer=""),
                name="release_report_answered_whole",
            )
        ]

    def __str__(self) -> str:
        return self.item_id_given


class Team(models.Model):
    """A group of outsiders that may have responses scored on a release with withheld answers.

    Anyone with the link can act as the team. A team needs no account, and its people are not project members.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(_("name"), max_length=150)
    token_hash = models.CharField(max_length=64, unique=True)
    per_week = models.PositiveSmallIntegerField(_("uploads per week"))
    in_all = models.PositiveSmallIntegerField(_("total uploads"), default=TEAM_UPLOADS)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("team")
        verbose_name_plural = _("teams")
        ordering: ClassVar[list[str]] = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["release", "name"], name="release_team_name"),
            models.CheckConstraint(condition=Q(per_week__gte=1, per_week__lte=50), name="release_team_cap"),
            models.CheckConstraint(condition=Q(in_all__gte=1, in_all__lte=200), name="release_team_total"),
        ]

    def __str__(self) -> str:
        return self.name


class UploadState(models.TextChoices):
    """The state of an upload."""

    WAITING = "waiting", _("waiting to be scored")
    DONE = "done", _("scored")
    FAILED = "failed", _("not scored")


class Upload(models.Model):
    """A team's uploaded responses and the accuracies reported to the team."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="uploads")
    # examinee and repeats: known after the file is read
    examinee = models.CharField(max_length=200, blank=True)
    repeats = models.PositiveSmallIntegerField(default=0)
    sha256 = models.CharField(max_length=64)
    bytes = models.PositiveBigIntegerField()
    # the path of the file until it is read; scored files are stored under their hash
    kept_as = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=UploadState, default=UploadState.WAITING)
    # why the file was refused: a code of `release.score` or `parable.formats`, and the values of its sentence
    refusal = models.JSONField(default=dict, blank=True)
    totals = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("upload")
        verbose_name_plural = _("uploads")
        ordering: ClassVar[list[str]] = ["-id"]
        indexes = [
            models.Index(fields=["team", "created_at"], name="release_upload_week"),
        ]

    def __str__(self) -> str:
        return self.examinee


class PushStep(models.IntegerChoices):
    """The progress of sending a release to a hub."""

    WAITING = 0, _("waiting for a worker")
    COPYING = 1, _("checking the files")
    SENDING = 2, _("sending")


class PushState(models.TextChoices):
    """The state of a push."""

    WAITING = "waiting", _("sending")
    DONE = "done", _("sent")
    FAILED = "failed", _("not sent")


class Push(models.Model):
    """An order to send a release to a data set of a hub, with the access token of the user.

    The token is encrypted. A constraint ensures that it is erased when the push has finished.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="pushes")
    # the address of the hub as the site was configured then, and OWNER/NAME
    hub = models.CharField(max_length=400)
    repo = models.CharField(_("data set"), max_length=200)
    is_public = models.BooleanField(_("public"))
    sealed = models.TextField(blank=True, editable=False)
    state = models.CharField(max_length=10, choices=PushState, default=PushState.WAITING)
    # why it failed: a code, and the values of its sentence; empty after a fault in Parable
    refusal = models.JSONField(default=dict, blank=True)
    # the URL of the commit
    address = models.CharField(max_length=500, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("push")
        verbose_name_plural = _("pushes")
        ordering: ClassVar[list[str]] = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["release"], condition=Q(state="waiting"), name="release_push_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", finished_at=None)
                | ~Q(state="waiting") & Q(sealed="", finished_at__isnull=False),
                name="release_push_erases_its_token",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release_id} → {self.repo}"
