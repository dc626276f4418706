"""Versions of three numbers, and what each kind of step may do to the items of the one before."""

import re
from typing import Final, NamedTuple

PATCH: Final = "patch"
MINOR: Final = "minor"
MAJOR: Final = "major"

_SHAPE: Final = re.compile(r"([0-9]+)\.([0-9]+)\.([0-9]+)(?:-(.+))?", re.ASCII)


class Version(NamedTuple):
    """A version in its parts; `trial` is what follows a hyphen, such as `rc.1`, else empty."""

    major: int
    minor: int
    patch: int
    trial: str = ""

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The three numbers."""
        return self.major, self.minor, self.patch

    @property
    def rank(self) -> tuple[object, ...]:
        """What versions are compared by: a trial comes before the version that it tries."""
        return *self.numbers, not self.trial, _natural(self.trial)


def _natural(trial: str) -> tuple[tuple[bool, int, str], ...]:
    """The parts of a trial: numbers by their size and before words."""
    parts = trial.split(".") if trial else []
    return tuple((not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts)


def parse(version: str) -> Version:
    """The parts of a version that is written like 1.0.0 or 1.0.0-rc.1; else `ValueError`."""
    found = _SHAPE.fullmatch(version)
    if found is None:
        raise ValueError(version)
    return Version(int(found[1]), int(found[2]), int(found[3]), found[4] or "")


def step(base: str, version: str) -> str:
    """Which step leads from one version to a later one: patch, minor or major; empty where none does.

    The numbers behind the one that grew must be 0: after 1.2.3 come 1.2.4, 1.3.0 and 2.0.0. A trial takes
    the step of what it tries.
    """
    before, after = parse(base), parse(version)
    if after.rank <= before.rank:
        return ""
    if after.numbers == before.numbers:
        return _kind_of(after)
    if after.major > before.major:
        return MAJOR if (after.minor, after.patch) == (0, 0) else ""
    if after.minor > before.minor:
        return MINOR if after.patch == 0 else ""
    return PATCH


def _kind_of(version: Version) -> str:
    if version.patch:
        return PATCH
    return MINOR if version.minor else MAJOR


def may_publish_answers(kind: str) -> bool:
    """Whether such a step may publish the answers that the version before withholds."""
    return kind == MAJOR


def after(version: str, kind: str) -> str:
    """The next version of a kind: after 1.2.3 the patch 1.2.4, the minor 1.3.0, the major 2.0.0."""
    major, minor, patch, _trial = parse(version)
    if kind == PATCH:
        return f"{major}.{minor}.{patch + 1}"
    return f"{major}.{minor + 1}.0" if kind == MINOR else f"{major + 1}.0.0"
