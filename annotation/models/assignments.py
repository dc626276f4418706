"""Assignments of stories to writers, handovers, and pilots."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import AuditEvent, User
from corpus.models import Story
from projects.models import Guideline, Project


class AssignmentSource(models.TextChoices):
    """How an assignment began: the writer took the story, or a manager assigned it."""

    PULLED = "pulled", _("taken by the writer")
    NAMED = "named", _("assigned by a manager")


class WritingAssignment(models.Model):
    """An assignment of a story to a writer. The writer owes items about the story until giving it back."""

    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="assignments")
    writer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="assignments")
    source = models.CharField(max_length=10, choices=AssignmentSource, default=AssignmentSource.PULLED)
    due_on = models.DateField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    given_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("writing assignment")
        verbose_name_plural = _("writing assignments")
        constraints = [
            models.UniqueConstraint(
                fields=["story", "writer"], condition=Q(given_back_at=None), name="annotation_assigned_once"
            )
        ]
        indexes = [models.Index(fields=["writer", "story"], name="annotation_assigned_to")]

    def __str__(self) -> str:
        return f"{self.story_id} {self.writer_id}"


class WritingPlaces(models.Model):
    """The number of writers to whom a story is currently assigned.

    Triggers maintain it, so that an index gives the next free story. Locking the row locks the number, so
    that two writers cannot both take a story that needs only one more writer.
    """

    story = models.OneToOneField(Story, on_delete=models.CASCADE, primary_key=True, related_name="places")
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+", db_index=False)
    writers = models.PositiveSmallIntegerField(default=0)
    # whether only writers for whom the story is reserved can take it; a manager can still assign it
    is_held_back = models.BooleanField(default=False, db_default=False)
    # the last event that changed is_held_back
    hold_event = models.ForeignKey(
        AuditEvent, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["project", "is_held_back", "writers", "story"], name="annotation_fewest_writers"
            )
        ]

    def __str__(self) -> str:
        return f"{self.story_id}: {self.writers}"


class HandOver(models.Model):
    """A handover of a member's work to another member or to all writers. It can be undone.

    `moved` is {"assignments": [[ended, begun or null]], "items": [ids], "drafts": [ids], "leases": n}, where
    `ended` and `begun` are ids of assignments.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    leaver = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    receiver = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    moved = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("handover")
        verbose_name_plural = _("handovers")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return f"{self.leaver_id} → {self.receiver_id or '*'}"


class Pilot(models.Model):
    """A set of stories that several writers write about at once, without seeing each other's items."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(_("name"), max_length=100)
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, related_name="+")
    writers = models.ManyToManyField(User, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("pilot")
        verbose_name_plural = _("pilots")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return self.name


class PilotStory(models.Model):
    """A story of a pilot, with the manager's notes on the items written about it."""

    pilot = models.ForeignKey(Pilot, on_delete=models.PROTECT, related_name="links")
    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="+")
    note = models.TextField(_("notes"), blank=True, max_length=20_000)

    class Meta:
        verbose_name = _("story of a pilot")
        verbose_name_plural = _("stories of pilots")
        constraints = [models.UniqueConstraint(fields=["pilot", "story"], name="annotation_pilot_story_once")]

    def __str__(self) -> str:
        return f"{self.pilot_id} {self.story_id}"
