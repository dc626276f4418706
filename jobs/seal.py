"""Keys of endpoints, sealed: what the database holds cannot be read without the site's secret. Pure.

The place that a key is for is sealed with it, so that a sealed key moved to another row, or a row
pointed at another server, opens nothing.
"""

import base64
import json
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Unreadable(Exception):
    """A sealed key that none of the secrets opens, or that is for another place."""


def seal(key: str, *, place: str, secrets: Sequence[str]) -> str:
    """The key as it may be written down, sealed with the first of the secrets."""
    inside = json.dumps({"place": place, "key": key}).encode()
    return _lock(secrets).encrypt(inside).decode("ascii")


def unseal(sealed: str, *, place: str, secrets: Sequence[str]) -> str:
    """The key again; raises `Unreadable`."""
    try:
        inside = json.loads(_lock(secrets).decrypt(sealed.encode()))
    except (InvalidToken, ValueError):
        raise Unreadable from None
    if inside["place"] != place:
        raise Unreadable
    return str(inside["key"])


def reseal(sealed: str, *, secrets: Sequence[str]) -> str:
    """The same, sealed with the first of the secrets whichever it was sealed with; raises `Unreadable`."""
    try:
        return _lock(secrets).rotate(sealed.encode()).decode("ascii")
    except (InvalidToken, ValueError):
        raise Unreadable from None


def _lock(secrets: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(_derive(secret)) for secret in secrets])


def _derive(secret: str) -> bytes:
    """A key of the length that Fernet wants, of use for nothing else that the same secret may seal."""
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"parable: keys of endpoints")
    return base64.urlsafe_b64encode(derived.derive(secret.encode()))
