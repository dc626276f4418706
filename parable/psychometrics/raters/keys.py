"""Infer the right option of each item from the blind answers of many people, without the key.

The model of Dawid and Skene (1979) with one accuracy per person: options of different items have nothing in
common except being right or wrong, so a person chooses the right option with a probability of their own, and
each wrong option equally often. The writer's key is not used; an item whose answers suggest another option
should be checked. A prior worth `STRENGTH` answers draws accuracies to the mean of all people. Standard
errors follow Louis (1982), with stories as units.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import scipy

from parable.psychometrics.bootstrap import LEVEL, wilson_interval

Array = npt.NDArray[np.float64]
STRENGTH: Final = 4.0
"""The weight of the prior of a person's accuracy, in answers; its mean is the accuracy of all people."""
LEAST_ANSWERS: Final = 30
"""The fewest answers in total for an estimate; also, at least one item must have answers of two people."""
SURE: Final = 0.95
LEAST_VOTES: Final = 2
"""The fewest votes of an option that contradicts the key; its probability must also be at least `SURE`."""
MOST_CYCLES: Final = 1000
_TOLERANCE: Final = 1e-9
_LEAST: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Answer:
    """A blind answer of a person: the number of the chosen option, from 0, out of `options`."""

    item: Hashable
    person: Hashable
    choice: int
    options: int


@dataclass(frozen=True, slots=True)
class KeyVote:
    """The result for one item: the probability that each option is right, and its number of votes."""

    item: Hashable
    n: int
    probabilities: tuple[float, ...]
    votes: tuple[int, ...]

    @property
    def likeliest(self) -> int:
        """The option with the highest probability; the first if several are equal."""
        return int(np.argmax(self.probabilities))


@dataclass(frozen=True, slots=True)
class Person:
    """The estimated accuracy of one person over `n` answers, with its interval."""

    person: Hashable
    n: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Keys:
    """The results for all items and people, with the numbers of answers and stories that were used."""

    items: tuple[KeyVote, ...]
    people: tuple[Person, ...]
    answers: int
    stories: int

    def against(self, keys: Mapping[Any, int], *, sure: float = SURE) -> list[KeyVote]:
        """Return the items whose likeliest option is not the key, most certain first.

        The option must have at least probability `sure` and `LEAST_VOTES` votes.
        """
        found = [
            one
            for one in self.items
            if one.item in keys
            and one.likeliest != keys[one.item]
            and one.probabilities[one.likeliest] >= sure
            and one.votes[one.likeliest] >= LEAST_VOTES
        ]
        return sorted(found, key=lambda one: -one.probabilities[one.likeliest])


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """All answers as columns: the numbers of item and person, and the chosen option.

    `options` has the number of options of each item.
    """

    item: npt.NDArray[np.intp]
    person: npt.NDArray[np.intp]
    choice: npt.NDArray[np.intp]
    options: npt.NDArray[np.intp]
    people: int

    @property
    def open(self) -> npt.NDArray[np.bool_]:
        """A mask of existing options, shape (items, largest number of options)."""
        return np.asarray(np.arange(self.options.max()) < self.options[:, None])


def keys_by_answers(answers: Iterable[Answer], stories: Mapping[Any, Hashable] | None = None) -> Keys | None:
    """Infer keys from blind answers; return None if there are too few answers.

    `stories` is the story of each item. If a person answered an item several times, the last answer counts.
    Raise ValueError if a choice is not an option of the item.
    """
    rows = list({(one.item, one.person): one for one in answers}.values())
    items = list(dict.fromkeys(one.item for one in rows))
    people = list(dict.fromkeys(one.person for one in rows))
    if len(rows) < LEAST_ANSWERS or len(items) == len(rows):
        return None
    numbers, of = ({name: index for index, name in enumerate(names)} for names in (items, people))
    options = {one.item: one.options for one in rows}
    if any(not 0 <= one.choice < options[one.item] for one in rows):
        raise ValueError("A choice is a whole number from 0 to the number of the item's options less 1.")
    table = _Table(
        np.array([numbers[one.item] for one in rows]),
        np.array([of[one.person] for one in rows]),
        np.array([one.choice for one in rows]),
        np.array([options[name] for name in items]),
        len(people),
    )
    accuracy, mean, classes = _estimate(table)
    named = [item if stories is None else stories.get(item, ("item", item)) for item in items]
    errors, clusters = _errors(table, accuracy, mean, classes, named)
    votes = np.zeros(table.open.shape, dtype=np.intp)
    np.add.at(votes, (table.item, table.choice), 1)
    shown = [
        (classes[row, :width].tolist(), votes[row, :width].tolist())
        for row, width in enumerate(table.options)
    ]
    return Keys(
        items=tuple(
            KeyVote(name, sum(chose), tuple(chances), tuple(chose))
            for name, (chances, chose) in zip(items, shown, strict=True)
        ),
        people=_people(people, table, accuracy, errors, clusters),
        answers=len(rows),
        stories=clusters,
    )


def _people(
    names: list[Hashable], table: _Table, accuracy: Array, errors: Array, clusters: int
) -> tuple[Person, ...]:
    n = np.bincount(table.person, minlength=table.people)
    quantile = float(scipy.stats.t.ppf((1 + LEVEL) / 2, max(clusters - 1, 1)))
    middle = scipy.special.logit(accuracy)
    low, high = (scipy.special.expit(middle + sign * quantile * errors) for sign in (-1, 1))
    # If all answers are right, log odds are infinite: take the interval of a share over stories instead.
    certain = accuracy > 1 - 2 * _LEAST
    low = np.where(certain, wilson_interval(clusters, clusters)[0], low)
    return tuple(
        Person(name, int(n[row]), float(accuracy[row]), float(low[row]), float(high[row]))
        for row, name in enumerate(names)
    )


def _estimate(table: _Table) -> tuple[Array, float, Array]:
    """Estimate by EM the accuracy of each person, the mean accuracy, and the probability of each option."""
    n = np.bincount(table.person, minlength=table.people)
    accuracy, mean = np.full(table.people, 0.7), 0.7
    for _ in range(MOST_CYCLES):
        classes = _classes(table, accuracy)
        right = np.bincount(table.person, classes[table.item, table.choice], minlength=table.people)
        mean = float(np.clip(right.sum() / n.sum(), 0.5, 1 - _LEAST))
        now = np.clip((right + STRENGTH * mean) / (n + STRENGTH), _LEAST, 1 - _LEAST)
        moved = float(np.abs(now - accuracy).max())
        accuracy = now
        if moved < _TOLERANCE:
            break
    return accuracy, mean, _classes(table, accuracy)


def _classes(table: _Table, accuracy: Array) -> Array:
    """Return the probability that each option is right, shape (items, most options)."""
    chance = accuracy[table.person]
    lead = np.log(chance) - np.log((1 - chance) / np.maximum(table.options[table.item] - 1, 1))
    joint = np.where(table.open, 0.0, -np.inf)
    np.add.at(joint, (table.item, table.choice), lead)
    return np.asarray(scipy.special.softmax(joint, axis=1))


def _errors(
    table: _Table, accuracy: Array, mean: float, classes: Array, stories: list[Hashable]
) -> tuple[Array, int]:
    """Return the standard errors of people's log odds, with stories as units, and the number of stories.

    An answer's derivative is the probability that it is right minus the person's accuracy; the information is
    that of known keys minus the information lost because keys are unknown (Louis 1982).
    """
    names = {name: number for number, name in enumerate(dict.fromkeys(stories))}
    of_story = np.array([names[name] for name in stories])
    right = classes[table.item, table.choice]
    slopes = np.zeros((len(names), table.people))
    np.add.at(slopes, (of_story[table.item], table.person), right - accuracy[table.person])
    n = np.bincount(table.person, minlength=table.people)
    bread = np.linalg.pinv(np.diag((n + STRENGTH) * accuracy * (1 - accuracy)) - _missing(table, classes))
    meat = slopes.T @ slopes * (len(names) / max(len(names) - 1, 1))
    meat += np.diag(np.full(table.people, STRENGTH * mean * (1 - mean)))
    return np.sqrt(np.maximum(np.diag(bread @ meat @ bread), 0.0)), len(names)


def _missing(table: _Table, classes: Array) -> Array:
    """Return the posterior covariance of people's numbers of right answers, shape (people, people)."""
    found = np.zeros((table.people, table.people))
    order = np.argsort(table.item, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(table.item))[:-1]):
        person, choice = table.person[rows], table.choice[rows]
        chance = classes[table.item[rows[0]], choice]
        same = np.where(choice[:, None] == choice, chance, 0.0)
        found[np.ix_(person, person)] += same - np.outer(chance, chance)
    return found
