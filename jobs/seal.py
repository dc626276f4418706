"""Encrypts API keys of endpoints with a secret of the site, so that the database alone reveals no key. Pure.

An encrypted key contains its `place`, a text that identifies the endpoint and its server. It can only be
decrypted for the same `place`: not if it is copied to another row, or if its row is changed to another
server.
"""

import base64
import json
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Unreadable(Exception):
    """Raised if no secret decrypts an encrypted key, or if the key was encrypted for another `place`."""


def seal(key: str, *, place: str, secrets: Sequence[str]) -> str:
    """Return the key encrypted with the first of the secrets, bound to `place`."""
    inside = json.dumps({"place": place, "key": key}).encode()
    return _lock(secrets).encrypt(inside).decode("ascii")


def unseal(sealed: str, *, place: str, secrets: Sequence[str]) -> str:
    """Return the decrypted key. Raise `Unreadable` if no secret decrypts it, or if `place` differs."""
    try:
        inside = json.loads(_lock(secrets).decrypt(sealed.encode()))
    except (InvalidToken, ValueError):
        raise Unreadable from None
    if inside["place"] != place:
        raise Unreadable
    return str(inside["key"])


def reseal(sealed: str, *, secrets: Sequence[str]) -> str:
    """Return the key encrypted anew with the first secret. Raise `Unreadable` if it cannot be decrypted."""
    try:
        return _lock(secrets).rotate(sealed.encode()).decode("ascii")
    except (InvalidToken, ValueError):
        raise Unreadable from None


def _lock(secrets: Sequence[str]) -> MultiFernet:
    keys = []
    for secret in secrets:  # a key derived from the secret for this purpose only
        derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"parable: keys of endpoints")
        keys.append(Fernet(base64.urlsafe_b64encode(derived.derive(secret.encode()))))
    return MultiFernet(keys)
