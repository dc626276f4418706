"""View models of groups of spans, and of the comparison of two answers. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.kinds.layers import LayerForm, Words
from parable.kinds.comparison import DIFFERENT, ONLY_FIRST, ONLY_SECOND, SAME, GroupComparison
from parable.kinds.marks import Group, Groups, Mark, runs


@dataclass(frozen=True, slots=True)
class MarkView:
    """One mark with its role, text and positions; `outcome` is its difference from the compared answer."""

    role: Words
    short: Words
    family: str
    words: str
    where: str
    positions: tuple[int, ...]
    target: str
    outcome: str = ""

    @property
    def note(self) -> str:
        """A label for the difference from the compared answer, or ""."""
        return {
            DIFFERENT: _("different"),
            ONLY_FIRST: _("only here"),
            ONLY_SECOND: _("only here"),
        }.get(self.outcome, "")


@dataclass(frozen=True, slots=True)
class MarkedGroup:
    """A group of marks with its name; `place` is its index, from 0."""

    place: int
    name: str
    marks: tuple[MarkView, ...]


@dataclass(frozen=True, slots=True)
class PairedGroups:
    """A group and the group of the other answer that is paired with it. One of them may be None."""

    first: MarkedGroup | None
    second: MarkedGroup | None
    is_same: bool


def where(positions: Sequence[int]) -> str:
    """Return positions as text such as `3–5, 8`, in the given order."""
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs(positions))


def summary(layer: LayerForm, group: Group) -> str:
    """Return a group as one line of text."""
    return " · ".join(" ".join(filter(None, _said(layer, mark))) for mark in group)


def _said(layer: LayerForm, mark: Mark) -> Iterator[str]:
    if not layer.repeats:
        yield str(layer.role(mark.role).name)
    yield mark.text
    yield mark.label
    if mark.positions:
        yield f"({where(mark.positions)})"


def marked_groups(layer: LayerForm, groups: Groups) -> list[MarkedGroup]:
    """Return all groups of a layer as view models."""
    return [marked_group(layer, index, group) for index, group in enumerate(groups)]


def marked_group(
    layer: LayerForm, place: int, group: Group, outcomes: dict[Any, str] | None = None
) -> MarkedGroup:
    """Return the view model of a group.

    `outcomes` has, by role and target, the difference of a mark from the compared answer.
    """
    marks = []
    for mark in group:
        role = layer.role(mark.role)
        words = " · ".join(filter(None, (mark.text, mark.label)))
        marks.append(
            MarkView(
                role.name,
                role.short,
                role.family,
                words,
                where(mark.positions),
                mark.positions,
                mark.target,
                (outcomes or {}).get((mark.role, mark.target), ""),
            )
        )
    return MarkedGroup(place=place, name=str(layer.one).replace("{n}", str(place + 1)), marks=tuple(marks))


def paired_groups(
    layer: LayerForm, first: Groups, second: Groups, compared: Sequence[GroupComparison]
) -> list[PairedGroups]:
    """Return the groups of two answers in pairs. Each mark has its difference from the other answer."""
    pairs = []
    for one in compared:
        outcomes = {(role.role, role.target): role.outcome for role in one.roles if role.outcome != SAME}
        pair = PairedGroups(
            None if one.first is None else marked_group(layer, one.first, first[one.first], outcomes),
            None if one.second is None else marked_group(layer, one.second, second[one.second], outcomes),
            one.is_same,
        )
        pairs.append(pair)
    return pairs
