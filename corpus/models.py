"""Models of stories, their revisions and groups, and of uploads."""

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
"""The other fields of a story that imports and exports have, besides title, text, moral and language.

All are texts, "" if not stated, with the field's `verbose_name` as label.
"""


class MoralOrigin(models.TextChoices):
    """Where the moral of a story comes from."""

    NONE = "none", _("no moral")
    SOURCE = "source", _("from the source")
    REWRITTEN = "rewritten", _("adapted from the source")
    OURS = "ours", _("written for this project")


class RevisionCause(models.TextChoices):
    """The action that created a revision of a story. A user's explanation is in the revision's `reason`."""

    IMPORTED = "imported", _("imported")
    WITH_ITEMS = "with_items", _("imported with items")
    REWORDED_BY_IMPORT = "reworded_by_import", _("changed by an import")
    EDITED = "edited", _("edited")


class StoryGroup(models.Model):
    """Stories confirmed by a manager to be different wordings of one story. They count as one story."""

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
    """A fable in a project. Its texts are in its revisions, of which `current` is the newest."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="stories", db_index=False)
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
    # the SHA-256 of the current text, trimmed; imports identify a story by it
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
        # for pages of the programming interface, as of items
        indexes = [models.Index(fields=["project", "id"], name="corpus_story_by_id")]
        constraints = [
            models.UniqueConstraint(fields=["project", "text_hash"], name="corpus_story_text"),
            models.UniqueConstraint(fields=["project", "ref"], name="corpus_story_ref"),
        ]

    def __str__(self) -> str:
        return self.current.title if self.current else self.ref

    @property
    def further(self) -> list[tuple[str | Promise, str]]:
        """Pairs of label and value for each of the `FURTHER_FIELDS` that is not empty."""
        stated = ((name, getattr(self, name)) for name in FURTHER_FIELDS)
        return [(label_of(name), value) for name, value in stated if value]

    @property
    def lang(self) -> str:
        """The language of the story as a value of HTML's `lang` attribute."""
        return "zh-Hans" if self.language == "zh" else self.language


def label_of(name: str) -> str | Promise:
    """Return the label of a story's field, capitalised; it may be a lazy translation."""
    names = {field.name: field.verbose_name for field in Story._meta.fields}
    label: str | Promise = capfirst(names[name])
    return label


class StoryRevision(models.Model):
    """A revision of a story, with title, text and moral. Immutable: a trigger refuses changes."""

    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField(_("revision"))
    title = models.CharField(_("title"), max_length=500)
    text = models.TextField(_("text"))
    moral = models.TextField(_("moral"), blank=True)
    moral_origin = models.CharField(max_length=10, choices=MoralOrigin, default=MoralOrigin.NONE)
    cause = models.CharField(_("cause"), max_length=20, choices=RevisionCause, default=RevisionCause.IMPORTED)
    # a user's own text; programs only set the cause, which readers see in their language
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("story revision")
        verbose_name_plural = _("story revisions")
        ordering: ClassVar[list[str]] = ["story", "number"]
        # for lists ordered by story title; without this index, each page sorts all rows
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
    """The texts of a story prepared for search: case folded, with the letters and bigrams that occur.

    Maintained by triggers. Contains no moral, since search results must not reveal it to reviewers.
    """

    story = models.OneToOneField(Story, on_delete=models.CASCADE, primary_key=True, related_name="+")
    ids = models.TextField()
    title = models.TextField()
    text = models.TextField()
    # null after a bulk insert, until a worker has computed the value
    grams = ArrayField(models.IntegerField(), null=True)

    class Meta:
        indexes = [
            GinIndex(fields=["grams"], name="corpus_story_grams"),
            models.Index(fields=["story"], condition=Q(grams=None), name="corpus_story_waits"),
        ]

    def __str__(self) -> str:
        return self.ids


class SimilarPair(models.Model):
    """Two stories that are similar according to the last search, or different according to a manager.

    The next search replaces the pairs of the last search, but not those that a manager decided.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="similar_pairs")
    first = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="+")
    similarity = models.FloatField(_("similarity"))
    same_title = models.BooleanField(_("same title"), default=False)
    # the user who decided that the stories are different, and when
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
    """A step in the processing of an upload, in order of the values."""

    WAITING = 0, _("Waiting for a worker")
    READING = 1, _("Reading the files")
    COMPARING = 2, _("Comparing with the project")
    IMPORTING = 3, _("Importing")


class SavedMapping(models.Model):
    """A saved mapping from fields to columns of a file, for later files with the same columns."""

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
        """Return whether a file with these columns has all columns of the mapping."""
        held = [named for field, named in self.columns.items() if not field.startswith(CONSTANT)]
        named = {one for names in held for one in ([names] if isinstance(names, str) else names)}
        return bool(named) and named <= {*columns}


class Upload(models.Model):
    """Files that a user previews before importing or discarding them, within a day.

    The files and the preview are in the storage, in a folder named by the token.
    """

    token = models.CharField(max_length=64, unique=True)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    # what is imported: stories, items
    purpose = models.CharField(max_length=20)
    names = models.JSONField(default=list)
    # the chosen reading options; `columns` has the column of each field, by the number of the file
    options = models.JSONField(default=dict)
    columns = models.JSONField(default=dict)
    # the language of the preview's messages
    language = models.CharField(max_length=35)
    state = models.CharField(max_length=10, choices=UploadState, default=UploadState.READING)
    # whether the preview has shown keys and morals to the user
    keys_shown = models.BooleanField(default=False)
    # whether nothing was imported because the project changed after the preview
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
        """The path of the upload's folder in the storage."""
        return f"uploads/{self.token}"

    @property
    def is_at_work(self) -> bool:
        """Whether a worker is reading or importing the upload, or is about to."""
        return self.state in {UploadState.READING, UploadState.IMPORTING}
