"""Groups of texts that are versions of one story, made from pairs of nearly equal texts.

Texts are compared by shingles (`resemblance`). If there are only a few hundred short texts, all pairs are
compared, so that no pair is missed; of larger sets, only the pairs that an index finds.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeVar

from parable.formats.records import ItemRecord, one_line
from parable.quality.resemblance import letters, near_pairs, pairs_in, share, shingles

Name = TypeVar("Name", bound=Hashable)

LEAST: Final = 0.5
"""The lowest similarity of a pair that is reported."""
SAME_TITLE: Final = 0.1
"""The lowest similarity of a pair with the same title; retellings are more similar than different fables."""
MOST_PAIRS: Final = 1000


class Pair(NamedTuple):
    """Two texts by position, and their Jaccard similarity.

    `same_title` is set for stories only.
    """

    first: int
    second: int
    similarity: float
    same_title: bool = False


def similarity(one: str, other: str) -> float:
    """Return the Jaccard similarity of the shingles of two texts, from 0 to 1."""
    return share(shingles(one), shingles(other))


def similar_pairs(texts: Sequence[str], *, least: float = LEAST, most: int = MOST_PAIRS) -> list[Pair]:
    """Return the pairs with a similarity of at least `least`, most similar first, at most `most`."""
    return most_similar(near_pairs(texts, least), most)


def most_similar(pairs: Iterable[tuple[int, int, float]], most: int = MOST_PAIRS) -> list[Pair]:
    """Return the most similar of these pairs, most similar first."""
    found = (Pair(first, second, round(alike, 3)) for first, second, alike in pairs)
    return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))[:most]


def similar_stories(titles: Sequence[str], texts: Sequence[str]) -> list[Pair]:
    """Return pairs that are probably one story, most similar first, at most `MOST_PAIRS`.

    Either the texts are nearly the same, or the titles are the same and the similarity of the texts is at
    least `SAME_TITLE`.
    """
    names = [letters(title) for title in titles]
    places: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        if name:
            places.setdefault(name, []).append(index)
    return with_same_titles(similar_pairs(texts), names, places.values(), texts.__getitem__)


def with_same_titles(
    pairs: Iterable[Pair],
    names: Sequence[Hashable],
    of_one_title: Iterable[Sequence[int]],
    text_of: Callable[[int], str],
) -> list[Pair]:
    """Add pairs of texts with the same title to pairs of nearly equal texts, as in `similar_stories`.

    `names` are the titles in the form in which they are compared; `of_one_title` are the positions of the
    texts of each title.
    """
    found = {
        pair[:2]: pair._replace(
            same_title=bool(names[pair.first]) and names[pair.first] == names[pair.second]
        )
        for pair in pairs
    }
    for first, second in (pair for same in of_one_title for pair in pairs_in(same)):
        if len(found) >= 2 * MOST_PAIRS:
            break
        if (first, second) not in found:
            alike = similarity(text_of(first), text_of(second))
            if alike >= SAME_TITLE:
                found[first, second] = Pair(first, second, round(alike, 3), same_title=True)
    return sorted(found.values(), key=lambda pair: (-pair.similarity, pair.first, pair.second))[:MOST_PAIRS]


def join_groups(
    pairs: Iterable[tuple[Name, Name]],
    *,
    together: Iterable[Collection[Name]] = (),
    apart: Iterable[tuple[Name, Name]] = (),
) -> list[list[Name]]:
    """Join pairs of names to groups of at least two names; no name is in two groups.

    `together` are groups already decided. Pairs are joined in their order; a pair is skipped if joining it
    would put the two names of a pair in `apart` into one group.
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


def name_stories(
    items: Sequence[ItemRecord], *, decided: Collection[str] = ()
) -> tuple[list[ItemRecord], dict[str, str]]:
    """Return the items with one `story_id` per story, and the suspected group by story id.

    Items without a `story_id` get one by title and text, as the site suggests groups. Different ids are never
    merged: nearly equal stories with different ids are suspected, unless both ids are in `decided`. One text
    with two ids is not suspected here, as the gate `duplicates` reports it.
    """
    wordings: dict[tuple[str, str], ItemRecord] = {}
    for item in items:
        if item.story:
            wordings.setdefault(wording_of(item), item)
    known = list(wordings.values())
    pairs = similar_stories([item.title for item in known], [item.story for item in known])
    names, suspected = join_wordings(known, pairs, decided)
    named = [*items]
    for place, item in enumerate(items if names else ()):
        named[place] = named_by(names, item)
    return named, suspected


Wording = tuple[str, str]
"""The story id of an item, "" without one, and its story on one line."""


def named_by(names: Mapping[Wording, str], item: ItemRecord) -> ItemRecord:
    """Return the item with the story id that its wording has in `names`, if any."""
    name = names.get(wording_of(item)) if item.story else None
    return item if name is None or name == item.story_id else replace(item, story_id=name)


def join_wordings(
    known: Sequence[ItemRecord], pairs: Iterable[Pair], decided: Collection[str]
) -> tuple[dict[Wording, str], dict[str, str]]:
    """Return the story id of each wording that belongs to another one, and the suspected groups by story id.

    `known` has an item of each wording, or of each that shares its id or one of `pairs` with another.
    """
    by_id: dict[str, list[tuple[str, str]]] = {}
    for item in known:
        if item.story_id:
            by_id.setdefault(item.story_id, []).append(wording_of(item))
    likely = [(wording_of(known[pair.first]), wording_of(known[pair.second])) for pair in pairs]
    likely = [(one, other) for one, other in likely if one[1] != other[1]]
    apart = [(one, other) for one, other in likely if one[0] and other[0] and one[0] != other[0]]
    names = {
        wording: _name(group)
        for group in join_groups(likely, together=by_id.values(), apart=apart)
        for wording in group
    }
    undecided = [(one, other) for (one, _), (other, _) in apart if not {one, other} <= set(decided)]
    suspected = {name: min(group) for group in join_groups(undecided) for name in group}
    return names, suspected


def wording_of(item: ItemRecord) -> Wording:
    """Return the wording of an item's story."""
    return item.story_id or "", one_line(item.story)


def _name(group: Sequence[tuple[str, str]]) -> str:
    """Return the first story id of a group in alphabetical order or, without ids, its first text."""
    return min((story_id for story_id, _text in group if story_id), default=min(group)[1])
