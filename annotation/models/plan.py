"""A project's targets by commonsense type, and stories reserved for a type or a writer."""

from typing import ClassVar

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from corpus.models import Story
from projects.models import CommonsenseType

MOST_PER_STORY = 3
"""The highest target for items of a type per story; the overview counts up to this number."""


class TypeTarget(models.Model):
    """The targets of a type: its number of items per story, and its share of all types in the project."""

    type = models.OneToOneField(
        CommonsenseType, on_delete=models.PROTECT, primary_key=True, related_name="target"
    )
    per_story = models.PositiveSmallIntegerField(
        _("items per story"), default=1, validators=[MaxValueValidator(MOST_PER_STORY)]
    )
    # 0: no target share
    share = models.PositiveSmallIntegerField(
        _("share in percent"), default=0, validators=[MaxValueValidator(100)]
    )

    class Meta:
        verbose_name = _("type target")
        verbose_name_plural = _("type targets")

    def __str__(self) -> str:
        return f"{self.type_id}: {self.per_story}, {self.share} %"


class Reservation(models.Model):
    """A reservation of a story for a type, a writer, or both.

    With a writer, the story is not given to so many others that this writer could not take it. With a type,
    the story's writers (or that writer alone) are asked to write an item of this type first.
    """

    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="reservations")
    type = models.ForeignKey(CommonsenseType, on_delete=models.PROTECT, null=True, related_name="+")
    writer = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("reservation")
        verbose_name_plural = _("reservations")
        ordering: ClassVar[list[str]] = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["story", "type", "writer"], nulls_distinct=False, name="annotation_reserved_once"
            ),
            models.CheckConstraint(
                condition=Q(type__isnull=False) | Q(writer__isnull=False),
                name="annotation_reserved_for_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.story_id}: {self.type_id or '*'} {self.writer_id or '*'}"
