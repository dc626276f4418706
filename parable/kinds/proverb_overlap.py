"""Overlap of words (shared n-grams) between narratives and proverbs, and its value expected by chance."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from parable.kinds.proverb import Overlap, Tokenise, grams, overlap_of

_ROWS: Final = 500
"""The number of rows of the overlap matrix that are computed at once."""


def mean_overlap(pairs: Iterable[tuple[str, str]], length: int, tokenise: Tokenise) -> Overlap:
    """Return the mean overlap of these pairs of texts; all values are 0 if there are no pairs."""
    found = [overlap_of(grams(tokenise(one), length), grams(tokenise(other), length)) for one, other in pairs]
    count = len(found) or 1
    return Overlap(sum(one.jaccard for one in found) / count, sum(one.shared for one in found) / count)


def chance_overlap(
    proverbs: Sequence[str], narratives: Sequence[str], length: int, tokenise: Tokenise
) -> Overlap:
    """Return the mean overlap of every proverb with every narrative: the value expected by chance."""
    rows, columns = _matrices(proverbs, narratives, length, tokenise)
    tables = list(_tables(rows, columns))
    count = len(proverbs) * len(narratives) or 1
    return Overlap(
        float(sum(jaccard.sum() for _shared, jaccard in tables) / count),
        float(sum(shared.sum() for shared, _jaccard in tables) / count),
    )


def overlap_between(
    texts: Sequence[str], groups: Sequence[str], length: int, tokenise: Tokenise
) -> tuple[float, float]:
    """Return the mean Jaccard index of pairs of texts within a group, and of pairs across groups.

    `groups` has the group of each text. A mean is 0 if there are no such pairs.
    """
    rows, columns = _matrices(texts, texts, length, tokenise)
    names = np.unique(np.asarray(groups), return_inverse=True)[1]
    sums, counts = [0.0, 0.0], [0, 0]
    start = 0
    for _shared, jaccard in _tables(rows, columns):
        places = np.arange(start, start + len(jaccard))
        later = places[:, None] < np.arange(len(texts))
        is_same = names[places][:, None] == names
        for which, mask in enumerate((later & is_same, later & ~is_same)):
            sums[which] += float(jaccard[mask].sum())
            counts[which] += int(mask.sum())
        start += len(jaccard)
    return sums[0] / (counts[0] or 1), sums[1] / (counts[1] or 1)


Table = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def _tables(rows: csr_array, columns: csr_array) -> Iterator[tuple[Table, Table]]:
    """Yield (shared n-grams, Jaccard index) of a block of rows with all columns, block by block."""
    of_row, of_column = np.asarray(rows.sum(axis=1)).ravel(), np.asarray(columns.sum(axis=1)).ravel()
    turned = columns.T.tocsr()
    for start in range(0, rows.shape[0], _ROWS):
        shared = (rows[start : start + _ROWS] @ turned).toarray()
        together = of_row[start : start + _ROWS, None] + of_column - shared
        yield shared, shared / np.maximum(together, 1)


def _matrices(
    first: Sequence[str], second: Sequence[str], length: int, tokenise: Tokenise
) -> tuple[csr_array, csr_array]:
    """Return two 0/1 matrices, shape (texts, n-grams), with the same columns for both lists of texts."""
    numbers: dict[tuple[str, ...], int] = {}
    sets = [grams(tokenise(text), length) for text in (*first, *second)]
    for one in sets:
        for gram in one:
            numbers.setdefault(gram, len(numbers))
    row = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    column = np.fromiter((numbers[gram] for one in sets for gram in one), dtype=np.int64, count=len(row))
    whole = csr_array((np.ones(len(row)), (row, column)), shape=(len(sets), max(len(numbers), 1)))
    return whole[: len(first)], whole[len(first) :]
