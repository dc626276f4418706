"""The folders of the local servers, and their permissions.

PostgreSQL refuses to run as root. Root therefore runs it as the system's user `nobody`, who must be able to
access its programs and data, which is not possible below a private home folder. They are then stored under
/var/lib/parable, which survives a restart like the data folder, and a file in the data folder records this.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from config.local.errors import LocalServerError
from parable.system import unprivileged_user

REACHABLE_STORE = Path("/var/lib/parable")
PRIVATE_ENTRIES = ("files", "releases", "secret_key", "key_secret", "processes.json", "beat-schedule*")


@dataclass(frozen=True)
class Account:
    """The system user that runs PostgreSQL if this process runs as root."""

    uid: int
    gid: int

    def own(self, folder: Path) -> None:
        """Make the account the owner of a folder, which no other user can access."""
        os.chown(folder, self.uid, self.gid)
        folder.chmod(0o700)


def unprivileged_account() -> Account | None:
    """Return the account that must run PostgreSQL; None if this process does not run as root.

    Raises LocalServerError if root has no such account.
    """
    if os.geteuid() != 0:
        return None
    nobody = unprivileged_user()
    if nobody is None:
        raise LocalServerError(
            "PostgreSQL refuses to run as root and this system has no user 'nobody';"
            " start as an ordinary user, or set DATABASE_URL."
        )
    return Account(*nobody)


def within_reach(path: Path) -> bool:
    """Return whether every user of this machine can access this path through its parent folders."""
    path = path.resolve()
    return all(place.stat().st_mode & stat.S_IXOTH for place in (path, *path.parents))


def service_folder(home: Path, name: str, account: Account | None) -> Path:
    """Return the folder of a server, created if missing. It is always the same for a data folder `home`."""
    passable = 0o711 if os.geteuid() == 0 else 0o700
    local = _made(_made(home, passable, keep=True) / "local", passable)
    if account is None:
        return _made(local / name, 0o700)
    if within_reach(local):
        return _made(local / name, 0o711)
    pointer = local / f"{name}.place"
    if not pointer.exists():
        reachable_store()
        pointer.write_text(str(REACHABLE_STORE / f"{name}-{secrets.token_hex(6)}"), encoding="utf-8")
    return _made(Path(pointer.read_text(encoding="utf-8").strip()), 0o711)


def reachable_store() -> Path:
    """Return /var/lib/parable, created if missing. Only root can write to it."""
    if not REACHABLE_STORE.parent.exists():  # macOS has no /var/lib
        _made(REACHABLE_STORE.parent, 0o755)
    REACHABLE_STORE.mkdir(exist_ok=True, mode=0o711)
    if REACHABLE_STORE.is_symlink() or REACHABLE_STORE.stat().st_uid != 0:
        raise LocalServerError(f"{REACHABLE_STORE} must be a folder that belongs to root.")
    REACHABLE_STORE.chmod(0o711)
    return REACHABLE_STORE


def keep_private(home: Path) -> None:
    """Restrict existing files in the data folder to their owner.

    The local servers set the permissions of their own files, and static files are public.
    """
    for name in PRIVATE_ENTRIES:
        for entry in home.glob(name):
            with contextlib.suppress(OSError):  # deleted meanwhile, or owned by another user
                entry.chmod(0o700 if entry.is_dir() else 0o600)


def _made(folder: Path, mode: int, *, keep: bool = False) -> Path:
    """Return a folder with this mode, created if missing; with `keep`, an existing folder keeps its mode."""
    if not (keep and folder.exists()):
        folder.mkdir(exist_ok=True, parents=True)
        folder.chmod(mode)
    return folder
