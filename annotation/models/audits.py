"""The model of a check of files that belong to no project."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User


class AuditState(models.TextChoices):
    """The state of a check of files."""

    WORKING = "working", _("being checked")
    DONE = "done", _("checked")
    FAILED = "failed", _("failed")


class AuditStep(models.IntegerChoices):
    """A step of a check of files, in order of the values."""

    WAITING = 0, _("Waiting for a worker")
    READING = 1, _("Reading the files")
    TESTING = 2, _("Checking the items")
    WRITING = 3, _("Writing the report")


class FileAudit(models.Model):
    """Files of items that are checked without a project, and forgotten after a while.

    The files and the findings are in the storage, in a folder named by the token. Without an account,
    `created_by` is None, and anyone with the address may open it.
    """

    token = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    # when the files and the findings are deleted
    expires_at = models.DateTimeField(db_index=True)
    names = models.JSONField(default=list)
    # the chosen reading options; `columns` has the column of each field, by the number of the file
    options = models.JSONField(default=dict)
    columns = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=AuditState, default=AuditState.WORKING)

    class Meta:
        verbose_name = _("check of files")
        verbose_name_plural = _("checks of files")
        ordering: ClassVar[list[str]] = ["-id"]

    def __str__(self) -> str:
        return ", ".join(self.names)

    @property
    def folder(self) -> str:
        """The path of the folder in the storage."""
        return f"{FOLDER}/{self.token}"


FOLDER = "audits"
"""The folder of all checks in the storage, which backups leave out."""
