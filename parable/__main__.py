"""The command `parable`: what can be done with files alone, without Django and without a server."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from parable.sentences import CatalogMissingError
from parable.threads import use_one_thread

COMMANDS: Final = (
    "audit",
    "calibrate",
    "score",
    "evaluate",
    "plan",
    "raters",
    "link",
    "erratum",
    "probes",
    "short-form",
)
"""Modules of `parable.commands`, imported when they are called: NumPy and SciPy take a while."""
UNUSABLE: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code, 2 where there is none of that name."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] in (["--help"], ["-h"]):
        print(f"parable {{{','.join(COMMANDS)}}} ...   (each has --help)")
        return 0
    if not given or given[0] not in COMMANDS:
        print(f"Name one command: {', '.join(COMMANDS)}. Each has --help.", file=sys.stderr)
        return UNUSABLE
    use_one_thread()
    _say_what_waits(given[1:])
    try:
        return int(import_module(f"parable.commands.{given[0].replace('-', '_')}").main(given[1:]))
    except CatalogMissingError as error:
        print(error, file=sys.stderr)
        return UNUSABLE


def _say_what_waits(arguments: Sequence[str]) -> None:
    """Name each pipe or terminal among the arguments: reading one may wait without end."""
    read = [str(one) for before, one in zip(("", *arguments), arguments, strict=False) if before != "--out"]
    for given in read:
        try:
            path = Path(given)
            waits = path.is_fifo() or path.is_char_device()
        except (OSError, ValueError):
            continue
        if waits:
            print(f"{given}: not a file, but a pipe or a terminal; reading until it ends.", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
