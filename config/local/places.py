"""The folders of the local servers' files, and who may access them.

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
    """The system user that PostgreSQL runs as if we are root."""

    uid: int
    gid: int

    def own(self, folder: Path) -> None:
        """Make the account the owner of this folder, with access for nobody else."""
        os.chown(folder, self.uid, self.gid)
        folder.chmod(0o700)


def unprivileged_account() -> Account | None:
    """Return the account to run PostgreSQL as, or None if we are not root and need no other account."""
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
    """Return whether every user of this machine may traverse the folders to this existing path."""
    path = path.resolve()
    return all(place.stat().st_mode & stat.S_IXOTH for place in (path, *path.parents))


def service_folder(home: Path, name: str, account: Account | None) -> Path:
    """Return the folder of a server, creating it if missing; its path is always the same for a `home`."""
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
    """Return /var/lib/parable, creating it if missing; only root can write to it."""
    if not REACHABLE_STORE.parent.exists():  # macOS has no /var/lib
        _made(REACHABLE_STORE.parent, 0o755)
    REACHABLE_STORE.mkdir(exist_ok=True, mode=0o711)
    if REACHABLE_STORE.is_symlink() or REACHABLE_STORE.stat().st_uid != 0:
        raise LocalServerError(f"{REACHABLE_STORE} must be a folder that belongs to root.")
    REACHABLE_STORE.chmod(0o711)
    return REACHABLE_STORE


def keep_private(home: Path) -> None:
    """Restrict files from earlier runs in the data folder to their owner.

    The local servers set the permissions of their own files, and static files are public.
    """
    for name in PRIVATE_ENTRIES:
        for entry in home.glob(name):
            with contextlib.suppress(OSError):  # gone meanwhile, or another user's
                entry.chmod(0o700 if entry.is_dir() else 0o600)


def _made(folder: Path, mode: int, *, keep: bool = False) -> Path:
    """Return a folder with this mode, creating it if missing; with `keep`, an existing mode is kept."""
    if not (keep and folder.exists()):
        folder.mkdir(exist_ok=True, parents=True)
        folder.chmod(mode)
    return folder
