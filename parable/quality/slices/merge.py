"""Runs the gates and checks on the merged states of all slices of a set.

A gate that counts adds up whole numbers. A gate that compares items finds by their digests which can matter,
and only these are read and judged by the gate itself. Gates that read a sample read the same sample as in an
audit of the whole set, since it is drawn by digests of the stories.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from parable.formats.records import ItemRecord
from parable.kinds import codes, codes_among, kind_of
from parable.quality.gates import Answers, Gate, GateResult, ItemSet, MeasuringGate
from parable.quality.gates.base import ERROR, NOT_APPLICABLE, OK, WARNING
from parable.quality.gates.decision_rule import WORST, Measured, count_tests, decide
from parable.quality.gates.digests import digest
from parable.quality.gates.duplicates import Duplicates, repeated_wordings
from parable.quality.gates.explanations import MANY, Explanations
from parable.quality.gates.faulty_items import FaultyItems
from parable.quality.gates.grams import Array, Ints
from parable.quality.gates.key_position import (
    KeyPosition,
    listed,
    most_frequent,
    position_result,
    try_positions,
)
from parable.quality.gates.key_sequence import KeySequence, letters_of, window
from parable.quality.gates.length_artefact import RULES, LengthArtefact, LengthTally
from parable.quality.gates.option_format import FormTally, OptionFormat, Suspect, result_of
from parable.quality.gates.rights import Rights
from parable.quality.gates.sample import MOST, draw, say_sampled
from parable.quality.gates.sibling_leak import (
    SharedTally,
    SiblingLeak,
    places_with_repeated_key,
    share_options,
    with_repeated_key,
)
from parable.quality.gates.split_leak import SplitLeak, split_result
from parable.quality.gates.split_likeness import (
    ALIKE,
    MANY_STORIES,
    are_alike,
    is_short,
    resembling_items,
    text_of,
)
from parable.quality.gates.story_drift import StoryDrift, unlike_the_rest
from parable.quality.gates.style_coverage import StyleCoverage, are_absent
from parable.quality.gates.type_coverage import TypeCoverage, coverage_result
from parable.quality.gates.unit_numbers import Columns
from parable.quality.item.sets import NO_ERRORS, FormErrors, judge_drawn, look_at, places_drawn
from parable.quality.item.words import same_form
from parable.quality.resemblance import MOST_COMPARED, indexed_pairs
from parable.quality.slices.build import (
    HAS_STORY,
    HAS_TEXT,
    HAS_TYPES,
    IS_CONTRADICTED,
    IS_EXPLAINED,
    IS_IN,
    KINDS_OF_FORM,
)
from parable.quality.slices.whole import Table, Whole, equal_groups
from parable.splits import SPLITS, splits_among

PARTS: Final = 16
"""The number of parts in which stories are compared, one after another, to bound memory."""
_APART: Final = np.uint64(0x9E3779B97F4A7C15)
AT_ONCE: Final = 200_000
"""The most items of whole groups that are read together, unless a group has more."""


def measure(whole: Whole, gates: Iterable[Gate]) -> list[Measured | GateResult]:
    """Return what these gates find or measure in a set in slices, as `ask` does for each of a whole set."""
    drawn = sample_set(whole)
    keyed = {task: len(whole.keyed(task)) for task in codes_among(whole.tasks)}
    found: list[Measured | GateResult] = []
    for gate in gates:
        if gate.id in MERGED:
            found += MERGED[gate.id](whole)
        elif isinstance(gate, FaultyItems):
            found.append(_faulty_items(whole, gate))
        elif isinstance(gate, MeasuringGate):
            found += say_sampled(gate.measure(drawn), keyed, drawn)
    return found


def decide_whole(whole: Whole, found: Sequence[Measured | GateResult]) -> list[GateResult]:
    """Convert measurements to results, as `decide_set` does for a whole set."""
    made = [one for one in found if isinstance(one, Measured)]
    asked = {one.id for one in made}
    for gate in (KeyPosition.id, KeySequence.id):
        if gate not in asked:
            made += [one for one in MERGED[gate](whole) if isinstance(one, Measured)]
    tests = count_tests(made)
    return [decide(one, tests) if isinstance(one, Measured) else one for one in found]


def _faulty_items(whole: Whole, gate: FaultyItems) -> GateResult:
    checked = checked_items(whole)
    looked = look_at(checked, standard_stems=whole.standard_stems)
    found = judge_drawn(checked, looked, len(whole), errors_everywhere(whole, len(checked)))
    return gate.result_of(found, contradictions(whole))


def sample_set(whole: Whole, most: int = MOST) -> ItemSet:
    """Return the sample that gates read, as `sample.sample_set` draws it."""
    stories = whole.stories()
    places: list[Ints] = []
    order: list[int] = []
    for task in codes_among(whole.tasks):
        keyed = whole.keyed(task)
        own = keyed[draw(stories[keyed], most)]
        places.append(own if len(own) else whole.tasks.get(task, keyed)[:1])
        order += places[-1].tolist()
    if not order:
        return whole.item_set([])
    found = whole.item_set(np.array(order))
    by_place = dict(zip(sorted(order), found.items, strict=True))
    return replace(found, items=tuple(by_place[place] for place in order))


def checked_items(whole: Whole) -> list[ItemRecord]:
    """Return the items that the checks of single items read."""
    return whole.items(np.array(places_drawn(len(whole)), np.int64))


def errors_everywhere(whole: Whole, checked: int) -> FormErrors:
    """Return the errors of form in all items, if the checks have read so many and thus not all of them."""
    if checked == len(whole):
        return NO_ERRORS
    sure = {check for state in whole.states for check in state.facts["sure"]}
    return FormErrors({check: [*ids] for check, ids in _ids_by_check(whole, "errors").items()}, sure)


def contradictions(whole: Whole) -> dict[str, tuple[str, ...]]:
    """Return the ids of items whose answers contradict themselves, by check."""
    return _ids_by_check(whole, "wrong")


def _ids_by_check(whole: Whole, name: str) -> dict[str, tuple[str, ...]]:
    places: dict[str, list[int]] = {}
    for state, offset in zip(whole.states, whole.offsets.tolist(), strict=False):
        for check, own in state.facts[name].items():
            places.setdefault(check, []).extend(place + offset for place in own)
    return {check: whole.ids(own) for check, own in places.items()}


def _tasks(whole: Whole, gate: type[Any]) -> tuple[str, ...]:
    """Return the tasks to which a gate applies, as `Gate.tasks_in` does."""
    present = codes_among(whole.tasks)
    return tuple(task for task in codes(gate.trait) if task in present)


# Gates that count


def _cells(whole: Whole, task: str) -> tuple[dict[tuple[str, int], list[int]], Callable[[], tuple[str, ...]]]:
    """Return the keys by position in each cell, and a function that returns the items of the rule."""
    cells: dict[tuple[str, int], list[int]] = {}
    for number, state in enumerate(whole.states):
        for of_task, source, split, choices, counts in state.facts["keys"]:
            if of_task == task:
                own = cells.setdefault((whole.split_of(number, source, split), choices), [0] * choices)
                own[:] = [one + other for one, other in zip(own, counts, strict=True)]

    def worst() -> tuple[str, ...]:
        often, places = most_frequent(cells), list[int]()
        for number, state in enumerate(whole.states):
            for of_task, source, split, choices, answer, own in state.facts["key_places"]:
                cell = (whole.split_of(number, source, split), choices)
                if of_task == task and often[cell] == answer:
                    places += [place + int(whole.offsets[number]) for place in own]
        return whole.ids(sorted(places)[:WORST])

    return cells, worst


def key_position(whole: Whole) -> Answers:
    """Return the answers of the gate `key_position`."""
    found: list[Measured | GateResult] = []
    for task in _tasks(whole, KeyPosition):
        cells, worst = _cells(whole, task)
        if not whole.known.is_foreign:
            # which options keep their order is known by id, so these counts are made anew
            cells = _cells_of_build(whole, task)
            named = partial(_in_cells, whole, task)
            found.append(position_result(task, cells, named, keeps_places=whole.known.keeps_places))
            continue
        trials = (try_positions(cells, worst()),) if cells else ()
        keyed = sum(map(sum, cells.values()))
        found.append(Measured(KeyPosition.id, task, keyed, trials, detail={"cells": listed(cells)}))
    return found


def _free(whole: Whole, places: Ints) -> Ints:
    """Leave out items whose options have an order of their own."""
    if not whole.known.in_order:
        return places
    return places[[name not in whole.known.in_order for name in whole.ids(places)]]


def _cells_of_build(whole: Whole, task: str) -> dict[tuple[str, int], list[int]]:
    places = _free(whole, whole.keyed(task))
    splits, names = whole.split_column()
    sizes, answers = whole.column("size"), whole.column("answer")
    cells: dict[tuple[str, int], list[int]] = {}
    rows, counts = np.unique(
        np.column_stack([splits[places], sizes[places], answers[places]]), axis=0, return_counts=True
    )
    for (split, choices, answer), times in zip(rows.tolist(), counts.tolist(), strict=True):
        cells.setdefault((names[split], choices), [0] * choices)[answer] += times
    return cells


def _in_cells(whole: Whole, task: str, uneven: set[tuple[str, int]]) -> tuple[str, ...]:
    places = _free(whole, whole.tasks.get(task, np.empty(0, np.int64)))
    splits, names = whole.split_column()
    sizes = whole.column("size")
    chosen = [place for place in places.tolist() if (names[int(splits[place])], int(sizes[place])) in uneven]
    return whole.ids(chosen)


def key_sequence(whole: Whole) -> Answers:
    """Return the answers of the gate `key_sequence`, which reads consecutive items."""
    found: list[Measured] = []
    for task in _tasks(whole, KeySequence):
        keyed = _free(whole, whole.keyed(task))
        found.append(letters_of(task, len(keyed), whole.items(keyed[window(len(keyed))])))
    return found


def length_artefact(whole: Whole) -> Answers:
    """Return the answers of the gate `length_artefact`."""
    found: list[Measured] = []
    for task in _tasks(whole, LengthArtefact):
        tally = LengthTally()
        worst: dict[str, list[tuple[float, str]]] = {rule: [] for rule in RULES}
        for state in whole.states:
            if task in state.facts["lengths"]:
                tally.add(LengthTally.from_lists(state.facts["lengths"][task]))
            for of_task, rule, items in state.facts["longest"]:
                if of_task == task:
                    worst[rule] += [(share, name) for share, name in items]
        if not tally.sizes:
            found.append(Measured(LengthArtefact.id, task, 0, detail={"margins": []}))
            continue
        trials = tuple(
            tally.trial(rule, tuple(name for _share, name in sorted(items)[:WORST]))
            for rule, items in worst.items()
        )
        detail = {"margins": tally.margins()}
        found.append(Measured(LengthArtefact.id, task, tally.sizes.total(), trials, detail=detail))
    return found


def type_coverage(whole: Whole) -> Answers:
    """Return the answers of the gate `type_coverage`."""
    found: list[GateResult] = []
    has_types = whole.column("flags") & HAS_TYPES > 0
    for task in _tasks(whole, TypeCoverage):
        counts: dict[str, Counter[str]] = {}
        for number, state in enumerate(whole.states):
            for of_task, source, split, own in state.facts["types"]:
                if of_task == task:
                    counts.setdefault(whole.split_of(number, source, split), Counter()).update(own)
        places = whole.tasks.get(task, np.empty(0, np.int64))
        untyped = whole.ids(places[~has_types[places]])
        found.append(coverage_result(task, len(places), counts, untyped, whole.known.types))
    return found


def style_coverage(whole: Whole) -> Answers:
    """Return the answers of the gate `style_coverage`."""
    found: list[GateResult] = []
    splits, names = whole.split_column()
    styles, style_names = whole.named("style")
    stories = whole.stories()
    known = {names.index(split): split for split in SPLITS if split in names}
    for task in _tasks(whole, StyleCoverage):
        own = whole.tasks.get(task, np.empty(0, np.int64))
        placed = own[np.isin(splits[own], [*known])]
        here = sorted({style_names[style] for style in np.unique(styles[placed]).tolist()})
        present = {known[split] for split in np.unique(splits[placed]).tolist()}
        if len(present) < 2 or len(here) < 2:
            found.append(GateResult(StyleCoverage.id, task, NOT_APPLICABLE, looked_at=len(own)))
            continue

        def many(places: Ints) -> int:
            return len(np.unique(stories[places]))

        lacking = []
        for split in splits_among(present):
            in_split = placed[splits[placed] == names.index(split)] if split in names else placed[:0]
            for style in here:
                of_style = placed[styles[placed] == style_names.index(style)]
                if not np.isin(of_style, in_split).any() and are_absent(
                    many(placed), many(of_style), many(in_split)
                ):
                    lacking.append([split, style])
        apart = [style_names.index(style) for style in {style for _split, style in lacking}]
        named = whole.ids(placed[np.isin(styles[placed], apart)])
        found.append(
            GateResult(
                StyleCoverage.id, task, WARNING if named else OK, figure=len(named), threshold=0,
                items=named, looked_at=len(placed), detail={"lacking": lacking},
            )
        )  # fmt: skip
    return found


def rights(whole: Whole) -> Answers:
    """Return the answers of the gate `rights`."""
    if whole.known.rights is None:
        return [GateResult(Rights.id, None, NOT_APPLICABLE, looked_at=len(whole))]
    stated = np.array([digest(name) for name, said in whole.known.rights.items() if said], np.uint64)
    unknown = np.flatnonzero(~np.isin(whole.story_ids, stated))
    many = len(np.unique(whole.story_ids[unknown]))
    return [
        GateResult(
            Rights.id, None, ERROR if many else OK, figure=many, threshold=0, items=whole.ids(unknown),
            looked_at=len(whole),
        )
    ]  # fmt: skip


def option_format(whole: Whole) -> Answers:
    """Return the answers of the gate `option_format`."""
    tally = FormTally()
    tasks, names = whole.named("task")
    for state, offset in zip(whole.states, whole.offsets.tolist(), strict=False):
        own = FormTally({task: Counter(counts) for task, counts in state.facts["marks"].items()})
        marks = state.facts["names"].get("marks", [""])
        for place, kinds, mark in zip(
            state.column("suspect").tolist(),
            state.column("suspect_kind").tolist(),
            state.column("suspect_mark").tolist(),
            strict=True,
        ):
            said = frozenset(kind for bit, kind in enumerate(KINDS_OF_FORM) if kinds & 1 << bit)
            task = names[int(tasks[place + offset])]
            own.suspects.append(Suspect(place, task, said, marks[mark], bool(kinds & IS_CONTRADICTED)))
        tally.add(own, offset)
    many = int(np.count_nonzero(whole.column("size")))
    if not many:
        return [GateResult(OptionFormat.id, None, NOT_APPLICABLE)]
    suspected = sorted({one.place for one in tally.suspects})
    ids = dict(zip(suspected, whole.ids(suspected), strict=True))
    return [result_of(tally, ids, many)]


# Gates that compare items


def in_batches(groups: Sequence[Ints]) -> Iterator[Ints]:
    """Yield the places of whole groups together, as many as can be read at once."""
    taken: list[Ints] = []
    for group in groups:
        if taken and sum(map(len, taken)) + len(group) > AT_ONCE:
            yield np.sort(np.concatenate(taken))
            taken = []
        taken.append(group)
    if taken:
        yield np.sort(np.concatenate(taken))


def sibling_leak(whole: Whole) -> Answers:
    """Return the answers of the gate `sibling_leak`, which compares the items of each story."""
    found: list[Measured] = []
    stories = whole.stories()
    for task in _tasks(whole, SiblingLeak):
        keyed = whole.keyed(task)
        if not len(keyed):
            found.append(Measured(SiblingLeak.id, task, 0, detail={"repeated": 0}))
            continue
        tally, hits, again = SharedTally(), np.empty(0, np.int64), list[int]()
        for part in range(PARTS):
            places = keyed[stories[keyed] % np.uint64(PARTS) == part]
            if not len(places):
                continue
            own = _columns(whole, places, stories)
            shared = share_options(own)
            counted, at = SharedTally.of(own, shared)
            tally.add(counted)
            hits = np.sort(np.concatenate([hits, places[at]]))[:WORST]
            repeated = places_with_repeated_key(own, shared)
            for some in in_batches(equal_groups(own.stories, repeated)):
                again += with_repeated_key(whole.items(places[some]), own.stories[some], places[some])
        ids = set(whole.ids(sorted(again)))
        named = tuple(name for name in whole.ids(sorted(again)) if name in ids)
        trial = tally.trial(whole.ids(hits))
        found.append(Measured(SiblingLeak.id, task, len(keyed), (trial,), named, {"repeated": len(named)}))
    return found


def _columns(whole: Whole, places: Ints, stories: Array) -> Columns:
    """Return the columns of some keyed items that are compared within stories."""
    sizes = whole.column("size")[places].astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    forms = np.empty(int(sizes.sum()), np.uint64)
    cuts = np.searchsorted(places, whole.offsets)
    for number, state in enumerate(whole.states):
        own = slice(cuts[number], cuts[number + 1])
        at = (places[own] - whole.offsets[number]).astype(np.int64)
        if not len(at):
            continue
        many = state.column("size").astype(np.int64)
        first = (np.cumsum(many) - many)[at]
        where = np.repeat(first - starts[own], many[at]) + np.arange(
            int(starts[own][0]), int(starts[own][-1] + sizes[own][-1])
        )
        forms[int(starts[own][0]) : int(starts[own][-1] + sizes[own][-1])] = state.column("forms")[where]
    names = stories[places].view(np.int64)
    answers = whole.column("answer")[places].astype(np.int64)
    are_han = np.zeros(len(places), np.bool_)
    form_numbers = forms.view(np.int64)
    return Columns(names, names, names, names, starts, sizes, answers, are_han, form_numbers, form_numbers)


def duplicates(whole: Whole) -> Answers:
    """Return the answers of the gate `duplicates`."""
    if not len(whole):
        return [GateResult(Duplicates.id, None, NOT_APPLICABLE)]
    everywhere = np.arange(len(whole))
    texts, ids = whole.column("text"), whole.story_ids
    repeated = [*equal_groups(whole.column("wording"), everywhere)]
    chosen = [np.array([0]), *repeated]
    if repeated:  # the first item of each story text shows which texts are one story
        theirs = np.unique(texts[np.concatenate(repeated)])
        _names, first = np.unique(texts, return_index=True)
        chosen.append(first[np.isin(_names, theirs)])
    stated = np.flatnonzero((texts > 0) & (ids > 0))
    _pairs, first = np.unique(_paired(texts[stated], ids[stated]), return_index=True)
    names, counts = np.unique(texts[stated[first]], return_counts=True)
    chosen.append(stated[np.isin(texts[stated], names[counts > 1])])
    result = Duplicates().judge(whole.item_set(np.concatenate(chosen)))[0]
    return [replace(result, looked_at=len(whole))]


def explanations(whole: Whole) -> Answers:
    """Return the answers of the gate `explanations`."""
    found: list[GateResult] = []
    are_explained = whole.column("flags") & IS_EXPLAINED > 0
    said, keys = whole.column("said"), whole.column("key")
    for task in _tasks(whole, Explanations):
        own = whole.tasks.get(task, np.empty(0, np.int64))
        explained = own[are_explained[own]]
        if not len(explained):
            found.append(GateResult(Explanations.id, task, NOT_APPLICABLE))
            continue
        groups = [group for group in equal_groups(said, explained, MANY) if len(np.unique(keys[group])) > 1]
        places = np.sort(np.concatenate(groups)) if groups else explained[:0]
        named = whole.ids(places)
        found.append(
            GateResult(
                Explanations.id, task, WARNING if named else OK, figure=len(set(named)), threshold=0,
                items=named, looked_at=len(explained),
            )
        )  # fmt: skip
    return found


def story_drift(whole: Whole) -> Answers:
    """Return the answers of the gate `story_drift`."""
    flags, ids, titles = whole.column("flags"), whole.story_ids, whole.column("title")
    have_text = flags & HAS_TEXT > 0
    missed = [
        places[~have_text[places]]
        for places in whole.tasks.values()
        if 0 < np.count_nonzero(~have_text[places]) < np.count_nonzero(have_text[places])
    ]
    missing = np.concatenate([np.empty(0, np.int64), *missed])
    are_named = (flags & HAS_STORY > 0) & ((ids > 0) | (titles > 0))
    named = np.flatnonzero(are_named)
    if not len(named) and not len(missing):
        return [GateResult(StoryDrift.id, None, NOT_APPLICABLE, looked_at=len(whole))]
    groups = ids.copy()
    for name, group in whole.suspected.items():
        groups[ids == np.uint64(digest(name))] = np.uint64(digest(group))
    raw = whole.column("raw")
    unlike: list[int] = []
    for names, own in ((groups, named[groups[named] > 0]), (titles, named[groups[named] == 0])):
        drifting = [group for group in equal_groups(names, own) if len(np.unique(raw[group])) > 1]
        for some in in_batches(drifting):
            unlike += some[unlike_the_rest(whole.items(some), whole.suspected)].tolist()
    found = np.unique(np.concatenate([missing, np.array(unlike, np.int64)]))
    return [
        GateResult(
            StoryDrift.id, None, WARNING if len(found) else OK, figure=_items(whole, found), threshold=0,
            items=whole.ids(found), looked_at=len(named) + len(missing), detail={"missing": len(missing)},
        )
    ]  # fmt: skip


def split_leak(whole: Whole) -> Answers:
    """Return the answers of the gate `split_leak`, which compares each split with all earlier ones."""
    splits, names = whole.split_column()
    steps: list[tuple[Ints, Ints]] = []
    before = np.empty(0, np.int64)
    for split in SPLITS:
        later = np.flatnonzero(splits == names.index(split)) if split in names else before[:0]
        if len(before) and len(later):
            steps.append((before, later))
        before = np.concatenate([before, later])
    if not steps:
        return [GateResult(SplitLeak.id, None, NOT_APPLICABLE, looked_at=len(whole))]
    leaks = _Leaks(whole)
    met = [leaks.find(dev, test, splits) for dev, test in steps]
    grave, slight, ordered = (np.unique(np.concatenate(found)) for found in zip(*met, strict=True))
    named = np.union1d(grave, slight)
    in_order = np.concatenate([test[np.isin(test, named)] for _dev, test in steps])
    return [
        split_result(
            len(whole), len(grave), _items(whole, np.union1d(named, ordered)), whole.ids(in_order),
            leaks.stories_in_both(steps),
        )
    ]  # fmt: skip


class _Leaks:
    """Finds the items of one split that share something with earlier splits, by columns."""

    def __init__(self, whole: Whole) -> None:
        self._whole = whole
        texts, ids = whole.column("text"), whole.story_ids
        self._stories = (np.where(texts > 0, texts, ids), ids)
        self._groups: list[Ints] | None = None

    def find(self, dev: Ints, test: Ints, splits: Array) -> tuple[Ints, Ints, Ints]:
        """Return the places of test items that are leaked seriously, slightly, or by design."""
        whole = self._whole
        are_in = whole.column("flags")[dev] & IS_IN > 0
        grave, ordered = (
            np.concatenate([test[_met(stories, chosen, test)] for stories in self._stories])
            for chosen in (dev[~are_in], dev[are_in])
        )
        grave = np.concatenate([grave, self._same_wording(dev, test, splits)])
        keys = whole.column("long_key")
        slight = [
            self._same_stem(dev, test),
            test[_met(keys, dev, test)],
            self._resembling(dev, test),
            self._suspected(dev[~are_in], test),
        ]
        return grave, np.concatenate(slight), ordered

    def stories_in_both(self, steps: Sequence[tuple[Ints, Ints]]) -> int:
        """Return the number of stories that a split shares with earlier splits, by text or by id."""
        return max(
            len(np.unique(np.concatenate([stories[test[_met(stories, dev, test)]] for dev, test in steps])))
            for stories in self._stories
        )

    def _same_wording(self, dev: Ints, test: Ints, splits: Array) -> Ints:
        if self._groups is None:
            candidates = equal_groups(self._whole.column("wording"), np.arange(len(self._whole)))
            self._groups = []
            for some in in_batches(candidates):
                for group in repeated_wordings(self._whole.item_set(some)):
                    self._groups.append(some[group])
        earlier, later = np.unique(splits[dev]), np.unique(splits[test])
        found = [
            group[np.isin(splits[group], later)]
            for group in self._groups
            if np.isin(splits[group], earlier).any()
        ]
        return np.concatenate([np.empty(0, np.int64), *found])

    def _same_stem(self, dev: Ints, test: Ints) -> Ints:
        whole = self._whole
        stems = whole.column("stem")
        ask_alike = [name for name in whole.tasks if kind_of(name).has_right_order]
        apart = np.concatenate([np.empty(0, np.int64), *(whole.tasks[name] for name in ask_alike)])
        asked_dev, asked_test = (places[~np.isin(places, apart)] for places in (dev, test))
        shared = np.intersect1d(stems[asked_dev], stems[asked_test])
        exempt = {digest(same_form(stem)) for stem in whole.standard_stems} | {0}
        both = np.concatenate([dev, test])
        often = both[np.isin(stems[both], shared)]
        stories = whole.stories()
        names, tellers = _tellers(stems[often], stories[often])
        known, times = np.unique(stems[often], return_counts=True)
        earlier = dev[np.isin(stems[dev], shared)]
        dev_names, dev_tellers = _tellers(stems[earlier], stories[earlier])
        in_dev = dict(zip(dev_names.tolist(), dev_tellers.tolist(), strict=True))
        many = names[(tellers >= MANY_STORIES) & (times[np.searchsorted(known, names)] >= MANY_STORIES)]
        firsts = {
            int(stems[place]): int(place) for place in often[np.isin(stems[often], many)][::-1].tolist()
        }
        for stem in many.tolist():
            if in_dev.get(stem, 0) > 1 or is_short(self._stem(firsts[stem])):
                exempt.add(stem)
        left = shared[~np.isin(shared, np.array([*exempt], np.uint64))]
        return asked_test[np.isin(stems[asked_test], left)]

    def _stem(self, place: int) -> str:
        return same_form(self._whole.items([place])[0].question)

    def _suspected(self, dev: Ints, test: Ints) -> Ints:
        suspected = self._whole.suspected
        if not suspected:
            return test[:0]
        groups = np.zeros(len(self._whole), np.uint64)
        for name, group in suspected.items():
            groups[self._whole.story_ids == np.uint64(digest(name))] = np.uint64(digest(group))
        return test[_met(groups, dev, test)]

    def _resembling(self, dev: Ints, test: Ints) -> Ints:
        """Return the places of test items that are nearly the same as an item of dev."""
        whole, standard = self._whole, self._whole.standard_stems
        signed = whole.places("signed")
        row_of = np.full(len(whole), -1, np.int64)
        row_of[signed] = np.arange(len(signed))
        dev, test = dev[row_of[dev] >= 0], test[row_of[test] >= 0]
        both = np.concatenate([dev, test])
        if len(both) * (len(both) - 1) // 2 <= MOST_COMPARED:
            names = resembling_items(whole.items(dev), whole.items(test), standard)
            items = zip(test.tolist(), whole.items(test), strict=True)
            return np.array([at for at, item in items if (item.task, item.id) in names], np.int64)
        table = _signatures(whole, both, row_of, standard)

        def item(place: int) -> ItemRecord:
            return whole.items([int(both[place])])[0]

        sides = np.arange(len(both)) >= len(dev)
        pairs = indexed_pairs(lambda place: text_of(item(place), standard), table, ALIKE, sides)
        found = [
            both[second] for first, second, _alike in pairs if are_alike(item(first), item(second), standard)
        ]
        return np.unique(np.array(found, np.int64))


def _signatures(whole: Whole, places: Ints, row_of: Ints, standard: frozenset[str]) -> Table:
    """Return the signatures of items; those with the standard stem are signed without it."""
    rows = row_of[places]
    parts = [state.column("signs") for state in whole.states]
    if standard and whole.states[0].facts["standard_stem"] is None:
        apart = whole.places("signed_apart")
        stems = np.array([digest(same_form(stem)) for stem in standard], np.uint64)
        apart_row = np.full(len(whole), -1, np.int64)
        apart_row[apart] = np.arange(len(apart)) + sum(map(len, parts))
        asks_alike = np.isin(whole.column("stem")[places], stems) & (apart_row[places] >= 0)
        rows = np.where(asks_alike, apart_row[places], rows)
        parts += [state.column("signs_apart") for state in whole.states]
    return Table(parts, rows)


def _items(whole: Whole, places: Ints) -> int:
    """Return the number of different items at these positions, as an item may be in a file twice."""
    return len(np.unique(whole.column("name")[places]))


def _paired(one: Array, other: Array) -> Array:
    """Return one number for each pair of digests."""
    found: Array = one * _APART + other
    return found


def _tellers(stems: Array, stories: Array) -> tuple[Array, Array]:
    """Return the different stems, and in how many stories each occurs."""
    _pairs, first = np.unique(_paired(stems, stories), return_index=True)
    names, counts = np.unique(stems[first], return_counts=True)
    return names, counts


def _met(values: Array, dev: Ints, test: Ints) -> Array:
    """Return a mask of the test items whose value a dev item has, too; 0 is no value."""
    found: Array = np.isin(values[test], np.unique(values[dev])) & (values[test] > 0)
    return found


MERGED: Final[Mapping[str, Callable[[Whole], Answers]]] = {
    KeyPosition.id: key_position,
    KeySequence.id: key_sequence,
    LengthArtefact.id: length_artefact,
    SiblingLeak.id: sibling_leak,
    SplitLeak.id: split_leak,
    Duplicates.id: duplicates,
    Explanations.id: explanations,
    TypeCoverage.id: type_coverage,
    StyleCoverage.id: style_coverage,
    StoryDrift.id: story_drift,
    OptionFormat.id: option_format,
    Rights.id: rights,
}
"""The gates that do not read a sample, each with the function that answers for slices."""
