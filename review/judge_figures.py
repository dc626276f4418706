"""Agreement of a language model's judgements with those of reviewers. Pure: computed from plain rows."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from parable.psychometrics.agreement import Estimate, pair_agreement
from parable.psychometrics.raters.alternative import Verdict, alternative_annotator
from parable.quality.item.rules import CODES
from review.figures import Rated

RULES_OF_FLAWS: Final[Mapping[str, tuple[str, ...]]] = {
    "two_right_options": ("single_best_answer",),
    "trivial_distractor": ("plausible_distractors", "no_logical_cues"),
    "unclear_stem": ("focused_stem", "problem_in_stem", "clear_language"),
    "language": ("clear_language", "grammatical_consistency"),
}
"""For each flaw that a reviewer can name, the corresponding rules of item writing. Other flaws have none."""

Broken = Mapping[int, frozenset[str]]
"""The rules, or flaws, that a person or model names for a revision, by revision id."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A model's judgement of one revision: broken rules and a rating, each None if the reply lacks it."""

    revision: int
    story: int
    broken: frozenset[str] | None
    rating: int | None


@dataclass(frozen=True, slots=True)
class FlawAgreement:
    """Agreement on one flaw.

    `people`, `model` and `checks` are the numbers of items for which they name the flaw, among `n` items.
    `kappa` is Cohen's kappa of people and the model, `kappa_checks` that of people and the automatic checks.
    """

    flaw: str
    rules: tuple[str, ...]
    n: int
    people: int
    model: int
    checks: int
    kappa: Estimate
    kappa_checks: Estimate


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """One model's statistics: items judged, agreement by flaw, and the alternative-annotator test.

    `named`: for each rule, how often the model and how often the automatic checks name it, over the same
    items.
    """

    judged: int
    ratings: int
    mean: float | None
    flaws: tuple[FlawAgreement, ...]
    named: dict[str, tuple[int, int]]
    verdict: Verdict


def judge_figures(
    judged: Sequence[Judgement], *, people: Broken, checks: Broken, rated: Iterable[Rated]
) -> JudgeFigures:
    """Return the agreement of a model's judgements with the flaws and ratings of people, and with the checks.

    `people`: the flaws that reviewers named, for each revision that they reviewed. `checks`: the rules that
    each revision breaks according to the automatic checks.
    """
    answered = [one for one in judged if one.broken is not None]
    by_model = Counter(rule for one in answered for rule in one.broken or ())
    by_checks = Counter(rule for one in answered for rule in checks.get(one.revision, ()))
    spoken = [one for one in answered if one.revision in people]
    given: dict[int, dict[int, float]] = {}
    for row in rated:
        given.setdefault(row.reviewer, {})[row.revision] = float(row.rating)
    ratings = {one.revision: float(one.rating) for one in judged if one.rating is not None}
    return JudgeFigures(
        judged=len(judged),
        ratings=len(ratings),
        mean=sum(ratings.values()) / len(ratings) if ratings else None,
        flaws=tuple(
            _agreement(flaw, rules, spoken, people, checks) for flaw, rules in RULES_OF_FLAWS.items()
        ),
        named={
            rule: (by_model[rule], by_checks[rule]) for rule in CODES if by_model[rule] or by_checks[rule]
        },
        verdict=alternative_annotator(given, ratings, stories={one.revision: one.story for one in judged}),
    )


def _agreement(
    flaw: str, rules: tuple[str, ...], judged: Sequence[Judgement], people: Broken, checks: Broken
) -> FlawAgreement:
    of = frozenset(rules)
    said = [int(flaw in people[one.revision]) for one in judged]
    model = [int(bool(of & (one.broken or frozenset()))) for one in judged]
    code = [int(bool(of & checks.get(one.revision, frozenset()))) for one in judged]
    stories = [one.story for one in judged]
    by_model = pair_agreement(said, model, stories, categories=2).kappa
    by_code = pair_agreement(said, code, stories, categories=2).kappa
    return FlawAgreement(flaw, rules, len(judged), sum(said), sum(model), sum(code), by_model, by_code)


def extra_ratings(number: int, judged: Iterable[Judgement]) -> list[Rated]:
    """Return a model's ratings as those of a further rater. `number` is negative, as no user id is."""
    return [
        Rated(one.revision, one.story, "", number, one.rating) for one in judged if one.rating is not None
    ]
