"""Prompt templates, batches of calls, candidates, and their adoption."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Option, Revision
from corpus.models import Story, StoryRevision
from jobs.models import Call, Endpoint, Job
from parable.reading import answers
from projects.models import Project


class Purpose(models.TextChoices):
    """The purpose of a prompt template, such as distractors for a stem."""

    WRONG_MORALS = "wrong_morals", _("wrong morals")
    MORAL_WORDINGS = "moral_wordings", _("rewordings of the moral")
    WRONG_OPTIONS = "wrong_options", _("distractors for a commonsense stem")
    FREE = "free", _("free-form")


class PromptTemplate(models.Model):
    """A version of a prompt template. It never changes once used: a change creates a new version."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="prompt_templates")
    name = models.CharField(_("name"), max_length=80)
    version = models.PositiveIntegerField(_("version"), default=1)
    purpose = models.CharField(_("purpose"), max_length=20, choices=Purpose, default=Purpose.WRONG_MORALS)
    text = models.TextField(_("prompt"), max_length=20_000)
    wanted = models.PositiveSmallIntegerField(_("number of proposals"), default=3)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("prompt template")
        verbose_name_plural = _("prompt templates")
        ordering: ClassVar[list[str]] = ["name", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name", "version"], name="generation_template_version")
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class Batch(models.Model):
    """A batch of calls in one job: one call for each combination of story, template and endpoint."""

    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="batch")
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="batches")
    templates = models.ManyToManyField(PromptTemplate, related_name="batches")
    endpoints = models.ManyToManyField(Endpoint, related_name="batches")
    # the ids of the stories, and how many of them have been put into calls
    stories = models.JSONField(default=list, blank=True)
    position = models.PositiveIntegerField(default=0)
    # whether calls made before are repeated; if not, already_asked is the number of skipped calls
    again = models.BooleanField(default=False)
    already_asked = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return str(self.job)


class Candidate(models.Model):
    """A text that a model proposed for a story, stored as received."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="candidates")
    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="candidates")
    story_revision = models.ForeignKey(StoryRevision, on_delete=models.PROTECT, related_name="+")
    template = models.ForeignKey(PromptTemplate, on_delete=models.PROTECT, related_name="candidates")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="candidates")
    call = models.ForeignKey(Call, on_delete=models.PROTECT, related_name="candidates")
    position = models.PositiveSmallIntegerField()
    # the model that answered; for an endpoint used by hand, the name that the user entered
    generator = models.CharField(max_length=120)
    text = models.TextField()
    normalised = models.TextField(editable=False)
    flags = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("candidate")
        verbose_name_plural = _("candidates")
        ordering: ClassVar[list[str]] = ["call", "position"]
        constraints = [
            models.UniqueConstraint(fields=["call", "position"], name="generation_candidate_position")
        ]
        indexes = [
            models.Index(fields=["story", "id"], name="generation_candidate_by_story"),
            models.Index(fields=["project", "-id"], name="generation_candidate_newest"),
            models.Index(fields=["project", "generator", "-id"], name="generation_candidate_by_model"),
        ]

    def __str__(self) -> str:
        return self.text


class CandidateText(models.Model):
    """The searchable text of a candidate, normalised, and its bigrams. Triggers maintain it.

    Search it only for users who may read the candidates: see `generation.queries.candidate.is_known`.
    """

    candidate = models.OneToOneField(Candidate, on_delete=models.CASCADE, primary_key=True, related_name="+")
    text = models.TextField()
    grams = ArrayField(models.IntegerField())

    class Meta:
        indexes = [GinIndex(fields=["grams"], name="generation_candidate_grams")]

    def __str__(self) -> str:
        return self.text


class Adoption(models.Model):
    """The use of a candidate as an option. `original_text` is the candidate's text, before any edit."""

    option = models.OneToOneField(Option, on_delete=models.PROTECT, related_name="+")
    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="adoptions")
    original_text = models.TextField()
    # from 0 for equal texts to 1 for nothing in common; stored, so that the database can compute the yield
    edit_distance = models.FloatField(default=0)
    adopted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("adoption")
        verbose_name_plural = _("adoptions")

    def __str__(self) -> str:
        return self.original_text


class StemQuestion(models.Model):
    """A request for distractors of an unfinished item.

    `draft` is the client id of the item's draft. `call` may have been made for an earlier request, as calls
    with the same prompt are paid only once.
    """

    call = models.ForeignKey(Call, on_delete=models.PROTECT, related_name="stem_questions")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="stem_questions")
    template = models.ForeignKey(PromptTemplate, on_delete=models.PROTECT, related_name="stem_questions")
    story_revision = models.ForeignKey(StoryRevision, on_delete=models.PROTECT, related_name="+")
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    draft = models.UUIDField(editable=False)
    # the submitted wording that is being revised, if any
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, null=True, related_name="+")
    stem = models.TextField()
    key = models.TextField(blank=True)
    # the SHA-256 of the filled prompt, by which requests with the same prompt are found
    words = models.CharField(max_length=64)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("stem question")
        verbose_name_plural = _("stem questions")
        ordering: ClassVar[list[str]] = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["call", "asked_by", "draft"], name="generation_stem_question_once_a_draft"
            )
        ]
        indexes = [
            models.Index(fields=["asked_by", "draft"], name="generation_stems_of_draft"),
            models.Index(fields=["words", "endpoint"], name="generation_stems_of_words"),
        ]

    def __str__(self) -> str:
        return self.stem


class Outcome(models.TextChoices):
    """The outcome of a model's answer to an item, as parsed; "" until the answer arrives."""

    CHOSEN = answers.CHOSEN, _("chose an option")
    AMBIGUOUS = answers.AMBIGUOUS, _("named several options")
    CONTRADICTING = answers.CONTRADICTING, _("letter and words contradict")
    UNPARSED = answers.UNPARSED, _("named no option")
    REFUSED = answers.REFUSED, _("declined to answer")


class Trial(models.Model):
    """A model's attempt to solve an item while it is being written. It is a hint, never a gate.

    `draft` is the client id of the user's draft. `words` is a hash of the item that does not depend on the
    order of its options.
    """

    call = models.OneToOneField(Call, on_delete=models.PROTECT, related_name="trial")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="trials")
    story_revision = models.ForeignKey(StoryRevision, on_delete=models.PROTECT, related_name="+")
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    draft = models.UUIDField(editable=False)
    # the submitted wording that is being revised, if any
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, null=True, related_name="+")
    words = models.CharField(max_length=64)
    # the options in the order in which the model saw them, and the position of the key in this order
    options = ArrayField(models.TextField())
    key = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=13, choices=Outcome, blank=True)
    choice = models.PositiveSmallIntegerField(null=True, blank=True)
    is_correct = models.BooleanField(null=True, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("trial of an item")
        verbose_name_plural = _("trials of items")
        ordering: ClassVar[list[str]] = ["-id"]
        indexes = [
            models.Index(fields=["asked_by", "draft"], name="generation_trials_of_draft"),
            models.Index(fields=["words", "endpoint"], name="generation_trials_of_words"),
        ]

    def __str__(self) -> str:
        return f"{self.endpoint_id}: {self.words[:12]}"
