"""Services by which administrators choose which servers may receive API keys."""

import fnmatch
import re
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Unusable, require
from jobs.models import AllowedHost, KeyBinding
from jobs.permissions import may_allow_hosts
from parable.llm.addresses import BaseUrl, parse_base_url
from parable.llm.errors import AddressRefused

_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,79}")


@transaction.atomic
def allow_host(*, actor: User, address: str, note: str = "") -> AllowedHost:
    """Allow API keys to be sent to one host and port. Only administrators may.

    `address` is a host, a host with its port, or a base URL, of which only host and port are used. Raises
    `Unusable` for anything else: there are no patterns, and a name does not include its subdomains.
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
        message = _("Enter one exact host, such as api.example.com or llm.example.com:8000.")
        raise Unusable(message, "address") from None


@transaction.atomic
def withdraw_host(*, actor: User, host: AllowedHost) -> None:
    """Disallow sending API keys to a host. Only administrators may.

    Stored keys are not deleted, and can be used again if the host is allowed again.
    """
    require(may_allow_hosts(actor))
    AllowedHost.objects.filter(pk=host.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
    record_event(actor=actor, verb="withdraw_host", subject=host, detail={"host": str(host)})


def variable_name_problem(name: str) -> str:
    """Return why an environment variable of this name may not hold API keys; "" if it may.

    The setting PARABLE_LLM_KEYS has the patterns of allowed names.
    """
    matches = any(fnmatch.fnmatchcase(name, pattern) for pattern in settings.LLM_KEYS)
    if _VARIABLE.fullmatch(name) and matches:
        return ""
    patterns = ", ".join(settings.LLM_KEYS)
    return _("The variable name must match %(patterns)s.") % {"patterns": patterns}


@transaction.atomic
def bind_key(*, actor: User, variable: str, address: str) -> KeyBinding:
    """Bind the API key in an environment variable of the workers to the only server that may receive it.

    The host is also allowed to receive keys. An earlier binding of the variable is replaced. Only
    administrators may. Raises `Unusable`, naming the invalid fields.
    """
    require(may_allow_hosts(actor))
    name = variable.strip()
    if problem := variable_name_problem(name):
        raise Unusable(problem, "variable")
    url = _read(address)
    known = AllowedHost.objects.filter(host=url.host, port=url.port, withdrawn_at=None).first()
    host = known or allow_host(actor=actor, address=address)
    values = {"host": host, "bound_by": actor, "withdrawn_at": None}
    binding, _made = KeyBinding.objects.update_or_create(variable=name, defaults=values)
    detail = {"variable": name, "host": str(host)}
    record_event(actor=actor, verb="bind_key", subject=binding, detail=detail)
    return binding


@transaction.atomic
def unbind_key(*, actor: User, binding: KeyBinding) -> None:
    """Remove the binding of an environment variable, so that its key is no longer sent to any server.

    Only administrators may.
    """
    require(may_allow_hosts(actor))
    KeyBinding.objects.filter(pk=binding.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
    detail = {"variable": binding.variable, "host": str(binding.host)}
    record_event(actor=actor, verb="unbind_key", subject=binding, detail=detail)
