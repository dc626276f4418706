"""The servers that stored keys may be sent to: exact names, said by administrators."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import Unusable, require
from accounts.models import User
from accounts.services import record_event
from jobs.models import AllowedHost
from jobs.permissions import may_allow_hosts
from parable.llm.addresses import BaseUrl, parse_base_url
from parable.llm.errors import AddressRefused


@transaction.atomic
def allow_host(*, actor: User, address: str, note: str = "") -> AllowedHost:
    """Let stored keys be sent to one host at one port. Administrators only.

    `address` is a host, a host with its port, or a base URL, of which host and port are taken. Raises
    `Unusable` where it is none of these: there are no patterns, and a name allows no name below it.
    """
    require(may_allow_hosts(actor))
    url = _read(address)
    wanted = {"note": note.strip()[:200], "allowed_by": actor, "withdrawn_at": None}
    host, _made = AllowedHost.objects.update_or_create(host=url.host, port=url.port, defaults=wanted)
    record_event(actor=actor, verb="allow_host", subject=host, detail={"host": str(host)})
    return host


def _read(address: str) -> BaseUrl:
    text = address.strip()
    try:
        return parse_base_url(text if "://" in text else f"https://{text}")
    except AddressRefused:
        message = _("Write one exact host, as in api.example.com or llm.example.com:8000.")
        raise Unusable(message, {"address": message}) from None


@transaction.atomic
def withdraw_host(*, actor: User, host: AllowedHost) -> None:
    """Send no stored key there any more; keys stay stored, and count again once it is allowed again."""
    require(may_allow_hosts(actor))
    AllowedHost.objects.filter(pk=host.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
    record_event(actor=actor, verb="withdraw_host", subject=host, detail={"host": str(host)})
