"""Makes the state of a slice from its items, a few thousand at a time."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from parable.formats.records import IN, ItemRecord, Row, key_within, one_line
from parable.kinds import codes, kind_of
from parable.quality.gates.decision_rule import WORST
from parable.quality.gates.digests import digest, digests
from parable.quality.gates.duplicates import wording_of
from parable.quality.gates.explanations import said_of
from parable.quality.gates.faulty_items import contradictions
from parable.quality.gates.grams import Array, Ints
from parable.quality.gates.length_artefact import RULES, LengthTally, worst
from parable.quality.gates.option_format import LETTERS, SCRIPT, SPACE, FormTally, Suspect
from parable.quality.gates.split_leak import LONG_KEY
from parable.quality.gates.split_likeness import text_of
from parable.quality.gates.unit_numbers import NO_KEY, Columns, text_columns
from parable.quality.item.sets import form_errors
from parable.quality.item.words import same_form
from parable.quality.resemblance import BINS, letters, signatures
from parable.quality.slices.state import StateWriter
from parable.splits import SPLITS

MOST_STEMS: Final = 100
"""With so many different stems, no stem is a standard stem."""
KINDS_OF_FORM: Final = (LETTERS, SPACE, SCRIPT)
"""The differences in form, by their bit in the column `suspect_kind`."""
IS_CONTRADICTED: Final = 8
"""The bit for options that keep letters of their own."""

HAS_STORY: Final = 1
HAS_TEXT: Final = 2
IS_IN: Final = 4
HAS_TYPES: Final = 8
IS_EXPLAINED: Final = 16
"""Bits of the column `flags`: the item has a story, even of spaces, a story with text, a domain that its
split shares by order, a type, and an explanation."""


@dataclass(slots=True)
class Source:
    """A file of a set, or a part of it, as one slice has read it."""

    name: str
    first: int = 0
    """The position of its first item in the slice."""
    items: int = 0
    has_splits: bool = False
    split: str | None = None
    """The split in its name, which its items get if no row of the file has one."""
    is_decided: bool = False
    """Whether it is a file of a release, in which people have decided which stories are one."""


@dataclass(slots=True)
class _Tallies:
    """Counts of a slice that are whole numbers, and the first positions that results name."""

    keys: dict[tuple[str, int, str, int], list[int]] = field(default_factory=dict)
    key_places: dict[tuple[str, int, str, int, int], list[int]] = field(default_factory=dict)
    lengths: dict[str, LengthTally] = field(default_factory=dict)
    longest: dict[tuple[str, str], list[tuple[float, str]]] = field(default_factory=dict)
    types: dict[tuple[str, int, str], Counter[str]] = field(default_factory=dict)
    form: FormTally = field(default_factory=FormTally)
    errors: dict[str, list[int]] = field(default_factory=dict)
    sure: set[str] = field(default_factory=set)
    wrong: dict[str, list[int]] = field(default_factory=dict)
    stems: Counter[str] = field(default_factory=Counter)


class SliceBuilder:
    """Builds the state of one slice; `number` counts from 0, and `of` is the number of slices of the set.

    `about` identifies the set: states of different sets cannot be merged. `standard_stem` is the stem that
    many items share on purpose; if it is None, the whole set decides.
    """

    def __init__(
        self, path: Path, number: int, of: int, about: object, *, standard_stem: str | None = None
    ) -> None:
        self._writer = StateWriter(path)
        self._facts: dict[str, Any] = {"number": number, "of": of, "about": about}
        self._standard_stem = standard_stem
        self._columns: dict[str, list[Array]] = {}
        self._sources: list[Source] = []
        self._names: dict[str, dict[str, int]] = {"tasks": {}, "splits": {}, "styles": {}}
        self._tallies = _Tallies()
        self._wordings: set[tuple[int, int]] = set()
        self._suspected: dict[str, str] = {}
        self._items = 0

    @property
    def items(self) -> int:
        """The number of items added so far."""
        return self._items

    def open_source(self, source: Source, suspected: Mapping[str, str]) -> None:
        """Begin a file; the items added next are its items."""
        source.first = self._items
        self._sources.append(source)
        self._suspected |= suspected

    def add(self, rows: Sequence[Row[ItemRecord]]) -> None:
        """Add items in the order of the file."""
        if not rows:
            return
        items, source = [row.record for row in rows], self._sources[-1]
        typed = [row.typed or row.record.choices for row in rows]
        stems, starts, sizes, answers, are_han, forms, lengths = text_columns(items, _numbers)
        for item in items:
            if item.answer is not None:
                key_within(item)
        forms_seen = forms.view(np.uint64)
        keys = [same_form(item.choices[item.answer]) if item.answer is not None else "" for item in items]
        key_forms = digests(keys)
        texts = digests(one_line(item.story) for item in items)
        ids = digests(item.story_id or "" for item in items)
        said = [said_of(item) for item in items]
        self._keep(
            name=digests(f"{item.task}\n{item.id}" for item in items),
            task=self._numbered("tasks", (item.task for item in items)),
            split=self._numbered("splits", (item.split or "" for item in items)),
            style=self._numbered("styles", (item.style for item in items)),
            text=texts,
            story_id=ids,
            raw=digests(item.story.strip() for item in items),
            title=digests("" if item.story_id else item.title for item in items),
            wording=_wordings(items, stems.view(np.uint64), starts, sizes, forms_seen),
            stem=digests(same_form(item.question) for item in items),
            key=key_forms,
            long_key=np.where([len(key) >= LONG_KEY for key in keys], key_forms, np.uint64(0)),
            said=digests("" if words is None else f"={words}" for words in said),
            size=sizes.astype(np.uint16),
            answer=np.where(answers == NO_KEY, -1, answers).astype(np.int32),
            flags=np.array([_flags(item, words) for item, words in zip(items, said, strict=True)], np.uint8),
            forms=forms_seen,
            **_ids_of(items),
        )
        source.items += len(items)
        source.has_splits = source.has_splits or any(item.split for item in items)
        own = Columns(stems, stems, stems, stems, starts, sizes, answers, are_han, forms, lengths)
        self._count(items, typed, own, len(self._sources) - 1)
        self._sign_items(items)
        self._sign_stories(items, ids, texts)
        self._writer.add_rows(rows)
        self._items += len(items)

    def _keep(self, **columns: Array) -> None:
        for name, values in columns.items():
            self._columns.setdefault(name, []).append(values)

    def _numbered(self, kind: str, names: Iterable[str]) -> Array:
        known = self._names[kind]
        return np.array([known.setdefault(name, len(known)) for name in names], np.uint16)

    def _count(
        self, items: Sequence[ItemRecord], typed: Sequence[Sequence[str]], own: Columns, source: int
    ) -> None:
        tallies, first = self._tallies, self._items
        for place, item in enumerate(items, start=first):
            cell = (item.task, source, item.split or "")
            tallies.types.setdefault(cell, Counter()).update(set(item.types))
            if item.answer is not None:
                choices = len(item.choices)
                tallies.keys.setdefault((*cell, choices), [0] * choices)[item.answer] += 1
                places = tallies.key_places.setdefault((*cell, choices, item.answer), [])
                if len(places) < WORST:
                    places.append(place)
        self._count_lengths(items, own)
        have_options = [place for place, item in enumerate(items) if item.choices]
        form = FormTally.of(
            [items[place] for place in have_options],
            [typed[place] for place in have_options],
            own.are_han[have_options].tolist(),
        )
        marks = self._names.setdefault("marks", {"": 0})
        self._keep(
            suspect=np.array([first + have_options[one.place] for one in form.suspects], np.uint64),
            suspect_kind=np.array([_bits(one) for one in form.suspects], np.uint8),
            suspect_mark=np.array(
                [marks.setdefault(one.mark, len(marks)) for one in form.suspects], np.uint32
            ),
        )
        for task, counts in form.marks.items():
            tallies.form.marks.setdefault(task, Counter()).update(counts)
        self._find_errors(items)

    def _count_lengths(self, items: Sequence[ItemRecord], own: Columns) -> None:
        for task in {item.task for item in items if item.answer is not None}:
            if task not in codes("has_options"):
                continue
            places = np.array(
                [at for at, item in enumerate(items) if item.task == task and item.answer is not None]
            )
            keyed, columns = [items[at] for at in places.tolist()], own.of_items(places)
            self._tallies.lengths.setdefault(task, LengthTally()).add(LengthTally.of(columns))
            for rule in RULES:
                known = self._tallies.longest.get((task, rule), [])
                self._tallies.longest[task, rule] = sorted([*known, *worst(rule, keyed, columns)])[:WORST]

    def _find_errors(self, items: Sequence[ItemRecord]) -> None:
        # the checks name items by id, which may occur twice
        placed = [_at(item, place) for place, item in enumerate(items, start=self._items)]
        errors = form_errors(placed)
        self._tallies.sure |= errors.sure
        for found, named in (
            (self._tallies.errors, errors.found),
            (self._tallies.wrong, contradictions(placed)),
        ):
            for check, ids in named.items():
                found.setdefault(check, []).extend(map(int, ids))

    def _sign_items(self, items: Sequence[ItemRecord]) -> None:
        """Keep the signatures by which items of two splits are compared, also for a stem that is standard."""
        own = frozenset(codes("has_own_options"))
        if self._sources[-1].split in SPLITS:
            placed = [*range(len(items))]
        else:
            placed = [at for at, item in enumerate(items) if item.split in SPLITS]
        chosen = [at for at in placed if items[at].choices and items[at].task in own]
        standard = frozenset() if self._standard_stem is None else frozenset({self._standard_stem})
        self._keep(
            signed=np.array(chosen, np.uint64) + np.uint64(self._items),
            signs=signatures([text_of(items[at], standard) for at in chosen]),
        )
        stems = self._tallies.stems
        if len(stems) < MOST_STEMS:
            stems.update(item.question for item in items if kind_of(item.task).shares_stem)
        if self._standard_stem is not None or len(stems) >= MOST_STEMS:
            return
        sharing = [at for at in chosen if kind_of(items[at].task).shares_stem]
        texts = [text_of(items[at], frozenset({items[at].question})) for at in sharing]
        self._keep(
            signed_apart=np.array(sharing, np.uint64) + np.uint64(self._items),
            signs_apart=signatures(texts),
        )

    def _sign_stories(self, items: Sequence[ItemRecord], ids: Array, texts: Array) -> None:
        """Keep the signature of each wording of a story that the slice has not had before."""
        new: list[int] = []
        wordings = zip(ids.tolist(), texts.tolist(), strict=True)
        for at, (item, wording) in enumerate(zip(items, wordings, strict=True)):
            if item.story and wording not in self._wordings:
                self._wordings.add(wording)
                new.append(at)
        self._keep(
            stated=np.array(new, np.uint64) + np.uint64(self._items),
            stated_title=digests(letters(items[at].title) for at in new),
            stated_length=np.array([len(items[at].story) for at in new], np.uint32),
            stated_signs=signatures([items[at].story for at in new]),
        )

    def finish(self, remarks: Sequence[object] = ()) -> None:
        """Write the state to its place."""
        tallies = self._tallies
        stems = None if len(tallies.stems) >= MOST_STEMS else tallies.stems
        if stems is None:
            for name in ("signed_apart", "signs_apart"):
                self._columns.pop(name, None)
        for name in COLUMNS:
            self._writer.add_column(name, self._columns.pop(name, []) or [COLUMNS[name]])
        self._writer.finish(
            {
                **self._facts,
                "items": self._items,
                "standard_stem": self._standard_stem,
                "sources": [[getattr(one, name) for name in Source.__slots__] for one in self._sources],
                "names": {kind: [*known] for kind, known in self._names.items()},
                "suspected": self._suspected,
                "remarks": remarks,
                "keys": [[*cell, counts] for cell, counts in tallies.keys.items()],
                "key_places": [[*cell, places] for cell, places in tallies.key_places.items()],
                "lengths": {task: tally.as_lists() for task, tally in tallies.lengths.items()},
                "longest": [[*rule, items] for rule, items in tallies.longest.items()],
                "types": [[*cell, counts] for cell, counts in tallies.types.items()],
                "marks": tallies.form.marks,
                "errors": tallies.errors,
                "sure": sorted(tallies.sure),
                "wrong": tallies.wrong,
                "stems": stems,
            }
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._writer.close()


_WORDS: Final = np.empty(0, np.uint64)
COLUMNS: Final[Mapping[str, Array]] = {
    **dict.fromkeys(
        ("name", "text", "story_id", "raw", "title", "wording", "stem", "key", "long_key", "said", "forms"),
        _WORDS,
    ),
    **dict.fromkeys(("task", "split", "style", "size"), np.empty(0, np.uint16)),
    "answer": np.empty(0, np.int32),
    "flags": np.empty(0, np.uint8),
    "ids": np.empty(0, np.uint8),
    "id_sizes": np.empty(0, np.uint16),
    **dict.fromkeys(("suspect", "signed", "signed_apart", "stated", "stated_title"), _WORDS),
    "suspect_kind": np.empty(0, np.uint8),
    **dict.fromkeys(("suspect_mark", "stated_length"), np.empty(0, np.uint32)),
    **dict.fromkeys(("signs", "signs_apart", "stated_signs"), np.empty((0, BINS), np.uint32)),
}
"""The columns of a state, each as an empty one."""


def _bits(one: Suspect) -> int:
    kinds = sum(1 << bit for bit, kind in enumerate(KINDS_OF_FORM) if kind in one.kinds)
    return kinds + IS_CONTRADICTED * one.is_contradicted


def _numbers(texts: Sequence[str]) -> Ints:
    return digests(texts).view(np.int64)


def _wordings(items: Sequence[ItemRecord], stems: Array, starts: Ints, sizes: Ints, forms: Array) -> Array:
    """Return numbers that are equal for equal wordings, from stem, least and greatest option."""
    found = stems.copy()
    have_options = np.flatnonzero(sizes)
    for extreme, factor in ((np.minimum, 3), (np.maximum, 5)):
        if len(have_options):
            found[have_options] += np.uint64(factor) * extreme.reduceat(forms, starts[have_options])
    for place, item in enumerate(items):
        if not item.choices and not item.question:
            found[place] = digest(repr(wording_of(item)))
    return found


def _flags(item: ItemRecord, said: str | None) -> int:
    return (
        HAS_STORY * bool(item.story)
        + HAS_TEXT * bool(item.story.strip())
        + IS_IN * (item.domain == IN)
        + HAS_TYPES * bool(item.types)
        + IS_EXPLAINED * (said is not None)
    )


def _ids_of(items: Sequence[ItemRecord]) -> dict[str, Array]:
    encoded = [item.id.encode("utf-8", errors="surrogatepass") for item in items]
    return {
        "ids": np.frombuffer(b"".join(encoded), np.uint8),
        "id_sizes": np.array([*map(len, encoded)], np.uint16),
    }


def _at(item: ItemRecord, place: int) -> ItemRecord:
    """Return the item with its position as id."""
    values = item.__reduce__()[1]
    return ItemRecord(str(place), *values[1:])
