"""Queries for examinees."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from core.errors import Hidden
from evaluation.models import Examinee
from projects.models import Project


def examinees(project: Project) -> QuerySet[Examinee]:
    """Return the project's examinees, newest first."""
    return Examinee.objects.filter(project=project).select_related("created_by").order_by("-pk")


def get_examinee(*, project: Project, pk: int) -> Examinee:
    """Return an examinee of the project. Raise `Hidden` if there is none."""
    found = examinees(project).filter(pk=pk).first()
    if found is None:
        raise Hidden(_("Examinee not found."))
    return found
