"""The splits of a release: their names, their order, and which are measured."""

import re
from collections.abc import Iterable
from typing import Final

TRAIN: Final = "train"
DEV: Final = "dev"
TEST: Final = "test"
SPLITS: Final = (TRAIN, DEV, TEST)
"""All possible splits, in their order."""
MEASURED: Final = (DEV, TEST)
"""The splits of every release, which are measured if no split is named; a train split is optional."""


_NAMES: Final = {
    "train": TRAIN, "training": TRAIN, "dev": DEV, "development": DEV, "val": DEV, "valid": DEV,
    "validation": DEV, "test": TEST, "testing": TEST,
}  # fmt: skip


def split_named(name: str) -> str | None:
    """Return the split in the name of a file or folder, such as `train.jsonl` or `c3-val_2.csv`, or None."""
    said = {_NAMES[part] for part in re.split(r"[^a-z]+", name.lower()) if part in _NAMES}
    return said.pop() if len(said) == 1 else None


def splits_among(found: Iterable[str | None]) -> tuple[str, ...]:
    """Return the splits of a release, in order.

    `found` are the splits of its items; train is included only if found.
    """
    return SPLITS if TRAIN in set(found) else MEASURED


def is_measured(split: str | None, wanted: str | None = None) -> bool:
    """Return whether a split is `wanted`.

    If no split is wanted, return whether it is not train.
    """
    return split == wanted if wanted else split != TRAIN
