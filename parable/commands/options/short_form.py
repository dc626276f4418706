"""Options of `short-form`."""

import argparse
from pathlib import Path
from typing import Final

from parable.commands.options.of_several import add_json, add_out

SEED: Final = 7
LABELS: Final = ("type", "style", "story")


def parser() -> argparse.ArgumentParser:
    """Return the parser of `short-form`."""
    made = argparse.ArgumentParser(
        prog="short-form",
        description="Choose the items that say most of the share right on a whole set, from a matrix of right"
        " (1) and wrong (0) answers (as for calibrate), and measure how far the score that they give is off,"
        " by leaving out each model in turn. With --score, score the answers in the matrix by a form that was"
        " written before. Leaves with 0, or 2 when a file cannot be used.",
    )
    made.add_argument("matrix", type=Path, metavar="MATRIX", help="the response matrix")
    size = made.add_mutually_exclusive_group()
    size.add_argument("--items", type=int, metavar="K", help="how many items (default: a tenth)")
    size.add_argument("--share", type=float, metavar="SHARE", help="which share of the items, as 0.1")
    for label, why in zip(
        LABELS, ("as many of each type", "as many of each style", "one item a story"), strict=True
    ):
        made.add_argument(
            f"--{'stories' if label == 'story' else label + 's'}",
            type=Path,
            metavar="FILE",
            help=f"a CSV file with the columns item and {label}: {why}"
            + ("" if label == "story" else " as the set has, in proportion"),
        )
    made.add_argument(
        "--models",
        type=Path,
        metavar="FILE",
        help="a CSV file with the columns subject and model: checkpoints of one model are left out together"
        " (default: by their names)",
    )
    made.add_argument("--score", type=Path, metavar="FORM", help="score by this form, as --out wrote it")
    made.add_argument("--seed", type=int, default=SEED, help=f"of all draws (default {SEED})")
    add_out(made)
    add_json(made)
    return made
