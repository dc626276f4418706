"""Agreement of the rules of item writing with people's labels, and how often each rule fires.

With JUDGE_URL and JUDGE_MODEL in the environment, also the agreement of a language model, on as many items,
in a seeded random order, as it can judge in JUDGE_MINUTES (10). With JUDGE_BY=rule, each call asks about one
rule, otherwise about all rules.
"""

import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.lines import Line, line, skipped
from parable.commands.judge import Judgements, judge_items
from parable.formats.items import read_items
from parable.formats.records import ItemRecord
from parable.formats.rule_labels import LabelledItem, read_labels
from parable.llm.client import EndpointSpec
from parable.quality.item import CHECKS, RULES, judge
from parable.quality.item.agreement import (
    HALVES,
    HELD_OUT,
    RuleAgreement,
    agreements,
    half_of,
    median_kappa,
    pooled,
)
from parable.quality.item.from_records import view_set
from parable.quality.item.rules import CODES
from parable.quality.item.sets import SEED
from parable.quality.judge.prompt import RULE_BY_RULE, WHOLE

BENCH = "flaws"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
LABELS = SHARED / "item_flaws" / "flaws.jsonl"
PUBLISHED = SHARED / "crmus" / "published_format"
LEAST_MEDIAN = 0.40
PATIENCE = 600.0
"""The maximum number of seconds for one answer; a small model on a busy machine needs minutes."""


def measure() -> Iterator[Line]:
    """Yield the agreement on each half, then how often each rule fires on published items."""
    if not LABELS.is_file():
        yield skipped(BENCH, "kappa", "the labels are not beside this repository (../shared/data)")
    else:
        yield from measure_agreement()
        yield from measure_model()
    if not PUBLISHED.is_dir():
        yield skipped(BENCH, "rates", "the published items are not beside this repository (../shared/data)")
    else:
        yield from measure_rates()


def measure_agreement() -> Iterator[Line]:
    """Yield kappa, precision and recall of each rule on the half for tuning and on the other; medians."""
    items = labelled_items()
    for half in HALVES:
        found = agreements(one for one in items if half_of(one.item.id) == half)
        for one in found:
            yield line(BENCH, one.rule, f"kappa_{half}", round(one.kappa, 3), "kappa")
            for name, value in (("precision", one.precision), ("recall", one.recall)):
                if value is not None:
                    yield line(BENCH, one.rule, f"{name}_{half}", round(value, 3), "share")
        limit = LEAST_MEDIAN if half == HELD_OUT else None
        yield line(BENCH, "all", f"median_kappa_{half}", round(median_kappa(found), 3), "kappa", least=limit)


def measure_model() -> Iterator[Line]:
    """Yield the kappa on each rule of a language model and of the checks, on the same items; lost calls."""
    url, model = os.environ.get("JUDGE_URL"), os.environ.get("JUDGE_MODEL")
    if not url or not model:
        yield skipped(BENCH, "model", "JUDGE_URL and JUDGE_MODEL name no model to ask")
        return
    everything = labelled_items()
    items = random.Random(SEED).sample(everything, len(everything))  # noqa: S311 -- a sample, no secret
    spec = EndpointSpec(url, model, parameters={"temperature": 0, "max_tokens": 100}, allow_private=True)
    begun, minutes = time.monotonic(), float(os.environ.get("JUDGE_MINUTES", "10"))
    found = judge_items(
        [one.item for one in items],
        spec,
        RULE_BY_RULE if os.environ.get("JUDGE_BY") == "rule" else WHOLE,
        rules=[one.labels.keys() for one in items],
        timeout=PATIENCE,
        parallel=2,
        goes_on=lambda: time.monotonic() - begun < 60 * minutes,
    )
    yield line(BENCH, "model", "seconds", round(time.monotonic() - begun), "s")
    yield line(BENCH, "model", "judged", len(found.judged), "items")
    for code, count in found.lost.items():
        yield line(BENCH, "model", f"lost_{code}", count, "calls")
    yield from _kappas(read_of(items, found), found)


def read_of(items: Sequence[LabelledItem], found: Judgements) -> list[tuple[int, LabelledItem]]:
    """Return (index, item) of the items that the model judged, with labels of the rules that it judged."""
    return [
        (index, LabelledItem(one.item, {rule: one.labels[rule] for rule in one.labels.keys() & judged}))
        for index, one in enumerate(items)
        if (judged := found.judged.get(index))
    ]


def _kappas(read: Sequence[tuple[int, LabelledItem]], found: Judgements) -> Iterator[Line]:
    labelled = [one for _place, one in read]
    of_model = agreements(labelled, lambda _items: [found.broken.get(place, ()) for place, _one in read])
    for one, check in zip(of_model, agreements(labelled), strict=True):
        yield line(BENCH, one.rule, "kappa_model", round(one.kappa, 3), "kappa")
        yield line(BENCH, one.rule, "kappa_checks_here", round(check.kappa, 3), "kappa")
        yield line(BENCH, one.rule, "labels", one.items, "items")
        yield line(BENCH, one.rule, "flawed", one.both + one.people_alone, "items")
        yield line(BENCH, one.rule, "named", one.both + one.judge_alone, "items")
    yield from _pooled(of_model)
    yield line(BENCH, "all", "median_kappa_model", round(median_kappa(of_model), 3), "kappa")


def _pooled(of_model: Sequence[RuleAgreement]) -> Iterator[Line]:
    every = pooled(of_model)
    yield line(BENCH, "all", "pooled_kappa_model", round(every.kappa, 3), "kappa")
    yield line(BENCH, "all", "labels", every.items, "labels")
    yield line(BENCH, "all", "flawed", every.both + every.people_alone, "labels")
    yield line(BENCH, "all", "named", every.both + every.judge_alone, "labels")


def labelled_items() -> tuple[LabelledItem, ...]:
    """Return the labelled items of both halves."""
    return read_labels(LABELS, name=LABELS.name).records


def measure_rates() -> Iterator[Line]:
    """Yield the share of published items on which each rule fires."""
    records: list[ItemRecord] = []
    for path in sorted(PUBLISHED.glob("*.json")):
        records += read_items(path, name=path.name).records
    standard = {record.question for record in records if record.task == "moral"}
    views = view_set(records, standard_stems=standard)
    fired = dict.fromkeys(CODES, 0)
    checks = [check for check in CHECKS.values() if check.rule]
    for view in views:
        for rule in {RULES[finding.check] for finding in judge(view, checks)}:
            fired[rule] += 1
    for rule, count in fired.items():
        yield line(BENCH, rule, "fires", round(count / len(views), 4), "share")
