"""Returns the client's IP address, for the limits on sign-in and for the audit trail."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.core.internal.ratelimit import truncate_ip
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the client's IP address, from the headers of our proxies (PARABLE_PROXIES) or the connection."""
    try:
        return str(get_adapter().get_client_ip(request))
    except (ImproperlyConfigured, PermissionDenied):  # fewer proxies than configured, or a socket
        return str(request.META.get("REMOTE_ADDR", ""))


def network_of(address: str) -> str:
    """Return the address to which limits apply: an IPv4 address, or the /64 network of an IPv6 address."""
    return str(truncate_ip(address))
