"""Artefacts planted in sets of items: how often the gates find them, and the gates' verdicts on clean sets.

`make bench BENCH=planted` runs all seeds; the drill of planted artefacts runs one of them.
"""

from collections import Counter
from collections.abc import Iterator

from benchmarks.lines import Line, line
from parable.quality.gates import ERROR, WARNING, ItemSet, judge
from tests.parable.artefacts import ARTEFACTS, is_found
from tests.parable.planted import Items, clean

BENCH = "planted"
ITEMS = 500
SEEDS = 10
FOUND_IN = 9
CLEAN_SETS = 200
MOST_WARNED = 2


def measure() -> Iterator[Line]:
    """Yield the results for every artefact in both languages, then those for clean sets."""
    for name, artefact in ARTEFACTS.items():
        for chinese in (False, True):
            sets = (clean(ITEMS, seed, chinese=chinese) for seed in range(SEEDS))
            found = sum(is_found(artefact, items, seed) for seed, items in enumerate(sets))
            case = f"{artefact.gate}: {name} ({'zh' if chinese else 'en'})"
            yield line(BENCH, case, "found", found, "seeds", least=FOUND_IN)
    verdicts = Counter(
        verdict for seed in range(CLEAN_SETS) for verdict in _said(clean(ITEMS, seed, chinese=bool(seed % 2)))
    )
    yield line(BENCH, "clean sets", "errors", verdicts[ERROR], "sets", most=0)
    yield line(BENCH, "clean sets", "warnings", verdicts[WARNING], "sets", most=MOST_WARNED)


def _said(items: Items) -> set[str]:
    """Return the verdicts of all gates on a set."""
    return {one.verdict for one in judge(ItemSet(tuple(items), is_foreign=True))}
