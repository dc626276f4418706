"""Tests the site with every other supported Python that is installed on this machine.

Run by `make pythons`; `PYTHONS=newest` tests only the newest, as CI does. For each version other than that of
.venv, it creates an environment in .venv-pythons with the locked packages, and runs the tests of `parable/`
and a test of the site (a sign-in, pages of each role, a command). It looks for Python on PATH, in /usr/bin
and in pyenv's folder. It prints the time of each version and the versions that were not tested; the exit code
is 1 if a version fails.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
VENVS = BASE / ".venv-pythons"
RANGE = ("3.11", "3.12", "3.13", "3.14")
TRIED = {
    "the tests of parable/": ["-n", "2", "--dist", "worksteal", "tests/parable"],
    "a walk of the site": ["-m", "drill", "tests/drills/test_walk.py"],
}
NEWEST = "newest"
USABLE = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"


def main() -> None:
    """Test each Python, print a line for each, and exit with 1 if a test fails."""
    ours = "{}.{}".format(*sys.version_info[:2])
    found = {version: program for version in RANGE if version != ours and (program := find(version))}
    if sys.argv[1:] == [NEWEST]:
        found = dict([*found.items()][-1:])
    failures = []
    for version, program in found.items():
        began = time.monotonic()
        failure = first_failure(version, program)
        failures += [failure] if failure else []
        outcome = f"{failure} failed" if failure else "passed"
        print(f"Python {version}: {outcome} in {time.monotonic() - began:.0f} s ({program})", flush=True)
    others = [version for version in RANGE if version not in (ours, *found)]
    print(f"Tried beside {ours}: {', '.join(found) or 'none'}. Not tried: {', '.join(others) or 'none'}.")
    sys.exit(1 if failures else 0)


def find(version: str) -> str | None:
    """Return the path of a Python of this version that can create virtual environments, or None."""
    named = f"python{version}"
    places = [
        shutil.which(named),
        f"/usr/bin/{named}",
        *sorted(Path.home().glob(f".pyenv/versions/*/bin/{named}")),
    ]
    for place in places:
        if place and Path(place).exists():
            output = subprocess.run([place, "-c", USABLE], capture_output=True, text=True, check=False).stdout
            if output.strip() == version:
                return str(place)
    return None


def first_failure(version: str, program: str) -> str | None:
    """Install the packages and run every step. Return the name of the first step that fails, or None."""
    venv = VENVS / version
    installed = [program, "scripts/install.py", "development", "--into", f"{VENVS.name}/{version}"]
    if subprocess.call(installed, cwd=BASE):
        return "the installation"
    for name, options in TRIED.items():
        if subprocess.call([venv / "bin" / "python", "-m", "pytest", "--quiet", *options], cwd=BASE):
            return name
    return None


if __name__ == "__main__":
    main()
