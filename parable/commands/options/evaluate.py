"""Options of `evaluate`."""

import argparse
from pathlib import Path
from typing import Final

from parable.commands.options.of_several import add_json, add_rule
from parable.llm.conditions import CONDITIONS, ORDERS
from parable.reading.partial_inputs import PARTIAL_INPUTS
from parable.splits import SPLITS

LONGEST: Final = 86_400
"""Maximum time of one call, in seconds."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of `evaluate`."""
    made = argparse.ArgumentParser(
        prog="evaluate",
        description="Let a model behind any OpenAI-compatible server answer a release in a folder, and print"
        " how well it did. Answers are appended to a file of JSON lines; started again, it asks what is"
        " missing. Leaves with 0 when every answer came, 1 when some did not, 2 when input cannot be used.",
    )
    made.add_argument("release", type=Path, metavar="RELEASE_DIR", help="a release as it was built")
    made.add_argument(
        "--model", type=_name, required=True, metavar="NAME", help="what the server calls the model"
    )
    made.add_argument("--base-url", required=True, metavar="URL", help="for example http://localhost:8080/v1")
    made.add_argument(
        "--condition",
        choices=[one.id for one in CONDITIONS],
        help="prompt, repeats and order of a published evaluation, to the letter",
    )
    made.add_argument("--repeats", type=_count, metavar="N", help="ask each item N times (default 1)")
    made.add_argument("--split", choices=SPLITS, help="one split alone; else dev and test")
    made.add_argument("--limit", type=_count, metavar="N", help="the first N items alone")
    made.add_argument(
        "--order",
        choices=ORDERS,
        help="of the options: as released (the default), shuffled by --seed, or circular (every rotation)",
    )
    made.add_argument("--seed", default="0", metavar="TEXT", help="of the shuffling (default 0)")
    made.add_argument(
        "--prompt",
        type=Path,
        metavar="FILE",
        help="with {story}, {question} and {options} (or {options_in_line}); else zero-shot",
    )
    made.add_argument(
        "--probe",
        choices=[one.replace("_", "-") for one in PARTIAL_INPUTS],
        help="ask without the story, without the stem, or with another story, by --seed; the answers are kept"
        " apart, and `probes` compares them with those to the whole items",
    )
    add_rule(made)
    made.add_argument("--parameters", default="{}", metavar="JSON", help='such as {"temperature": 0}')
    made.add_argument(
        "--key-variable",
        default="PARABLE_API_KEY",
        metavar="NAME",
        help="the environment variable that holds the key, if it is set (default PARABLE_API_KEY)",
    )
    made.add_argument("--parallel", type=_count, default=4, metavar="N", help="calls in flight (default 4)")
    made.add_argument("--timeout", type=_seconds, default=60.0, metavar="SECONDS", help="of one call")
    made.add_argument("--out", type=Path, metavar="FILE", help="where answers are appended (JSONL)")
    made.add_argument("--answers", type=Path, metavar="FILE", help="the answers that the release withholds")
    add_json(made)
    return made


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return number


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {LONGEST}")
    return number


def _name(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r} is not a name")
    return text
