"""What hostile input costs, as a multiple of what ordinary input of the same length costs.

A limit in seconds says how busy the machine is. A multiple in one process, in processor time, says whether
the work grows out of proportion: input that makes it do so costs hundreds of times as much.
"""

from __future__ import annotations

import time
from collections.abc import Callable

ROUNDS, ENOUGH = 3, 0.2
"""How often it is measured, and how much processor time one round may take and be the last one."""


def multiple(work: Callable[[], object], ordinary: Callable[[], object]) -> float:
    """Processor time of the one over that of the other; of each, the least of a few rounds."""
    pairs: list[tuple[float, float]] = []
    while len(pairs) < ROUNDS and sum(pairs[-1] if pairs else ()) < ENOUGH:
        pairs.append((_seconds(work), _seconds(ordinary)))
    return min(pair[0] for pair in pairs) / min(pair[1] for pair in pairs)


def _seconds(work: Callable[[], object]) -> float:
    """Processor time of one call, of so many that the clock can measure."""
    begun, calls = time.process_time(), 0
    while (taken := time.process_time() - begun) < 0.005:
        work()
        calls += 1
    return taken / calls
