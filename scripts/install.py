"""Puts everything into .venv: run by `make setup` and by every target that needs something.

Usage: python3.11 scripts/install.py running|development

Needs nothing but Python 3.11 itself. What is installed is what the lock says, checked by hash,
and nothing is done where that has been done before. uv does it in seconds; where uv cannot be
had or fails, pip does it.
"""

# Old Pythons must be able to read this file, to say that they are too old: nothing newer than 3.6.
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
VENV = BASE / ".venv"
PYTHON = VENV / "bin" / "python"
WANTED = (3, 11)


def main() -> None:
    """Install what the named lock says, unless it is there."""
    name = sys.argv[1]
    require_python()
    if stamp(name).exists() or stamp("development").exists():
        return
    make_environment()
    print("Installing what Parable needs into .venv (once; a minute or less) ...", flush=True)
    has_uv = install_with_pip("installer", quiet=True)
    if not (has_uv and install_with_uv(name)) and not install_with_pip(name):
        sys.exit("The packages could not be installed; the lines above say why.")
    show_sources()
    stamp(name).touch()


def require_python() -> None:
    """Leave with a sentence if this is not the Python that the locks are for."""
    if sys.version_info[:2] != WANTED:
        sys.exit(
            f"Parable needs Python 3.11, and {sys.executable} is Python {sys.version.split()[0]}.\n"
            "Install Python 3.11, or say where it is: make demo PYTHON=/path/to/python3.11"
        )


def lock(name: str) -> Path:
    """Return the path of a lock."""
    return BASE / "requirements" / f"{name}.txt"


def stamp(name: str) -> Path:
    """Return the path of the empty file that says: this very lock is installed."""
    return VENV / f"installed-{name}-{hashlib.sha256(lock(name).read_bytes()).hexdigest()[:16]}"


def make_environment() -> None:
    """Make .venv, anew where it was made by another Python."""
    asked = [PYTHON, "-c", f"import sys, pip; sys.exit(sys.version_info[:2] != {WANTED!r})"]
    if PYTHON.exists() and run(asked, quiet=True):
        return
    shutil.rmtree(VENV, ignore_errors=True)
    if not run([sys.executable, "-m", "venv", VENV]):
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit("Python cannot make virtual environments here; on Debian: apt-get install python3.11-venv")


def install_with_uv(name: str) -> bool:
    """Install a lock with uv; say whether that worked.

    It is asked to trust whom the system trusts, since a campus or a company may have its own
    mirror; and if that fails, whom it trusts itself, since a bare system trusts nobody.
    """
    command = [PYTHON, "-m", "uv", "--quiet", "pip", "install", "--python", PYTHON]
    command += ["--require-hashes", "--requirement", lock(name)]
    return run([*command, "--system-certs"], quiet=True) or run(command)


def install_with_pip(name: str, *, quiet: bool = False) -> bool:
    """Install a lock with pip; say whether that worked."""
    command = [PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-input"]
    return run([*command, "--require-hashes", "--requirement", lock(name)], quiet=quiet)


def show_sources() -> None:
    """Let every program in .venv find the packages of this repository."""
    folder = VENV / "lib" / "python{}.{}".format(*WANTED) / "site-packages"
    (folder / "parable-source.pth").write_text(f"{BASE}\n", encoding="utf-8")


def run(command: "list[object]", *, quiet: bool = False) -> bool:
    """Run a program; say whether it succeeded."""
    where = subprocess.DEVNULL if quiet else None
    return (
        subprocess.call([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=where, stderr=where)
        == 0
    )


if __name__ == "__main__":
    main()
