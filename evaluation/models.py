"""Examinees, runs, responses, panels, results and calibrations."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from jobs.models import Call, Endpoint, Job
from parable.llm import conditions
from parable.reading import answers, partial_inputs
from parable.splits import MEASURED, SPLITS
from projects.models import Project
from release.models import Release, ReleaseItem


class ExamineeKind(models.TextChoices):
    """The kind of an examinee, by the source of its responses."""

    ENDPOINT = "endpoint", _("asked by Parable")
    IMPORTED = "imported", _("imported responses")
    PANEL = "panel", _("fresh panel of people")


class Examinee(models.Model):
    """A measured examinee: a language model, or a panel of people who have not seen the items before."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(_("name"), max_length=120)
    kind = models.CharField(_("kind"), max_length=10, choices=ExamineeKind)
    # the server's name of the model; empty for people
    model = models.CharField(_("model"), max_length=120, blank=True)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("examinee")
        verbose_name_plural = _("examinees")
        ordering: ClassVar[list[str]] = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="evaluation_examinee_name"),
            models.CheckConstraint(
                condition=Q(kind="endpoint") ^ Q(endpoint__isnull=True),
                name="evaluation_examinee_has_its_endpoint",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class OptionOrder(models.TextChoices):
    """The order in which the options of an item are presented."""

    RELEASED = conditions.RELEASED, _("as released")
    SHUFFLED = conditions.SHUFFLED, _("shuffled by seed for each repeat")
    CIRCULAR = conditions.CIRCULAR, _("circular: every rotation of each item")


class PartialInput(models.TextChoices):
    """The part of the items that a partial-input run leaves out or replaces."""

    WHOLE = partial_inputs.WHOLE, _("whole items")
    NO_STORY = partial_inputs.NO_STORY, _("without the story")
    NO_STEM = partial_inputs.NO_STEM, _("without the stem")
    OTHER_STORY = partial_inputs.OTHER_STORY, _("with another story")


class Portion(models.TextChoices):
    """The splits of a release that a run covers: by default dev and test, train only on request."""

    DEV = "dev", _("dev")
    TEST = "test", _("test")
    BOTH = "both", _("dev and test")
    TRAIN = "train", _("train")
    ALL = "all", _("train, dev and test")

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits in this portion."""
        return {"both": MEASURED, "all": SPLITS}.get(self.value, (self.value,))


class FileState(models.TextChoices):
    """The state of a file of responses."""

    WAITING = "waiting", _("reading")
    DONE = "done", _("imported")
    REFUSED = "refused", _("refused")
    FAILED = "failed", _("failed")


class FileStep(models.IntegerChoices):
    """The progress of reading a file; each step is recorded when it begins."""

    WAITING = 0, _("waiting for a worker")
    LINES = 1, _("checking lines")
    ANSWERS = 2, _("reading answers")
    KEEPING = 3, _("saving")


class ResponseFile(models.Model):
    """A file of responses collected elsewhere. It is imported completely, as runs, or not at all."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(_("name"), max_length=255)
    sha256 = models.CharField(max_length=64)
    bytes = models.PositiveBigIntegerField()
    # the path of the file; empty once it has been read, as its responses are stored
    kept_as = models.CharField(max_length=200, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=FileState, default=FileState.WAITING)
    # the number of responses read from it
    answers = models.PositiveIntegerField(default=0, editable=False)
    # each as an error of `parable.formats`: {"row", "field", "code", "params"}
    problems = models.JSONField(default=list, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    ordered_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("response file")
        verbose_name_plural = _("response files")
        ordering: ClassVar[list[str]] = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["release", "sha256"], name="evaluation_file_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Run(models.Model):
    """The evaluation of one examinee on one release, with its settings. The answers are `Response` rows.

    For a panel, `repeats` is the number of people invited so far, as each person is one repeat.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    examinee = models.ForeignKey(Examinee, on_delete=models.PROTECT, related_name="runs")
    split = models.CharField(_("split"), max_length=5, choices=Portion, default=Portion.BOTH)
    prompt = models.TextField(_("prompt"), blank=True)
    # {task: prompt} of tasks that are not answered by one option
    prompts = models.JSONField(default=dict, blank=True)
    repeats = models.PositiveSmallIntegerField(_("repeats"), default=1)
    order = models.CharField(
        _("order of options"), max_length=10, choices=OptionOrder, default=OptionOrder.RELEASED
    )
    seed = models.CharField(_("seed"), max_length=64, default="0")
    # the part left out of each item; responses to partial items are in no table of results
    probe = models.CharField(
        _("probe"), max_length=12, choices=PartialInput, default=PartialInput.WHOLE, blank=True, db_default=""
    )
    # of a partial-input run: the comparison with whole items, as `PartialInputFigures` in JSON, or empty
    probe_figures = models.JSONField(default=dict, blank=True)
    # the number of items to sample with the seed; None: all items
    sample_size = models.PositiveIntegerField(_("sample size"), null=True, blank=True)
    # the number of expected responses; 0 until the run is prepared, and always 0 for a panel
    asked = models.PositiveIntegerField(default=0, editable=False)
    # a snapshot of the examinee: model, server and parameters; for imported answers the file's name
    settings = models.JSONField(default=dict, blank=True)
    # the file that its answers were imported from, if any
    file = models.ForeignKey(
        ResponseFile, on_delete=models.PROTECT, null=True, blank=True, related_name="runs"
    )
    job = models.OneToOneField(Job, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("running")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return f"{self.examinee} × {self.release}"


class ReadingKind(models.TextChoices):
    """The outcome of parsing a raw answer. An unclear answer is never resolved by guessing."""

    CHOSEN = answers.CHOSEN, _("answered")
    AMBIGUOUS = answers.AMBIGUOUS, _("named several options")
    CONTRADICTING = answers.CONTRADICTING, _("letter and words contradict")
    UNPARSED = answers.UNPARSED, _("named no option")
    REFUSED = answers.REFUSED, _("declined to answer")
    FAILED = "failed", _("no response")


class Response(models.Model):
    """One answer of an examinee to an item.

    A missing answer has no row and counts as failed.

    `order` holds positions of released options in the displayed order; `choice` and `strict_choice` are
    positions of released options. For tasks not answered by one option, `given` and `strict_given` are the
    answer in the format of `parable.kinds.question`, and `score` is its partial credit.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="responses")
    item = models.ForeignKey(ReleaseItem, on_delete=models.PROTECT, related_name="+")
    repeat = models.PositiveSmallIntegerField()
    rotation = models.PositiveSmallIntegerField(default=0)
    order = models.JSONField()
    text = models.TextField(blank=True)
    # the server's report on the answer: {"finish_reason", "answered_by", "reasoning_tokens"}, if any
    served = models.JSONField(default=dict, blank=True)
    reading = models.CharField(max_length=13, choices=ReadingKind)
    choice = models.PositiveSmallIntegerField(null=True, blank=True)
    strict_choice = models.PositiveSmallIntegerField(null=True, blank=True)
    given = models.JSONField(null=True, blank=True)
    strict_given = models.JSONField(null=True, blank=True)
    correct = models.BooleanField(default=False)
    score = models.FloatField(null=True, blank=True)
    call = models.OneToOneField(Call, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("response")
        verbose_name_plural = _("responses")
        ordering: ClassVar[list[str]] = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item", "repeat", "rotation"], name="evaluation_response_once"
            ),
            models.CheckConstraint(
                condition=Q(reading=answers.CHOSEN) ^ Q(choice__isnull=True, given__isnull=True),
                name="evaluation_choice_where_answered",
            ),
            models.CheckConstraint(
                condition=Q(correct=False) | Q(choice__isnull=False) | Q(given__isnull=False),
                name="evaluation_right_is_a_choice",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}: {self.item_id}"


class ResponseModel(models.TextChoices):
    """The IRT model of a calibration."""

    ONE = "1pl", _("1PL: difficulty")
    TWO = "2pl", _("2PL: difficulty and discrimination")
    THREE = "3pl", _("3PL: difficulty, discrimination and guessing")


class Priors(models.TextChoices):
    """The strength of the prior distributions in a calibration."""

    AUTO = "auto", _("auto")
    NONE = "none", _("none")
    WEAK = "weak", _("weak")


class CalibrationStep(models.IntegerChoices):
    """The progress of a calibration; each step is recorded when it begins."""

    WAITING = 0, _("waiting for a worker")
    READING = 1, _("reading answers")
    ESTIMATING = 2, _("estimating items and examinees")
    DESCRIBING = 3, _("analysing each item")
    COMPARING = 4, _("bootstrapping stories and examinees")
    DRAWING = 5, _("simulating sets without bad items")


class Calibration(models.Model):
    """Item parameters and abilities on a common scale, estimated from the responses of some runs."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    runs = models.ManyToManyField(Run, related_name="calibrations")
    model = models.CharField(_("model"), max_length=3, choices=ResponseModel, default=ResponseModel.TWO)
    priors = models.CharField(_("priors"), max_length=4, choices=Priors, default=Priors.AUTO)
    # as `parable calibrate --json` prints it: parameters and abilities with their standard errors
    parameters = models.JSONField(default=dict, blank=True)
    log_likelihood = models.FloatField(null=True, blank=True)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("calibration")
        verbose_name_plural = _("calibrations")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return f"{self.release} {self.model}"


class PanelSeat(models.Model):
    """A person invited to a panel by a link; only the token's SHA-256 is stored.

    `number` is the repeat of this person's responses.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(_("name"), max_length=150)
    token_hash = models.CharField(max_length=64, unique=True)
    wanted = models.PositiveSmallIntegerField(_("items per person"))
    expires_at = models.DateTimeField(_("expires at"))
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("panel member")
        verbose_name_plural = _("panel members")
        ordering: ClassVar[list[str]] = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="evaluation_seat_number")]

    def __str__(self) -> str:
        return self.name


class PanelItem(models.Model):
    """An item given to a person of a panel, with that person's order of the options."""

    seat = models.ForeignKey(PanelSeat, on_delete=models.PROTECT, related_name="places")
    item = models.ForeignKey(ReleaseItem, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()
    order = models.JSONField()
    shown_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("panel item")
        verbose_name_plural = _("panel items")
        ordering: ClassVar[list[str]] = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["seat", "item"], name="evaluation_place_once"),
            models.UniqueConstraint(fields=["seat", "position"], name="evaluation_place_position"),
        ]

    def __str__(self) -> str:
        return f"{self.seat_id}: {self.item_id}"


class AnswerRule(models.TextChoices):
    """The rule by which raw answers are read for tables of results."""

    PARABLE = "parable", _("Parable's rules")
    CRMUS = "crmus", _("CRMUS filter")


class ResultTables(models.Model):
    """The result tables of some runs on one release, as of their last computation.

    `key` is a hash of split, runs and rule, so that the same choice gives the same row.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    split = models.CharField(_("split"), max_length=5, choices=Portion, default=Portion.BOTH)
    rule = models.CharField(
        _("answers read by"), max_length=10, choices=AnswerRule, default=AnswerRule.PARABLE
    )
    runs = models.ManyToManyField(Run, related_name="results")
    key = models.CharField(max_length=64)
    counted_at = models.DateTimeField(null=True, blank=True)
    # the newest response at that time: later ones have not been counted
    counted_upto = models.BigIntegerField(default=0)
    tables = models.JSONField(default=list, blank=True)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("result tables")
        verbose_name_plural = _("result tables")
        ordering: ClassVar[list[str]] = ["-id"]
        constraints = [models.UniqueConstraint(fields=["release", "key"], name="evaluation_results_once")]

    def __str__(self) -> str:
        return f"{self.release} {self.key[:8]}"


class PublishedFigures(models.Model):
    """Figures printed in a paper, for comparison with the tables of some runs."""

    results = models.OneToOneField(ResultTables, on_delete=models.CASCADE, related_name="published")
    source = models.CharField(_("source"), max_length=300, blank=True)
    name = models.CharField(_("file"), max_length=255)
    # each as `parable.psychometrics.results.replication.Published`
    figures = models.JSONField(default=list)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("published figures")
        verbose_name_plural = _("published figures")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return f"{self.results_id}: {self.name}"


class Publication(models.Model):
    """The public page of a release; closed until a manager opens it."""

    release = models.OneToOneField(Release, on_delete=models.PROTECT, related_name="+")
    is_open = models.BooleanField(default=False)
    shows_scores = models.BooleanField(_("leaderboard"), default=True)
    # for the citation, one to a line
    authors = models.TextField(_("authors"), blank=True, default="", db_default="", max_length=4000)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("public page")
        verbose_name_plural = _("public pages")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return f"{self.release_id}"
