"""Time of an audit, and of its classifier compared with the same work in bare NumPy and in scikit-learn."""

import random
import resource
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from benchmarks.lines import Line, line
from parable.formats.records import ItemRecord
from parable.quality.gates import ItemSet, judge
from parable.quality.gates.grams import read_options
from parable.quality.gates.naive_bayes import FOLDS, Classifier, find_folds, score

BENCH = "audit"
SIZES = {3_400: 10.0, 100_000: 300.0}
"""The numbers of items, each with the maximum number of seconds for all gates."""
MOST_MEGABYTES = 1000.0
WINDOWS = 5
COMPARED = 3_400


def measure() -> Iterator[Line]:
    """Yield the figures of the classifier, taking turns with the others, then those of whole audits."""
    yield from measure_classifier()
    for size, limit in SIZES.items():
        items = ItemSet(tuple(made(size)), is_foreign=True)
        start, worked = time.perf_counter(), time.process_time()
        judge(items)
        worked = time.process_time() - worked
        yield line(BENCH, f"all_gates_{size}", "time", round(time.perf_counter() - start, 2), "s", most=limit)
        yield line(BENCH, f"all_gates_{size}", "processor_time", round(worked, 2), "s", most=limit)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        yield line(BENCH, f"all_gates_{size}", "peak_memory", round(peak, 1), "MB", most=MOST_MEGABYTES)


def measure_classifier() -> Iterator[Line]:
    """Yield the times of one fit over ten folds of stories, including the counting of characters.

    Compared are our classifier, bare NumPy and scikit-learn.
    """
    items = made(COMPARED)
    ways: dict[str, Callable[[list[ItemRecord]], float]] = {
        "ours": ours,
        "numpy": bare,
        "sklearn": by_sklearn,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    figures = {}
    for _window in range(WINDOWS):
        for name, way in ways.items():
            start = time.perf_counter()
            figures[name] = way(items)
            times[name].append(time.perf_counter() - start)
    for other in ("numpy", "sklearn"):
        yield line(
            BENCH, f"one_fit_{COMPARED}_beside_{other}", "time",
            round(median(times["ours"]), 4), "s", beside=round(median(times[other]), 4),
        )  # fmt: skip
        yield line(
            BENCH, f"one_fit_{COMPARED}_beside_{other}", "accuracy",
            round(figures["ours"], 4), "share", beside=round(figures[other], 4),
            most=round(figures[other], 4) + 0.0001, least=round(figures[other], 4) - 0.0001,
        )  # fmt: skip


def made(count: int) -> list[ItemRecord]:
    """Return Chinese items of the usual lengths, four per story, without clues to the keys."""
    draw = random.Random(7)  # noqa: S311 - nothing secret
    signs = [chr(0x4E00 + min(int(draw.paretovariate(0.7)), 4000)) for _sign in range(200_000)]

    def say(least: int, most: int) -> str:
        size = draw.randint(least, most)
        start = draw.randrange(len(signs) - size)
        return "".join(signs[start : start + size])

    stories = [say(300, 300) for _story in range(count // 4 + 1)]
    return [
        ItemRecord(
            id=f"i-{number}", task="commonsense" if number % 3 else "moral", story_id=f"s-{number // 4}",
            title=f"{number // 4}", story=stories[number // 4], question=say(12, 24) + "？",
            choices=tuple(say(6, 20) for _option in range(4)), answer=draw.randrange(4), types=("social",),
            language="zh", split="dev" if number < count // 5 else "test",
        )
        for number in range(count)
    ]  # fmt: skip


def ours(items: list[ItemRecord]) -> float:
    """Return the accuracy of the gate's own classifier."""
    options = read_options(items)
    folds = find_folds(options, np.random.default_rng(3))
    assert folds is not None
    order = np.argsort(folds, kind="stable")
    options = options.of_items(order)
    values = next(Classifier(options, folds[order]).values(options.keys))
    return float(score(values, options, options.keys).mean())


def _setting(items: list[ItemRecord]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return all options, whether each is a key, and the fold of each; all classifiers get the same folds."""
    options = read_options(items)
    folds = find_folds(options, np.random.default_rng(3))
    assert folds is not None
    texts = [choice for item in items for choice in item.choices]
    is_key = np.array([index == item.answer for item in items for index in range(len(item.choices))])
    return texts, is_key, np.repeat(folds, options.sizes)


def bare(items: list[ItemRecord]) -> float:
    """Return the accuracy of a classifier that counts in a Python dict and sums in NumPy."""
    texts, is_key, folds = _setting(items)
    known: dict[str, int] = {}
    rows, columns = [], []
    for row, text in enumerate(texts):
        for gram in (*text, *map("".join, pairwise(text))):
            rows.append(row)
            columns.append(known.setdefault(gram, len(known)))
    counts = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(texts), len(known)))
    found = np.empty(len(texts))
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        key = np.asarray(counts[train & is_key].sum(axis=0)).ravel() + 1
        wrong = np.asarray(counts[train & ~is_key].sum(axis=0)).ravel() + 1
        found[test] = counts[test] @ (np.log(key / key.sum()) - np.log(wrong / wrong.sum()))
    return _accuracy(found, is_key)


def by_sklearn(items: list[ItemRecord]) -> float:
    """Return the accuracy of the same classifier made of CountVectorizer and MultinomialNB."""
    texts, is_key, folds = _setting(items)
    counts = CountVectorizer(analyzer="char", ngram_range=(1, 2)).fit_transform(texts)
    found = np.empty(len(texts))
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        fitted = MultinomialNB(fit_prior=False).fit(counts[train], is_key[train])
        both = fitted.feature_log_prob_
        found[test] = counts[test] @ (both[1] - both[0])
    return _accuracy(found, is_key)


def _accuracy(found: np.ndarray, is_key: np.ndarray) -> float:
    """Return the share of items of four options whose key has the highest score; ties count in part."""
    scores, keys = found.reshape(-1, 4), is_key.reshape(-1, 4)
    best = scores >= scores.max(axis=1, keepdims=True) - 1e-7
    return float(((best & keys).sum(axis=1) / best.sum(axis=1)).mean())
