"""Somebody who searches for withheld keys by uploads that differ in one answer, and proves what they find.

`Prober` works against any scoring that answers `ask(team, answers)` with an accuracy in items, or with
nothing where the team may upload no more. It holds what is proven: an option that must be the key, never a
guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

OPTIONS: Final = 4
STRIDE: Final = 8
Answers = tuple[int, ...]
Ask = Callable[[int, Answers], int | None]
"""Team and answers; the items reported as right, or None where no more is taken."""


class UsedUpError(Exception):
    """No team has an upload left that could reveal anything."""


@dataclass
class Knowledge:
    """What options of each item may still be its key."""

    possible: list[set[int]]

    @property
    def proven(self) -> dict[int, int]:
        """The keys that are certain."""
        return {at: min(left) for at, left in enumerate(self.possible) if len(left) == 1}

    def exclude(self, item: int, option: int) -> None:
        """Note that an option is not the key."""
        self.possible[item].discard(option)

    def prove(self, item: int, option: int) -> None:
        """Note the key."""
        self.possible[item] = {option}

    def open_items(self) -> list[int]:
        """The items whose keys are not proven, those with the fewest possible keys first."""
        found = [at for at, left in enumerate(self.possible) if len(left) > 1]
        return sorted(found, key=lambda at: len(self.possible[at]))


def changed(answers: Answers, item: int, option: int) -> Answers:
    """The answers with one of them changed."""
    return (*answers[:item], option, *answers[item + 1 :])


@dataclass
class Prober:
    """Proves keys against the best so far, by teams that share their results.

    `count` is how many of `base` are right, once that is known exactly: when one changed answer made the
    figure of a team rise, the total is at the edge of a step. From then on answers whose keys are proven
    are spoilt or fixed to put the total just below the next edge, where every upload tests one option.
    """

    n: int
    step: int
    ask: Ask
    teams: int
    chance: Random
    known: Knowledge = field(init=False)
    best: dict[int, int] = field(default_factory=dict)
    spent: set[int] = field(default_factory=set)
    base: Answers = ()
    count: int = 0

    def run(self) -> dict[int, int]:
        """Ask until nothing more is taken; the proven keys by place."""
        self.known = Knowledge([set(range(OPTIONS)) for _item in range(self.n)])
        self.base = (0,) * self.n
        try:
            self._find_edge(STRIDE)
            while self.known.open_items():
                self._probe()
        except UsedUpError:
            pass
        return self.known.proven

    def _upload(self, answers: Answers, below: int) -> int:
        """The figure that a team is shown whose best is below so many; the best of it is noted."""
        for team in sorted(range(self.teams), key=lambda one: -self.best.get(one, -1)):
            if team in self.spent or self.best.get(team, -1) >= below:
                continue
            figure = self.ask(team, answers)
            if figure is not None:
                self.best[team] = max(figure, self.best.get(team, -1))
                return figure
            self.spent.add(team)
        raise UsedUpError

    def _rises(self, answers: Answers, edge: int) -> bool:
        return self._upload(answers, edge) >= edge

    def _find_edge(self, stride: int) -> None:
        """Change answers, so many at once, until a figure rises; then one at a time between the last two."""
        before, edge = self.base, self._next_edge()
        while True:
            items = self.known.open_items()
            self.chance.shuffle(items)
            after, steps = before, []
            for item in items[:stride]:
                option = self.chance.choice(sorted(self.known.possible[item] - {after[item]}))
                after = changed(after, item, option)
                steps.append((item, option))
            if self._rises(after, edge):
                break
            before = after
        for item, option in steps:
            after = changed(before, item, option)
            if len(steps) == 1 or self._rises(after, edge):
                self.known.prove(item, option)
                self.base, self.count = after, edge
                return
            before = after

    def _next_edge(self) -> int:
        if not self.best:
            return self._upload(self.base, self.n + 1) // self.step * self.step + self.step
        open_teams = [best for team, best in self.best.items() if team not in self.spent]
        if not open_teams:
            raise UsedUpError
        return min(open_teams) // self.step * self.step + self.step

    def _probe(self) -> None:
        """Test one option of one item at the lowest edge that can be reached, or look for another edge."""
        edge = self._reachable_edge()
        if edge is None:
            self._find_edge(1)
            return
        armed = self._with_count(edge - 1)
        item = self.known.open_items()[0]
        option = self.chance.choice(sorted(self.known.possible[item] - {armed[item]}))
        if self._rises(changed(armed, item, option), edge):
            self.known.prove(item, option)
            self.base, self.count = changed(armed, item, option), edge
        else:
            was_proven = dict(self.known.proven)
            self.known.exclude(item, option)
            self.base, self.count = armed, edge - 1
            assert was_proven.items() <= self.known.proven.items()

    def _reachable_edge(self) -> int | None:
        proven = self.known.proven
        right = sum(self.base[item] == key for item, key in proven.items())
        lowest, highest = self.count - right, self.count + len(proven) - right
        open_teams = [self.best.get(team, -1) for team in range(self.teams) if team not in self.spent]
        for edge in range(self.step, self.n + 1, self.step):
            if lowest <= edge - 1 <= highest and any(best < edge for best in open_teams):
                return edge
        return None

    def _with_count(self, count: int) -> Answers:
        """The answers of `base` with proven ones spoilt or fixed, so that so many are right."""
        answers, now = self.base, self.count
        for item, key in self.known.proven.items():
            if now > count and answers[item] == key:
                answers, now = changed(answers, item, (key + 1) % OPTIONS), now - 1
            elif now < count and answers[item] != key:
                answers, now = changed(answers, item, key), now + 1
        return answers


def probe_rounded(n: int, ask: Callable[[Answers], int | None], chance: Random) -> dict[int, int]:
    """The same against the rule before: every total is shown, rounded to the nearest step."""
    known = Knowledge([set(range(OPTIONS)) for _item in range(n)])
    try:
        below, above = _edge_of_rounding(n, ask, chance, known)
        for item in range(n):
            _probe_item(item, below, above, ask, known)
    except UsedUpError:
        pass
    return known.proven


def _answer_of(ask: Callable[[Answers], int | None], answers: Answers) -> int:
    figure = ask(answers)
    if figure is None:
        raise UsedUpError
    return figure


def _edge_of_rounding(
    n: int, ask: Callable[[Answers], int | None], chance: Random, known: Knowledge
) -> tuple[Answers, Answers]:
    """Two files that differ in one answer, whose totals lie on the two sides of an edge."""
    answers: Answers = (0,) * n
    figure = _answer_of(ask, answers)
    while True:
        item, option = chance.randrange(n), chance.randrange(OPTIONS)
        after = changed(answers, item, option)
        change = _answer_of(ask, after)
        if change > figure:
            known.prove(item, option)
            return answers, after
        if change < figure:
            known.prove(item, answers[item])
            return after, answers
        answers = after


def _probe_item(
    item: int, below: Answers, above: Answers, ask: Callable[[Answers], int | None], known: Knowledge
) -> None:
    left = known.possible[item]
    if below[item] != above[item] or len(left) == 1:
        return
    edge = _answer_of(ask, changed(above, item, (above[item] + 1) % OPTIONS))
    if edge < _figure_at(above, ask):
        known.prove(item, above[item])
        return
    known.exclude(item, above[item])
    while len(left) > 1:
        option = min(left)
        if _answer_of(ask, changed(below, item, option)) > _figure_at(below, ask):
            known.prove(item, option)
            return
        known.exclude(item, option)


def _figure_at(answers: Answers, ask: Callable[[Answers], int | None]) -> int:
    """The earlier result of a file; asked once and remembered."""
    memory: dict[Answers, int] = getattr(ask, "memory")  # noqa: B009 - of any scoring that remembers
    return memory[answers] if answers in memory else _answer_of(ask, answers)


def right(answers: Sequence[int], keys: Sequence[int]) -> int:
    """How many answers are right."""
    return sum(answer == key for answer, key in zip(answers, keys, strict=True))
