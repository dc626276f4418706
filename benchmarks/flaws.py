"""How far the rules of item writing agree with people's labels, and how often each fires over published
items."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.lines import Line, line, skipped
from parable.formats.items import read_items
from parable.formats.records import ItemRecord
from parable.formats.rule_labels import LabelledItem, read_labels
from parable.quality.item import CHECKS, RULES, judge
from parable.quality.item.agreement import HALVES, HELD_OUT, agreements, half_of, median_kappa
from parable.quality.item.from_records import view_set
from parable.quality.item.rules import CODES

BENCH = "flaws"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
LABELS = SHARED / "item_flaws" / "flaws.jsonl"
PUBLISHED = SHARED / "crmus" / "published_format"
LEAST_MEDIAN = 0.40


def measure() -> Iterator[Line]:
    """The agreement first, on each half; then how often each rule fires over the published items."""
    if not LABELS.is_file():
        yield skipped(BENCH, "kappa", "the labels are not beside this repository (../shared/data)")
    else:
        yield from measure_agreement()
    if not PUBLISHED.is_dir():
        yield skipped(BENCH, "rates", "the published items are not beside this repository (../shared/data)")
    else:
        yield from measure_rates()


def measure_agreement() -> Iterator[Line]:
    """Kappa, precision and recall of each rule on the half it was tuned on and on the other; medians."""
    items = labelled_items()
    for half in HALVES:
        found = agreements(one for one in items if half_of(one.item.id) == half)
        for one in found:
            yield line(BENCH, one.rule, f"kappa_{half}", round(one.kappa, 3), "kappa")
            for name, value in (("precision", one.precision), ("recall", one.recall)):
                if value is not None:
                    yield line(BENCH, one.rule, f"{name}_{half}", round(value, 3), "share")
        limit = LEAST_MEDIAN if half == HELD_OUT else None
        yield line(BENCH, "all", f"median_kappa_{half}", round(median_kappa(found), 3), "kappa", limit)


def labelled_items() -> tuple[LabelledItem, ...]:
    """The labelled items, of both halves."""
    return read_labels(LABELS, name=LABELS.name).records


def measure_rates() -> Iterator[Line]:
    """The share of all published items that each rule says something of."""
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
