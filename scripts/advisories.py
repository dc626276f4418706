"""Writes the list of locked packages with a known vulnerability: `requirements/advisories.json`.

Run by `make advisories`, in the virtual environment. pip-audit asks the package index (PyPI) about each
locked version; `--from FOLDER` reads a clone of https://github.com/pypa/advisory-database instead, where the
index has no advisories or cannot be reached. `manage.py doctor` compares the list with what is installed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from outdated import BASE, REQUIREMENTS, versions
from packaging.version import Version

LIST: Final = REQUIREMENTS / "advisories.json"
DATABASE: Final = "https://github.com/pypa/advisory-database"
PIP_AUDIT: Final = "pip-audit==2.10.1"
PROBE: Final = "jinja2==3.1.2"
"""A version with known vulnerabilities, by which an index without advisories is recognized."""
Advisory = dict[str, Any]


def main() -> None:
    """Write the list, and print a line for each advisory."""
    parser = argparse.ArgumentParser(prog="make advisories", description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="folder", type=Path, help=f"a clone of {DATABASE}")
    folder = parser.parse_args().folder
    locked = locked_versions()
    if folder:
        found, source, date = list(read_clone(folder, locked)), *state_of(folder)
    else:
        found, source, date = ask_index(), PIP_AUDIT, datetime.now(UTC).date().isoformat()
    found.sort(key=lambda one: (one["package"], Version(one["version"]), one["id"]))
    text = json.dumps({"date": date, "source": source, "advisories": found}, indent=1, ensure_ascii=False)
    LIST.write_text(text + "\n", encoding="utf-8")
    for one in found:
        print(f"{one['package']:32} {one['version']:14} {one['id']}, fixed in {one['fixed'] or 'none'}")
    print(f"{len(found)} advisories for {sum(map(len, locked.values()))} locked versions, as of {date}.")


def locked_versions() -> dict[str, set[str]]:
    """Return the versions of each package in any of the locks."""
    found: dict[str, set[str]] = {}
    for lock in REQUIREMENTS.glob("*.txt"):
        for name, each in versions(lock.read_text(encoding="utf-8")).items():
            found.setdefault(name, set()).update(each)
    return found


def read_clone(folder: Path, locked: Mapping[str, set[str]]) -> Iterator[Advisory]:
    """Yield the advisories of a clone that affect a locked version."""
    import yaml  # of the processes of a site, none reads YAML

    if not (folder / "vulns").is_dir():
        sys.exit(f"{folder} is not a clone of {DATABASE}: it has no folder vulns. Nothing was changed.")
    for name in sorted(locked):
        for path in sorted((folder / "vulns" / name).glob("*.yaml")):
            known = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
            for version in sorted(locked[name]):
                if is_affected(known, version):
                    yield entry(name, version, known["id"], known.get("aliases", []), fixed_in(known))


def is_affected(known: Mapping[str, Any], version: str) -> bool:
    """Return whether an advisory in OSV's format affects a version."""
    if known.get("withdrawn"):
        return False
    affected = known.get("affected", [])
    return any(
        version in map(str, each.get("versions", []))
        or any(_is_within(events["events"], Version(version)) for events in _ranges(each))
        for each in affected
    )


def _ranges(affected: Mapping[str, Any]) -> list[Any]:
    return [one for one in affected.get("ranges", []) if one["type"] == "ECOSYSTEM"]


def _is_within(events: Sequence[Mapping[str, Any]], version: Version) -> bool:
    """Return whether the last of these events up to a version is one that introduces the vulnerability."""
    state, steps = False, []
    for event in events:
        ((kind, at),) = event.items()
        steps.append((Version(str(at)), kind))
    for at, kind in sorted(steps):
        if at < version or (at == version and kind != "last_affected"):
            state = kind == "introduced"
    return state


def fixed_in(known: Mapping[str, Any]) -> list[str]:
    """Return the versions that fix an advisory."""
    events = (one for each in known.get("affected", []) for r in _ranges(each) for one in r["events"])
    return [str(one["fixed"]) for one in events if "fixed" in one]


def entry(package: str, version: str, name: str, aliases: Sequence[str], fixed: Sequence[str]) -> Advisory:
    """Return an advisory as the list has it."""
    return {
        "package": package, "version": version, "id": name,
        "aliases": sorted(aliases), "fixed": list(fixed),
    }  # fmt: skip


def state_of(folder: Path) -> tuple[str, str]:
    """Return the commit of a clone, as an address, and its date."""
    asked = ["git", "-C", str(folder), "log", "-1", "--format=%h %cs"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{folder} is not a clone of {DATABASE}: git does not know it. Nothing was changed.")
    commit, date = done.stdout.split()
    return f"{DATABASE} {commit}", date


def ask_index() -> list[Advisory]:
    """Return what pip-audit finds in all locks. Exit if the index has no advisories."""
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "probe.txt"
        probe.write_text(f"{PROBE}\n", encoding="utf-8")
        if not advisories_of(_audit(probe, "--no-deps")):
            sys.exit(
                "The package index has no advisories, so nothing was compared. Clone"
                f" {DATABASE}, and run scripts/advisories.py --from FOLDER."
            )
    found = {}
    for lock in sorted(REQUIREMENTS.glob("*.txt")):
        for one in advisories_of(_audit(lock)):
            found[one["package"], one["version"], one["id"]] = one
    return list(found.values())


def advisories_of(answer: Mapping[str, Any]) -> list[Advisory]:
    """Return the advisories of an answer of pip-audit. Exit if it could not ask about a package."""
    skipped = [each["name"] for each in answer["dependencies"] if "skip_reason" in each]
    if skipped and len(skipped) < len(answer["dependencies"]):
        sys.exit(f"The package index does not know {', '.join(skipped)}. Nothing was changed.")
    return [
        entry(_plain(each["name"]), each["version"], one["id"], one["aliases"], one["fix_versions"])
        for each in answer["dependencies"]
        for one in each.get("vulns", [])
    ]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _audit(requirements: Path, *options: str) -> Any:
    """Return pip-audit's answer about a file of requirements. Exit if it has none."""
    command = [
        *(sys.executable, "-m", "uv", "tool", "run", "--from", PIP_AUDIT, "pip-audit"),
        *("--requirement", str(requirements), "--disable-pip", "--format", "json"),
        *("--progress-spinner", "off", *options),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=BASE, timeout=900)
    try:
        return json.loads(done.stdout)
    except ValueError:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        sys.exit(f"pip-audit could not be run, so nothing was compared: {said[-1].strip()}")


if __name__ == "__main__":
    main()
