"""The service that removes the second factor of a user who has lost it."""

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.permissions import may_administer
from accounts.services.account import record_event
from core.errors import Conflict, require


@transaction.atomic
def reset_second_factor(*, actor: User, user: User) -> None:
    """Remove a user's authenticator app and recovery codes, so that the password alone signs in.

    Only administrators may. Raises `Conflict` if there is none.
    """
    require(may_administer(actor))
    deleted, _rows = Authenticator.objects.filter(user=user).delete()  # lost by its owner
    if not deleted:
        raise Conflict(_("This person has no second factor."))
    record_event(actor=actor, verb="remove_second_factor", subject=user)
