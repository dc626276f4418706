"""Checks the addresses of endpoints, so that no call reaches the internal network.

A base URL is parsed strictly, its host is resolved once, and every address found is checked. `transport` then
connects to exactly these addresses, so that a name cannot resolve to another address later.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from parable.llm.errors import AddressRefused, Unreachable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Kind = Literal[
    "public", "loopback", "private", "shared", "link_local", "multicast", "unspecified", "reserved"
]
Lookup = Callable[[str, int, float], Sequence[str]]

LOOKUP_SECONDS = 10.0
_LONGEST_HOST = 253
# The kinds that `allow_private` permits. Link-local addresses are excluded: no model is served there, but
# rented machines get their secrets there (169.254.169.254). Hosts allowed by name are not limited to these.
_OPENED_BY_ALLOW_PRIVATE: frozenset[Kind] = frozenset({"loopback", "private", "shared"})
# Addresses at which no server listens, or which the system takes for its own.
_NEVER: frozenset[Kind] = frozenset({"multicast", "unspecified"})

# The registries of special addresses: which ones Python counts as global differs between its patch
# releases. The first match counts; what matches nothing is public in IPv4, and in IPv6 inside 2000::/3.
_PARTS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("unspecified", ("0.0.0.0/32", "::/128")),
    ("loopback", ("127.0.0.0/8", "::1/128")),
    # 198.18.0.0/15 is for benchmarks; proxies on users' machines return its addresses for host names.
    ("private", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "fc00::/7", "fec0::/10")),
    ("shared", ("100.64.0.0/10",)),
    # 168.63.129.16 looks public, but one large provider routes it to its internal control server.
    ("link_local", ("169.254.0.0/16", "168.63.129.16/32", "fe80::/10")),
    ("multicast", ("224.0.0.0/4", "ff00::/8")),
    ("reserved", ("0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.51.100.0/24")),
    ("reserved", ("203.0.113.0/24", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "3fff::/20")),
)
_NETWORKS = tuple((kind, ipaddress.ip_network(text)) for kind, texts in _PARTS for text in texts)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_GLOBAL_V6 = ipaddress.ip_network("2000::/3")

_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_IN_BRACKETS = re.compile(r"\[[^][]*\](:[0-9]*)?")
_PATH = re.compile(r"[A-Za-z0-9/._~%:@+=,-]*")


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """A base URL in normal form: lower-case ASCII host, explicit port, path without a final slash."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        """The scheme, host and port, all explicit, to which a key is bound."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"http": 80, "https": 443}[self.scheme]
        return f"{self.scheme}://{host}{'' if self.port == usual else f':{self.port}'}{self.path}"


@dataclass(frozen=True, slots=True)
class Target:
    """A base URL and the addresses to which its host resolved, all of which may be called."""

    url: BaseUrl
    addresses: tuple[str, ...]


def resolve(
    base_url: str,
    *,
    allow_private: bool = False,
    allowed_hosts: frozenset[str] = frozenset(),
    timeout: float = LOOKUP_SECONDS,
    lookup: Lookup | None = None,
) -> Target:
    """Return a base URL with its resolved addresses; raise AddressRefused if one of them is forbidden.

    `allowed_hosts` holds hosts ("llm.campus.example" or "10.0.0.7:8000") that may have any address. The code
    of AddressRefused is address_scheme, address_credentials, address_form or address_inside (whose reason is
    the kind of address). Raises Unreachable with the code name_not_found if the host is not found, or not in
    time.
    """
    url = parse_base_url(base_url)
    found = tuple((lookup or look_up)(url.host, url.port, timeout))
    if not found:
        raise Unreachable(code="name_not_found", heals=False)
    named = is_named(url, allowed_hosts)
    for text in found:
        # One forbidden address is enough: any of them might be called.
        _judge(ipaddress.ip_address(text), allow_private=allow_private, named=named)
    return Target(url, found)


def parse_base_url(text: str) -> BaseUrl:
    """Parse a base URL strictly, without network access; raise AddressRefused if it is invalid."""
    try:
        return _read_url(text.strip())
    except ValueError:  # of urlsplit, the port, an IP address or the IDNA codec
        raise AddressRefused(code="address_form") from None


def judge_literal(url: BaseUrl, *, allowed_hosts: frozenset[str] = frozenset()) -> None:
    """Raise AddressRefused if the host is a forbidden IP address.

    Host names are not resolved and always pass.
    """
    try:
        address = ipaddress.ip_address(url.host)
    except ValueError:
        return
    _judge(address, allow_private=False, named=is_named(url, allowed_hosts))


def kind_of(address: Address) -> Kind:
    """Return the kind of network an address belongs to; IPv4 addresses wrapped in IPv6 are unwrapped."""
    inner = _unwrap(address) if isinstance(address, ipaddress.IPv6Address) else None
    judged: Address = inner or address
    known = next((kind for kind, network in _NETWORKS if judged in network), None)
    if known or judged.version == _GLOBAL_V6.version:
        return known or ("public" if judged in _GLOBAL_V6 else "reserved")
    return "public"


def look_up(host: str, port: int, timeout: float) -> tuple[str, ...]:
    """Return all addresses of a host from the system's resolver; raise Unreachable if none come in time."""
    answers: list[tuple[str, ...] | Unreachable] = []
    # The system's resolver has no time limit, so it runs in a thread that may be abandoned.
    worker = threading.Thread(target=lambda: answers.append(_ask_system(host, port)), daemon=True)
    worker.start()
    worker.join(timeout)
    answer = answers[0] if answers else Unreachable(code="name_not_found")
    if isinstance(answer, Unreachable):
        raise answer
    return answer


def _ask_system(host: str, port: int) -> tuple[str, ...] | Unreachable:
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        return Unreachable(code="name_not_found", heals=error.errno == socket.EAI_AGAIN)
    except (OSError, UnicodeError):
        return Unreachable(code="name_not_found", heals=False)
    return tuple(dict.fromkeys(str(row[4][0]) for row in rows))


def _judge(address: Address, *, allow_private: bool, named: bool) -> None:
    kind = kind_of(address)
    is_open = kind == "public" or (allow_private and kind in _OPENED_BY_ALLOW_PRIVATE)
    if kind in _NEVER or not (named or is_open):
        raise AddressRefused(code="address_inside", reason=kind)


def is_named(url: BaseUrl, allowed_hosts: frozenset[str]) -> bool:
    """Return whether `allowed_hosts` has exactly this host, or this host and port."""
    allowed = {host.strip().lower().rstrip(".") for host in allowed_hosts}
    with_port = f"[{url.host}]:{url.port}" if ":" in url.host else f"{url.host}:{url.port}"
    return url.host in allowed or with_port in allowed


def carries_keys(url: BaseUrl) -> bool:
    """Return whether a key may be sent to a URL, judged by the URL alone: over TLS, or to this machine.

    Return False for http with a host name other than `localhost`: use `keeps_keys_private` once it is
    resolved.
    """
    if url.scheme == "https" or url.host == "localhost":
        return True
    try:
        return kind_of(ipaddress.ip_address(url.host)) == "loopback"
    except ValueError:
        return False


def keeps_keys_private(target: Target) -> bool:
    """Return whether a key sent to these addresses is encrypted or stays on this machine."""
    if target.url.scheme == "https":
        return True
    return all(kind_of(ipaddress.ip_address(text)) == "loopback" for text in target.addresses)


def _read_url(text: str) -> BaseUrl:
    # urlsplit silently drops tabs and line ends, and treats a backslash differently than browsers.
    if "\\" in text or any(unicodedata.category(char)[0] in "CZ" for char in text):
        raise AddressRefused(code="address_form")
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https"):
        raise AddressRefused(code="address_scheme")
    if "@" in parts.netloc:
        raise AddressRefused(code="address_credentials")
    host = _read_host(parts)
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    if parts.query or parts.fragment or not _PATH.fullmatch(path) or parts.port == 0:
        raise AddressRefused(code="address_form")
    if parts.scheme == "https":
        return BaseUrl("https", host, parts.port or 443, path)
    return BaseUrl("http", host, parts.port or 80, path)


def _read_host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if parts.netloc.startswith("["):
        # urlsplit ignores text after the bracket; "%" begins the zone of an address
        if "%" in host or not _IN_BRACKETS.fullmatch(parts.netloc):
            raise AddressRefused(code="address_form")
        return str(ipaddress.IPv6Address(host))
    if not host.isascii():
        host = host.encode("idna").decode("ascii").lower()
    host = host.rstrip(".")
    labels = host.split(".")
    if not host or len(host) > _LONGEST_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise AddressRefused(code="address_form")
    # If the last label is a number, the system reads the host as an IPv4 address, in decimal, octal, hex
    # or with parts left out. One spelling is enough; the others only serve to evade checks.
    return str(ipaddress.IPv4Address(host)) if _NUMBER.fullmatch(labels[-1]) else host


def _unwrap(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address.sixtofour:
        return address.sixtofour
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None
