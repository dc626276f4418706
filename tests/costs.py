"""Cost of hostile input, as a multiple of the cost of ordinary input of the same length.

A limit in seconds would depend on the machine's load. A ratio of processor times in one process shows whether
the work grows out of proportion: such input costs hundreds of times as much.
"""

from __future__ import annotations

import time
from collections.abc import Callable

ROUNDS, ENOUGH = 3, 0.2
"""The maximum number of rounds, and the processor time in seconds after which a round is the last one."""


def multiple(work: Callable[[], object], ordinary: Callable[[], object]) -> float:
    """Return the ratio of the processor times of two functions, each the least of a few rounds."""
    pairs: list[tuple[float, float]] = []
    while len(pairs) < ROUNDS and sum(pairs[-1] if pairs else ()) < ENOUGH:
        pairs.append((_seconds(work), _seconds(ordinary)))
    return min(pair[0] for pair in pairs) / min(pair[1] for pair in pairs)


def _seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call, averaged over enough calls for the clock to measure."""
    begun, calls = time.process_time(), 0
    while (taken := time.process_time() - begun) < 0.005:
        work()
        calls += 1
    return taken / calls
