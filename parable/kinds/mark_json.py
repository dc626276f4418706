"""Read marks from JSON in drafts, files and models' answers, tolerantly; write marks as JSON."""

from collections.abc import Iterable, Mapping
from typing import Final

from parable.kinds.marks import Groups, Mark

MOST_GROUPS: Final = 300
"""The most groups per layer that are read; published texts have at most 20 tuples."""
MOST_MARKS: Final = 60
"""The most marks of one group that are read."""
LONGEST_POSITION: Final = 1_000_000
LONGEST_NAME: Final = 20
LONGEST_WORDING: Final = 20_000


def read_groups(value: object) -> Groups:
    """Return the groups of marks in a JSON list of lists; malformed parts are skipped."""
    groups = value[:MOST_GROUPS] if isinstance(value, list | tuple) else ()
    return tuple(
        tuple(_mark(mark) for mark in group[:MOST_MARKS] if isinstance(mark, Mapping))
        for group in groups
        if isinstance(group, list | tuple)
    )


def _mark(value: Mapping[str, object]) -> Mark:
    return Mark(
        role=_name(value.get("role")),
        text=_text(value.get("text"))[:LONGEST_WORDING],
        positions=_positions(value.get("positions")),
        label=_name(value.get("label")),
        target=_name(value.get("target")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _name(value: object) -> str:
    return _text(value)[:LONGEST_NAME]


def _positions(value: object) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        return ()
    for one in value:
        if not isinstance(one, int) or isinstance(one, bool) or not 0 <= one <= LONGEST_POSITION:
            return ()
    return tuple(value)


def write_groups(groups: Iterable[Iterable[Mark]]) -> list[list[dict[str, object]]]:
    """Convert groups of marks to JSON values; an empty label or target is omitted."""
    return [[_written(mark) for mark in group] for group in groups]


def _written(mark: Mark) -> dict[str, object]:
    written: dict[str, object] = {"role": mark.role, "text": mark.text, "positions": list(mark.positions)}
    optional = {"label": mark.label, "target": mark.target}
    return written | {name: value for name, value in optional.items() if value}
