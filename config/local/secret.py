"""The secrets of a local site, which are created once and stored in its data folder."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def secret_key(home: Path, name: str = "secret_key") -> str:
    """Return the secret in the file `name` of `home`. Create the file if missing, for its owner only."""
    path = home / name
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True)
        _write_once(path, secrets.token_urlsafe(50))
    return stored_secret(home, name)


def stored_secret(home: Path, name: str = "secret_key") -> str:
    """Return the secret in the file `name` of `home`; "" if there is no such file."""
    path = home / name
    return path.read_text(encoding="ascii").strip() if path.exists() else ""


def _write_once(path: Path, text: str) -> None:
    """Write a file completely or not at all, unless another process has just written it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
