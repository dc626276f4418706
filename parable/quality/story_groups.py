"""Groups of stories that are wordings of one story: what pairs come to, and what decisions forbid. Pure."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from parable.formats.records import ItemRecord
from parable.quality.resemblance import similar_stories

Name = TypeVar("Name", bound=Hashable)


def join_groups(
    pairs: Iterable[tuple[Name, Name]],
    *,
    together: Iterable[Collection[Name]] = (),
    apart: Iterable[tuple[Name, Name]] = (),
) -> list[list[Name]]:
    """The groups of at least two that pairs make; nothing is in two groups.

    `together` are groups that are decided. Pairs are joined in their order; one that would bring two names of
    a pair in `apart` into one group is passed over.
    """
    groups: dict[Name, list[Name]] = {}
    for decided in together:
        members = list(decided)
        groups |= dict.fromkeys(members, members)
    rivals: dict[Name, set[Name]] = {}
    for first, second in apart:
        rivals.setdefault(first, set()).add(second)
        rivals.setdefault(second, set()).add(first)
    for first, second in pairs:
        one, other = groups.setdefault(first, [first]), groups.setdefault(second, [second])
        if one is other or any(not rivals[name].isdisjoint(other) for name in one if name in rivals):
            continue
        one += other
        groups |= dict.fromkeys(other, one)
    unique = {id(group): group for group in groups.values()}
    return [group for group in unique.values() if len(group) > 1]


def name_stories(items: Sequence[ItemRecord]) -> list[ItemRecord]:
    """The items, those of near-equal stories with one `story_id`; items without a story stay as they are.

    What a file does not say is found by title and text, as the site suggests groups. One text under two ids
    is left to the gate that looks for it.
    """
    wordings: dict[tuple[str, str], ItemRecord] = {}
    for item in items:
        if item.story:
            wordings.setdefault(_wording(item), item)
    known = list(wordings.values())
    pairs = similar_stories([item.title for item in known], [item.story for item in known])
    by_id: dict[str, list[tuple[str, str]]] = {}
    for item in known:
        if item.story_id:
            by_id.setdefault(item.story_id, []).append(_wording(item))
    found = join_groups(
        [
            (one, other)
            for one, other in ((_wording(known[pair.first]), _wording(known[pair.second])) for pair in pairs)
            if one[1] != other[1]
        ],
        together=by_id.values(),
    )
    names = {wording: _name(group) for group in found for wording in group}
    return [_named(item, names) for item in items]


def _wording(item: ItemRecord) -> tuple[str, str]:
    return item.story_id or "", " ".join(item.story.split())


def _name(group: Sequence[tuple[str, str]]) -> str:
    """The id that comes first, else the words that come first."""
    return min((story_id for story_id, _text in group if story_id), default=min(group)[1])


def _named(item: ItemRecord, names: Mapping[tuple[str, str], str]) -> ItemRecord:
    name = names.get(_wording(item)) if item.story else None
    return item if name is None or name == item.story_id else replace(item, story_id=name)
