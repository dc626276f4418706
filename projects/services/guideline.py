"""Services that publish versions of the guideline, and record that members have read them."""

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from projects.models import Guideline, GuidelineAcknowledgement, Project
from projects.permissions import Permission, belongs, has_permission

LONGEST_GUIDELINE = 100_000
"""The most characters of a guideline: about fifty printed pages."""


@transaction.atomic
def publish_guideline(*, actor: User, project: Project, text: str, based_on: int | None = None) -> Guideline:
    """Publish the next version of the guideline.

    `based_on` is the number of the version that the text was written from (0: none). Raises `Conflict` if
    another version has been published since then, `Unusable` if the text is empty or too long.
    """
    require(has_permission(actor, project, Permission.CHANGE_PROJECT))
    if not text.strip():
        raise Unusable(_("The guideline is empty."), "text")
    if len(text) > LONGEST_GUIDELINE:
        message = _("The guideline exceeds %(most)d characters.") % {"most": LONGEST_GUIDELINE}
        raise Unusable(message, "text")
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    newest = Guideline.objects.filter(project=project).aggregate(newest=Max("number"))["newest"] or 0
    if based_on is not None and based_on != newest:
        raise Conflict(
            _("Version %(number)d was published while you were writing. Read it, then publish yours again.")
            % {"number": newest}
        )
    guideline = Guideline.objects.create(project=project, number=newest + 1, text=text.strip(), author=actor)
    record_event(actor=actor, verb="publish_guideline", subject=guideline)
    return guideline


def acknowledge_guideline(*, actor: User, guideline: Guideline) -> None:
    """Record that a member has read this version of the guideline. Repeating it has no effect."""
    require(belongs(actor, guideline.project))
    try:
        with transaction.atomic():
            GuidelineAcknowledgement.objects.create(guideline=guideline, user=actor)
    except IntegrityError:
        pass
