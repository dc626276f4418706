"""Version numbers, and the steps (patch, minor, major) between versions."""

import re
from typing import Final, NamedTuple

PATCH: Final = "patch"
MINOR: Final = "minor"
MAJOR: Final = "major"

_SHAPE: Final = re.compile(r"([0-9]+)\.([0-9]+)\.([0-9]+)(?:-(.+))?", re.ASCII)


class Version(NamedTuple):
    """A parsed version. `trial` is the part after a hyphen, such as `rc.1`, or ""."""

    major: int
    minor: int
    patch: int
    trial: str = ""

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The three numbers of the version, without the trial part."""
        return self.major, self.minor, self.patch

    @property
    def rank(self) -> tuple[object, ...]:
        """The sort key of the version: a trial such as 1.0.0-rc.1 precedes 1.0.0."""
        return *self.numbers, not self.trial, _natural(self.trial)


def _natural(trial: str) -> tuple[tuple[bool, int, str], ...]:
    """Return the sort key of the trial part: numbers precede words and are ordered by size."""
    parts = trial.split(".") if trial else []
    return tuple((not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts)


def parse(version: str) -> Version:
    """Return a parsed version such as 1.0.0 or 1.0.0-rc.1. Raise `ValueError` if it is malformed."""
    found = _SHAPE.fullmatch(version)
    if found is None:
        raise ValueError(version)
    return Version(int(found[1]), int(found[2]), int(found[3]), found[4] or "")


def step(base: str, version: str) -> str:
    """Return the step between two versions: patch, minor or major, or "" if the second cannot follow.

    The numbers after the increased one must be 0: 1.2.4, 1.3.0 and 2.0.0 can follow 1.2.3. A trial version
    such as 1.3.0-rc.1 has the step of its final version.
    """
    before, after = parse(base), parse(version)
    if after.rank <= before.rank:
        return ""
    if after.numbers == before.numbers:
        if after.patch:
            return PATCH
        return MINOR if after.minor else MAJOR
    if after.major > before.major:
        return MAJOR if (after.minor, after.patch) == (0, 0) else ""
    if after.minor > before.minor:
        return MINOR if after.patch == 0 else ""
    return PATCH


def may_publish_answers(kind: str) -> bool:
    """Return whether a step of this kind may publish answers that the earlier version withholds."""
    return kind == MAJOR


def after(version: str, kind: str) -> str:
    """Return the version one step later. After 1.2.3: patch 1.2.4, minor 1.3.0, major 2.0.0."""
    major, minor, patch, _trial = parse(version)
    if kind == PATCH:
        return f"{major}.{minor}.{patch + 1}"
    return f"{major}.{minor + 1}.0" if kind == MINOR else f"{major + 1}.0.0"
