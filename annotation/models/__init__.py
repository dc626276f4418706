"""Items, their revisions and drafts, transitions between states, exposures to keys, and comments.

This app owns the lifecycle of items.
"""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import MD5, Now
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation import lifecycle
from annotation.models.assignments import (
    AssignmentSource,
    HandOver,
    Pilot,
    PilotStory,
    WritingAssignment,
    WritingPlaces,
)
from annotation.models.audits import AuditState, AuditStep, FileAudit
from annotation.models.marks import Narrative, SceneJudgement, Span
from annotation.models.plan import Reservation, TypeTarget
from annotation.places import place_name
from corpus.models import Story, StoryRevision
from projects.models import CommonsenseType, Guideline, Project, task_choices

__all__ = [
    "AssignmentSource",
    "AuditState",
    "AuditStep",
    "Authors",
    "Cause",
    "Comment",
    "DraftContributor",
    "FileAudit",
    "HandOver",
    "Item",
    "ItemDraft",
    "ItemText",
    "KeyExposure",
    "Narrative",
    "Option",
    "Pilot",
    "PilotStory",
    "Reservation",
    "Revision",
    "RevisionAuthor",
    "RevisionType",
    "SceneJudgement",
    "Span",
    "State",
    "Style",
    "Transition",
    "TypeTarget",
    "WritingAssignment",
    "WritingPlaces",
]


class Style(models.TextChoices):
    """The style of an item: whether a person worded its options, or a model proposed them."""

    HUMAN = "human", _("human style")
    MACHINE = "machine", _("machine style")


class State(models.TextChoices):
    """The state of an item; `lifecycle` defines the possible moves between states."""

    DRAFT = lifecycle.DRAFT, _("draft")
    IN_REVIEW = lifecycle.IN_REVIEW, _("in review")
    IN_VERIFICATION = lifecycle.IN_VERIFICATION, _("in verification")
    IN_ADJUDICATION = lifecycle.IN_ADJUDICATION, _("in adjudication")
    RETURNED = lifecycle.RETURNED, _("returned")
    VERIFIED = lifecycle.VERIFIED, _("verified")
    REJECTED = lifecycle.REJECTED, _("rejected")
    WITHDRAWN = lifecycle.WITHDRAWN, _("withdrawn")
    RETIRED = lifecycle.RETIRED, _("retired")


class Item(models.Model):
    """An item through its whole life.

    `current` is the newest revision. It is None for an item whose import was incomplete.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="items", db_index=False)
    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="items")
    task = models.CharField(_("task"), max_length=20, choices=task_choices)
    style = models.CharField(_("style"), max_length=10, choices=Style, default=Style.HUMAN)
    writer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="items", db_index=False)
    state = models.CharField(_("state"), max_length=20, choices=State)
    # the id from an import; empty for items written here
    ref = models.CharField(_("source ID"), max_length=200, blank=True)
    # the generating models that an import names; for items written here, options refer to their candidates
    generators = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    current = models.OneToOneField("Revision", on_delete=models.PROTECT, null=True, related_name="+")
    # set if the writer has left without a successor: any writer may then revise the item
    offered_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # the time of the last change of state, or of the last revision
    changed_at = models.DateTimeField(_("updated"), db_default=Now(), editable=False)

    class Meta:
        verbose_name = _("item")
        verbose_name_plural = _("items")
        ordering: ClassVar[list[str]] = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "task", "ref"], condition=~Q(ref=""), name="annotation_item_ref"
            ),
            models.CheckConstraint(
                condition=Q(state__in=lifecycle.STATES), name="annotation_item_state_exists"
            ),
            models.CheckConstraint(
                condition=Q(current__isnull=False) | Q(state__in=["draft", "withdrawn"]),
                name="annotation_only_drafts_lack_a_revision",
            ),
        ]
        indexes = [
            # for pages of the programming interface: by the primary key, the last page of a project would
            # read all items of older projects
            models.Index(fields=["project", "id"], name="annotation_item_by_id"),
            models.Index(fields=["project", "state", "id"], name="annotation_item_by_state"),
            models.Index(fields=["writer", "project", "state"], name="annotation_item_by_writer"),
            models.Index(fields=["project", "-changed_at", "-id"], name="annotation_item_by_change"),
            models.Index(
                fields=["project", "task", "story", "writer"],
                condition=~Q(state__in=lifecycle.NOT_OWED),
                name="annotation_item_owed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_task_display()} {self.pk}"


class ItemText(models.Model):
    """The searchable text of an item: its ids and current wording, normalised, and their bigrams.

    Triggers maintain it. A search first selects items by `grams`, and then compares their texts.
    """

    item = models.OneToOneField(Item, on_delete=models.CASCADE, primary_key=True, related_name="+")
    ids = models.TextField()
    stem = models.TextField()
    options = models.TextField()
    key = models.TextField()
    # null for rows of bulk inserts, until a worker has built the bigrams
    grams = ArrayField(models.IntegerField(), null=True)

    class Meta:
        indexes = [
            GinIndex(fields=["grams"], name="annotation_item_grams"),
            models.Index(fields=["item"], condition=Q(grams=None), name="annotation_item_waits"),
        ]

    def __str__(self) -> str:
        return self.ids


class Revision(models.Model):
    """The wording of an item, created on submission. It is immutable: a trigger refuses changes."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField(_("revision"))
    based_on = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="revisions")
    story_revision = models.ForeignKey(StoryRevision, on_delete=models.PROTECT, related_name="item_revisions")
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, related_name="+")
    stem = models.TextField(_("stem"))
    explanation = models.TextField(_("explanation"), blank=True)
    types = models.ManyToManyField(CommonsenseType, through="RevisionType", related_name="+")
    # {check id: the writer's reason} for warnings that remained on submission
    answered_warnings = models.JSONField(_("explained warnings"), default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        ordering: ClassVar[list[str]] = ["item", "number"]
        constraints = [models.UniqueConstraint(fields=["item", "number"], name="annotation_revision_number")]

    def __str__(self) -> str:
        return f"{self.item_id}.{self.number}"


class Authors(models.QuerySet["RevisionAuthor"]):
    """Queries of authorship. No other code looks up authors; `parable_is_author` is the SQL equivalent."""

    def wrote(self, user: User, item: int) -> bool:
        """Return whether this user is an author of any revision of the item."""
        return self.filter(user=user, item=item).exists()

    def items_by(self, user: User) -> "models.QuerySet[RevisionAuthor, int]":
        """Return the ids of the items with a revision of which this user is an author."""
        return self.filter(user=user).values_list("item", flat=True)


class RevisionAuthor(models.Model):
    """An author of a revision: the user who submitted it, or a contributor of its draft.

    No author may review the item. Rows are append-only; triggers add them, so that no revision lacks authors.
    """

    revision = models.ForeignKey(
        Revision, on_delete=models.PROTECT, related_name="author_links", db_index=False
    )
    # the item of the revision, set by a trigger, as authorship is looked up by item
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+", db_index=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)

    objects = Authors.as_manager()

    class Meta:
        verbose_name = _("author of a revision")
        verbose_name_plural = _("authors of revisions")
        constraints = [
            models.UniqueConstraint(fields=["revision", "user"], name="annotation_revision_author_once")
        ]
        indexes = [
            models.Index(fields=["item", "user"], name="annotation_authors_of_item"),
            models.Index(fields=["user", "item"], include=["revision"], name="annotation_items_by_author"),
        ]

    def __str__(self) -> str:
        return f"{self.revision_id} {self.user_id}"


class RevisionType(models.Model):
    """A commonsense type that a revision tests. A revision can have several types."""

    revision = models.ForeignKey(
        Revision, on_delete=models.PROTECT, related_name="type_links", db_index=False
    )
    type = models.ForeignKey(CommonsenseType, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "type"], name="annotation_revision_type_once")
        ]

    def __str__(self) -> str:
        return f"{self.revision_id} {self.type_id}"


class Option(models.Model):
    """One option of a revision. It has no letter, as each release assigns letters."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="options", db_index=False)
    # the position in the writer's order, which examinees and reviewers never see
    position = models.PositiveSmallIntegerField()
    text = models.TextField(_("text"))
    normalised = models.TextField(editable=False)
    is_key = models.BooleanField(_("is the key"), default=False)
    # position from 1 in the correct order, for items with an order
    rank = models.PositiveSmallIntegerField(_("place in the correct order"), null=True, blank=True)

    class Meta:
        verbose_name = _("option")
        verbose_name_plural = _("options")
        ordering: ClassVar[list[str]] = ["revision", "position"]
        constraints = [
            # a digest, since an index entry has at most 2,700 bytes and an option up to 2,000 characters
            models.UniqueConstraint("revision", MD5("normalised"), name="annotation_options_distinct"),
            models.UniqueConstraint(fields=["revision", "position"], name="annotation_option_position"),
            models.UniqueConstraint(
                fields=["revision", "rank"], condition=Q(rank__isnull=False), name="annotation_option_rank"
            ),
        ]

    def __str__(self) -> str:
        return self.text


class ItemDraft(models.Model):
    """A draft of an item.

    `content` is {"stem", "options": [{"text", "is_key"}], "types": [codes], "explanation",
    "answered_warnings": {warning key or check id: reason}}.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="drafts")
    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="drafts")
    writer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="drafts", db_index=False)
    # an item imported without a key, or a returned item that is being revised
    item = models.ForeignKey(Item, on_delete=models.PROTECT, null=True, blank=True, related_name="drafts")
    task = models.CharField(max_length=20, choices=task_choices)
    style = models.CharField(max_length=10, choices=Style, default=Style.HUMAN)
    client_id = models.UUIDField()
    sequence = models.PositiveBigIntegerField(default=0)
    content = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    # the seconds of work on the draft; a pause between two saves counts as at most two minutes
    active_seconds = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    # the submitted revision, for a late save or a second submission of the same draft
    submitted_as = models.ForeignKey(Revision, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")
        constraints = [
            models.UniqueConstraint(fields=["writer", "client_id"], name="annotation_draft_client_id"),
            models.UniqueConstraint(
                fields=["item", "writer"],
                condition=Q(deleted_at=None, submitted_as=None),
                name="annotation_one_draft_per_item",
            ),
        ]
        indexes = [
            models.Index(
                fields=["writer", "project", "-updated_at"],
                condition=Q(deleted_at=None, submitted_as=None),
                name="annotation_live_drafts",
            ),
            # for drafts with the same client id, whose contributors are copied between writers
            models.Index(fields=["client_id"], name="annotation_draft_by_client_id"),
        ]

    def __str__(self) -> str:
        return f"{self.get_task_display()} {self.client_id}"


class DraftContributor(models.Model):
    """A user who saved text into a draft, even if the text was changed later.

    A trigger adds a row whenever `content` changes. Rows are deleted only with their draft.
    """

    draft = models.ForeignKey(
        ItemDraft, on_delete=models.CASCADE, related_name="contributors", db_index=False
    )
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name = _("contributor to a draft")
        verbose_name_plural = _("contributors to drafts")
        constraints = [
            models.UniqueConstraint(fields=["draft", "user"], name="annotation_draft_contributor_once")
        ]

    def __str__(self) -> str:
        return f"{self.draft_id} {self.user_id}"


class Cause(models.TextChoices):
    """The code of the reason for an item's transition.

    It includes the codes of higher apps, so that a timeline can be read without them.
    """

    WRITTEN = "written", _("submitted by the writer")
    REVISED = "revised", _("revised by the writer")
    IMPORTED = "imported", _("imported")
    REWORDED_BY_IMPORT = "reworded_by_import", _("changed by an import")
    WITHDRAWN = "withdrawn", _("withdrawn")
    RETIRED = "retired", _("retired")
    ANOTHER_LOOK = "another_look", _("sent for re-review")
    SENT_BACK = "sent_back", _("returned by a manager")
    TAKEN_BACK = "taken_back", _("bulk action undone")
    CONTESTED = "contested", _("rejection contested by the writer")
    CONTESTED_EDIT = "contested_edit", _("reviewer's edit contested by the writer")
    WRONG_BLIND_ANSWER = "wrong_blind_answer", _("a blind answer differed from the key")
    ALL_REJECT = "all_reject", _("rejected in review")
    ALL_RETURN = "all_return", _("returned to the writer")
    ALL_PASS = "all_pass", _("passed in review")
    BELOW_PASS_RATING = "below_pass_rating", _("a rating was below the pass mark")
    EDIT_ADOPTED = "edit_adopted", _("a reviewer's edit was adopted")
    SPLIT = "split", _("the reviewers disagreed")
    VERIFIER_PASS = "verifier_pass", _("confirmed in verification")
    VERIFIER_REJECT = "verifier_reject", _("rejected in verification")
    VERIFIER_RETURN = "verifier_return", _("returned in verification")
    RULED_MERGE = "ruled_merge", _("adjudicated: answers merged")
    RULED_PASS = "ruled_pass", _("adjudicated: upheld")
    RULED_SEND_ON = "ruled_send_on", _("adjudicated: sent to verification")
    RULED_RETURN = "ruled_return", _("adjudicated: returned to the writer")
    RULED_REJECT = "ruled_reject", _("adjudicated: rejected")


class Transition(models.Model):
    """One change of an item's state, with its actor and reason. Append-only: a trigger refuses changes."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="transitions")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, null=True, related_name="transitions")
    from_state = models.CharField(max_length=20, blank=True)
    to_state = models.CharField(max_length=20, choices=State)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    cause = models.CharField(max_length=30, choices=Cause)
    reason = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("state change")
        verbose_name_plural = _("state changes")
        ordering: ClassVar[list[str]] = ["id"]
        indexes = [
            models.Index(fields=["at"], name="annotation_moves_by_time"),
            # for the counts of users' weeks and work reports
            models.Index(
                fields=["actor", "at"],
                condition=Q(from_state="", cause="written"),
                include=["item"],
                name="annotation_written",
            ),
            models.Index(
                fields=["at"],
                condition=Q(to_state="verified") & ~Q(from_state="") & ~Q(cause="taken_back"),
                include=["item"],
                name="annotation_verified",
            ),
            models.Index(fields=["item"], condition=Q(cause="edit_adopted"), name="annotation_edits_adopted"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}: {self.from_state} → {self.to_state}"


class KeyExposure(models.Model):
    """A record that a user saw a key, and therefore can no longer solve the item blind.

    If `story` is set, the user saw the moral of the story, or a key that reveals the keys of other items
    about it. Otherwise, the user saw only the key of `item`.
    """

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    story = models.ForeignKey(
        Story, on_delete=models.PROTECT, null=True, blank=True, related_name="exposures"
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, null=True, blank=True, related_name="exposures")
    task = models.CharField(max_length=20, choices=task_choices)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "story", "task"], name="annotation_one_exposure"),
            models.UniqueConstraint(fields=["user", "item"], name="annotation_one_exposure_to_item"),
            models.CheckConstraint(
                condition=Q(story__isnull=False, item__isnull=True)
                | Q(story__isnull=True, item__isnull=False),
                name="annotation_exposed_to_story_or_item",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.story_id or '–'} {self.item_id or '–'} {self.task}"


class Comment(models.Model):
    """A comment on an item, linked to the revision that the comment is about."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="comments")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, null=True, related_name="+")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    # the code of a part of the item, as in `annotation.places`; "" for the whole item
    about = models.CharField(max_length=20, blank=True, default="", db_default="")
    text = models.TextField(_("comment"), max_length=4000)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("comment")
        verbose_name_plural = _("comments")
        ordering: ClassVar[list[str]] = ["id"]

    def __str__(self) -> str:
        return self.text[:40]

    @property
    def about_name(self) -> str:
        """The translated name of the part that the comment is about; "" for the whole item."""
        return place_name(self.about)
