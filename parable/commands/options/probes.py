"""Options of `probes`."""

import argparse
from pathlib import Path

from parable.commands.options.of_several import add_json, add_rule
from parable.splits import SPLITS


def parser() -> argparse.ArgumentParser:
    """Return the parser of `probes`."""
    made = argparse.ArgumentParser(
        prog="probes",
        description="What models still answer when a part of the item is missing: answers that `evaluate"
        " --probe` collected, beside those of the same models to the whole items. A finding, not a verdict: a"
        " model may know a published story, guess well, or read the key off the options. Leaves with 0, or 2"
        " when a file cannot be used.",
    )
    made.add_argument("release", type=Path, metavar="RELEASE_DIR", help="the release that was asked")
    for name, about in (("whole", "whole items"), ("probe", "the probe")):
        made.add_argument(
            f"--{name}", type=Path, nargs="+", required=True, metavar="FILE", help=f"answers to {about}"
        )
    made.add_argument("--answers", type=Path, metavar="FILE", help="the answers that the release withholds")
    made.add_argument("--split", choices=SPLITS, help="one split alone; else dev and test")
    add_rule(made)
    add_json(made)
    return made
