"""A set in slices: its items as columns from the states of all slices, and records where they are needed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from parable.formats.records import ItemRecord, Row
from parable.quality.gates.base import ItemSet, name_of
from parable.quality.gates.digests import digest
from parable.quality.gates.grams import Array, Ints
from parable.quality.resemblance import are_compared_wholly, indexed_pairs, near_pairs
from parable.quality.slices.build import HAS_STORY, MOST_STEMS, Source
from parable.quality.slices.state import State
from parable.quality.story_groups import (
    LEAST,
    Wording,
    join_wordings,
    most_similar,
    named_by,
    with_same_titles,
)

_APART: Final = np.uint64(0x9E3779B97F4A7C15)
_MOST_WHOLE_TEXTS: Final = 1_000
"""If there are more texts than this, not all pairs are compared."""


class SlicesError(Exception):
    """Raised for states that do not make up one set; `code` says why, for the sentences of the caller."""

    def __init__(self, code: str, about: str = "") -> None:
        super().__init__(code, about)
        self.code = code
        self.about = about


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a set besides its items; see `ItemSet`."""

    rights: Mapping[str, str] | None = None
    types: tuple[str, ...] = ()
    is_foreign: bool = True
    in_order: frozenset[str] = frozenset()
    keeps_places: bool = False
    suspected: Mapping[str, str] | None = None
    """The suspected groups of stories; None if they are to be found."""


class Whole:
    """The items of all slices; positions count through the slices in their order."""

    def __init__(self, states: Iterable[State], known: Known = Known()) -> None:
        self.states = sorted(states, key=lambda state: int(state.facts["number"]))
        self.known = known
        _refuse_other_slices(self.states)
        self.offsets = np.cumsum([0, *(state.facts["items"] for state in self.states)])
        self.sources = [[Source(*values) for values in state.facts["sources"]] for state in self.states]
        self.splits_by_name = _splits_by_name(self.sources)
        """The split that the name of a file gives, by slice and number of the file in it."""
        self.names: dict[Wording, str] = {}
        self.suspected: Mapping[str, str] = {}
        self._renamed: dict[tuple[int, int], int] = {}
        self._name_stories()

    def __len__(self) -> int:
        return int(self.offsets[-1])

    # Columns

    def column(self, name: str) -> Array:
        """Return a column of all items, or of all rows of a table of the states."""
        return np.concatenate([state.column(name) for state in self.states])

    def places(self, name: str) -> Ints:
        """Return a column of positions, counted through all slices."""
        return np.concatenate(
            [
                state.column(name).astype(np.int64) + offset
                for state, offset in zip(self.states, self.offsets.tolist(), strict=False)
            ]
        )

    def named(self, kind: str) -> tuple[Array, list[str]]:
        """Return a column of numbered names (task, split, style) with one numbering, and the names."""
        numbers: dict[str, int] = {}
        found: list[Array] = []
        for state in self.states:
            own = [numbers.setdefault(name, len(numbers)) for name in state.facts["names"][f"{kind}s"]]
            found.append(np.array([*own, 0], np.uint16)[state.column(kind)])
        return np.concatenate(found), [*numbers]

    @cached_property
    def tasks(self) -> dict[str, Array]:
        """The positions of the items of each task."""
        numbers, names = self.named("task")
        return {name: np.flatnonzero(numbers == at) for at, name in enumerate(names)}

    def keyed(self, task: str) -> Ints:
        """Return the positions of the items of a task whose key is known."""
        places: Ints = self.tasks.get(task, np.empty(0, np.int64))
        return places[self.column("answer")[places] >= 0]

    def split_column(self) -> tuple[Array, list[str]]:
        """Return the split of each item as a number, and the names of the splits."""
        numbers, names = self.named("split")
        for state_number, sources in enumerate(self.sources):
            for at, source in enumerate(sources):
                if split := self.splits_by_name.get((state_number, at)):
                    if split not in names:
                        names.append(split)
                    first = int(self.offsets[state_number]) + source.first
                    numbers[first : first + source.items] = names.index(split)
        return numbers, names

    def split_of(self, state: int, source: int, said: str) -> str:
        """Return the split of items of which their rows say this split."""
        return self.splits_by_name.get((state, source)) or said

    @cached_property
    def story_ids(self) -> Array:
        """The digest of the story id of each item; 0 if it has none."""
        found, texts = self.column("story_id"), None
        for (story_id, text), name in self._renamed.items():
            texts = self.column("text") if texts is None else texts
            has_story = self.column("flags") & HAS_STORY > 0
            found[(found == np.uint64(story_id)) & (texts == np.uint64(text)) & has_story] = name
        return found

    def stories(self) -> Array:
        """Return the digest of each item's `story_of`."""
        ids = self.story_ids
        return np.where(ids > 0, ids, self.column("text"))

    def file_of(self, place: int) -> str:
        """Return the name of the file of an item."""
        number = int(np.searchsorted(self.offsets, place, side="right")) - 1
        firsts = [source.first for source in self.sources[number]]
        at = int(np.searchsorted(firsts, place - int(self.offsets[number]), side="right")) - 1
        return self.sources[number][at].name

    # Items

    @cached_property
    def _id_ends(self) -> list[Ints]:
        return [np.cumsum(state.column("id_sizes"), dtype=np.int64) for state in self.states]

    def ids(self, places: Ints | Sequence[int]) -> tuple[str, ...]:
        """Return the ids of the items at these positions."""
        wanted = np.asarray(places, np.int64)
        of_state = np.searchsorted(self.offsets, wanted, side="right") - 1
        found: list[str] = []
        for state, place in zip(of_state.tolist(), wanted.tolist(), strict=True):
            at = place - int(self.offsets[state])
            ends = self._id_ends[state]
            raw = self.states[state].column("ids")[int(ends[at - 1]) if at else 0 : int(ends[at])]
            found.append(raw.tobytes().decode("utf-8", errors="surrogatepass"))
        return tuple(found)

    def rows(self, places: Ints | Sequence[int]) -> Iterator[Row[ItemRecord]]:
        """Yield the items at these positions, in the order of the set, with split and story id as named."""
        wanted = np.unique(np.asarray(places, np.int64))
        cuts = np.searchsorted(wanted, self.offsets)
        for number, state in enumerate(self.states):
            own = (wanted[cuts[number] : cuts[number + 1]] - self.offsets[number]).tolist()
            firsts = [source.first for source in self.sources[number]]
            for place, row in zip(own, state.rows(own), strict=True):
                source = int(np.searchsorted(firsts, place, side="right")) - 1
                record = named_by(self.names, row.record) if self.names else row.record
                if split := self.splits_by_name.get((number, source)):
                    record = replace(record, split=split)
                yield replace(row, record=record)

    def items(self, places: Ints | Sequence[int]) -> list[ItemRecord]:
        """Return the items at these positions, in the order of the set."""
        return [row.record for row in self.rows(places)]

    def item_set(self, places: Ints | Sequence[int]) -> ItemSet:
        """Return the items at these positions as a set of which everything else is as in the whole."""
        rows = [*self.rows(places)]
        return ItemSet(
            tuple(row.record for row in rows),
            rights=self.known.rights,
            standard_stems=self.standard_stems,
            types=self.known.types,
            as_typed={name_of(row.record): row.typed for row in rows if row.typed},
            is_foreign=self.known.is_foreign,
            in_order=self.known.in_order,
            keeps_places=self.known.keeps_places,
            suspected=self.suspected,
        )

    # What only the whole set shows

    @cached_property
    def standard_stems(self) -> frozenset[str]:
        """The stem of more than half of the items in tasks with a standard stem, if there is one."""
        given = {state.facts["standard_stem"] for state in self.states} - {None, ""}
        if given or self.states[0].facts["standard_stem"] is not None:
            return frozenset(given)
        counts: Counter[str] = Counter()
        for state in self.states:
            if state.facts["stems"] is None:
                return frozenset()
            counts.update(state.facts["stems"])
        if not counts or len(counts) >= MOST_STEMS:
            return frozenset()
        usual = max(counts, key=lambda stem: (counts[stem], stem))
        return frozenset({usual}) if usual and counts[usual] * 2 > counts.total() else frozenset()

    def _name_stories(self) -> None:
        """Give each story one id, as `name_stories` does, and find the suspected groups of stories."""
        if self.known.suspected is not None:
            self.suspected = self.known.suspected
            return
        stated = self.places("stated")
        ids, texts = self.column("story_id")[stated], self.column("text")[stated]
        _wordings, first = np.unique(ids * _APART + texts, return_index=True)
        first = np.sort(first)
        stated, ids, texts = stated[first], ids[first], texts[first]
        titles = self.column("stated_title")[first]
        pairs = self._similar_stories(stated, first, titles)
        if pairs:
            ends = np.unique([place for pair in pairs for place in pair[:2]])
            theirs = np.isin(ids, ids[ends][ids[ends] > 0])
            theirs[ends] = True
            at = np.flatnonzero(theirs)
            place_of = {int(old): new for new, old in enumerate(at.tolist())}
            known = [row.record for row in self.rows(stated[at])]
            moved = [
                pair._replace(first=place_of[pair.first], second=place_of[pair.second]) for pair in pairs
            ]
            self.names, self.suspected = join_wordings(known, moved, self._decided(known))
            for (story_id, text), name in self.names.items():
                if name != story_id:
                    self._renamed[digest(story_id), digest(text)] = digest(name)
            self.__dict__.pop("story_ids", None)
        of_files: dict[str, str] = {}
        for state in self.states:
            of_files |= state.facts["suspected"]
        self.suspected = {**self.suspected, **of_files}

    def _similar_stories(self, stated: Ints, rows: Ints, titles: Array) -> Sequence[Any]:
        lengths = self.column("stated_length")[rows]
        groups = equal_groups(titles, np.flatnonzero(titles))

        def text_of(place: int) -> str:
            return next(self.rows([int(stated[place])])).record.story

        if are_compared_wholly(len(stated), int(lengths.sum())):
            found = near_pairs([row.record.story for row in self.rows(stated)], LEAST)
        else:
            signs = Table([state.column("stated_signs") for state in self.states], rows)
            found = indexed_pairs(text_of, signs, LEAST)
        return with_same_titles(
            most_similar(found), titles.tolist(), [group.tolist() for group in groups], text_of
        )

    def _decided(self, known: Sequence[ItemRecord]) -> list[str]:
        """Return those of these items' story ids that occur in files of a release."""
        decided: list[Array] = []
        for number, sources in enumerate(self.sources):
            for source in sources:
                if source.is_decided:
                    own = self.states[number].column("story_id")
                    decided.append(np.unique(own[source.first : source.first + source.items]))
        names = {one.story_id for one in known if one.story_id}
        return [name for name in names if any(np.uint64(digest(name)) in ids for ids in decided)]


def equal_groups(values: Array, places: Ints, least: int = 2) -> list[Ints]:
    """Return the groups of at least so many places with equal values, in the order of their first places."""
    own = values[places]
    _names, of_place, counts = np.unique(own, return_inverse=True, return_counts=True)
    chosen = np.flatnonzero(counts[of_place] >= least)
    order = chosen[np.argsort(own[chosen], kind="stable")]
    ends = np.flatnonzero(np.diff(own[order])) + 1
    groups = np.split(places[order], ends) if len(order) else []
    return sorted(groups, key=lambda group: int(group[0]))


class Table:
    """Some rows of a table that lies in several states, such as signatures of texts."""

    def __init__(self, parts: Sequence[Array], rows: Ints) -> None:
        self._parts = parts
        self._offsets = np.cumsum([0, *map(len, parts)])
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, places: Any, /) -> Array:
        """Return the rows at some positions, or one column of some or of all rows."""
        rows, column = places if isinstance(places, tuple) else (places, slice(None))
        wanted = self._rows[rows]
        of_part = np.searchsorted(self._offsets, wanted, side="right") - 1
        width = self._parts[0].shape[1]
        found = np.empty((len(wanted), *np.empty(width)[column].shape), np.uint32)
        for number, part in enumerate(self._parts):
            own = of_part == number
            if own.any():
                at = wanted[own] - self._offsets[number]
                found[own] = part[:, column][at]
        return found


def _splits_by_name(sources: Sequence[Sequence[Source]]) -> dict[tuple[int, int], str]:
    """Return the split of each part of a file of which no row says a split, if the names of files do."""
    named = {source.split for own in sources for source in own} - {None}
    said = {source.name for own in sources for source in own if source.has_splits}
    return {
        (number, at): source.split
        for number, own in enumerate(sources)
        for at, source in enumerate(own)
        if len(named) > 1 and source.split and source.name not in said
    }


def _refuse_other_slices(states: Sequence[State]) -> None:
    if not states:
        raise SlicesError("slices_none")
    first = states[0].facts
    if any(state.facts["about"] != first["about"] or state.facts["of"] != first["of"] for state in states):
        raise SlicesError("slices_of_others")
    numbers = [int(state.facts["number"]) for state in states]
    missing = sorted({*range(int(first["of"]))} - {*numbers})
    if missing or len(numbers) != len({*numbers}):
        raise SlicesError("slices_missing", ", ".join(str(number + 1) for number in missing))
