"""The complete item analysis of a response matrix, with results that can be stored as JSON."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from parable.psychometrics.classical import (
    NOT_CHOSEN,
    Choices,
    distractors,
    item_statistics,
    kr20,
    story_dependence,
    weighted_vote,
)
from parable.psychometrics.fit.whole import WholeFit, number, whole_fit
from parable.psychometrics.irt import (
    FEW_EXAMINEES,
    Calibration,
    Model,
    PriorChoice,
    abilities_by_story,
    by_story,
    calibrate,
)
from parable.psychometrics.items.ability_groups import ABILITY_GROUPS, choices_by_ability
from parable.psychometrics.items.chance import negative_correlations, negative_share
from parable.psychometrics.items.fit import POINTS, item_fit, residuals, whole_information
from parable.psychometrics.items.groups import style_effects
from parable.psychometrics.items.ranks import family_of, places
from parable.psychometrics.items.suspects import suspects
from parable.psychometrics.items.upper_lower import upper_lower
from parable.psychometrics.responses import Array, Mask, ResponseMatrix
from parable.psychometrics.short_forms.form import LEAST_SIZE, make_form
from parable.psychometrics.short_forms.labels import constraints, form_json

ESTIMATING: Final = "estimating"
DESCRIBING: Final = "describing"
COMPARING: Final = "comparing"
DRAWING: Final = "drawing"
"""Names of the steps of an analysis, in the order in which they run, for progress reports."""
FAMILY_RESAMPLES: Final = 200

WRIGHT_BINS: Final = np.linspace(-4.0, 4.0, 33)

Json = dict[str, Any]
Report = Callable[[str, int, int], object]
"""A progress callback; arguments: name of the step, amount done, total amount (0 if unknown)."""


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """The input of an item analysis: right and wrong answers, and the chosen options.

    `choices` (-1: none) and `keys` are option numbers from 0; `options` is the number of options of each
    item; `stories`, `is_machine` and, if known, `types` have one entry per item.
    """

    matrix: ResponseMatrix
    choices: Choices
    keys: np.ndarray[tuple[int], np.dtype[np.int64]]
    options: Sequence[int]
    stories: Sequence[str]
    is_machine: Mask
    types: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """The result of an item analysis: a calibration (None if nothing could be estimated) and JSON values.

    If at least two items share a story, abilities and standard errors allow for stories (`by_story`). The
    size of `summary` does not depend on the number of items; `items` has one object per item, in matrix
    order, `suspects` one per suspect item. `short_form` is None if too few examinees answered every item, or
    if the set has too few items.
    """

    found: Calibration | None
    summary: Json
    items: list[Json]
    suspects: list[Json]
    short_form: Json | None = None


def _nobody(_step: str, _done: int, _of: int) -> None:
    """Ignore progress reports."""


def analyse(
    given: Answered,
    model: Model,
    *,
    priors: PriorChoice = "auto",
    seed: int,
    draws: int = 20,
    report: Report = _nobody,
) -> Analysis:
    """Return classical and IRT statistics, suspect items, and effects of styles and stories.

    `draws` is the number of simulated sets (`negative_share`). `report` is called with the progress; during
    estimation it receives the number of cycles, with total 0.
    """
    matrix = given.matrix
    report(ESTIMATING, 0, 0)
    try:
        found = calibrate(matrix, model, priors=priors, report=lambda cycles: report(ESTIMATING, cycles, 0))
    except ValueError:  # all answers are right, or all are wrong
        found = None
    report(DESCRIBING, 0, 0)
    clustered = None if found is None else abilities_by_story(matrix, found, given.stories)
    estimated = None if found is None else by_story(found, clustered)
    votes = _votes(given)
    named = suspects(matrix, found, votes, given.stories)
    fit = None
    if found is not None:
        fit = whole_fit(matrix, found, report=lambda cycles: report(DESCRIBING, cycles, 0))
    items = _items(given, found, votes, fit)
    statistics, reliability = item_statistics(matrix), kr20(matrix)
    summary = {
        "examinees": len(matrix.examinees),
        "items": len(matrix.items),
        "few": len(matrix.examinees) < FEW_EXAMINEES,
        "reliability": {
            "value": number(reliability.value),
            "low": number(reliability.low),
            "high": number(reliability.high),
            "examinees": reliability.examinees,
        },
        "dependence": None if found is None else _dependence(given, found, seed),
        "everybody": int(statistics.everybody.sum()),
        "nobody": int(statistics.nobody.sum()),
        "suspects": len(named),
        "by_story": None
        if clustered is None
        else {
            "correlation": number(clustered.correlation),
            "design_effect": number(float(clustered.design_effect.mean())),
            "stories": clustered.stories,
        },
        "fit": None if fit is None else fit.as_json(),
        "group": None if (tails := upper_lower(matrix)) is None else tails.size,
    }
    report(COMPARING, 0, 0)  # this takes longest, as it resamples
    summary |= {
        "styles": [
            {
                "name": one.examinee,
                "stories": one.stories,
                "difference": one.difference,
                "low": one.low,
                "high": one.high,
            }
            for one in style_effects(matrix, given.is_machine, given.stories)
        ],
        "people": _people(given, estimated, fit, seed),
        **_of_families(matrix, seed, report),
        **({} if found is None else _latent(matrix, found, seed, draws, report)),
    }
    suspect = [
        {
            **items[one.item],
            "reasons": list(one.reasons),
            "sibling": None if one.sibling is None else matrix.items[one.sibling],
        }
        for one in named
    ]
    form = short_form(given, seed, lambda done, of: report(DRAWING, done, of))
    return Analysis(estimated, summary, items, suspect, form)


SHORT: Final = 0.1
"""The size of a short form, as a proportion of the items."""


def short_form(given: Answered, seed: int, report: Callable[[int, int], object]) -> Json | None:
    """Return as JSON a short form with a tenth of the items.

    It has one item per story if possible. Return None if it would have all items, or if `make_form` returns
    None.
    """
    matrix = given.matrix
    size = max(LEAST_SIZE, round(SHORT * len(matrix.items)))
    if size >= len(matrix.items):
        return None
    styles = ["machine" if one else "human" for one in given.is_machine]
    labels = {"style": dict(zip(matrix.items, styles, strict=True))}
    if given.types:
        labels["type"] = dict(zip(matrix.items, given.types, strict=True))
    if len(set(given.stories)) >= size:
        labels["story"] = dict(zip(matrix.items, given.stories, strict=True))
    units = [family_of(name) for name in matrix.examinees]
    found = make_form(matrix, size, constraints(matrix.items, labels), units=units, seed=seed, report=report)
    return None if found is None else form_json(matrix, found, labels)


def _votes(given: Answered) -> Array:
    """Return the lead of each key in ability-weighted votes, shape (items,).

    It is computed separately for each number of options, on which the probability of guessing depends. NaN
    for items with fewer than two options.
    """
    found = np.full(len(given.keys), np.nan)
    sizes = np.asarray(given.options)
    for size in np.unique(sizes):
        columns = sizes == size
        if size >= 2:
            found[columns] = weighted_vote(given.choices[:, columns], given.keys[columns], int(size))
    return found


def _items(given: Answered, found: Calibration | None, votes: Array, whole: WholeFit | None) -> list[Json]:
    matrix = given.matrix
    statistics = item_statistics(matrix)
    most = max(given.options, default=0)
    chosen = distractors(given.choices, given.keys, most)
    fit = None if found is None else item_fit(matrix, found)
    groups = _ability_groups(given, found)
    tails = upper_lower(matrix)
    rows = []
    for item, name in enumerate(matrix.items):
        row: Json = {
            "id": name,
            "answered": int(statistics.answered[item]),
            "share": number(statistics.proportion_correct[item]),
            "rest": number(statistics.item_rest_correlation[item]),
            "lead": number(votes[item]),
            "key": int(given.keys[item]),
            "chosen": [int(n) for n in chosen.counts[item, : given.options[item]]],
            "goes_with": [number(value) for value in chosen.correlation[item, : given.options[item]]],
            "none": int((given.choices[:, item] == NOT_CHOSEN).sum()),
        }
        if tails is not None:
            row |= {
                "upper_lower": number(tails.difference[item]),
                "upper_lower_low": number(tails.low[item]),
                "upper_lower_high": number(tails.high[item]),
            }
        if whole is not None:
            row |= whole.of_item(item)
        if found is not None:
            row |= {
                name: number(getattr(found, name)[item])
                for name in ("discrimination", "intercept", "difficulty", "guessing")
            }
            row |= {
                f"{name}_se": number(getattr(found, f"{name}_se")[item])
                for name in ("discrimination", "difficulty", "guessing")
            }
            row |= part_of(found, found.parts.items[item])
        if groups[item]:
            row["thirds"] = groups[item]
        if fit is not None:
            row |= {"infit": number(fit.infit[item]), "outfit": number(fit.outfit[item])}
        rows.append(row)
    return rows


def part_of(found: Calibration, number: int) -> Json:
    """Return `{"part": n}`, with n from 1 or None if unconnected; return {} if there is only one part."""
    return {"part": int(number) + 1 if number >= 0 else None} if found.parts.count > 1 else {}


def _ability_groups(given: Answered, found: Calibration | None) -> list[list[Json]]:
    """Return the choices of each item by ability group, as JSON; [] for items with too few answers."""
    nothing: list[list[Json]] = [[] for _item in given.matrix.items]
    if found is None:
        return nothing
    most = max(given.options, default=0)
    chosen = choices_by_ability(given.choices, given.matrix.answered, found.ability, most)
    if chosen is None:
        return nothing
    shares = chosen.shares
    return [
        [
            {
                "answered": int(chosen.answered[item, group]),
                "chosen": [int(n) for n in chosen.counts[item, group, :size]],
                "shares": [number(share) for share in shares[item, group, :size]],
            }
            for group in range(ABILITY_GROUPS)
        ]
        if chosen.is_reported[item]
        else []
        for item, size in enumerate(given.options)
    ]


def _dependence(given: Answered, found: Calibration, seed: int) -> Json | None:
    apart, _variance = residuals(given.matrix, found)
    pooled = story_dependence(apart, given.stories, seed=seed, permutations=199)
    if pooled is None:
        return None
    return {
        "q3": pooled.q3,
        "expected": pooled.expected,
        "p_value": pooled.p_value,
        "pairs": pooled.pairs,
    }


def _of_families(matrix: ResponseMatrix, seed: int, report: Report) -> Json:
    families = [family_of(name) for name in matrix.examinees]
    share, ends = negative_correlations(
        matrix,
        families,
        seed=seed,
        resamples=FAMILY_RESAMPLES,
        report=lambda done: report(COMPARING, done, FAMILY_RESAMPLES),
    )
    low, high = ends if ends is not None else (None, None)
    return {
        "families": len(set(families)),
        "negative_correlations": {"share": number(share), "low": number(low), "high": number(high)},
    }


def _people(given: Answered, found: Calibration | None, fit: WholeFit | None, seed: int) -> list[Json]:
    """Return JSON objects of examinees: accuracy and, with a calibration, ability and ranks; best first."""
    matrix = given.matrix
    # Examinees of different parts cannot be ranked against each other.
    ranks = places(matrix, found, given.stories, seed=seed) if found and found.parts.count == 1 else None
    rows = []
    for row, name in enumerate(matrix.examinees):
        answered = int(matrix.answered[row].sum())
        right = int(matrix.right[row].sum())
        one: Json = {"name": name, "answered": answered, "right": right}
        if found is not None:
            one |= {"ability": number(found.ability[row]), "se": number(found.ability_se[row])}
            one |= part_of(found, found.parts.examinees[row])
        if fit is not None:
            one |= fit.of_examinee(row)
        if ranks is not None:
            one |= {
                "place": ranks[row].by_ability,
                "interval": list(ranks[row].ability_interval),
                "place_by_accuracy": ranks[row].by_accuracy,
                "accuracy_interval": list(ranks[row].accuracy_interval or ()),
            }
        rows.append(one)
    return sorted(
        rows,
        key=lambda one: (
            one.get("part") or len(rows),
            -(one.get("ability") or 0.0),
            -one["right"],
            one["name"],
        ),
    )


def _latent(matrix: ResponseMatrix, found: Calibration, seed: int, draws: int, report: Report) -> Json:
    negative = negative_share(
        matrix, found, seed=seed, draws=draws, report=lambda done: report(DRAWING, done, draws)
    )
    known = found.difficulty[~np.isnan(found.difficulty)]
    one_scale = {
        "information": [round(float(value), 4) for value in whole_information(found)],
        "points": [round(float(point), 3) for point in POINTS],
        "difficulties": [int(n) for n in np.histogram(known, WRIGHT_BINS)[0]],
        "bins": [float(edge) for edge in WRIGHT_BINS],
    }
    parts = [{"examinees": examinees, "items": items} for examinees, items in found.parts.sizes()]
    return {
        "model": found.model,
        "priors": found.priors,
        "log_likelihood": found.log_likelihood,
        "settled": found.converged,
        "left_out": int(found.left_out.sum()),
        "negative": {
            "share": negative.share,
            "by_chance": negative.by_chance,
            "low": negative.low,
            "high": negative.high,
        },
        **(one_scale if len(parts) == 1 else {"parts": parts}),
    }
