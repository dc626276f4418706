"""Signs deliveries as Standard Webhooks 1.0 does (standardwebhooks.com). Pure."""

import base64
import hmac
import secrets
from typing import Final

PREFIX: Final = "whsec_"
BYTES: Final = 32


def new_secret() -> str:
    """Return a new secret for a webhook: `whsec_` and 32 random bytes in Base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(BYTES)).decode("ascii")


def signature(*, secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message: `v1,` and the HMAC-SHA256 of "id.timestamp.body" in Base64."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode("ascii")
