"""Stories and their revisions."""

from collections.abc import Collection
from typing import ClassVar, Final

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from parable.formats.mapping import CONSTANT
from parable.formats.records import FURTHER_FIELDS
from projects.models import Project

METADATA: Final = ("source", "rights", *FURTHER_FIELDS)
"""The fields of a story beside title, text, moral and language: imports fill them, exports write them.

All are texts, "" if not stated, with the field's `verbose_name` as label.
"""


class MoralOrigin(models.TextChoices):
    """The origin of a story's moral."""

    NONE = "none", _("no moral")
    SOURCE = "source", _("from the source")
    REWRITTEN = "rewritten", _("adapted from the source")
    OURS = "ours", _("written for this project")


class RevisionCause(models.TextChoices):
    """The cause of a story's revision; the user's explanation is its `reason`."""

    IMPORTED = "imported", _("imported")
    WITH_ITEMS = "with_items", _("imported with items")
    REWORDED_BY_IMPORT = "reworded_by_import", _("changed by an import")
    EDITED = "edited", _("edited")


class StoryGroup(models.Model):
    """Stories that a manager has confirmed to be wordings of the same story; they count as one."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="story_groups")
    confirmed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    confirmed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("story group")
        verbose_name_plural = _("story groups")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return str(self.pk)


class Story(models.Model):
    """A fable of a project. Its text is in its revisions; `current` is the newest."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="stories")
    ref = models.CharField(_("ID"), max_length=200, help_text=_("ID from the source, or generated."))
    language = models.CharField(_("language"), max_length=35)
    source = models.CharField(_("source"), max_length=2000, blank=True)
    rights = models.CharField(_("rights"), max_length=2000, blank=True, help_text=_("Empty: unknown."))
    genre = models.CharField(
        _("genre"),
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text=_("Releases can have their shares within each genre."),
    )
    rights_evidence = models.TextField(_("evidence for the rights"), blank=True)
    # SHA-256 of the current trimmed text, by which imports identify a story
    text_hash = models.CharField(max_length=64)
    current = models.OneToOneField(
        "StoryRevision",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        verbose_name=_("current revision"),
    )
    group = models.ForeignKey(
        StoryGroup,
        on_delete=models.SET_NULL,
        null=True,
        related_name="stories",
        verbose_name=_("story group"),
    )
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("story")
        verbose_name_plural = _("stories")
        ordering: ClassVar[list[str]] = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "text_hash"], name="corpus_story_text"),
            models.UniqueConstraint(fields=["project", "ref"], name="corpus_story_ref"),
        ]

    def __str__(self) -> str:
        return self.current.title if self.current else self.ref

    @property
    def further(self) -> list[tuple[str | Promise, str]]:
        """The label and the value of each further field that is stated."""
        stated = ((name, getattr(self, name)) for name in FURTHER_FIELDS)
        return [(label_of(name), value) for name, value in stated if value]

    @property
    def lang(self) -> str:
        """The story's language as the value of HTML's `lang` attribute."""
        return "zh-Hans" if self.language == "zh" else self.language


def label_of(name: str) -> str | Promise:
    """Return the label of a story's field, translated when it is shown."""
    names = {field.name: field.verbose_name for field in Story._meta.fields}
    label: str | Promise = capfirst(names[name])
    return label


class StoryRevision(models.Model):
    """An immutable revision of a story (a trigger refuses changes)."""

    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField(_("revision"))
    title = models.CharField(_("title"), max_length=500)
    text = models.TextField(_("text"))
    moral = models.TextField(_("moral"), blank=True)
    moral_origin = models.CharField(max_length=10, choices=MoralOrigin, default=MoralOrigin.NONE)
    cause = models.CharField(_("cause"), max_length=20, choices=RevisionCause, default=RevisionCause.IMPORTED)
    # a person's own words; for a program the cause is set instead, so that readers see it in their language
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("story revision")
        verbose_name_plural = _("story revisions")
        ordering: ClassVar[list[str]] = ["story", "number"]
        # for lists ordered by story title: without it all their rows are sorted for each page
        indexes = [models.Index(fields=["title"], name="corpus_revision_by_title")]
        constraints = [
            models.UniqueConstraint(fields=["story", "number"], name="corpus_revision_number"),
            models.CheckConstraint(
                condition=Q(moral="", moral_origin="none") | (~Q(moral="") & ~Q(moral_origin="none")),
                name="corpus_moral_has_an_origin",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.number})"


class StoryText(models.Model):
    """A story's text for searches: id, title, text and source, case folded, with its letters and bigrams.

    Maintained by triggers. Contains no moral, since search results must not reveal it to reviewers.
    """

    story = models.OneToOneField(Story, on_delete=models.CASCADE, primary_key=True, related_name="+")
    ids = models.TextField()
    title = models.TextField()
    text = models.TextField()
    # null for rows of bulk inserts, until a worker has built it
    grams = ArrayField(models.IntegerField(), null=True)

    class Meta:
        indexes = [
            GinIndex(fields=["grams"], name="corpus_story_grams"),
            models.Index(fields=["story"], condition=Q(grams=None), name="corpus_story_waits"),
        ]

    def __str__(self) -> str:
        return self.ids


class SimilarPair(models.Model):
    """Two stories that the last search considers similar, or that a manager decided are different.

    The next search replaces the pairs that a search found, but not those that a manager decided.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="similar_pairs")
    first = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="+")
    similarity = models.FloatField(_("similarity"))
    same_title = models.BooleanField(_("same title"), default=False)
    # by whom and when the pair was rejected: decided to be different stories
    rejected_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    rejected_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("similar stories")
        verbose_name_plural = _("similar stories")
        ordering: ClassVar[list[str]] = ["-similarity", "id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "first", "second"], name="corpus_pair_once"),
        ]

    def __str__(self) -> str:
        return f"{self.first_id}, {self.second_id}: {self.similarity}"


class UploadState(models.TextChoices):
    """The state of an upload."""

    READING = "reading", _("being read")
    READY = "ready", _("ready to import")
    IMPORTING = "importing", _("being imported")
    DONE = "done", _("imported")
    FAILED = "failed", _("failed")


class UploadStep(models.IntegerChoices):
    """A step of a worker's processing of an upload; the values are in the order of the steps."""

    WAITING = 0, _("Waiting for a worker")
    READING = 1, _("Reading the files")
    COMPARING = 2, _("Comparing with the project")
    IMPORTING = 3, _("Importing")


class SavedMapping(models.Model):
    """Which column of a file fills which field, saved under a name for later files with the same columns."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    # what is imported: stories, items
    purpose = models.CharField(max_length=20)
    name = models.CharField(_("name"), max_length=80)
    # as in `Upload.columns`, of one file
    columns = models.JSONField(default=dict)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("saved mapping")
        verbose_name_plural = _("saved mappings")
        ordering: ClassVar[list[str]] = ["name", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["project", "purpose", "name"], name="corpus_mapping_name")
        ]

    def __str__(self) -> str:
        return self.name

    def fits(self, columns: Collection[str]) -> bool:
        """Return whether a file with these columns has every column that the mapping names."""
        held = [named for field, named in self.columns.items() if not field.startswith(CONSTANT)]
        named = {one for names in held for one in ([names] if isinstance(names, str) else names)}
        return bool(named) and named <= {*columns}


class Upload(models.Model):
    """The files that a user is about to import: previewed, then confirmed or discarded, within a day.

    The files and the preview are in the storage, in a folder named by the token.
    """

    token = models.CharField(max_length=64, unique=True)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    # what is imported: stories, items
    purpose = models.CharField(max_length=20)
    names = models.JSONField(default=list)
    # the options chosen; by the number of a file, the column of each field
    options = models.JSONField(default=dict)
    columns = models.JSONField(default=dict)
    # the language of the preview's messages
    language = models.CharField(max_length=35)
    state = models.CharField(max_length=10, choices=UploadState, default=UploadState.READING)
    # whether its user has been shown keys and morals in the preview
    keys_shown = models.BooleanField(default=False)
    # whether the project changed between preview and import, so that nothing was imported
    is_outdated = models.BooleanField(default=False)
    counts = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("upload")
        verbose_name_plural = _("uploads")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return ", ".join(self.names)

    @property
    def folder(self) -> str:
        """The folder of the upload's files in the storage."""
        return f"uploads/{self.token}"

    @property
    def is_at_work(self) -> bool:
        """Whether a worker is processing the upload, or will process it."""
        return self.state in {UploadState.READING, UploadState.IMPORTING}
