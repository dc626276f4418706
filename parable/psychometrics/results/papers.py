"""Results printed in papers, for comparison; they are cited facts, not Parable's own measurements."""

# Names tasks: figures that a paper printed, by its tasks.

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from parable.psychometrics.results.replication import Published, whole_count

_COMMONSENSE: Final = "commonsense"
_MORAL: Final = "moral"
_TYPES: Final = ("social", "biological", "temporal", "spatial", "physical")


@dataclass(frozen=True, slots=True)
class Paper:
    """The printed results of a paper; `source` is its citation, with a note on derived results."""

    id: str
    name: str
    source: str
    figures: tuple[Published, ...]


_ITEMS: Final = {_COMMONSENSE: (400, 1692, 2092), _MORAL: (252, 1056, 1308)}
"""By task, the numbers of items in dev, in test and in both, from Table 3."""
_LABELS: Final = ((1048, 852), (426, 336), (308, 241), (259, 222), (178, 141))
"""By type, the labels of all commonsense items (Figure 1) and of the test split (divisors in Table 6)."""
_MODELS: Final[Mapping[str, tuple[str, str, str, str, str]]] = {
    "chinese-alpaca-2-7b-hf": ("31.15", "33.02", "70.42 67.56 69.29 71.62 60.28", "-17.78", "-1.53"),
    "chinese-alpaca-2-13b-hf": ("47.64", "44.32", "52.23 52.98 58.92 51.35 46.81", "-16.09", "1.40"),
    "GLM-3-Turbo": ("68.79", "56.06", "27.35 35.71 37.34 33.33 28.37", "-2.71", "6.23"),
    "GLM-4": ("83.45", "66.00", "12.91 17.26 21.16 17.12 26.95", "4.35", "7.71"),
    "Spark-V3.5": ("73.52", "65.63", "22.18 29.46 36.10 28.83 27.66", "-0.72", "7.74"),
    "ERNIE-3.5-8K-0205": ("74.05", "65.15", "22.54 25.60 34.44 33.33 21.99", "-0.01", "7.85"),
    "ERNIE-4.0-8K": ("80.38", "67.33", "17.25 19.05 28.22 21.62 18.44", "1.56", "8.08"),
    "GPT-3.5-turbo": ("59.93", "45.93", "38.50 35.71 53.11 40.99 34.04", "-5.84", "3.85"),
    "SkyChat-MegaVerse": ("70.57", "53.41", "27.70 28.87 34.85 33.33 27.66", "-2.26", "5.64"),
    "qwen-turbo": ("69.15", "55.02", "26.17 30.06 43.98 34.23 29.79", "-2.93", "6.16"),
}
"""Tables 5 to 8: per cent right in both tasks, per cent wrong by type, and abilities in both tasks."""
_STYLES: Final = {"human": ("69.47", 357), "machine": ("64.23", 699)}
"""Per cent right of GLM-4 on moral items of each style, and the number of these items."""
_INCONSISTENT: Final = {_COMMONSENSE: "28.01", _MORAL: "32.86"}
"""Per cent of items, by task, to which GLM-4 gave different answers in two repeats."""
_NEGATIVE: Final = "2.2"
_WEIGHTS: Final = {_COMMONSENSE: Decimal("0.4"), _MORAL: Decimal("0.6")}
_TWO_DECIMALS: Final = Decimal("0.01")


def _contents() -> Iterator[Published]:
    for task, counts in _ITEMS.items():
        for split, count in zip(("dev", "test", "all"), counts, strict=True):
            yield Published("contents", task, "", f"count:{split}", str(count))
    labels, items = sum(whole for whole, _test in _LABELS), _ITEMS[_COMMONSENSE][2]
    for kind, (whole, test) in zip(_TYPES, _LABELS, strict=True):
        yield Published("type_counts", kind, "", "count:all", str(whole))
        yield Published("type_counts", kind, "", "count:test", str(test))
        yield Published("type_counts", kind, "", "share_of_items", _percent(whole, items))
        yield Published("type_counts", kind, "", "share_of_labels", _percent(whole, labels))


def _percent(count: int, of: int) -> str:
    return str((Decimal(100 * count) / of).quantize(_TWO_DECIMALS))


def _accuracies() -> Iterator[Published]:
    for model, (commonsense, moral, errors, _ability, _other) in _MODELS.items():
        right = {_COMMONSENSE: commonsense, _MORAL: moral}
        for task, printed in right.items():
            yield Published("accuracy", model, "", f"accuracy:{task}", printed, _ITEMS[task][1])
        yield Published("accuracy", model, "", "score", _score(right))
        for kind, printed, (_whole, test) in zip(_TYPES, errors.split(), _LABELS, strict=True):
            yield Published("types", model, "", f"error:{kind}", printed, test)
    for style, (printed, n) in _STYLES.items():
        yield Published("styles", "GLM-4", _MORAL, f"accuracy:{style}", printed, n)
    for task, printed in _INCONSISTENT.items():
        yield Published("repeats", "GLM-4", task, "first_two", printed, _ITEMS[task][1])


def _score(right: Mapping[str, str]) -> str:
    """Return a model's score, computed from the counts that its two printed percentages imply."""
    counts = {task: whole_count(printed, _ITEMS[task][1]) for task, printed in right.items()}
    shares = {task: Decimal(100 * found[0]) / found[1] for task, found in counts.items() if found}
    score = sum((weight * shares[task] for task, weight in _WEIGHTS.items()), Decimal(0))
    return str(score.quantize(_TWO_DECIMALS))


def _ranks() -> Iterator[Published]:
    """Yield the ranks computed from Tables 7 and 8, and the share of negative discriminations.

    Abilities are left out, as their scales are not comparable.
    """
    for task, accuracy, ability in ((_COMMONSENSE, 0, 3), (_MORAL, 1, 4)):
        for column, at in (("accuracy_rank", accuracy), ("ability_rank", ability)):
            order = sorted((Decimal(row[at]) for row in _MODELS.values()), reverse=True)
            for model, row in _MODELS.items():
                yield Published("ranks", model, task, column, str(1 + order.index(Decimal(row[at]))))
    yield Published("calibration", "all", "", "negative_discrimination", _NEGATIVE)


CRMUS: Final = Paper(
    "crmus",
    "CRMUS",
    "CRMUS, CCL 2024, CC BY 4.0, Tables 3 and 5 to 8, Figure 1; 0.4/0.6 scores and percentages of types"
    " follow from its figures",
    (*_contents(), *_accuracies(), *_ranks()),
)
PAPERS: Final = {paper.id: paper for paper in (CRMUS,)}
"""Papers whose results ship with Parable, by id."""
