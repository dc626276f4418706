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
    except (ImproperlyConfigured, PermissionDenied):  # fewer proxies than configured, or a socket
        return str(request.META.get("REMOTE_ADDR", ""))


def network_of(address: str) -> str:
    """Return the address that limits count by: itself, or an IPv6 address's /64 network."""
    return str(truncate_ip(address))
