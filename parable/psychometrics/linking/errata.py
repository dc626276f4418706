"""Effects of corrected keys and withdrawn items: score the same answers by two versions of a set."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parable.formats.records import ItemRecord
from parable.kinds import kind_of
from parable.psychometrics.results import clusters
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.results.sheets import Items, ResponseColumns
from parable.psychometrics.results.tables import Column, Kind, Row, Table, figure


@dataclass(frozen=True, slots=True)
class Rescored:
    """An item with its story, and each model's mean score by both versions.

    `before` or `after` is None if that version does not have the item.
    """

    item: str
    story: Hashable
    before: tuple[float, ...] | None
    after: tuple[float, ...] | None

    @property
    def changed(self) -> bool:
        """Whether the versions score the item differently for any model."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Change:
    """A model's accuracy and rank by both versions, and the difference.

    Intervals are clustered by story.
    """

    model: str
    before: Estimate
    after: Estimate
    difference: Estimate
    rank_before: int
    rank_after: int


@dataclass(frozen=True, slots=True)
class Erratum:
    """The changes of all models, the number of items in both versions, and the ids of the changed items."""

    changes: tuple[Change, ...]
    items_before: int
    items_after: int
    changed: tuple[str, ...]


def erratum(models: Sequence[str], items: Sequence[Rescored]) -> Erratum | None:
    """Return the effects of the later version on each model; None if either version has no items.

    `models` are the names of the models, in the order of the scores in `items`.
    """
    before = [one for one in items if one.before is not None]
    after = [one for one in items if one.after is not None]
    if not before or not after:
        return None
    numbers = {name: number for number, name in enumerate(dict.fromkeys(one.story for one in items))}
    old = np.array([one.before for one in before], dtype=np.float64)
    new = np.array([one.after for one in after], dtype=np.float64)
    stories = [np.array([numbers[one.story] for one in of]) for of in (before, after)]
    ranks = [_ranks(of.mean(axis=0)) for of in (old, new)]
    changes = tuple(
        Change(
            name,
            clusters.share(old[:, column], stories[0]),
            clusters.share(new[:, column], stories[1]),
            clusters.combination(
                [
                    clusters.Part(new[:, column], stories[1], 1.0),
                    clusters.Part(old[:, column], stories[0], -1.0),
                ]
            ),
            *(of[column] for of in ranks),
        )
        for column, name in enumerate(models)
    )
    return Erratum(changes, len(before), len(after), tuple(one.item for one in items if one.changed))


def erratum_table(found: Erratum, version: str) -> Table:
    """Return a table with a row per model, best by the later version first; `version` is its name."""
    columns = (
        Column("examinee", Kind.NAME),
        Column("accuracy_before", Kind.SHARE),
        Column("accuracy_after", Kind.SHARE),
        Column("correction", Kind.POINTS),
        Column("rank_before", Kind.COUNT),
        Column("rank_after", Kind.COUNT),
    )
    ordered = sorted(found.changes, key=lambda one: (one.rank_after, one.model))
    rows = (
        Row(
            (
                one.model,
                *map(figure, (one.before, one.after, one.difference)),
                one.rank_before,
                one.rank_after,
            )
        )
        for one in ordered
    )
    counts = {"before": found.items_before, "after": found.items_after, "changed": len(found.changed)}
    return Table("erratum", columns, tuple(rows), {"version": version, **counts})


def _ranks(means: np.ndarray) -> list[int]:
    """Return ranks from 1 for the highest value; equal values share the better rank."""
    return [1 + int(np.sum(means > one + 1e-12)) for one in means]


def corrected(before: Sequence[ItemRecord], after: Sequence[ItemRecord]) -> list[ItemRecord]:
    """Return the earlier version's items with the keys of the later version.

    Answers to the earlier version can then be scored by the later keys. Items that were reworded, withdrawn
    or added are left out.
    """
    later = {one.id: one for one in after}
    pairs = [(one, later[one.id]) for one in before if one.id in later]
    found: list[ItemRecord] = []
    for old, new in pairs:
        if new.is_keyed and _words(old) == _words(new):
            answer = None if new.answer is None else old.choices.index(new.choices[new.answer])
            answers = [old.choices.index(new.choices[place]) for place in new.answers]
            if kind_of(old.task).answer != "order":
                answers.sort()
            found.append(replace(old, answer=answer, answers=tuple(answers)))
    return found


def _words(one: ItemRecord) -> tuple[object, ...]:
    return one.task, one.story, one.question, sorted(one.choices), one.own


def rescored(
    before: Items, after: Items, sheets: Sequence[ResponseColumns], later: Sequence[ResponseColumns]
) -> tuple[list[str], list[Rescored]]:
    """Return the names of models in both lists of sheets, and the mean score per item by both versions.

    Items that some model was not given in the earlier version are left out.
    """
    of_later = {one.name: one for one in later}
    pairs = [(one, of_later[one.name]) for one in sheets if one.name in of_later]
    old, new = (_means(of, [pair[side] for pair in pairs]) for side, of in enumerate((before, after)))
    items = [
        Rescored(fact.id, fact.story, old[fact.id], new.get(fact.id))
        for fact in before.facts
        if fact.id in old
    ]
    return [one.name for one, _ in pairs], items


def _means(items: Items, sheets: Sequence[ResponseColumns]) -> dict[str, tuple[float, ...]]:
    """Return the mean score of each model on each item, by item id.

    Items that a model was not given are left out.
    """
    n = len(items.facts)
    asked = np.array([np.bincount(one.item, minlength=n) for one in sheets]).reshape(len(sheets), n)
    right = np.array(
        [np.bincount(one.item, weights=one.right.astype(np.float64), minlength=n) for one in sheets]
    ).reshape(len(sheets), n)
    shares = right / np.maximum(asked, 1)
    everybody = np.all(asked > 0, axis=0).tolist()
    return {fact.id: tuple(shares[:, row]) for row, fact in enumerate(items.facts) if everybody[row]}
