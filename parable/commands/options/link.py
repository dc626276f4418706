"""Options of `link`."""

import argparse
from pathlib import Path

from parable.commands.options.of_several import add_json, add_out


def parser() -> argparse.ArgumentParser:
    """Return the parser of `link`."""
    made = argparse.ArgumentParser(
        prog="link",
        description="Put two versions of a set on one scale by the items that both have (Stocking-Lord, with"
        " mean-sigma beside it), name the items that have drifted, and give the models of the later version"
        " abilities and expected accuracies on the earlier one. Matrices as for calibrate; an item has one"
        " name in both. Leaves with 0, or 2 when a file cannot be used or too few items are common.",
    )
    made.add_argument("before", type=Path, metavar="BEFORE", help="the response matrix of the scale to keep")
    made.add_argument("after", type=Path, metavar="AFTER", help="the response matrix to bring onto it")
    made.add_argument("--model", choices=("1pl", "2pl", "3pl"), default="2pl", help="default: 2pl")
    made.add_argument("--priors", choices=("auto", "none", "weak"), default="auto", help="as for calibrate")
    made.add_argument(
        "--stories",
        type=Path,
        metavar="FILE",
        help="a CSV file with the columns item and story: errors of the link then have stories as units",
    )
    add_out(made)
    add_json(made)
    return made
