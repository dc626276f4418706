"""Differences between Linux, macOS and Windows; no other module checks which system runs.

A test simulates the other systems here (`tests/parable/test_system.py`). The site runs on Linux and macOS; on
Windows only the commands of `parable` do.
"""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

PROC: Final = Path("/proc")
"""The folder in which Linux describes processes; macOS has none."""
_FIXED: Final = {"LC_ALL": "C", "TZ": "UTC"}
"""Environment variables for `ps`, so that start times do not depend on locale or time zone."""


class Process(NamedTuple):
    """A process: its state as one letter (Z is a zombie), its parent's ID, and its start time."""

    state: str
    parent: int
    began: str


def processors() -> int:
    """Return the number of processors that this process may use, or of all if that is unknown."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process(pid: int) -> Process | None:
    """Return the state, parent and start time of a process; None if it does not exist."""
    if _has_proc():
        return _described(PROC / str(pid))
    parts = _ps("-o", "stat=,ppid=,lstart=", "-p", str(pid)).split(maxsplit=2)
    return Process(parts[0][0], int(parts[1]), parts[2].strip()) if len(parts) == 3 else None


def arguments(pid: int) -> str:
    """Return the command line of a process on one line; "" if the process does not exist."""
    if not _has_proc():
        return _ps("-o", "args=", "-p", str(pid)).strip()
    try:
        return (PROC / str(pid) / "cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def children(pid: int) -> list[int]:
    """Return the IDs of the child processes of a process."""
    if _has_proc():
        found = {int(path.name): _described(path) for path in PROC.iterdir() if path.name.isdigit()}
        return [child for child, known in found.items() if known and known.parent == pid]
    pairs = [line.split() for line in _ps("-A", "-o", "pid=,ppid=").splitlines()]
    return [int(child) for child, parent in pairs if int(parent) == pid]


def unprivileged_user() -> tuple[int, int] | None:
    """Return the IDs of the user `nobody` and its group; None if there is no such user."""
    import pwd  # not on Windows

    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        return None
    return nobody.pw_uid, nobody.pw_gid


def limit_data(most: int) -> None:
    """Limit the memory that this process can write to, in bytes; only Linux enforces the limit."""
    import resource  # not on Windows

    if not _has_proc():
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def allow_files(wanted: int) -> None:
    """Raise the limit of open files to `wanted`, or as far as the system allows; never lower it."""
    import resource  # not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def lock_alone(descriptor: int) -> None:
    """Lock a file until it is closed; raise BlockingIOError if another process has locked it.

    Windows has no such lock: there a second holder is not noticed.
    """
    try:
        import fcntl  # not on Windows
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _has_proc() -> bool:
    return (PROC / "self" / "stat").exists()


def _described(folder: Path) -> Process | None:
    try:
        # The name is in brackets and may itself hold any character.
        fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:  # the process has ended
        return None
    return Process(fields[0], int(fields[1]), f"{boot}/{fields[19]}")


def _ps(*options: str) -> str:
    """Return the output of `ps` for options that Linux and macOS share; "" without `ps`."""
    if not shutil.which("ps"):
        return ""
    asked = ["ps", *options]
    said = subprocess.run(asked, capture_output=True, text=True, check=False, env=os.environ | _FIXED)
    return said.stdout
