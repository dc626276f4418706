"""Tokens of links: to set a new password, to stop the daily mail, and others stored as a hash."""

from __future__ import annotations

import hashlib
import secrets
import zlib
from typing import TYPE_CHECKING, Final

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.signing import Signer

if TYPE_CHECKING:
    from accounts.models import User


class ResetTokenGenerator(PasswordResetTokenGenerator):
    """Django's generator of password tokens; the tokens also become invalid when the user gains rights.

    Otherwise a manager who created a link for a member could still use it after the member joined another
    project.
    """

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.reset_links_revoked}"


reset_tokens: Final = ResetTokenGenerator()
mail_tokens: Final = Signer(salt="parable.daily-mail")


PREFIX: Final = "parable_"
"""The beginning of every access token, by which scanners for secrets recognise one."""
_RANDOM: Final = 32
_CHECKSUM: Final = 6
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def new_access_token() -> str:
    """Return a new token: the prefix, 32 random characters (190 bits), and six of a checksum (CRC-32)."""
    bare = "".join(secrets.choice(_DIGITS) for _each in range(_RANDOM))
    return f"{PREFIX}{bare}{_checksum(bare)}"


def is_access_token(text: str) -> bool:
    """Return whether the text has the form of an access token, with the right checksum."""
    bare = text.removeprefix(PREFIX)
    is_form = (
        text.startswith(PREFIX) and len(bare) == _RANDOM + _CHECKSUM and bare.isascii() and bare.isalnum()
    )
    return is_form and bare[_RANDOM:] == _checksum(bare[:_RANDOM])


def _checksum(bare: str) -> str:
    rest, digits = zlib.crc32(bare.encode()), ""
    for _each in range(_CHECKSUM):
        rest, digit = divmod(rest, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits


def token_hash(token: str) -> str:
    """Return the hash of a link's token; the database stores only the hash."""
    return hashlib.sha256(token.encode()).hexdigest()
