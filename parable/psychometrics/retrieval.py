"""Figures of retrieval: how high examinees rank the right answer among all answers."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from parable.psychometrics.results.clusters import share
from parable.psychometrics.results.estimates import Estimate


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Figures of one examinee over `n` questions; `unranked` of them have no rank, which counts as 0.

    `accuracy`: the proportion of questions whose right answer is ranked first. `reciprocal_rank`: the mean of
    1 divided by the rank of the right answer. Intervals are clustered.
    """

    n: int
    unranked: int
    accuracy: Estimate
    reciprocal_rank: Estimate


def retrieval(ranks: Iterable[tuple[str, int | None]]) -> Retrieval:
    """Return the figures from (cluster, rank of the right answer) of each question.

    Narratives of one proverb are one cluster. Source: Voorhees, The TREC-8 question answering track report
    (1999).
    """
    found = list(ranks)
    names = {name: number for number, name in enumerate(dict.fromkeys(name for name, _rank in found))}
    clusters = np.array([names[name] for name, _rank in found], dtype=np.int64)
    values = np.array([0.0 if rank is None else 1 / rank for _name, rank in found])
    return Retrieval(
        n=len(found),
        unranked=sum(rank is None for _name, rank in found),
        accuracy=share((values == 1).astype(np.float64), clusters),
        reciprocal_rank=share(values, clusters),
    )
