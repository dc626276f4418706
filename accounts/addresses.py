"""From which address a request comes, as the limits on sign-ins and the audit trail see it."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.core.internal.ratelimit import truncate_ip
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the client's address: as PARABLE_PROXIES of our proxies say, else the other end's."""
    try:
        return str(get_adapter().get_client_ip(request))
    except (ImproperlyConfigured, PermissionDenied):  # fewer proxies than were promised, or a socket
        return str(request.META.get("REMOTE_ADDR", ""))


def network_of(address: str) -> str:
    """Return what limits count: the address, or in IPv6 its network of 64 bits, which one person has."""
    return str(truncate_ip(address))
