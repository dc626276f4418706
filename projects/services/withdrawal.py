"""The service that ends links which a former manager made and may still hold."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from accounts.models import AuditEvent, User
from accounts.services import record_event, revoke_reset_links
from projects.models import Invitation, Project


def withdraw_links(*, actor: User, maker: User, project: Project | None = None) -> None:
    """Revoke unused invitations and password links that `maker` made, in one project or in all.

    With such a link, somebody who was removed could return, or sign in as a member. The caller must check
    permission.
    """
    made = AuditEvent.objects.filter(
        actor=maker,
        verb="issue_reset_link",
        at__gt=timezone.now() - timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT),
    )
    unused = Invitation.objects.filter(created_by=maker, accepted_at=None, revoked_at=None)
    if project is not None:
        made, unused = made.filter(detail__project=project.slug), unused.filter(project=project)
    for user in User.objects.filter(pk__in=made.values("subject_id")):
        revoke_reset_links(user=user)
    revoked = list(unused.select_for_update(of=("self",)))  # somebody may be joining by one just now
    for invitation in revoked:
        record_event(actor=actor, verb="revoke_invitation", subject=invitation)
    Invitation.objects.filter(pk__in=[one.pk for one in revoked]).update(revoked_at=timezone.now())
