"""Saved views of lists, and bulk actions on their rows."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from projects.models import Project, roles


class SavedView(models.Model):
    """A named query of a list: filters, order and columns.

    It belongs to one user, or is shared with the project.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    listing = models.CharField(max_length=40)
    name = models.CharField(_("name"), max_length=40)
    query = models.CharField(max_length=2000, blank=True)
    shared = models.BooleanField(_("shared with the project"), default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        ordering: ClassVar[list[str]] = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "owner", "listing", "name"], name="dashboard_view_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Verb(models.TextChoices):
    """The bulk actions on rows of lists."""

    RETURN = "return", _("send for re-review")
    SEND_BACK = "send_back", _("return to the writer")
    FIRST = "first", _("review first")
    NORMAL = "normal", _("review in normal order")
    ASSIGN = "assign", _("assign to a writer")
    RETIRE = "retire", _("retire")
    HOLD_BACK = "hold_back", _("hold back")
    RELEASE = "release", _("make available")
    PAUSE = "pause", _("pause")
    RESUME = "resume", _("resume")
    RETRY = "retry", _("retry failed calls")
    CANCEL = "cancel", _("cancel")
    GROUP = "group", _("count as one story")
    RIGHTS = "rights", _("set rights and genre")
    GIVE_ROLE = "give_role", _("add a role")
    TAKE_ROLE = "take_role", _("remove a role")


class BulkAction(models.Model):
    """A bulk action of a user, or the undoing of a bulk action, with the data needed to undo it.

    `rows` has the ids of all its rows; the first `position` of them are done. `changed` has a pair for each
    changed row: its id and its undo data, in the format of the list's module in `services`. `groups` is set
    if the rows form several groups: for each group, a pair of the rows that belong together and the rows that
    do not. `metadata` has the values to set for all these stories: rights, evidence, genre.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    verb = models.CharField(max_length=10, choices=Verb)
    undoes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by"
    )
    reason = models.TextField(_("reason"), blank=True, max_length=4000)
    receiver = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    role = models.CharField(_("role"), max_length=10, choices=roles, blank=True)
    listing = models.CharField(max_length=40)
    rows = models.JSONField(default=list)
    groups = models.JSONField(default=list, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    position = models.PositiveIntegerField(default=0)
    changed = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("bulk action")
        verbose_name_plural = _("bulk actions")
        ordering: ClassVar[list[str]] = ["-id"]
        indexes = [models.Index(fields=["project", "actor", "-id"], name="dashboard_bulk_of")]
        constraints = [
            models.CheckConstraint(
                condition=~Q(verb="assign") | Q(receiver__isnull=False), name="dashboard_bulk_has_receiver"
            )
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.pk}"
