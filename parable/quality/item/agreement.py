"""Agreement of checks, or of a model, with people on which items break item-writing rules."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from statistics import median
from typing import Final

from parable.formats.rule_labels import LabelledItem
from parable.quality.item import CHECKS, RULES, judge
from parable.quality.item.from_records import view_set
from parable.quality.item.rules import CODES

SEED: Final = "parable flaws 16"
TUNED: Final = "tuned"
HELD_OUT: Final = "held_out"
HALVES: Final = (TUNED, HELD_OUT)
"""The items whose labels were seen when the checks were written, and the held-out items."""

Judge = Callable[[Sequence[LabelledItem]], Sequence[Collection[str]]]
"""A function that returns, for each item, the codes of the rules that the item breaks."""


def half_of(name: str, seed: str = SEED) -> str:
    """Return the half to which an item belongs, by a hash of seed and id."""
    return HALVES[int(sha256(f"{seed} {name}".encode()).hexdigest(), 16) % 2]


@dataclass(frozen=True, slots=True)
class RuleAgreement:
    """Numbers of items that break a rule according to both judge and people, only one side, or neither."""

    rule: str
    both: int
    judge_alone: int
    people_alone: int
    neither: int

    @property
    def items(self) -> int:
        """The number of items that people labelled for the rule."""
        return self.both + self.judge_alone + self.people_alone + self.neither

    @property
    def kappa(self) -> float:
        """Cohen's kappa: 1 for full agreement, 0 for independent judges with the same rates."""
        n, both = self.items, self.both
        judge, people = both + self.judge_alone, both + self.people_alone
        observed = (both + self.neither) / n if n else 0.0
        chance = (judge * people + (n - judge) * (n - people)) / n**2 if n else 1.0
        return (observed - chance) / (1 - chance) if chance < 1 else 0.0

    @property
    def precision(self) -> float | None:
        """The proportion of the judge's findings that people confirm; None if there are no findings."""
        named = self.both + self.judge_alone
        return self.both / named if named else None

    @property
    def recall(self) -> float | None:
        """The proportion of people's findings that the judge confirms; None if there are no findings."""
        named = self.both + self.people_alone
        return self.both / named if named else None


def broken_rules(items: Sequence[LabelledItem]) -> list[frozenset[str]]:
    """Return, for each item, the codes of the rules that it breaks according to the checks."""
    checks = [check for check in CHECKS.values() if check.rule]
    views = view_set([one.item for one in items])
    return [frozenset(RULES[finding.check] for finding in judge(view, checks)) for view in views]


def agreements(items: Iterable[LabelledItem], ask: Judge = broken_rules) -> tuple[RuleAgreement, ...]:
    """Return the agreement on each rule, in the order of `CODES`, over the items labelled for the rule.

    `ask` is the judge; the default runs the checks.
    """
    labelled = tuple(items)
    told = list(zip(labelled, ask(labelled), strict=True))
    found: list[RuleAgreement] = []
    for rule in CODES:
        # pairs of people's label and the judge's finding
        pairs = Counter((one.labels[rule], rule in said) for one, said in told if rule in one.labels)
        found.append(
            RuleAgreement(
                rule, pairs[True, True], pairs[False, True], pairs[True, False], pairs[False, False]
            )
        )
    return tuple(found)


def pooled(found: Iterable[RuleAgreement]) -> RuleAgreement:
    """Add up the counts of all rules as one rule, for rules with few labels each."""
    counts = [(one.both, one.judge_alone, one.people_alone, one.neither) for one in found]
    return (
        RuleAgreement("all", *map(sum, zip(*counts, strict=True)))
        if counts
        else RuleAgreement("all", 0, 0, 0, 0)
    )


def median_kappa(found: Iterable[RuleAgreement]) -> float:
    """Return the median kappa over the rules."""
    return median(one.kappa for one in found)
