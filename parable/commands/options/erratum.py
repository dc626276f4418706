"""Options of `erratum`."""

import argparse
from pathlib import Path

from parable.commands.options.of_several import add_json, add_rule
from parable.splits import SPLITS


def parser() -> argparse.ArgumentParser:
    """Return the parser of `erratum`."""
    made = argparse.ArgumentParser(
        prog="erratum",
        description="What corrected keys and withdrawn items change for each model: answers to the version"
        " before, counted by the keys of both. Items that were withdrawn or reworded count before alone;"
        " what was added was not asked. Leaves with 0, or 2 when a file cannot be used.",
    )
    made.add_argument("before", type=Path, metavar="BEFORE", help="the release that the models answered")
    made.add_argument("after", type=Path, metavar="AFTER", help="the later version")
    made.add_argument("responses", type=Path, nargs="+", metavar="RESPONSES", help="answers to BEFORE")
    made.add_argument("--answers", type=Path, metavar="FILE", help="the answers that BEFORE withholds")
    made.add_argument("--split", choices=SPLITS, help="one split alone; else dev and test")
    add_rule(made)
    add_json(made)
    return made
