"""Options of `audit` for a language model that judges items."""

import argparse
from typing import Final

MOST: Final = 200
"""Default of --judge-items: the maximum number of items that are judged, as calls cost money."""
KEY_VARIABLE: Final = "PARABLE_API_KEY"


def add_judge(parser: argparse.ArgumentParser) -> None:
    """Add the options for a language model as judge; without them, nothing is sent to a model."""
    group = parser.add_argument_group(
        "a language model as judge",
        "Off by default. Each item is sent with its key to the server; what the model names stands in"
        " item_checks under model:RULE, and fails nothing.",
    )
    group.add_argument("--judge-model", metavar="NAME", help="what the server calls the model")
    group.add_argument("--judge-url", metavar="URL", help="such as http://localhost:8080/v1")
    group.add_argument(
        "--judge-items", type=int, default=MOST, metavar="N", help=f"at most so many (default {MOST})"
    )
    group.add_argument(
        "--judge-by", choices=("item", "rule"), default="item", help="one call an item, or one a rule"
    )
    group.add_argument(
        "--judge-key-variable",
        default=KEY_VARIABLE,
        metavar="NAME",
        help=f"the environment variable that holds the key, if it is set (default {KEY_VARIABLE})",
    )


def is_half_named(options: argparse.Namespace) -> bool:
    """Return whether the options are incomplete: only one of model and server, or fewer than one item."""
    return (options.judge_model is None) != (options.judge_url is None) or options.judge_items < 1
