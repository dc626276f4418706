"""Rows of revisions without options: marked spans, judgements of scenes, narratives."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from parable.kinds.marks import ALIGNMENT, ANSWER, COREFERENCE, LAYERS, NON_COREFERENCE


class Layer(models.TextChoices):
    """The layer that a group of marks belongs to."""

    ANSWER = ANSWER, _("answer")
    COREFERENCE = COREFERENCE, _("mentions of one entity")
    NON_COREFERENCE = NON_COREFERENCE, _("mentions that only look like one entity")
    ALIGNMENT = ALIGNMENT, _("aligned spans")


class MarkedSpan(models.Model):
    """A marked span: characters of a text with a role, a label, or both.

    Groups, and marks within them, count from 0. A group is an alternative, a tuple, a set of mentions or a
    pair; empty groups have no rows. `positions` count from 0 and are neither sorted nor deduplicated. `text`
    has the characters at these positions. `target` is the name of the marked text; "" is the story.
    """

    layer = models.CharField(max_length=16, choices=Layer)
    group = models.PositiveSmallIntegerField()
    number = models.PositiveSmallIntegerField()
    role = models.CharField(max_length=20, blank=True)
    target = models.CharField(max_length=10, blank=True)
    text = models.TextField(blank=True)
    positions = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    label = models.CharField(max_length=20, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.layer} {self.group}.{self.number} {self.role}: {self.text or self.label}"


def span_constraints(owner: str, name: str) -> list[models.BaseConstraint]:
    """Return the database constraints of a model of marked spans.

    `owner` is the name of its foreign key.
    """
    return [
        models.CheckConstraint(condition=Q(layer__in=LAYERS), name=f"{name}_layer_exists"),
        models.CheckConstraint(
            # a published pair may have a wording that does not occur in its text
            condition=~Q(positions=[]) | ~Q(label="") | Q(layer=ALIGNMENT) & ~Q(text=""),
            name=f"{name}_marks_something",
        ),
        models.UniqueConstraint(fields=[owner, "layer", "group", "number"], name=f"{name}_number"),
        models.UniqueConstraint(
            fields=[owner, "layer", "group", "role", "target"],
            condition=~Q(layer__in=[COREFERENCE, NON_COREFERENCE]),
            name=f"{name}_role_once",
        ),
    ]


class Span(MarkedSpan):
    """A marked span of a revision."""

    revision = models.ForeignKey(
        "annotation.Revision", on_delete=models.PROTECT, related_name="spans", db_index=False
    )

    class Meta:
        verbose_name = _("marked span")
        verbose_name_plural = _("marked spans")
        ordering: ClassVar[list[str]] = ["revision", "layer", "group", "number"]
        constraints = span_constraints("revision", "annotation_span")


class Element(models.TextChoices):
    """The element of a scene in which two texts differ."""

    PLACE = "处所", _("place")
    FACING = "朝向", _("facing")
    GOAL = "终点", _("goal")
    DIRECTION = "方向", _("direction")
    PATH = "路径", _("path")
    POSITION = "位置关系", _("relative position")


class SceneJudgement(models.Model):
    """A judgement whether a second text can describe the same scene as the story.

    A revision has one row. The reason is the revision's explanation. If it was composed from parts, the
    parts are stored here.
    """

    revision = models.OneToOneField("annotation.Revision", on_delete=models.PROTECT, related_name="scene")
    second_text = models.TextField(_("second text"))
    is_same = models.BooleanField(_("same scene"))
    element = models.CharField(_("element"), max_length=4, choices=Element, blank=True)
    first_form = models.TextField(_("difference in the first text"), blank=True)
    second_form = models.TextField(_("difference in the second text"), blank=True)
    entities = models.TextField(_("shared entities"), blank=True)
    aspect = models.TextField(_("aspect that differs in form"), blank=True)
    described = models.TextField(_("what is described"), blank=True)
    manner = models.TextField(_("how it is described"), blank=True)

    class Meta:
        verbose_name = _("judgement of a scene")
        verbose_name_plural = _("judgements of scenes")
        constraints = [
            models.CheckConstraint(condition=~Q(second_text=""), name="annotation_scene_has_two_texts"),
            models.CheckConstraint(
                condition=Q(element__in=["", *Element.values]), name="annotation_scene_element_exists"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.revision_id}: {self.is_same}"


class Narrative(models.Model):
    """A narrative that illustrates a proverb; one row per revision.

    Spans in it have the target `narrative`.
    """

    revision = models.OneToOneField("annotation.Revision", on_delete=models.PROTECT, related_name="narrative")
    text = models.TextField(_("narrative"))

    class Meta:
        verbose_name = _("narrative")
        verbose_name_plural = _("narratives")
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="annotation_narrative_has_text")]

    def __str__(self) -> str:
        return self.text[:40]
