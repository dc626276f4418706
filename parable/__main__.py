"""Entry point of `parable`, which runs the commands that need neither Django nor a server."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from parable.extras import PackageMissingError, installed_version
from parable.sentences import LANGUAGES, CatalogMissingError
from parable.threads import use_one_thread

COMMANDS: Final = (
    "audit",
    "convert",
    "calibrate",
    "score",
    "datacite",
    "deposit",
    "evaluate",
    "plan",
    "raters",
    "link",
    "erratum",
    "probes",
    "push",
    "remote",
    "short-form",
)
"""Modules of `parable.commands`, imported only when needed, as NumPy and SciPy load slowly.

The options of each command are defined in a module of `parable.commands.options`, which loads quickly.
"""
UNUSABLE: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; 2 if it is unknown or a package is not installed."""
    given = [str(one) for one in (sys.argv[1:] if arguments is None else arguments)]
    if given[:1] in (["--help"], ["-h"]):
        print(f"parable {{{','.join(COMMANDS)}}} ...   (each has --help)")
        return 0
    if given[:1] == ["--version"]:
        found = installed_version()
        print(f"parable {found}" if found else "parable, from its sources")
        return 0
    if not given or given[0] not in COMMANDS:
        print(f"Name one command: {', '.join(COMMANDS)}. Each has --help.", file=sys.stderr)
        return UNUSABLE
    module = given[0].replace("-", "_")
    options = import_module(f"parable.commands.options.{module}").parser().parse_args(given[1:])
    use_one_thread()
    _say_what_waits(given[1:])
    try:
        return int(import_module(f"parable.commands.{module}").run(options))
    except PackageMissingError as error:
        print(error.in_language(getattr(options, "language", LANGUAGES[0])), file=sys.stderr)
    except CatalogMissingError as error:
        print(error, file=sys.stderr)
    return UNUSABLE


def _say_what_waits(arguments: Sequence[str]) -> None:
    """Print a notice for each pipe or terminal that is to be read, as this may wait forever."""
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
