"""Options of `plan`."""

import argparse
from pathlib import Path

from parable.commands.options.of_several import add_json
from parable.splits import SPLITS


def parser() -> argparse.ArgumentParser:
    """Return the parser of `plan`."""
    made = argparse.ArgumentParser(
        prog="plan",
        description="How sure the accuracies of an evaluation would be, which difference of two models it"
        " would find in 80 of 100 trials, and how many stories a difference takes, before a model is asked."
        " Variances are those of earlier answers to the release where --responses names them, else typical"
        " ones. Leaves with 0, or 2 when a file cannot be used.",
    )
    made.add_argument("release", type=Path, metavar="RELEASE_DIR", help="a release as it was built")
    made.add_argument(
        "--responses", type=Path, nargs="+", default=[], metavar="FILE", help="earlier answers of models"
    )
    made.add_argument("--answers", type=Path, metavar="FILE", help="the answers that the release withholds")
    made.add_argument("--split", choices=SPLITS, help="one split alone; else dev and test")
    made.add_argument("--repeats", type=int, default=1, metavar="N", help="of each item (default 1)")
    made.add_argument(
        "--difference", type=float, default=5.0, metavar="POINTS", help="to be found (default 5)"
    )
    add_json(made)
    return made
