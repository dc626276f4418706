"""`raters FILE`: estimates severity of raters, infers keys from answers, and tests models as raters.

No server is needed.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Final

from parable.commands.matrices import UnusableMatrixError
from parable.commands.outcome import DONE, print_json, unusable, write_json
from parable.commands.rating_rows import Rows, letter, read_rows
from parable.commands.results.numbers import figure, p_is, percent
from parable.psychometrics.raters.adjusted import Adjusted, adjusted_ratings
from parable.psychometrics.raters.alternative import Kind, Verdict, alternative_annotator
from parable.psychometrics.raters.facets import Facets, severities
from parable.psychometrics.raters.keys import Keys, keys_by_answers
from parable.psychometrics.raters.ratings import make_ratings

SHOWN: Final = 20
"""Maximum number of items that are printed; the file and the JSON have all."""
REASONS: Final = {
    "too_few_ratings": "too few ratings of items that others rated",
    "not_connected": "shares no items with the others",
    "one_sided": "always at one end of what the ratings of an item allow",
}
VERDICTS: Final = {
    "passed": "passes the alternative-annotator test and is counted as a rater",
    "not_passed": "does not pass the alternative-annotator test and is not counted",
    "too_few_people": "is not counted: the test needs three people with ten items that somebody else rated",
}


def run(options: argparse.Namespace) -> int:
    """Analyse the raters in some files and print the results; return 0 when done, 2 if a file is unusable."""
    try:
        rows = read_rows(options.ratings)
        said = _said(rows, options.models, options.allowance)
        if options.out is not None:
            write_json(options.out, said)
    except (UnusableMatrixError, OSError) as error:
        return unusable(error)
    if options.as_json:
        print_json(said)
    return DONE


def _said(rows: Rows, models: Sequence[str], allowance: float) -> dict[str, object]:
    """Print the results, and return them as JSON."""
    unknown = set(models) - {rater for _, rater, _ in (*rows.ratings, *rows.answers)}
    if unknown:
        raise UnusableMatrixError(f"--model: {min(unknown)!r} rated nothing in these files.")
    data: dict[str, object] = {"passed_over": len(rows.passed_over)}
    if rows.passed_over:
        lines = "1 line" if len(rows.passed_over) == 1 else f"{len(rows.passed_over)} lines"
        print(
            f"Passed over: {lines}, since a later one has the same rater and item."
            " The last rating counts, and the last answer:"
        )
        for item, rater in rows.passed_over[:SHOWN]:
            print(f"  {item} by {rater}")
    if rows.ratings:
        verdicts = _verdicts(rows.ratings, rows, models, "ratings", allowance)
        data["ratings"] = _of_ratings(rows, verdicts)
    if rows.answers:
        verdicts = _verdicts(rows.answers, rows, models, "labels", allowance)
        data["answers"] = _of_answers(rows, verdicts)
    return data


def _verdicts(
    given: Sequence[tuple[str, str, int]], rows: Rows, models: Sequence[str], kind: Kind, allowance: float
) -> dict[str, Verdict]:
    """Test the models that gave these ratings or answers; print the results and return them by model."""
    by_rater: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for item, rater, value in given:
        by_rater[rater][item] = value
    people = {rater: own for rater, own in by_rater.items() if rater not in models}
    found = {
        model: alternative_annotator(
            people, by_rater[model], kind=kind, allowance=allowance, stories=rows.stories or None
        )
        for model in models
        if model in by_rater
    }
    for model, verdict in found.items():
        print(*_of_verdict(model, verdict, kind), sep="\n")
    return found


def _of_verdict(model: str, verdict: Verdict, kind: Kind) -> Iterator[str]:
    yield f"Language model {model} ({kind}) {VERDICTS[verdict.code]}."
    if verdict.winning_rate is not None and verdict.advantage is not None:
        yield (
            f"  wins against {percent(verdict.winning_rate, digits=0)} % of {len(verdict.comparisons)} people"
            f" (allowance {verdict.allowance:g}); as near to the others as a person in"
            f" {percent(verdict.advantage, digits=1)} %"
        )
    for one in verdict.comparisons:
        yield (
            f"  {one.person}: model {percent(one.model, digits=1)} %,"
            f" person {percent(one.human, digits=1)} %, n = {one.n}, {p_is(one.p_value)}"
            f"{', wins' if one.wins else ''}"
        )


def _left_out(verdicts: Mapping[str, Verdict]) -> set[str]:
    return {model for model, verdict in verdicts.items() if not verdict.passed}


def _of_ratings(rows: Rows, verdicts: Mapping[str, Verdict]) -> dict[str, object]:
    out = _left_out(verdicts)
    ratings = make_ratings((row for row in rows.ratings if row[1] not in out), rows.categories)
    found = severities(ratings, rows.stories or None)
    adjusted = adjusted_ratings(ratings, found)
    print(*_of_severities(found), *_of_adjusted(adjusted), sep="\n")
    return {
        "units": found.units,
        "ratings": found.ratings,
        "stories": found.stories,
        "reliability": found.reliability,
        "p_equal": found.p_equal,
        "raters": [asdict(one) for one in found.raters],
        "adjusted": [asdict(one) for one in adjusted],
        "models": _as_json(verdicts),
    }


def _as_json(verdicts: Mapping[str, Verdict]) -> list[dict[str, object]]:
    return [{"id": model, **asdict(verdict)} for model, verdict in verdicts.items()]


def _of_severities(found: Facets) -> Iterator[str]:
    yield (
        f"Severity in logits (many-facet Rasch, conditional likelihood; 0 is the mean, 95 % intervals by"
        f" story): {found.ratings} ratings of {found.units} items, {found.stories} stories"
    )
    for one in sorted(found.raters, key=lambda one: -(one.severity or 0.0)):
        if one.severity is None or one.low is None or one.high is None:
            yield f"  {one.rater}: no severity, n = {one.n}: {REASONS.get(one.reason, one.reason)}"
            continue
        yield (
            f"  {one.rater}: {figure(one.severity, '+.2f')}"
            f" ({figure(one.low, '+.2f')} to {figure(one.high, '+.2f')}),"
            f" n = {one.n}, infit {figure(one.infit)}"
            f" (expected {figure(one.infit_low)} to {figure(one.infit_high)}), outfit {figure(one.outfit)}"
        )
    if found.raters and any(one.severity is not None for one in found.raters):
        reliability = "none, they have no spread" if found.reliability is None else figure(found.reliability)
        equal = "not tested, one story is too few" if found.p_equal is None else p_is(found.p_equal)
        yield f"Reliability of severities: {reliability}; all equal: {equal}"


def _of_adjusted(found: Sequence[Adjusted]) -> Iterator[str]:
    if not found:
        return
    yield f"Ratings that change most for a rater of mean severity, of {len(found)} items:"
    for one in sorted(found, key=lambda one: -abs(one.adjusted - one.raw))[:SHOWN]:
        yield (
            f"  {one.unit}: raw {figure(one.raw)}, adjusted {figure(one.adjusted)}"
            f" ({figure(one.low)} to {figure(one.high)}), n = {one.n}"
        )


def _of_answers(rows: Rows, verdicts: Mapping[str, Verdict]) -> dict[str, object]:
    out = _left_out(verdicts)
    found = keys_by_answers((one for one in rows.as_answers() if one.person not in out), rows.stories or None)
    if found is None:
        print("Keys by answers: too few answers, or no item that two raters answered.")
        return {"items": [], "raters": [], "against": [], "models": _as_json(verdicts)}
    against = found.against(dict(rows.keys))
    print(*_of_keys(found, rows), sep="\n")
    return {
        "n": found.answers,
        "stories": found.stories,
        "items": [asdict(replace(one, item=str(one.item))) for one in found.items],
        "raters": [asdict(one) for one in found.people],
        "against": [one.item for one in against],
        "models": _as_json(verdicts),
    }


def _of_keys(found: Keys, rows: Rows) -> Iterator[str]:
    yield (
        f"Keys by the answers alone (Dawid and Skene, one chance for each rater; 95 % intervals by story):"
        f" {found.answers} answers to {len(found.items)} items, {found.stories} stories"
    )
    for person in found.people:
        yield (
            f"  {person.person}: right in {percent(person.accuracy, digits=1)} %"
            f" ({percent(person.low, digits=1)} to {percent(person.high, digits=1)}), n = {person.n}"
        )
    against = found.against(dict(rows.keys))
    yield f"Answers speak for another key: {len(against)} of {len(rows.keys)} items with a key"
    for vote in against[:SHOWN]:
        yield (
            f"  {vote.item}: key {letter(rows.keys[str(vote.item)])}, answers say {letter(vote.likeliest)}"
            f" ({percent(vote.probabilities[vote.likeliest], digits=1)} %), n = {vote.n}"
        )
